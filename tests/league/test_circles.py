"""Circles of three, against a count in plain Python and against what is known of random results."""

from itertools import combinations

import numpy as np

from jaxgp.league.circles import BY_CHANCE, circles
from jaxgp.league.crosstable import CrossTable


def table(beats):
    """Both games of each pair go to the one that beats the other; None: one game each."""
    count = len(beats)
    results = np.zeros((count, count, 1), np.int8)
    for i, j in combinations(range(count), 2):
        results[i, j], results[j, i] = (1, -1) if beats[i][j] else (-1, 1) if beats[j][i] else (1, 1)
    return CrossTable(results, 1 - np.eye(count, dtype=np.int32))


def test_a_circle_of_three_is_one_and_a_ranking_has_none():
    assert circles(table([[0, 1, 0], [0, 0, 1], [1, 0, 0]])).circles == 1
    ranked = circles(table(np.triu(np.ones((6, 6)), 1)))
    assert (ranked.decided, ranked.circles, ranked.share.value, ranked.share.high) == (20, 0, 0, 0)


def test_pairs_without_a_winner_are_in_no_three():
    beats = [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    found = circles(table(beats))
    assert (found.decided, found.circles) == (1, 1)
    assert circles(table(np.zeros((4, 4)))).share is None


def test_random_results_are_counted_as_in_plain_python_and_have_a_quarter_of_circles():
    rng = np.random.default_rng(1)
    beats = np.triu(rng.random((40, 40)) < 0.5, 1)
    beats = beats | np.triu(~beats, 1).T
    found = circles(table(beats))
    plain = sum(beats[a, b] == beats[b, c] == beats[c, a] for a, b, c in combinations(range(40), 3))
    assert (found.decided, found.circles) == (40 * 39 * 38 // 6, plain)
    assert found.share.low < BY_CHANCE < found.share.high
