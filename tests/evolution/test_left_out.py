"""Languages that leave out different primitives share the program of a generation; what it computes is unchanged."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.evolution.generational import Generational
from jaxgp.evolution.options import GPOptions
from jaxgp.fitness.evaluation import Evaluation
from jaxgp.genotypes import programs
from jaxgp.operators import sharing
from jaxgp.operators.creation import least_sizes
from jaxgp.operators.options import CreationOptions, CrossoverOptions, MutationOptions
from tests.operators.operator_cases import TYPED, quick

OPTIONS = GPOptions(
    population=40,
    capacity=16,
    creation=CreationOptions(max_depth=3),
    crossover=CrossoverOptions(0.5, "two_children"),
    mutation=MutationOptions(0.9, max_depth=2, children=0.0, subtree=1.0, point=1.0, shrink=1.0, insert=1.0),
)
FIRST, SECOND = (Generational(TYPED.without(names), OPTIONS) for names in (["add"], ["x", "wide", "not"]))


KEY = jax.random.key(0)


def equal(one, other):
    assert all(jax.tree.leaves(jax.tree.map(lambda a, b: bool((a == b).all()), one, other)))


def bred_from(population, scheme):
    """Return what breeds the children of a population, lowered, for the memory of a scheme."""
    fitness = jnp.arange(float(OPTIONS.population)) % 7
    return jax.jit(scheme.breed).lower(KEY, population, Evaluation(fitness, fitness[:, None], {}), scheme.init())


def test_one_program_breeds_with_either_language():
    plain = replace(OPTIONS, mutation=MutationOptions(0.9, max_depth=2))
    population = programs.empty((OPTIONS.population, TYPED.num_trees), OPTIONS.capacity)
    first, second = (bred_from(population, replace(one, options=plain)).as_text() for one in (FIRST, SECOND))
    assert first == second


@pytest.mark.thorough
def test_it_creates_and_breeds_what_a_program_of_the_language_alone_does():
    create = quick(lambda key, allowed: FIRST.limited(allowed).create(key, OPTIONS.population))
    population = create(KEY, SECOND.limits())
    equal(population, quick(lambda key: SECOND.create(key, OPTIONS.population))(KEY))
    fitness = jnp.arange(float(OPTIONS.population)) % 7
    result = Evaluation(fitness, fitness[:, None], {})
    program = bred_from(population, FIRST).compile(compiler_options={"xla_backend_optimization_level": 0})
    children, memory, metrics = program(KEY, population, result, SECOND.init())
    counts = sharing.init(OPTIONS.selection.sharing_memory)  # without a table, so that the set of the scheme counts
    known, _, told = quick(lambda: SECOND.breed(KEY, population, result, counts))()
    equal((children, metrics), (known, told))
    assert (np.asarray(children.opcode) != np.asarray(population.opcode)).any()
    equal(memory, SECOND.init())


@pytest.mark.parametrize("names", [["add"], ["x", "wide", "not"], ["narrow"]])
def test_the_least_sizes_are_those_of_the_set_without_the_primitives(names):
    fewer = TYPED.without(names)
    found = jax.jit(lambda allowed: least_sizes(TYPED.limited(allowed), 4))(fewer.allowed)
    equal(found, least_sizes(fewer, 4))


def test_limits_within_which_no_tree_exists_are_refused_before_anything_is_compiled():
    small = GPOptions(population=4, capacity=3, creation=CreationOptions(max_depth=1))
    with pytest.raises(ValueError, match="no tree of type goal fits depth 1 and 3 nodes"):
        Generational(TYPED.without(["narrow"]), small).limits()
    assert Generational(TYPED, small).limits() is None
