"""The table of docs/islands.md: which rows it takes, and what it says of two arrangements."""

import importlib

import pytest

from jaxgp.measure import games
from tests.scripts.commands import SCRIPTS


@pytest.fixture
def tables(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("tables.islands")


def row(name, seed, wins, opponent="one"):
    given = {"run": f"docs/data/champions/{name}_{seed}.json", "opponent": opponent, "games": "100"}
    given |= {"wins": str(wins), "draws": "0", "losses": str(100 - wins), "score": str(wins / 100), "effective": "100"}
    return dict.fromkeys(games.COLUMNS, "") | given


def test_champions_of_both_arrangements_are_compared(tables):
    rows = [row("othello_islands", seed, 60 + seed) for seed in (0, 2)]
    rows += [row("othello_original", seed, wins, name) for seed in (0, 2) for name, wins in (("one", 40), ("two", 60))]
    line = tables.islands(rows).splitlines()[2]
    assert line.startswith("| Othello | 2 and 2 | 61.0 % (48.3 to 73.7) | 50.0 % (50.0 to 50.0) | 1.00 ")
    assert len(tables.islands(rows).splitlines()) == 3


def test_without_champions_of_both_there_is_no_line(tables):
    assert tables.islands([row("othello_islands", 0, 60), row("elsewhere", 0, 50)]) == tables.NONE
