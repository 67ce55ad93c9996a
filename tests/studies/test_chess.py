"""Studies of chess: many games side by side, and decisions of positions that were met."""

import json
import shutil

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.chess import lessons, strategies, tables
from envs.chess.notation.fen import kinds_of
from envs.chess.notation.pgn import fen_of
from envs.chess.rules import Chess
from jaxgp.arrays import take
from jaxgp.config import arguments
from jaxgp.players.taught import DecisionProcess
from studies.chess import curves, games, kept, larger, seen
from tests.scripts import commands

pytestmark = pytest.mark.thorough

WON = Chess(endgame="KQK", start="won")
LONGEST = 19
"""Plies of the longest mate with a queen."""
STOCKFISH = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")


@pytest.fixture(scope="module")
def best():
    """How a player moves that knows the tables."""
    choose = strategies.ByTable(WON)

    @jax.jit
    def act(states, counts, key):
        return jax.vmap(choose)(states, jax.random.bits(key, (len(counts),), jnp.uint32))

    return act


def played(act, other, count):
    states = jax.jit(jax.vmap(WON.init))(jax.random.split(jax.random.key(1), count))
    rules = jax.jit(jax.vmap(lambda state, action: games._step(WON, state, action)))
    found = games.Played()
    games.play(rules, act, other, states, np.zeros(count, int), jax.random.key(0), found, True)
    return found, states


def test_the_best_moves_mate_the_best_defence_in_time(best):
    found, states = played(best, games.opposing(games.defence(WON), 0), 6)
    lengths = [len(record) - 5 for record in found.records]
    assert found.returns == [1.0] * 6
    assert 1 < max(lengths) <= LONGEST
    assert all(length % 2 for length in lengths)
    assert {fen_of(take(states, n)) for n in range(6)} <= set(found.met)
    assert len(found.met) > 6


@pytest.mark.skipif(STOCKFISH is None, reason="Stockfish is not installed")
def test_an_engine_of_each_game_answers_the_moves_of_its_own(best):
    with games.ExitStack() as stack:
        engines = games.Engines("stockfish", "nodes 10", 1)
        engines.open(stack, 2)
        found, _ = played(best, engines, 2)
    assert found.returns == [1.0] * 2
    assert [len(told.split(" moves ")[1].split()) for told in engines.told] == [len(r) - 5 for r in found.records]


def test_decisions_of_a_file_are_the_critical_ones_of_its_positions(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons, "TOGETHER", 32)
    game = Chess(endgame="KQK")
    drawn = kept.decide(game, 20, 0)
    calm = "8/8/8/8/8/2k5/8/K6Q b - - 0 1"  # whatever black plays, it loses
    file = tmp_path / "met.fen"
    file.write_text("".join(f"{fen_of(take(drawn.lessons.states, n))}\n" for n in range(20)) + calm)
    met = kept.meet(game, str(file), 40, 0)
    of = lambda at: {at.lessons.states.men[n].tobytes(): at.kept[n].tobytes() for n in range(len(at.there))}  # noqa: E731
    assert of(met) == of(drawn)


def test_values_of_a_table_are_compared_with_the_moves_from_both_sides():
    pair = kinds_of("KRK")
    found = tables.Tables(*map(jnp.asarray, tables.tables(("KRK",))))
    rng, compared = np.random.default_rng(0), jax.jit(larger.compared)
    for side in range(2):
        boards = larger.positions(pair, tables.table(pair)[side], side, 100, rng)
        value, best = map(np.asarray, compared(found, boards))
        assert np.array_equal(value, best)
        wrong = jnp.where((found.values > 0) & (found.values != tables.ILLEGAL), 0, found.values)
        value, best = map(np.asarray, compared(found._replace(values=wrong), boards))
        assert (value != best).mean() > 0.8, "nobody wins any more, but the other side still loses"


def test_endgames_that_no_table_has_are_named(capsys):
    assert arguments.main(larger.Options, larger.task, larger.__doc__, ["endgame=KRKBN"]) == 2
    assert "endgame=KRKBN: accepted: up to 5 kings, queens and rooks" in capsys.readouterr().err


