"""Tournaments of disjoint groups: membership, winners, ties."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxgp.operators import tournament_groups as groups
from tests.operators.operator_cases import assert_distribution, quick

winners = quick(groups.winners)


@pytest.mark.few(1)
@pytest.mark.parametrize(("population", "size"), [(1000, 5), (12, 12), (7, 1), (6, 2)])
def test_everybody_is_in_one_group(population, size):
    made = groups.split(jax.random.key(1), population, size)
    assert made.shape == (population // size, size)
    assert made.dtype == jnp.int32
    assert sorted(made.ravel().tolist()) == list(range(population))


@pytest.mark.parametrize(
    ("population", "size", "says"),
    [
        (1000, 7, "groups of 7 do not divide a population of 1000; sizes that do: 1, 2, 4, 5, 8, 10"),
        (6, 0, "sizes that do: 1, 2, 3, 6"),
        (6, 12, "sizes that do: 1, 2, 3, 6"),
    ],
)
def test_unequal_groups_are_refused(population, size, says):
    with pytest.raises(ValueError, match=says):
        groups.split(jax.random.key(0), population, size)


def test_every_division_is_equally_likely():
    made = quick(jax.vmap(lambda key: groups.split(key, 6, 2)))(jax.random.split(jax.random.key(2), 30_000))
    # Who is with whom: 15 divisions of six into three pairs; and in which group each one is.
    divisions = {}
    for order in itertools.permutations(range(6)):
        pairs = np.reshape(order, (3, 2))
        divisions.setdefault(frozenset(map(frozenset, pairs.tolist())), []).append(order)
    number = np.zeros(6**6, int)
    for index, orders in enumerate(divisions.values()):
        number[np.array(orders) @ 6 ** np.arange(6)] = index
    flat = np.asarray(made).reshape(-1, 6)
    assert len(divisions) == 15
    assert_distribution(np.bincount(number[flat @ 6 ** np.arange(6)], minlength=15), np.ones(15))
    assert_distribution(np.bincount(flat.argmin(1), minlength=6), np.ones(6))


def test_most_points_then_fewest_rules():
    made = jnp.array([[0, 1, 2], [3, 4, 5], [8, 7, 6]])
    points = jnp.array([1.0, 3, 2, 4, 4, 1, jnp.nan, -jnp.inf, -3])
    sizes = jnp.array([1, 9, 1, 7, 6, 1, 0, 1, 50])
    assert winners(jax.random.key(0), points, sizes, made).tolist() == [1, 4, 8]


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(0, 2**31 - 1))
def test_winners_are_best_in_their_group(seed):
    rng = np.random.default_rng(seed)
    points, sizes = rng.integers(0, 4, 20).astype(np.float32), rng.integers(0, 3, 20)
    made = rng.permutation(20).reshape(-1, 5)
    won = winners(jax.random.key(seed + 1), points, sizes, made)
    for winner, group in zip(won.tolist(), made.tolist(), strict=True):
        assert winner in group
        assert (points[winner], -sizes[winner]) == max((points[i], -sizes[i]) for i in group)


@pytest.mark.few(1)
@pytest.mark.parametrize("value", [3.0, float("nan")])
def test_ties_are_drawn_uniformly(value):
    points = jnp.array([value, value, 0.0 if value == 3 else value, value, value])
    sizes = jnp.array([5, 5, 6, 7, 5])
    made = jnp.tile(jnp.array([4, 2, 0, 3, 1]), (30_000, 1))
    won = winners(jax.random.key(3), points, sizes, made)
    assert_distribution(np.bincount(won, minlength=5), [1, 1, 0, 0, 1])
