"""Commands in children of this process: forked, limited in time, in a folder of their own, and judged by what they say.

A child starts in milliseconds, since its parent has imported everything. The parent must not have computed with JAX:
what JAX starts for that does not survive a fork. What a child breaks, it breaks for itself alone.
"""

import contextlib
import errno
import importlib
import os
import re
import resource
import runpy
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

import envs
from tests.golden import runs

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("train", "evaluate", "play", "tournament", "analyse", "export", "bench", "document")
CACHE = Path.home() / ".cache" / "jaxgp-reliability"
KEPT = {
    game: f"{ROOT}/docs/data/champions/{name}.jsonl#{seed}"
    for game, name, seed in (
        ("othello", "othello_few", 1),
        ("freecell", "freecell_counts", 1),
        ("rush_hour", "rush_hour_greedy", 1),
        ("backgammon", "backgammon_lessons", 1),
        ("checkers", "checkers_10x10_25co", 1),
        ("chess", "chess_truth_kqkq", 1),
        ("rars", "rars_v01", 1),
    )
}
"""Champions of the documents."""
ENVIRONMENT = runs.ENVIRONMENT | {
    "JAX_COMPILATION_CACHE_DIR": str(CACHE),
    "OPENBLAS_NUM_THREADS": "1",
    "WANDB_MODE": "offline",
}
"""Compile quickly, and keep what was compiled from one child to the next. It counts for imports that come later."""

BEGINNINGS = (
    "jaxgp.run.run:conduct",
    "jaxgp.measure.evaluation:measure_player",
    "jaxgp.measure.alone:measure",
    "jaxgp.measure.puzzles.solving:solve_suites",
    "jaxgp.measure.simulations.rollouts:measure_drivers",
    "jaxgp.host.human:TerminalGame.play",
    "jaxgp.host.driving:drive",
    "jaxgp.league.crosstable:play",
    "jaxgp.study.trials:Bench.run",
    "rivals.timing:Report",
)
"""Where the scripts begin to compute, after everything that they check; `Report` is the first thing of a benchmark."""

REACHED = 77
"""Exit code of a child that stopped where its options were accepted and computing would have begun."""
LEFT = 70
"""Exit code of a child whose command an exception left."""
MEMORY = 16 * 2**30
LONGEST = 2000
"""Characters of an error message, at most."""
OF_THE_MACHINE = [os.strerror(number) for number in sorted(errno.errorcode)] + ["memory", "disk"]


class Ended(NamedTuple):
    """How a command ended.

    Attributes:
        code: its exit code; negative: the signal that ended it; None: it did not end in time, and was killed.
        out: what it wrote to standard output.
        err: what it wrote to standard error.
        seconds: how long it took.
    """

    code: int | None
    out: str
    err: str
    seconds: float


def preload() -> None:
    """Import what scripts import, so that children need not; nothing is computed."""
    for place in (ROOT / "scripts", ROOT):
        sys.path.insert(0, str(place))
    os.environ.update(ENVIRONMENT)
    for name in SCRIPTS:
        importlib.import_module(name)
    for name in ("jaxgp.run.run", "jaxgp.report.plots", "jaxgp.study.trials", "jaxgp.league.league_report"):
        importlib.import_module(name)
    for game in envs.available():
        envs.spec(game)


def script(name: str, words: Sequence[str]) -> None:
    """Run `scripts/NAME.py` as Python runs a script; it ends in SystemExit."""
    path = ROOT / "scripts" / f"{name}.py"
    sys.argv = [str(path), *words]
    sys.path.insert(0, str(path.parent))
    runpy.run_path(str(path), run_name="__main__")


def start(
    call: Callable[[], object],
    folder: Path,
    log: Path,
    environment: Mapping[str, str] | None = None,
    memory: int = MEMORY,
) -> int:
    """Start a child that makes a call in a folder, and return its process id; `log`.out and .err get what it says."""
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads that a fork leaves behind
        child = os.fork()
    if child:
        return child
    _live(call, folder, log, environment or {}, memory)


