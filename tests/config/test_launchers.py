"""Launchers of sweeps: how a machine is shared out, and options that are refused before anything is submitted."""

import importlib.util
import os
import re
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from jaxgp.config.launching import chosen, members, processes, slurm
from jaxgp.config.launching.members import SweepMember
from jaxgp.config.launching.options import JoblibOptions, SlurmOptions, minutes
from jaxgp.config.launching.processes import Slot
from jaxgp.errors import UsageError

JOBLIB = ("-m", "seed=0", "hydra/launcher=joblib")
SLURM = ("-m", "seed=0", "hydra/launcher=slurm")
SINFO = 'echo "gpu* 2-00:00:00"; echo "short 30:00"'


def slots(cores, there=(), **asked):
    return processes.slots(JoblibOptions(**asked), range(cores), list(there))


@pytest.mark.parametrize(
    ("asked", "cores", "gpus", "shares"),
    [
        ({}, 4, "", [((0,), None), ((1,), None), ((2,), None), ((3,), None)]),
        ({"n_jobs": 2}, 4, "", [((0, 1), None), ((2, 3), None)]),
        ({"cores_per_job": 2}, 5, "", [((0, 1), None), ((2, 3), None)]),
        ({}, 4, "01", [((0, 1), "0"), ((2, 3), "1")]),
        ({"n_jobs": 3}, 3, "57", [((0,), "5"), ((1,), "7"), ((2,), "5")]),
        ({"gpus": ["3"]}, 2, "01", [((0, 1), "3")]),
        ({"gpus": [], "n_jobs": 2}, 2, "01", [((0,), ""), ((1,), "")]),
        ({"n_jobs": 3}, 2, "", [((), None)] * 3),
    ],
)
def test_members_share_the_cores_and_take_gpus_in_turn(asked, cores, gpus, shares):
    assert [(slot.cores, slot.gpu) for slot in slots(cores, gpus, **asked)] == shares


def test_members_of_one_gpu_share_its_memory():
    first, second, third = slots(3, "57", n_jobs=3)
    assert first.environment == {"CUDA_VISIBLE_DEVICES": "5", "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.450"}
    assert (second.environment, third.environment) == ({"CUDA_VISIBLE_DEVICES": "7"}, first.environment)
    assert Slot((0,)).environment == {}


def test_a_member_is_named_by_what_distinguishes_it_as_it_was_typed():
    own = ("seed=1", "++algorithm.population=100")
    assert str(SweepMember(3, ("game=mancala", *own), OmegaConf.create(), Path("3"), None, own)) == (
        "3 (seed=1 algorithm.population=100)"
    )


@pytest.mark.thorough
def test_members_in_one_process_have_a_line_before_and_after_each(call, monkeypatch):
    said = []
    monkeypatch.setattr(members, "say", said.append)
    code, _, plans = call("-m", "seed=3,4", task=lambda plan: 7 * (plan.config.seed == 4))
    assert (code, len(plans)) == (7, 2)
    assert said[:4] == [
        "member 0 (seed=3): begins",
        "member 0 (seed=3): complete",
        "member 1 (seed=4): begins",
        "member 1 (seed=4): exit code 7",
    ]


def test_more_cores_than_there_are_are_refused():
    with pytest.raises(UsageError, match="cores_per_job=3: accepted: a whole number from 1 to 2, since there are 4"):
        slots(4, cores_per_job=3, n_jobs=2)


def test_gpus_are_those_of_the_environment_or_of_the_machine(tmp_path):
    for name in ("nvidia1", "nvidia0", "nvidiactl"):
        (tmp_path / name).touch()
    assert processes.gpus({}, tmp_path) == ["0", "1"]
    assert processes.gpus({"CUDA_VISIBLE_DEVICES": "2,3"}, tmp_path) == ["2", "3"]
    assert processes.gpus({"CUDA_VISIBLE_DEVICES": ""}, tmp_path) == []


@pytest.mark.parametrize(
    ("time", "found"),
    [("12:00:00", 720), ("1-00:00:00", 1440), ("2-12", 3600), ("0:00:30", 1), ("0:01:01", 2)]
    + [(wrong, 0) for wrong in ("60", "43200", "12:00", "1:60:00", "-1", "", "one hour", "1-2-3")],
)
def test_time_limits_have_one_meaning(time, found):
    assert minutes(time) == found


def test_sbatch_is_told_what_was_asked_for():
    asked = SlurmOptions(partition="gpu", gpus_per_node=1, mem="16G", sbatch=["--exclusive", "--mail-type=END"])
    told = {"partition": "gpu", "gpus-per-node": "1", "mem": "16G", "requeue": True}
    assert slurm.flags(asked) == told | {"exclusive": True, "mail-type": "END"}
    assert slurm.flags(SlurmOptions(requeues=0)) == {"no-requeue": True}


