"""Two groups whose difference is known."""

import numpy as np
import pytest
from scipy import stats

from jaxgp.statistics.comparison import compare, dominance
from jaxgp.statistics.draws import Draws


@pytest.mark.parametrize(
    ("first", "second", "a12", "size"),
    [
        ([1, 2, 3], [4, 5, 6], 0.0, "large"),
        ([4, 5, 6], [1, 2, 3], 1.0, "large"),
        ([1, 2, 3], [1, 2, 3], 0.5, "negligible"),
        ([2, 2], [1, 2, 2, 3], 0.5, "negligible"),
        ([1, 3], [2, 2, 2, 4], 0.375, "small"),  # 3 of 8 pairs
        ([5], [1, 5, 9, 2], 0.625, "small"),  # two wins and a tie
        ([0, 9, 9], [1, 8], 2 / 3, "medium"),
    ],
)
def test_a12_of_known_samples(first, second, a12, size):
    found = compare("fitness", ("a", first), ("b", second), resamples=99)
    pairs = [(x > y) + 0.5 * (x == y) for x in first for y in second]
    assert found.a12.value == pytest.approx(np.mean(pairs)) == pytest.approx(a12)
    assert found.size == size
    assert found.u == pytest.approx(sum(pairs))


def test_the_test_is_the_exact_one_of_scipy_and_groups_are_described():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, 50), rng.normal(1, 1, 50)
    found = compare("seconds", ("a", a), ("b", b))
    assert found.p == pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue, rel=1e-6)
    assert found.p < 1e-4
    for group, values in ((found.first, a), (found.second, b)):
        assert group.mean.value == pytest.approx(values.mean())
        assert group.median.value == pytest.approx(np.median(values))
        assert group.mean.low < group.mean.value < group.mean.high
        low, high = stats.t.interval(0.95, 49, values.mean(), stats.sem(values))
        assert (group.mean.low, group.mean.high) == pytest.approx((low, high), abs=0.05)
    assert found.a12.low < found.a12.value < found.a12.high < 0.5


@pytest.mark.thorough
def test_intervals_hold_what_they_should_most_of_the_time():
    rng = np.random.default_rng(3)
    truth = stats.norm.cdf(-0.5 / np.sqrt(2))
    held = 0
    for seed in range(120):
        a, b = rng.normal(0, 1, 30), rng.normal(0.5, 1, 30)
        found = compare("fitness", ("a", a), ("b", b), seed, resamples=149).a12
        held += found.low <= truth <= found.high
    assert stats.binomtest(held, 120, 0.95).pvalue > 1e-3


def test_groups_that_never_meet_have_an_interval_without_width():
    found = compare("seconds", ("a", [1.0, 2.0, 3.0]), ("b", [7.0, 8.0]), resamples=99)
    assert (found.a12.low, found.a12.value, found.a12.high) == (0, 0, 0)


def test_the_same_seed_gives_the_same_interval_and_one_run_has_none():
    one, same, other = (compare("f", ("a", [1, 4, 5, 7]), ("b", [2, 3, 9]), seed, 199).a12 for seed in (0, 0, 1))
    assert one == same
    assert (one.low, one.high) != (other.low, other.high) or one != other
    assert np.isnan(compare("f", ("a", [1]), ("b", [2, 3]), resamples=99).first.mean.low)


def test_values_that_only_noise_tells_apart_are_ties():
    a, b = [0.1 + 0.2, 1 / 3], [0.3, 1 - 2 / 3]
    assert a[0] > b[0], "the last digit differs"
    assert dominance(np.array(a), np.array(b)) == compare("f", ("a", a), ("b", b), resamples=99).a12.value == 0.5


def test_the_interval_of_a12_is_that_of_all_pairs_of_each_resample():
    a, b = np.array([1.0, 4, 5, 5]), np.array([2.0, 5, 3])
    draws, found = Draws(4), []
    for sample in (a, a, b, b):  # the bootstraps of means and medians come first
        draws.below(len(sample), (200, len(sample)))
    i, j = draws.below(4, (200, 4)), draws.below(3, (200, 3))
    for x, y in zip(a[i], b[j], strict=True):
        found.append(np.mean([(one > other) + 0.5 * (one == other) for one in x for other in y]))
    made = compare("f", ("a", list(a)), ("b", list(b)), 4, resamples=200).a12
    assert (made.low, made.high) == pytest.approx(np.quantile(found, [0.025, 0.975]))


@pytest.mark.parametrize(
    ("values", "said"),
    [([], "group b has no runs"), ([1.0, None], "group b has no fitness for 1 of its 2 runs")],
)
def test_missing_values_are_said(values, said):
    with pytest.raises(ValueError, match=said):
        compare("fitness", ("a", [1.0]), ("b", values))
