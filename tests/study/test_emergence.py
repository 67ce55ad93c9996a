"""Where the strength of a champion sits: terminals that are turned off, measures of them, moves beside their worth."""

import json
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.anatomy import positions
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.study.emergence import altered, choices, rows
from jaxgp.study.emergence.rows import GROUPS
from tests.scripts.commands import load, train, write_run

OTHELLO = {"name": "othello", "size": 4}
PROGRAM = "(+ (* own 10) (- other_corners own))"


@pytest.fixture(scope="module")
def othello():
    """A game whose programs value moves, and the same with terminals that can be turned off."""
    made = cast(envs.spec("othello"), envs.make("othello", size=4))
    program = parse_program(made.language, PROGRAM, 16)
    return made, program, altered.alter(made, program, 0)


def see(made, program, changed):
    """Return positions as programs of the larger set see them, [F, N], and the values of programs there."""
    states = positions.Decider(made, program).positions(64, 1)
    seen = positions.Decider(SimpleNamespace(game=made.game, actor=changed.actor), program).features(states, 1)

    def values(one):
        return np.asarray(evaluate_programs(changed.primitives, jax.tree.map(jnp.asarray, one), jnp.asarray(seen)))[0]

    return seen, values


@pytest.mark.thorough
def test_terminals_are_turned_off_in_programs(othello):
    made, program, changed = othello
    seen, values = see(made, program, changed)
    at = {p.name: seen[p.feature] for p in changed.primitives.terminals if p.feature is not None}
    own, corners = at["own"], at["other_corners"]
    np.testing.assert_array_equal(values(changed.widened(program)), own * 10 + (corners - own))
    np.testing.assert_array_equal(values(changed.disabled(program, "own", "zero")), corners)
    for way in ("random", "elsewhere"):
        instead = at[f"own~{way}"]
        np.testing.assert_array_equal(values(changed.disabled(program, "own", way)), instead * 10 + (corners - instead))
        assert set(instead) <= set(range(17)), "values that the terminal takes"
        assert len(set(instead)) > 1
    assert changed.disabled(program, "other_edges", "zero") is None, "the program does not use it"
    (name, sign, plain), (_, turned, negative) = changed.alone("own")
    assert (name, sign, turned) == ("own", 1, -1)
    np.testing.assert_array_equal(values(plain), own)
    np.testing.assert_array_equal(values(negative), -own)
    assert len(set(values(changed.random()))) > 32, "positions have random values"
    again, _ = see(made, program, changed)
    np.testing.assert_array_equal(again, seen, "and always the same ones")


def cells(*some):
    names = ("part", "terminals", "way", "against", "score", "fall")
    return [dict.fromkeys(rows.COLUMNS, "") | dict(zip(names, map(str, one), strict=True)) for one in some]


def test_strength_is_the_mean_of_the_measures_that_there_are():
    found = rows.strengths(
        cells(
            ("single", "a", "+1", "x", 0.7, -0.2),
            ("single", "a", "-1", "x", 0.1, 0.4),
            ("disabled", "a", "zero", "x", 0.5, 0.1),
            ("disabled", "a", "random", "x", 0.3, 0.3),
            ("without", "a", "0", "x", 0.4, 0.1),
            ("single", "b 3", "+1", "x", 0.4, 0.1),
            ("single", "b 5", "+1", "x", 0.2, 0.3),
            ("disabled", "b", "zero", "decisions", 0.2, 0.9),
        )
    )
    assert [line["terminal"] for line in found] == ["a", "b"]
    assert found[0]["strength"] == pytest.approx((0.2 + 0.2 + 0.1) / 3)
    assert found[0]["sign turned"] == 0.1
    assert found[1]["strength"] == pytest.approx(-0.2), "the mean of its parameters; decisions are apart"


def test_pairs_are_compared_with_their_better_half():
    pairs = [
        dict(row, base="0.5", low="0.402", high="0.598")
        for row in cells(*[("pairs", "a+b", n, "x", s, "") for n, s in enumerate((0.6, 0.8))])
    ]
    (line,) = rows.synergies(pairs)
    assert (line["score"], line["best"]) == (pytest.approx(0.7), 0.8)
    assert line["synergy"] == pytest.approx(0.2)
    # The error of the mean of runs is 0.1, and that of each score 0.05, which counts twice: 0.2 is 1.633 errors.
    assert line["p"] == pytest.approx(0.1025, abs=1e-4)


def test_the_spread_of_players_without_a_terminal_is_known_from_those_without_others():
    scores = {"nothing": (0.9, 0.8), "a": (0.3, 0.4), "b": (0.85, 0.85)}
    runs = [("without", name, n, "x", score, "") for name, some in scores.items() for n, score in enumerate(some)]
    found = rows.needed(cells(*runs), "x")
    assert [line["terminal"] for line in found] == ["a", "b"]
    assert found[0]["fall"] == pytest.approx(0.5)
    assert found[1]["fall"] == pytest.approx(0)
    # Three kinds of two runs leave three degrees of freedom; squares sum to 0.005 + 0.005 + 0.
    assert found[0]["fall_high"] - 0.5 == pytest.approx(3.1824 * (0.01 / 3) ** 0.5, abs=1e-4)
    assert found[0]["p"] == pytest.approx(2 * 0.00322, rel=0.01), "twice, as there are two terminals"


