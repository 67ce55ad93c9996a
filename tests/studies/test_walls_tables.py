"""The tables of docs/results/walls.md, made from a few rows that are written here."""

import sys

import pytest

from jaxgp.errors import UsageError
from jaxgp.study import curves
from studies.growth import report
from studies.measure import walls_rules
from tests.scripts.commands import SCRIPTS
from tests.studies.test_checkers_tables import lines

sys.path.insert(0, str(SCRIPTS))
from tables import walls

EMPTY = walls.Data(*([] for _ in walls.Data._fields))


def text(names, *values):
    return dict(zip(names, map(str, values), strict=True))


def test_tables_without_rows_say_so():
    for name, made in walls.TABLES.items():
        assert "no rows yet" in made(EMPTY).lower(), name


def test_games_of_the_fixed_strategy_are_shown_by_seat():
    names = walls.walls_arena.COLUMNS
    rows = [text(names, "random moves", 3, "first", 9, 1, 0, 0), text(names, "random moves", 3, "second", 8, 0, 2, 0)]
    assert lines(walls.arena(EMPTY._replace(arena=rows)))[2:] == [["random moves", "3", "9 + 1 + 0", "8 + 0 + 2"]]


def test_an_exponent_with_a_wide_interval_is_no_formula():
    exact = [text(walls.TIMES, "exact", n, 1000 * n**2, 1, 2) for n in (3, 5, 7)]
    wild = [text(walls.TIMES, "wild", n, ms, 1, 2) for n, ms in ((3, 1), (5, 100), (7, 3))]
    found = {line[0]: line[1:] for line in lines(walls.laws(EMPTY._replace(times=exact + wild)))[2:]}
    assert found["exact"] == ["2.00 (2.00 to 2.00)", "1.000", found["exact"][2], "1 N^2.00"]
    assert found["wild"][-1] == "none: the interval is wider than 1"


def test_counts_grow_by_size_and_own_times_stand_beside_those_of_games():
    def row(size):
        values = ("list", size, 50, size, size**2, "readings compared", 0.004, 0, 0, 0.001, 0, 0)
        return text(report.COLUMNS, *values)

    data = EMPTY._replace(scaling=[row(size) for size in (3, 5, 7)])
    moves, readings = lines(walls.counts(data))[2:]
    assert moves == ["list", "own moves", "3", "5", "7", "", "", "1.00 (1.00 to 1.00)"]
    assert readings[1:5] == ["readings compared", "9", "25", "49"]
    assert lines(walls.own(data))[2][1:4] == ["1 of 4"] * 3


def test_games_at_once_are_shown_by_their_number_with_the_median_of_the_repeats():
    def row(games, repeat, seconds):
        return text(walls.walls_scaling.COLUMNS, "fixed", 5, games, repeat, seconds, 0, 1.5, 2, "", "")

    rows = [row(1000, 0, 1e-5), row(1, 0, 2e-3), row(1, 1, 1.5e-4), row(1, 2, 9.25e-5)]
    found = lines(walls.batches(EMPTY._replace(batches=rows)))
    assert found[0] == ["games at once", "1", "1,000"]
    assert found[2] == ["microseconds for each game: median (range)", "150 (92.5 to 2,000)", "10.0 (10.0 to 10.0)"]


def test_runs_are_shown_with_the_games_that_a_success_takes():
    rows = []
    for seed, cycles in enumerate((2, 3)):
        for at in range(cycles):
            row = dict.fromkeys(curves.COLUMNS, "") | {"title": "Walls N = 5", "seed": seed, "generation": at}
            row |= {"evaluations": 100 * (at + 1), "beaten": int(at == cycles - 1), "mean_size": 20 + seed}
            rows.append({name: str(value) for name, value in row.items()})
    found = lines(walls.evolved(EMPTY._replace(curves=rows), walls.DEFAULT))[2]
    assert found[:3] == ["5", "2 of 2 (34 to 100 %)", "2.5 (2 to 3)"]
    assert found[3] == "250 (200 to 300)"
    assert found[4] == "2 to 3"
    assert found[5].startswith("20.5 (")


def test_rules_that_fire_are_means_over_champions():
    def row(number, fires, choices="", best=""):
        about = ("N = 3", "r", number, "d", 3, 10, "fixed", 2, 0, 50, 5, fires, 20, best, choices, best)
        return text(walls_rules.COLUMNS, *about)

    rows = [row(0, "1:25 2:20", 8, 6), row(1, "3:45", 10, 10)]
    found = lines(walls.fired(EMPTY._replace(rules=rows)))[2]
    assert found[:3] == ["N = 3", "2", "fixed"]
    assert [cell.split(" ")[0] for cell in found[3:6]] == ["15.0", "70.0", "10.0"]
    assert found[6].endswith("; 75 to 100")
    assert lines(walls.fired(EMPTY._replace(rules=[row(0, "1:45")])))[2][6] == ""


def test_a_damaged_time_of_games_at_once_is_named(tmp_path):
    names = list(walls.walls_scaling.COLUMNS)
    (tmp_path / "walls_batches.csv").write_text(",".join(names) + "\nfixed,5,1,0,soon,0,1.5,2,,\n")
    with pytest.raises(UsageError, match="walls_batches: a cell is not the number that it should be"):
        walls.parts(tmp_path)["walls_batches"]()


def test_a_damaged_cell_is_named(tmp_path):
    (tmp_path / "walls_times.csv").write_text(",".join(walls.TIMES) + "\nfixed,x,1,1,1\n")
    with pytest.raises(UsageError, match="walls_laws: a cell is not the number that it should be"):
        walls.parts(tmp_path)["walls_laws"]()
