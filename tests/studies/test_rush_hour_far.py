"""The command that makes boards whose shortest solutions are long."""

import random
import shutil

import pytest

from envs.rush_hour import boards, plain
from envs.rush_hour.mutation import embed
from jaxgp.config import arguments
from studies.rush_hour import far
from tests.reference import rush_hour as reference

FULL = embed(boards.find("JAM01"), far.SIZE)


@pytest.mark.parametrize("most", [0, 3, far.GAME.vehicles])
def test_vehicles_are_put_at_free_places_only(most):
    made = far.park(FULL.vehicles, most, random.Random(0))
    assert boards.parse(made.text) == made  # no two overlap, and nothing stands in the row of X that was not there
    added = len(made.vehicles) - len(FULL.vehicles)
    assert added == most if most < 4 else 4 < added <= most
    assert made.vehicles[0] == FULL.vehicles[0]


def test_a_change_never_takes_x_off():
    rng, board = random.Random(1), FULL
    for _ in range(50):
        board = far.change(board, rng)
        assert board.vehicles[0] == FULL.vehicles[0]
        assert boards.parse(board.text) == board


def fewest_moves(cells):
    """The rules in plain Python, level by level."""
    board, size = reference.read(cells)
    level, seen, moves = [board], {tuple(board.values())}, 0
    while not any(plain.is_solved(one, size) for one in level):
        after = [plain.play(one, slide) for one in level for slide in plain.slides(one, size, "moves")]
        level = [one for one in {tuple(one.values()): one for one in after}.values() if tuple(one.values()) not in seen]
        seen |= {tuple(one.values()) for one in level}
        moves += 1
    return moves


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_the_moves_of_a_board_are_the_fewest_and_the_seed_decides(tmp_path):
    files = [tmp_path / "first.txt", tmp_path / "second.txt"]
    for file in files:
        options = ["seed=2", "boards=10", "steps=6", "limit=600", "least=2", f"save={file}"]
        assert arguments.main(far.Options, far.task, far.__doc__, options) == 0
    assert files[0].read_text() == files[1].read_text()
    head, *lines = files[0].read_text().splitlines()
    assert head.endswith("far.py seed=2 boards=10 steps=6 limit=600 least=2")
    assert lines
    for line in lines:
        _, cells, moves, _ = line.split()
        assert int(moves) >= 2
        assert fewest_moves(cells) == int(moves)