def test_a_line_through_means_is_refuted_where_they_lie_off_it_by_more_than_runs_differ():
    straight = rows.straight({1: [0.1, 0.12], 2: [0.2, 0.22], 3: [0.3, 0.32]})
    assert straight.p == pytest.approx(1)
    bent = rows.straight({1: [0.1, 0.12], 2: [0.2, 0.22], 3: [0.8, 0.82]})
    assert (bent.between, bent.within) == (1, 3)
    # Off the line by -1/12, 1/6, -1/12, twice each; the spread within is 3 * 0.0002 / 3.
    assert bent.ratio == pytest.approx(2 * (1 / 144 + 1 / 36 + 1 / 144) / 0.0002)
    assert bent.p < 0.001
    assert rows.straight({1: [0.1], 2: [0.2], 3: [0.8]}) is None, "one run each"


def test_values_of_moves_are_compared_with_their_worth():
    values = np.array([[3, 3, 1, -np.inf], [0, 1, 2, 3]])
    worth = np.array([[5, 2, 1, -np.inf], [9, 1, 1, 1]])
    found = choices.agreement(values, worth)
    assert found.topped == 0.5, "in the first position a best move is among the two of the highest value"
    assert found.best == 0.25
    assert found.ties == 1.5
    assert found.random == pytest.approx((1 / 3 + 1 / 4) / 2)
    assert found.ranked == 2


@pytest.fixture
def analyse(capsys):
    script = load("analyse")

    def run(*options):
        code = script.main(["analysis=emergence", "compilation_cache=null", "cores=1", *options])
        return code, *capsys.readouterr()

    return run


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "run: which champion? Write run=DIR, a run directory"),
        (("run={run}", "parts=[single,whole]"), "parts=[single,whole]: accepted: some of single, disabled, moves"),
        (("run={run}", "ways=[]"), "ways=[]: accepted: some of zero, random, elsewhere, each once"),
        (("run={run}", "panel=nobody"), "panel=nobody: accepted: backgammon, checkers"),
        (("run={run}", "panel=othello", "against=[nobody]"), "against=nobody: accepted: edgar, random_moves"),
        (("run={run}", "games=1"), "games=1: accepted: a whole number from 2"),
    ],
)
def test_mistakes_are_one_line(analyse, tmp_path, options, said):
    run = write_run(tmp_path, OTHELLO, PROGRAM)
    code, out, err = analyse(*(one.format(run=run) for one in options))
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_a_champion_is_taken_apart_and_the_command_goes_on(analyse, tmp_path):
    run = write_run(tmp_path, OTHELLO, PROGRAM)
    words = f"run={run}", "panel=othello", "against=[random_moves]", "games=4", "positions=50", "truth=2", "plies=3"
    code, out, err = analyse(*words)
    assert code == 0
    assert "seconds of CPU" in err, "the price comes first"
    assert "play the same moves at" in out
    table = run / "emergence" / "emergence.csv"
    before = table.read_text("utf-8")
    assert before.count("\nsingle,") == 2 * 8, "eight terminals with both signs"
    assert before.count("\ndisabled,") == 2 * 3, "two terminals in three ways"
    moves = (run / "emergence" / "moves.csv").read_text("utf-8").splitlines()
    assert sum(line.endswith(",1") for line in moves) == 3, "one move of each ply is played"
    assert "Terminals, by games" in (run / "emergence" / "report.md").read_text("utf-8")
    code, _, err = analyse(*words, "parts=[single,disabled]")
    assert code == 0
    assert table.read_text("utf-8") == before, "nothing is measured twice"


@pytest.mark.slow
def test_wrong_terminals_and_parts_are_refused_before_games(analyse, tmp_path):
    run = write_run(tmp_path, OTHELLO, PROGRAM)
    words = f"run={run}", "panel=othello", "against=[random_moves]"
    assert "terminals=ownn: accepted: " in analyse(*words, "terminals=[ownn]")[2]
    assert "accepted: a run directory" in analyse(*words, "parts=[without]")[2]
    weak = analyse(*words, "parts=[groups,single]")[2]
    assert "parts=[groups,single]: nothing is known of the strength of terminals" in weak


@pytest.mark.slow
def test_players_are_evolved_without_terminals_and_from_pairs(analyse, tmp_path):
    """Each run is one of `scripts/train.py`; the command goes on where one has ended."""
    run = tmp_path / "run"
    words = "game=othello", "game.size=4", "algorithm.population=8", "algorithm.generations=1", "algorithm.capacity=32"
    words += "fitness=chance", "algorithm.creation.max_depth=3", "logger=disabled", "cores=1"
    assert train(*words, "compilation_cache=null", f"hydra.run.dir={run}") == 0
    asked = f"run={run}", "panel=othello", "against=[random_moves]", "games=4", "terminals=[own,other]", "replicates=1"
    code, _, err = analyse(*asked, "parts=[without,pairs,groups]", "best=2", "step=1")
    assert code == 0
    assert "without: 3 runs, about 0.0" in err
    rows = [line.split(",") for line in (run / "emergence" / "emergence.csv").read_text("utf-8").splitlines()]
    made = {(row[0], row[2]) for row in rows[1:]}
    sizes = {("groups", f"{how} {size}") for how in GROUPS for size in (1, 2)}
    assert made == {("without", "nothing"), ("without", "own"), ("without", "other"), ("pairs", "own+other"), *sizes}
    assert (run / "emergence" / "figures" / "groups_0.svg").is_file()
    runs = run / "emergence" / "runs"
    alone = tmp_path / "alone"
    given = *words, "compilation_cache=null", "algorithm.left_out=[own]"
    assert train(*given, "seed=0", f"hydra.run.dir={alone}") == 0
    found, known = (
        json.loads((folder / "champion.json").read_text("utf-8")) for folder in (runs / "without_own" / "0", alone)
    )
    assert found == known, "as if it were alone"
    champion = (runs / "pairs_own+other" / "0" / "champion.json").read_text("utf-8")
    assert "corners" not in champion.split('"text"')[1].split('"size"')[0]
