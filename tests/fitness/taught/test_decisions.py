"""Decisions whose best moves are known: what is seen of them, and how often individuals choose a best move."""

from functools import partial
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.fitness.taught import decisions
from jaxgp.fitness.taught.decisions import DecisionFitness, chance, look, shares
from jaxgp.kinds.decisions import DecisionsFitnessOptions
from jaxgp.players.taught import Learns, Lessons
from jaxgp.spec import Teachers

NONE = -np.inf
VALUES = np.array([[1, 0, 1], [0, -1, NONE], [0, 0, 1], [1, -1, -1]], np.float32)
"""What a teacher gives to the moves of four decisions."""


class Weights(Learns):
    """Individuals [P, 2] are weights of what they see: the number of the state, and of the outcome."""

    primitives = SimpleNamespace(num_trees=2)

    def prepare(self, genomes):
        return genomes

    def looks(self, states, outcomes):
        return jnp.stack([states, outcomes]), (outcomes > 0).astype(jnp.int32)

    def judge(self, plans, seen, tree):
        return plans @ seen

    def values(self, plans, states, outcomes, wanted):
        raise NotImplementedError


def lessons(key=None, count=4):
    del key
    outcomes = jnp.arange(12.0).reshape(4, 3) % 3
    return jax.tree.map(lambda x: x[:count], Lessons(jnp.arange(4.0), outcomes, jnp.asarray(VALUES)))


@pytest.mark.few(1)
@pytest.mark.parametrize("together", [4, 12, 99])
def test_each_move_is_looked_at_with_its_state_and_its_tree(monkeypatch, together):
    monkeypatch.setattr(decisions, "TOGETHER", together)
    seen = jax.jit(partial(look, Weights()))(lessons())
    assert seen.features.shape == (4, 2, 3)
    assert seen.features[:, 0].tolist() == [[n] * 3 for n in range(4)]
    assert seen.features[:, 1].tolist() == [[0, 1, 2]] * 4
    assert seen.tree.tolist() == [[0, 1, 1], [0, 1, 2], [0, 1, 1], [0, 1, 1]]
    assert seen.best.tolist() == [[1, 0, 1], [1, 0, 0], [0, 0, 1], [1, 0, 0]]


def test_a_share_is_the_chance_of_a_best_move_among_those_valued_alike():
    seen = jax.jit(partial(look, Weights()))(lessons())
    first, last, alike = [0.0, -1.0], [0.0, 1.0], [1.0, 0.0]
    found = np.asarray(jax.jit(partial(shares, Weights()))(np.array([first, last, alike]), seen))
    assert found[:2].tolist() == [[1, 1, 0, 1], [1, 0, 1, 0]]
    assert found[2] == pytest.approx([2 / 3, 1 / 2, 1 / 3, 1 / 3])
    assert jax.jit(partial(chance, Weights()))(seen) == pytest.approx(found[2])


@pytest.mark.thorough
def test_a_generation_draws_and_a_referee_takes_all():
    fitness = DecisionFitness(Weights(), lessons, stock=4, drawn=2)
    seen, population = fitness.init(jax.random.key(0)), jnp.array([[0.0, -1.0], [0.0, 1.0]])
    result, _ = fitness.evaluate(jax.random.key(1), population, seen)
    assert result.cases.shape == (2, 2)
    assert result.fitness == pytest.approx(result.cases.mean(0))
    measured, _ = fitness.measure(jax.random.key(1), population, seen)
    assert measured.fitness.tolist() == [0.75, 0.5]
    assert measured.metrics["standing_agreed"] == 0.75


def test_the_last_line_says_what_the_champion_others_and_chance_choose_in_new_decisions():
    asked = []

    def teach(key, count):
        asked.append(count)
        return lessons(key, count)

    teachers = Teachers(("one", "two"), lambda game, name: teach, lambda game: {"an engine": 0.9})
    cast = SimpleNamespace(actor=Weights(), game=None, spec=SimpleNamespace(teachers=teachers))
    config, champion = SimpleNamespace(seed=3), jnp.array([0.0, -1.0])
    assert DecisionsFitnessOptions(reported=4).closing(config, cast, champion) == (
        "Best moves in 4 new decisions, percent: champion 75.0 (standard error 21.7); a random player 45.8; "
        "an engine 90.0"
    )
    assert asked == [4]
    assert DecisionsFitnessOptions(reported=0).closing(config, cast, champion) is None
