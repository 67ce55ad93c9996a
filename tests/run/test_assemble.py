"""An experiment leaves the states alone that a user holds; the loop of a run reuses their memory."""

from types import SimpleNamespace

import jax
import numpy as np

from jaxgp.run.assemble import Experiment
from tests.run.toy_experiment import advanced, config, first


def test_a_step_leaves_its_state_and_an_advance_uses_it_up():
    ring = SimpleNamespace(init=lambda key: first(key, 4), step=advanced.__wrapped__)
    experiment = Experiment(config(), None, {}, ring)
    state = experiment.init(jax.random.key(0))
    following, metrics = experiment.step(state)
    assert int(state.generation) == 0
    moved, same = experiment.advance(state)
    assert int(moved.generation) == int(following.generation) == 1
    np.testing.assert_array_equal(moved.population.value, following.population.value)
    np.testing.assert_equal(jax.tree.map(float, metrics), jax.tree.map(float, same))
    assert any(leaf.is_deleted() for leaf in jax.tree.leaves(state))
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(following))