def _live(call: Callable[[], object], folder: Path, log: Path, environment: Mapping[str, str], memory: int) -> NoReturn:
    """Make the call in this process, and end it."""
    code: object = LEFT
    try:
        signal.set_wakeup_fd(-1)  # that of the parent, which would take a signal of this process for its own
        os.setsid()
        os.chdir(folder)
        os.environ.update(environment)
        for descriptor, path, flags in (
            (0, os.devnull, os.O_RDONLY),
            (1, f"{log}.out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
            (2, f"{log}.err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        ):
            os.dup2(os.open(path, flags), descriptor)
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", errors="backslashreplace")  # noqa: SIM115
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        call()
        code = 0
    except SystemExit as ended:
        code = 0 if ended.code is None else ended.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code & 255 if isinstance(code, int) else 1)


def wait(child: int, limit: float) -> int | None:
    """Wait for a child; return its exit code, negative for a signal, or None if it had to be killed after the limit."""
    end, pause = time.monotonic() + limit, 0.001
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what the child started
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def carry_out(
    call: Callable[[], object],
    folder: Path,
    log: Path,
    limit: float,
    environment: Mapping[str, str] | None = None,
    memory: int = MEMORY,
) -> Ended:
    """Make a call in a child and wait for its end, at most `limit` seconds."""
    begin = time.monotonic()
    code = wait(start(call, folder, log, environment, memory), limit)
    return Ended(code, said(log, "out"), said(log, "err"), time.monotonic() - begin)


def said(log: Path, stream: str) -> str:
    """Return what a child wrote to a stream; the end of it where that is very much."""
    path = Path(f"{log}.{stream}")
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - 2**20, 0))
        return file.read().decode(errors="replace")


def stop_where_computing_begins(unless: Callable[[], bool] = lambda: False) -> None:
    """Make the functions in which scripts compute end the child as `REACHED`, unless a condition holds when called."""
    for place in BEGINNINGS:
        owner, name = beginning(place)
        setattr(owner, name, _ended(vars(owner)[name], unless))


def beginning(place: str) -> tuple[object, str]:
    """Return the module or the class that has one of `BEGINNINGS`, and its name there."""
    module, _, name = place.partition(":")
    owner: object = importlib.import_module(module)
    *within, name = name.split(".")
    for part in within:
        owner = vars(owner)[part]
    return owner, name


def _ended(function: Callable[..., object], unless: Callable[[], bool]) -> Callable[..., object]:
    def reached(*arguments: object, **named: object) -> object:
        if unless():
            return function(*arguments, **named)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(REACHED)

    return reached


def fault(ended: Ended, names: Iterable[str] = (), options: Iterable[str] = ()) -> str:
    """Say what is wrong with the end of a command; empty if nothing is.

    Args:
        ended: how it ended.
        names: names of options of the command line, of which a message with exit code 2 has to hold one; none: any.
        options: all options of the script; a message that begins with one of them names it as well.
    """
    if ended.code is None:
        return f"hang: killed after {ended.seconds:.0f} s"
    if ended.code == LEFT or "Traceback (most recent call last)" in ended.err:
        return "traceback: " + last_line(ended.err)
    if ended.code in (0, REACHED):
        return "an error, and exit code 0" if any(_errors(ended.err)) else ""
    if ended.code not in (1, 2):
        return f"exit code {ended.code}: " + last_line(ended.err)
    lines = [line for line in ended.err.split("\n") if line.strip() and not line.startswith("warning: ")]
    if len(lines) != 1 and ended.code == 2:
        return f"{len(lines)} lines on stderr: " + last_line(ended.err)
    if not lines or not lines[-1].startswith("error: ") or len(list(_errors(ended.err))) != 1:
        return f"exit code {ended.code} without one line that says error: " + last_line(ended.err)
    if len(lines[-1]) > LONGEST:
        return f"a message of {len(lines[-1])} characters: {lines[-1][:200]}"
    if ended.code == 1 and not any(reason.lower() in lines[-1].lower() for reason in OF_THE_MACHINE):
        return "exit code 1 for no reason of the machine: " + lines[-1]
    names, says = list(names), lines[-1].removeprefix("error: ")
    begun = re.split(r"[=:\s]", says, maxsplit=1)[0] in set(options)
    if ended.code == 2 and names and not begun and not any(name in says for name in names):
        return "a message without the name of an option: " + lines[-1]
    return ""


def _errors(err: str) -> Iterator[str]:
    return (line for line in err.split("\n") if line.startswith("error: "))


def last_line(text: str) -> str:
    """Return the last line that says anything, cut to a line of a table."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return lines[-1][:300] if lines else "nothing was said"
