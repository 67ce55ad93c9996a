"""Games of a population among itself: who is drawn to meet whom, and what comes of it."""

from collections import Counter
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import envs
from jaxgp.fitness.among import coplay
from tests.envs.replays import FAST, stepping
from tests.fitness.coplay_table import Preferring

PLAYERS, GAMES = 5, 3
DRAW = jax.jit(coplay.draw, static_argnums=(1, 2), compiler_options=FAST)


@pytest.mark.few(1)
@pytest.mark.parametrize(("population", "games"), [(2, 3), (7, 14), (40, 25)])
def test_everybody_meets_as_many_others_from_each_seat_and_nobody_itself(population, games):
    for seed in range(5):
        second = np.asarray(DRAW(jax.random.key(seed), population, games).second)
        assert second.shape == (population, games)
        assert (second != np.arange(population)[:, None]).all()
        assert (np.bincount(second.ravel(), minlength=population) == games).all()


@pytest.mark.parametrize(("population", "games"), [(7, 14), (40, 25)])
def test_nobody_is_met_again_from_the_same_seat_before_all_were_met(population, games):
    second = np.asarray(DRAW(jax.random.key(3), population, games).second)
    for met in second:
        for start in range(0, games, population - 1):
            part = met[start : start + population - 1]
            assert len(set(part.tolist())) == len(part)


@pytest.mark.parametrize(("population", "games"), [(2, 3), (7, 14), (40, 25)])
def test_the_first_seats_are_those_that_the_second_ones_meet(population, games):
    pairs = DRAW(jax.random.key(1), population, games)
    second, first = np.asarray(pairs.second), np.asarray(pairs.first)
    for n in range(games):
        assert second[first[:, n], n].tolist() == list(range(population))


def test_opponents_are_drawn_uniformly_from_the_others():
    many = jax.jit(jax.vmap(lambda key: coplay.draw(key, 6, 2).second), compiler_options=FAST)
    second = np.asarray(many(jax.random.split(jax.random.key(0), 3000)))  # [3000, 6, 2]
    for player in range(6):
        for n in range(2):
            counts = np.bincount(second[:, player, n], minlength=6)
            assert counts[player] == 0
            assert stats.chisquare(np.delete(counts, player)).pvalue > 1e-4
    # Nor do the opponents of one tell who the other one's are: each of the pairs that can be comes as often as another.
    pairs = Counter(zip(second[:, 0, 0].tolist(), second[:, 0, 1].tolist(), strict=True))
    assert len(pairs) == 20
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-4
    assert not np.array_equal(second[0], second[1])


def test_totals_are_of_the_same_games_from_both_seats():
    pairs = coplay.Pairs(jnp.array([[1, 2], [2, 0], [0, 1]]), jnp.array([[2, 1], [0, 2], [1, 0]]))
    first = np.array([[1.0, -1.0], [0.0, 1.0], [-1.0, 0.0]], np.float32)  # of the games 0-1, 0-2; 1-2, 1-0; 2-0, 2-1
    found = coplay.totals(pairs, jnp.stack([first, -first], -1) * 0.5 + 0.5)
    # From the second seat 0 lost to 1 and won against 2; 1 lost to 0 and drew with 2; 2 drew with 1 and won against 0.
    assert found.tolist() == [[1.0, 1.0], [1.5, 0.5], [0.5, 1.5]]
    assert np.asarray(found).sum() == first.size


GAME = envs.make("othello", size=4)
PREFERENCES = np.random.default_rng(0).uniform(-0.3, 1, (PLAYERS, GAME.num_actions)).astype(np.float32)


@cache
def compiled():
    """Play games of at most so many plies, some of which are random."""

    def run(key, most, opening):
        draw_key, play_key = jax.random.split(key)
        pairs = coplay.draw(draw_key, PLAYERS, GAMES)
        return pairs, coplay.play(play_key, GAME, Preferring(GAME), PREFERENCES, pairs, most, opening)

    return jax.jit(run, compiler_options=FAST)


@pytest.mark.few(1)
@pytest.mark.parametrize("opening", [0, 3])
def test_games_side_by_side_are_those_played_one_by_one(opening):
    """What is random in them is taken from games that end with it."""
    pairs, played = jax.device_get(compiled()(jax.random.key(0), 100, opening))
    _, begun = jax.device_get(compiled()(jax.random.key(0), opening, opening))
    step, forfeit, legal = (
        jax.jit(f, compiler_options=FAST) for f in (stepping(GAME), GAME.forfeit, GAME.legal_actions)
    )
    ends, forfeits = set(), 0
    for first in range(PLAYERS):
        for n in range(GAMES):
            state, plies = jax.tree.map(lambda x, i=first, n=n: x[i, n], begun.states), opening
            seats = first, int(pairs.second[first, n])
            while not state.terminated:
                worth = np.where(legal(state), PREFERENCES[seats[int(state.to_move)]], -np.inf)
                forfeits += worth.max() <= 0
                state = step(state, jnp.int32(worth.argmax())) if worth.max() > 0 else forfeit(state)
                plies += 1
            there = jax.tree.map(lambda x, i=first, n=n: x[i, n], played.states)
            assert jax.tree.all(jax.tree.map(np.array_equal, there, jax.device_get(state)))
            assert played.plies[first, n] == plies
            ends.add((plies, tuple(np.asarray(state.returns).tolist())))
    assert len(ends) > 3
    assert 0 < forfeits < PLAYERS * GAMES
    assert len(set(np.asarray(begun.states.own[0]).ravel().tolist())) > opening
    points = np.asarray(coplay.totals(pairs, played.states.returns * 0.5 + 0.5)) / GAMES
    np.testing.assert_allclose(points[:, 0], np.asarray(played.states.returns[..., 0]).mean(1) / 2 + 0.5)
    by_second = [[] for _ in range(PLAYERS)]
    for first, n in np.ndindex(PLAYERS, GAMES):
        by_second[int(pairs.second[first, n])].append(float(played.states.returns[first, n, 1]))
    np.testing.assert_allclose(points[:, 1], np.mean(by_second, 1) / 2 + 0.5)


def test_games_that_are_too_long_stand_as_they_are():
    _, played = compiled()(jax.random.key(0), 2, 0)
    assert (np.asarray(played.plies) <= 2).all()
    stopped = ~np.asarray(played.states.terminated)
    assert stopped.any()
    assert (np.asarray(played.plies)[stopped] == 2).all()
    assert (np.asarray(played.states.returns)[stopped] == 0).all()


@pytest.mark.thorough
def test_openings_are_drawn_uniformly():
    """Four moves open the game, and three answer each of them."""

    def first(key):
        pairs = coplay.draw(key, PLAYERS, GAMES)
        return coplay.play(key, GAME, Preferring(GAME), PREFERENCES, pairs, 2, 2).states.own[0]

    discs = jax.jit(jax.vmap(first), compiler_options=FAST)(jax.random.split(jax.random.key(4), 200))
    counts = np.unique(np.asarray(discs), return_counts=True)[1]
    assert counts.sum() == 200 * PLAYERS * GAMES
    assert len(counts) == 12
    assert stats.chisquare(counts).pvalue > 0.001
