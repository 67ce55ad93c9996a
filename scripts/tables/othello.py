"""The tables of docs/results/othello.md on programs that value moves.

They are made from the tables of docs/data whose names begin with `othello`, and the champions of the runs.
"""

import re
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np

from jaxgp.report.generated import table
from jaxgp.statistics.exact import spearman
from jaxgp.statistics.verdicts import LEVEL, pool_rows
from jaxgp.store import champion
from jaxgp.store.table import Cells
from tables.shared.cells import effect, family, mean_of, p_value
from tables.shared.data import Data, Makers
from tables.shared.learning import by_generation, until

SOURCE = {
    "original": "1.00 to 2.40",
    "original_weights": "2.02 to 7.26",
    "regions": "3.83 to 7.60",
    "regions_weights": "5.45 to 6.98",
    "noops": "7.41 to 9.25, one of 69.20",
}
"""The fitness of the source's runs, by experiment: T. Bellin and G. Gasperin; less is better there."""
UNMET = {
    "search depth=1 evaluator=material|corner_4 ties=random": "one ply",
    "search depth=2 evaluator=material|corner_4 ties=random": "two plies",
}
"""Opponents that no run has met."""
WEIGHTED = {"original_weights": "original", "regions_weights": "regions"}
"""Experiments with weights by path, and those that have the same features without."""
HARDER = "_coplay"
"""What follows the name of an experiment whose programs are trained by games against each other."""
FEW = {"few": "few", "few_weights": "few, with weights"}
"""Runs with few features of about equal counts, the source's proposal."""
TRAINED = (*WEIGHTED.values(), *WEIGHTED)
"""Experiments that were run with both ways of training."""
TITLES = {
    "Othello, original features": "`original`",
    "Othello, original features with weights": "`original_weights`",
    "Othello, regions": "`regions`",
    "Othello, regions with weights": "`regions_weights`",
    "Othello, regions weighted by no-ops": "`noops`",
}
"""Titles of the five experiments' runs, and what they are called."""
AT = (0, 5, 10, 25, 50)
"""Generations at which curves are shown as numbers."""
TARGETS = {160.0: "fitness 160", 170.0: "fitness 170"}
NO_OPS = ("B0", "B1", "B00", "B01", "B10", "B11")


def experiment(path: str) -> str:
    """Return the experiment of a champion's file or a run's directory, without `othello_`; empty for another one."""
    found = re.search(r"othello[_/](\w+?)(?:/|\.jsonl#)\d+$", path)
    return found[1] if found else ""


# Comparisons of experiments


def points(data: Data, opponents: Sequence[str] = tuple(UNMET)) -> dict[str, list[float]]:
    """Return the mean share of points of each champion against some opponents, by experiment."""
    scores: dict[str, dict[str, float]] = {}
    for (run, opponent), score in pool_rows(data["othello_games"], ("run", "opponent")).items():
        scores.setdefault(run, {})[opponent] = score.share
    found: dict[str, list[float]] = {}
    for run, met in sorted(scores.items()):
        if set(opponents) <= set(met):
            found.setdefault(experiment(run), []).append(mean(met[one] for one in opponents))
    return found


def percent(shares: Sequence[float]) -> str:
    """Return the mean of shares in percent with the 95 % interval over runs."""
    return mean_of([100 * share for share in shares], unit=" %")


def experiments(data: Data) -> str:
    """Return a line for each experiment: its runs, and what their champions take from opponents that no run met."""
    columns = [points(data, [one]) for one in UNMET] + [points(data)]
    lines = []
    for name, source in SOURCE.items():
        fitness = [float(row["fitness"]) for row in data["othello_runs"] if experiment(row["run"]) == name]
        cells = [percent(column[name]) for column in columns]
        within = f"{min(fitness):.1f} to {max(fitness):.1f}"
        lines.append([f"`othello_{name}`", str(len(columns[-1][name])), *cells, within, source])
    head = ["experiment", "champions", *(f"against {one}" for one in UNMET.values()), "mean of both"]
    return table([*head, "fitness in the runs", "in the source"], lines)


def compare_pairs(data: Data, asked: Sequence[tuple[str, str]]) -> str:
    """Return pairs of experiments compared by Mann and Whitney; the p values are one family."""
    lines = []
    for (a, b), (one, p) in family(points(data), asked, "points").items():
        higher = "higher" if one.a12.value > 0.5 else "lower"
        word = higher if p < LEVEL else "no difference shown"
        lines.append([f"`{a}`", f"`{b}`", effect(one.a12), p_value(one.p), p_value(p), word])
    return table(["first", "second", "A12 (95 %)", "p", "p, Holm", "the first is"], lines)


def harder(data: Data) -> str:
    """Return champions trained by games against each other beside those trained against the panel."""
    groups = points(data)
    lines = []
    for name in TRAINED:
        both = groups[name], groups[name + HARDER]
        lines.append([f"`othello_{name}`", str(len(both[1])), *map(percent, both)])
    return table(["experiment", "champions", "trained against the panel", "trained against each other"], lines)


