"""Compares two groups of runs: whether one tends to be higher, by how much, and with what confidence.

The rank-sum test of H. Mann and D. Whitney (1947) asks whether there is a difference; A12 of A. Vargha and H. Delaney,
"A critique and improvement of the CL common language effect size statistics of McGraw and Wong" (2000), says how large:
it is the probability that a run of the first group is higher than one of the second, ties counting half.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy import stats

from jaxgp.statistics.verdicts import holm

RESAMPLES = 9999
AT_ONCE = 10**7
"""Values of resamples that are in the memory at once."""
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
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else 0.0


@dataclass(frozen=True)
class Comparison:
    """Two groups by one measure.

    Attributes:
        measure: what was measured.
        first: one group; `second` is the other.
        u: Mann-Whitney U of the first group.
        p: two-sided p value of the hypothesis that both have the same distribution.
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
    """Compare two groups.

    Args:
        measure: what the values measure.
        first: name of a group and its values, at least one.
        second: the same for the other group.
        seed: seed of the bootstrap.
        resamples: resamples of the bootstrap.

    Raises:
        ValueError: a group has no values, or values that are not finite.
    """
    rng = np.random.default_rng(seed)
    one, other = (_group(measure, name, values, rng, resamples) for name, values in (first, second))
    samples = one.values, other.values
    u, p = stats.mannwhitneyu(*samples)
    return Comparison(measure, one, other, float(u), float(p), _bootstrap(samples, dominance, rng, resamples), float(p))


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


def dominance(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return A12 of samples along an axis: U divided by the number of pairs."""
    u = stats.mannwhitneyu(a, b, axis=axis, method="asymptotic").statistic
    return np.asarray(u / (a.shape[axis] * b.shape[axis]))


def _group(measure: str, name: str, values: Sequence[float], rng: np.random.Generator, resamples: int) -> Group:
    made = np.asarray(values, float)
    if not made.size:
        raise ValueError(f"group {name} has no runs")
    missing = int((~np.isfinite(made)).sum())
    if missing:
        raise ValueError(f"group {name} has no {measure} for {missing} of its {made.size} runs")
    mean, median = (_bootstrap((made,), statistic, rng, resamples) for statistic in (np.mean, np.median))
    return Group(name, made, mean, median)


def _bootstrap(
    samples: tuple[np.ndarray, ...], statistic: Callable[..., np.ndarray], rng: np.random.Generator, resamples: int
) -> Estimate:
    """Return a statistic with its percentile interval; nan for a sample of one.

    The percentile interval also exists for groups that do not overlap.
    """
    value = float(statistic(*samples, axis=-1))
    if any(len(sample) < 2 for sample in samples):
        return Estimate(value, float("nan"), float("nan"))
    batch = max(1, min(1000, AT_ONCE // sum(map(len, samples))))
    found = stats.bootstrap(
        samples, statistic, n_resamples=resamples, vectorized=True, method="percentile", rng=rng, batch=batch
    ).confidence_interval
    return Estimate(value, float(found.low), float(found.high))
