"""Intervals of shares where games come in units, such as the two games of an opening."""

import numpy as np
import pytest

from jaxgp.measure.evaluation import BOTH, summarise
from jaxgp.statistics.intervals import interval, wilson


def covered(probabilities, alike, units, rule, trials=2000):
    """The share of simulated series whose interval holds the mean; `alike`: how often a unit's games are one draw."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(trials):
        drawn = rng.random((units, len(probabilities)))
        drawn = np.where(rng.random((units, 1)) < alike, drawn[:, :1], drawn)
        low, high = rule((drawn < probabilities).astype(float))
        found.append(low <= np.mean(probabilities) <= high)
    return np.mean(found)


def test_wilson_s_interval_is_that_of_statsmodels():
    proportion = pytest.importorskip("statsmodels.stats.proportion", reason="needs the extra `.[study]`")
    for wins, games in ((0, 7), (7, 7), (1, 1000), (3.25, 11.5), (650, 1000)):
        expected = proportion.proportion_confint(wins, games, method="wilson")
        assert wilson(wins, games) == pytest.approx(expected, abs=1e-14)


def pooled(values):
    return wilson(values.sum(), values.size)


@pytest.mark.few(1)
@pytest.mark.parametrize("units", [5, 20, 40])
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
def test_intervals_cover_whatever_the_games_of_an_opening_have_in_common(units, alike):
    for probabilities in ((0.5, 0.5), (0.7, 0.6)):
        assert covered(probabilities, alike, units, interval, trials=500) >= 0.93


def test_games_of_an_opening_that_are_taken_for_independent_do_not():
    assert covered((0.5, 0.5), 0.9, 50, pooled) < 0.90
    assert covered((0.5, 0.5), 0.9, 50, interval) >= 0.93


def test_independent_games_cost_little_width():
    values = (np.random.default_rng(1).random((100, 2)) < 0.4).astype(float)
    ours, theirs = (high - low for low, high in (interval(values), pooled(values)))
    assert theirs <= ours < 1.15 * theirs


def test_units_of_one_game_have_wilson_s_interval():
    values = (np.arange(40) % 3 == 0).astype(float)
    assert interval(values[:, None]) == pytest.approx(wilson(values.sum(), 40))


@pytest.mark.parametrize("units", [2, 3, 10])
def test_a_series_that_is_all_won_or_all_alike_has_a_wide_interval(units):
    assert interval(np.ones((units, 2))) == pytest.approx(wilson(units, units))
    assert interval(np.zeros((units, 2))) == pytest.approx(wilson(0, units))
    each_won_and_lost = np.tile([1.0, 0.0], (units, 1))
    assert interval(each_won_and_lost) == pytest.approx(wilson(units, 2 * units))


def test_both_seats_of_an_opening_are_one_unit_of_a_row():
    returns = np.repeat(np.where(np.arange(20) < 12, 1.0, -1.0)[:, None], 2, axis=1)
    row = summarise("engine", BOTH, returns, -returns, returns)
    assert (row.games, row.wins, row.losses) == (40, 24, 16)
    assert (row.low, row.high) == pytest.approx(wilson(12, 20))
    assert summarise("engine", BOTH, *[returns[:1]] * 3).low is None
