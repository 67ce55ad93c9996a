"""How costs grow: with the population, the length of programs and the number of games, for docs/performance.md.

The rows are those of docs/data/populations.csv and docs/data/performance.csv.
"""

from collections.abc import Mapping
from itertools import pairwise
from math import log
from typing import NamedTuple

from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from tables.shared.data import Data, Makers
from tables.speed import populations
from tables.speed.rates import GAMES, SETS, pairs

MOVES = {
    "env": "random legal moves",
    "othello": "random legal moves",
    "checkers": "random legal moves",
    "chess": "random plies",
}
"""Parts of the benchmark that draw and play random moves, and what they call it."""


class Point(NamedTuple):
    """What one unit of work costs at one size."""

    size: int
    cost: float  # CPU-seconds of a game, a node evaluation or a move


Curves = Mapping[str, list[Point]]


def of_populations(data: Data) -> Curves:
    """Return the CPU-seconds of a game in generations of a size, by game."""
    found = populations.sizes(data).items()
    return {game.capitalize(): [Point(one.population, 1 / one.rate) for one in each] for (game, _), each in found}


def of_programs(data: Data) -> Curves:
    """Return the CPU-seconds of a node evaluation by the length of programs, by set and positions."""
    found: dict[str, dict[int, Point]] = {}
    for row in data["performance"]:
        if row["part"] == "interpreter" and row["name"] == "evaluation" and not row["rival"]:
            sizes = pairs(row["sizes"])
            name = f"{SETS.get(sizes['set'], sizes['set'])}, {sizes['cases']} positions"
            found.setdefault(name, {})[int(sizes["nodes"])] = Point(int(sizes["nodes"]), _cost(row))
    return _ascending(found)


def of_batches(data: Data) -> Curves:
    """Return the CPU-seconds of a random move by the number of games side by side, by game."""
    found: dict[str, dict[int, Point]] = {}
    for row in data["performance"]:
        if MOVES.get(row["part"]) == row["name"] and not row["rival"]:
            sizes = pairs(row["sizes"])
            found.setdefault(GAMES[row["part"]], {})[int(sizes["batch"])] = Point(int(sizes["batch"]), _cost(row))
    return _ascending(found)


def slope(one: Point, other: Point) -> float:
    """Return how cost grows between two sizes: the slope on logarithmic axes; 0 where it does not depend on size."""
    return log(other.cost / one.cost) / log(other.size / one.size)


def slopes(data: Data) -> str:
    """Return a line for each curve: its slope from end to end, where it is least, and where it rises most."""
    lines = []
    for what, curves in KINDS.items():
        for name, points in curves(data).items():
            if len(points) < 3:
                continue
            least = min(points, key=lambda point: point.cost)
            rise, one, other = max((slope(*pair), *pair) for pair in pairwise(points))
            ends = f"{points[0].size:,} to {points[-1].size:,}"
            overall = f"{slope(points[0], points[-1]):+.2f}"
            steepest = f"{rise:+.2f}, {one.size:,} to {other.size:,}"
            lines.append([what, name, ends, overall, _time(least.cost), f"{least.size:,}", steepest])
    head = ["what costs", "of", "sizes", "slope, first to last", "least cost, CPU time", "at"]
    return table([*head, "steepest"], lines)


def _cost(row: Cells) -> float:
    return float(row["cpu_seconds"]) / float(row["work"])


def _ascending(found: Mapping[str, Mapping[int, Point]]) -> Curves:
    return {name: [points[size] for size in sorted(points)] for name, points in found.items()}


def _time(seconds: float) -> str:
    for least, unit in ((1e-3, "ms"), (1e-6, "us")):
        if seconds >= least:
            return f"{seconds / least:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


KINDS = {
    "a game, by population": of_populations,
    "a node evaluation, by nodes": of_programs,
    "a random move, by games side by side": of_batches,
}
"""What is counted, by what it depends on."""
TABLES: Makers = {"speed_slopes": slopes}
