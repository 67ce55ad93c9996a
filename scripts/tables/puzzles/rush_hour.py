"""The tables of docs/results/rush_hour.md, made from the tables of docs/data whose names begin with rush_hour.

Figures of the book are those of M. Sipper, "Evolved to Win" (2011), tables 10.2 and 10.3. Each function returns the
Markdown of one table.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from envs.rush_hour import suites
from envs.rush_hour.rules import rules_of
from jaxgp.measure.puzzles.solving import CHAMPION, UNGUIDED, Figures
from jaxgp.report.generated import table
from jaxgp.statistics.intervals import student
from jaxgp.statistics.permutation import signed_rank
from jaxgp.statistics.verdicts import holm
from tables.puzzles.searches import NONE, Asked, Searches, percent
from tables.shared.cells import p_value
from tables.shared.data import Data, Makers

BLIND, FIXED = "blind", ("H1", "H2", "H3", "Hc")
BOOK_6 = {BLIND: "100 %", "H1": "72 %", "H2": "94 %", "H3": "102 %", "Hc": "70 %", CHAMPION: "40 %"}
"""Table 10.2: nodes as a share of blind search, boards of 6 x 6 cells."""
BOOK_8 = {BLIND: "100 %", "H1": "69 %", "H2": "75 %", "H3": "70 %", "Hc": "50 %", CHAMPION: "10 %"}
"""The same, boards of 8 x 8 cells."""
SECONDS = {
    BLIND: (0.2, 1.7, 2.4, 6.3, 7.65),
    "H1 to H3": (0.65, 0.35, 1.8, 1.6, 2.8),
    "Hc": (0.06, 1.74, 1.08, 3.94, 7.71),
    CHAMPION: (0.03, 0.6, 0.83, 1.17, 2.56),
}
"""Table 10.3: seconds a board, for JAM01 to JAM08, JAM09 to JAM16 and so on."""
EIGHT = 8
"""Boards of a group of table 10.3."""


class Suite(NamedTuple):
    """Which boards a table shows, and how they were searched; `split` is test or all."""

    name: str
    limit: int
    search: str = "deepening"
    size: int = 6
    split: str = "test"

    @property
    def asked(self) -> Asked:
        found = suites.instances(rules_of(self.size), self.name, "suite")
        names = [name for name, test in zip(found.names, found.test, strict=True) if test or self.split == "all"]
        return Asked(self.search, self.limit, tuple(names))

    @property
    def title(self) -> str:
        return f"{self.name}, {len(self.asked.names)} boards, up to {self.limit:,} nodes"


def shares(
    data: Searches,
    columns: Sequence[Suite],
    orders: Sequence[str],
    runs: Mapping[str, str],
    book: Mapping[str, str],
    bare: bool = False,
) -> str:
    """Return nodes as shares of those of blind search, boards solved and moves, by order of moves and suite.

    Args:
        data: the rows.
        columns: the suites.
        orders: names of the orders that are no champions.
        runs: what the champions of an experiment are called, by its name. After the champions comes the one that is the
            best on training boards, which is what the book reports, and last the mean of all, with the interval of that
            of runs. An experiment without rows has no line.
        book: the book's figures by order; empty: no such column.
        bare: nodes themselves, without intervals, instead of shares.
    """
    lines = []
    for name in orders:
        found = [data.figures(one.asked, name, reference=BLIND) for one in columns]
        lines.append([name, *(cell(one, bare) for one in found), book.get(name, "")])
    for experiment, title in runs.items():
        by_suite = [data.of_champions(one.asked, experiment, BLIND) for one in columns]
        seeds = sorted({seed for one in by_suite for seed in one})
        if not seeds:
            continue
        for seed in seeds:
            lines.append([f"{title}, seed {seed}", *(cell(one.get(seed), bare) for one in by_suite), ""])
        if len(seeds) != 1:
            chosen = data.chosen(experiment)
            assert chosen is not None
            best = (cell(one.get(chosen.seed), bare) for one in by_suite)
            means = (mean(list(one.values()), bare) for one in by_suite)
            lines.append([f"{title}, chosen in training: seed {chosen.seed}", *best, book.get(title, "")])
            lines.append([f"{title}, mean of {len(seeds)}", *means, ""])
    header = ["order of moves", *(one.title for one in columns), "the book"]
    return table(header, lines) if book else table(header[:-1], [line[:-1] for line in lines])


def cell(found: Figures | None, bare: bool = False) -> str:
    """Return share or nodes, boards solved and moves of the solutions, for one order on one suite."""
    if found is None:
        return NONE
    moves = "" if found.length is None else f"; {found.length:.1f}"
    spent = f"{found.nodes:,.0f}" if bare else percent(found.share, found.low, found.high)
    return f"{spent}; {found.solved}{moves}"


def mean(found: Sequence[Figures], bare: bool = False) -> str:
    """Return the means of the champions of several runs, as `cell` does; the interval is that of the runs."""
    each = [one.share for one in found if one.share is not None]
    if not each:
        return NONE
    lengths = [one.length for one in found if one.length is not None]
    solved, moves = np.mean([one.solved for one in found]), np.mean(lengths)
    spent = f"{np.mean([one.nodes for one in found]):,.0f}" if bare else percent(*student(each))
    return f"{spent}; {solved:.1f}; {moves:.1f}"


def seconds(data: Searches, column: Suite, experiment: str) -> str:
    """Return table 10.3: seconds and nodes a board of JAM, by groups of eight boards, ours beside the book's."""
    asked = column.asked
    ours = {
        BLIND: [data.searched(asked, BLIND)],
        "H1 to H3": [data.searched(asked, name) for name in FIXED[:3]],
        "Hc": [data.searched(asked, "Hc")],
        CHAMPION: [data.searched(asked, CHAMPION, one.genome) for one in data.champions(experiment)],
    }
    lines = []
    for number in range(len(asked.names) // EIGHT):
        group = slice(EIGHT * number, EIGHT * (number + 1))
        names = asked.names[group]
        line = [f"{names[0]} to {names[-1]}"]
        for order, found in ours.items():
            there = [one for one in found if one is not None]
            theirs = f"{SECONDS[order][number]:g}"
            if there:
                took = np.mean([one.seconds[group] for one in there])
                line.append(f"{took:.2f}; {np.mean([one.nodes[group] for one in there]):,.0f}; {theirs}")
            else:
                line.append(f"{NONE}; {theirs}")
        lines.append(line)
    return table(["boards", *ours], lines)


class Chosen(NamedTuple):
    """The champion of an experiment that is the best on training boards."""

    experiment: str


Compared = str | Chosen
"""An order of moves; an experiment, which stands for all of its champions; or the one of these that was chosen."""


def paired(data: Searches, columns: Sequence[Suite], pairs: Mapping[str, tuple[Compared, Compared]]) -> str:
    """Return pairs of orders compared board by board: the geometric mean of the ratios of their nodes, and a test.

    Args:
        data: the rows.
        columns: suites, whose boards are taken together.
        pairs: by title, an order and the order that it is compared with. An experiment stands for its champions, whose
            nodes on a board are the geometric mean of those of its runs.
    """
    found = {title: _logs(data, columns, one) - _logs(data, columns, other) for title, (one, other) in pairs.items()}
    tests = dict(zip(found, holm([signed_rank(ratios) for ratios in found.values()]), strict=True))
    lines = []
    for title, ratios in found.items():
        middle, low, high = (None if one is None else float(np.exp(one)) for one in student(ratios))
        fewer = f"{int((ratios < 0).sum())}, {int((ratios > 0).sum())}"
        lines.append([title, str(len(ratios)), percent(middle, low, high), fewer, p_value(tests[title])])
    header = ["nodes of", "boards", "geometric mean of the ratios (95 %)", "boards with fewer, with more", "p, Holm"]
    return table(header, lines)


def _logs(data: Searches, columns: Sequence[Suite], order: Compared) -> np.ndarray:
    """Return the logarithms of the nodes of an order, or of the champions of an experiment in the mean, by board."""
    chosen = data.chosen(order.experiment) if isinstance(order, Chosen) else None
    champions = [chosen] if chosen else data.champions(str(order))
    logs = []
    for asked in (one.asked for one in columns):
        runs = [data.searched(asked, CHAMPION, one.genome) for one in champions]
        found = [one for one in runs or [data.searched(asked, str(order))] if one is not None]
        logs.append(np.mean([np.log(one.nodes) for one in found], 0))
    return np.concatenate(logs)


def beside_macro(
    without: Searches, macro: Searches, column: Suite, orders: Sequence[str], champion: str, most: int
) -> str:
    """Return what orders need with the macro move beside what they need without it, board by board.

    Args:
        without: rows of searches without the macro.
        macro: rows of searches with it.
        column: the suite and the limit of both.
        orders: names of the orders that are no champions.
        champion: the experiment whose chosen champion is one more order.
        most: the limit of the searches without the macro, which count as if they had the other one.
    """
    chosen, asked = without.chosen(champion), column.asked
    assert chosen is not None
    named: dict[str, tuple[str, str | None]] = {name: (name, None) for name in orders}
    named[f"champion, seed {chosen.seed}"] = (CHAMPION, chosen.genome)
    lines, ratios = [], []
    for title, (order, genome) in named.items():
        before, after = (
            without.searched(asked._replace(limit=most), order, genome),
            macro.searched(asked, order, genome),
        )
        if before is None or after is None:
            continue
        nodes = np.minimum(before.nodes, asked.limit)
        solved = int((before.solved & (before.nodes < asked.limit)).sum())
        ratios.append(np.log(after.nodes / nodes))
        middle, low, high = (None if one is None else float(np.exp(one)) for one in student(ratios[-1]))
        fewer = f"{int((ratios[-1] < 0).sum())}, {int((ratios[-1] > 0).sum())}"
        lines.append([title, str(solved), str(int(after.solved.sum())), percent(middle, low, high), fewer])
    tests = holm([signed_rank(one) for one in ratios])
    rows = [[*line, p_value(one)] for line, one in zip(lines, tests, strict=True)]
    header = ["order of moves", "solved without", "solved with", "nodes with it, geometric mean of the ratios (95 %)"]
    return table([*header, "boards with fewer, with more", "p, Holm"], rows)


JAM, SER, MOV = Suite("JAM", 500_000), Suite("SER", 500_000), Suite("MOV", 100_000)
GREEDY = tuple(Suite(name, 500_000, "greedy") for name in ("JAM", "SER", "MOV"))
DEEPENING = {"rush_hour_policy": CHAMPION, "rush_hour_heuristic": "single heuristic"}
EVOLVED_GREEDY = {
    "rush_hour_policy": "champion of deepening",
    "rush_hour_greedy": "champion of greedy",
    "rush_hour_greedy_heuristic": "single heuristic of greedy",
}
PAIRED_GREEDY: Mapping[str, tuple[Compared, Compared]] = {
    "policies, beside H1": ("rush_hour_greedy", "H1"),
    "policy chosen in training, beside H1": (Chosen("rush_hour_greedy"), "H1"),
    "policies of deepening, beside H1": ("rush_hour_policy", "H1"),
    "single heuristics, beside H1": ("rush_hour_greedy_heuristic", "H1"),
    "single heuristic chosen in training, beside H1": (Chosen("rush_hour_greedy_heuristic"), "H1"),
    "policies, beside single heuristics": ("rush_hour_greedy", "rush_hour_greedy_heuristic"),
}
PAIRED_DEEPENING: Mapping[str, tuple[Compared, Compared]] = {
    "policies, beside H1": ("rush_hour_policy", "H1"),
    "policies, beside Hc": ("rush_hour_policy", "Hc"),
    "policy chosen in training, beside H1": (Chosen("rush_hour_policy"), "H1"),
    "policy chosen in training, beside Hc": (Chosen("rush_hour_policy"), "Hc"),
    "single heuristics, beside H1": ("rush_hour_heuristic", "H1"),
    "policies, beside single heuristics": ("rush_hour_policy", "rush_hour_heuristic"),
}
BIG, EVO = Suite("BIG", 500_000, size=8), Suite("EVO", 1_000_000, size=8, split="all")
LARGE_GREEDY = (BIG._replace(search="greedy"), EVO._replace(search="greedy", limit=50_000_000))


@cache
def searches(data: Data) -> Searches:
    """Return the searches of the data."""
    return Searches([data["rush_hour_searches"]], data["rush_hour_runs"])


@cache
def macro_searches(data: Data) -> Searches:
    """Return the searches of the data with the macro move."""
    return Searches([data["rush_hour_macro"]], data["rush_hour_runs"])


SIX = (BLIND, *FIXED)
WHOLE_JAM = Suite("JAM", 100_000, split="all")
TABLES: Makers = {
    "rush_hour_deepening": lambda data: shares(searches(data), (JAM, SER, MOV), SIX, DEEPENING, BOOK_6),
    "rush_hour_greedy": lambda data: shares(searches(data), GREEDY, (UNGUIDED, *FIXED), EVOLVED_GREEDY, {}),
    "rush_hour_deepening_paired": lambda data: paired(searches(data), (JAM, SER, MOV), PAIRED_DEEPENING),
    "rush_hour_greedy_paired": lambda data: paired(searches(data), GREEDY, PAIRED_GREEDY),
    "rush_hour_large": lambda data: shares(
        searches(data), (BIG, EVO), SIX, {"rush_hour_large_deepening": "champion"}, BOOK_8
    ),
    "rush_hour_large_greedy": lambda data: shares(
        searches(data), LARGE_GREEDY, (BLIND, UNGUIDED, *FIXED), {"rush_hour_large": "champion of greedy"}, {}, True
    ),
    "rush_hour_macro": lambda data: beside_macro(
        searches(data), macro_searches(data), WHOLE_JAM, SIX, "rush_hour_policy", JAM.limit
    ),
    "rush_hour_seconds": lambda data: seconds(searches(data), JAM._replace(split="all"), "rush_hour_policy"),
}
