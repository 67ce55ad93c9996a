import os
import signal
import subprocess
import time

import pytest

from jaxgp.run import outcome
from jaxgp.run.mirroring import tracking
from jaxgp.run.mirroring.tracking import Tracker
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory
from tests.run import wandb_log
from tests.run.conduct_toy import run
from tests.run.toy_experiment import config


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(outcome, "write", lambda run: None)
    for name in ("WANDB_MODE", "WANDB_DIR", "WANDB_DISABLED", "WANDB_PROJECT"):
        monkeypatch.delenv(name, raising=False)


def offline(**algorithm):
    tracked = config(**algorithm)
    tracked.logger.mode = "offline"
    tracked.logger.project = "test-project"
    tracked.logger.tags = ["a", "b"]
    return tracked


def mirrored(folder):
    """The history without what W&B adds."""
    rows = wandb_log.read(folder)["history"]
    return [{name: value for name, value in row.items() if not name.startswith("_")} for row in rows]


@pytest.mark.slow
def test_the_mirror_equals_the_record_also_when_resumed(tmp_path):
    path = tmp_path / "run"
    assert run(path, offline(generations=5)) == 0
    (first,) = (path / "wandb").glob("offline-run-*")
    read = wandb_log.read(first)
    assert mirrored(first) == record.read(path / "metrics.jsonl")
    assert (read["project"], read["tags"], read["exit"]) == ("test-project", ["a", "b"], 0)
    assert read["config"]["algorithm"]["population"] == 8
    assert read["summary"]["champion"]
    assert run(path, offline(generations=8), resumed=True) == 0
    (second,) = set((path / "wandb").glob("offline-run-*")) - {first}
    assert wandb_log.read(second)["id"] == read["id"] == (path / "wandb_id.txt").read_text().strip()
    assert mirrored(first) + mirrored(second) == record.read(path / "metrics.jsonl")


def test_disabled_starts_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tracking, "COMMAND", ("false",))
    warnings: list[str] = []
    tracker = Tracker(config(), RunDirectory(tmp_path), warnings.append)
    tracker.update({"generation": 0})
    tracker.finish({})
    assert not warnings
    assert not list(tmp_path.iterdir())


WANDB = """
import time

class Run:
    def __init__(self): self.logged = 0
    def define_metric(self, *args, **kwargs): pass
    @property
    def summary(self): return {{}}
    def log(self, row):
        self.logged += 1
        {log}
    def finish(self, exit_code):
        {finish}

def Settings(**kwargs): pass
def init(**kwargs): return Run()
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Put another module in the place of W&B, in the process that speaks with it."""

    def put(text=None, log="pass", finish="pass"):
        folder = tmp_path / "modules"
        folder.mkdir()
        (folder / "wandb.py").write_text(text or WANDB.format(log=log, finish=finish))
        monkeypatch.setenv("PYTHONPATH", str(folder))

    return put


def told(capsys):
    """What was said of W&B, after a whole run."""
    return [line for line in capsys.readouterr().out.splitlines() if "Weights & Biases" in line]


def test_a_failure_at_the_start_is_told_once_and_the_run_goes_on(tmp_path, fake, capsys):
    fake("raise ImportError('it is not\\ninstalled')")
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == ["Weights & Biases is off: it is not"]
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7


def test_a_failure_later_is_told_once_and_the_run_goes_on(tmp_path, fake, capsys):
    fake(log="if self.logged == 3: raise ConnectionError('the network\\nis gone')", finish="1 / 0")
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == ["Weights & Biases is off: the network"]
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7


@pytest.mark.parametrize("where", ["log", "finish"])
def test_a_service_that_hangs_is_left_behind(tmp_path, fake, capsys, monkeypatch, where):
    fake(**{where: "time.sleep(100)"})
    monkeypatch.setattr(tracking, "FINISH_TIMEOUT", {"offline": 0.5})
    begin = time.monotonic()
    assert run(tmp_path / "run", offline()) == 0
    assert time.monotonic() - begin < 20
    assert told(capsys) == [
        "Weights & Biases is off: no answer within 0.5 s; `wandb sync` sends what lies in the run directory"
    ]
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7


def test_a_service_that_takes_no_rows_never_fills_the_memory(tmp_path, fake, capsys, monkeypatch):
    fake("import time; time.sleep(100)")
    monkeypatch.setattr(tracking, "MOST_WAITING", 3)
    monkeypatch.setattr(Tracker, "_send", lambda self, stream: None)
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == ["Weights & Biases is off: it lags 3 rows behind"]


def test_its_process_dies_and_the_run_goes_on(tmp_path, fake, capsys):
    fake("import os; os._exit(7)")
    assert run(tmp_path / "run", offline()) == 0
    assert told(capsys) == ["Weights & Biases is off: its process has ended"]


def test_an_id_that_is_none_is_made_anew(tmp_path):
    for damaged in (b"\xff", b"", b"../../x\n", b"x" * 1000):
        (tmp_path / "id.txt").write_bytes(damaged)
        name = tracking._identity(tmp_path / "id.txt")
        assert name.isalnum()
        assert tracking._identity(tmp_path / "id.txt") == name


@pytest.mark.slow
def test_a_frozen_service_keeps_nobody_waiting(tmp_path, capsys, monkeypatch):
    """The service of W&B itself, stopped by a signal in the middle of a run."""
    monkeypatch.setattr(tracking, "FINISH_TIMEOUT", {"offline": 3.0})

    def freeze():
        """Return the processes of W&B's service that were stopped."""
        found = subprocess.run(["pgrep", "-f", "wandb-core"], capture_output=True, text=True, check=False)
        numbers = [int(number) for number in found.stdout.split()]
        for number in numbers:
            os.kill(number, signal.SIGSTOP)
        return numbers

    stopped = []

    def interrupt(generation):
        while generation == 3 and not stopped:
            time.sleep(0.2)
            stopped.extend(freeze())

    try:
        assert run(tmp_path / "run", offline(), interrupt=interrupt) == 0
    finally:
        for number in stopped:
            os.kill(number, signal.SIGKILL)
    assert len(told(capsys)) == 1
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7
