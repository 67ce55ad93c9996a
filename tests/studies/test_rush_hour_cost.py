"""What a generation of policies costs: the fit, wrong options, and a small measurement."""

import csv

import pytest

from jaxgp.config import arguments
from studies.rush_hour import cost as study
from studies.rush_hour.cost import Cost, Options


def costs(power):
    return [Cost(p, b, p * b * 100, 0.01 * (p * b) ** power, 1.0) for p in (10, 100) for b in (2, 20, 200)]


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_the_slope_is_the_power_of_the_searches(power):
    assert study.slope(costs(power)) == pytest.approx(power)


def test_the_picture_has_a_line_for_each_number_of_boards_and_logarithmic_axes():
    (axis,) = study.picture(costs(1.0), "title").axes
    assert [line.get_label() for line in axis.get_lines()] == ["2 boards", "20 boards", "200 boards"]
    assert [list(line.get_xdata()) for line in axis.get_lines()] == [[10, 100]] * 3
    assert (axis.get_xscale(), axis.get_yscale()) == ("log", "log")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("boards=[0]", "boards=[0]: accepted: whole numbers from 1 to 300"),
        ("search=best", "search=best: accepted: deepening, astar, greedy"),
    ],
)
def test_wrong_options_are_named(given, said, capsys):
    assert arguments.main(Options, study.task, "", [given]) == 2
    assert capsys.readouterr().err.startswith(f"error: {said}")


@pytest.mark.slow
def test_a_small_measurement_is_written(tmp_path, capsys):
    words = ["populations=[3]", "boards=[2,4]", "limit=300", "repeats=1", "search=greedy", f"output={tmp_path}"]
    assert arguments.main(Options, study.task, "", words) == 0
    with (tmp_path / "cost.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["boards"] for row in rows] == ["2", "4"]
    assert all(3 * int(row["boards"]) <= int(row["nodes"]) <= 3 * 300 * int(row["boards"]) for row in rows)
    assert (tmp_path / "cost.svg").read_text().startswith("<?xml")