def few(data: Data) -> str:
    """Return champions with few features, and what weights do there, beside the other features."""
    groups = points(data)
    lines = [[words, str(len(groups[name])), percent(groups[name])] for name, words in FEW.items()]
    return table(["features", "champions", "mean of both opponents"], lines)


# No-ops


class Noops(NamedTuple):
    """The no-ops of one program.

    Attributes:
        nodes: of the program, no-ops too.
        noops: how many.
        above: of these, those right above a terminal.
        chain: the most that follow each other.
    """

    nodes: int
    noops: int
    above: int
    chain: int


def count(text: str) -> Noops:
    """Count the no-ops in the text of a program."""
    words = re.findall(r"[()]|[^\s()]+", text)
    nodes = noops = above = longest = chain = 0
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word in "()":
            continue
        nodes += 1
        chain = chain + 1 if word in NO_OPS and before == "(" else 0
        if chain:
            noops, above, longest = noops + 1, above + (after != "("), max(longest, chain)
    return Noops(nodes, noops, above, longest)


def read_noops(folder: Path) -> dict[str, list[Noops]]:
    """Return the no-ops of the champions of each experiment that has some."""
    found: dict[str, list[Noops]] = {name: [] for name in SOURCE}
    for name, counts in found.items():
        for path in champion.members(folder / "champions" / f"othello_{name}.jsonl"):
            counts.append(count(champion.read(path).text))
    return {name: counts for name, counts in found.items() if any(one.noops for one in counts)}


def noops(data: Data) -> str:
    """Return how many no-ops the champions of each experiment have; in `regions` they do nothing."""
    lines = []
    for name, counts in read_noops(data.path).items():
        users, total = sum(one.noops > 0 for one in counts), sum(one.noops for one in counts)
        shares = percent([one.noops / one.nodes for one in counts])
        above, longest = sum(one.above for one in counts), max(one.chain for one in counts)
        lines.append([f"`othello_{name}`", f"{users} of {len(counts)}", str(total), str(above), str(longest), shares])
    head = ["experiment", "champions with no-ops", "no-ops", "right above a terminal", "longest chain"]
    return table([*head, "share of the nodes, mean (95 %)"], lines)


# Where influential leaves are


def correlate_ranks(row: Cells) -> list[float]:
    """Return Spearman's rho of the influence of a champion's leaves with depth, and with the place from the left.

    Without leaves that differ in depth and in influence there is none.
    """
    pairs = [one.split(":") for one in row["leaves"].split()]
    depths, shares = [int(depth) for depth, _ in pairs], [float(share) for _, share in pairs]
    if min(len(set(depths)), len(set(shares))) < 2:
        return []
    return [float(spearman(np.array(shares), np.array(one, float))) for one in (depths, range(len(shares)))]


def leaves(data: Data) -> str:
    """Return where the leaves are that decide moves, with weights beside without; the p values are one family."""
    values: dict[tuple[str, int], list[float]] = {}
    for row in data["othello_leaves"]:
        for of, rho in enumerate(correlate_ranks(row)):
            values.setdefault((experiment(row["run"]), of), []).append(rho)
    tested = family(values, [((a, of), (b, of)) for a, b in WEIGHTED.items() for of in (0, 1)], "rho")
    said = {pair[0]: f"{effect(one.a12)}, p = {p_value(p)}" for pair, (one, p) in tested.items()}
    lines = []
    for name in (one for one in SOURCE if (one, 0) in values):
        cells = [cell for of in (0, 1) for cell in (mean_of(values[name, of], 2, sign="+"), said.get((name, of), ""))]
        lines.append([f"`othello_{name}`", str(len(values[name, 0])), *cells])
    head = ["rho with the depth (95 %)", "A12 over no weights, p", "rho with the place from the left (95 %)"]
    return table(["experiment", "champions", *head, "A12 over no weights, p"], lines)


TABLES: Makers = {
    "othello_experiments": experiments,
    "othello_pairs": partial(compare_pairs, asked=[*combinations(SOURCE, 2)]),
    "othello_curves": lambda data: by_generation(data["othello_curves"], TITLES, "fitness", AT),
    "othello_targets": lambda data: until(data["othello_curves"], TITLES, "fitness", TARGETS),
    "othello_harder": harder,
    "othello_harder_pairs": partial(
        compare_pairs,
        asked=[(a + HARDER, b + HARDER) for a, b in WEIGHTED.items()] + [(name + HARDER, name) for name in TRAINED],
    ),
    "othello_few": few,
    "othello_few_pairs": partial(compare_pairs, asked=[("few_weights", other) for other in ("few", *WEIGHTED)]),
    "othello_noops": noops,
    "othello_leaves": leaves,
}
