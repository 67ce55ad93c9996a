"""A league's report where names come from outside: nothing in them is a mark, an element, a formula or a command."""

import html
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from markdown_it import MarkdownIt

from jaxgp.league import league, league_report, ratings
from jaxgp.league.crosstable import CrossTable
from jaxgp.league.members import Member
from jaxgp.report import document
from jaxgp.seats.options import opponent

NAMES = ("<img onerror=x>", "a|b `c` **d** [e](f) $x^$ _g_", "[red]h[/] [/i]")
BRACKETS = ("<b>one", "<b>one", "[two]|")


@pytest.fixture(scope="module")
def found():
    members = [
        Member(name, bracket, name, name, opponent("random"), fitness, chance=True)
        for name, bracket, fitness in zip(NAMES, BRACKETS, (1.0, 2.0, 3.0), strict=True)
    ]
    place = np.arange(3)
    results = np.sign(place[None, :] - place[:, None]).astype(np.int8)[..., None]
    table = CrossTable(results, (~np.eye(3, dtype=bool)).astype(np.int32))
    rules = league.LeagueRules()
    rated = ratings.fit(table)
    seasons = {"anyone": league.season(table, BRACKETS, "anyone", rules, 2, 0)}
    correlations = ratings.correlations([1.0, 2.0, 3.0], [one.value for one in rated.players], BRACKETS, 0)
    return league_report.LeagueOutcome(members, table, rated, correlations, seasons, rules, {"name": "toy"})


def test_a_terminal_shows_names_as_they_are(found):
    shown = league_report.text(found)
    assert "[red]h[/] [/i]" in shown
    assert "[two]|" in shown


def test_markdown_has_no_elements_and_keeps_its_columns(found):
    text = document.markdown(league_report.document(found, "A league of <i>", [("seed", "<0>")]))
    page = MarkdownIt("commonmark").enable("table").render(text)
    assert "<img onerror" not in page
    assert "<h1>A league of &lt;i&gt;</h1>" in page
    assert not any(mark in page for mark in ("<b>", "<strong>d", "<code>c", "<a href", "<em>g"))
    for name in NAMES:
        assert f"<td>{html.escape(name)}</td>" in page
    columns = [len(re.findall("<t[dh]>", row)) for row in page.split("<tr>")[1:]]
    assert columns[: len(NAMES) + 1] == [columns[0]] * (len(NAMES) + 1)


@pytest.mark.filterwarnings("ignore:constrained_layout")
def test_pages_and_pictures_hold_names_as_text(found):
    made = league_report.document(found, "A league", [])
    page = document.page(made)
    assert "<img" not in page
    assert "<b>" not in page
    for picture in made.pictures:
        said = " ".join(ET.fromstring(picture.file).itertext())
        assert picture.name == "fitness" or all(name in said for name in NAMES), picture.name


def test_a_text_cannot_end_the_block_that_it_is_folded_in():
    made = document.Document("t", [], [("s", [document.FoldedText("f", "```\n<b>\n\x1b[31m")])])
    page = MarkdownIt("commonmark").render(document.markdown(made))
    assert "<b>" not in page
    assert "\x1b" not in page + document.page(made)
