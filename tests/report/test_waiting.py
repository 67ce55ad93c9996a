"""What is said while something takes long."""

import io
import sys
import threading
import time

import pytest

from jaxgp.report import waiting
from jaxgp.report.waiting import waiting as wait
from jaxgp.seats.agents import Agent


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(waiting, "MOMENT", 0.01)


@pytest.mark.usefixtures("impatient")
def test_a_wait_is_one_line_where_nobody_watches(capsys):
    with wait("Compiling a program"):
        time.sleep(0.2)
    assert capsys.readouterr() == ("", "Compiling a program ...\n")


@pytest.mark.usefixtures("impatient")
def test_a_terminal_shows_the_seconds_of_a_wait_and_then_clears_them(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with wait("Compiling a program"):
        time.sleep(0.7)
    shown = sys.stderr.getvalue()
    assert "Compiling a program ... 1 s" in shown
    assert shown.rstrip().endswith("\x1b[2K"), "the line is erased at the end"


@pytest.mark.usefixtures("impatient")
def test_how_far_something_is_is_said_now_and_then_where_nobody_watches(capsys, monkeypatch):
    monkeypatch.setattr(waiting, "EVERY", 0.05)
    done, until = [0], time.monotonic() + 20
    with waiting.following(lambda: f"{done.append(done[-1] + 1) or done[-1]} of 100 solved"):
        while done[-1] < 3:  # the third is asked for when two have been said
            assert time.monotonic() < until
            time.sleep(0.01)
    assert capsys.readouterr().err.startswith("1 of 100 solved\n2 of 100 solved\n")


@pytest.mark.usefixtures("impatient")
def test_a_terminal_shows_how_far_something_is(monkeypatch):
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    done, until = [3], time.monotonic() + 20
    with waiting.following(lambda: f"{done[-1]} of 100 solved"):
        for number in (3, 7):
            done.append(number)
            while f"{number} of 100 solved ... " not in sys.stderr.getvalue():
                assert time.monotonic() < until
                time.sleep(0.01)


def test_a_short_wait_is_not_mentioned_and_a_failure_passes_through(capsys):
    with pytest.raises(ZeroDivisionError), wait("Dividing"):
        print(1 / 0)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("impatient")
def test_a_player_compiles_at_its_first_move_and_thinks_at_others(capsys):
    slow = Agent("slow", lambda state, bits: time.sleep(0.05) or state)
    for then, said in (("slow thinks", "slow thinks ...\n"), (None, "")):
        player = waiting.announce(slow, "Compiling slow", then)
        assert [player.choose(move, 0) for move in (4, 5)] == [4, 5]
        assert capsys.readouterr().err == f"Compiling slow ...\n{said}"


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("watched", [False, True])
def test_a_wait_goes_on_where_nothing_can_be_shown(monkeypatch, watched):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(28, "No space left on device")

        def isatty(self):
            return watched

    monkeypatch.setattr("sys.stderr", Full())
    monkeypatch.setenv("TERM", "xterm")
    with wait("Compiling a program"):
        time.sleep(0.1)
    assert not [one for one in threading.enumerate() if one.name.endswith("(_show)")]
