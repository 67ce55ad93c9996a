import sys

import pytest

from jaxgp.run import outcome
from jaxgp.run.tracking import Tracker
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


def test_disabled_does_not_import_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)  # importing it would fail
    warnings: list[str] = []
    tracker = Tracker(config(), RunDirectory(tmp_path), warnings.append)
    tracker.update({"generation": 0})
    tracker.finish({})
    assert not warnings
    assert not list(tmp_path.iterdir())


def test_a_failure_at_the_start_is_told_once_and_the_run_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "wandb", None)
    assert run(tmp_path / "run", offline()) == 0
    assert capsys.readouterr().out.count("Weights & Biases is off: ") == 1
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7


def test_a_failure_later_is_told_once_and_the_run_goes_on(tmp_path, monkeypatch, capsys):
    class Broken:
        def __init__(self, *args, **kwargs):
            self.logged = 0

        def define_metric(self, *args, **kwargs):
            pass

        def log(self, row):
            self.logged += 1
            if self.logged == 3:
                raise ConnectionError("the network\nis gone")

        def finish(self, exit_code):
            raise AssertionError("after a failure nothing more is sent")

    import wandb

    monkeypatch.setattr(wandb, "init", Broken)
    assert run(tmp_path / "run", offline()) == 0
    out = capsys.readouterr().out
    assert out.count("Weights & Biases") == 1
    assert "Weights & Biases is off: the network" in out
    assert len(record.read(tmp_path / "run" / "metrics.jsonl")) == 7
