"""Engines that say too much, too late or nothing: each meets its time and its bounds, and is ended."""

import re
import resource
import subprocess
import sys
import time

import pytest

from jaxgp.processes import child
from jaxgp.seats.gtp import Engine, EngineError, RefusedError
from tests.host.engines import ended, fake, saying

FLOODS = {
    "blank lines without end": (
        "while True: print('\\n' * 4096)",
        "answered more than 1024 KiB",
    ),
    "an answer without end": (
        "input()\nprint('=', end='')\nwhile True: print(' spam\\n' * 4096, end='')",
        "answered more than 1024 KiB",
    ),
    "lines without end": ("while True: print('info')", 'said more than 200 lines, the last "info", and no answer'),
    "a line without end": ("while True: print('=' * 4096, end='')", "answered a line of more than 64 KiB"),
    "zeros without end": ("while True: print(end='\\0' * 4096)", "answered a line of more than 64 KiB"),
    "a blank line at times": ("import time\nwhile True: print(); time.sleep(0.01)", "no answer within 0.5 s"),
    "a line of an answer at times": (
        "import time\nwhile True: print('= x'); time.sleep(0.01)",
        "no answer within 0.5 s",
    ),
    "a letter at times": ("import time\nwhile True: print(end='='); time.sleep(0.01)", "no answer within 0.5 s"),
    "complaints without end": ("import sys\nwhile True: print('no' * 2000, file=sys.stderr)", "no answer within 0.5 s"),
    "nothing": ("import time\ntime.sleep(600)", "no answer within 0.5 s"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("flood", FLOODS)
def test_an_engine_that_floods_meets_its_bounds_and_is_ended(flood):
    program, said = FLOODS[flood]
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    engine = Engine(saying(program), timeout=0.5 if "within" in said else 20.0)
    with pytest.raises(EngineError) as raised:
        engine.ask("name")
    assert time.monotonic() - began < 10
    assert re.search(f": name: ({said})$", str(raised.value))
    assert engine._child._process.poll() is not None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "KiB"


def test_an_engine_that_reads_nothing_meets_its_timeout_too():
    with Engine(saying("import time; time.sleep(600)"), timeout=0.5) as engine, pytest.raises(EngineError) as raised:
        engine.ask("x" * 200_000)
    assert str(raised.value).endswith("no answer within 0.5 s")


def test_complaints_are_read_but_only_their_end_is_kept():
    program = """
import sys
for line in sys.stdin:
    print("x" * 300_000, "at last", sep="\\n", file=sys.stderr)
    if "end" in line:
        sys.exit(4)
    print("=" + line.split()[0] + " fine\\n")
"""
    with Engine(saying(program)) as engine:
        assert engine.ask("name") == "fine"
        with pytest.raises(EngineError, match=r'ended with exit code 4, saying "at last"$'):
            engine.ask("end")
        assert len(engine._child._complaints) <= child.CHUNK


LATE = """
import sys
for line in sys.stdin:
    number, word = line.split()[0], line.split()[-1]
    print("=" + NUMBER + " " + word, "", "= stale", "", sep="\\n", flush=True)
    print("more", "", "=0 staler", "", sep="\\n")
"""


@pytest.mark.parametrize("number", ["number", "''"])
def test_what_an_engine_says_after_its_answer_is_no_answer_to_the_next_command(number):
    with Engine(saying(LATE.replace("NUMBER", number))) as engine:
        for word in ("one", "two", "three"):
            assert engine.ask(word) == word
            time.sleep(0.05)


def test_an_answer_that_comes_too_late_is_told_by_its_number():
    program = """
import sys, time
for line in sys.stdin:
    number, word = line.split()
    print(f"={number} {word}\\n")
    time.sleep(0.1)
    print(f"={number} {word} again\\n")
"""
    with Engine(saying(program)) as engine:
        assert [engine.ask(word) for word in ("one", "two", "three")] == ["one", "two", "three"]


def test_an_engine_that_takes_the_number_for_the_command_is_given_none():
    program = """
import sys
for line in sys.stdin:
    print("= " + line if line.split()[0] in ("name", "quit") else "? unknown command\\n")
"""
    with Engine(saying(program)) as engine:
        assert [engine.ask("name"), engine.ask("name")] == ["name", "name"]
        with pytest.raises(RefusedError, match="genmove black: refused: unknown command"):
            engine.ask("genmove black")


def test_an_engine_may_refuse_without_the_number():
    program = """
import sys
for line in sys.stdin:
    number, word = line.split()
    print("? unknown command\\n" if word == "play" else f"={number}\\n")
"""
    with Engine(saying(program), timeout=5.0) as engine:
        assert engine.ask("name") == ""
        with pytest.raises(RefusedError, match="play: refused: unknown command"):
            engine.ask("play")


def test_what_an_engine_says_is_fit_to_be_shown():
    program = r"""
import sys
for line in sys.stdin:
    sys.stdout.buffer.write(b"=1 a\x1b[31mb\0\xff\xe2\x80\xaec\td\n\n")
    sys.stdout.flush()
"""
    with Engine(saying(program)) as engine:
        assert engine.ask("name") == "a\ufffd[31mb\ufffd\ufffd\ufffdc\td"


def test_what_an_engine_leaves_behind_is_ended_with_it(tmp_path):
    program = f"""
import subprocess, sys
child = subprocess.Popen(["sleep", "600"])
open({str(tmp_path / "child")!r}, "w").write(str(child.pid))
for line in sys.stdin:
    print(f"={{line.split()[0]}}\\n")
    if "quit" in line:
        break
"""
    with Engine(saying(program)) as engine:
        engine.ask("name")
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 5
    while not ended(child):
        assert time.monotonic() < deadline


DAEMON = """
import os, sys, time
def left(depth):  # a daemon, which forks twice and begins a session of its own, and starts further ones
    if os.fork():
        return
    os.setsid()
    os.environ.clear()
    if os.fork():
        os._exit(0)
    open(sys.argv[1] + str(depth), "w").write(str(os.getpid()))
    if depth:
        left(depth - 1)
    time.sleep(600)
left(3)
for line in sys.stdin:
    print(f"={line.split()[0]}\\n", flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of descendants")
def test_what_leaves_the_session_of_an_engine_is_ended_with_it_but_not_what_was_there_before(tmp_path):
    bystander = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        with Engine(f"{saying(DAEMON)} {tmp_path}/") as engine:
            engine.ask("name")
            files = [tmp_path / str(depth) for depth in range(4)]
            deadline = time.monotonic() + 10
            while not all(file.is_file() and file.read_text() for file in files):
                assert time.monotonic() < deadline
            assert bystander.poll() is None
        assert [ended(int(file.read_text())) for file in files] == [True] * 4
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_quick_engine_is_not_slowed_down():
    with Engine(fake()) as engine:
        engine.ask("name")
        began = time.monotonic()
        for _ in range(100):
            engine.ask("name")
        assert time.monotonic() - began < 2
