"""What a generation costs by the population: the script at a very small size, and the tables made from its rows."""

import pytest

from jaxgp.config import arguments
from jaxgp.store.table import CSVTable
from studies.growth import populations as study
from studies.growth.populations import COLUMNS, Options
from tables.speed import populations as tables

ROW = dict.fromkeys(COLUMNS, "0") | {"game": "walls", "options": "a=1", "compile_seconds": "7.4"}


def rows(*measured):
    """Rows of populations and CPU-seconds, with two games for each individual."""
    made = [
        ROW | {"population": str(size), "games": str(2 * size), "cpu_seconds": str(seconds)}
        for size, seconds in measured
    ]
    return {"populations": made}


def test_seconds_are_a_part_of_the_generation_and_a_part_of_each_individual():
    found = tables.sizes(rows((64, 0.164), (1024, 1.124), (256, 9.0), (256, 0.356)))["walls", "a=1"]
    assert [one.population for one in found] == [64, 256, 1024]
    assert tables.line(found) == pytest.approx((0.1, 0.001))
    growing = tables.sizes(rows((1, 1.0), (10, 20.0)))["walls", "a=1"]
    assert tables.line(growing)[0] == 0.0


def test_a_rate_in_proportion_to_the_population_has_slope_one():
    one, other, third = tables.sizes(rows((64, 0.5), (256, 0.5), (1024, 2.0)))["walls", "a=1"]
    assert tables.slope(one, other) == pytest.approx(1)
    assert tables.slope(other, third) == pytest.approx(0)


def test_the_tables_have_a_line_for_each_population_and_one_for_each_game():
    found = rows((64, 0.5), (256, 0.5))
    assert tables.measured(found).splitlines()[-1] == "| Walls | 256 | 512 | 0.5 | 1,024 | 1.00 | 0 MiB | 0 MiB | 7 s |"
    assert tables.saturation(found).splitlines()[-1].endswith("| 1,024 | 256 |")
    assert len(tables.saturation(rows((64, 0.5))).splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [(["populations=[0]"], "populations=[0]: accepted: whole numbers from 1"), (["game=shogi"], "shogi")],
)
def test_a_wrong_option_is_named(capsys, tmp_path, words, said):
    words = [*words, f"table={tmp_path / 'table.csv'}"]
    assert arguments.main(Options, study.task, study.__doc__, words) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_each_population_adds_a_row_until_one_would_take_too_long(capsys, tmp_path):
    path = tmp_path / "new" / "table.csv"
    tiny = "game.pits=3,algorithm.capacity=64,fitness.opponents.minimax.depth=2,fitness.lanes=8"
    words = ["populations=[8,16,1000000]", "generations=1", f"options=[{tiny}]", "seconds=20", f"table={path}"]
    assert arguments.main(Options, study.task, study.__doc__, words) == 0
    found = CSVTable(path, COLUMNS).read()
    assert [row["population"] for row in found] == ["8", "16"]
    assert [row["games"] for row in found] == ["16", "32"]
    assert "1,000,000: left out, it would take about" in capsys.readouterr().out
