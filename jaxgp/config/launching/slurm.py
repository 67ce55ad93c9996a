"""Members of a sweep as jobs of SLURM, submitted as an array by submitit.

What a member has come to is read in its run directory, not in what its job returned: a job that is requeued may fail in
the moment of its end, and go on all the same. So results, which submitit pickles, are never loaded.
"""

import math
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hydra.core.singleton import Singleton
from hydra.plugins.launcher import Launcher

from jaxgp.config.launching import members
from jaxgp.config.launching.job import Job
from jaxgp.config.launching.members import AnyPlan, SweepMember
from jaxgp.config.launching.options import SlurmOptions, minutes
from jaxgp.errors import RunError, UsageError, complain, reject
from jaxgp.printable import one_line

JOBS = ".submitit"
"""The folder of a sweep in which submitit keeps a folder for each job, with its outputs."""
PATIENCE = 120.0
"""Seconds that a command of SLURM may take."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
"""Seconds between two looks at the queue."""
RESUME = "resume="
GONE = "Invalid job id"
"""What squeue says of jobs that have ended a while ago."""


def processes(asked: SlurmOptions, due: Sequence[SweepMember]) -> int:
    """Return the processes of a member on each node; raises UsageError where that contradicts `devices.processes`."""
    counts = {int(one.config.get("devices", {}).get("processes", 1)) for one in due}
    if len(counts) > 1:
        raise UsageError("devices.processes: accepted: one value for all members of an array")
    wanted = counts.pop() if counts else 1
    if asked.ntasks_per_node is None:
        if wanted % asked.nodes:
            reject("hydra.launcher.nodes", asked.nodes, f"a divisor of devices.processes={wanted}")
        return wanted // asked.nodes
    if asked.ntasks_per_node * asked.nodes != wanted:
        there = f"devices.processes={wanted} / hydra.launcher.nodes={asked.nodes}"
        reject("hydra.launcher.ntasks_per_node", asked.ntasks_per_node, f"{there}, or null")
    return asked.ntasks_per_node


def flags(asked: SlurmOptions) -> dict[str, str | bool]:
    """Return the options of sbatch that say what a job needs, beside its time, its nodes and its processes."""
    named = {name: getattr(asked, name) for name in ("partition", "account", "qos", "constraint", "mem")}
    found: dict[str, str | bool] = {name: value for name, value in named.items() if value is not None}
    if asked.cpus_per_task is not None:
        found["cpus-per-task"] = str(asked.cpus_per_task)
    if asked.gpus_per_node:
        found["gpus-per-node"] = str(asked.gpus_per_node)
    found["requeue" if asked.requeues else "no-requeue"] = True
    for one in asked.sbatch:
        name, given, value = one.removeprefix("--").partition("=")
        found[name] = value if given else True
    return found


def check(asked: SlurmOptions, due: Sequence[SweepMember]) -> None:
    """Ask SLURM whether it would take a job; raises UsageError."""
    tasks = processes(asked, due)
    if missing := next((name for name in ("sbatch", "squeue", "sinfo") if shutil.which(name) is None), None):
        raise UsageError(f"hydra/launcher=slurm: there is no {missing} here; run this where jobs are submitted")
    _check_partition(asked)
    words = {"time": asked.time, "nodes": str(asked.nodes), "ntasks-per-node": str(tasks)} | flags(asked)
    given = [f"--{name}" if value is True else f"--{name}={value}" for name, value in words.items()]
    trial = _asked(["sbatch", "--test-only", *given, "--wrap", "true"])
    if trial.returncode:
        raise UsageError(f"hydra.launcher: SLURM refuses {' '.join(given)} ({_reason(trial)})")


def _check_partition(asked: SlurmOptions) -> None:
    """Check the partition and its time limit, which sbatch would let pass; raises UsageError."""
    limits = {}
    for line in _asked(["sinfo", "-h", "-o", "%P %l"]).stdout.splitlines():
        name, _, limit = line.partition(" ")
        limits[name.removesuffix("*")] = limit
        if name.endswith("*"):
            limits[""] = limit
    names = asked.partition.split(",") if asked.partition else [""]
    if limits and any(name and name not in limits for name in names):
        reject("hydra.launcher.partition", asked.partition, ", ".join(sorted(filter(None, limits))))
    longest = max((limits.get(name, "infinite") for name in names), key=_minutes)
    if minutes(asked.time) > _minutes(longest):
        reject("hydra.launcher.time", asked.time, f"up to {longest}, the limit of the partition")


def _minutes(limit: str) -> float:
    """Return a limit, as sinfo writes it, in minutes."""
    if not limit[:1].isdigit():
        return math.inf
    return minutes(limit if "-" in limit or limit.count(":") > 1 else f"0:{limit}")


def launch(
    asked: SlurmOptions, folder: Path, name: str, launcher: Launcher, due: Sequence[SweepMember]
) -> dict[int, int]:
    """Submit members, and return at once; their exit codes are 0.

    Args:
        asked: the options of the launcher.
        folder: of the sweep.
        name: of the jobs.
        launcher: submitit's launcher of Hydra, set up.
        due: the members.

    Raises:
        RunError: SLURM refused them.
    """
    submit(asked, folder, name, launcher, due)
    return {one.number: 0 for one in due}


def launch_and_wait(
    asked: SlurmOptions,
    folder: Path,
    name: str,
    finished: Callable[[AnyPlan], bool],
    launcher: Launcher,
    due: Sequence[SweepMember],
) -> dict[int, int]:
    """Submit members and wait until the queue holds none of them; return their exit codes, by their run directories.

    Arguments are those of `launch`; `finished` says of a plan whether nothing is left to do.
    """
    job, logs = submit(asked, folder, name, launcher, due)
    try:
        wait(job)
    except KeyboardInterrupt:
        members.say(f"The jobs go on; `scancel {job}` ends them.")
        raise
    codes = {}
    for one, log in zip(due, logs, strict=True):
        codes[one.number] = 0 if finished(one.plan) else RunError.exit_code
        if codes[one.number]:
            why = members.failure([log.with_suffix(".err"), log.with_suffix(".out")])
            complain(RunError(f"member {one}: not complete{f': {why}' if why else ''}; its output: {log}.err"))
    return codes


def submit(
    asked: SlurmOptions, folder: Path, name: str, launcher: Launcher, due: Sequence[SweepMember]
) -> tuple[str, list[Path]]:
    """Submit members; return the number of their array, and the outputs of each, without `.out` and `.err`.

    A job goes on with the run that an earlier job of the same member has left.
    """
    import submitit

    python = shlex.quote(asked.python or sys.executable)
    executor = submitit.SlurmExecutor(
        folder=folder / JOBS / "%j",
        max_num_timeout=asked.requeues,
        python=f"{asked.container} {python}" if asked.container else python,
    )
    executor.update_parameters(
        job_name=name,
        time=minutes(asked.time),
        nodes=asked.nodes,
        ntasks_per_node=processes(asked, due),
        array_parallelism=asked.array_parallelism,
        signal_delay_s=math.ceil(asked.signal_delay),
        setup=list(asked.setup) or None,
        additional_parameters=flags(asked),
    )
    words = [[*one.overrides, *([] if _resumes(one) else [f"{RESUME}auto"])] for one in due]
    numbers, state = [one.number for one in due], Singleton.get_state()
    given = (words, ["hydra.sweep.dir"] * len(due), numbers, list(map(str, numbers)), [state] * len(due))
    try:
        jobs: list[Any] = executor.map_array(Job(launcher), *given)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        raise RunError(f"hydra/launcher=slurm: nothing was submitted ({one_line(error)})") from error
    number = jobs[0].job_id.partition("_")[0]
    members.say(f"Submitted as job {number}, {members.count_in_words(len(due))}; their outputs: {folder / JOBS}")
    return number, [job.paths.stdout.with_suffix("") for job in jobs]


def _resumes(member: SweepMember) -> bool:
    return any(word.lstrip("+").startswith(RESUME) for word in member.overrides)


def wait(job: str) -> None:
    """Wait until the queue holds no member of a job; say what they do whenever that changes."""
    pause, before = FIRST_PAUSE, ""
    while (now := count_queued(job)) is not None:
        if now != before:
            members.say(f"job {job}: {now or 'the queue does not answer'}")
            pause, before = FIRST_PAUSE, now
        time.sleep(pause)
        pause = min(1.5 * pause, LONGEST_PAUSE)


def count_queued(job: str) -> str | None:
    """Say how many members of a job are in which state; None if none is queued, "" if the queue does not answer."""
    asked = _asked(["squeue", "-h", "-r", "-j", job, "-o", "%T %r"])
    if asked.returncode:
        return None if GONE in asked.stderr else ""
    counts = Counter(asked.stdout.splitlines())
    if not counts:
        return None
    said = []
    for line, number in sorted(counts.items()):
        state, _, why = line.partition(" ")
        said.append(f"{number} {state.lower()}" + (f" ({why})" if why not in ("", "None") else ""))
    return ", ".join(said)


def _asked(words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Call a command of SLURM; one that does not answer within `PATIENCE` seconds has failed."""
    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 1, "", f"{words[0]}: no answer within {PATIENCE:g} s")


def _reason(done: "subprocess.CompletedProcess[str]") -> str:
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return one_line(lines[-1] if lines else f"exit code {done.returncode}")
