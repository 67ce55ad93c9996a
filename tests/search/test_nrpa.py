"""Nested rollout policy adaptation: its draws, its steps by hand, its levels by plain recursion, its use."""

from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct
from scipy import special, stats

import envs
from envs.morpion.listed import ListedMorpion
from envs.morpion.notation.saved import new_crosses
from envs.morpion.opponents import random_scores
from jaxgp.arrays import where
from jaxgp.search import nrpa
from jaxgp.search.listed import Listed
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

    name = "lock"
    chance = False
    num_actions = CHOICES * len(SECRET)

    def init(self, key=None):
        return At(jnp.int32(0), jnp.int32(0), jnp.bool_(False))

    def legal_actions(self, state):
        stage, digit = np.divmod(np.arange(self.num_actions), CHOICES)
        shut = (digit == 1) & (stage % 2 == 0)
        return (state.stage == stage) & ~shut & ~state.terminated

    def step(self, state, action, key):
        stage, digit = action // CHOICES, action % CHOICES
        played = (stage == state.stage) & ~state.terminated
        right = state.right + (played & (jnp.array(SECRET)[stage] == digit))
        over = (stage == len(SECRET) - 1) | ((stage % 2 == 1) & (digit == CHOICES - 1))
        return At(state.stage + played, right, state.terminated | played & over)

    def score(self, state):
        return jnp.stack([state.right, 0]).astype(jnp.float32)


LOCK = Lock()
LISTED = Listed(LOCK, slots=CHOICES)
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
    several = jax.jit(jax.vmap(draw))
    for share in (0.0, 0.5, 1 - 2**-24):
        drawn = several(weights, jnp.full(3, share))
        assert set(np.asarray(drawn).tolist()) <= {7, 21}


@pytest.mark.parametrize("biased", [pytest.param(False, marks=pytest.mark.slow), True])
def test_playouts_begin_in_proportion_to_weights_and_are_cut_where_they_are_too_long(biased):
    count, policy = 20_000, drawn_policies(1)
    biases = np.array([[0.5, -1.0, 1.5]], np.float32)
    nested = Nested(LISTED, 1, longest=2, kinds=kind_of if biased else None)
    given = jnp.broadcast_to(jnp.asarray(policy), (count, policy.size))
    table = jnp.broadcast_to(jnp.asarray(biases), (count, KINDS)) if biased else None
    line = jax.jit(nested.playout)(jax.random.key(3), given, table)
    first = np.asarray(line.actions)[:, 0]
    legal = np.flatnonzero(LOCK.legal_actions(LOCK.init()))
    logits = policy[0, legal].astype(float) + biased * biases[0, legal % KINDS]
    expected = special.softmax(logits) * count
    assert stats.chisquare(np.bincount(first, minlength=CHOICES)[legal], expected).pvalue > 1e-3
    assert set(first.tolist()) == set(legal.tolist())
    assert line.actions.shape == (count, 2)
    assert line.length.tolist() == [2] * count
    assert not line.overflow.any()


def by_hand(policy, actions, alpha, biases):
    """Adapt one policy to one game as the papers word it."""
    changed = policy.astype(np.float64)
    for stage, action in enumerate(actions):
        digits = np.arange(CHOICES)
        legal = stage * CHOICES + digits[(digits != 1) | (stage % 2 == 1)]
        logits = policy[legal] + biases[(legal + stage) % KINDS]
        chances = np.exp(logits) / np.exp(logits).sum()
        changed[action] += alpha
        changed[legal] -= alpha * chances
    return changed


@pytest.mark.parametrize("biased", [pytest.param(False, marks=pytest.mark.slow), True])
def test_an_adaptation_equals_one_by_hand(biased, monkeypatch):
    """Games of unequal length, the longest of them in three stretches."""
    monkeypatch.setattr(nrpa, "STRETCH", 4)
    nested = Nested(LISTED, 1, alpha=0.7, longest=12, kinds=kind_of if biased else None)
    policies = drawn_policies(3)
    biases = np.random.default_rng(2).normal(size=(3, KINDS)).astype(np.float32) if biased else None

    def both(policies):
        line = nested.playout(jax.random.key(2), policies, biases)
        return line, nested.adapt(policies, line, biases)

    line, found = jax.jit(both)(jnp.asarray(policies))
    lengths = np.asarray(line.length).tolist()
    assert len(set(lengths)) > 1
    assert max(lengths) > 8
    for n, length in enumerate(lengths):
        actions = np.asarray(line.actions)[n, :length].tolist()
        wanted = by_hand(policies[n], actions, 0.7, biases[n] if biased else np.zeros(KINDS))
        np.testing.assert_allclose(found[n, :-1], wanted[:-1], atol=1e-5)


