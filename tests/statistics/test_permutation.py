import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jaxgp.statistics.permutation import MOST, rank_sum, signed_rank

EVERY = stats.PermutationMethod(n_resamples=10**9)  # more than there are, so that SciPy takes them all
few = st.lists(st.integers(0, 4), min_size=2, max_size=5)


@settings(max_examples=15, deadline=None)
@given(few, few)
def test_the_rank_sum_test_with_ties_is_the_one_over_all_relabellings(a, b):
    assert rank_sum(np.array(a), np.array(b)) == pytest.approx(stats.mannwhitneyu(a, b, method=EVERY).pvalue, abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8).filter(lambda them: sum(map(bool, them)) > 1))
def test_the_signed_rank_test_with_ties_is_the_one_over_all_signs(differences):
    made = np.array([float(one) for one in differences if one])
    expected = stats.wilcoxon(made, method=EVERY).pvalue
    assert signed_rank(np.array(differences, float)) == pytest.approx(expected, abs=1e-9)


def test_without_ties_both_tests_are_those_of_the_tables():
    draws = np.random.default_rng(0)
    a, b = draws.normal(size=10), draws.normal(0.5, size=12)
    assert rank_sum(a, b) == pytest.approx(stats.mannwhitneyu(a, b, method="exact").pvalue, abs=1e-9)
    assert signed_rank(a) == pytest.approx(stats.wilcoxon(a, method="exact").pvalue, abs=1e-9)


def test_samples_that_do_not_overlap_have_the_least_p_value():
    assert rank_sum(np.arange(3), np.arange(3, 6)) == pytest.approx(2 / 20)
    assert signed_rank(np.array([1.0, 2.0, 4.0])) == pytest.approx(2 / 8)


def test_equal_values_and_equal_pairs_show_no_difference():
    assert rank_sum(np.ones(4), np.ones(6)) == 1
    assert signed_rank(np.zeros(5)) == 1


@pytest.mark.thorough
def test_large_samples_take_the_normal_approximation_which_is_close():
    draws = np.random.default_rng(1)
    a, b = draws.normal(size=MOST // 2), draws.normal(0.2, size=MOST // 2)
    assert rank_sum(a, b) == pytest.approx(rank_sum(np.append(a, 0.0), b), rel=0.1)
