"""Compares two groups of runs: whether one tends to be higher, by how much, and with what confidence.

The exact rank-sum test (`jaxgp.statistics.permutation`) asks whether there is a difference. A12 of A. Vargha and
H. Delaney, "A critique and improvement of the CL common language effect size statistics of McGraw and Wong" (2000),
says how large it is: the probability that a run of the first group is higher than one of the second, ties counting
half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from jaxgp.statistics.bootstrap import RESAMPLES, Statistic, counts, resample
from jaxgp.statistics.draws import Draws
from jaxgp.statistics.exact import central, deviation, settle
from jaxgp.statistics.permutation import rank_sum
from jaxgp.statistics.verdicts import holm

LIMITS = ((0.06, "negligible"), (0.14, "small"), (0.21, "medium"))
"""Upper limits of |A12 - 1/2| for Vargha and Delaney's names of an effect; above the last limit it is large."""


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Group:
    """One sample; its intervals are percentile bootstraps."""

    name: str
    values: np.ndarray
    mean: Estimate
    median: Estimate

    @property
    def spread(self) -> float:
        """Standard deviation."""
        return deviation(self.values) if len(self.values) > 1 else 0.0


@dataclass(frozen=True)
class Comparison:
    """Two groups by one measure.

    Attributes:
        measure: what was measured.
        first: one group; `second` is the other.
        u: Mann-Whitney U of the first group.
        p: two-sided p value of the hypothesis that both have the same distribution, by `permutation.rank_sum`.
        a12: see above; its interval is a percentile bootstrap, with each group resampled on its own.
        corrected: p, corrected by Holm where several pairs of groups were compared by the measure.
    """

    measure: str
    first: Group
    second: Group
    u: float
    p: float
    a12: Estimate
    corrected: float

    @property
    def size(self) -> str:
        """The size of the difference as a word."""
        distance = abs(self.a12.value - 0.5)
        return next((word for limit, word in LIMITS if distance < limit - 1e-9), "large")


def compare(
    measure: str,
    first: tuple[str, Sequence[float]],
    second: tuple[str, Sequence[float]],
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Comparison:
    """Compare two groups; values that are equal on the grid of `settle` are ties.

    Args:
        measure: what the values measure.
        first: name of a group and its values, at least one.
        second: the same for the other group.
        seed: seed of the bootstrap.
        resamples: resamples of the bootstrap.

    Raises:
        ValueError: a group has no values, or values that are not finite.
    """
    draws = Draws(seed)
    one, other = (_group(measure, name, values, draws, resamples) for name, values in (first, second))
    a, b = together(one.values, other.values)
    pairs = len(a) * len(b)
    a12 = _bootstrap((a, b), lambda i, j: _twice_u(a[i], b[j]) / (2 * pairs), draws, resamples)
    p = rank_sum(a, b)
    return Comparison(measure, one, other, a12.value * pairs, p, a12, p)


def compare_all(measure: str, groups: Mapping[str, Sequence[float]], seed: int = 0) -> list[Comparison]:
    """Compare every two groups; their p values are one family, corrected by Holm.

    Args:
        measure: what the values measure.
        groups: their values, by name.
        seed: seed of the bootstraps.

    Raises:
        ValueError: a group has no values, or values that are not finite.
    """
    found = [compare(measure, (a, groups[a]), (b, groups[b]), seed) for a, b in combinations(groups, 2)]
    return [replace(one, corrected=p) for one, p in zip(found, holm([one.p for one in found]), strict=True)]


def together(*samples: np.ndarray) -> list[np.ndarray]:
    """Return samples, float[N] each, as whole numbers in the same order: int64[N], equal for values that are ties."""
    places = np.unique(settle(np.concatenate(samples)), return_inverse=True)[1].ravel()
    return np.split(places, np.cumsum([len(one) for one in samples])[:-1])


def dominance(a: np.ndarray, b: np.ndarray) -> float:
    """Return A12 of two samples, float[N] and float[M]: U of Mann and Whitney divided by the number of pairs."""
    one, other = together(a, b)
    return float(_twice_u(one[None], other[None])[0] / (2 * len(a) * len(b)))


def _twice_u(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return int64[R]: pairs whose first is greater, twice, and ties, of whole numbers int64[R, N] and int64[R, M]."""
    kinds = int(max(a.max(), b.max())) + 1
    mine, theirs = (counts(one, kinds) for one in (a, b))
    less = np.cumsum(theirs, 1) - theirs
    return np.asarray((mine * (2 * less + theirs)).sum(1))


def _group(measure: str, name: str, values: Sequence[float], draws: Draws, resamples: int) -> Group:
    made = np.asarray(values, float)
    if not made.size:
        raise ValueError(f"group {name} has no runs")
    missing = int((~np.isfinite(made)).sum())
    if missing:
        raise ValueError(f"group {name} has no {measure} for {missing} of its {made.size} runs")
    made = settle(made)
    mean = _bootstrap((made,), lambda i: made[i].sum(1) / len(made), draws, resamples)
    median = _bootstrap((made,), lambda i: np.median(made[i], 1), draws, resamples)
    return Group(name, made, mean, median)


def _bootstrap(samples: tuple[np.ndarray, ...], statistic: Statistic, draws: Draws, resamples: int) -> Estimate:
    """Return a statistic of samples with its percentile interval; nan for a sample of one.

    The percentile interval also exists for groups that do not overlap.
    """
    value = float(statistic(*(np.arange(len(one))[None] for one in samples))[0])
    if any(len(one) < 2 for one in samples):
        return Estimate(value, float("nan"), float("nan"))
    return Estimate(value, *central(resample([len(one) for one in samples], statistic, draws, resamples)))
