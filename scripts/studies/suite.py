"""Compare methods on all games: the same small budget, new games that measure, curves over the budget, ranks.

    python scripts/studies/suite.py
    python scripts/studies/suite.py tasks=[kalah,backgammon] methods=[random_search,gp] seeds=5 budget=512
    python scripts/studies/suite.py methods=[path/to/mine] save=mine.csv
    python scripts/studies/suite.py save=docs/data/methods.csv seeds=5 budget=512 picture=docs/methods.svg

A budget is a number of individuals that are evaluated; the task says what an evaluation is. A method is a name, or the
folder of an algorithm outside the project: docs/methods.md has one. Runs that the table has already are not made again,
so a study that was stopped goes on. A method that a task refuses is named, with what it refuses.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import datetime
import itertools
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata

import envs
from jaxgp import files
from jaxgp.config import arguments, validate
from jaxgp.config.compose import Composer, name_folder
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError, reject
from jaxgp.files import user_path
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from jaxgp.store.table import CSVTable
from studies.methods import curves
from studies.methods.measuring import Measure, Runs
from studies.methods.tasks import COLUMNS, METHODS, TASKS, reported, words

CONFIG_DIR = Path(__file__).resolve().parents[2] / "conf"
LEAST = 256
"""Evaluations of a run, so that each of the five stops is another generation."""


@dataclass
class Options:
    """Which runs, and where their rows go."""

    tasks: list[str] = option(
        list(TASKS),
        "games with a budget",
        accepted=f"some of {', '.join(TASKS)}, as in [kalah,chess]",
        test=lambda name: name in TASKS,
    )
    methods: list[str] = option(
        list(METHODS), f"methods: {', '.join(METHODS)}, or the folder of an algorithm outside the project"
    )
    budget: int = option(1024, "individuals that a run evaluates", low=LEAST, high=MAX_COUNT)
    seeds: int = option(10, "runs of each method on each task", low=1, high=1000)
    first: int = option(0, "the seed of the first of them", low=0, high=MAX_SEED)
    save: str = option("outputs/analysis/methods.csv", "the table that rows are added to", path=True)
    picture: str | None = option(None, "a picture of the curves, SVG or PNG; null: none", path=True)


@dataclass(frozen=True)
class Cell:
    """A method on a task, with the seeds of the runs that the table lacks."""

    task: str
    method: str
    run: Config
    seeds: Sequence[int]


def plan(options: Options, methods: Sequence[str], table: CSVTable, composer: "Composer[Config]") -> list[Cell]:
    """Return the cells that lack runs; those that a task refuses are named on standard error."""
    there = {(row["task"], row["method"], int(row["budget"]), int(row["seed"])) for row in table.rows()}
    wanted = range(options.first, options.first + options.seeds)
    cells = []
    for task in options.tasks:
        for method in methods:
            seeds = [seed for seed in wanted if (task, method, options.budget, seed) not in there]
            if not seeds:
                continue
            given = words(task, method, options.budget)
            if given is None:
                leaves = METHODS[method].leaves
                why = "only programs that value leaves" if leaves else f"no {TASKS[task].genomes}"
                arguments.say(f"{task}: {method} is left out (it breeds {why})")
                continue
            try:
                run = validate.check(composer.compose(given), envs)
            except UsageError as error:
                arguments.say(f"{task}: {method} is left out ({error})")
                continue
            cells.append(Cell(task, method, run, seeds))
    return cells


def make(cell: Cell, budget: int, measure: Measure, table: CSVTable) -> None:
    """Make the runs of a cell; each adds its rows when it has ended."""
    asked = METHODS.get(cell.method)
    second = (asked.numbers, asked.moves) if asked is not None else ()
    runs = Runs(cell.run, envs, budget, measure, *second)
    about = {
        "task": cell.task,
        "method": cell.method,
        "budget": budget,
        "jax": metadata.version("jax"),
        "python": platform.python_version(),
    }
    for seed in cell.seeds:
        found = runs.run(seed)
        day = datetime.datetime.now(datetime.UTC).date().isoformat()
        table.keep([{**about, **asdict(one), "seed": seed, "date": day} for one in found], arguments.say, "save")
        last = found[-1]
        arguments.say(f"{cell.task} {cell.method} seed {seed}: {last.score:.4g}, {last.cpu_seconds:.1f} CPU-seconds")


def kinds(methods: Sequence[str]) -> list[str]:
    """Return the names of methods; the folder of an algorithm outside the project is imported. Raises UsageError."""
    found = []
    for method in methods:
        if method not in METHODS and os.sep not in method:
            reject("methods", method, f"{', '.join(METHODS)}, or the folder of an algorithm, as in path/to/mine")
        placed = name_folder([f"algorithm.kind={method}"], envs).overrides if method not in METHODS else [f"={method}"]
        found.append(placed[0].partition("=")[2])
    if len(set(found)) < len(found):
        reject("methods", list(methods), "each method once")
    return found


def task(options: Options) -> int:
    """Make the runs that the table lacks, one cell after the other; return the exit code."""
    methods = kinds(options.methods)
    table = CSVTable(user_path("save", options.save), COLUMNS)
    table.check("save")
    drawn = None if options.picture is None else user_path("picture", options.picture)
    if drawn is not None:
        curves.check_ending(drawn)
        files.check_writable("picture", drawn)
    with Composer(Config, CONFIG_DIR, "config") as composer:
        cells = plan(options, methods, table, composer)
        runs = sum(len(cell.seeds) for cell in cells)
        arguments.say(f"{runs} runs of {options.budget:,} evaluations, in {len(cells)} cells")
        for name, of in itertools.groupby(cells, lambda cell: cell.task):
            measure = Measure(validate.check(composer.compose(reported(name)), envs), envs)
            for cell in of:
                make(cell, options.budget, measure, table)
    if drawn is not None:
        curves.save(curves.draw(table.read(), options.budget), drawn)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
