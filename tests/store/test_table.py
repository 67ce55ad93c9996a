"""Tables that rows are added to: crashes, full disks, other files, two writers."""

import codecs
import fcntl
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.errors import UsageError
from jaxgp.store import table as module
from jaxgp.store.table import CSVTable

COLUMNS = ("name", "score", "seconds")
HEAD = "name,score,seconds\n"


@pytest.fixture
def table(tmp_path):
    return CSVTable(tmp_path / "deep" / "t.csv", COLUMNS)


def row(name="a", score: float | None = 0.5, seconds=3):
    return {"name": name, "score": score, "seconds": seconds}


def test_a_row_is_a_line_below_the_header(table):
    assert table.read() == []
    assert table.append(row('one, "two"\nthree', 1 / 3))
    assert table.append(row("b", float("nan"), None))
    assert table.path.read_text() == HEAD + '"one, ""two"" three",0.3333333333,3\nb,,\n'
    assert [found["name"] for found in table.read()] == ['one, "two" three', "b"]


@settings(deadline=None, max_examples=10)
@given(st.lists(st.tuples(st.text(), st.floats(), st.integers()), max_size=5))
def test_whatever_a_row_holds_is_one_line_that_comes_back(tmp_path_factory, cells):
    table = CSVTable(tmp_path_factory.mktemp("t") / "t.csv", COLUMNS)
    for one in cells:
        table.append(row(*one))
    assert [found["seconds"] for found in table.read()] == [str(seconds) for _, _, seconds in cells]


@settings(deadline=None, max_examples=10)
@given(st.lists(st.lists(st.text(), max_size=3), max_size=4))
def test_rows_that_are_added_together_are_those_that_are_added_one_by_one(tmp_path_factory, parts):
    folder = tmp_path_factory.mktemp("t")
    together, single = CSVTable(folder / "a.csv", COLUMNS), CSVTable(folder / "b.csv", COLUMNS)
    for part in parts:
        together.extend([row(name) for name in part])
        for name in part:
            single.append(row(name))
    assert together.read() == single.read()
    assert len(together.read()) == sum(map(len, parts))


def test_a_table_that_a_spreadsheet_has_saved_is_the_same_table(table):
    table.append(row())
    table.append(row("é"))
    rows = table.read()
    table.path.write_bytes(codecs.BOM_UTF8 + table.path.read_bytes().replace(b"\n", b"\r\n"))
    assert table.read() == rows
    assert table.append(row("b"))
    assert [found["name"] for found in table.read()] == ["a", "é", "b"]
    table.path.write_bytes(table.path.read_bytes().decode("utf-8-sig").encode("cp1252"))
    assert [found["name"] for found in table.read()] == ["a", "é", "b"]


def test_a_row_that_is_there_is_not_added_again(table):
    assert table.append(row(seconds=3), unless=("name", "score"))
    assert not table.append(row(seconds=4), unless=("name", "score"))
    assert table.append(row(score=0.6), unless=("name", "score"))
    assert len(table.read()) == 2


@pytest.mark.parametrize("cut", range(1, 30))
@pytest.mark.parametrize(
    "add", [CSVTable.append, lambda table, new, warn: table.extend([new], warn)], ids=["one", "many"]
)
def test_a_line_torn_anywhere_is_removed_by_the_next_row(table, cut, add):
    table.append(row("früh", 0.25))
    table.append(row("spät", 0.75))
    whole = table.path.read_bytes()
    table.path.write_bytes(whole[:-cut])
    said: list[str] = []
    kept = table.read()
    assert len(kept) == (1 if cut <= len("spät,0.75,3\n".encode()) else 0)
    add(table, row("new"), warn=said.append)
    assert [found["name"] for found in table.read()] == [*(found["name"] for found in kept), "new"]
    torn = cut not in (13, 26)
    assert said == ([f"{table.path}: its last line was torn, and is removed"] if torn else [])


