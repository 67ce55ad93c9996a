"""Generated parts of documents, and the documents of the project."""

import re

import pytest

from jaxgp.errors import UsageError
from jaxgp.report.generated import PART, figure, fill_document, table
from tests.scripts.commands import SCRIPTS, load

DOCS = SCRIPTS.parent / "docs"
PARTS = {"one": lambda: "| 1 |", "two": lambda: "2"}


def test_parts_take_the_place_of_what_was_there():
    text = "a\n<!-- data: one -->\nold\n<!-- end -->\nb\n<!-- data: two -->\n<!-- end -->\n"
    made = "a\n<!-- data: one -->\n\n| 1 |\n\n<!-- end -->\nb\n<!-- data: two -->\n\n2\n\n<!-- end -->\n"
    assert fill_document(text, PARTS, "x.md") == made
    assert fill_document(made, PARTS, "x.md") == made
    assert fill_document("nothing", {}, "x.md") == "nothing"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<!-- data: three -->\n<!-- end -->", "x.md: <!-- data: three -->: accepted: one, two"),
        ("<!-- data: one -->\n<!-- end -->", "x.md: <!-- data: two --> is missing"),
        ("<!-- data: one -->\n", "x.md: a line <!-- data: NAME --> has no line <!-- end --> after it"),
        ("<!-- data: one -->\n<!-- data: two -->\n<!-- end -->", "x.md: a line <!-- data: "),
    ],
)
def test_parts_that_are_wrong_are_named(text, said):
    with pytest.raises(UsageError) as error:
        fill_document(text, PARTS, "x.md")
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("noise", [-1e-12, 0.0, 1e-12])
def test_a_document_keeps_either_figure_where_the_noise_of_a_fit_decides(noise):
    text = "<!-- data: one -->\n\nrho {} (0.12)\n\n<!-- end -->"
    parts = {"one": lambda: f"rho {figure(0.705 + noise, '.2f')} ({figure(0.1234, '.2f')})"}
    for right in ("0.70", "0.71"):
        assert fill_document(text.format(right), parts, "x.md") == text.format(right)
    for wrong in ("0.69", "0.72", "0.7", "0.701"):
        assert fill_document(text.format(wrong), parts, "x.md") == text.format("0.70")


def test_a_figure_away_from_the_boundary_is_one_figure():
    assert (figure(0.7049, ".2f"), figure(-0.0001, "z.1f"), figure(1234.5, "+,.1f")) == ("0.70", "0.0", "+1,234.5")


def test_a_table_keeps_bars_in_its_cells():
    assert table(["a"], [["b|c"]]) == "| a |\n| --- |\n| b\\|c |"


DOCUMENT = load("document")
SECONDS = [f"results/{name}.md" for name in ("freecell", "mate", "morpion", "othello", "rush_hour")] + ["league.md"]
"""Documents that take some of them."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SECONDS else name for name in DOCUMENT.DOCUMENTS]
)
def test_a_document_agrees_with_the_data_and_the_declarations(name):
    text = DOCUMENT.content(DOCS, name, DOCUMENT.Data(DOCS / "data"))
    assert (DOCS / name).read_text("utf-8") == text, f"{name}: run python scripts/document.py"


STUDIES = [f"results/{name}.md" for name in ("mancala", "walls", "othello", "morpion")] + [
    "league.md",
    "experiments.md",
]
DESCRIBES = ("setting", "option", "condition", "to play", "primitive", "terminal", "terminals", "functions", "step")
DESCRIBES += ("`program.features`", "`experiment=`", "what", "file", "written", "the source", "the study says", "")
"""What tables that are written by hand may have as their first heading: they say what something is, and not what was
measured."""


@pytest.mark.parametrize("name", STUDIES)
def test_tables_of_figures_are_generated(name):
    """A table that is written by hand has a heading that says so, and no interval."""
    bare = PART.sub("", (DOCS / name).read_text("utf-8"))
    tables = re.findall(r"(?m)(?:^\|.*\n)+", bare)
    assert [table.split("\n")[0] for table in tables if table.split("|")[1].strip() not in DESCRIBES] == []
    assert [table for table in tables if re.search(r"\d \(-?\d+(\.\d+)? to|\d %", table)] == []
