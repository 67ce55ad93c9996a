"""Running the toy experiment in a directory, and comparing what two runs left behind."""

import contextlib
from pathlib import Path

import numpy as np

from jaxgp.experiment import record, schema
from jaxgp.experiment.directory import RunDirectory
from jaxgp.experiment.resume import Plan
from jaxgp.experiment.run import conduct
from tests.experiment.toy_experiment import ToyExperiment

TIMES = ("seconds", "elapsed")


def run(path: Path, config: schema.Config, resumed: bool = False, interrupt=lambda generation: None) -> int:
    """Start or resume a run; returns the exit code."""
    path.mkdir(exist_ok=True)
    directory = RunDirectory(path)
    directory.lock()
    with contextlib.closing(_Unlock(directory)):
        try:
            return conduct(Plan(config, path, resumed), directory, ToyExperiment(config, interrupt))
        except SystemExit as stopped:
            return int(stopped.code)


class _Unlock:
    def __init__(self, directory: RunDirectory) -> None:
        self.close = directory.unlock


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
