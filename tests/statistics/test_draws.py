"""Random numbers: their words, their distribution, and samples without replacement."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from jaxgp.statistics.draws import Draws


def test_the_stream_follows_from_the_words_of_pcg64():
    """The bound is a power of two, so each number is the top bits of a half of a word."""
    words = np.random.PCG64([7, 1]).random_raw(3)
    halves = [half for word in words for half in (int(word) % 2**32, int(word) // 2**32)]
    assert Draws([7, 1]).below(256, (2, 3)).ravel().tolist() == [half // 2**24 for half in halves]


def test_many_numbers_are_those_that_are_drawn_one_by_one():
    one, many = Draws(5), Draws(5)
    bounds = [3, 2**32 - 5, 1, 2**31 + 1, 17]  # the second and fourth refuse many words
    assert [one.one(bound) for bound in bounds for _ in range(700)] == [
        number for bound in bounds for number in many.below(bound, (70, 10)).ravel().tolist()
    ]


@pytest.mark.parametrize("bound", [2, 7, 30])
def test_numbers_are_uniform(bound):
    found = Draws(1).below(bound, (30_000,))
    assert stats.chisquare(np.bincount(found, minlength=bound)).pvalue > 1e-3


def test_a_bound_that_refuses_half_of_all_words_is_uniform_too():
    bound = 2**31 + 1
    found = Draws(2).below(bound, (20_000,))
    assert found.max() < bound
    assert stats.kstest(found / bound, "uniform").pvalue > 1e-3


def test_every_sample_without_replacement_is_as_likely_as_every_other_one():
    draws, known = Draws(3), list(permutations("abcde", 3))
    found = [known.index(tuple(draws.choose(np.array(list("abcde")), 3))) for _ in range(12_000)]
    assert stats.chisquare(np.bincount(found, minlength=len(known))).pvalue > 1e-3
    assert sorted(draws.choose(np.arange(4), 4)) == [0, 1, 2, 3]
    assert draws.choose(np.arange(4), 0).tolist() == []
