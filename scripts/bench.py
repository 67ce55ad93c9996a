"""Measure speed: python scripts/bench.py part=all

Each measurement is one JSON line, and a line for people on standard error. Compilation is timed apart, and every call
is waited for. Rivals (DEAP, OpenSpiel, Pgx, gnubg_nn, plain Python, plain C++) run in turn with jaxgp on the same
inputs; their results are compared before they are timed. Rivals that are not installed are skipped. jaxgp's own parts
need JAX, Flax, Optax and NumPy.

Each figure names machine, clock and load, and, where somebody has counted it, the share of what the machine could do
(scripts/measures/limits.py). On a busy machine nothing is compared with rivals, unless load=any.

`part=quick` ends within two minutes. `part=gpu` proves a GPU: that it computes what the CPU does, then how fast it is
(scripts/device).
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import contextlib
import dataclasses
import random
import time

import jax

import envs
from jaxgp.config import arguments
from jaxgp.config.games import cast_of
from jaxgp.errors import RunError, reason, reject
from jaxgp.files import user_path
from jaxgp.operators.options import MAX_CAPACITY
from jaxgp.options import (
    DEEPEST,
    MAX_CORES,
    MAX_COUNT,
    MAX_GAMES,
    MAX_LANES,
    MAX_POPULATION,
    MAX_SECONDS,
    MAX_SEED,
    list_options,
    option,
    power_of_two,
)
from jaxgp.search import cores
from jaxgp.store.table import CSVTable
from measures import kalah, machine, quick, strategies
from rivals import backgammon, checkers, evaluators, othello, solitaire, tournaments
from rivals.boards import chess, mate
from rivals.puzzles import freecell, rush_hour
from rivals.simulations import rars, robocode
from rivals.timing import COLUMNS, Bench, Report

PARTS = (
    "interpreter",
    "env",
    "search",
    "generation",
    "walls",
    "othello",
    "evaluators",
    "morpion",
    "checkers",
    "rush_hour",
    "freecell",
    "backgammon",
    "rars",
    "robocode",
    "chess",
    "mate",
    "strategies",
)
QUICK, DEVICE = "quick", "gpu"
"""Some measurements in two minutes, and the proof of a device; `all` has neither."""


def _in_groups(lists: int) -> bool:
    return lists % tournaments.GROUP == 0


@dataclasses.dataclass
class Options:
    """What is measured, how often, and at which size."""

    part: str = option("all", "what is measured", (*PARTS, "all", QUICK, DEVICE))
    repeats: int = option(5, "of each measurement, at most", low=1, high=MAX_COUNT)
    seconds: float = option(
        90.0,
        "for the repeats; every measurement is made at least once, however long it takes",
        low=0,
        high=MAX_SECONDS,
        unit="seconds",
    )
    rivals: bool = option(
        True, "compare with DEAP, OpenSpiel, Pgx, evosax, gnubg_nn, fc-solve, plain Python and plain C++"
    )
    load: str = option(
        "calm",
        f"calm: compare with rivals only where the load average is at most {machine.CALM:g} for each core; any: always",
        ("calm", "any"),
    )
    output: str | None = option(None, "file that the lines are appended to; null: none", path=True)
    rows: str | None = option(None, "table (CSV) that the measurements are added to as rows; null: none", path=True)
    seed: int = option(0, "of everything that is drawn", low=0, high=MAX_SEED)
    programs: int = option(512, "interpreter, checkers: programs", low=1, high=MAX_POPULATION)
    cases: int = option(256, "interpreter, checkers: positions for each program", low=1, high=MAX_POPULATION)
    nodes: tuple[int, ...] = option((31, 63), "interpreter: nodes of each program", low=1, high=MAX_CAPACITY)
    batch: tuple[int, ...] = option(
        (1, 128, 1024, 4096, 16384),
        "env, othello, checkers, backgammon, chess: games; mate: boards",
        low=1,
        high=MAX_POPULATION,
    )
    roots: tuple[int, ...] = option((1024,), "search, checkers: positions", low=1, high=MAX_POPULATION)
    lanes: tuple[int, ...] = option(
        (64,), "search: searches side by side; generation and checkers use the first", low=1, high=MAX_LANES
    )
    depth: tuple[int, ...] = option((4, 8), "search, generation, checkers: plies", low=1, high=DEEPEST)
    tail: int = option(2, "search, generation, checkers: last plies searched full width", low=1, high=DEEPEST)
    rival_roots: int = option(16, "search, checkers: positions that plain Python searches", low=1, high=MAX_POPULATION)
    population: int = option(512, "generation, morpion: programs", low=1, high=MAX_POPULATION)
    capacity: int = option(512, "morpion: nodes that a program can hold", low=1, high=MAX_CAPACITY)
    generations: int = option(
        5, "generation: whole ones, against the deepest search, that are averaged", low=1, high=MAX_COUNT
    )
    rival_programs: int = option(16, "generation: programs whose games DEAP plays", low=1, high=MAX_POPULATION)
    lists: int = option(
        1000,
        "walls: rule lists, which play in groups of five",
        low=5,
        high=MAX_POPULATION,
        test=_in_groups,
        accepted=f"a multiple of 5 from 5 to {MAX_POPULATION}",
    )
    rival_groups: int = option(20, "walls: groups whose games plain Python plays", low=1, high=MAX_POPULATION)
    plies: tuple[int, ...] = option(
        (2, 4), "evaluators: depth of the searches with programs at their leaves", low=1, high=DEEPEST
    )
    players: int = option(50, "evaluators: programs", low=1, high=MAX_POPULATION)
    roots_each: int = option(25, "evaluators: positions that each program searches", low=1, high=MAX_POPULATION)
    cores: int = option(1, "evaluators: of a CPU, that share the searches", low=1, high=MAX_CORES)
    cars: tuple[int, ...] = option(
        (256, 4096, 65536), "rars: cars side by side, of a program each", low=1, high=MAX_POPULATION
    )
    battles: tuple[int, ...] = option((64, 1024, 4096), "robocode: battles side by side", low=1, high=MAX_POPULATION)
    games: int = option(2000, "morpion: random games side by side", low=1, high=MAX_GAMES)
    rival_games: int = option(200, "morpion, backgammon: games that plain Python plays", low=1, high=MAX_GAMES)
    rival_turns: int = option(
        256, "backgammon: positions whose best turns the rivals find, about", low=1, high=MAX_POPULATION
    )
    boards: tuple[int, ...] = option(
        (1, 16, 256), "rush_hour: boards searched side by side", low=1, high=MAX_POPULATION
    )
    breadth_boards: int = option(20, "rush_hour: boards searched breadth first", low=1, high=MAX_POPULATION)
    board_lanes: int = option(64, "rush_hour: searches side by side", low=1, high=MAX_LANES)
    deals: tuple[int, ...] = option(
        (1, 16, 256), "freecell: the first deals, searched side by side", low=1, high=32_000
    )
    deal_room: int = power_of_two(2**16, "freecell: positions that a search can keep", low=4, high=2**20)
    limit: int = option(100_000, "rush_hour, freecell: nodes of a search", low=2, high=2**30)
    table: int = power_of_two(2**14, "rush_hour: entries of the table of a search", low=1, high=2**20)
    vectors: tuple[int, ...] = option(
        (64, 1024, 16384), "strategies: individuals of a generation", low=5, high=MAX_POPULATION
    )
    dimensions: int = option(32, "strategies: numbers of an individual", low=1, high=4096)
    device: str = option("gpu", "gpu: what is proved; cpu does all of it at the smallest size", ("gpu", "cpu"))
    minutes: float = option(9.0, "gpu: for all of it; what does not fit is named", low=0.5, high=MAX_SECONDS)
    folder: str = option("outputs/device", "gpu: where tables, trace and logs are left", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse lists without a number; raises UsageError."""
        for one in list_options(self):
            if getattr(self, one.name) == ():
                reject(prefix + one.name, "[]", f"one or more {one.accepted}")


