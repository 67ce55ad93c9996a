"""The page of all options."""

from pathlib import Path

import pytest

from tests.scripts.commands import SCRIPTS, run


def test_the_page_of_options_has_what_is_declared():
    page = (SCRIPTS.parent / "docs" / "options.md").read_text("utf-8")
    assert "| `fitness.win_bonus` | `0.0` | a number from 0 to 1000000 | extra points for each seat" in page
    assert "### program.role=leaf, of game=othello" in page
    assert "Its evaluators of searches: `material`, `corner_4`" in page


@pytest.mark.parametrize("docs", ["file/x", "nowhere/x", ".", "/dev/null", "~nobody_of_this_name/x"])
def test_a_folder_without_documents_is_refused_in_one_line(tmp_path, monkeypatch, capsys, docs):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert run("document", f"docs={docs}") == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: docs={docs}: accepted: ")
    assert err.count("\n") == 1
