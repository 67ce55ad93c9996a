"""The tables of docs/freecell.md, made from docs/data/freecell_deals.csv, freecell_all.csv.gz and freecell_runs.csv."""

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
from tables.searches import NONE, Asked, Searches, percent

EXPERIMENT, SEARCH = "freecell_weights", "greedy"
CHAMPIONS = (("1-4000", 200_000), ("1-32000", 10_000), ("1-1000", 10_000))
"""Deals on which champions are shown, and the nodes at which searches give up."""
HEADER = ["order of positions", "deals", "nodes at most", "solved (95 %)", "nodes, mean", "median", "moves"]
UNSOLVED_NODES, UNSOLVED_MOVES = 1_000_000_000, 60_000
"""What the book counts for a deal that is not solved (section 11.3)."""
SCHEDULE = tuple((seed, limit) for limit in (10_000, 200_000, 1_000_000) for seed in range(5))
"""The portfolio: seeds of champions, and nodes at which their searches give up."""
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


def portfolio(data: Searches, deals: str = "1-32000") -> str:
    """Return what the champions of the schedule find one after the other, each for what those before it left.

    The last two lines are of all deals, and of those for testing.
    """
    some = suites.instances(FreeCell(), deals, "suite")
    names = np.array(some.names)
    genomes = {one.seed: one.genome for one in data.champions(EXPERIMENT)}
    lines: list[list[str]] = []

    def search(seed: int, limit: int, left: np.ndarray) -> Searched:
        wanted = Asked(SEARCH, limit, tuple(names[left].tolist()))
        found = data.searched(wanted, CHAMPION, genomes[seed]) if len(left) else Searched.nothing(0)
        if found is None:
            raise LookupError
        nodes = f"{found.nodes.mean():,.0f}" if len(left) else ""
        lines.append([f"champion, seed {seed}", f"{limit:,}", f"{len(left):,}", f"{found.solved.sum():,}", nodes])
        return found

    try:
        found = combined(len(names), (partial(search, *stage) for stage in SCHEDULE))
    except LookupError:
        return NONE
    for title, mask in (("together", np.ones(len(names), bool)), ("of these for testing", some.test)):
        part = Searched(*(getattr(found, one.name)[mask] for one in fields(found)))
        made = figures(tuple(names[mask].tolist()), part, None)
        share = 100 * np.array([made.solved / made.instances, made.solved_low, made.solved_high])
        solved = f"{made.solved:,}: {share[0]:.3f} % ({share[1]:.3f} to {share[2]:.3f})"
        lines.append([title, "", f"{made.instances:,}", solved, f"{made.nodes:,.0f}"])
    return table(["champion", "nodes at most", "deals", "solved", "nodes, mean"], lines)


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes the tables, by their names in the document; raises UsageError for damaged data."""
    data = Searches([folder / "freecell_deals.csv", folder / "freecell_all.csv.gz"], folder / "freecell_runs.csv")
    return {"freecell_orders": partial(orders, data), "freecell_portfolio": partial(portfolio, data)}
