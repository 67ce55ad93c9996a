"""Options of the launchers of sweeps, `hydra.launcher.*`. Needs only Python."""

import re
from dataclasses import dataclass

from jaxgp.errors import reject
from jaxgp.options import MAX_CORES, MAX_COUNT, MAX_SECONDS, option

TIME = re.compile(r"(?:(?P<days>\d{1,4})-)?(?P<hours>\d{1,4})(?::(?P<minutes>\d\d))?(?::(?P<seconds>\d\d))?")
TIMES = "HOURS:MINUTES:SECONDS, as in 12:00:00, or DAYS-HOURS:MINUTES:SECONDS; in a file between quotes"
_WORD = re.compile(r"[^\s,;]+")


def minutes(time: str) -> int:
    """Return a time limit in whole minutes, rounded up; 0 if it is written in another form.

    Plain numbers and MINUTES:SECONDS, which sbatch takes as well, are none: YAML reads 12:00 as the number 720.
    """
    found = TIME.fullmatch(time)
    if found is None or (found["days"] is None and found["seconds"] is None):
        return 0
    days, hours, left, seconds = (int(part or 0) for part in found.groups())
    return 0 if max(left, seconds) > 59 else (days * 24 + hours) * 60 + left + (seconds > 0)


@dataclass
class JoblibOptions:
    """Members of a sweep in processes of this machine, which share its cores and its GPUs; needs `.[joblib]`."""

    n_jobs: int | None = option(
        None,
        "members that run at once; null: one for each GPU, or for every cores_per_job cores",
        low=1,
        high=MAX_CORES,
    )
    cores_per_job: int | None = option(
        None, "cores of each, which no other member uses; null: the cores divided by n_jobs", low=1, high=MAX_CORES
    )
    gpus: list[str] | None = option(
        None,
        "GPUs, as CUDA_VISIBLE_DEVICES numbers them, which members get in turn; null: those that there are; []: none",
        test=lambda name: _WORD.fullmatch(name) is not None,
        accepted="a list of numbers, as in [0,1]",
    )


@dataclass
class SlurmOptions:
    """Members of a sweep as an array of jobs of SLURM; needs `.[slurm]`. Names are sbatch's where it has them."""

    partition: str | None = option(None, "the partition; null: the cluster's own")
    account: str | None = option(None, "whose time is spent")
    qos: str | None = option(None, "quality of service")
    constraint: str | None = option(None, "features that nodes must have")
    time: str = option(
        "1:00:00",
        "time limit of a job; a run that needs more goes on in another job",
        test=lambda text: minutes(text) > 0,
        accepted=TIMES,
    )
    nodes: int = option(1, "nodes of each member", low=1, high=MAX_CORES)
    ntasks_per_node: int | None = option(
        None, "processes of a member on each node; null: as devices.processes says", low=1, high=MAX_CORES
    )
    cpus_per_task: int | None = option(None, "cores of each process; null: the cluster's own", low=1, high=MAX_CORES)
    gpus_per_node: int = option(0, "GPUs of a member on each node", low=0, high=MAX_CORES)
    mem: str | None = option(
        None,
        "memory of a member on each node; null: the cluster's own",
        test=lambda text: re.fullmatch(r"\d+[KMGT]", text) is not None,
        accepted="a whole number with its unit, K, M, G or T, as in 16G",
    )
    array_parallelism: int = option(256, "members that run at once", low=1, high=MAX_COUNT)
    requeues: int = option(
        20, "how often a member goes on in another job after its time limit; 0: never", low=0, high=MAX_COUNT
    )
    signal_delay: int = option(
        120,
        "how long before its time limit a run is told to save; a generation has to fit into it",
        low=1,
        high=MAX_SECONDS,
        unit="seconds",
    )
    container: str | None = option(None, "words in front of python, as in `apptainer exec --nv image.sif`")
    python: str | None = option(None, "the interpreter of the jobs; null: the one that runs this command", path=True)
    setup: list[str] = option([], "lines of shell before python, as in [module load cuda]")
    sbatch: list[str] = option(
        [],
        "further options of sbatch, as in [--exclusive,--mail-type=END]",
        test=lambda text: re.fullmatch(r"--[a-z][a-z-]*(=.+)?", text) is not None,
        accepted="a list of sbatch's long options, as in [--exclusive,--mail-type=END]",
    )
    wait: bool = option(True, "stay until all members have ended, and make the sweep's page; false: submit and return")

    def laws(self, prefix: str) -> None:
        """Check that a job lasts longer than the run needs for saving; raises UsageError."""
        most = minutes(self.time) * 60 - 1
        if self.signal_delay > most:
            reject(f"{prefix}signal_delay", self.signal_delay, f"1 to {most}, less than {prefix}time={self.time}")


LAUNCHERS: dict[str, type[JoblibOptions] | type[SlurmOptions]] = {"joblib": JoblibOptions, "slurm": SlurmOptions}
"""Options by the name of the launcher."""
