"""Exact permutation tests on ranks: the rank-sum and the signed-rank test, ties included.

The tests are those of F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945, and of
H. Mann and D. Whitney (1947). Equal values share the mean of their ranks. The distribution is that of the ranks at
hand under all relabellings, or all changes of sign; so no table and no normal approximation is needed. A p value is
twice the smaller tail, and at most 1.
"""

from math import comb, fsum

import numpy as np
from scipy import stats

from jaxgp.statistics.exact import ranks, settle, settle_number

MOST = 200
"""Of more values than this the rank-sum test takes SciPy's normal approximation, corrected for ties and continuity."""


def rank_sum(a: np.ndarray, b: np.ndarray) -> float:
    """Return the two-sided p value of the hypothesis that two samples, [N] and [M], have one distribution."""
    if len(a) + len(b) > MOST:
        return settle_number(float(stats.mannwhitneyu(a, b, method="asymptotic").pvalue))
    less, more = sorted((a, b), key=len)
    both = ranks(np.concatenate([less, more]))
    ways = np.zeros((len(less) + 1, int(both.sum()) + 1))  # ways[k, s]: to choose k values with doubled ranks' sum s
    ways[0, 0] = 1
    for rank in both:
        ways[1:, rank:] += ways[:-1, : ways.shape[1] - rank]
    return _two_sided(ways[-1], int(both[: len(less)].sum()))


def least(n: int, m: int) -> float:
    """Return the smallest p value that `rank_sum` can give for samples of these sizes, without ties."""
    return min(1.0, 2 / comb(n + m, n))


def signed_rank(differences: np.ndarray) -> float:
    """Return the two-sided p value of the hypothesis that paired differences, float[N], are symmetric around 0.

    Differences of 0 say nothing about the sign, and are left out; nothing else left, the p value is 1.
    """
    made = settle(differences)
    made = made[made != 0]
    if not made.size:
        return 1.0
    sizes = ranks(np.abs(made))
    ways = np.zeros(int(sizes.sum()) + 1)  # ways[s]: to choose signs whose positive doubled ranks' sum is s
    ways[0] = 1
    for rank in sizes:
        ways[rank:] += ways[: len(ways) - rank]
    return _two_sided(ways, int(sizes[made > 0].sum()))


def _two_sided(ways: np.ndarray, at: int) -> float:
    tails = fsum(ways[: at + 1]), fsum(ways[at:])
    return settle_number(min(1.0, 2 * min(tails) / fsum(ways)))
