"""Figures of sentences in the pages, computed from the data again."""

import json
import re
from statistics import median

import numpy as np
import pytest
from scipy import stats

from jaxgp.statistics.comparison import compare, together
from tables import mancala, othello
from tables.shared.cells import RESAMPLES, effect
from tables.shared.data import Data
from tests.scripts.commands import SCRIPTS

DOCS = SCRIPTS.parent / "docs"


@pytest.fixture(scope="module")
def data():
    return Data(DOCS / "data")


@pytest.fixture(scope="module")
def said():
    """The text of a page of results, on one line."""
    return lambda game: re.sub(r"\s+", " ", (DOCS / "results" / f"{game}.md").read_text("utf-8"))


def test_the_study_of_mancala_beside_what_was_seen(data, said):
    first, second, default = (mancala.of_run(data, run) for run in mancala.RUNS)
    won, stalled, late, no_if, _ = mancala.SAID.values()
    last = [int(row["last_improvement"]) for row in first]
    sizes = [
        "{:.0f} to {:.0f}".format(*(f(float(row["mean_nodes_end"]) for row in rows) for f in (min, max)))
        for rows in (first, second)
    ]
    met = {
        (row["title"], row["run_seed"], row["player"]): sum(float(row[f"points_{seat}"]) for seat in mancala.SEATS)
        for row in data["mancala_games"]
        if row["opponent"] == mancala.PROGRAMS and row["title"] in ("run 1", "run 2")
    }
    search = max(points for (*_, player), points in met.items() if player == mancala.SEARCH)
    less = [points < search for (*_, player), points in met.items() if player != mancala.SEARCH]
    text = said("mancala")
    for figures in (
        f"in {sum(map(won, first + second))} of 20 runs of its tableau",
        f"in {sum(map(won, default))} of 10 default runs",
        f"in {sum(map(stalled, first))} of 10 runs: the last improvement comes in generations {min(last)} to "
        f"{max(last)} (median {median(last):.0f})",
        f"to means of {sizes[0]} nodes; run 2 stays smaller, but not near 100: {sizes[1]}",
        f"| run 2 improves past generation {mancala.LATE} | in {sum(map(late, second))} of 10 runs |",
        f"does not use IF | in {sum(map(no_if, second))} of 10 runs |",
        f"in {sum(less)} of {len(less)} champions",
    ):
        assert figures in text


def test_no_printed_program_wins_from_both_seats(data, said):
    assert not any(all(mancala.has_won(row, seat) for seat in mancala.SEATS) for row in data["mancala_printed"])
    assert "In none of these does a program win from both seats" in said("mancala")


def test_the_experiments_of_othello_differ(data, said):
    groups = [np.array(othello.points(data)[name]) for name in othello.SOURCE]
    h, p = stats.kruskal(*together(*groups))
    assert p < 0.05
    assert f"The 5 experiments differ: Kruskal-Wallis H = {h:.1f}, p = {p:.2g}." in said("othello")


def test_no_ops_are_not_shown_to_be_more_where_they_are_weights(data, said):
    counted = othello.read_noops(data.path)
    shares = [[one.noops / one.nodes for one in counted[name]] for name in ("regions_weights", "regions")]
    one = compare("no-ops", *(("", some) for some in shares), resamples=RESAMPLES)
    assert one.p >= 0.05
    assert f"where they do nothing: A12 {effect(one.a12)}, p = {one.p:.2f}." in said("othello")


def test_champions_of_checkers_that_evolution_did_not_make_are_named(said):
    """Programs of generation 0, on 10 x 10 squares; the page names each."""
    files = [DOCS / "data" / "champions" / f"checkers_10x10_{runs}.jsonl" for runs in ("50co", "25co")]
    three, two = ([json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files)
    first = {one["seed"]: one for one in three if one["generation"] == 0}
    assert {seed: one["size"] for seed, one in first.items()} == {1: 2, 3: 13, 4: 1}
    assert {one["seed"]: one["size"] for one in two if one["generation"] == 0} == {3: 7}
    factor = round(float(re.fullmatch(r"\(MultERC:([\d.]+) PieceCount\)", first[1]["text"])[1]), 2)
    assert first[4]["text"] == "PieceCount"
    text = said("checkers")
    for words in (
        "Three champions of five are programs of generation 0: `PieceCount` (seed 4), ",
        f"{factor} times `PieceCount` (seed 1), which is the same player, and a program of 13 nodes (seed 3).",
        "At two plies seed 3 is another one, of 7 nodes.",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("results/checkers", "games of coevolution begin with [four random moves](../coevolution.md#games)"),
        ("results/checkers", "columns against `ab4`, `ab6` and `ab8` are not comparable with the book"),
        ("results/othello", "By neither opponent are the eight here shown to differ from the source's best ones."),
        ("results/othello", "ours begin with [four random moves](../coevolution.md#games)"),
        ("results/morpion", "a game of 124 lines, by an early version with a mistake, and could not repeat it"),
        ("rush_hour", "One thing differs from the book: results are without its [macro move]"),
    ],
)
def test_a_page_says_in_what_it_differs_from_its_source(page, words):
    assert words in re.sub(r"\s+", " ", (DOCS / f"{page}.md").read_text("utf-8"))
