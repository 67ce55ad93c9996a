"""Tables of options, and the command that writes them into the documents."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from jaxgp.options import option
from jaxgp.report.reference import options_table
from tests.scripts.commands import run


@dataclass
class Small:
    """A few options."""

    size: int = option(3, "how large it is", low=1, high=9)
    name: str = option("", "what it is called; a|b has a bar")


def test_a_table_has_a_row_for_each_option_as_it_is_declared():
    assert options_table(Small, "small.").splitlines()[2:] == [
        "| `small.size` | `3` | a whole number from 1 to 9 | how large it is |",
        "| `small.name` |  | text | what it is called; a\\|b has a bar |",
    ]


@pytest.mark.parametrize("docs", ["file/x", "nowhere/x", ".", "/dev/null", "~nobody_of_this_name/x"])
def test_a_folder_without_documents_is_refused_in_one_line(tmp_path, monkeypatch, capsys, docs):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert run("document", f"docs={docs}") == 2
    err = capsys.readouterr().err
    assert err.startswith(f"error: docs={docs}: accepted: ")
    assert err.count("\n") == 1
