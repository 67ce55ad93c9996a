"""What a generation costs by the size of the population: games a second, memory, compiling.

python scripts/studies/growth/populations.py
python scripts/studies/growth/populations.py game=walls populations=[65,255,1025] options=[algorithm.immigrants=0]

The first generations of runs of scripts/train.py are timed. The generation before them fills the tables of opponents
and is not counted. Each population adds a row to a table (CSV), from which `scripts/document.py` makes the tables of
docs/performance.md. A population that would take longer than `seconds` is left out, and so are all larger ones.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import datetime
import os
import platform
import resource
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import envs
from jaxgp.config import arguments, validate
from jaxgp.config.compose import Composer
from jaxgp.config.schema import Config
from jaxgp.files import user_path
from jaxgp.options import MAX_COUNT, MAX_POPULATION, MAX_SECONDS, option
from jaxgp.store.table import CSVTable

if TYPE_CHECKING:
    from jaxgp.evolution.state import EvolutionState

CONFIG_DIR = Path(__file__).resolve().parents[3] / "conf"


@dataclass
class Options:
    """Which populations, and where the rows go."""

    game: str = option("mancala", "the game, as in scripts/train.py")
    populations: tuple[int, ...] = option(
        (64, 256, 1024, 4096, 16384, 65536), "individuals, in ascending order", low=1, high=MAX_POPULATION
    )
    options: list[str] = option([], "other options of scripts/train.py, as in [fitness.opponents.minimax.depth=2]")
    generations: int = option(3, "generations that are timed, of each population", low=1, high=MAX_COUNT)
    seconds: float = option(
        300.0, "of all cores together for one population, at most", low=1, high=MAX_SECONDS, unit="seconds"
    )
    table: str = option("outputs/analysis/populations.csv", "the table that rows are added to", path=True)


def column(says: str) -> Any:
    """Declare a column of the table, in words."""
    return field(metadata={"says": says})


@dataclass(frozen=True)
class Cost:
    """A generation of one population; the fields are the columns of the table."""

    game: str = column("the game")
    options: str = column("other options of the run")
    population: int = column("individuals")
    chunk: int = column("individuals that were evaluated at a time")
    games: int = column("games that the last of the timed generations played")
    cpu_seconds: float = column("of a generation, of all cores together: the median of those that were timed")
    seconds: float = column("of a generation by the clock: the median")
    compile_seconds: float = column("of tracing and compiling, by the clock")
    needed: int = column("bytes that the compiler counts: arguments, results and temporaries")
    peak: int = column("the most bytes that the process has held so far, compiling included")
    load: float = column("load average of the machine, of the minute that ends with the last generation")
    cores: int = column("CPU cores that the process may use")
    device: str = column("kind of the device")
    jax: str = column("version of JAX")
    python: str = column("version of Python")
    date: str = column("day, UTC")


COLUMNS: Mapping[str, str] = {one.name: one.metadata["says"] for one in fields(Cost)}
"""The columns of the table and what is in them."""


def measure(options: Options, population: int, composer: "Composer[Config]") -> Cost:
    """Time generations of one population; raises UsageError for wrong options."""
    import jax

    from jaxgp.run import assemble, memory

    words = [f"game={options.game}", *options.options, f"algorithm.population={population}"]
    config = validate.check(composer.compose(words), envs)
    experiment = assemble.assemble(config, envs)
    state: EvolutionState = experiment.init(jax.random.key(config.seed))
    begin = time.perf_counter()
    program = experiment.compiled(state)
    compiling = time.perf_counter() - begin
    state, metrics = jax.block_until_ready(program(state))
    spent, took, games = [], [], 0
    for _ in range(options.generations):
        begin, cpu = time.perf_counter(), time.process_time()
        state, metrics = jax.block_until_ready(program(state))
        spent.append(time.process_time() - cpu)
        took.append(time.perf_counter() - begin)
        games = int(metrics["evaluations"])
    return Cost(
        options.game,
        " ".join(options.options),
        population,
        experiment.chunks[0],
        games,
        round(statistics.median(spent), 6),
        round(statistics.median(took), 6),
        round(compiling, 2),
        memory.count_bytes(program) or 0,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        round(os.getloadavg()[0], 1),
        len(os.sched_getaffinity(0)),
        jax.devices()[0].device_kind,
        jax.__version__,
        platform.python_version(),
        datetime.datetime.now(datetime.UTC).date().isoformat(),
    )


def task(options: Options) -> int:
    """Measure one population after the other, each with a row and a line; return the exit code."""
    table = CSVTable(user_path("table", options.table), COLUMNS)
    table.check("table")
    table.path.parent.mkdir(parents=True, exist_ok=True)
    before: Cost | None = None
    with Composer(Config, CONFIG_DIR, "config") as composer:
        for population in sorted(set(options.populations)):
            if before is not None:
                expected = before.cpu_seconds * population / before.population * (options.generations + 1)
                if expected > options.seconds:
                    print(f"{population:,}: left out, it would take about {expected:,.0f} CPU-seconds")
                    break
            before = measure(options, population, composer)
            table.append({name: getattr(before, name) for name in COLUMNS}, warn=arguments.say)
            print(said(before), flush=True)
    return 0


def said(one: Cost) -> str:
    """Return a measurement as a line."""
    rate = f"{one.games / one.cpu_seconds:,.0f} games a CPU-second ({one.games / one.seconds:,.0f} by the clock)"
    space = f"{one.needed / 2**20:,.0f} MiB needed, {one.peak / 2**20:,.0f} MiB held"
    return f"{one.population:,}: {rate}, compiled in {one.compile_seconds:.0f} s, {space}, load {one.load}"


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
