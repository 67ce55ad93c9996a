"""A SLURM of one node, this machine, for tests: root, no systemd, no cgroups, no accounting. It installs nothing.

Two partitions share the node: jobs of `high` preempt those of `debug`, which are requeued. Its two GPUs are made up.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scontrol", "scancel", "srun")
GRACE = 30
"""Seconds that a preempted job is left, after SIGTERM, before it is killed and requeued."""
PATIENCE = 60.0
"""Seconds until the node has to be idle."""
CONFIG = """\
ClusterName=local
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
KillWait=5
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.log
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} Gres=gpu:2 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=1-00:00:00 State=UP PriorityTier=1 GraceTime={grace}
PartitionName=high Nodes=ALL MaxTime=1-00:00:00 State=UP PriorityTier=10
"""


def missing() -> str:
    """Say why no SLURM can be started here; empty if one can."""
    if lacking := [name for name in NEEDED if shutil.which(name) is None]:
        return f"needs SLURM and munge; without {', '.join(lacking)} (Debian: apt-get install slurm-wlm munge)"
    if os.getuid() != 0:
        return "needs root, to start SLURM"
    if running("slurmctld") or running("slurmd"):
        return "a SLURM runs on this machine already"
    return ""


def running(name: str) -> list[int]:
    """Return the ids of the processes of a program."""
    found = subprocess.run(["pidof", name], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in found.split()]


@contextmanager
def started(folder: Path) -> Iterator[dict[str, str]]:
    """Within this context a SLURM runs, whose files are in a folder; yields the environment of its commands."""
    host = socket.gethostname().partition(".")[0]
    for name in ("state", "spool", "log"):
        (folder / name).mkdir(parents=True)
    folder.chmod(0o755)
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    settings = {"host": host, "folder": folder, "cpus": os.cpu_count(), "memory": pages // 2**20 * 3 // 4}
    config = folder / "slurm.conf"
    config.write_text(CONFIG.format(**settings, grace=GRACE))
    (folder / "gres.conf").write_text(f"NodeName={host} Name=gpu File=/dev/tty[0-1]\n")  # any character devices will do
    environment = {**os.environ, "SLURM_CONF": str(config)}
    of_munge: list[int] = []
    try:
        if not running("munged"):
            subprocess.run(["install", "-d", "-o", "munge", "-g", "munge", "/run/munge"], check=True)
            subprocess.run(["runuser", "-u", "munge", "--", "munged"], check=True)
            of_munge = running("munged")
        for name, clean in (("slurmctld", ["-c"]), ("slurmd", [])):
            subprocess.run([name, *clean, "-f", str(config)], check=True, env=environment)
        until(lambda: said(["sinfo", "-h", "-p", "debug", "-o", "%t"], environment) == "idle", PATIENCE)
        yield environment
    finally:
        subprocess.run(["scancel", "--full", "-u", "root"], env=environment, capture_output=True, check=False)
        numbers = [folder / f"{name}.pid" for name in ("slurmd", "slurmctld")]
        for process in [*(int(one.read_text()) for one in numbers if one.is_file()), *of_munge]:
            end(process)


def end(process: int) -> None:
    """End a daemon, and wait until it is gone."""
    for number in (15, 9):
        try:
            os.kill(process, number)
            for _ in range(50):
                time.sleep(0.1)
                os.kill(process, 0)
        except ProcessLookupError:
            return


def said(words: list[str], environment: dict[str, str]) -> str:
    """Return what a command of SLURM prints."""
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout.strip()


def until(condition, seconds: float) -> None:
    """Wait for a condition; raises AssertionError if it does not come in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.2)