def test_the_best_of_each_generation_is_whom_the_run_named(tmp_path):
    run = tmp_path / "run"
    small = ("algorithm.population=16", "algorithm.generations=4", "checkpoint_every=1", "keep_checkpoints=9")
    commands.train("game=mancala", *small, "logger=disabled", f"hydra.run.dir={run}")
    named = [json.loads(line)["best_points"] for line in (run / "metrics.jsonl").read_text().splitlines()]
    found = dict(curves.bests(str(run)))
    assert [sum(found[n].points.values()) for n in (1, 2, 3)] == pytest.approx(named[1:4], abs=1e-6)
    assert max(found) == 4
    assert found[4].text == json.loads((run / "champion.json").read_text())["text"]


def test_a_picture_has_a_panel_for_each_endgame_and_a_line_for_each_run_and_opponent():
    lines = curves.draw([*many(["a", "b"]), scored("a", 10, "stockfish nodes 10", 0.25)]).axes[0].lines
    assert [line.get_xydata().tolist() for line in lines[:3]] == [[[10, 0.4], [20, 0.3]]] * 2 + [[[10, 0.25]]]


def test_a_picture_has_the_mean_of_many_runs_and_their_range():
    panel = curves.draw(many(["x/a", "x/b", "x/c"], (0, 0.1, 0.2))).axes[0]
    assert panel.lines[0].get_xydata() == pytest.approx(np.array([[10, 0.5], [20, 0.4]]))
    heights = panel.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((0.3, 0.6))


def many(runs, above=(0, 0, 0)):
    scores = ((run, n, 0.5 - n / 100 + more) for run, more in zip(runs, above, strict=False) for n in (20, 10))
    return [scored(run, n, "master", score) for run, n, score in scores]


def scored(run, generation, opponent, score):
    return {"run": run, "generation": str(generation), "opponent": opponent, "endgame": "KRKR", "score": str(score)}


def test_the_share_of_mates_is_that_of_a_chain():
    """Of two moves one mates, and one leads back to the start, or to a position that is lost."""
    two = DecisionProcess(
        states=None,
        outcomes=None,
        moves=np.array([[0, 1], [2, -1]]),
        replies=np.array([[-1, -1], [0, 1], [-1, -1]]),
        won=np.array([True, False, False]),
        left=np.array([1, 0]),
        starts=np.array([True, False]),
        unmet=np.array([False, False]),
    )
    reply = seen.answers(two)
    for worth, share, often in (([1, 0, 0], 1, 1), ([0, 1, 0], 0, 0), ([1, 1, 0], 2 / 3, 2 / 3)):
        play = seen.choose(two, np.array(worth, float))
        assert seen.come(two, play, reply, 1.0)[0][0] == pytest.approx(share)
        assert seen.met(two, play, reply)[0] == pytest.approx(often)
    assert seen.depths(two).tolist() == [0, 2, tables.MATE]


def test_terminals_that_sums_weigh_tell_less_than_all(capsys):
    found = {}
    for sees in ("all", "weighed"):
        assert arguments.main(seen.Options, seen.task, seen.__doc__, ["endgame=KQK", "rounds=1", f"sees={sees}"]) == 0
        rows = [line.split(",") for line in capsys.readouterr().out.splitlines()]
        found[sees] = int(rows[1][3])
        assert float(rows[2][5]) >= float(rows[1][5]) > 0.5
    assert found["weighed"] < found["all"] == 1187


def test_starts_are_told_apart_by_the_moves_to_the_mate(capsys):
    words = ["endgame=KQK", "programs=[docs/data/champions/chess_sum_kqk.jsonl#0]", "bands=[4]"]
    assert arguments.main(seen.Options, seen.task, seen.__doc__, words) == 0
    rows = [line.split(",") for line in capsys.readouterr().out.splitlines()][1:]
    assert [row[-2:] for row in rows] == [["", ""], ["1", "4"], ["5", "10"]]
    (whole, mated), *parts = [(int(row[2]), float(row[5])) for row in rows]
    assert sum(count for count, _ in parts) == whole
    assert sum(count * share for count, share in parts) / whole == pytest.approx(mated, abs=1e-4)


@pytest.mark.parametrize(
    ("study", "option", "file"),
    [(kept, "champions", "chess_sum_krk"), (kept, "champions", "mancala"), (seen, "programs", "mancala")],
)
def test_champions_that_value_no_moves_as_asked_are_refused(capsys, study, option, file):
    words = [f"{option}=[docs/data/champions/{file}.jsonl#0]", "endgame=KRK"]
    assert arguments.main(study.Options, study.task, study.__doc__, words) == 2
    assert f"{option}=docs/data/champions/{file}.jsonl#0: accepted: champions of chess" in capsys.readouterr().err
