"""How long a generation of islands takes on simulated devices: seconds by the number of devices.

python scripts/studies/growth/devices.py
python scripts/studies/growth/devices.py run=[experiment=mancala_islands] devices=[1,2,4,8] generations=6
python scripts/studies/growth/devices.py run=[game=mancala] grows=algorithm.population each=1024 devices=[1,2]

Each number of devices is a run of scripts/train.py in a process of its own, with the same individuals (strong
scaling), or with a number that grows with the devices (weak scaling, `grows=`). On a CPU a
device is a core, or its share of one where there are fewer. The first generation, which compiles, is not counted.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jaxgp.config import arguments
from jaxgp.errors import RunError
from jaxgp.options import MAX_COUNT, option

ROOT = Path(__file__).resolve().parents[3]
HEAD = ("devices", "seconds, median", "least", "times as fast", "first generation")


@dataclass
class Options:
    """Which devices, and which run."""

    run: list[str] = option(
        ["experiment=mancala_islands"], "options of scripts/train.py, as in [game=mancala,algorithm.islands.count=8]"
    )
    devices: tuple[int, ...] = option(
        (1, 2, 4, 8), "numbers of devices, each a divisor of the islands", low=1, high=MAX_COUNT
    )
    grows: str | None = option(None, "option of the run that grows with the devices; null: none does")
    each: int = option(1, "what `grows` is for each device", low=1, high=MAX_COUNT)
    generations: int = option(5, "that are timed, after the first", low=1, high=MAX_COUNT)


@dataclass(frozen=True)
class Times:
    """Seconds of the generations of one run: of the first one, and of those after it."""

    devices: int
    first: float
    later: tuple[float, ...]


def measure(options: Options, count: int) -> Times:
    """Run a few generations on a number of devices; raises RunError where the run fails."""
    with tempfile.TemporaryDirectory() as folder:
        own = [f"devices.count={count}", f"algorithm.generations={options.generations + 1}"]
        grown = [] if options.grows is None else [f"{options.grows}={options.each * count}"]
        words = [*options.run, *own, *grown, "logger=disabled", f"hydra.run.dir={folder}"]
        done = subprocess.run(
            [sys.executable, "scripts/train.py", *words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise RunError(f"devices={count}: {said[-1].removeprefix('error: ') if said else 'the run failed'}")
        rows = [json.loads(line) for line in (Path(folder) / "metrics.jsonl").read_text("utf-8").splitlines()]
    first, *later = [row["seconds"] for row in rows]
    return Times(count, first, tuple(later))


def table(found: Sequence[Times], grows: bool) -> Iterator[str]:
    """Yield the lines of a Markdown table; the work of a second by medians, beside that of the first row.

    Args:
        found: in the order of the rows.
        grows: whether the work of a generation grows with the devices.
    """
    yield f"| {' | '.join(HEAD)} |"
    yield "|---" * len(HEAD) + "|"
    base = statistics.median(found[0].later)
    for one in found:
        median, work = statistics.median(one.later), one.devices / found[0].devices if grows else 1
        times = work * base / median
        yield f"| {one.devices} | {median:.2f} | {min(one.later):.2f} | {times:.2f} | {one.first:.0f} |"


def task(options: Options) -> int:
    """Measure one number of devices after the other; return the exit code."""
    found = []
    for count in options.devices:
        found.append(measure(options, count))
        print(f"{count}: {statistics.median(found[-1].later):.2f} s a generation", file=sys.stderr, flush=True)
    print("\n".join(table(found, options.grows is not None)))
    print(f"\n{len(os.sched_getaffinity(0))} cores; load average {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