def run(options: Options, report: Report) -> None:
    """Make all measurements, each with its share of the time that is left."""
    cast = cast_of(kalah.study(options, 1), envs)
    parts = {
        "quick": quick.jobs,
        "interpreter": kalah.interpreter,
        "env": kalah.env,
        "search": kalah.search,
        "generation": kalah.generation,
        "walls": tournaments.jobs,
        "othello": othello.jobs,
        "evaluators": evaluators.jobs,
        "morpion": solitaire.jobs,
        "checkers": checkers.jobs,
        "rush_hour": rush_hour.jobs,
        "freecell": freecell.jobs,
        "backgammon": backgammon.jobs,
        "rars": rars.jobs,
        "robocode": robocode.jobs,
        "chess": chess.jobs,
        "mate": mate.jobs,
        "strategies": strategies.jobs,
    }
    chosen = PARTS if options.part == "all" else (options.part,)
    jobs = [job for part in chosen for job in parts[part](Bench(options, report, cast))]
    end = time.perf_counter() + options.seconds
    for done, (share, job) in enumerate(jobs):
        now = time.perf_counter()
        job(now + (end - now) * share / sum(left for left, _ in jobs[done:]))


def task(options: Options) -> int:
    """Measure, and write the lines; return the exit code."""
    if options.part == DEVICE:
        from device import prove

        return prove.run(user_path("folder", options.folder), options.minutes, options.device == "cpu")
    if options.rivals and options.load == "calm" and not (now := machine.look()).calm:
        busy = f"the load average is {now.load:g} on {now.cores} cores, too much to compare with rivals"
        reject("load", "calm", f"any, or rivals=false, which compares nothing; {busy}")
    table = CSVTable(user_path("rows", options.rows), COLUMNS) if options.rows else None
    if table is not None:
        table.check("rows")
        table.path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        try:
            named = [user_path("output", options.output)] if options.output else []
            files = [stack.enter_context(path.open("a", encoding="utf-8")) for path in named]
        except OSError as error:
            reject("output", options.output, f"a file to append to ({reason(error)})")
        cores.use(options.cores)  # before the report asks what the device is
        random.seed(options.seed)
        try:
            run(options, Report([sys.stdout, *files], table))
        except (MemoryError, jax.errors.JaxRuntimeError, OSError) as error:
            raise RunError(f"part={options.part}: {str(error) or 'out of memory'}") from error
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
