"""How long a run takes to its first generation: cold, where nothing is compiled yet, and warm, where all is.

python scripts/studies/growth/first.py
python scripts/studies/growth/first.py games=[mancala,walls] options=[seed=1]

`scripts/train.py game=NAME` begins with an empty folder of compiled programs, and is ended when its record has a row;
then it begins again with what the first run compiled. CPU-seconds are those of all cores, from the start of a command.
Each game adds two rows to a table (CSV), from which `scripts/document.py` makes a table of docs/performance.md.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import datetime
import os
import platform
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib import metadata

from jaxgp.config import arguments
from jaxgp.errors import RunError, reject
from jaxgp.files import user_path
from jaxgp.options import MAX_SECONDS, option
from jaxgp.search.cores import available
from jaxgp.store.table import CSVTable
from studies.growth.populations import CONFIG_DIR, column

TRAIN = Path(__file__).resolve().parents[2] / "train.py"
GAMES = tuple(sorted(path.stem for path in (CONFIG_DIR / "game").glob("*.yaml")))


@dataclass
class Options:
    """Which games, and where the rows go."""

    games: tuple[str, ...] = option(GAMES, "the games, as in scripts/train.py")
    options: list[str] = option([], "other options of scripts/train.py, as in [algorithm.population=64]")
    seconds: float = option(900.0, "by the clock for one game, at most", low=1, high=MAX_SECONDS, unit="seconds")
    table: str = option("outputs/analysis/first_generations.csv", "the table that rows are added to", path=True)


@dataclass(frozen=True)
class First:
    """The way of a run to its first generation; the fields are the columns of the table."""

    game: str = column("the game")
    options: str = column("other options of the run")
    compiled: str = column("no: the run found nothing compiled; yes: it found what the run before it had compiled")
    cpu_seconds: float = column("of all cores together, until the record had a row")
    seconds: float = column("by the clock, until then")
    load: float = column("load average of the machine, of the minute that ended then")
    cores: int = column("CPU cores that the process could use")
    jax: str = column("version of JAX")
    python: str = column("version of Python")
    date: str = column("day, UTC")


COLUMNS: Mapping[str, str] = {one.name: one.metadata["says"] for one in fields(First)}
"""The columns of the table and what is in them."""


def measure(game: str, options: list[str], limit: float) -> tuple[First, First]:
    """Start a run twice, cold and warm; raises RunError if no row comes."""
    with tempfile.TemporaryDirectory(prefix="first-") as name:
        folder = Path(name)
        cold = _start(game, options, limit, folder / "cold", folder / "programs", compiled="no")
        return cold, _start(game, options, limit, folder / "warm", folder / "programs", compiled="yes")


def _start(game: str, options: list[str], limit: float, run: Path, programs: Path, compiled: str) -> First:
    """Start a run, wait for its first row and end it; `programs` is the folder of compiled programs."""
    own = [f"hydra.run.dir={run}", f"compilation_cache={programs}", "logger=disabled"]
    environment = {name: value for name, value in os.environ.items() if name != "JAX_COMPILATION_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = str(programs)  # native libraries are compiled anew, too
    command = [sys.executable, str(TRAIN), f"game={game}", *options, *own]
    with tempfile.TemporaryFile("w+") as said:
        begin = time.monotonic()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=said)
        last = lambda: os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # noqa: E731
        seconds = _wait(lambda: _has_row(run / "metrics.jsonl") or bool(last()), begin, limit)
        load = os.getloadavg()[0]
        os.kill(process.pid, signal.SIGKILL)  # one that has ended waits below, and nobody else has its number
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = -signal.SIGKILL
        if not _has_row(run / "metrics.jsonl"):
            said.seek(0)
            why = (said.read().strip().splitlines() or ["no message"])[-1].removeprefix("error: ")
            raise RunError(f"game={game}: no row after {seconds:.0f} seconds ({why})")
    return First(
        game,
        " ".join(options),
        compiled,
        round(usage.ru_utime + usage.ru_stime, 1),
        round(seconds, 1),
        round(load, 1),
        available(),
        metadata.version("jax"),
        platform.python_version(),
        datetime.datetime.now(datetime.UTC).date().isoformat(),
    )


def _has_row(record: Path) -> bool:
    return record.is_file() and b"\n" in record.read_bytes()


def _wait(done: Callable[[], bool], begin: float, limit: float) -> float:
    """Wait until something is done, or for the time that is left; return the seconds since the beginning."""
    while not done() and time.monotonic() - begin < limit:
        time.sleep(0.02)
    return time.monotonic() - begin


def task(options: Options) -> int:
    """Measure one game after the other, each with two rows and a line; return the exit code."""
    if unknown := [name for name in options.games if name not in GAMES]:
        reject("games", unknown, ", ".join(GAMES))
    table = CSVTable(user_path("table", options.table), COLUMNS)
    table.check("table")
    table.path.parent.mkdir(parents=True, exist_ok=True)
    for game in options.games:
        found = measure(game, options.options, options.seconds)
        for one in found:
            table.append({name: getattr(one, name) for name in COLUMNS}, warn=arguments.say)
        cold, warm = (f"{one.cpu_seconds:.0f} CPU-seconds, {one.seconds:.0f} s by the clock" for one in found)
        print(f"{game}: cold {cold}; warm {warm}; load {found[0].load}", flush=True)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