@pytest.fixture
def cluster(tmp_path_factory, monkeypatch):
    """Commands of SLURM that answer as a cluster with two partitions does, and take no job with 9 GPUs."""
    pytest.importorskip("hydra_plugins.hydra_submitit_launcher", reason="needs the extra slurm")
    folder = tmp_path_factory.mktemp("bin")
    refusal = 'case "$*" in *gpus-per-node=9*) echo "allocation failure: not available" >&2; exit 1;; esac'
    for name, script in (("sinfo", SINFO), ("squeue", ""), ("sbatch", refusal)):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


WRONG = [
    ("partition=cpu", "hydra.launcher.partition=cpu: accepted: gpu, short"),
    ("time=60", "hydra.launcher.time=60: accepted: HOURS:MINUTES:SECONDS, as in 12:00:00"),
    ("time=90:00:00", "hydra.launcher.time=90:00:00: accepted: up to 2-00:00:00, the limit of the partition"),
    ("gpus_per_node=-1", "hydra.launcher.gpus_per_node=-1: accepted: a whole number from 0"),
    ("gpus_per_node=9", "hydra.launcher: SLURM refuses --time=1:00:00 --nodes=1 --ntasks-per-node=1 --gpus-per-node=9"),
    ("mem=16", "hydra.launcher.mem=16: accepted: a whole number with its unit"),
    ("ntasks_per_node=2", "hydra.launcher.ntasks_per_node=2: accepted: devices.processes=1 / hydra.launcher.nodes=1"),
    ("nodes=2", "hydra.launcher.nodes=2: accepted: a divisor of devices.processes=1"),
    ("sbatch=[-x]", "hydra.launcher.sbatch=[-x]: accepted: a list of sbatch's long options"),
    ("signal_delay=7200", "hydra.launcher.signal_delay=7200: accepted: 1 to 3599, less than hydra.launcher.time"),
    ("gpus=1", "hydra.launcher.gpus: unknown option"),
]


@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize(("option", "message"), WRONG, ids=[option for option, _ in WRONG])
def test_what_the_cluster_does_not_have_is_one_line(call, option, message, tmp_path):
    code, err, plans = call(*SLURM, f"hydra.launcher.{option}")
    assert (code, plans, err.count("\n")) == (2, [], 1)
    assert err.startswith(f"error: {message}")
    assert not list(tmp_path.iterdir()), "nothing is written"


@pytest.mark.few(2)
@pytest.mark.parametrize("option", ["n_jobs=0", "n_jobs=-1", "cores_per_job=x", "gpus=0", "cores_per_job=1025"])
def test_wrong_options_of_joblib_are_one_line(call, option, tmp_path):
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher", reason="needs the extra joblib")
    code, err, plans = call(*JOBLIB, f"hydra.launcher.{option}")
    assert (code, plans, err.count("\n")) == (2, [], 1)
    assert err.startswith(f"error: hydra.launcher.{option}: accepted: ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["joblib", "slurm"])
def test_a_launcher_without_its_extra_names_the_extra(call, monkeypatch, name):
    monkeypatch.setattr(chosen, "_is_there", lambda package: False)
    code, err, plans = call("-m", "seed=0,1", f"hydra/launcher={name}")
    said = f"error: hydra/launcher={name}: not installed; pip install -e '.[{name}]'\n"
    assert (code, err, plans) == (2, said, [])


def test_a_machine_without_slurm_says_so(call, monkeypatch, tmp_path):
    pytest.importorskip("hydra_plugins.hydra_submitit_launcher", reason="needs the extra slurm")
    monkeypatch.setenv("PATH", str(tmp_path))
    code, err, _ = call(*SLURM)
    assert (code, err) == (
        2,
        "error: hydra/launcher=slurm: there is no sbatch here; run this where jobs are submitted\n",
    )


@pytest.mark.skipif(not importlib.util.find_spec("hydra_plugins.hydra_joblib_launcher"), reason="needs joblib")
def test_a_launcher_without_a_sweep_is_refused(call):
    code, err, plans = call("hydra/launcher=joblib")
    said = "error: hydra/launcher=joblib: accepted: basic; others need -m, also for one run\n"
    assert (code, err, plans) == (2, said, [])


def test_the_queue_is_said_in_words(monkeypatch, tmp_path):
    script = tmp_path / "squeue"
    for lines, code, found in (
        ("RUNNING None\\nRUNNING None\\nPENDING Resources", 0, "1 pending (Resources), 2 running"),
        ("", 0, None),
        ("slurm_load_jobs error: Invalid job id specified", 1, None),
        ("Unable to contact slurm controller", 1, ""),
    ):
        script.write_text(f"#!/bin/sh\nprintf '{lines}' >&{1 + code}\nexit {code}\n")
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        assert slurm.count_queued("7") == found


def test_the_example_of_a_cluster_names_only_options_that_there_are():
    text = (Path(__file__).parents[2] / "conf/hydra/launcher/example_cluster.yaml").read_text()
    named = set(re.findall(r"^(\w+):", text, re.M)) - {"defaults"}
    assert named < vars(SlurmOptions()).keys()
