"""The study's printed programs under variants of rules and readings: against the engine and against plain Python."""

import csv

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.mancala import primitives
from jaxgp.config import arguments
from jaxgp.genotypes.text import parse_program
from jaxgp.interpreter.evaluate import evaluate_programs
from studies.measure import mancala_printed as study
from tests.envs.replays import FAST, KEY
from tests.reference import kalah as reference

TREES = study.load(study.PRINTED)
TEXTS = [line for line in study.PRINTED.read_text().splitlines() if line.startswith("(")]


def test_the_study_prints_two_programs_of_74_and_80_nodes():
    def nodes(tree):
        return 1 if isinstance(tree, int) else 1 + sum(map(nodes, tree[1:]))

    assert [nodes(tree) for tree in TREES] == [74, 80]


@pytest.mark.parametrize("outside", study.OUTSIDE)
def test_values_and_moves_are_those_of_the_engine(outside):
    game, rng = envs.make("mancala"), np.random.default_rng(0)
    boards = rng.multinomial(48, [1 / 14] * 14, 50)
    boards[:, 0] += boards[:, 1:6].sum(1) == 0  # the mover has a stone
    language = primitives.primitive_set(game, primitives.Options(value_at_out_of_range=outside))
    programs = jax.tree.map(lambda *x: np.stack(x), *(parse_program(language, text, 128) for text in TEXTS))
    values = np.asarray(evaluate_programs(language, programs, jnp.asarray(boards.T, jnp.float32)))[:, 0]
    assert values.tolist() == [[study.value(tree, board.tolist(), outside) for board in boards] for tree in TREES]
    start = game.init(KEY)
    for view, move in ((v, m) for v in study.VIEWS for m in study.MOVES):
        options = primitives.Options(view=view, value_at_out_of_range=outside, move=move)

        def decided(board, seat, value, options=options):
            state = start.replace(board=board, to_move=seat)
            return primitives.decide(game, options, state, value[None])

        for seat in (0, 1):
            seen = np.roll(boards, 7, 1) if view == "absolute" and seat else boards
            of = [study.value(TREES[0], board.tolist(), outside) for board in seen]
            arrays = jnp.asarray(boards, jnp.int8), jnp.full(50, seat), jnp.asarray(of, jnp.float32)
            pits, legal = jax.jit(jax.vmap(decided), compiler_options=FAST)(*arrays)
            expected = [int(pit) if ok else None for pit, ok in zip(pits, legal, strict=True)]
            reads = study.Reading(view, outside, move)
            assert [reads.choose(TREES[0], board.tolist(), seat) for board in boards] == expected


def played(tree, reads, seat, depth, rules):
    """Points of the program and of its opponent, in plain Python: minimax of `depth`, the first of its best moves."""
    position = reference.start()
    while moves := reference.moves(position, rules):
        board, mover = position
        if mover == seat:
            pit = reads.choose(tree, [*board[mover], *board[1 - mover]], seat)
        else:
            pit = best(position, depth, moves)
        position = reference.play(position, pit, rules)
    return position[0][seat][-1], position[0][1 - seat][-1]


def best(position, depth, moves):
    values = reference.move_values(position, depth)
    return max(moves, key=lambda pit: (values[pit], -pit))


def test_games_are_those_of_plain_python(tmp_path, capsys):
    words = ["depth=2", "capture=[opposite]", "extra_turn=[true]", "ends=[either]", "remaining=[owner]"]
    words += ["view=[own]", "value_at_out_of_range=[zero,modulo]", "move=[next_nonempty]", f"table={tmp_path}/t.csv"]
    assert arguments.main(study.Options, study.task, study.__doc__, words) == 0
    rows = list(csv.DictReader((tmp_path / "t.csv").open()))
    assert len(rows) == 4
    for row in rows:
        reads, tree = study.Reading(*(row[name] for name in study.READINGS)), TREES[int(row["program"]) - 1]
        for seat, name in enumerate(("first", "second")):
            points = played(tree, reads, seat, 2, reference.STANDARD)
            assert (int(row[name]), int(row[f"{name}_against"])) == points
    assert "of 2 combinations" in capsys.readouterr().out
    assert arguments.main(study.Options, study.task, study.__doc__, words) == 0, "nothing is computed again"
    assert capsys.readouterr().err == ""


def test_a_win_from_both_seats_is_more_points_than_the_search_and_no_forfeit():
    row = {"first": "27", "first_against": "21", "second": "25", "second_against": "23", "forfeits": "0"}
    assert study.won(row)
    assert not study.won(row | {"second_against": "25"})
    assert not study.won(row | {"forfeits": "1"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(ADD 1", "it ends too early"),
        ("(ADD 1)", "ADD has 2 arguments"),
        ("(MUL 1 2)", "MUL: no function of the study"),
        ("1 2", "something stands after its end"),
        ("(ADD x 1)", "invalid literal"),
    ],
)
def test_what_is_no_program_is_named(tmp_path, capsys, text, said):
    (tmp_path / "p.txt").write_text(f"# remark\n{text}\n")
    assert arguments.main(study.Options, study.task, study.__doc__, [f"programs={tmp_path / 'p.txt'}"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: programs=")
    assert said in error
    assert error.count("\n") == 1
