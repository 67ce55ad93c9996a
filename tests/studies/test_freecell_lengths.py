"""Three counts of the moves of a solution of FreeCell."""

import importlib

import pytest

from envs.freecell.plain import Board, Move
from envs.freecell.rules import FreeCell
from tests.scripts.commands import SCRIPTS


@pytest.fixture
def lengths(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("studies.freecell.lengths").lengths


def board():
    """Clubs and diamonds are home, hearts to the ten, spades to the jack; the queen of hearts is in a cell."""
    cascades = [["KH"], ["KS", "QS", "JH"], *([] for _ in range(6))]
    return Board(cascades, ["QH", None, None, None], {"C": 13, "D": 13, "H": 10, "S": 11})


def test_cards_that_move_together_are_one_move_or_twice_their_number_less_one(lengths):
    moves = [Move("2", "1", 2), *(Move(source, "h") for source in ("1", "a", "1", "2", "1"))]
    assert lengths(FreeCell(), board(), moves) == (6, 6, 8)


def test_cards_that_go_home_by_themselves_are_moves_by_two_of_the_counts(lengths):
    """After the jack of hearts all other cards are safe."""
    assert lengths(FreeCell(autoplay="safe"), board(), [Move("2", "h")]) == (1, 5, 5)


def test_moves_that_solve_nothing_are_refused(lengths):
    with pytest.raises(ValueError, match=r"^the moves do not solve it$"):
        lengths(FreeCell(), board(), [Move("2", "h")])
