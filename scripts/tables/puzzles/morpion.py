"""The tables of docs/results/morpion.md, made from morpion_runs.csv, morpion_scores.csv and morpion_nested.csv.

`morpion_scores.csv` has the scores of runs that have no row in the table of runs. Each function returns the Markdown of
one table.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, NamedTuple

from jaxgp.report.generated import guarded, table
from jaxgp.statistics.verdicts import LEVEL
from jaxgp.store import runs
from jaxgp.store.table import Cells, Table
from tables.shared.cells import effect, family, mean_of, p_value

if TYPE_CHECKING:
    from jaxgp.statistics.comparison import Comparison

SCORES = ("experiment", "seed", "score", "command")
NESTED = ("search", "playouts", "seed", "score", "command")
"""`search`: what searched, and its options; a score for each of the searches of one seed."""
POINTS, CLOSEST = "morpion_points", "morpion_closest"
REPORT = {CLOSEST: "about 99 by its model; 110, and 118 with other settings", POINTS: "about 94 by its model"}
"""What the report says of its two function sets."""
WORDS = {CLOSEST: "getClosestToLast", POINTS: "nothing else"}
OTHERS = {"morpion_diagonal": "getFurthestDiagonal", "morpion_random": "getRandom"}
"""What stands in for getClosestToLast, by experiment."""
BEST = {"morpion_best": "getBest", "morpion_best program.closest_to_last=true": "getBest and getClosestToLast"}
SIZE = {"population": "1024", "generations": "51"}
"""Of the report's runs. A run of another size is named by it."""
LARGER = {
    "morpion_closest population=2048": "2,048 individuals, 51 generations",
    "morpion_closest generations=102": "1,024 individuals, 102 generations",
}
"""Runs of another size, and how they are called."""
MOST = 20
"""More runs than this are not listed one by one."""
NONE = "No rows yet."


class Data(NamedTuple):
    """Rows of the files."""

    runs: list[Cells]
    scores: list[Cells]
    nested: list[Cells]


def load(folder: Path) -> Data:
    """Read the files; a missing one has no rows. Raises UsageError."""
    return Data(
        Table(folder / "morpion_runs.csv", runs.COLUMNS).read(),
        Table(folder / "morpion_scores.csv", SCORES).read(),
        Table(folder / "morpion_nested.csv", NESTED).read(),
    )


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    return guarded(folder, TABLES, load(folder))


def by_seed(rows: Iterable[Cells], column: str) -> dict[str, dict[int, float]]:
    """Return a number of each run, by experiment and seed; of rows with one seed the last counts.

    Runs of another size than the report's have the size in their name.
    """
    found: dict[str, dict[int, float]] = {}
    for row in rows:
        other = [f"{name}={row[name]}" for name, size in SIZE.items() if (row.get(name) or size) != size]
        found.setdefault(" ".join([row["experiment"], *other]), {})[int(row["seed"])] = float(row[column])
    return found


def scores(data: Data) -> dict[str, dict[int, float]]:
    """Return the score of each run, by experiment and seed; a row of the table of runs goes before one without."""
    found = by_seed(data.scores, "score")
    for name, some in by_seed(data.runs, "fitness").items():
        found[name] = found.get(name, {}) | some
    return found


def listed(scores: Mapping[int, float]) -> list[str]:
    """Return seeds, scores, mean and greatest of some runs as cells."""
    seeds = sorted(scores)
    values = [scores[seed] for seed in seeds]
    every = " ".join(f"{one:g}" for one in values)
    if len(values) > MOST:
        every = f"{min(values):g} to {max(values):g}, median {median(values):g}"
    return [f"{seeds[0]}..{seeds[-1]}", every, mean_of(values), f"{max(values):g}"]


def own(data: Data) -> str:
    """Return the runs of the report's two function sets."""
    found = scores(data)
    lines = [[f"`{name}`", *listed(found[name]), says] for name, says in REPORT.items() if name in found]
    head = ["run", "seeds", "best of each", "mean (95 %)", "greatest", "the report"]
    return table(head, lines) if lines else NONE


def best(data: Data) -> str:
    """Return the runs with getBest, compared with those of the report's function sets."""
    found = scores(data)
    values = {name: list(some.values()) for name, some in found.items()}
    tested = family(
        values, [(name, base) for name in BEST for base in REPORT if {name, base} <= values.keys()], "score"
    )
    lines = [
        [words, *listed(found[name])[1:3], *(said(tested.get((name, base))) for base in REPORT)]
        for name, words in BEST.items()
        if name in found
    ]
    head = ["terminals besides points", "scores", "mean (95 %)", *(f"A12 to `{base}` (95 %), p" for base in REPORT)]
    return table(head, lines) if lines else NONE


def others(data: Data) -> str:
    """Return what stands in for getClosestToLast, compared with it and with points alone; p is one family."""
    values = {name: list(some.values()) for name, some in scores(data).items()}
    there = [name for name in OTHERS if len(values.get(name, ())) > 1]
    if not there or not REPORT.keys() <= values.keys():
        return NONE
    tested = family(values, [(name, base) for name in there for base in REPORT], "score")
    lines = []
    for name, words in (WORDS | OTHERS).items():
        if name in REPORT or name in there:
            cells = [said(tested.get((name, base))) for base in WORDS]
            lines.append([words, str(len(values[name])), mean_of(values[name]), f"{max(values[name]):g}", *cells])
    head = ["points and", "runs", "mean (95 %)", "greatest"]
    return table([*head, *(f"A12 to {words} (95 %), p" for words in WORDS.values())], lines)


def larger(data: Data) -> str:
    """Return runs with more individuals, or more generations, compared with those of the report's size."""
    values = {name: list(some.values()) for name, some in scores(data).items()}
    there = [name for name in LARGER if len(values.get(name, ())) > 1]
    if not there or CLOSEST not in values:
        return NONE
    tested = family(values, [(name, CLOSEST) for name in there], "score")
    lines = [
        [
            words,
            str(len(values[name])),
            mean_of(values[name]),
            f"{max(values[name]):g}",
            said(tested.get((name, CLOSEST))),
        ]
        for name, words in ({CLOSEST: "1,024 individuals, 51 generations"} | LARGER).items()
        if name in (CLOSEST, *there)
    ]
    return table(
        ["runs of `morpion_closest`", "number", "mean (95 %)", "greatest", "A12 to the first (95 %), p"], lines
    )


def said(tested: "tuple[Comparison, float] | None") -> str:
    """Return an effect with its interval and corrected p value; empty without a comparison."""
    if tested is None:
        return ""
    one, p = tested
    return f"{effect(one.a12)}, {equals(p)}" + (" *" if p < LEVEL else "")


def equals(p: float) -> str:
    """Return a p value in a sentence."""
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def nested(data: Data) -> str:
    """Return a line for the searches of each kind and seed, in the order of the file."""
    lines = []
    for (search, playouts, seed), rows in groupby(data.nested, itemgetter("search", "playouts", "seed")):
        scores = [float(row["score"]) for row in rows]
        every = " ".join(f"{one:g}" for one in scores)
        lines.append([search, f"{int(playouts):,}", seed, every, f"{mean(scores):.1f}", f"{max(scores):g}"])
    return table(["search", "playouts of each", "seed", "best of each", "mean", "greatest"], lines) if lines else NONE


TABLES: dict[str, Callable[[Data], str]] = {
    "morpion_runs": own,
    "morpion_larger": larger,
    "morpion_others": others,
    "morpion_best": best,
    "morpion_nested": nested,
}
