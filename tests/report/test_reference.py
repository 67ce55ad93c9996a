"""The page of all options."""

from tests.scripts.commands import SCRIPTS, load


def test_the_page_of_options_is_up_to_date():
    page = load("document").content()
    assert (SCRIPTS.parent / "docs" / "options.md").read_text("utf-8") == page, "run: python scripts/document.py"
    assert "| `fitness.win_bonus` | `0.0` | a number from 0 to 1000000 | extra points for each seat" in page
    assert "### program.role=leaf, of game=othello" in page
    assert "Its evaluators of searches: `material`, `corner_4`" in page
