"""Learning curves over seeds, expected running times, and the same runs as other tools read them.

A table has a row for each generation of each run, so that a document can be made anew without the runs. Runs with one
title are a group. Beside the curve, the mean of a measure over runs with a band for its 95 % interval, stands the
expected running time: the evaluations of all runs of a group, until each came to the target or to its end, divided by
the number of those that came to it. So many evaluations are needed on average by a run that begins anew where it would
end. Source: A. Auger and N. Hansen, "Performance evaluation of an advanced local search evolutionary algorithm", CEC
2005.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from jaxgp import files
from jaxgp.errors import UsageError
from jaxgp.report import document
from jaxgp.report.document import Document, Part, Picture
from jaxgp.report.progress import is_measured
from jaxgp.statistics.bootstrap import RESAMPLES, resample
from jaxgp.statistics.draws import Draws
from jaxgp.statistics.exact import central
from jaxgp.statistics.intervals import student
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory
from jaxgp.store.table import Cells, CSVTable
from jaxgp.study import figures

COLUMNS = {
    "title": "title of the run; runs of one group have the same",
    "game": "the game",
    "seed": "seed of the run",
    "generation": "counted from 0",
    "evaluations": "games that were played for the fitness up to the end of this generation",
    "fitness": "of the best of the generation, by the benchmark if there is one",
    "points": "mean points of the best of the generation, over both seats",
    "first": "its points where it moves first",
    "second": "its points where it moves second",
    "size": "nodes or rules of the best",
    "mean_size": "nodes or rules of an individual, mean of the generation",
    "beaten": "individuals that beat every opponent from both seats; of Walls: parents that beat the first opponent",
}
"""The columns of the table, and what is in them."""
RISING = ("points", "fitness", "first", "second", "beaten")
"""Measures whose greatest value so far is the best. Sizes are shown as they are."""
FIELDS = {
    "points": "best_points",
    "first": "best_points_first",
    "second": "best_points_second",
    "size": "best_size",
    "mean_size": "mean_size",
}
"""Columns, and their names in the record of a run."""
IOH = ("evaluations", "value", "function", "algorithm", "dimension", "run")
"""Columns of the table for IOHanalyzer, in the order in which it asks for them; it maximises."""


@dataclass(frozen=True)
class Curve:
    """A measure of one run, by generation.

    Attributes:
        seed: of the run.
        generations: int[G].
        evaluations: int[G], up to the end of each.
        values: float[G]; nan where the record has none.
    """

    seed: int
    generations: np.ndarray
    evaluations: np.ndarray
    values: np.ndarray

    def reached(self, target: float) -> int | None:
        """Return the evaluations up to the end of the first generation with this value; None if there is none."""
        there = np.flatnonzero(self.values >= target)
        return int(self.evaluations[there[0]]) if len(there) else None


@dataclass(frozen=True)
class Expected:
    """The expected running time of a group for one target.

    Attributes:
        target: what counts as a success, or a greater value.
        runs: of the group.
        successes: runs that came to it.
        value: evaluations; infinite without a success.
        low: lower end of the 95 % interval, a percentile bootstrap over runs; infinite without a success.
        high: its upper end; infinite where more than one resample in forty has no success.
        spent: evaluations of all runs, until each came to the target or to its end.
    """

    target: float
    runs: int
    successes: int
    value: float
    low: float
    high: float
    spent: int


def table(path: Path) -> CSVTable:
    """Return the table of generations in a file."""
    return CSVTable(path, COLUMNS)


def rows(run: RunDirectory) -> list[dict[str, object]]:
    """Return the rows of a run; raises UsageError if it cannot be read."""
    config, found, total = run.read_config(), [], 0
    for row in record.read(run.record):
        total += int(row.get("evaluations") or 0)
        fitness = row.get("best_standing" if is_measured(row) else "best_fitness")
        about = {"title": config.title, "game": config.game["name"], "seed": config.seed}
        numbers = {name: row.get(field) for name, field in FIELDS.items()}
        numbers["beaten"] = row.get("beaten", row.get("beat_all"))  # of groups: parents that beat the first opponent
        found.append(about | {"generation": row["generation"], "evaluations": total, "fitness": fitness} | numbers)
    return found


def add(path: Path, runs: Sequence[RunDirectory], option: str = "table") -> list[Cells]:
    """Add the runs to a table that does not have them yet, and return all its rows.

    Raises:
        UsageError: a run cannot be read, or the file is no such table.
        OSError: it cannot be written.
    """
    there = table(path)
    there.check(option)
    known = {(row["title"], row["seed"]) for row in there.rows()}
    for run in runs:
        made = rows(run)
        if made and (made[0]["title"], str(made[0]["seed"])) not in known:
            there.extend(made)
    return there.read()


def groups(cells: Iterable[Mapping[str, object]], measure: str) -> dict[str, list[Curve]]:
    """Return the curves of each title, by seed; of a rising measure the best so far.

    Raises:
        UsageError: a cell is not the number that it should be.
    """
    by_run: dict[tuple[str, str], list[Mapping[str, object]]] = {}
    for row in cells:
        by_run.setdefault((str(row["title"]), str(row["seed"])), []).append(row)
    found: dict[str, list[Curve]] = {}
    for (title, seed), some in by_run.items():
        try:
            some = sorted(some, key=lambda row: int(str(row["generation"])))
            number = [[int(str(row[name])) for row in some] for name in ("generation", "evaluations")]
            values = np.array([_number(row[measure]) for row in some])
            one = Curve(int(seed), np.array(number[0]), np.array(number[1]), values)
        except ValueError as error:
            raise UsageError(f"{title}, seed {seed}: a cell is not the number that it should be ({error})") from error
        if measure in RISING:
            one = Curve(one.seed, one.generations, one.evaluations, np.fmax.accumulate(one.values))
        found.setdefault(title, []).append(one)
    return {title: sorted(curves, key=lambda one: one.seed) for title, curves in found.items()}


def _number(cell: object) -> float:
    return float(str(cell)) if cell not in (None, "") else float("nan")


def at(curves: Sequence[Curve], generation: int) -> list[float]:
    """Return the values of all runs in a generation; a run that ended before counts with its last value."""
    found = [one.values[one.generations <= generation] for one in curves]
    return [float(values[-1]) for values in found if len(values) and np.isfinite(values[-1])]


def means(curves: Sequence[Curve]) -> Iterator[tuple[int, int, float, float | None, float | None]]:
    """Yield each generation with its number of runs, their mean and its 95 % interval by Student's t."""
    last = max((int(one.generations[-1]) for one in curves), default=-1)
    for generation in range(last + 1):
        values = at(curves, generation)
        if values:
            yield generation, len(values), *student(values)


