"""The tables of docs/results/morpion.md, made from morpion_runs.csv, morpion_scores.csv and morpion_nested.csv.

`morpion_scores.csv` has the scores of runs that have no row in the table of runs. `morpion_nested.csv` has what
searched, with its options, and a score for each of the searches of one seed.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median

from jaxgp.report.generated import table
from jaxgp.statistics.verdicts import LEVEL
from jaxgp.store.table import Cells
from tables.shared.cells import effect, family, mean_of, p_value
from tables.shared.data import Data, Makers, by

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
    found = by_seed(data["morpion_scores"], "score")
    for name, some in by_seed(data["morpion_runs"], "fitness").items():
        found[name] = found.get(name, {}) | some
    return found


def list_scores(scores: Mapping[int, float]) -> list[str]:
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
    lines = [[f"`{name}`", *list_scores(found[name]), says] for name, says in REPORT.items()]
    return table(["run", "seeds", "best of each", "mean (95 %)", "greatest", "the report"], lines)


def effects(
    found: Mapping[str, Mapping[int, float]], names: Iterable[str], bases: Sequence[str]
) -> dict[str, list[str]]:
    """Return A12 of each name to each base with a corrected p value, as cells; the p values are one family."""
    values = {name: list(some.values()) for name, some in found.items()}
    said: dict[str, list[str]] = {}
    for (name, _), (one, p) in family(values, [(name, base) for name in names for base in bases], "score").items():
        said.setdefault(name, []).append(f"{effect(one.a12)}, {equals(p)}" + (" *" if p < LEVEL else ""))
    return said


def best(data: Data) -> str:
    """Return the runs with getBest, compared with those of the report's function sets."""
    found = scores(data)
    tested = effects(found, BEST, list(REPORT))
    lines = [[words, *list_scores(found[name])[1:3], *tested[name]] for name, words in BEST.items()]
    head = ["terminals besides points", "scores", "mean (95 %)", *(f"A12 to `{base}` (95 %), p" for base in REPORT)]
    return table(head, lines)


def compare_runs(
    data: Data, head: str, runs: str, own: Mapping[str, str], others: Mapping[str, str], columns: Iterable[str]
) -> str:
    """Return groups of runs, and each of the others compared with each of the own ones; p is one family."""
    found = scores(data)
    tested = effects(found, others, list(own))
    lines = []
    for name, words in (own | others).items():
        values = list(found[name].values())
        cells = tested.get(name, [""] * len(own))
        lines.append([words, str(len(values)), mean_of(values), f"{max(values):g}", *cells])
    return table([head, runs, "mean (95 %)", "greatest", *(f"A12 to {one} (95 %), p" for one in columns)], lines)


def others(data: Data) -> str:
    """Return what stands in for getClosestToLast, compared with it and with points alone."""
    return compare_runs(data, "points and", "runs", WORDS, OTHERS, WORDS.values())


def larger(data: Data) -> str:
    """Return runs with more individuals, or more generations, compared with those of the report's size."""
    first = {CLOSEST: "1,024 individuals, 51 generations"}
    return compare_runs(data, "runs of `morpion_closest`", "number", first, LARGER, ["the first"])


def equals(p: float) -> str:
    """Return a p value in a sentence."""
    return f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}"


def nested(data: Data) -> str:
    """Return a line for the searches of each kind and seed, in the order of the file."""
    lines = []
    for (search, playouts, seed), rows in by(data["morpion_nested"], "search", "playouts", "seed").items():
        scores = [float(row["score"]) for row in rows]
        every = " ".join(f"{one:g}" for one in scores)
        lines.append([search, f"{int(playouts):,}", seed, every, f"{mean(scores):.1f}", f"{max(scores):g}"])
    return table(["search", "playouts of each", "seed", "best of each", "mean", "greatest"], lines)


TABLES: Makers = {
    "morpion_runs": own,
    "morpion_larger": larger,
    "morpion_others": others,
    "morpion_best": best,
    "morpion_nested": nested,
}
