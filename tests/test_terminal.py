"""Commands that are stopped, and commands whose output cannot be written."""

import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest

from jaxgp import files, terminal
from jaxgp.config import arguments
from jaxgp.errors import RunError
from jaxgp.options import option


@dataclass
class Options:
    """What the command of these tests is told."""

    name: str = option("", "a name")


def run(task):
    return arguments.main(Options, task, "Usage.", [])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_a_command_in_one_word(capsys, number, code):
    before = signal.getsignal(number)

    def task(_):
        os.kill(os.getpid(), number)
        time.sleep(10)

    assert run(task) == code
    assert capsys.readouterr() == ("", "stopped\n")
    assert signal.getsignal(number) is before


def test_what_a_stopped_command_fails_with_afterwards_is_no_failure(capsys):
    def task(_):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)
        except KeyboardInterrupt:
            raise ValueError("from the depths of a compiler") from None

    assert run(task) == 130
    assert capsys.readouterr().err == "stopped\n"
    with pytest.raises(ZeroDivisionError):
        run(lambda _: 1 / 0)


def test_a_signal_that_comes_twice_at_once_is_one_signal(capsys):
    def task(_):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(10)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            print("saved")

    assert run(task) == 143
    assert capsys.readouterr() == ("saved\n", "stopped\n")


PROGRAM = """
import sys, time
from dataclasses import dataclass
import jax  # before it, nothing can have been computed, and one signal is enough
from jaxgp import terminal
from jaxgp.config import arguments

@dataclass
class Options:
    pass

def task(_):
    try:
        print("begun", flush=True)
        time.sleep(60)
    finally:
        print("saving", flush=True)
        time.sleep(60)

terminal.leave(arguments.main(Options, task, "", []))
"""


COLLECTING = (
    PROGRAM.replace(
        """        print("begun", flush=True)
        time.sleep(60)
""",
        """        gc.callbacks.append(lambda *_: sent or sent.append(os.kill(os.getpid(), signal.SIGINT)))
        gc.collect()  # goes on, whoever raises an exception in its callbacks
        time.sleep(20)
""",
    )
    .replace("        time.sleep(60)\n", "")
    .replace("import sys, time", "import gc, os, signal, sys, time\nsent = []")
)


@pytest.mark.thorough
def test_a_signal_that_comes_while_garbage_is_collected_stops_a_command():
    done = subprocess.run([sys.executable, "-c", COLLECTING], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "saving\n", "stopped\n")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("task", "expected"),
    [("os.kill(os.getpid(), signal.SIGTERM) or time.sleep(20)", (143, "told\n")), ("0", (0, "told\nPython's end\n"))],
)
def test_a_stopped_command_ends_with_its_output_and_without_pythons_end(task, expected):
    program = f"""
import atexit, os, signal, time
import jax
from jaxgp import terminal
from jaxgp.config import arguments
from tests.test_terminal import Options
atexit.register(print, "Python's end")
terminal.leave(arguments.main(Options, lambda _: print("told") or {task}, "", []))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == expected


@pytest.mark.thorough
def test_a_second_signal_ends_a_command_while_it_saves():
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == b"saving\n"
    time.sleep(2 * terminal.TWICE)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    assert process.communicate() == (b"", b"")


def test_a_file_that_cannot_be_written_is_named_in_one_line(tmp_path, capsys):
    def task(_):
        files.write(tmp_path / "results.json", lambda file: full_disk())

    assert run(task) == 1
    assert capsys.readouterr().err == f"error: {tmp_path / 'results.json'}: No space left on device\n"


def full_disk():
    raise OSError(28, "No space left on device")


@pytest.fixture
def full(monkeypatch):
    """Stream names -> these streams of the process lead to a full disk."""
    opened = []

    def lead(*names):
        for name in names:
            opened.append(open("/dev/full", "w"))  # noqa: SIM115 - closed below
            monkeypatch.setattr(sys, name, opened[-1])

    yield lead
    monkeypatch.undo()
    for stream in opened:
        stream.close()


@pytest.mark.parametrize("flush", [False, True])
def test_a_full_disk_behind_the_output_is_told_when_the_work_is_done(full, capsys, flush):
    done = []

    def task(_):
        print("figures", flush=flush)
        print("more figures", flush=flush)
        done.append("saved")
        return 0

    full("stdout")
    assert run(task) == 1
    assert done == ["saved"]
    assert capsys.readouterr().err == "error: standard output: No space left on device\n"


def test_the_failure_of_a_command_counts_more_than_that_of_its_output(full, capsys):
    def task(_):
        print("figures", flush=True)
        raise RunError("a reason")

    full("stdout")
    assert run(task) == 1
    assert capsys.readouterr().err.splitlines()[0] == "error: a reason"


def test_a_reader_who_has_enough_is_no_failure(monkeypatch, capsys):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert run(lambda _: print("figures", flush=True) or 0) == 0
        monkeypatch.undo()
    assert capsys.readouterr().err == ""


def test_progress_that_cannot_be_written_is_dropped(full, capsys):
    def task(_):
        arguments.say("half of it")
        print("figures")
        return 0

    full("stderr")
    assert run(task) == 0
    assert capsys.readouterr().out == "figures\n"


def test_what_a_terminal_has_no_letter_for_is_written_by_its_number(monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii"))
    assert run(lambda _: print("5 \u00d7 6 \udc80") or 0) == 0
    assert written.getvalue() == b"5 \\xd7 6 \\udc80\n"


def test_streams_that_are_closed_from_the_beginning_are_no_failure(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert run(lambda _: print("figures") or arguments.say("progress") or 0) == 0


def test_ctrl_c_gives_up_work_that_can_be_done_without_and_the_command_goes_on():
    program = """
import os, signal, threading, time
from jaxgp.terminal import Interrupts, Stopped, interruptible, leave
with Interrupts() as interrupts:
    print(interruptible(lambda: 7), flush=True)
    try:
        interruptible(lambda: 1 / 0)
    except ZeroDivisionError:
        print("its own error", flush=True)
    for _ in range(2):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            interruptible(lambda: time.sleep(60))
        except Stopped:
            print("stopped", flush=True)
    print(interrupts.signal, flush=True)
leave(0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["7", "its own error", "stopped", "stopped", "None"]
