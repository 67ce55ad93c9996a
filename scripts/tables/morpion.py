"""The tables of docs/morpion.md, made from docs/data/morpion_runs.csv, morpion_scores.csv and morpion_nested.csv.

`morpion_scores.csv` has the scores of runs that have no row in the table of runs. Each function returns the Markdown of
one table.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, NamedTuple

from jaxgp.errors import UsageError
from jaxgp.report.generated import table
from jaxgp.statistics.intervals import student
from jaxgp.statistics.verdicts import LEVEL, holm
from jaxgp.store import runs
from jaxgp.store.table import Cells, Table

if TYPE_CHECKING:
    from jaxgp.statistics.comparison import Estimate

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
MOST = 20
"""More runs than this are not listed one by one."""
RESAMPLES = 1999
NONE = "No rows yet."


class Data(NamedTuple):
    """Scores by experiment and seed, and rows of nested searches."""

    scores: dict[str, dict[int, float]]
    nested: list[Cells]


def load(folder: Path) -> Data:
    """Read the files; a missing one has no rows. Raises UsageError."""
    made = Table(folder / "morpion_runs.csv", runs.COLUMNS).read()
    rows = [(row["experiment"], row["seed"], row["fitness"]) for row in made]
    old = Table(folder / "morpion_scores.csv", SCORES).read()
    rows += [(row["experiment"], row["seed"], row["score"]) for row in old]
    found: dict[str, dict[int, float]] = {}
    try:
        for name, seed, score in rows:
            found.setdefault(name, {})[int(seed)] = float(score)
    except ValueError as error:
        raise UsageError(f"{folder}: a cell is not the number that it should be ({error})") from error
    return Data(found, Table(folder / "morpion_nested.csv", NESTED).read())


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    data = load(folder)
    return {name: partial(function, data) for name, function in TABLES.items()}


def listed(scores: Mapping[int, float]) -> list[str]:
    """Return seeds, scores, mean and greatest of some runs as cells."""
    seeds = sorted(scores)
    values = [scores[seed] for seed in seeds]
    every = " ".join(f"{one:g}" for one in values)
    if len(values) > MOST:
        every = f"{min(values):g} to {max(values):g}, median {median(values):g}"
    return [f"{seeds[0]}..{seeds[-1]}", every, average(values), f"{max(values):g}"]


def average(values: Sequence[float]) -> str:
    """Return a mean with its 95 % interval."""
    middle, low, high = student(values)
    return f"{middle:.1f}" + ("" if low is None or high is None else f" ({low:.1f} to {high:.1f})")


def own(data: Data) -> str:
    """Return the runs of the report's two function sets."""
    lines = [[f"`{name}`", *listed(data.scores[name]), says] for name, says in REPORT.items() if name in data.scores]
    head = ["run", "seeds", "best of each", "mean (95 %)", "greatest", "the report"]
    return table(head, lines) if lines else NONE


def best(data: Data) -> str:
    """Return the runs with getBest, compared with those of the report's function sets."""
    from jaxgp.statistics.comparison import compare

    met = [(name, base) for name in BEST for base in REPORT if {name, base} <= data.scores.keys()]
    values = {name: list(scores.values()) for name, scores in data.scores.items()}
    made = [compare("score", (a, values[a]), (b, values[b]), resamples=RESAMPLES) for a, b in met]
    corrected = dict(zip(met, holm([one.p for one in made]), strict=True))
    found = dict(zip(met, made, strict=True))
    lines = []
    for name, words in BEST.items():
        if name not in data.scores:
            continue
        cells = [a12(found[name, base].a12, corrected[name, base]) if (name, base) in found else "" for base in REPORT]
        lines.append([words, *listed(data.scores[name])[1:3], *cells])
    head = ["terminals besides points", "scores", "mean (95 %)", *(f"A12 to `{base}` (95 %), p" for base in REPORT)]
    return table(head, lines) if lines else NONE


def others(data: Data) -> str:
    """Return what stands in for getClosestToLast, compared with it and with points alone; p is one family."""
    from jaxgp.statistics.comparison import compare

    values = {name: list(scores.values()) for name, scores in data.scores.items()}
    there = [name for name in OTHERS if len(values.get(name, ())) > 1]
    if not there or not REPORT.keys() <= values.keys():
        return NONE
    met = [(name, base) for name in there for base in REPORT]
    made = [compare("score", (a, values[a]), (b, values[b]), resamples=RESAMPLES) for a, b in met]
    tested = dict(zip(met, zip(made, holm([one.p for one in made]), strict=True), strict=True))
    lines = []
    for name, words in (WORDS | OTHERS).items():
        if name in REPORT or name in there:
            cells = [a12(tested[name, base][0].a12, tested[name, base][1]) if name in there else "" for base in WORDS]
            lines.append([words, str(len(values[name])), average(values[name]), f"{max(values[name]):g}", *cells])
    head = ["points and", "runs", "mean (95 %)", "greatest"]
    return table([*head, *(f"A12 to {words} (95 %), p" for words in WORDS.values())], lines)


def a12(one: "Estimate", p: float) -> str:
    """Return an effect with its interval and corrected p value."""
    star = " *" if p < LEVEL else ""
    said = f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f}), {said}{star}"


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
    "morpion_others": others,
    "morpion_best": best,
    "morpion_nested": nested,
}
