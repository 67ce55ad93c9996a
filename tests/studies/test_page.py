"""Measurements of the page: what the script refuses, and the tables made from its rows."""

from jaxgp.config import arguments
from studies.page import measure
from tables.speed import page


def rows(*found):
    return {
        "page": [dict.fromkeys(measure.COLUMNS, "1") | dict(zip(measure.COLUMNS, one, strict=False)) for one in found]
    }


def test_times_have_medians_and_name_what_is_missed():
    data = rows(
        *(("stop", "x", value, "") for value in ("0.1", "0.2", "5")),
        ("page up", "", "4", ""),
        ("first reply", "walls", "9", "compiling thinking"),
        ("memory", "server", "99", ""),
    )
    _, _, stop, up, first = page.times(data).splitlines()
    assert stop.startswith("| stop, x | 3 | 0.20 | 5.00 | 1 |")
    assert up.startswith("| page up | 1 | 4.00: missed |")
    assert "| compiling, thinking |" in first
    assert page.memory(data).splitlines()[2:] == ["| server | 99 |"]


def test_pairs_of_runs_have_ratios():
    cases = (("watched", "2"), ("not watched", "4"), ("watched", "4"), ("not watched", "4"))
    _, _, *lines = page.watching(rows(*((what, *case) for what in page.RATES for case in cases))).splitlines()
    assert [line.split(" | ")[-1] for line in lines] == ["0.500 |", "1.000 |", "0.750 |"] * 2


def test_another_part_is_refused_before_anything_is_measured(capsys, tmp_path):
    words = ["parts=[up,down]", f"table={tmp_path / 'table.csv'}"]
    assert arguments.main(measure.Options, measure.task, measure.__doc__, words) == 2
    assert "parts=[down]: accepted: up, first, reply" in capsys.readouterr().err.replace("'", "")
    assert not list(tmp_path.iterdir())
