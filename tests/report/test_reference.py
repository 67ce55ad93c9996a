"""The page of all options."""

from pathlib import Path

import pytest

from tests.scripts.commands import SCRIPTS, load, run


def test_the_page_of_options_is_up_to_date():
    page = load("document").content()
    assert (SCRIPTS.parent / "docs" / "options.md").read_text("utf-8") == page, "run: python scripts/document.py"
    assert "| `fitness.win_bonus` | `0.0` | a number from 0 to 1000000 | extra points for each seat" in page
    assert "### program.role=leaf, of game=othello" in page
    assert "Its evaluators of searches: `material`, `corner_4`" in page


@pytest.mark.parametrize("output", ["file/x", "nowhere/x", ".", "/dev/null", "~nobody_of_this_name/x"])
def test_an_output_that_cannot_be_written_is_one_line(tmp_path, monkeypatch, capsys, output):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert run("document", f"output={output}") == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: output={output}: accepted: ")
    assert err.count("\n") == 1
