"""Percentile bootstraps: B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7, 1979."""

from collections.abc import Callable, Sequence

import numpy as np

from jaxgp.statistics.draws import Draws

RESAMPLES = 9999
AT_ONCE = 10**7
"""Values of resamples that are in the memory at once."""

Statistic = Callable[..., np.ndarray]
"""int64[R, N] a sample, the places of the values of R resamples -> float[R]."""


def resample(sizes: Sequence[int], statistic: Statistic, draws: Draws, resamples: int = RESAMPLES) -> np.ndarray:
    """Return a statistic of resamples, float[resamples]; each sample is drawn from on its own.

    Args:
        sizes: values of each sample.
        statistic: see above.
        draws: random numbers.
        resamples: how many.
    """
    most = max(1, min(1000, AT_ONCE // sum(sizes)))
    parts = [min(most, resamples - done) for done in range(0, resamples, most)]
    return np.concatenate([statistic(*(draws.below(size, (part, size)) for size in sizes)) for part in parts])


def counts(places: np.ndarray, size: int) -> np.ndarray:
    """Return int64[R, size]: how often each value of a sample is in each resample, of their places, int64[R, N]."""
    rows = np.arange(len(places))[:, None] * size
    return np.bincount((places + rows).ravel(), minlength=len(places) * size).reshape(len(places), size)