SEARCHES, GROUP = 4, 2
SHORT = Listed(LOCK, slots=3)
NESTED = Nested(SHORT, 3, iterations=5, longest=12, group=GROUP)
PLAYOUT = jax.jit(NESTED.playout)


@pytest.fixture(scope="module")
def found():
    """What a few searches find, each by 125 pairs of playouts."""
    return NESTED.search(jax.random.key(5), SEARCHES)


@pytest.mark.thorough
def test_of_a_group_of_playouts_the_last_of_the_best_counts():
    key, policies = jax.random.key(4), jnp.zeros((SEARCHES, LISTED.num_actions + 1))
    single = replace(NESTED, group=1)
    best, alone = PLAYOUT(key, policies), jax.jit(single.playout)(key, jnp.repeat(policies, GROUP, 0))
    scores = np.asarray(alone.score).reshape(SEARCHES, GROUP)
    places = [max(range(GROUP), key=lambda p: (row[p], p)) + GROUP * n for n, row in enumerate(scores.tolist())]
    assert best.actions.tolist() == alone.actions[np.array(places)].tolist()
    assert best.score.tolist() == scores.max(1).tolist()


@pytest.mark.thorough
def test_levels_nest_as_in_a_recursion(found):
    key = jax.random.key(5)
    adapt = jax.jit(NESTED.adapt)
    better = jax.jit(lambda one, best: where(one.score >= best.score, one, best))
    played = iter(range(NESTED.steps))

    def recurse(level, policies):
        if level == 0:
            return PLAYOUT(jax.random.fold_in(key, next(played)), policies)
        best = None
        for _ in range(NESTED.iterations):
            one = recurse(level - 1, policies)
            best = one if best is None else better(one, best)
            policies = adapt(policies, best)
        return best

    wanted = recurse(3, NESTED.begin(SEARCHES).policies[0])
    for one, other in zip(jax.tree.leaves(wanted), jax.tree.leaves(found), strict=True):
        assert one.tolist() == other.tolist()


def test_a_search_in_pieces_is_the_search_at_once(found):
    search = NESTED.begin(SEARCHES)
    for until in (1, 5, 27, 125):
        search = NESTED.advance(jax.random.key(5), search, jnp.int32(until), None)
    assert search.best.actions[-1].tolist() == found.actions.tolist()


def test_a_search_beats_random_restarts_at_the_same_number_of_playouts(found):
    lanes = 8 * NESTED.playouts
    free = jnp.zeros((lanes, LISTED.num_actions + 1))
    random = jax.jit(replace(NESTED, group=1).playout)(jax.random.key(1), free)
    restarts = np.asarray(random.score).reshape(8, -1).max(1)
    assert found.score.tolist() == [BEST] * SEARCHES
    assert restarts.max() < BEST


def test_a_search_says_where_legal_actions_had_no_slot(found):
    assert found.overflow.all()
    assert (np.asarray(found.options)[..., : SHORT.slots] <= LISTED.num_actions).all()


def test_lists_hold_the_first_legal_actions_and_remember_that_there_were_more():
    def follow(game):
        """Positions before and after stage 1, at which all four digits are accepted, and after an action of none."""
        first = game.step(game.init(), jnp.int32(0))
        second = game.step(first, jnp.int32(CHOICES))
        return [(game.options(at), game.overflow(at)) for at in (first, second, game.step(second, jnp.int32(40)))]

    for game, options, overflow in ((LISTED, [4, 5, 6, 7], False), (SHORT, [4, 5, 6], True)):
        (before, some), (after, still), same = jax.jit(lambda game=game: follow(game))()
        assert before.tolist() == options
        assert after.tolist() == [8, 10, 11, 40][: game.slots]
        assert (bool(some), bool(still)) == (overflow, overflow)
        assert same[0].tolist() == after.tolist()


class Dice(Lock):
    chance = True


def test_a_game_with_chance_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"game=lock: chance takes part in it; accepted in a search: games without"):
        Listed(Dice(), slots=4)


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
