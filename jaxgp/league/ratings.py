"""How strong the players of a league are: a rating of each from all games, and its correlation with fitness.

The model is that of R. Bradley and M. Terry (Biometrika 39, 1952) with a term for the first seat (R. Davidson and
R. Beaver, Biometrics 33, 1977): the player who begins has the odds exp(own rating - rival's rating + seat). It is
fitted by maximum likelihood as a logistic regression of results; a draw is half a win and half a loss. A player that
won all its games would be rated infinitely high, so each is given one drawn game more, against a player of rating zero,
and the first seat one drawn game of equals: a weak prior, which pulls ratings a little to the middle. Ratings are on
the scale of A. Elo, where 400 points are odds of ten to one, and their mean is zero.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jaxgp.league.crosstable import CrossTable
from jaxgp.statistics.bootstrap import resample
from jaxgp.statistics.comparison import Estimate
from jaxgp.statistics.draws import Draws
from jaxgp.statistics.exact import central, settle, settle_number, spearman

ELO = 400 / np.log(10)
"""Elo points per unit of log odds."""
PRIOR = 1.0
"""Extra drawn games of each player, against a player of rating zero."""
PRECISION = 1e-10
"""Newton's method ends when no rating changes by more than this, in units of log odds."""
GRID = 2.0**-20
"""Ratings are rounded to this, in Elo points: players that are equal in theory have the same rating."""
LEAST = 4
"""The fewest players for which a correlation is computed; with three it says nothing."""


@dataclass(frozen=True)
class Ratings:
    """Ratings with 95 % intervals, in Elo points: one for each player, and the worth of the first seat."""

    players: list[Estimate]
    first_seat: Estimate
    separated: list[int]  # players that won or lost all their games: only the prior keeps their ratings finite


def fit(table: CrossTable) -> Ratings:
    """Rate the players of a cross-table."""
    from statsmodels.api import GLM, families

    count = len(table.games)
    first, second = np.nonzero(table.games)
    share, number = table.worth(0.5)[first, second], table.games[first, second]
    design = np.zeros((len(first) + count + 1, count + 1))
    rows = np.arange(len(first))
    design[rows, first], design[rows, second], design[rows, count] = 1.0, -1.0, 1.0
    design[len(first) :] = np.eye(count + 1)
    half = np.full(count + 1, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of shares between 0 and 1, which are intended
        found = GLM(
            np.append(share, half),
            design,
            family=families.Binomial(),
            var_weights=np.append(number, np.full(count + 1, PRIOR)),
        ).fit(method="newton", max_start_irls=0, tol=PRECISION, disp=False)
    contrasts = np.eye(count + 1)
    contrasts[:count, :count] -= 1 / count
    tested = found.t_test(contrasts)
    low, high = tested.conf_int(0.05).T * ELO
    rounded = (np.rint(one / GRID) * GRID + 0.0 for one in (tested.effect * ELO, low, high))
    made = [Estimate(*map(float, row)) for row in zip(*rounded, strict=True)]
    worth = table.worth(0.5)
    mean = np.nanmean(np.concatenate([worth, 1 - worth.T], 1), 1)
    return Ratings(made[:-1], made[-1], np.flatnonzero((mean == 0) | (mean == 1)).tolist())


@dataclass(frozen=True)
class Correlation:
    """Spearman's rho of the fitness and the rating of `players` champions, or why there is none."""

    players: int
    rho: Estimate | None
    p: float | None = None
    missing: str = ""


def correlate(fitness: Sequence[float | None], rating: Sequence[float], seed: int) -> Correlation:
    """Correlate fitness and rating of the players that have a fitness.

    The interval is a percentile bootstrap over players. Resamples in which all values are equal are left out.
    """
    from scipy import stats

    known = [(float(one), other) for one, other in zip(fitness, rating, strict=True) if one is not None]
    if len(known) < LEAST:
        return Correlation(len(known), None, missing=f"fewer than {LEAST} champions")
    x, y = map(settle, np.array(known).T)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(len(known), None, missing=f"all have the same {'fitness' if np.ptp(x) == 0 else 'rating'}")
    spread = resample([len(known)], lambda i: spearman(x[i], y[i]), Draws(seed))
    rho = Estimate(float(spearman(x, y)), *central(spread[~np.isnan(spread)]))
    return Correlation(len(known), rho, settle_number(float(stats.spearmanr(x, y).pvalue)))


def correlations(
    fitness: Sequence[float | None], rating: Sequence[float], brackets: Sequence[str], seed: int
) -> Mapping[str, Correlation]:
    """Correlate fitness and rating of all players, under the name "all", and of each bracket if there are several."""
    found = {"all": correlate(fitness, rating, seed)}
    for name in dict.fromkeys(brackets if len(set(brackets)) > 1 else ()):
        mine = [place for place, bracket in enumerate(brackets) if bracket == name]
        found[f"bracket {name}"] = correlate([fitness[i] for i in mine], [rating[i] for i in mine], seed)
    return found