def test_other_files_are_refused_and_left_as_they_are(table):
    table.path.parent.mkdir()
    for content in (
        b"name,score\n",
        b"notes",
        b"x\n" + HEAD.encode(),
        HEAD.encode() + b"a,b\n",
        HEAD.encode() + b"\xff\n",
    ):
        table.path.write_bytes(content)
        with pytest.raises(
            UsageError, match=r"^table=.*: accepted: a new file, or a table with the columns of this command"
        ):
            table.check("table")
        with pytest.raises(UsageError):
            table.append(row())
        if not content.startswith(HEAD.encode()):  # the rows are not read
            with pytest.raises(UsageError):
                table.extend([row()])
        assert table.path.read_bytes() == content


def test_a_check_writes_nothing(table, tmp_path):
    table.check("table")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["file/t.csv", ".", "/dev/null"])
def test_what_cannot_be_a_table_is_refused_before_anything_is_computed(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    with pytest.raises(UsageError, match=r"^table="):
        CSVTable(Path(name), COLUMNS).check("table")


def test_a_full_disk_leaves_the_rows_before(table):
    """The limit of a file's size stands for a full disk."""
    table.append(row())
    before, limits = table.path.read_text(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 4, limits[1]))
    try:
        with pytest.raises(OSError, match=r"(?i)too large|space"):
            table.append(row("somebody"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert table.path.read_text() == before
    assert table.append(row("somebody"))


def test_lines_of_processes_that_add_rows_at_the_same_time_do_not_mix(tmp_path):
    path, number = tmp_path / "t.csv", 40
    code = (
        "import sys; from pathlib import Path; from jaxgp.store.table import CSVTable\n"
        "table = CSVTable(Path(sys.argv[1]), ('name', 'score', 'seconds'))\n"
        f"for n in range({number}): table.append({{'name': sys.argv[2] * 500, 'score': n, 'seconds': 1}})\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), who], env=os.environ) for who in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    rows = CSVTable(path, COLUMNS).read()
    for who in "abc":
        assert [one["score"] for one in rows if one["name"] == who * 500] == [str(n) for n in range(number)]
    assert len(rows) == 3 * number


def test_a_row_that_finds_no_room_is_printed(tmp_path, capsys, monkeypatch):
    table, said = CSVTable(tmp_path / "games.csv", ("player", "score")), []
    monkeypatch.setattr(table, "extend", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    table.keep([{"player": "a, b", "score": 0.5}], said.append)
    assert capsys.readouterr().out == '"a, b",0.5\n'
    assert said == [f"table={table.path}: cannot be written (No space left on device); the row is printed"]


def test_a_file_of_an_older_version_keeps_its_columns(tmp_path):
    path = tmp_path / "t.csv"
    CSVTable(path, COLUMNS[:2]).append({"name": "old", "score": 1})
    table = CSVTable(path, COLUMNS, newest=1)
    table.append(row("new"))
    assert path.read_text() == "name,score\nold,1\nnew,0.5\n"
    assert [one["seconds"] for one in table.read()] == ["", ""]
    with pytest.raises(UsageError, match="its columns are not"):
        CSVTable(path, COLUMNS, newest=2).read()


def locked_by_another(path):
    """Open a file and lock it, as another process does."""
    path.parent.mkdir()
    file = path.open("ab")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


def test_a_table_that_another_process_has_locked_is_waited_for_and_told(table, monkeypatch):
    monkeypatch.setattr(module, "MOMENT", 0.1)
    other, said = locked_by_another(table.path), []
    threading.Timer(0.5, other.close).start()
    assert table.append(row(), warn=said.append)
    assert said == [f"{table.path}: another process has it locked; waiting for 60 s at most"]
    assert len(table.read()) == 1


def test_a_table_that_stays_locked_is_given_up_and_its_rows_are_printed(table, monkeypatch, capsys):
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    with locked_by_another(table.path):
        with pytest.raises(OSError, match="another process has had it locked for"):
            table.append(row())
        table.keep([row()], print)
    assert "cannot be written (another process has had it locked for 0.2 s)" in (out := capsys.readouterr().out)
    assert out.endswith("a,0.5,3\n")


def test_a_stop_while_a_table_is_locked_is_heard_at_once_and_its_rows_are_printed(table, monkeypatch, capsys):
    def stopped(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module.time, "sleep", stopped)
    with locked_by_another(table.path), pytest.raises(KeyboardInterrupt):
        table.keep([row()], print)
    assert capsys.readouterr().out.endswith("a,0.5,3\n")
