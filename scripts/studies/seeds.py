"""Compare runs of several seeds in one program with a process for each: seconds, memory, and whether they are equal.

python scripts/studies/seeds.py
python scripts/studies/seeds.py game=walls generations=20
python scripts/studies/seeds.py options=[game.stones=3,algorithm.elites=2] devices=1

Each way begins without compiled programs and keeps them in a folder of its own. As many processes run at a time as
there are cores. Memory is the most that a process held, times the processes at a time.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from jaxgp.config import arguments
from jaxgp.errors import RunError
from jaxgp.options import MAX_CORES, MAX_COUNT, MAX_POPULATION, option
from jaxgp.search.cores import available
from jaxgp.store import record

TRAIN = Path(__file__).resolve().parents[1] / "train.py"
TIMES = ("seconds", "elapsed")


@dataclass
class Options:
    """Which runs."""

    game: str = option("mancala", "the game, as in scripts/train.py")
    seeds: int = option(10, "runs, of the seeds from 0", low=2, high=1000)
    population: int = option(64, "individuals of a run", low=2, high=MAX_POPULATION)
    generations: int = option(10, "generations of a run", low=1, high=MAX_COUNT)
    devices: int | None = option(
        None, "cores that share the runs of one program; null: those of this machine", low=1, high=MAX_CORES
    )
    options: list[str] = option([], "other options of scripts/train.py, as in [algorithm.elites=2]")


class Used(NamedTuple):
    """What a command has used: seconds of the clock, and the most bytes of memory at a time."""

    seconds: float
    memory: int


def train(words: Sequence[str]) -> Used:
    """Run scripts/train.py in a process; raises RunError if that fails."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([sys.executable, str(TRAIN), *words], stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            last = (said.read().strip().splitlines() or ["no message"])[-1]
            raise RunError(f"scripts/train.py {' '.join(words)}: {last.removeprefix('error: ')}")
    return Used(time.perf_counter() - begin, usage.ru_maxrss * 1024)


def separate(words: Sequence[str], seeds: int, folder: Path, at_once: int) -> Used:
    """Run a process for each seed; raises RunError."""
    begin = time.perf_counter()
    each = [[*words, f"seed={seed}", f"hydra.run.dir={folder / str(seed)}"] for seed in range(seeds)]
    with ThreadPoolExecutor(at_once) as pool:
        used = list(pool.map(train, each))
    return Used(time.perf_counter() - begin, at_once * max(one.memory for one in used))


def rows(run: Path) -> list[dict]:
    """Return the record of a run without its times."""
    return [
        {name: value for name, value in row.items() if name not in TIMES} for row in record.read(run / "metrics.jsonl")
    ]


def task(options: Options) -> int:
    """Run both ways, and print a line for each."""
    cores = available()
    devices = options.devices or min(cores, options.seeds)
    common = [
        f"game={options.game}",
        f"algorithm.population={options.population}",
        f"algorithm.generations={options.generations}",
        "logger=disabled",
        *options.options,
    ]
    with tempfile.TemporaryDirectory(prefix="jaxgp-") as name:
        folder = Path(name)
        at_once = min(cores, options.seeds)
        apart = separate([*common, f"compilation_cache={folder / 'a'}"], options.seeds, folder / "apart", at_once)
        print(said(f"{options.seeds} processes, {at_once} at a time", apart), flush=True)
        together = folder / "together"
        one = [f"seeds=0-{options.seeds - 1}", f"devices.count={devices}", f"compilation_cache={folder / 'b'}"]
        used = train([*common, *one, f"hydra.run.dir={together}"])
        print(said(f"one program, {devices} devices", used), flush=True)
        equal = sum(rows(folder / "apart" / str(seed)) == rows(together / str(seed)) for seed in range(options.seeds))
        print(
            f"equal records: {equal} of {options.seeds}; time {used.seconds / apart.seconds:.2f} of that of processes"
        )
    return 0 if equal == options.seeds else 1


def said(way: str, used: Used) -> str:
    """Return a way as a line."""
    return f"{way}: {used.seconds:.0f} s, {used.memory / 2**30:.2f} GiB"


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
