"""Sweeps on a real SLURM of one node: an array, a run in two processes, and jobs that are preempted."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

from tests.reliability import kills
from tests.slurm import cluster

ROOT = Path(__file__).resolve().parents[2]
TINY = ["game=morpion", "game.size=20", "logger=disabled", "cores=1"]
SHORT = [*TINY, "algorithm.population=8", "algorithm.generations=2"]
LONG = [*TINY, "algorithm.population=8", "algorithm.generations=400", "checkpoint_every=30"]
ISLANDS = [
    *TINY,
    "algorithm.population=32",
    "algorithm.islands.count=4",
    "algorithm.islands.migrants=1",
    "algorithm.islands.first=1",
    "algorithm.islands.every=3",
    "algorithm.generations=6",
]
SLURM = ["hydra/launcher=slurm", "hydra.launcher.partition=debug", "hydra.launcher.time=0:30:00"]
PATIENCE = 1500.0
"""Seconds for a run, on a machine that has much else to do."""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """The environment of commands, while a SLURM runs."""
    pytest.importorskip("hydra_plugins.hydra_submitit_launcher", reason="needs the extra slurm")
    if why := cluster.missing():
        pytest.skip(why)
    with cluster.started(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}


def start(environment, *words):
    command = [sys.executable, str(ROOT / "scripts" / "train.py"), *words]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def train(environment, *words):
    """Run a command to its end; returns what it says."""
    said, _ = (running := start(environment, *words)).communicate(timeout=PATIENCE)
    assert running.returncode == 0, said
    return said


def test_a_sweep_is_an_array_and_leaves_a_table_and_a_page(slurm, tmp_path):
    """Three seeds of two settings, each in what stands for a container; begun again, nothing is left to do."""
    options = ["-m", *SHORT, "algorithm.elites=0,1", "seed=0,1,2", f"hydra.sweep.dir={tmp_path}/sweep"]
    launcher = [*SLURM, "hydra.launcher.gpus_per_node=1", "hydra.launcher.setup=['export SET_UP=yes']"]
    launcher += ["hydra.launcher.container=env IN_A_CONTAINER=yes", "hydra.launcher.array_parallelism=2"]
    said = train(slurm, *options, *launcher)
    assert re.search(r"Submitted as job \d+, 6 members", said)
    table = pandas.read_csv(tmp_path / "sweep" / "results.csv")
    assert list(table["state"]) == ["complete"] * 6
    assert list(table["setting"]) == ["algorithm.elites=0"] * 3 + ["algorithm.elites=1"] * 3
    assert list(table["seed"]) == [0, 1, 2] * 2
    assert "algorithm.elites=1" in (tmp_path / "sweep" / "report.html").read_text()
    (script,) = (tmp_path / "sweep" / ".submitit").rglob("*_submission.sh")
    for line in (
        r"#SBATCH --array=0-5%2",
        r"#SBATCH --gpus-per-node=1",
        r"export SET_UP=yes",
        r"env IN_A_CONTAINER=yes",
    ):
        assert line in script.read_text()

    again = train(slurm, *options, *launcher, "resume=auto")
    assert "Already complete: 6 of 6 members." in again
    assert "Submitted" not in again


def test_a_member_that_fails_is_named_with_the_line_that_runs_it_again(slurm, tmp_path):
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "1").write_text("a file, where a directory should be")
    running = start(slurm, "-m", *SHORT, "seed=0,1", f"hydra.sweep.dir={tmp_path}/sweep", *SLURM)
    said, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    assert "1 of 2 members of the sweep failed: 1 (seed=1)" in said
    assert re.search(r"Run them again:\n  python .*train.py -m .*resume=auto", said)


def test_two_tasks_of_a_job_compute_one_run_on_islands(slurm, tmp_path):
    train(slurm, *ISLANDS, f"hydra.run.dir={tmp_path}/one")
    shared = ["devices.processes=2", "devices.count=2"]
    train(slurm, "-m", *ISLANDS, *shared, f"hydra.sweep.dir={tmp_path}/two", *SLURM)
    logs = list((tmp_path / "two" / ".submitit").rglob("*_log.out"))
    assert len(logs) == 2, "a process each"
    one, two = rows(tmp_path / "one"), rows(tmp_path / "two" / "0")
    assert sum(row["migrants"] for row in one) > 0
    assert two == one
    assert (tmp_path / "two" / "0" / "champion.json").read_text() == (tmp_path / "one" / "champion.json").read_text()


def rows(folder):
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [{k: v for k, v in json.loads(line).items() if k not in ("seconds", "elapsed")} for line in lines]


@pytest.fixture(scope="module")
def whole(slurm, tmp_path_factory):
    """The run that nobody disturbs."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    train(slurm, *LONG, f"hydra.run.dir={folder}")
    return kills.end(folder)


def preempt(environment, job):
    """Submit a job that needs the whole node, to a partition whose jobs come first; SLURM does the rest."""
    cluster.said(["sbatch", "-p", "high", "--exclusive", "-o", os.devnull, "--wrap", "sleep 1"], environment)


def warn_of_the_time_limit(environment, job):
    """Send the signal that SLURM sends before the time limit."""
    cluster.said(["scancel", "--signal=USR2", job], environment)


@pytest.mark.parametrize("disturb", [preempt, warn_of_the_time_limit])
def test_a_job_that_is_told_to_end_is_requeued_and_comes_to_the_same_end(slurm, whole, tmp_path, disturb):
    running = start(slurm, "-m", *LONG, f"hydra.sweep.dir={tmp_path}/sweep", *SLURM)
    record = tmp_path / "sweep" / "0" / "metrics.jsonl"
    cluster.until(lambda: record.is_file() and record.read_bytes().count(b"\n") > 60, PATIENCE)
    (job,) = {word.partition("_")[0] for word in cluster.said(["squeue", "-h", "-o", "%i"], slurm).split()}
    disturb(slurm, job)
    cluster.until(lambda: " PENDING" in state(slurm, job) or running.poll() is not None, PATIENCE)
    reached = record.read_bytes().count(b"\n")
    assert 60 < reached < 400
    assert "Restarts=1" in cluster.said(["scontrol", "show", "job", job], slurm)
    cluster.said(["scontrol", "update", f"jobid={job}", "starttime=now"], slurm)  # SLURM would wait for two minutes
    said, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, said
    assert f"going on after {reached}" in log(tmp_path / "sweep")
    assert kills.differences(whole, kills.end(tmp_path / "sweep" / "0")) == []


def state(environment, job):
    return " " + cluster.said(["squeue", "-h", "-j", job, "-o", "%T"], environment)


def log(folder):
    return "".join(path.read_text() for path in (folder / ".submitit").rglob("*_log.out"))
