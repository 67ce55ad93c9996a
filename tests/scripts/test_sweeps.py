"""Sweeps of whole runs: what they leave, one run after the other and several at once."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

ROOT = Path(__file__).resolve().parents[2]
SWEEP = [
    "-m",
    "game=morpion",
    "game.size=20",
    "algorithm.population=8",
    "algorithm.generations=2",
    "algorithm.elites=0,1",
    "seed=3,4",
    "cores=1",
    "logger=disabled",
    "compilation_cache=null",
]


def train(*words):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "train.py"), *words], env=environment, capture_output=True, text=True
    )


def records(folder):
    """The rows of each run without times, by its number."""
    found = {run.name: (run / "metrics.jsonl").read_text().splitlines() for run in folder.glob("[0-9]")}
    return {
        name: [{k: v for k, v in json.loads(line).items() if k not in ("seconds", "elapsed")} for line in lines]
        for name, lines in sorted(found.items())
    }


@pytest.mark.slow
def test_a_sweep_leaves_a_page_and_a_launcher_of_processes_computes_the_same_runs(tmp_path):
    """Four runs one after the other, and two at once: the same records. One is lost, and the sweep makes it anew."""
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher", reason="needs hydra-joblib-launcher")
    one, two = tmp_path / "one", tmp_path / "two"
    done = train(*SWEEP, f"hydra.sweep.dir={one}")
    assert done.returncode == 0, done.stderr
    assert "algorithm.elites=0: 2 of 2 finished" in done.stdout
    table = pandas.read_csv(one / "results.csv")
    assert list(table["setting"]) == ["algorithm.elites=0"] * 2 + ["algorithm.elites=1"] * 2
    assert list(table["seed"]) == [3, 4, 3, 4]

    launched = train(*SWEEP, f"hydra.sweep.dir={two}", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2")
    assert launched.returncode == 0, launched.stderr
    assert records(two) == records(one)

    shutil.rmtree(two / "2")
    again = train(*SWEEP, f"hydra.sweep.dir={two}", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "resume=auto")
    assert again.returncode == 0, again.stderr
    assert records(two) == records(one)
    assert list(pandas.read_csv(two / "results.csv")["state"]) == ["complete"] * 4


@pytest.mark.slow
def test_seeds_in_one_program_are_the_runs_of_a_sweep(tmp_path):
    """On one device, and shared by two; killed on the way and gone on with."""
    options = [word for word in SWEEP[1:] if word != "algorithm.elites=0,1" and not word.startswith("seed=")]
    swept, one, two = tmp_path / "swept", tmp_path / "one", tmp_path / "two"
    done = train("-m", *options, "seed=3,4,5", f"hydra.sweep.dir={swept}", "hydra.sweep.subdir=${seed}")
    assert done.returncode == 0, done.stderr

    done = train(*options, "seeds=3-5", f"hydra.run.dir={one}")
    assert done.returncode == 0, done.stderr
    assert "all runs: 3 of 3 finished" in done.stdout
    assert records(one) == records(swept)

    done = train(*options, "seeds=3-5", f"hydra.run.dir={two}", "devices.count=2")
    assert done.returncode == 0, done.stderr
    assert records(two) == records(swept)

    shutil.rmtree(two / "4" / "checkpoints")
    (two / "4" / "metrics.jsonl").unlink()
    shutil.rmtree(two / "5")
    done = train(*options, "seeds=3-5", f"hydra.run.dir={two}", "resume=auto")
    assert done.returncode == 2, done.stdout
    assert "checkpoints are missing" in done.stderr
    shutil.rmtree(two / "4")
    done = train(*options, "seeds=3-5", f"hydra.run.dir={two}", "resume=auto")
    assert done.returncode == 0, done.stderr
    assert records(two) == records(swept)
