"""Nested rollout policy adaptation: its draws, its steps by hand, its levels by plain recursion, its use."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

import envs
from envs.morpion.opponents import random_scores
from envs.morpion.saved import new_crosses
from jaxgp.search.nrpa import Nested, draw

CHOICES = 4
SECRET = (2, 0, 3, 1, 1, 2, 0, 3, 3, 0)
BEST = 8
"""All but the shut digit of stage 4 and the one of stage 7 that ends the game."""


@struct.dataclass
class At:
    stage: jax.Array
    right: jax.Array
    terminated: jax.Array


@dataclass(frozen=True)
class Lock:
    """At each stage one of four digits is dialled, each an action of its own; the score counts the right ones.

    Even stages accept three digits only. Digit 3 of an odd stage ends the game at once, though it may be right.
    """

    num_actions = CHOICES * len(SECRET)

    def init(self, key=None):
        return At(jnp.int32(0), jnp.int32(0), jnp.bool_(False))

    def legal_actions(self, state):
        stage, digit = np.divmod(np.arange(self.num_actions), CHOICES)
        shut = (digit == 1) & (stage % 2 == 0)
        return (state.stage == stage) & ~shut & ~state.terminated

    def step(self, state, action):
        stage, digit = action // CHOICES, action % CHOICES
        played = (stage == state.stage) & ~state.terminated
        right = state.right + (played & (jnp.array(SECRET)[stage] == digit))
        over = (stage == len(SECRET) - 1) | ((stage % 2 == 1) & (digit == CHOICES - 1))
        return At(state.stage + played, right, state.terminated | played & over)

    def score(self, state):
        return jnp.stack([state.right, 0]).astype(jnp.float32)


def opening(game, searches):
    return jax.tree.map(lambda x: jnp.broadcast_to(x, (searches, *x.shape)), game.init())


def test_draws_are_in_proportion_to_weights():
    weights = np.array([0, 1e-6, 3, 0, 1, 0.5, 0, 7, 2, 0, 0.25], np.float32)
    shares = (np.arange(100_000) + 0.5).astype(np.float32) / 100_000
    drawn = np.asarray(jax.jit(jax.vmap(partial(draw, jnp.array(weights))))(shares))
    counts = np.bincount(drawn, minlength=len(weights))
    np.testing.assert_allclose(counts / len(shares), weights / weights.sum(), atol=2e-5)
    assert not counts[weights == 0].any()


def test_rounding_never_draws_what_has_no_weight():
    weights = jnp.zeros((3, 30)).at[:, 7].set(jnp.array([1e-17, 1.0, 2e17])).at[:, 21].set(1e-12)
    for share in (0.0, 0.5, 1 - 2**-24):
        drawn = jax.vmap(draw)(weights, jnp.full(3, share))
        assert set(np.asarray(drawn).tolist()) <= {7, 21}


def by_hand(policy, actions, alpha):
    """Adapt one policy to one game as the paper words it."""
    game, state, changed = Lock(), Lock().init(), policy.astype(np.float64)
    for action in actions:
        legal = np.flatnonzero(game.legal_actions(state))
        total = np.exp(policy[legal]).sum()
        changed[action] += alpha
        for other in legal:
            changed[other] -= alpha * np.exp(policy[other]) / total
        state = game.step(state, jnp.int32(action))
    return changed


def test_an_adaptation_equals_one_by_hand():
    game = Lock()
    nested = Nested(game, 1, alpha=0.7, longest=12)
    policies = np.random.default_rng(1).normal(size=(3, game.num_actions)).astype(np.float32)
    line = nested.playout(jax.random.key(2), jnp.asarray(policies), opening(game, 3))
    lengths = np.asarray(line.length).tolist()
    assert len(set(lengths)) > 1, "games of unequal length"
    found = nested.adapt(jnp.asarray(policies), line, opening(game, 3))
    for n, length in enumerate(lengths):
        wanted = by_hand(policies[n], np.asarray(line.actions)[n, :length].tolist(), 0.7)
        np.testing.assert_allclose(found[n], wanted, atol=1e-5)


def better(old, new):
    keep = np.asarray(old.score > new.score)
    return jax.tree.map(lambda a, b: jnp.where(keep.reshape(-1, *[1] * (a.ndim - 1)), a, b), old, new)


def test_levels_nest_as_in_a_recursion():
    game, searches, key = Lock(), 2, jax.random.key(5)
    nested = Nested(game, 3, iterations=3, longest=12)
    start = opening(game, searches)
    playout, adapt = jax.jit(nested.playout), jax.jit(nested.adapt)
    played = iter(range(nested.playouts))

    def recurse(level, policies):
        if level == 0:
            return playout(jax.random.fold_in(key, next(played)), policies, start)
        best = None
        for _ in range(nested.iterations):
            found = recurse(level - 1, policies)
            best = found if best is None else better(best, found)
            policies = adapt(policies, best, start)
        return best

    wanted, found = recurse(3, jnp.zeros((searches, game.num_actions))), nested.search(key, searches)
    assert found.score.tolist() == wanted.score.tolist()
    assert found.actions.tolist() == wanted.actions.tolist()
    assert found.length.tolist() == wanted.length.tolist()


def test_a_search_beats_random_restarts_at_the_same_number_of_playouts():
    game, searches = Lock(), 8
    nested = Nested(game, 2, iterations=20, longest=12)
    found = nested.search(jax.random.key(0), searches)
    free = jnp.zeros((searches * nested.playouts, game.num_actions))
    random = nested.playout(jax.random.key(1), free, opening(game, len(free)))
    restarts = np.asarray(random.score).reshape(searches, -1).max(1)
    assert found.score.tolist() == [BEST] * searches
    assert restarts.max() < BEST


def test_a_game_is_cut_where_it_is_too_long():
    line = Nested(Lock(), 1, longest=2).playout(jax.random.key(0), jnp.zeros((4, Lock.num_actions)), opening(Lock(), 4))
    assert line.actions.shape == (4, 2)
    assert line.length.max() == 2


@pytest.mark.slow
def test_searches_of_morpion_solitaire_beat_random_restarts():
    game, searches = envs.make("morpion"), 4
    nested = Nested(game, 2, iterations=20)
    lines = nested.search(jax.random.key(0), searches)
    found = np.asarray(lines.score)
    for score, actions, length in zip(found, np.asarray(lines.actions), np.asarray(lines.length), strict=True):
        assert len(new_crosses(game, actions[:length].tolist())) == length == score
    restarts = np.asarray(random_scores(game, jax.random.key(1), searches, nested.playouts)).max(1)
    assert found.min() > restarts.max()
