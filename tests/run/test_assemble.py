"""An experiment leaves the states alone that a user holds; the loop of a run reuses their memory."""

import jax
import numpy as np

from jaxgp.evolution.generational import Generational
from jaxgp.evolution.ring import Ring
from jaxgp.fitness.function import FunctionFitness
from jaxgp.run.assemble import Experiment
from tests.run.toy_experiment import PRIMITIVES, config


def test_a_step_leaves_its_state_and_an_advance_uses_it_up():
    made = config(population=4, capacity=8)
    ring = Ring(
        FunctionFitness(lambda key, population: population.value[:, 0, 0]), Generational(PRIMITIVES, made.algorithm)
    )
    experiment = Experiment(made, None, {}, ring)
    state = experiment.init(jax.random.key(0))
    following, metrics = experiment.step(state)
    kept = np.asarray(jax.random.key_data(state.key))
    moved, same = experiment.advance(state)
    np.testing.assert_array_equal(jax.random.key_data(moved.key), kept)
    assert {name: float(value) for name, value in metrics.items()} == {
        name: float(value) for name, value in same.items()
    }
    assert any(leaf.is_deleted() for leaf in jax.tree.leaves(state))
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(following))
