"""Damaged files of every kind are taken or refused in one line; and what looks for them would find worse."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from jaxgp.errors import UsageError
from tests.reliability import damaged
from tests.reliability.children import ROOT

QUICK = (
    "record", "status", "panel", "design", "results", "games", "instances", "league", "network", "boards", "track",
    "program", "rules", "answers of an engine", "champion of mancala", "kept othello", "config", "mancala.txt",
)  # fmt: skip
"""Kinds that need next to no compilation."""


def refuses(message):
    def read(path):
        raise UsageError(message)

    return read


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (lambda path: [][0], "IndexError: list index out of range"),
        (lambda path: path.read_bytes().decode("ascii"), "UnicodeDecodeError: "),
        (refuses("replay=x: no\ngame"), "2 lines: "),
        (refuses("x" * 3000), "a message of 3000 characters: "),
        (lambda path: signal.pause(), "not read after 0 s"),
        (refuses("replay=x: not JSON"), ""),
        (Path.read_bytes, ""),
    ],
)
def test_a_broken_reader_is_caught_and_a_sound_one_is_not_blamed(read, said, tmp_path, monkeypatch):
    monkeypatch.setattr(damaged, "LIMIT", 0.2)
    (tmp_path / "x").write_bytes(b"\xff")
    before = signal.signal(signal.SIGALRM, damaged.too_long)
    try:
        found = damaged.fault(damaged.Kind("x", lambda path: None, read), tmp_path / "x")
    finally:
        signal.signal(signal.SIGALRM, before)
    assert found.startswith(said)
    assert bool(found) == bool(said)


@pytest.mark.few(5)
@pytest.mark.parametrize("kind", QUICK)
def test_damaged_files_are_taken_or_refused_in_one_line(kind):
    counts, wrong = damaged.carry_out(damaged.Options(cases=6, seed=3, kind=kind), lambda line: None)
    assert (counts, wrong) == ({kind: 6}, [])


@pytest.mark.slow
def test_many_damaged_files_of_all_kinds_are_taken_or_refused_in_one_line():
    command = [sys.executable, "-m", "tests.reliability.damaged", "cases=1000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
