"""Arithmetic that does not depend on the order of sums, nor on the last digits of what is computed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jaxgp.statistics.exact import central, deviation, mean, ranks, settle, settle_number, spearman

numbers = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=2, max_size=40)


def test_values_that_are_equal_in_theory_become_equal():
    noisy = np.array([-77.66471009274389, -77.66471009274385, 0.1 + 0.2, 0.3, 5e-14, 0.0, np.inf, np.nan])
    found = settle(noisy)
    assert found[0] == found[1] == pytest.approx(noisy[0], rel=1e-9)
    assert (found[2], found[4]) == (found[3], found[5])
    assert np.isinf(found[6])
    assert np.isnan(found[7])
    assert settle_number(1e-12) == pytest.approx(1e-12), "a number alone keeps its own digits"


@given(numbers, st.randoms(use_true_random=False))
def test_sums_on_the_grid_are_the_same_in_any_order(values, random):
    found = settle(np.array(values)).tolist()
    total = sum(found)
    random.shuffle(found)
    assert sum(found) == total == np.sum(found)
    assert settle(np.array(found)).tolist() == found


@given(numbers)
def test_mean_and_deviation_are_those_of_numpy(values):
    made = np.array(values)
    assert mean(made) == pytest.approx(made.mean(), abs=1e-6)
    assert deviation(made) == pytest.approx(made.std(ddof=1), abs=1e-6)


def test_ranks_are_twice_those_of_scipy_and_noise_ties():
    assert ranks(np.array([3.0, 1, 3, 0])).tolist() == [7, 4, 7, 2]
    assert ranks(np.array([0.1 + 0.2, 0.3, 0.3])).tolist() == [4, 4, 4]


def test_spearman_is_that_of_scipy_along_the_last_axis():
    x, y = np.random.default_rng(0).integers(0, 6, (2, 5, 12)).astype(float)
    assert spearman(x, y) == pytest.approx([stats.spearmanr(a, b).statistic for a, b in zip(x, y, strict=True)])
    assert np.isnan(spearman(np.ones(4), np.arange(4.0)))
    assert spearman(np.arange(5.0), np.arange(5.0)) == 1


@given(numbers)
def test_central_quantiles_are_those_of_numpy(values):
    assert central(np.array(values)) == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=1e-6)


def test_quantiles_of_infinite_values_are_infinite():
    assert central(np.array([1.0, np.inf, np.inf, np.inf]), 0.2) == (np.inf, np.inf)
