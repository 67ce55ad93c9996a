"""The tables of docs/freecell.md, made from the tables of docs/data whose names begin with `freecell`."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path

import numpy as np

from envs.freecell import suites
from envs.freecell.rules import FreeCell
from jaxgp.measure.instances import Searched
from jaxgp.measure.portfolio import combined
from jaxgp.measure.solving import CHAMPION, Figures, figures
from jaxgp.report.generated import table
from jaxgp.statistics.verdicts import holm
from tables.searches import NONE, Asked, Searches, percent

EXPERIMENT, SEARCH = "freecell_weights", "greedy"
CHAMPIONS = (("1-4000", 200_000), ("1-32000", 10_000), ("1-1000", 10_000))
"""Deals on which champions are shown, and the nodes at which searches give up."""
HEADER = ["order of positions", "deals", "nodes at most", "solved (95 %)", "nodes, mean", "median", "moves"]
UNSOLVED_NODES, UNSOLVED_MOVES = 1_000_000_000, 60_000
"""What the book counts for a deal that is not solved (section 11.3)."""
ALL = "1-32000"
PORTFOLIOS = {EXPERIMENT: (10_000, 200_000, 1_000_000), "freecell_counts": (6_000, 50_000, 1_000_000)}
"""Experiments whose five champions search one after the other, and the nodes at which they give up in turn."""
SEEDS = range(5)
AGAINST, ALONE = "freecell_short", "freecell_short_fixed"
"""Experiments with equal numbers of searches: deals evolve, or are drawn at random."""
SHORT, SHORT_ON = 3_000, "1-1000"
"""Nodes at which searches of their champions give up, and the deals."""
FC_SOLVE, CHECKED = "fc-solve", 200_000
"""The engine outside, and the states that it checks at most."""
BOOK = (
    ("the book, HSDH, staged deepening", "30,859: 96.43 %", "1,780,216", "255"),
    ("the book, evolved weights, staged deepening", "31,475: 98.36 %", "230,345", "151"),
    ("the book, evolved policies, staged deepening", "31,888: 99.65 %", "", ""),
)
"""Table 11.2 and section 11.3 of the book; nodes and moves are those of the deals that were solved."""
FIXED, FIXED_ON = ("HSDH", "Heineman", "GA-FreeCell"), ("1-300", 10_000)


def orders(data: Searches) -> str:
    """Return what champions and fixed orders find, one line for each of them and each range of deals."""
    lines = []
    for deals, limit in CHAMPIONS:
        found = data.of_champions(asked(deals, limit), EXPERIMENT)
        lines += [line(f"champion, seed {seed}", deals, limit, one) for seed, one in found.items()]
    lines += [line(name, *FIXED_ON, data.figures(asked(*FIXED_ON), name)) for name in FIXED]
    return table([*HEADER, "nodes by the book", "moves by the book"], lines)


def asked(deals: str, limit: int) -> Asked:
    """Return the searches of the deals of a range that are for testing."""
    found = suites.instances(FreeCell(), deals, "suite")
    names = tuple(name for name, test in zip(found.names, found.test, strict=True) if test)
    return Asked(SEARCH, limit, names)


def line(name: str, deals: str, limit: int, found: Figures | None) -> list[str]:
    """Return a line of the table."""
    first, last = deals.split("-")
    if found is None:
        return [name, f"{first} to {last}", f"{limit:,}", NONE, "", "", "", "", ""]
    solved = percent(found.solved / found.instances, found.solved_low, found.solved_high)
    moves = "" if found.length is None else f"{found.length:.1f}"
    numbers = [f"{found.nodes:,.0f}", f"{found.median:,.0f}", moves, *map("{:,.0f}".format, penalised(found))]
    return [name, f"{first} to {last}, {found.instances:,}", f"{limit:,}", solved, *numbers]


def penalised(found: Figures) -> tuple[float, float]:
    """Return mean nodes and mean moves as the book counts them, with penalties for deals that are not solved."""
    each = [
        (UNSOLVED_NODES, UNSOLVED_MOVES) if moves is None else (nodes, moves) for nodes, moves in found.each.values()
    ]
    nodes, moves = np.mean(each, 0)
    return float(nodes), float(moves)


def together(data: Searches, experiment: str, deals: str = ALL) -> tuple[Searched, list[list[str]]] | None:
    """Return what five champions find one after the other, each for what those before it left, and a line for each.

    None unless all of their searches have rows.
    """
    names = np.array(suites.instances(FreeCell(), deals, "suite").names)
    genomes = {one.seed: one.genome for one in data.champions(experiment)}
    lines: list[list[str]] = []

    def search(seed: int, limit: int, left: np.ndarray) -> Searched:
        wanted = Asked(SEARCH, limit, tuple(names[left].tolist()))
        found = data.searched(wanted, CHAMPION, genomes.get(seed, "")) if len(left) else Searched.nothing(0)
        if found is None:
            raise LookupError
        nodes = f"{found.nodes.mean():,.0f}" if len(left) else ""
        lines.append([f"champion, seed {seed}", f"{limit:,}", f"{len(left):,}", f"{found.solved.sum():,}", nodes])
        return found

    schedule = ((seed, limit) for limit in PORTFOLIOS[experiment] for seed in SEEDS)
    try:
        return combined(len(names), (partial(search, *stage) for stage in schedule)), lines
    except LookupError:
        return None


def portfolio(data: Searches, experiment: str = EXPERIMENT, deals: str = ALL) -> str:
    """Return what the champions of an experiment find one after the other.

    The last two lines are of all deals, and of those for testing.
    """
    found = together(data, experiment, deals)
    if found is None:
        return NONE
    some = suites.instances(FreeCell(), deals, "suite")
    lines = found[1]
    for title, mask in (("together", np.ones(len(some.names), bool)), ("of these for testing", some.test)):
        made = figured(found[0], np.array(some.names), mask)
        lines.append([title, "", f"{made.instances:,}", share_of(made), f"{made.nodes:,.0f}"])
    return table(["champion", "nodes at most", "deals", "solved", "nodes, mean"], lines)


def evolving(data: Searches, deals: str = SHORT_ON) -> str:
    """Return the champions of runs whose deals evolve beside those of runs with random deals, on deals for testing.

    A12 is of the former over the latter; both p values are one family.
    """
    from jaxgp.statistics.comparison import compare

    found = {name: list(data.of_champions(asked(deals, SHORT), name).values()) for name in (AGAINST, ALONE)}
    if not all(found.values()):
        return NONE
    titles = {AGAINST: "deals evolve", ALONE: "random deals"}
    measures: dict[str, Callable[[Figures], float]] = {
        "solved, percent": lambda one: 100 * one.solved / one.instances,
        "nodes, mean": lambda one: one.nodes,
    }
    made = [
        compare(measure, *((titles[name], [value(one) for one in found[name]]) for name in (AGAINST, ALONE)))
        for measure, value in measures.items()
    ]
    lines = []
    for one, p in zip(made, holm([one.p for one in made]), strict=True):
        groups = [
            f"{group.median.value:,.1f} ({min(group.values):,.1f} to {max(group.values):,.1f})"
            for group in (one.first, one.second)
        ]
        a12 = f"{one.a12.value:.2f} ({one.a12.low:.2f} to {one.a12.high:.2f})"
        lines.append([one.measure, *groups, a12, f"{p:.2g}"])
    runs = [f"{titles[name]}, {len(found[name])} runs: median (least to greatest)" for name in (AGAINST, ALONE)]
    return table(["measure", *runs, "A12 (95 %)", "p, Holm"], lines)


def figured(found: Searched, names: np.ndarray, mask: np.ndarray) -> Figures:
    """Return the figures of some of the instances that have these names."""
    part = Searched(*(getattr(found, one.name)[mask] for one in fields(found)))
    return figures(tuple(names[mask].tolist()), part, None)


def share_of(made: Figures) -> str:
    """Return how many instances were solved, and their share with its interval."""
    share = 100 * np.array([made.solved / made.instances, made.solved_low, made.solved_high])
    return f"{made.solved:,}: {share[0]:.3f} % ({share[1]:.3f} to {share[2]:.3f})"


def everything(data: Searches, deals: str = ALL) -> str:
    """Return what is known of all deals, a line for each solver; those of the book come first."""
    names = np.array(suites.instances(FreeCell(), deals, "suite").names)
    lines = [[solver, solved, nodes, "", "", moves] for solver, solved, nodes, moves in BOOK]

    def add(solver: str, found: Searched | None) -> None:
        if found is None:
            return
        made = figured(found, names, np.ones(len(names), bool))
        counted = ["", ""] if made.expanded is None else [f"{made.expanded:,.1f}", f"{made.expanded_median:,.0f}"]
        moves = "" if made.length is None else f"{made.length:.1f}"
        lines.append([solver, share_of(made), f"{made.nodes:,.0f}", *counted, moves])

    for experiment in PORTFOLIOS:
        found = together(data, experiment, deals)
        add(f"five champions of `{experiment}`, one after the other", None if found is None else found[0])
    wanted = Asked(FC_SOLVE, CHECKED, tuple(names.tolist()))
    add("fc-solve 5.0.0, `-l lg`", data.searched(wanted, FC_SOLVE))
    return table(["solver", "solved (95 %)", "nodes, mean", "expanded, mean", "median", "moves"], lines)


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes the tables, by their names in the document; raises UsageError for damaged data."""
    compressed = ("all", "counts", "policy", "short", "fc_solve")
    files = ("freecell_deals.csv", *(f"freecell_{name}.csv.gz" for name in compressed))
    data = Searches([folder / name for name in files], folder / "freecell_runs.csv")
    return {
        "freecell_orders": partial(orders, data),
        "freecell_portfolio": partial(portfolio, data),
        "freecell_everything": partial(everything, data),
        "freecell_counts": partial(portfolio, data, "freecell_counts"),
        "freecell_policy": partial(portfolio, data, "freecell_policy"),
        "freecell_evolving": partial(evolving, data),
    }
