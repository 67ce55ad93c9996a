"""How a figure grows with the size of a board: a power law or an exponential."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Law(NamedTuple):
    """A fitted formula: `factor * N ** rate` (power) or `factor * exp(rate * N)` (exponential).

    Attributes:
        form: `power` or `exponential`.
        factor: in the unit of what was fitted.
        rate: exponent.
        low: 95 % interval of the rate, from the scatter about the line.
        high: its other end.
        r2: share of the variance of the logarithms that the formula explains.
    """

    form: str
    factor: float
    rate: float
    low: float
    high: float
    r2: float

    def __str__(self) -> str:
        if self.form == "power":
            return f"{self.factor:.3g} N^{self.rate:.2f}"
        return f"{self.factor:.3g} exp({self.rate:.3f} N)"


def fit(sizes: Sequence[int], values: Sequence[float]) -> tuple[Law, ...]:
    """Fit a power law and an exponential to positive values, the better one first; none below three sizes.

    Both are straight lines through the logarithms of the values, so that each size counts by its relative error.
    """
    from scipy import stats

    if len(set(sizes)) < 3 or min(values) <= 0:
        return ()
    found = []
    for form, x in (("power", np.log(sizes)), ("exponential", np.asarray(sizes, float))):
        line = stats.linregress(x, np.log(values))
        reach = float(stats.t.ppf(0.975, len(sizes) - 2)) * line.stderr
        # All values alike: the horizontal line is exact.
        r2 = 1.0 if math.isnan(line.rvalue) else float(line.rvalue**2)
        found.append(Law(form, math.exp(line.intercept), float(line.slope), line.slope - reach, line.slope + reach, r2))
    return tuple(sorted(found, key=lambda law: -law.r2))
