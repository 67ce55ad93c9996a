"""Rules that fire and moves that are optimal, of champions that are written here."""

import csv

import pytest

import envs
from envs.walls.rules import Walls
from jaxgp.config import arguments
from jaxgp.measure import champions
from studies.measure import walls_rules as study
from studies.walls_solve import Solver
from tests.reference import walls as reference
from tests.scripts.commands import write_run
from tests.studies.test_walls_solve import final_lead

SHORT = {"name": "walls", "size": 3, "stall": 3}
TURNS = "- 0 - / - N - / - - - : try-forward\n# # # / - N - / - - - : turn-left\n- A - / - N - / - - - : turn-right"


@pytest.fixture
def run_directory(tmp_path):
    """Forward into empty squares, left where the edge is ahead, and else the default, which is forward."""
    return write_run(tmp_path, SHORT, TURNS, {"mask": 3, "matching": "symmetric"})


def test_moves_are_counted_by_the_rule_that_fired(run_directory):
    loaded = champions.load(str(run_directory), envs)
    made = study.observe(loaded, "forward", 2, 0)
    moves = sum(made.fires.values())
    assert made.fires[1] > 0, "at the beginning the edge is ahead"
    assert set(made.fires) <= {-1, 0, 1, 2}
    assert moves >= len(made.positions) > 3
    (own, other), first = next(iter(made.positions.items()))
    assert (own.bricks, other.bricks, first) == (0, 0, 1)
    solver = Solver(loaded.cast.game)
    assert not any(solver.ended(*pair) for pair in made.positions)


def test_an_action_is_best_if_it_keeps_the_value_of_exhaustive_minimax():
    solver = Solver(Walls(3, stall=2))
    own, other = solver.opening
    position = reference.start(3, limit=2)
    lead = final_lead(position)
    best = [
        move
        for move, name in enumerate(reference.moves(position))
        if final_lead(reference.play(position, name)) == lead
    ]
    assert solver.best(own, other) == best
    assert 0 < len(best) < 3


def test_the_command_adds_a_row_for_each_opponent(run_directory, tmp_path, capsys):
    words = [f"runs=[{run_directory}]", "games=4", f"table={tmp_path / 't.csv'}"]
    assert arguments.main(study.Options, study.task, study.__doc__, words) == 0
    said = capsys.readouterr().out.strip().split("\n")
    fixed, chance = csv.DictReader((tmp_path / "t.csv").open())
    assert (fixed["opponent"], fixed["games"], chance["opponent"], chance["games"]) == ("fixed", "2", "random", "4")
    for row, line in zip((fixed, chance), said, strict=True):
        fires = sum(int(pair.partition(":")[2]) for pair in row["fires"].split())
        assert fires + int(row["default"]) == int(row["moves"])
        assert 0 < int(row["optimal_choices"]) <= int(row["choices"]) <= int(row["positions"])
        assert f"{row['optimal_choices']} of {row['choices']} moves that matter are optimal" in line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "runs: which champions?"),
        (["runs=[x]", "opponents=[nobody]"], "opponents=nobody: accepted: fixed, forward, random"),
        (["runs=[nowhere]"], "runs=nowhere: no such file or directory"),
    ],
)
def test_wrong_options_are_one_line(capsys, words, said):
    assert arguments.main(study.Options, study.task, study.__doc__, words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
