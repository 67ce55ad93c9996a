"""An experiment leaves the states alone that it is given: a run keeps one until the row after it is on disk."""

from types import SimpleNamespace

import jax
import numpy as np

from jaxgp.run.assemble import Experiment
from tests.run.toy_experiment import advanced, config, first


def test_a_compiled_generation_is_a_step_and_leaves_its_state():
    ring = SimpleNamespace(init=lambda key: first(key, 4), step=advanced.__wrapped__)
    experiment = Experiment(config(), None, {}, ring)
    state = experiment.init(jax.random.key(0))
    following, metrics = experiment.step(state)
    moved, same = experiment.compiled(state)(state)
    assert int(state.generation) == 0
    assert int(moved.generation) == int(following.generation) == 1
    np.testing.assert_array_equal(moved.population.value, following.population.value)
    np.testing.assert_equal(jax.tree.map(float, metrics), jax.tree.map(float, same))
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves((state, following, moved)))
