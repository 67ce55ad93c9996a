"""The table of docs/freecell.md, made from docs/data/freecell_deals.csv and freecell_runs.csv."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from envs.freecell import suites
from envs.freecell.rules import FreeCell
from jaxgp.measure.solving import Figures
from jaxgp.report.generated import table
from tables.searches import NONE, Asked, Searches, percent

EXPERIMENT, SEARCH = "freecell_weights", "greedy"
CHAMPIONS = (("1-4000", 200_000), ("1-1000", 10_000))
"""Deals on which champions are shown, and the nodes at which searches give up."""
FIXED, FIXED_ON = ("HSDH", "Heineman", "GA-FreeCell"), ("1-300", 10_000)


def orders(data: Searches) -> str:
    """Return what champions and fixed orders find, one line for each of them and each range of deals."""
    lines = []
    for deals, limit in CHAMPIONS:
        found = data.of_champions(asked(deals, limit), EXPERIMENT)
        lines += [line(f"champion, seed {seed}", deals, limit, one) for seed, one in found.items()]
    lines += [line(name, *FIXED_ON, data.figures(asked(*FIXED_ON), name)) for name in FIXED]
    header = ["order of positions", "deals", "nodes at most", "solved (95 %)", "nodes, mean", "median", "moves"]
    return table(header, lines)


def asked(deals: str, limit: int) -> Asked:
    """Return the searches of the deals of a range that are for testing."""
    found = suites.instances(FreeCell(), deals, "suite")
    names = tuple(name for name, test in zip(found.names, found.test, strict=True) if test)
    return Asked(SEARCH, limit, names)


def line(name: str, deals: str, limit: int, found: Figures | None) -> list[str]:
    """Return a line of the table."""
    first, last = deals.split("-")
    if found is None:
        return [name, f"{first} to {last}", f"{limit:,}", NONE, "", "", ""]
    solved = percent(found.solved / found.instances, found.solved_low, found.solved_high)
    moves = "" if found.length is None else f"{found.length:.1f}"
    numbers = [f"{found.nodes:,.0f}", f"{found.median:,.0f}", moves]
    return [name, f"{first} to {last}, {found.instances:,}", f"{limit:,}", solved, *numbers]


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes the table, by its name in the document; raises UsageError for damaged data."""
    data = Searches(folder / "freecell_deals.csv", folder / "freecell_runs.csv")
    return {"freecell_orders": partial(orders, data)}