def estimate_time(curves: Sequence[Curve], target: float, seed: int = 0, resamples: int = RESAMPLES) -> Expected:
    """Return the expected running time of a group of runs, at least one, for a target."""
    reached = [one.reached(target) for one in curves]
    pairs = zip(reached, curves, strict=True)
    spent = np.array([int(one.evaluations[-1]) if there is None else there for there, one in pairs])
    success = np.array([there is not None for there in reached])
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(np.float64(spent.sum()) / success.sum())
        spread = resample([len(curves)], lambda i: spent[i].sum(1) / success[i].sum(1), Draws(seed), resamples)
    return Expected(target, len(curves), int(success.sum()), value, *central(spread), int(spent.sum()))


def for_ioh(found: Mapping[str, Sequence[Curve]], game: str, measure: str) -> Iterator[dict[str, object]]:
    """Yield the rows of a table that IOHanalyzer reads: each improvement of a run, and its last evaluation."""
    for title, curves in found.items():
        for one in curves:
            best = -np.inf
            for place, (spent, value) in enumerate(zip(one.evaluations, one.values, strict=True)):
                if value > best or (place == len(one.values) - 1 and np.isfinite(best)):
                    best = max(best, value)
                    yield dict(zip(IOH, (int(spent), best, f"{game} {measure}", title, 1, one.seed), strict=True))


def report(
    found: Mapping[str, Sequence[Curve]], measure: str, targets: Sequence[float] = (), seed: int = 0
) -> tuple[Document, list[dict[str, object]], list[dict[str, object]]]:
    """Return the page of some groups, the rows of the table of means, and those of expected running times.

    Args:
        found: the curves of each group.
        measure: what they measure.
        targets: values of it.
        seed: of the bootstrap.
    """
    made = {title: list(means(curves)) for title, curves in found.items()}
    names = ("generation", "runs", "mean", "low", "high")
    lines: list[dict[str, object]] = [
        {"title": title, **dict(zip(names, one, strict=True))} for title, some in made.items() for one in some
    ]
    times: list[dict[str, object]] = [
        {"title": title, "target": one.target, "successes": one.successes, "runs": one.runs}
        | {"expected evaluations": one.value, "low": one.low, "high": one.high, "spent": one.spent}
        for title, curves in found.items()
        for one in (estimate_time(curves, target, seed) for target in targets)
    ]
    best = measure in RISING
    caption = f"{measure}, best so far: means of runs, with 95 % intervals" if best else f"{measure}: means of runs"
    values = {
        title: {generation: at(curves, generation) for generation, *_ in made[title]} for title, curves in found.items()
    }
    parts: list[Part] = [Picture("curves", caption, partial(figures.curves, values, measure, caption))]
    last = {title: some[-1] for title, some in made.items() if some}
    parts.append(
        document.DocumentTable([{"title": title} | dict(zip(names, one, strict=True)) for title, one in last.items()])
    )
    sections: list[tuple[str, Sequence[Part]]] = [("Learning curves", parts)]
    if times:
        why = "Evaluations of all runs, until each came to the target or to its end, divided by the successes."
        sections.append(("Expected running time", [why, document.DocumentTable(times)]))
    return (
        Document(f"Learning curves: {measure}", [("runs", str(sum(map(len, found.values()))))], sections),
        lines,
        times,
    )


def save(folder: Path, made: Document, tables: Mapping[str, Sequence[Mapping[str, object]]]) -> None:
    """Write the report, and each table as CSV by its name; raises OSError."""
    document.save(folder, made)
    for name, some in tables.items():
        written = io.StringIO()
        writer = csv.DictWriter(written, list(some[0]) if some else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(some)
        files.write_text(folder / f"{name}.csv", written.getvalue())
