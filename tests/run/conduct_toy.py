"""Running an experiment in a directory, the toy one above all, and comparing what two runs left behind."""

from pathlib import Path
from typing import Any

import numpy as np

from jaxgp.config import schema
from jaxgp.run.resume import RunPlan
from jaxgp.run.run import conduct
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory
from tests.run.toy_experiment import ToyExperiment

TIMES = ("seconds", "elapsed")


def run(path: Path, config: schema.Config, resumed: bool = False, interrupt=lambda generation: None) -> int:
    """Start or resume a run of the toy experiment; returns the exit code."""
    try:
        return start(path, ToyExperiment(config, interrupt), config, resumed)
    except SystemExit as stopped:
        return int(stopped.code)


def start(path: Path, experiment: Any, config: schema.Config, resumed: bool = False) -> int:
    """Start or resume a run of any experiment; returns the exit code."""
    path.mkdir(exist_ok=True)
    directory = RunDirectory(path)
    directory.lock()
    try:
        return conduct(RunPlan(config, path, resumed), [directory], experiment)
    finally:
        directory.unlock()


def rows(path: Path) -> list[dict]:
    """The record without its times."""
    found = record.read(path / "metrics.jsonl")
    return [{name: value for name, value in row.items() if name not in TIMES} for row in found]


def final(path: Path) -> dict[str, np.ndarray]:
    """The arrays of the newest checkpoint."""
    newest = max((path / "checkpoints").glob("*.npz"))
    with np.load(newest) as archive:
        return {name: archive[name] for name in archive.files}


def assert_same(one: Path, other: Path) -> None:
    """Two runs left the same record, champion and last state."""
    assert rows(one) == rows(other)
    assert (one / "champion.json").read_text() == (other / "champion.json").read_text()
    ours, theirs = final(one), final(other)
    assert ours.keys() == theirs.keys()
    for name in ours:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
