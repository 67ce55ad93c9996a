"""Compiled programs that JAX keeps: what is cut short goes, and the folder does not grow for ever."""

import os
import zlib

from jaxgp.store import compiled

WHOLE = zlib.compress(bytes(range(256)) * 40)


def keep(folder, name, content=WHOLE, age=0):
    path = folder / f"jit_{name}-cache"
    path.write_bytes(content)
    then = path.stat().st_mtime - age
    os.utime(path, (then, then))
    return path


def names(folder):
    return sorted(path.name[4:-6] for path in compiled.entries(folder))


def test_a_program_that_was_cut_short_is_removed_so_that_it_is_written_again(tmp_path):
    for name, content in {
        "whole": WHOLE,
        "short": WHOLE[:-5],
        "nothing": b"",
        "noise": b"xyz",
        "other": b"\x28",
    }.items():
        keep(tmp_path, name, content)
    compiled.tidy(tmp_path)
    assert names(tmp_path) == ["other", "whole"]


def test_what_was_looked_into_is_not_looked_into_again(tmp_path):
    compiled.tidy(tmp_path)
    keep(tmp_path, "old", b"xyz", age=100)
    keep(tmp_path, "new", b"xyz", age=-100)
    compiled.tidy(tmp_path)
    assert names(tmp_path) == ["old"]


def test_what_was_not_used_for_longest_goes_when_there_is_too_much(tmp_path):
    for age, name in enumerate("dcba"):
        keep(tmp_path, name, age=age)
    compiled.tidy(tmp_path, limit=2 * len(WHOLE))
    assert names(tmp_path) == ["c", "d"]


def test_the_command_removes_compiled_programs_and_nothing_else(tmp_path, capsys):
    keep(tmp_path, "one")
    (tmp_path / "table.npz").write_bytes(b"x")
    assert compiled.task(compiled.Options(str(tmp_path))) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["table.npz"]
    assert capsys.readouterr().out == f"{tmp_path}: 1 compiled programs removed, 0 MiB\n"
