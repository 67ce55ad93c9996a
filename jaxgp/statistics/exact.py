"""Arithmetic that gives the same on every machine: values on a stated grid, ranks, Spearman's rho, quantiles.

Two values that are equal in theory come out of a fit, or of a sum in another order, with other last digits on another
processor. They are rounded to a grid before anything is ranked, compared or summed.
"""

from math import fsum, sqrt

import numpy as np

BITS = 34
"""A value keeps this many binary digits, some ten decimal ones; sums of 2**18 such values are exact in any order."""


def settle(values: np.ndarray) -> np.ndarray:
    """Return values, float[...], on a grid that is 2**-BITS of the power of two above the greatest magnitude."""
    made = np.asarray(values, float)
    finite = np.isfinite(made)
    most = float(np.abs(made[finite]).max(initial=0.0))
    if not most:
        return made + 0.0
    shift = BITS - int(np.frexp(most)[1])
    return np.where(finite, np.ldexp(np.rint(np.ldexp(np.where(finite, made, 0.0), shift)), -shift), made)


def settle_number(value: float) -> float:
    """Return one number, such as a p value that a library computed, with BITS binary digits."""
    return float(settle(np.array(value)))


def mean(values: np.ndarray) -> float:
    """Return the mean of values, float[N], summed exactly."""
    return fsum(values) / len(values)


def deviation(values: np.ndarray) -> float:
    """Return the standard deviation of a sample, float[N], N > 1, with N - 1 degrees of freedom."""
    middle = mean(values)
    return sqrt(fsum((float(one) - middle) * (float(one) - middle) for one in values) / (len(values) - 1))


def ranks(values: np.ndarray) -> np.ndarray:
    """Return int64[..., N]: twice the rank of each value among the last axis; equal ones share the mean of theirs."""
    from scipy import stats

    return np.rint(2 * stats.rankdata(settle(values), axis=-1)).astype(np.int64)


def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return Spearman's rho of x and y, float[..., N] both, computed from whole numbers; nan where one is constant."""
    a, b = (ranks(one) - (one.shape[-1] + 1) for one in (x, y))
    both, spread = (a * b).sum(-1), (a * a).sum(-1).astype(float) * (b * b).sum(-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(both / np.sqrt(spread))


def central(values: np.ndarray, share: float = 0.95) -> tuple[float, float]:
    """Return the quantiles between which the share of values, float[N], lies.

    They are interpolated linearly between order statistics: type 7 of R. Hyndman and Y. Fan, "Sample quantiles in
    statistical packages", The American Statistician 50, 1996. Values may be infinite.
    """
    ordered = np.sort(values)

    def at(level: float) -> float:
        place = level * (len(ordered) - 1)
        low, high = float(ordered[int(place)]), float(ordered[min(int(place) + 1, len(ordered) - 1)])
        part = place - int(place)
        return low if low == high or not part else low + (high - low) * part

    return at((1 - share) / 2), at((1 + share) / 2)
