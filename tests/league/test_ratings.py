"""Ratings of players whose strength is known, and correlations that are."""

import numpy as np
import pytest
from scipy import stats

from jaxgp.league.crosstable import CrossTable
from jaxgp.league.ratings import ELO, correlate, correlations, fit


def simulated(strength, seat, games, seed):
    """Draw games by the model itself."""
    rng, count = np.random.default_rng(seed), len(strength)
    odds = (strength[:, None] - strength + seat) / ELO
    won = rng.random((count, count, games)) < 1 / (1 + np.exp(-odds))[..., None]
    return CrossTable(np.where(won, 1, -1).astype(np.int8), games * (1 - np.eye(count, dtype=np.int32)))


def test_known_strengths_are_recovered_within_their_intervals():
    strength = np.array([-300.0, -150, -50, 0, 50, 150, 300])
    found = fit(simulated(strength, 80.0, 400, 1))
    assert [one.value for one in found.players] == pytest.approx(strength, abs=35)
    assert np.mean([one.value for one in found.players]) == pytest.approx(0, abs=1e-5)
    assert found.first_seat.value == pytest.approx(80, abs=20)
    assert not found.separated
    assert all(0 < one.high - one.low < 60 for one in found.players)


def test_intervals_hold_the_truth_as_often_as_they_say():
    strength, held = np.array([-200.0, -50, 0, 50, 200]), []
    for seed in range(80):
        found = fit(simulated(strength, 40.0, 20, seed))
        held += [one.low <= truth <= one.high for one, truth in zip(found.players, strength, strict=True)]
        held.append(found.first_seat.low <= 40 <= found.first_seat.high)
    assert 0.92 < np.mean(held) < 0.98


def test_two_players_are_rated_as_a_formula_says():
    # 12 wins of 16 and both seats alike. Ratings are x / 2 and -x / 2; the slope of the likelihood in the first of
    # them, with the prior's drawn game, is 16 (3/4 - s(x)) + 1/2 - s(x / 2), s the logistic function.
    results = np.zeros((2, 2, 8), np.int8)
    results[0, 1], results[1, 0] = [1] * 6 + [-1] * 2, [-1] * 6 + [1] * 2
    found = fit(CrossTable(results, np.array([[0, 8], [8, 0]])))
    x = (found.players[0].value - found.players[1].value) / ELO
    s = lambda value: 1 / (1 + np.exp(-value))  # noqa: E731
    assert 16 * (0.75 - s(x)) == pytest.approx(s(x / 2) - 0.5, abs=1e-6)
    assert found.first_seat.value == pytest.approx(0, abs=1e-6)


def test_players_that_are_equal_in_theory_have_the_same_rating_to_the_bit():
    """Six players of whom the first two beat all others and halve their games, and likewise the next two."""
    strength = np.repeat([2, 1, 0], 2)
    results = np.sign(strength[:, None] - strength)[..., None].astype(np.int8)
    values = [one.value for one in fit(CrossTable(results, 1 - np.eye(6, dtype=np.int32))).players]
    assert values[::2] == values[1::2]
    assert correlate([6.0, 5, 4, 3, 2, 1], values, 0).rho.value == pytest.approx(0.956183, abs=1e-6)


def test_draws_are_half_wins_and_who_wins_all_is_named():
    results = np.zeros((3, 3, 1), np.int8)
    results[0, 1] = results[0, 2] = 1
    results[1, 0] = results[2, 0] = -1
    found = fit(CrossTable(results, 1 - np.eye(3, dtype=np.int32)))
    assert found.separated == [0]
    best, *others = found.players
    assert np.isfinite([best.low, best.high]).all()
    assert others[0].value == pytest.approx(others[1].value)
    assert best.value > 200
    assert best.low > others[0].high - 500


def test_spearman_is_that_of_scipy_with_an_interval_around_it():
    rng = np.random.default_rng(0)
    fitness = rng.normal(size=40)
    rating = fitness + rng.normal(size=40)
    found = correlate([*fitness, None], [*rating, 9.0], 0)
    assert found.players == 40
    assert found.rho.value == pytest.approx(stats.spearmanr(fitness, rating).statistic)
    assert found.rho.low < found.rho.value < found.rho.high < 1
    assert found.rho.low > 0
    assert found.p == pytest.approx(stats.spearmanr(fitness, rating).pvalue)
    assert found == correlate([*fitness, None], [*rating, 9.0], 0) != correlate([*fitness, None], [*rating, 9.0], 1)


def test_what_has_no_correlation_says_why():
    assert "fewer than 4" in correlate([1.0, 2.0, 3.0, None], [1.0, 2.0, 3.0, 4.0], 0).missing
    assert "same fitness" in correlate([1.0] * 5, list(range(5)), 0).missing
    made = correlations([1.0, 2, 3, 4, 4, 3, 2, 1], [1.0, 2, 3, 4, 1, 2, 3, 4], list("aaaabbbb"), 0)
    assert made["bracket a"].rho.value == pytest.approx(1)
    assert made["bracket b"].rho.value == pytest.approx(-1)
    assert made["all"].rho.value == pytest.approx(0, abs=1e-9)
    assert list(correlations([1.0] * 4, [1.0] * 4, list("aaaa"), 0)) == ["all"]
