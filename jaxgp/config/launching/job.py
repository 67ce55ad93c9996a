"""A member of a sweep inside its job of SLURM: how it ends, and how it goes on in another job.

submitit requeues a job that SLURM is about to end for its time limit, which it says by SIGUSR2. A job that is preempted
gets SIGTERM, and a while to end. One that ends by itself in this while is not requeued by SLURM, so it requeues itself.
The run saves before: its own handlers come first, and pass the signal on.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from types import FrameType

from hydra.plugins.launcher import Launcher

from jaxgp.config.launching import members

Handler = Callable[[int, FrameType | None], object]

RUNNING = "RUNNING"
"""The state of a job that is preempted, as long as it may still end by itself; not of one that somebody cancelled."""


class Job:
    """What submitit calls in a job: a launcher of Hydra's, which runs the member."""

    def __init__(self, launcher: Launcher) -> None:
        self._launcher = launcher

    def __call__(self, *arguments: object) -> None:
        """Run the member; a member that failed ends the process with its exit code."""
        take_signals()
        code = members.carry_out(lambda: self._launcher(*arguments))  # type: ignore[operator]
        if code:
            sys.exit(code)

    def checkpoint(self, *arguments: object) -> object:
        """Return what a requeued job calls, the same again; submitit calls this."""
        import submitit

        return submitit.helpers.DelayedSubmission(self, *arguments)


def take_signals() -> None:
    """Let SIGTERM requeue this job as SIGUSR2 does, unless the job is being ended for good."""
    requeue = signal.getsignal(signal.SIGUSR2)
    if not callable(requeue):
        return
    handle = _last(requeue)
    signal.signal(signal.SIGUSR2, handle)
    signal.signal(signal.SIGTERM, lambda number, frame: handle(number, frame) if is_running() else None)


def _last(requeue: Handler) -> Handler:
    """Return a handler that ends the process even where SLURM ends the command that requeues the job."""

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            requeue(number, frame)
        except (subprocess.SubprocessError, OSError) as error:
            print(f"the job may not be requeued: {error}", file=sys.stderr, flush=True)
            sys.exit(128 + number)

    return handle


def is_running() -> bool:
    """Return whether SLURM counts this job as running."""
    job = os.environ.get("SLURM_JOB_ID", "")
    try:
        words = ["squeue", "-h", "-j", job, "-o", "%T"]
        asked = subprocess.run(words, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):  # in a container, say
        return False
    return asked.stdout.split() == [RUNNING]
