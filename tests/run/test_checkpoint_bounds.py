"""Checkpoints of the right shapes with values that no run writes: they are passed over, and the run goes on."""

import shutil

import numpy as np
import pytest

from jaxgp.errors import UsageError
from jaxgp.run import outcome
from tests.run.conduct_toy import assert_same, run
from tests.run.toy_experiment import config

HARMS = [
    (".champion.genome.size", 77, "champion: genome: size: accepted: 1 to the nodes up to there"),
    (".champion.genome.opcode", 500, "champion: genome: opcode: accepted: 0 to 1"),
    (".champion.genome.length", -5, "champion: genome: length: accepted: 0 to 4"),
    (".champion.genome.value", np.nan, "champion: genome: value: accepted: finite numbers"),
    (".champion.genome.value", 500.0, "champion: genome: value of INT: accepted: a whole number from 0 to 99"),
    (".champion.fitness", np.nan, "champion: fitness: accepted: numbers"),
    (".champion.generation", 10**6, "champion: generation: accepted: -1 to 7"),
    (".population.length", 1000, "population: length: accepted: 0 to 4"),
    (".population.length", 0, "population: length: accepted: at least 1"),
    (".population.opcode", -1, "population: opcode: accepted: 0 to 1"),
    (".generation", 3, "generation: accepted: 7"),
    (".memory['nested'][0].genome.length", 99, "memory: genome: length: accepted: 0 to 4"),
]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(outcome, "write", lambda run: [])


@pytest.fixture(scope="module")
def ends(tmp_path_factory):
    """A run of seven generations, and the same after nine."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outcome, "write", lambda run: [])
        assert run(folder / "seven", config()) == 0
        shutil.copytree(folder / "seven", folder / "nine")
        assert run(folder / "nine", config(generations=9), resumed=True) == 0
    return folder


def harm(path, array, value):
    """Write a value into the first place of an array of a checkpoint."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    assert array in arrays, list(arrays)
    arrays[array] = np.array(arrays[array])
    arrays[array].reshape(-1)[0] = value
    np.savez(path, **arrays)


@pytest.mark.few(3)
@pytest.mark.parametrize(("array", "value", "said"), HARMS, ids=[f"{array}={value}" for array, value, _ in HARMS])
def test_an_impossible_value_is_named_and_the_checkpoint_before_is_used(ends, tmp_path, capsys, array, value, said):
    path = tmp_path / "run"
    shutil.copytree(ends / "seven", path)
    harm(path / "checkpoints" / "generation_00000007.npz", array, value)
    assert run(path, config(generations=9), resumed=True) == 0
    assert f"generation_00000007.npz: {said}" in capsys.readouterr().err
    assert_same(path, ends / "nine")


def test_a_run_with_no_other_checkpoint_is_refused_in_one_line(ends, tmp_path):
    path = tmp_path / "run"
    shutil.copytree(ends / "seven", path)
    for file in (path / "checkpoints").iterdir():
        harm(file, ".population.length", 1000)
    with pytest.raises(UsageError, match="population: length: accepted: 0 to 4"):
        run(path, config(generations=9), resumed=True)
