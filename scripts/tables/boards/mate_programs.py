"""The tables of programs that search for mates: rows of `champions.py` and `guides.py` in `scripts/studies/mate`."""

from collections.abc import Callable, Iterable, Sequence
from statistics import mean

import numpy as np

from jaxgp.report.generated import table
from jaxgp.statistics.permutation import rank_sum
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells
from tables.boards.mate import short
from tables.shared.data import Data, Makers, by


def _span(counts: Iterable[float], form: Callable[[float], str] = "{:,.0f}".format) -> str:
    """Return the least and the greatest of some numbers, or one where they are equal."""
    known = sorted(counts)
    low, high = form(known[0]), form(known[-1])
    return low if low == high else f"{low} to {high}"


def _sums(runs: Sequence[Sequence[Cells]], name: str) -> list[int]:
    """Return the sum of a column over the problems of all n, of each run."""
    return [sum(int(row[name]) for row in rows) for rows in runs]


def _false(runs: Sequence[Sequence[Cells]]) -> list[int]:
    """Return how many mates the champion of each run claims that are not proved."""
    return [claimed - proved for claimed, proved in zip(_sums(runs, "claimed"), _sums(runs, "proved"), strict=True)]


def searching(data: Data) -> str:
    """What champions that make moves do on the problems that no evolution sees, least to most of the seeds."""
    lines = []
    lengths = {str(row["n"]): str(row["problems"]) for row in data["mate_searching"]}
    for (name,), every in by(data["mate_searching"], "run").items():
        runs = list(by(every, "seed").values())
        cells = [_span(_sums(runs, "solved")), _span(_sums(runs, "proved"))]
        cells += [_span(int(row["proved"]) for row in rows) for rows in by(every, "n").values()]
        cells.append(_span((int(row["nodes"]) / int(row["problems"]) for row in every if row["n"] == "3"), short))
        generations = [] if name.startswith("`") else [int(rows[0]["generation"]) for rows in runs]
        lines.append([name, str(len(runs)), *cells, _span(_false(runs)), _span(generations) if generations else ""])
    total = sum(map(int, lengths.values()))
    head = ["run", "seeds", f"solved of {total}", f"proved of {total}"]
    head += [f"n = {n}, of {number}" for n, number in lengths.items()]
    return table([*head, "nodes, n = 3", "false claims", "generation"], lines)


BOOK = {"1": (600, 600), "2": (7_000, 2_000), "3": (50_000, 28_000), "4": (138_000, 55_000), "5": (1_600_000, 850_000)}
"""Table 6.5 of the book: nodes of Crafty, and of the best of over 20 runs, on ten problems of each n."""
BEST = "mate_cutoff"
"""The run whose first seed proves all problems of n up to 4."""


def best(data: Data) -> str:
    """The table of the book, beside the best program here: mean nodes of own problems of each n, and what it saves."""
    lines = []
    for n, (crafty, theirs) in BOOK.items():
        # Of n = 5 there is a row for each problem, of others one for all.
        longer = [row for row in data["mate_longer"] if row["n"] == n]
        rows = longer or [row for row in data["mate_searching"] if row["n"] == n]
        hand = [row for row in rows if row["run"].startswith(("`captures`", "captures"))]
        ours = [row for row in rows if row["run"] == BEST and row["seed"] == "0"]
        number = len(ours) if longer else int(ours[0]["problems"])
        proved = sum(int(row["proved"]) for row in ours)
        means = [sum(int(row["nodes"]) for row in some) / number for some in (hand, ours)]
        cells = [f"{proved} of {number}", *map(short, means), f"{100 - 100 * means[1] / means[0]:.1f} %"]
        lines.append([n, short(crafty), short(theirs), f"{100 - 100 * theirs / crafty:.0f} %", *cells])
    head = ["n", "Crafty", "the book's best", "fewer by", "proved"]
    return table([*head, "`captures`", "the best program here", "fewer here by"], lines)


def composed(data: Data) -> str:
    """How many composed problems champions of programs that make moves prove, least to most of the seeds."""
    own = [row for row in data["mate_claimed"] if row["source"] == "composed"]
    lines = []
    for (run,), every in by(own, "run").items():
        cells = [
            _span(sum(row["proved"] == "1" for row in rows) for rows in by(of_n, "seed").values())
            for of_n in by(every, "n").values()
        ]
        lines.append([run, *cells])
    numbers = {n: len(next(iter(by(rows, "run", "seed").values()))) for (n,), rows in by(own, "n").items()}
    return table(["run", *(f"n = {n}, of {number}" for n, number in numbers.items())], lines)


def formulas(data: Data) -> str:
    """What wins by two readings of the fitness, on the problems that no evolution sees: least to most of the seeds."""
    lines = []
    for (name,), every in by(data["mate_formulas"], "run").items():
        runs = list(by(every, "seed").values())
        problems = sum(int(row["problems"]) for row in runs[0])
        moves = [nodes / problems for nodes in _sums(runs, "nodes")]
        solved = [100 * one / problems for one in _sums(runs, "solved")]
        cells = [_span(moves, "{:.0f}".format), _span(solved), _span(_sums(runs, "proved"))]
        lines.append([f"`{name}`", str(len(runs)), *cells])
    return table(["boards", "seeds", "moves a problem", "solved, %", "proved"], lines)


def varied(data: Data) -> str:
    """What champions of programs prove where runs differ from the first one in one thing; p by rank sums of seeds."""
    found = {name: list(by(rows, "seed").values()) for (name,), rows in by(data["mate_varied"], "run").items()}
    proved = {name: _sums(runs, "proved") for name, runs in found.items()}
    base, *others = map(np.array, proved.values())
    chances = ["", *(f"{p:.2g}" for p in holm([rank_sum(other, base) for other in others]))]
    lines = [
        [name, *map(str, proved[name]), f"{mean(proved[name]):.0f}", chance, str(sum(_false(runs)))]
        for (name, runs), chance in zip(found.items(), chances, strict=True)
    ]
    head = [f"seed {rows[0]['seed']}" for rows in next(iter(found.values()))]
    return table(["run", *head, "mean", "p beside the first, Holm", "false claims of all"], lines)


TABLES: Makers = {
    "mate_searching": searching,
    "mate_best": best,
    "mate_claimed": composed,
    "mate_varied": varied,
    "mate_formulas": formulas,
}
