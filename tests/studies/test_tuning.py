"""Constants of programs that CMA-ES tunes, for the studies of several games."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.errors import UsageError
from jaxgp.genotypes import language as languages
from jaxgp.measure import champions
from studies import tuning
from studies.robocode import tune


@pytest.mark.thorough
def test_numbers_of_a_program_are_put_back_where_they_stood():
    one = champions.load("docs/data/champions/robocode_islands.json", envs, "champion")
    language = one.cast.language
    genome = languages.parse(language, "(PROGRAM (Mul 70.0 (Fire 3.0)) (Add X -15.0) Zero)")
    it = tuning.numbers(language, genome)
    np.testing.assert_array_equal(it.constants, [70.0, 3.0, -15.0])
    others = it.programs(jnp.array([[1.0, 2.0, 4.0]]))
    text = languages.to_text(language, jax.tree.map(lambda x: x[0], others))
    assert text == "(PROGRAM (Mul 1 (Fire 2)) (Add X 4) Zero)"


@pytest.mark.thorough
def test_search_climbs_to_the_top_of_a_hill_inside_its_bounds():
    top = np.array([0.5, -3.0])

    def fitness(numbers, key):
        return -jnp.abs(numbers - top).sum(-1)

    found = tuning.search(fitness, np.array([-1.0, -4.0]), np.array([1.0, 4.0]), 12, 40, seed=1)
    np.testing.assert_allclose(found, top, atol=0.2)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({}, "champion: whose constants"),
        ({"champion": "x", "adversaries": ["sample.Wall"]}, "adversaries=sample.Wall: accepted"),
        ({"champion": "x", "adversaries": []}, "adversaries"),
    ],
)
def test_what_cannot_be_tuned_is_named(wrong, told):
    with pytest.raises(UsageError, match=told):
        tune.Options(**wrong).laws("")
