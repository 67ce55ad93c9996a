"""The tables of docs/league.md, made from a few games that are written here."""

import numpy as np
import pytest

from jaxgp.errors import UsageError
from jaxgp.league.crosstable import CrossTable
from tables import leagues

NAMES = [f"{start}.jsonl#{seed}" for start in leagues.BRACKETS["mancala_league"] for seed in range(4)]
BRACKETS = [name for name in leagues.BRACKETS["mancala_league"].values() for _ in range(4)]


def lines(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")]


def fresh(run, wins):
    """A row of 100 games against random programs."""
    number = {"games": "100", "wins": str(wins), "draws": "0", "effective": "100", "seed": "1"}
    return {"run": f"champions/{run}", "game": "mancala", "opponent": "program", "player": run} | number


@pytest.fixture
def games():
    """The earlier of two players in the list wins both games, whatever the seat; fitness is the other way round."""
    count = len(NAMES)
    order = np.arange(count)
    results = np.where(order[:, None] < order, 1, -1).astype(np.int8)[..., None]
    table = CrossTable(results * (1 - np.eye(count, dtype=np.int8))[..., None], 1 - np.eye(count, dtype=np.int32))
    return leagues.Games(NAMES, BRACKETS, [float(place) for place in order], table)


def test_brackets_stand_beside_each_other_with_intervals(games):
    found = lines(leagues.brackets(games))
    assert [line[0] for line in found[2:]] == ["default", "run1", "run2"]
    assert found[2][5:] == ["-", "100.0 % (100.0 to 100.0)", "100.0 % (100.0 to 100.0)"]
    assert found[3][5] == "0.0 % (0.0 to 0.0)"
    assert found[2][3].startswith("100 (96 to 100 %)"), "of 100 leagues"


@pytest.mark.thorough
def test_the_star_is_measured_again_on_others(games):
    rows = [fresh(name, 90 if place == 1 else 60 - place) for place, name in enumerate(NAMES)]
    star = lines(leagues.again(games, rows))[2]
    # Wilson's interval of 60 of 100 games is 50.2 to 69.1 %.
    assert star == [
        "the star, default seed 0",
        "100.0 % (100.0 to 100.0)",
        "1 of 12",
        "60.0 % (50.2 to 69.1)",
        "100",
        "2 of 12",
    ]


def test_correlations_are_one_family(games):
    found = lines(leagues.correlations(games))
    assert [line[:3] for line in found[2:]] == [
        ["all", "12", "12"],
        ["bracket default", "4", "4"],
        ["bracket run1", "4", "4"],
        ["bracket run2", "4", "4"],
    ]
    assert all(line[3].startswith("-1.00") for line in found[2:])


@pytest.mark.thorough
def test_a_ranking_has_no_circles(games):
    found = dict(lines(leagues.facts(games))[2:])
    assert found["games"] == "132"
    assert next(value for name, value in found.items() if "circles" in name) == "0, 0.0 % (0.0 to 0.0)"


def test_damaged_games_are_one_line(tmp_path):
    (tmp_path / "mancala_league.json").write_text('{"players": [{"source": "x/mancala.jsonl#0"}], "results": [[]]}')
    with pytest.raises(UsageError, match="it is damaged, or a champion that it names is missing"):
        leagues.load(tmp_path, "mancala_league")
