"""Pooled games, their intervals, and when a figure counts as exceeded."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxgp.statistics.intervals import wilson
from jaxgp.statistics.verdicts import Score, exceeds, holm, p_of_figure, p_of_two, pool_rows


def row(seed=0, games=100, wins=60, draws=10, effective="100", player="a", opponent="b"):
    named = {"game": "nim", "player": player, "opponent": opponent, "seed": str(seed), "effective": effective}
    return named | {"games": str(games), "wins": str(wins), "draws": str(draws)}


def test_rows_of_different_seeds_are_pooled():
    found = pool_rows([row(seed=1), row(seed=2, games=300, wins=100, draws=0, effective="250"), row(opponent="c")])
    assert found["nim", "a", "b"] == Score(400, 165.0, 10, 350.0)
    assert found["nim", "a", "b"].interval == wilson(165 / 400 * 350, 350)
    assert set(found) == {("nim", "a", "b"), ("nim", "a", "c")}


def test_of_rows_with_one_seed_the_last_counts():
    assert pool_rows([row(wins=1), row(wins=60)])["nim", "a", "b"] == Score(100, 65.0, 10, 100.0)


def test_games_without_chance_have_a_score_and_no_interval():
    score = pool_rows([row(games=2, wins=1, draws=0, effective="")])["nim", "a", "b"]
    assert (score.share, score.interval) == (0.5, None)
    assert not exceeds(score, 0.1, 0.0)
    with pytest.raises(ValueError, match="no sample"):
        p_of_figure(score, 0.1)


def test_a_p_value_by_hand():
    # z = (0.6 - 0.5) / sqrt(0.5 * 0.5 / 100) = 2; two-sided 0.0455. Two shares: z = 0.1 / sqrt(2 * 0.55 * 0.45 / 100).
    assert p_of_figure(Score(100, 60, 0, 100), 0.5) == pytest.approx(0.0455003, abs=1e-6)
    from scipy.stats import norm

    two = p_of_two(Score(100, 60, 0, 100), Score(100, 50, 0, 100))
    assert two == pytest.approx(2 * norm.sf(0.1 / sqrt(2 * 0.55 * 0.45 / 100)))


@given(st.integers(1, 1999), st.floats(0.01, 0.99))
def test_the_test_rejects_what_the_interval_leaves_out(wins, figure):
    score = Score(2000, wins, 0, 2000)
    low, high = score.interval or (0.0, 1.0)
    if min(abs(figure - low), abs(figure - high)) > 1e-6:
        assert (p_of_figure(score, figure) < 0.05) == (not low < figure < high)


def test_holm_s_correction_by_hand():
    # In order 0.01, 0.02, 0.04 times 3, 2, 1: 0.03, 0.04, and 0.04, since corrected values do not fall.
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([]) == []


def test_a_figure_is_exceeded_if_the_interval_lies_above_it_and_the_corrected_p_is_small():
    score = Score(1000, 820, 0, 1000)  # 0.820, from 0.795 to 0.843
    assert exceeds(score, 0.7865, p_of_figure(score, 0.7865))
    assert not exceeds(score, 0.7865, 0.06), "other comparisons of the family"
    assert not exceeds(score, 0.80, p_of_figure(score, 0.80)), "the interval holds the figure"
    assert not exceeds(score, 0.90, p_of_figure(score, 0.90)), "it lies below"
