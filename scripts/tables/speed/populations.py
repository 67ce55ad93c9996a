"""The tables of docs/performance.md on populations, made from docs/data/populations.csv."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from jaxgp.report.generated import table
from tables.shared.data import Data, Makers, by

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


def sizes(data: Data) -> dict[tuple[str, ...], list[Size]]:
    """Return what was measured of each game with its options, in ascending order; of equal rows the last counts."""
    found = {}
    for name, rows in sorted(by(data["populations"], "game", "options").items()):
        last = {int(row["population"]): row for row in rows}
        found[name] = [
            Size(
                *(int(row[cell]) for cell in ("population", "games")),
                *(float(row[cell]) for cell in ("cpu_seconds", "compile_seconds")),
                *(int(row[cell]) for cell in ("needed", "peak")),
            )
            for _, row in sorted(last.items())
        ]
    return found


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


def measured(data: Data) -> str:
    """Return a line for each population."""
    lines = []
    for (game, _), each in sizes(data).items():
        slopes = ["", *(f"{slope(a, b):.2f}" for a, b in pairwise(each))]
        for one, rise in zip(each, slopes, strict=True):
            memory = [f"{size / 2**20:,.0f} MiB" for size in (one.needed, one.peak)]
            cells = [f"{one.population:,}", f"{one.games:,}", f"{one.seconds:.3g}", f"{one.rate:,.0f}", rise]
            lines.append([game.capitalize(), *cells, *memory, f"{one.compiling:.0f} s"])
    head = ["game", "population", "games", "CPU-seconds", "games per CPU-second", "slope"]
    return table([*head, "needed", "held", "compiled in"], lines)


def saturation(data: Data) -> str:
    """Return a line for each game of several populations: the parts of its time, where the rate stops growing."""
    lines = []
    for (game, options), each in sizes(data).items():
        if len(each) == 1:
            continue
        fixed, own = line(each)
        greatest = max(one.rate for one in each)
        first = next(one.population for one in each if one.rate >= SATURATED * greatest)
        cells = [f"{1e3 * fixed:.3g} ms", f"{1e6 * own:.3g} us", f"{fixed / own:,.0f}" if own else ""]
        about = [game.capitalize(), f"`{options}`" if options else "", f"{slope(each[0], each[-1]):.2f}"]
        lines.append([*about, *cells, f"{greatest:,.0f}", f"{first:,}"])
    head = ["game", "options", "slope, first to last", "of a generation", "of an individual", "both are equal at"]
    return table([*head, "greatest rate", f"{SATURATED:.0%} of it from"], lines)


TABLES: Makers = {"populations": measured, "saturation": saturation}
