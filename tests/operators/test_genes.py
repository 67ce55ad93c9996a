"""Genetic algorithms: individuals of several trees, each of which is a gene."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.errors import UsageError
from jaxgp.evolution.options import GPOptions
from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs, empty
from jaxgp.operators.creation import create
from jaxgp.operators.crossover import one_child, two_children
from jaxgp.operators.mutation import mutate
from jaxgp.operators.options import CreationOptions, CrossoverOptions, MutationOptions
from jaxgp.operators.trees import one_point
from jaxgp.operators.variation import breed
from jaxgp.options import check
from tests.operators.operator_cases import assert_distribution, assert_valid, copied, lane, quick, same

DRAWS, GENES = 30_000, 5
NUMBERS = PrimitiveSet("numbers", (Primitive("number", domain=Floats(0.0, 1.0)),), (), (FLOAT,) * GENES)
DIGITS = PrimitiveSet("digits", (Primitive("digit", domain=Integers(0, 9)),), (), (FLOAT,) * GENES)
MIXED = PrimitiveSet(
    "mixed",
    (Primitive("number", domain=Floats(0.0, 1.0)), Primitive("flag", BOOL, feature=0)),
    (Primitive("not", BOOL, (BOOL,), call=jnp.logical_not),),
    (BOOL, FLOAT),
)
ONE_POINT = CrossoverOptions(subtree=0.0, one_point=1.0)
REDRAWN = GPOptions(mutation=MutationOptions(1.0, children=0.0, genes=1.0, max_depth=2))


def vector(*numbers):
    """An individual of single constants."""
    value = np.array(numbers, np.float32)[:, None]
    ones = np.ones_like(value)
    fields = np.zeros_like(ones, np.int16), value, ones.astype(np.int16), np.ones(len(numbers), np.int32)
    return jax.tree.map(jnp.asarray, Programs(*fields))


def keys(seed):
    return jax.random.split(jax.random.key(seed), DRAWS)


FIRST, SECOND = vector(0, 1, 2, 3, 4), vector(10, 11, 12, 13, 14)


def test_trees_from_a_place_on_are_exchanged_and_all_places_are_equally_likely():
    one, other = quick(jax.vmap(lambda key: one_point(key, NUMBERS, FIRST, SECOND)))(keys(1))
    mine, yours = np.asarray(one.value)[..., 0], np.asarray(other.value)[..., 0]
    cut = (mine < 10).sum(1)
    assert (mine == np.where(np.arange(GENES) < cut[:, None], [0, 1, 2, 3, 4], [10, 11, 12, 13, 14])).all()
    assert (yours == np.where(np.arange(GENES) < cut[:, None], [10, 11, 12, 13, 14], [0, 1, 2, 3, 4])).all()
    assert_distribution(np.bincount(cut, minlength=GENES + 1), [0, 1, 1, 1, 1, 0])


@pytest.mark.thorough
def test_kinds_of_crossover_are_drawn_by_weight():
    mixed = CrossoverOptions(subtree=1.0, one_point=3.0)
    one, _ = quick(jax.vmap(lambda key: one_child(key, NUMBERS, mixed, 3, FIRST, SECOND)))(keys(2))
    value = np.asarray(one.value)[..., 0]
    changed = (value >= 10).sum(1)
    # One exchanged gene is a subtree, or the last gene behind a cut: 1/4 and 3/4 * 1/4. The other cuts take more.
    assert_distribution(np.bincount(changed, minlength=GENES + 1), [0, 7 / 16, 3 / 16, 3 / 16, 3 / 16, 0])


def test_both_children_are_those_of_one_cut():
    made = quick(lambda key: two_children(key, NUMBERS, ONE_POINT, 3, FIRST, SECOND))(jax.random.key(3))
    one, other, *rejected = made
    assert (np.asarray(one.value) + np.asarray(other.value) == np.asarray(FIRST.value) + np.asarray(SECOND.value)).all()
    assert not any(map(bool, rejected))


def genes_after(probability):
    """The genes of copies of one individual, all 20, after mutation."""
    algorithm = GPOptions(mutation=MutationOptions(1.0, children=0.0, genes=1.0, gene_probability=probability))
    step = quick(lambda key, those: mutate(key, DIGITS, algorithm, those, jnp.ones(DRAWS, jnp.bool_)))
    made = step(jax.random.key(4), copied(vector(20, 20, 20, 20, 20), DRAWS))
    return np.asarray(made.value)[..., 0].astype(int)


@pytest.mark.thorough
def test_each_gene_is_redrawn_independently_and_uniformly():
    genes = genes_after(0.3)
    fresh = genes != 20
    assert_distribution(np.bincount(genes[fresh], minlength=10), np.ones(10))
    # 2 ** 5 patterns of genes that changed, each as likely as independent coins say.
    patterns = np.bincount(fresh @ 2 ** np.arange(GENES), minlength=2**GENES)
    count = np.array([bin(pattern).count("1") for pattern in range(2**GENES)])
    assert_distribution(patterns, 0.3**count * 0.7 ** (GENES - count))


@pytest.mark.thorough
def test_all_genes_or_none_are_redrawn_at_the_ends_of_the_probability():
    assert (genes_after(1.0) < 10).all()
    assert (genes_after(0.0) == 20).all()


def test_new_trees_of_any_type_are_valid_and_others_stay():
    population = quick(lambda key: create(key, MIXED, CreationOptions(max_depth=2), 64, 7))(jax.random.key(5))
    chosen = np.arange(64) % 2 == 0
    made = quick(lambda key, those: mutate(key, MIXED, REDRAWN, those, chosen))(jax.random.key(6), population)
    assert_valid(MIXED, made, 2)
    assert same(lane(made, ~chosen), lane(population, ~chosen))
    assert not same(lane(made, chosen), lane(population, chosen))


def test_one_point_crossover_is_refused_for_a_single_tree():
    alone = PrimitiveSet("alone", NUMBERS.terminals, ())
    population, options = empty((4, 1), 1), GPOptions(crossover=ONE_POINT)
    with pytest.raises(ValueError, match=r"one_point=1: accepted: 0, for individuals of one tree"):
        jax.eval_shape(lambda key: breed(key, alone, options, population, jnp.ones(4)), jax.random.key(0))
    with pytest.raises(UsageError, match=r"accepted: 0, or a weight above 0 for subtree, rule or one_point"):
        check(CrossoverOptions(subtree=0.0))
