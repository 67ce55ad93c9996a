"""Several seeds in one program beside processes of their own: the script, at a very small size."""

import pytest

from jaxgp.config import arguments
from studies import seeds as study
from studies.seeds import Options

TINY = [
    "game.pits=3",
    "game.stones=2",
    "algorithm.capacity=64",
    "fitness.opponents.minimax.depth=2",
    "fitness.table_size=1024",
    "fitness.lanes=8",
    "fitness.max_plies=60",
]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["seeds=1"], "seeds=1: accepted: a whole number from 2 to 1000"),
        (["devices=0"], "devices=0: accepted: a whole number from 1"),
        (["game=shogi"], "game=shogi: unknown choice"),
    ],
)
def test_a_wrong_option_is_named(capsys, words, said):
    assert arguments.main(Options, study.task, study.__doc__, words) in (1, 2)
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_both_ways_give_the_same_records(capsys):
    words = ["seeds=2", "population=12", "generations=3", "devices=2", f"options=[{','.join(TINY)}]"]
    assert arguments.main(Options, study.task, study.__doc__, words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 processes")
    assert lines[1].startswith("one program, 2 devices")
    assert lines[2].startswith("equal records: 2 of 2")
