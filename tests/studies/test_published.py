"""The table of published figures: verdicts follow from intervals, and our figures stand on the pages that rows name."""

import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import pytest

from tables import published
from tables.shared.data import Data

DOCS = Path(__file__).parents[2] / "docs"
ROWS = Data(DOCS / "data")["published"]


def row(source: str, ours: str, low: str, high: str, better: str, comparable: str = "yes") -> dict[str, str]:
    figures = {"source": source, "ours": ours, "low": low, "high": high, "better": better, "comparable": comparable}
    return dict.fromkeys(published.COLUMNS, "") | {"game": "Nim"} | figures


@pytest.mark.parametrize(
    ("ends", "better", "verdict"),
    [
        (("70.0", "65.1", "74.0"), "more", "beaten"),
        (("70.0", "65.1", "74.0"), "less", "missed"),
        (("60.0", "56.0", "64.9"), "more", "missed"),
        (("60.0", "56.0", "64.9"), "less", "beaten"),
        (("65.0", "60.0", "70.0"), "more", "equal within error"),
        (("65.0", "60.0", "70.0"), "less", "equal within error"),
        (("70.0", "65.0", "75.0"), "more", "equal within error"),  # an end on the figure
        (("60.0", "55.0", "65.0"), "more", "equal within error"),
        (("66", "", ""), "more", "beaten"),  # without an interval a figure counts as it stands
        (("66", "", ""), "less", "missed"),
        (("65", "", ""), "more", "equal within error"),
    ],
)
def test_the_verdict_follows_from_the_interval_and_from_what_is_better(ends, better, verdict):
    assert published.verdict(row("65", *ends, better)) == verdict


def test_figures_that_do_not_compare_have_no_other_verdict():
    assert published.verdict(row("65", "70.0", "65.1", "74.0", "more", "other rules")) == "not comparable"
    assert published.verdict(row("65", "", "", "", "", "not run")) == "not comparable"


def test_a_cell_that_is_wrong_is_refused():
    with pytest.raises(LookupError):
        published.verdict(row("65", "70.0", "", "", "higher"))
    with pytest.raises(ArithmeticError):
        published.verdict(row("about 65", "70.0", "", "", "more"))


def test_the_sums_say_how_many_figures_have_each_verdict_and_on_which_side_figures_lie_that_do_not_compare():
    rows = [
        row("65", "70.0", "66.0", "74.0", "more"),
        row("65", "60.0", "56.0", "64.0", "more", "other rules"),
        row("65", "70.0", "66.0", "74.0", "more", "other rules"),
        row("65", "", "", "", "more", "not run"),
    ]
    line, _, *lines = published.counts({"published": rows}).splitlines()
    assert line.startswith("4 figures: 1 beaten, 0 equal within error, 0 missed, 3 not comparable.")
    assert "on the worse side in 1, on the better side in 1; in the other 1 there is none of ours" in line
    assert lines[2] == "| Nim | 1 |  |  | 3 |"


def test_a_line_has_both_figures_with_separators_and_a_reason():
    made = row("1200", "1140.50", "1130", "1150", "less", "other rules") | {"figure": "nodes", "page": "nim.md"}
    lines = published.figures({"published": [made]}).splitlines()
    assert lines[0] == "### Nim"
    assert [cell.strip() for cell in lines[-1].split("|")[1:-1]] == [
        *("[nodes](nim.md),", "1,200", "", "1,140.50 (1,130 to 1,150)", "", "", "", "not comparable: other rules"),
    ]


def standing(text: str, of: Iterable[str]) -> bool:
    return any(re.search(rf"(?<![\d.]){re.escape(one)}(?![\d.]*\d)", text) for one in of)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['game']}: {row['figure']}" for row in ROWS])
def test_our_figure_stands_on_its_page_and_a_reason_is_short(row):
    assert list(row) == list(published.COLUMNS)
    assert len(row["comparable"].split()) <= 12
    assert bool(row["low"]) == bool(row["high"])
    if row["ours"]:
        ours = f"{Decimal(row['ours']):,}"
        assert standing((DOCS / row["page"]).read_text("utf-8"), [ours, row["runs"].partition(", ")[0]]), ours
