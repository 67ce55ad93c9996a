"""95 % intervals of shares and of means."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from jaxgp.statistics.exact import deviation, mean, settle, settle_number

NORMAL = 1.959963984540054
"""The normal quantile of 97.5 %."""


def wilson(wins: float, games: float) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share (E. B. Wilson, JASA 22, 1927); neither number need be whole.

    SciPy's takes whole numbers alone, and statsmodels' would be all that a plain evaluation needs of statsmodels.
    """
    share, z = wins / games, NORMAL
    middle = share + z**2 / (2 * games)
    half = z * sqrt(share * (1 - share) / games + z**2 / (4 * games**2))
    low, high = ((middle + sign * half) / (1 + z**2 / games) for sign in (-1, 1))
    return 0.0 if wins == 0 else low, 1.0 if wins == games else high


def share_of_points(own: np.ndarray, both: np.ndarray) -> tuple[float, float, float]:
    """Return the share of points, float[N] of independent games or pairs, own ones and those of both sides.

    It is a ratio of two sums, and stands before the ends of its 95 % interval, which is that of a ratio estimator
    (W. G. Cochran, "Sampling techniques", 1977).
    """
    ratio = own.sum() / both.sum()
    half = NORMAL * sqrt(float(((own - ratio * both) ** 2).sum())) / float(both.sum())
    return float(ratio), float(ratio - half), float(ratio + half)


def interval(values: np.ndarray) -> tuple[float, float]:
    """Return the 95 % interval of the mean of values in [0, 1], float[N, K]: N > 1 independent units of K games each.

    It is Wilson's for the `effective` number of games.
    """
    size = effective(values)
    return wilson(mean(values.ravel()) * size, size)


def effective(values: np.ndarray) -> float:
    """Return the effective number of games of values in [0, 1], float[N, K]: N > 1 independent units of K games each.

    Games of a unit may depend on each other, such as two games from one opening, and need not. The effective number is
    as many independent games as would have the spread that the means of the units have. It is reduced by the squared
    ratio of the normal quantile to that of Student's t, as it is estimated from N means, and lies between N, where
    games of a unit are always alike, and N * K. Where all values are 0, or all 1, there is no spread to estimate it by,
    and it is N.

    Sources: E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data", Survey Methodology 24, 1998, for the effective number; C. Franco, R. J. A.
    Little, T. A. Louis and E. V. Slud, "Comparative study of confidence intervals for proportions in complex sample
    surveys", Journal of Survey Statistics and Methodology 7, 2019, for Wilson's interval with it.
    """
    from scipy import stats

    units, games = values.shape
    middle, size = mean(values.ravel()), float(units)
    if games > 1 and 0 < middle < 1:
        spread = deviation(settle(values).sum(1) / games) ** 2 / units
        ratio = NORMAL / settle_number(float(stats.t.ppf(0.975, units - 1)))
        most = float(units * games)
        size = min(max(middle * (1 - middle) / spread * ratio**2, units), most) if spread else most
    return size


def student(values: Sequence[float] | np.ndarray) -> tuple[float, float | None, float | None]:
    """Return the mean of N values, float[N], and its 95 % interval; no interval of a single value.

    The interval is that of Student's t with N - 1 degrees of freedom ("The probable error of a mean", Biometrika 6,
    1908), for values that are independent and about normal.
    """
    from scipy import stats

    made = np.asarray(values, float)
    middle = mean(made)
    if len(made) == 1:
        return middle, None, None
    half = settle_number(float(stats.t.ppf(0.975, len(made) - 1))) * deviation(made) / sqrt(len(made))
    return middle, middle - half, middle + half
