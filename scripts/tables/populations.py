"""The tables of docs/performance.md on populations, made from docs/data/populations.csv."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from jaxgp.report.generated import table
from jaxgp.store.table import Cells, Table
from studies.growth.populations import COLUMNS

SATURATED = 0.9
"""Share of the greatest rate from which a population counts as saturating."""


@dataclass(frozen=True)
class Size:
    """A population of one game, and what its generation costs."""

    population: int
    games: int
    seconds: float  # of all cores together
    compiling: float
    needed: int
    peak: int

    @property
    def rate(self) -> float:
        """Games a CPU-second."""
        return self.games / self.seconds


def sizes(rows: Sequence[Cells]) -> dict[str, list[Size]]:
    """Return what was measured of each game with its options, in ascending order; of equal rows the last counts."""
    named = [(f"{row['game'].capitalize()}|{row['options']}", row) for row in rows]
    found = {}
    for name, each in groupby(sorted(named, key=lambda one: one[0]), key=lambda one: one[0]):
        last = {int(row["population"]): row for _, row in each}
        found[name] = [_size(last[population]) for population in sorted(last)]
    return found


def _size(row: Cells) -> Size:
    numbers = [int(row[name]) for name in ("population", "games")]
    seconds = [float(row[name]) for name in ("cpu_seconds", "compile_seconds")]
    return Size(*numbers, *seconds, int(row["needed"]), int(row["peak"]))


def slope(one: Size, other: Size) -> float:
    """Return how the rate grows with the population: the slope between two of them on logarithmic axes."""
    return float(np.log(other.rate / one.rate) / np.log(other.population / one.population))


def line(found: Sequence[Size]) -> tuple[float, float]:
    """Return the seconds that a generation takes whatever the population, and those of each individual.

    The line through the seconds has the least squares of relative errors; neither part of it is negative.
    """
    population, seconds = np.array([(one.population, one.seconds) for one in found]).T
    system = np.stack([np.ones_like(population), population], 1) / seconds[:, None]
    fixed, each = np.linalg.lstsq(system, np.ones_like(seconds), rcond=None)[0]
    if fixed < 0:
        return 0.0, float(1 / (system[:, 1] @ system[:, 1]) * system[:, 1].sum())
    return float(fixed), float(each)


def measured(found: Mapping[str, Sequence[Size]]) -> str:
    """Return a line for each population."""
    lines = []
    for name, each in found.items():
        slopes = ["", *(f"{slope(a, b):.2f}" for a, b in pairwise(each))]
        for one, rise in zip(each, slopes, strict=True):
            memory = [f"{size / 2**20:,.0f} MiB" for size in (one.needed, one.peak)]
            cells = [f"{one.population:,}", f"{one.games:,}", f"{one.seconds:.3g}", f"{one.rate:,.0f}", rise]
            lines.append([name.partition("|")[0], *cells, *memory, f"{one.compiling:.0f} s"])
    head = [
        "game",
        "population",
        "games",
        "CPU-seconds",
        "games per CPU-second",
        "slope",
        "needed",
        "held",
        "compiled in",
    ]
    return table(head, lines)


def saturation(found: Mapping[str, Sequence[Size]]) -> str:
    """Return a line for each game of several populations: the parts of its time, where the rate stops growing."""
    lines = []
    for name, each in found.items():
        if len(each) == 1:
            continue
        game, _, options = name.partition("|")
        fixed, own = line(each)
        greatest = max(one.rate for one in each)
        first = next(one.population for one in each if one.rate >= SATURATED * greatest)
        total = slope(each[0], each[-1])
        parts = [f"{1e3 * fixed:.3g} ms", f"{1e6 * own:.3g} us", f"{fixed / own:,.0f}" if own else ""]
        lines.append(
            [game, f"`{options}`" if options else "", f"{total:.2f}", *parts, f"{greatest:,.0f}", f"{first:,}"]
        )
    head = ["game", "options", "slope, first to last", "of a generation", "of an individual", "both are equal at"]
    return table([*head, "greatest rate", f"{SATURATED:.0%} of it from"], lines)


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes the tables, by their names in the document; raises UsageError for damaged data."""
    found = sizes(Table(folder / "populations.csv", COLUMNS).read())
    return {"populations": partial(measured, found), "saturation": partial(saturation, found)}
