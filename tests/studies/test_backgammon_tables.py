"""The tables of docs/results/backgammon.md: which rows they take, their means, and what they say of damaged rows."""

import importlib

import pytest

from jaxgp.errors import UsageError
from jaxgp.measure import games
from jaxgp.store.table import Table
from tests.scripts.commands import SCRIPTS


@pytest.fixture
def backgammon(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    return importlib.import_module("tables.backgammon")


def row(experiment, run_seed, wins, seed="1001", opponent="strategy name=pubeval", player="champion 1", played="100"):
    given = {"experiment": experiment, "run_seed": str(run_seed), "wins": str(wins), "seed": seed}
    given |= {"opponent": opponent, "player": player, "games": played, "low": "0.5", "high": "0.7"}
    return {name: given.get(name, "") for name in games.COLUMNS}


def rows(backgammon):
    made = [row(name, seed, wins) for name in backgammon.EXPERIMENTS for seed, wins in ((1, 40), (0, 20))]
    made = [{**one, "wins": str(int(one["wins"]) + 30 * (one["experiment"] == backgammon.LEARNING))} for one in made]
    other = [row("backgammon_lessons", 0, 99, seed="5"), row("backgammon_lessons", 0, 99, opponent="random")]
    return [*made, *other, row("backgammon", "", 12000, player="strategy name=network", played="20000")]


def test_runs_are_listed_by_seed_with_the_mean_and_its_interval(backgammon):
    lines = backgammon.experiments(rows(backgammon)).splitlines()
    assert lines[4].split(" | ")[2:] == ["20.0, 40.0", "30.0 (-97.1 to 157.1) % |"]
    assert lines[5].split(" | ")[2:] == ["50.0, 70.0", "60.0 (-67.1 to 187.1) % |"]
    assert "60.0 % (50.0 to 70.0)" in lines[6]


def test_the_last_experiment_is_compared_with_the_others_as_one_family(backgammon):
    lines = backgammon.comparisons(rows(backgammon)).splitlines()
    assert [line.split(" | ")[1] for line in lines[2:]] == ["1.00"] * 3
    # Two runs beside two: p = 1/3, times three.
    assert [line.split(" | ")[2] for line in lines[2:]] == ["1.000 |"] * 3


def test_damaged_rows_are_told_in_one_line(backgammon, tmp_path):
    damaged = [{**one, "wins": "many"} for one in rows(backgammon)]
    Table(tmp_path / "backgammon_games.csv", games.COLUMNS).extend(damaged)
    with pytest.raises(UsageError, match="backgammon_experiments: rows are missing, or a cell is no number"):
        backgammon.parts(tmp_path)["backgammon_experiments"]()
