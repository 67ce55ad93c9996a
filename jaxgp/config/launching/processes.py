"""Members of a sweep in processes of this machine: each has cores and a GPU of its own for as long as it runs.

A process computes one member and ends, since JAX binds a process to its devices. The processes are those of joblib.
"""

import os
import queue
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hydra.core.singleton import Singleton
from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher

from jaxgp.config.launching import members
from jaxgp.config.launching.members import SweepMember
from jaxgp.config.launching.options import JoblibOptions
from jaxgp.errors import RunError, complain, reject

LOGS = ".joblib"
"""The folder of a sweep in which the members' outputs are kept."""
OF_GPU = 0.9
"""Share of a GPU's memory that JAX takes at its start, of all members on it together."""
VISIBLE = "CUDA_VISIBLE_DEVICES"


class Slot(NamedTuple):
    """Where one member at a time runs.

    Attributes:
        cores: the cores that its process is bound to; none: any.
        gpu: as CUDA_VISIBLE_DEVICES names it; None: it is left as it is.
        sharing: slots of the same GPU.
    """

    cores: tuple[int, ...]
    gpu: str | None = None
    sharing: int = 1

    @property
    def environment(self) -> dict[str, str]:
        """What the process is told."""
        if self.gpu is None:
            return {}
        share = {} if self.sharing == 1 else {"XLA_PYTHON_CLIENT_MEM_FRACTION": f"{OF_GPU / self.sharing:.3f}"}
        return {VISIBLE: self.gpu} | share


def slots(asked: JoblibOptions, cores: Sequence[int], gpus: Sequence[str]) -> list[Slot]:
    """Share cores and GPUs out.

    Args:
        asked: the options of the launcher.
        cores: those that there are.
        gpus: those that there are; `asked.gpus` comes before them.

    Raises:
        UsageError: there are fewer cores than are asked for.
    """
    there, gpus = len(cores), asked.gpus if asked.gpus is not None else gpus
    each = asked.cores_per_job
    if each is not None and each * (asked.n_jobs or 1) > there:
        most = there // (asked.n_jobs or 1)
        fits = f"a whole number from 1 to {most}" if most else "null"
        reject("hydra.launcher.cores_per_job", each, f"{fits}, since there are {there} cores for {asked.n_jobs or 1}")
    number = asked.n_jobs or len(gpus) or there // (each or 1)
    each = each or max(there // number, 1)
    pinned = each * number <= there
    return [
        Slot(
            tuple(cores[n * each : (n + 1) * each]) if pinned else (),
            gpus[n % len(gpus)] if gpus else "" if asked.gpus == [] else None,
            -(-(number - n % len(gpus)) // len(gpus)) if gpus else 1,
        )
        for n in range(number)
    ]


def cores() -> list[int]:
    """Return the cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def gpus(environment: Mapping[str, str], devices: Path = Path("/dev")) -> list[str]:
    """Return the NVIDIA GPUs that this process may use: those that the environment lists, or all."""
    if VISIBLE in environment:
        return [one for one in environment[VISIBLE].split(",") if one]
    return sorted(path.name.removeprefix("nvidia") for path in devices.glob("nvidia[0-9]*"))


def check(asked: JoblibOptions) -> None:
    """Check that there are as many cores as are asked for; raises UsageError."""
    slots(asked, cores(), gpus(os.environ))


def launch(asked: JoblibOptions, folder: Path, launcher: Launcher, due: Sequence[SweepMember]) -> dict[int, int]:
    """Run members, as many at once as there are slots; return their exit codes.

    Args:
        asked: the options of the launcher.
        folder: of the sweep.
        launcher: joblib's launcher of Hydra, set up.
        due: the members.
    """
    free: queue.SimpleQueue[Slot] = queue.SimpleQueue()
    made = slots(asked, cores(), gpus(os.environ))[: len(due)]
    for slot in made:
        free.put(slot)
    logs = folder / LOGS
    logs.mkdir(parents=True, exist_ok=True)
    members.say(f"{members.count_in_words(len(due))}, {len(made)} at once; their outputs: {logs}")
    processes: set[int] = set()
    one = partial(_one, launcher, free, logs, Singleton.get_state(), processes)
    threads = ThreadPoolExecutor(len(made))
    running = [threads.submit(one, member) for member in due]
    try:
        return {member.number: done.result() for member, done in zip(due, running, strict=True)}
    except BaseException as error:
        members.say("The members that run come to their end, or stop if they were told to as well; no other begins.")
        if signal.SIGTERM in error.args:  # Ctrl-C reaches them by itself
            for process in list(processes):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGTERM)
        raise
    finally:
        threads.shutdown(wait=True, cancel_futures=True)


def _one(
    launcher: Launcher,
    free: "queue.SimpleQueue[Slot]",
    logs: Path,
    state: object,
    processes: set[int],
    member: SweepMember,
) -> int:
    """Run a member in a free slot; return its exit code. Its process is among `processes` as long as it runs."""
    from hydra_plugins.hydra_joblib_launcher._core import execute_job
    from joblib.externals.loky import ProcessPoolExecutor

    log = logs / f"{member.number}_log"
    slot = free.get()
    began = (log.with_name(f"{log.name}.out"), log.with_name(f"{log.name}.err"))
    pool = ProcessPoolExecutor(1, env=slot.environment, initializer=_begin, initargs=(slot.cores, *map(str, began)))
    process = 0
    try:
        processes.add(process := pool.submit(os.getpid).result())
        given = vars(launcher)
        job = (member.number, list(member.overrides), given["hydra_context"], given["config"], given["task_function"])
        done: JobReturn = pool.submit(execute_job, *job, state).result()
        code = members.code(done)
    except SystemExit as stopped:
        code = stopped.code if isinstance(stopped.code, int) else 1
    except (BrokenProcessPool, CancelledError):
        complain(RunError(f"member {member}: its process was killed"))
        return RunError.exit_code
    finally:
        processes.discard(process)
        pool.shutdown(wait=True)
        free.put(slot)
    if code:
        why = members.failure(reversed(began))
        complain(RunError(f"member {member}: exit code {code}{f': {why}' if why else ''}"))
    else:
        members.say(f"member {member}: complete")
    return code


def _begin(cores: Sequence[int], out: str, err: str) -> None:
    """Bind this process to its cores, and send its output to files."""
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    for stream, path in ((1, out), (2, err)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        os.dup2(opened, stream)
        os.close(opened)
