"""Commands in processes of their own, stopped by signals while they compile and play."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest

from tests.scripts.commands import SCRIPTS, write_run

KALAH = {"name": "mancala", "pits": 3, "stones": 2}
PROGRAM = "(ADD 3 (VALUE_AT 5))"

pytestmark = pytest.mark.slow


def start(name, *options, **about):
    command = [sys.executable, str(SCRIPTS / f"{name}.py"), *options]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=SCRIPTS.parent, **pipes | about)


def stop(process, line, number, after=0.0):
    """Send a signal some time after a line has come on standard error; return exit code, output and the rest of it."""
    while line not in (said := process.stderr.readline()):
        assert said, "the command has ended"
    time.sleep(after)
    process.send_signal(number)
    out, error = process.communicate(timeout=120)
    return process.returncode, out, error


@pytest.mark.parametrize("after", [0.0, 1.0, 2.0])
def test_an_evaluation_keeps_what_it_has_measured(tmp_path, after):
    run = write_run(tmp_path, {"name": "mancala"}, PROGRAM)
    options = (f"run={run}", "panel=standard", "games=100000", "compilation_cache=null")
    code, out, error = stop(start("evaluate", *options), ", 2 of", signal.SIGINT, after)
    assert (code, error.splitlines()[-1]) == (130, "stopped")
    assert "Traceback" not in error
    saved = json.loads((run / "evaluation.json").read_text())
    assert saved["failed"]
    first = saved["results"]["champion"][0]["opponent"]
    assert first in out


def test_a_league_goes_on_from_the_games_that_were_played(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name, KALAH, f"(ADD {name == 'a':d} (VALUE_AT 5))")
    options = (f"brackets.a={tmp_path}", "brackets.b=[random,search:9,search:8]", f"output={tmp_path / 'league'}")
    options = (*options, "compilation_cache=null", "games=1000")
    code, _, error = stop(start("tournament", *options), "among each other", signal.SIGTERM, 1.0)
    assert (code, error.splitlines()[-1]) == (143, "stopped")
    before = json.loads((tmp_path / "league" / "crosstable.json").read_text())
    assert any(map(any, before["results"]))
    again = start("tournament", *options)
    said = again.stderr.readline()
    again.kill()
    again.communicate()
    assert "among each other" in said, "the champions have played"


def test_searches_of_a_puzzle_go_on_from_the_table_of_instances(tmp_path):
    run = write_run(tmp_path, {"name": "rush_hour"}, "BlockersLowerBound", {"role": "heuristic", "table": 1024})
    path = tmp_path / "all.csv"
    shared = (f"run={run}", "suite=JAM", "limit=2000", "batch=1", f"compilation_cache={tmp_path / 'cache'}")

    def rows():
        return path.read_bytes().count(b"\n") - 1 if path.exists() else 0

    def stopped(number, after):
        process = start("evaluate", *shared, f"instances={path}")
        while rows() < after:
            assert process.poll() is None, "the command has ended"
            time.sleep(0.01)
        process.send_signal(number)
        return process.communicate(timeout=120)[1], process.returncode

    error, code = stopped(signal.SIGINT, 2)
    said = f"instances={path}: holds the searches so far; the same command goes on with the others\nstopped\n"
    assert (code, error[-len(said) :]) == (130, said)
    _, code = stopped(signal.SIGKILL, before := rows() + 3)
    assert code == -signal.SIGKILL
    kept = path.read_text()
    assert before <= rows() < 6 * 8, "it was killed before its end"
    results = []
    for more in ((f"instances={path}",), ()):
        ended = start("evaluate", *shared, *more)
        assert ("were searched before" in ended.communicate(timeout=600)[1]) == bool(more)
        found = json.loads((run / "evaluation.json").read_text())["results"]["JAM"]
        results.append({order: figures | {"seconds": 0} for order, figures in found.items()})
    assert results[0] == results[1]
    assert path.read_text().startswith(kept[: kept.rfind("\n") + 1])
    assert rows() == 6 * 8


@pytest.fixture
def terminal():
    """Programs at a terminal of their own: starts one; reads what it shows until some text appears, and types."""
    ours, theirs = pty.openpty()
    started = []

    class Terminal:
        shown = ""

        def start(self, name, *options):
            streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
            started.append(start(name, *options, **streams, env=os.environ | {"TERM": "xterm"}))
            return started[-1]

        def type(self, text):
            os.write(ours, text.encode())

        def read(self, wanted=None, seconds=120.0):
            """Read on until something is shown, or for some seconds."""
            before, until = len(self.shown), time.monotonic() + seconds
            while time.monotonic() < until and (wanted is None or wanted not in self.shown[before:]):
                if select.select([ours], [], [], 0.1)[0]:
                    self.shown += os.read(ours, 4096).decode()
            assert wanted is None or wanted in self.shown[before:]
            return self.shown[before:]

    yield Terminal()
    for process in started:
        process.kill()
        process.wait()
    os.close(ours)
    os.close(theirs)


def test_keys_typed_while_a_player_thinks_are_no_moves(terminal, tmp_path):
    options = ("game=mancala", "opponent=search:6", f"save={tmp_path / 'game.json'}")
    process = terminal.start("play", *options)
    terminal.type("1\n2\n")
    terminal.read("You (1, 2, 3, 4, 5, 6): ")
    assert '"2" was typed before you were asked; it does not count.' in terminal.shown
    assert "You play" not in terminal.read(seconds=1.0)
    terminal.type("1\n")
    terminal.read("You play 1")
    terminal.type("quit\nquit\n")
    thought = terminal.read("You (")
    assert "Compiling search, 6 plies ... " in thought
    terminal.read(seconds=1.0)
    assert process.poll() is None, "what was typed then has not ended the game"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    terminal.read("stopped", seconds=5.0)
    assert json.loads((tmp_path / "game.json").read_text())["moves"][0] == "1"
