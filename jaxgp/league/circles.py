"""How far a league's players cannot be ranked: circles of three, in which A beats B, B beats C, and C beats A.

Source: M. G. Kendall and B. Babington Smith, "On the method of paired comparisons", Biometrika 31, 1940. Where all
have a strength and the stronger always wins there is no circle; where each pair is decided by the toss of a coin a
quarter of all threes are circles.
"""

from dataclasses import dataclass

import numpy as np

from jaxgp.league.crosstable import CrossTable
from jaxgp.statistics.bootstrap import counts, resample
from jaxgp.statistics.comparison import Estimate
from jaxgp.statistics.draws import Draws
from jaxgp.statistics.exact import central

RESAMPLES = 1999
BY_CHANCE = 0.25
"""Share of circles where each pair is decided by the toss of a coin."""


@dataclass(frozen=True)
class Circles:
    """Threes of players.

    Attributes:
        decided: threes whose pairs all have a winner.
        circles: those of them in which everybody beats one of the other two.
        share: circles of those decided, with a 95 % percentile bootstrap over players; None where none is decided.
    """

    decided: int
    circles: int
    share: Estimate | None


def circles(table: CrossTable, seed: int = 0) -> Circles:
    """Count circles; a player beats another if it takes more than half of the points of all their games.

    Args:
        table: of the games of three players or more.
        seed: of the bootstrap.
    """
    worth = table.worth(0.5)
    beats = (np.nan_to_num(worth + 1 - worth.T, nan=1.0) > 1 + 1e-9).astype(float)
    count = len(beats)
    ones = np.ones((1, count))
    circular, decided = (float(one[0]) for one in _threes(beats, ones))
    if not decided:
        return Circles(0, 0, None)

    def shares(places: np.ndarray) -> np.ndarray:
        found, of = _threes(beats, counts(places, count))
        return np.divide(found, of, out=np.full(len(places), np.nan), where=of > 0)

    spread = resample([count], shares, Draws(seed), RESAMPLES)
    return Circles(round(decided), round(circular), Estimate(circular / decided, *central(spread[~np.isnan(spread)])))


def _threes(beats: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return float[R], float[R]: circles and decided threes, each player taken as often as its weight, [R, N], says."""
    either = beats + beats.T

    def around(edges: np.ndarray) -> np.ndarray:
        steps = edges * weights[:, None, :]
        return np.asarray(np.einsum("rij,rjk,rki->r", steps, steps, steps, optimize=True))

    return around(beats) / 3, around(either) / 6  # of whole numbers, so exact in any order
