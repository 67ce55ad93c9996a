"""Random search: every generation is drawn as the first one is, and no parent has a part in it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.evolution.tuning.options import TuneOptions
from jaxgp.fitness.evaluation import Evaluation
from jaxgp.genotypes.language import sizes
from jaxgp.schemes.breeding.random_search import Anew
from jaxgp.schemes.random_search import RandomSearchOptions
from tests.fitness.coplay_table import CREATION
from tests.run.toy_experiment import PRIMITIVES

SCHEME = Anew(PRIMITIVES, RandomSearchOptions(population=512, elites=0, capacity=16, creation=CREATION))


@pytest.mark.thorough
def test_children_are_drawn_as_the_first_generation_is_and_inherit_nothing():
    breed, create = jax.jit(SCHEME.breed), jax.jit(lambda key: SCHEME.create(key, 512))
    parents = create(jax.random.key(0))
    good, bad = (Evaluation(by * jnp.arange(512.0), jnp.zeros((512, 1)), {}) for by in (1, -1))
    key = jax.random.key(1)
    one, other = (breed(key, parents, result, SCHEME.init())[0] for result in (good, bad))
    assert all(jax.tree.leaves(jax.tree.map(np.array_equal, one, other)))
    assert not np.array_equal(one.opcode, parents.opcode)
    fresh = create(jax.random.key(2))
    means = [float(sizes(population).mean()) for population in (one, fresh)]
    spread = float(sizes(fresh).std()) * np.sqrt(2 / 512)
    assert abs(means[0] - means[1]) < 4 * spread


def test_the_parameter_table_says_how_individuals_learn_of_whom_nobody_inherits():
    (_, search), (name, tuning) = RandomSearchOptions(tune=TuneOptions(steps=3)).rows()
    assert search == "random: every generation is created anew"
    assert name == "tuning of constants"
    assert tuning == "every individual takes 3 steps of Adam before it is measured, rate 0.1"
