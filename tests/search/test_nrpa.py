"""Nested rollout policy adaptation: its draws, its steps by hand, its levels by plain recursion, its use."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct
from scipy import special, stats

import envs
from envs.morpion.listed import ListedMorpion
from envs.morpion.opponents import random_scores
from envs.morpion.saved import new_crosses
from jaxgp.search.listed import Listed
from jaxgp.search.nrpa import Nested, choose, draw

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


LISTED = Listed(Lock(), slots=CHOICES)
KINDS = 3


def kind_of(position):
    """Of each option a kind that changes from stage to stage."""
    return (LISTED.options(position) + position.state.stage) % KINDS


def drawn_policies(searches, seed=1):
    return np.random.default_rng(seed).normal(size=(searches, LISTED.num_actions + 1)).astype(np.float32)


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


@pytest.mark.parametrize("biased", [False, True])
def test_playouts_begin_in_proportion_to_weights(biased):
    count, policy = 20_000, drawn_policies(1)
    biases = np.array([[0.5, -1.0, 1.5]], np.float32)
    nested = Nested(LISTED, 1, longest=1, kinds=kind_of if biased else None)
    given = jnp.broadcast_to(jnp.asarray(policy), (count, policy.size))
    table = jnp.broadcast_to(jnp.asarray(biases), (count, KINDS)) if biased else None
    first = np.asarray(jax.jit(nested.playout)(jax.random.key(3), given, table).actions)[:, 0]
    legal = np.flatnonzero(Lock().legal_actions(Lock().init()))
    logits = policy[0, legal].astype(float) + biased * biases[0, legal % KINDS]
    expected = special.softmax(logits) * count
    assert stats.chisquare(np.bincount(first, minlength=CHOICES)[legal], expected).pvalue > 1e-3
    assert set(first.tolist()) == set(legal.tolist())


def by_hand(policy, actions, alpha, biases):
    """Adapt one policy to one game as the papers word it."""
    game, state, changed = Lock(), Lock().init(), policy.astype(np.float64)
    for action in actions:
        legal = np.flatnonzero(game.legal_actions(state))
        logits = policy[legal] + biases[(legal + int(state.stage)) % KINDS]
        chances = np.exp(logits) / np.exp(logits).sum()
        changed[action] += alpha
        changed[legal] -= alpha * chances
        state = game.step(state, jnp.int32(action))
    return changed


@pytest.mark.parametrize("biased", [False, True])
def test_an_adaptation_equals_one_by_hand(biased):
    nested = Nested(LISTED, 1, alpha=0.7, longest=12, kinds=kind_of if biased else None)
    policies = drawn_policies(3)
    biases = np.random.default_rng(2).normal(size=(3, KINDS)).astype(np.float32) if biased else None
    line = jax.jit(nested.playout)(jax.random.key(2), jnp.asarray(policies), biases)
    lengths = np.asarray(line.length).tolist()
    assert len(set(lengths)) > 1, "games of unequal length"
    found = jax.jit(nested.adapt)(jnp.asarray(policies), line, biases)
    for n, length in enumerate(lengths):
        actions = np.asarray(line.actions)[n, :length].tolist()
        wanted = by_hand(policies[n], actions, 0.7, biases[n] if biased else np.zeros(KINDS))
        np.testing.assert_allclose(found[n, :-1], wanted[:-1], atol=1e-5)


def test_long_games_are_adapted_to_stretch_by_stretch():
    policies = jnp.asarray(drawn_policies(2))
    line = jax.jit(Nested(LISTED, 1, longest=12).playout)(jax.random.key(2), policies)
    longer = jax.tree.map(
        lambda x, y: x if x.ndim == 1 else y.at[:, :12].set(x),
        line,
        jax.tree.map(lambda x: x[0], Nested(LISTED, 1, longest=48).begin(2).best),
    )
    one, other = (
        Nested(LISTED, 1, longest=longest).adapt(policies, game) for longest, game in ((12, line), (48, longer))
    )
    np.testing.assert_allclose(one[:, :-1], other[:, :-1], atol=1e-6)


def test_of_a_group_of_playouts_the_last_of_the_best_counts():
    searches, group, key = 6, 5, jax.random.key(4)
    policies = jnp.zeros((searches, LISTED.num_actions + 1))
    found = jax.jit(Nested(LISTED, 1, longest=12, group=group).playout)(key, policies)
    single = jax.jit(Nested(LISTED, 1, longest=12).playout)(key, jnp.repeat(policies, group, 0))
    scores = np.asarray(single.score).reshape(searches, group)
    places = [max(range(group), key=lambda p: (row[p], p)) + group * n for n, row in enumerate(scores.tolist())]
    assert found.actions.tolist() == single.actions[np.array(places)].tolist()
    assert found.score.tolist() == scores.max(1).tolist()


@pytest.mark.parametrize("group", [1, 2])
def test_levels_nest_as_in_a_recursion(group):
    searches, key = 2, jax.random.key(5)
    nested = Nested(LISTED, 3, iterations=3, longest=12, group=group)
    playout, adapt = jax.jit(nested.playout), jax.jit(nested.adapt)
    played = iter(range(nested.steps))

    def recurse(level, policies):
        if level == 0:
            return playout(jax.random.fold_in(key, next(played)), policies)
        best = None
        for _ in range(nested.iterations):
            found = recurse(level - 1, policies)
            best = found if best is None else choose(found.score >= best.score, found, best)
            policies = adapt(policies, best)
        return best

    wanted, found = recurse(3, nested.begin(searches).policies[0]), nested.search(key, searches)
    for one, other in zip(jax.tree.leaves(wanted), jax.tree.leaves(found), strict=True):
        assert one.tolist() == other.tolist()


def test_a_search_in_pieces_is_the_search_at_once():
    nested, key = Nested(LISTED, 2, iterations=5, longest=12), jax.random.key(7)
    search = nested.begin(3)
    for until in (1, 4, 17, 25):
        search = nested.advance(key, search, jnp.int32(until), None)
    assert search.best.actions[-1].tolist() == nested.search(key, 3).actions.tolist()


def test_a_search_beats_random_restarts_at_the_same_number_of_playouts():
    searches = 8
    nested = Nested(LISTED, 2, iterations=20, longest=12)
    found = nested.search(jax.random.key(0), searches)
    free = jnp.zeros((searches * nested.playouts, LISTED.num_actions + 1))
    random = jax.jit(nested.playout)(jax.random.key(1), free)
    restarts = np.asarray(random.score).reshape(searches, -1).max(1)
    assert found.score.tolist() == [BEST] * searches
    assert restarts.max() < BEST
    assert not found.crowded.any()


def test_a_game_is_cut_where_it_is_too_long():
    line = jax.jit(Nested(LISTED, 1, longest=2).playout)(jax.random.key(0), jnp.zeros((4, LISTED.num_actions + 1)))
    assert line.actions.shape == (4, 2)
    assert line.length.max() == 2


def test_a_search_says_where_legal_actions_had_no_slot():
    line = Nested(Listed(Lock(), slots=3), 1, iterations=5, longest=12).search(jax.random.key(0), 4)
    assert line.crowded.all()


@pytest.mark.slow
def test_searches_of_morpion_solitaire_beat_random_restarts():
    """By a rank test: with 400 playouts each, the luckiest of restarts comes up to the poorest search."""
    game, searches = envs.make("morpion"), 16
    nested = Nested(ListedMorpion(game), 2, iterations=20)
    lines = nested.search(jax.random.key(0), searches)
    found = np.asarray(lines.score)
    for score, actions, length in zip(found, np.asarray(lines.actions), np.asarray(lines.length), strict=True):
        assert len(new_crosses(game, actions[:length].tolist())) == length == score
    restarts = np.asarray(random_scores(game, jax.random.key(1), searches, nested.playouts)).max(1)
    assert stats.mannwhitneyu(found, restarts, alternative="greater").pvalue < 0.0001
