"""Operations on trees of arrays."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp import arrays

TREE = {"a": jnp.arange(6.0).reshape(3, 2), "b": jnp.arange(3)}


def test_items_are_taken_and_chosen_whole():
    turned = arrays.take(TREE, jnp.array([2, 1, 0]))
    assert turned["a"].tolist() == [[4, 5], [2, 3], [0, 1]]
    chosen = arrays.where(jnp.array([True, False, False]), TREE, turned)
    assert chosen["a"].tolist() == [[0, 1], [2, 3], [0, 1]]
    assert chosen["b"].tolist() == [0, 1, 0]
    assert arrays.where(jnp.bool_(False), TREE, turned)["b"].tolist() == [2, 1, 0]


def test_no_number_is_the_worst():
    assert arrays.comparable(jnp.array([jnp.nan, -2.0, jnp.inf])).tolist() == [-np.inf, -2, np.inf]


def test_groups_number_the_different_rows():
    """Equal names give equal rows, which share a word with other rows."""
    names = "abacdaa"
    rows = jnp.asarray([[ord(name), ord(name) % 3] for name in names], jnp.uint32)
    group, order = arrays.groups(rows)
    assert int(group[-1]) + 1 == arrays.count_distinct(rows) == 4
    ordered = [names[i] for i in order.tolist()]
    assert all((group[i] == group[j]) == (ordered[i] == ordered[j]) for i in range(7) for j in range(7))


def test_products_are_rounded_by_themselves(optimized):
    """(1 + 2^-13)^2 is 1 + 2^-12 as float32; with the sum as one operation 2^-26 would be left over."""
    near, less, whole = jnp.full(64, 1 + 2.0**-13), jnp.full(64, -1 - 2.0**-12), jnp.arange(64)
    left = jax.jit(lambda x, less, whole: arrays.product(x, x, whole) + less)(near, less, whole)
    assert left.tolist() == [0.0] * 64
    assert arrays.product(jnp.float32(3), 1.5, jnp.array([0, 7])).tolist() == [4.5, 4.5]


def test_what_is_kept_apart_is_the_same():
    def twice(x, y):
        return x + y, {"product": x * y}

    def both(running):
        return arrays.apart(twice, TREE["a"], TREE["a"]), arrays.apart(twice, TREE["a"], TREE["a"], running=running)

    for total, named in jax.jit(both)(jnp.bool_(True)):
        assert total.tolist() == (2 * TREE["a"]).tolist()
        assert named["product"].tolist() == (TREE["a"] ** 2).tolist()


def test_the_first_of_equal_items_leads_them():
    """Items differ in any leaf, and in any bit of a number."""
    fine = float(np.nextafter(np.float32(2), np.float32(3)))
    pairs = [(1, 2.0), (0, 2.0), (1, 2.0), (1, fine), (0, 2.0), (1, 2.0)]
    tree = {"code": jnp.array([[0, code] for code, _ in pairs], jnp.int8), "value": jnp.array([v for _, v in pairs])}
    leaders = jax.jit(arrays.leaders)
    assert leaders(tree).tolist() == [0, 1, 0, 3, 1, 0]
    assert int(jax.jit(arrays.count_unique)(tree)) == 3
    assert leaders(jnp.arange(3)).tolist() == [0, 1, 2]


@pytest.mark.thorough
def test_a_population_of_different_items_has_no_equal_digests():
    numbers = np.random.default_rng(1).permutation(2**16).astype(np.int32)
    tree = jnp.asarray(np.stack([numbers & 0xFF, numbers >> 8, np.zeros_like(numbers)], 1))
    assert int(jax.jit(arrays.count_unique)(tree)) == 2**16
    words = np.asarray(arrays.digests(tree))
    assert len(np.unique(words[:, 0])) > 2**16 - 10  # each word alone: 0.5 pairs are expected to be equal
    assert len(np.unique(words[:, 1])) > 2**16 - 10


def test_a_sum_of_counts_is_a_whole_number_unless_it_could_exceed_int32():
    """Fifteen counts of at most 2**28 fit in groups of seven; not all are as great as they could be."""
    usual, great = jnp.full((3, 5), 400), jnp.full((3, 5), 2**28 - 1)
    found = jax.jit(lambda *x: (arrays.total(x[0], 400), arrays.total(x[0], 2**28), arrays.total(x[1], 2**28)))
    small, could, does = found(usual, great)
    assert (small.dtype, could.dtype, does.dtype) == (jnp.int32, jnp.float32, jnp.float32)
    assert (int(small), int(could)) == (6000, 6000)
    assert float(does) == pytest.approx(15 * (2**28 - 1), rel=1e-6)
    assert [arrays.counter(most) for most in (2**31 - 1, 2**31)] == [jnp.int32, jnp.float32]
