"""Signals: what they end at once, what they let finish, and what they leave behind."""

import os
import signal
import threading
import time

import pytest

from jaxgp import terminal
from jaxgp.run import outcome, patience
from jaxgp.run.patience import GivenUp, wait_for
from jaxgp.run.signals import Stop
from tests.run.conduct_toy import rows, start
from tests.run.toy_experiment import ToyExperiment, config


class Slow(ToyExperiment):
    """Compiling sends a signal and then takes until the end of the test."""

    def __init__(self, number):
        super().__init__(config())
        self.number = number
        self.done = threading.Event()

    def compiled(self, state):
        os.kill(os.getpid(), self.number)
        self.done.wait(20)
        return super().compiled(state)


@pytest.fixture
def exits(monkeypatch):
    """Let `os._exit` raise SystemExit, and draw no pictures."""

    def leave(code):
        raise SystemExit(code)

    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(outcome, "write", lambda run: [])


@pytest.mark.usefixtures("exits")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_while_the_first_generation_compiles_ends_at_once_and_leaves_nothing(tmp_path, capsys, number):
    experiment = Slow(number)
    begin = time.monotonic()
    with pytest.raises(SystemExit) as ended:
        start(tmp_path / "run", experiment, config())
    experiment.done.set()
    assert time.monotonic() - begin < 10
    assert ended.value.code == 128 + number
    out = capsys.readouterr().out
    assert f"{number.name}: stopping at once, since nothing is lost: the program still compiles" in out
    assert "Stopped before the first generation" in out
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("exits")
def test_a_stop_while_a_resumed_run_compiles_ends_at_once_and_leaves_the_run(tmp_path, capsys):
    path = tmp_path / "run"
    start(path, ToyExperiment(config()), config())
    before = rows(path)
    experiment = Slow(signal.SIGINT)
    with pytest.raises(SystemExit):
        start(path, experiment, config(generations=9), resumed=True)
    experiment.done.set()
    assert "Stopped after 7 of 9 generations. Go on with:" in capsys.readouterr().out
    assert rows(path) == before
    assert start(path, ToyExperiment(config(generations=9)), config(generations=9), resumed=True) == 0
    assert len(rows(path)) == 9


@pytest.mark.parametrize("where", ["in the last generation", "in the report"])
def test_a_stop_is_remembered_when_nothing_is_left_to_do(tmp_path, monkeypatch, capsys, where):
    stop = lambda *_: os.kill(os.getpid(), signal.SIGTERM)  # noqa: E731
    monkeypatch.setattr(outcome, "write", (lambda run: stop() or []) if where == "in the report" else lambda run: [])
    interrupt = (lambda generation: stop() if generation == 6 else None) if where != "in the report" else lambda _: None
    code = start(tmp_path / "run", ToyExperiment(config(), interrupt), config())
    assert code == 143
    assert len(rows(tmp_path / "run")) == 7
    assert '"complete"' in (tmp_path / "run" / "status.json").read_text()
    then = "stopping once the report is written" if where == "in the report" else "stopping after this generation"
    assert f"SIGTERM: {then}" in capsys.readouterr().out


def test_a_stop_within_a_command_is_told_by_the_run_and_by_nobody_else(capsys, monkeypatch):
    monkeypatch.setattr(terminal, "MOMENT", 0.05)
    with terminal.Interrupts() as around:
        with Stop(print) as stop:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.3)
        stop.pass_on()
        assert around.signal is None, "the exit code of the run says it"
    assert capsys.readouterr() == ("SIGTERM: stopping after this generation\n", "")


def test_what_another_thread_returns_or_raises_arrives_here():
    assert wait_for(lambda: 5) == 5
    with pytest.raises(ZeroDivisionError):
        wait_for(lambda: 1 / 0)


def test_waiting_tells_the_seconds_and_can_be_given_up(monkeypatch):
    monkeypatch.setattr(patience, "TICK", 0.01)
    told, done = [], threading.Event()
    with pytest.raises(GivenUp):
        wait_for(done.wait, give_up=lambda: len(told) == 3, tell=told.append)
    done.set()
    assert told == sorted(told)
    assert told[0] >= 0.01


def test_the_second_signal_ends_the_process(monkeypatch):
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    with Stop() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.requested
        assert not ended
        os.kill(os.getpid(), signal.SIGINT)
    assert ended == [130]


def test_the_handler_before_gets_the_signal_in_the_end():
    got = []
    before = signal.signal(signal.SIGUSR2, lambda number, frame: got.append(number))
    try:
        with Stop() as stop:
            os.kill(os.getpid(), signal.SIGUSR2)
        assert not got
        stop.pass_on()
        assert got == [signal.SIGUSR2]
    finally:
        signal.signal(signal.SIGUSR2, before)
