"""The evaluator that the documents tell of is there, and is what they say."""

from pathlib import Path

import pytest

import envs
from envs.othello import export
from envs.othello.primitives import numbers
from jaxgp.analysis import champions
from jaxgp.analysis import export as analysis

CHAMPION = Path(__file__).parents[3] / "docs" / "reversi_champion.json"


def test_the_champion_of_the_documents_counts_moves_corners_and_a_little_x_squares():
    loaded = champions.load(str(CHAMPION), envs)
    game, settings = loaded.table.game, loaded.table.settings
    names = numbers(game, settings)
    equations = analysis.python(loaded.table.primitives, loaded.genome, export.FEATURES)
    module = {}
    exec(export.python(game, settings, equations), module)
    boards = [
        "XO......" + "OX......" + "........" + "...OX..." + "...XO..." + "........" + "........" + ".......X",
        "........" + ".O......" + "..XXX..." + "...OX..." + "..OXO..." + "...O...." + "......X." + "........",
    ]
    for drawing in boards:
        board = [{"X": 1, "O": -1, ".": 0}[mark] for mark in drawing]
        seen = module["see"](board)
        count = dict(zip(names, seen[-len(names) :], strict=True))
        moves, corners, x_squares = (count[name] for name in ("Mobility", "CornerCount", "XSquareCount"))
        worth = moves + (3.9140873 + 0.96552044) * corners - 0.05978763 * x_squares
        assert module["evaluate"](seen) == pytest.approx(worth)
    assert game.size == 8
    assert settings.depth == 2
