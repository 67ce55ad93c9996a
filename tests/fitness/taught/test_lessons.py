"""Lessons: what individuals lose by their choices, by hand; and lessons of backgammon against other programs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.backgammon import lessons, many
from jaxgp.fitness.taught.lessons import losses
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.players.taught import Lessons
from tests.envs.backgammon.positions import as_tuple, left_of
from tests.reference import backgammon as plain

GAME = envs.make("backgammon")
CAST = cast(envs.spec("backgammon"))


class Given:
    """A player whose plans are the values that each individual gives to the outcomes, [P, D, W]."""

    def values(self, plans, states, outcomes, wanted):
        return plans


def lost(given, values):
    values = jnp.array(values, jnp.float32)
    lesson = Lessons(jnp.zeros(len(values)), jnp.zeros(values.shape), values)
    return [np.asarray(x).tolist() for x in losses(Given(), jnp.array(given, jnp.float32), lesson)]


def test_an_individual_loses_the_best_value_less_that_of_its_choice():
    none = -jnp.inf
    values = [[1.0, 3.0, 0.0], [2.0, -1.0, none]]
    chooses_last = [[0, 1, 2], [0, 1, 9]]  # in the second lesson there is no third move
    chooses_first = [[5, 4, 3], [5, 4, 3]]
    loss, agreed = lost([chooses_last, chooses_first], values)
    assert loss == [[3, 3], [2, 0]]
    assert agreed == [[0, 0], [0, 1]]


def test_of_moves_valued_alike_the_mean_is_lost():
    loss, agreed = lost([[[7, 7, 0], [1, 1, 1]]], [[1.0, 3.0, 0.0], [2.0, 2.0, -4.0]])
    assert loss[0] == pytest.approx([1, 2])
    assert agreed[0] == pytest.approx([1 / 2, 2 / 3])


class Runner:
    """Values positions by the pips that both sides have to go."""

    def value(self, own, other):
        return (other * jnp.arange(26)).sum(-1) - (own * jnp.arange(26)).sum(-1).astype(jnp.float32)

    def together(self, states, bits, active):
        return many.best_moves(GAME, states, active, lambda lanes, men, needed: self.value(*men))[:, 0]

    def judge(self, state, own, other):
        return self.value(own, other)


def teach(key):
    return lessons.teach(GAME, Runner(), key, 12)


@pytest.mark.thorough
def test_lessons_have_all_moves_of_their_positions_with_a_value_each():
    """Their shapes; what they are is compiled for some seconds."""
    found = jax.eval_shape(teach, jax.random.key(3))
    assert found.values.shape == (12, lessons.WIDTH)
    assert {x.shape[:2] for x in jax.tree.leaves(found.outcomes)} == {found.values.shape}
    assert {x.shape[0] for x in jax.tree.leaves(found.states)} == {12}


@pytest.fixture(scope="module")
def taught():
    """Twelve lessons of a strategy that runs."""
    small = pytest.MonkeyPatch()
    small.setattr(lessons, "GAMES", 8)
    small.setattr(lessons, "PLIES", 60)
    found = jax.jit(teach)(jax.random.key(3))
    small.undo()
    return jax.device_get(found)


@pytest.mark.slow
def test_lessons_offer_every_position_of_a_turn_once_with_its_value(taught):
    for n, values in enumerate(taught.values):
        state = jax.tree.map(lambda x, n=n: x[n], taught.states)
        there = values > -np.inf
        offered = [(as_tuple(a[n][i]), as_tuple(b[n][i])) for i in np.flatnonzero(there) for a, b in [taught.outcomes]]
        assert len(set(offered)) == len(offered)
        turns = plain.turns(list(state.own), list(state.other), left_of(state))
        assert set(offered) == {(tuple(map(int, own)), tuple(map(int, other))) for own, other in turns}
        assert 2 <= len(offered) <= lessons.WIDTH
        pips = [
            sum(p * m for p, m in enumerate(other)) - sum(p * m for p, m in enumerate(own)) for own, other in offered
        ]
        assert values[there].tolist() == pips


@pytest.mark.slow
def test_lessons_are_of_different_positions(taught):
    both = zip(taught.states.own, taught.states.other, strict=True)
    assert len({as_tuple(own) + as_tuple(other) for own, other in both}) > 8


@pytest.mark.slow
def test_a_program_that_thinks_as_the_teacher_loses_nothing(taught):
    """And the values of programs are those by which they play: one that shuns what the teacher likes loses most."""
    both = ["(Sub Enemy-Pip Player-Pip)", "(Sub Player-Pip Enemy-Pip)"]
    race = ["(Player-Position 25)", "(Race-Sub 0 (Player-Position 25))"]
    texts = [f"(PROGRAM {one} {other})" for one, other in zip(both, race, strict=True)]
    genomes = jax.tree.map(lambda *x: jnp.stack(x), *(parse_program(CAST.language, text, 64) for text in texts))
    contact = np.flatnonzero(~taught.states.racing)
    some = jax.tree.map(lambda x: x[contact], taught)
    loss, agreed = jax.jit(lambda g, some: losses(CAST.actor, CAST.actor.prepare(g), some))(genomes, some)
    worst = np.where(some.values > -np.inf, some.values, np.inf).min(1)
    np.testing.assert_allclose(loss[0], 0, atol=1e-5)
    np.testing.assert_allclose(agreed[0], 1)
    np.testing.assert_allclose(loss[1], some.values.max(1) - worst, atol=1e-5)
