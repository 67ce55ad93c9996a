"""Generated parts of documents, and the documents of the project."""

import pytest

from jaxgp.errors import UsageError
from jaxgp.report.generated import filled, table
from tests.scripts.commands import SCRIPTS, load

DOCS = SCRIPTS.parent / "docs"
PARTS = {"one": lambda: "| 1 |", "two": lambda: "2"}


def test_parts_take_the_place_of_what_was_there():
    text = "a\n<!-- data: one -->\nold\n<!-- end -->\nb\n<!-- data: two -->\n<!-- end -->\n"
    made = "a\n<!-- data: one -->\n\n| 1 |\n\n<!-- end -->\nb\n<!-- data: two -->\n\n2\n\n<!-- end -->\n"
    assert filled(text, PARTS, "x.md") == made
    assert filled(made, PARTS, "x.md") == made
    assert filled("nothing", {}, "x.md") == "nothing"


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
        filled(text, PARTS, "x.md")
    assert str(error.value).startswith(said)


def test_a_table_keeps_bars_in_its_cells():
    assert table(["a"], [["b|c"]]) == "| a |\n| --- |\n| b\\|c |"


def test_documents_agree_with_the_data_and_the_declarations():
    for path, text in load("document").contents(DOCS).items():
        assert path.read_text("utf-8") == text, f"{path.name}: run python scripts/document.py"
