import itertools
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from jaxgp.genotypes.primitives import Floats, Integers, Levels, Primitive, PrimitiveSet, rectangle
from jaxgp.operators import draw
from tests.operators.operator_cases import TYPED, assert_distribution

N = 30_000
WORDS = np.random.default_rng(0).integers(0, 2**32, N, np.uint32)


def test_below_is_the_high_half_of_the_product():
    for n in (1, 2, 3, 1000, 40_001, 65_536, 10**9, 2**31 - 1):
        got = np.asarray(draw.below(WORDS, n))
        np.testing.assert_array_equal(got, WORDS.astype(np.uint64) * n >> 32)
    assert draw.below(np.uint32(2**32 - 1), 65_536) == 65_535


def test_uniform_takes_every_true_entry_equally_and_no_other():
    mask = np.array([0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0], bool)
    got = jax.jit(jax.vmap(lambda word: draw.uniform(word, mask)))(WORDS)
    assert_distribution(np.bincount(got, minlength=11), mask)
    assert draw.uniform(WORDS[0], np.zeros(5, bool)) == 4


@pytest.mark.few(1)
@pytest.mark.parametrize(("count", "n"), [(3, 5), (4, 4), (1, 7)])
def test_distinct_numbers_come_in_all_orders_equally_often(count, n):
    words = np.random.default_rng(1).integers(0, 2**32, (N, count), np.uint32)
    got = np.asarray(jax.jit(jax.vmap(lambda some: draw.distinct(some, n)))(words))
    orders = list(itertools.permutations(range(n), count))
    met = Counter(map(tuple, got.tolist()))
    assert set(met) <= set(orders), "no number twice"
    assert_distribution([met[order] for order in orders], [1] * len(orders))


def test_weighted_follows_the_weights_and_never_takes_zero():
    weights = np.array([0, 3, 0, 1, 2**19, 2**19, 0], np.int32)
    weighted = jax.jit(jax.vmap(draw.weighted, (0, None)))
    got = np.asarray(weighted(WORDS, weights))
    assert not np.isin(got, [0, 2, 6]).any()
    coarse = np.array([0, 5, 0, 1, 2, 0], np.int32)
    got = weighted(WORDS, coarse)
    assert_distribution(np.bincount(got, minlength=6), coarse)
    top = np.uint32(2**32 - 1)
    alone = jax.jit(draw.weighted)
    assert alone(top, weights) == 5
    assert alone(top, np.array([1, 0], np.int32)) == 0


def test_candidates_without_weight_are_drawn_uniformly_when_nothing_else_fits():
    class Weightless:
        weight = np.array([1.0, 0.0, 0.0, 2.0], np.float32)

    drawn = jax.jit(jax.vmap(lambda word, candidates: draw.primitive(word, Weightless, candidates), (0, None)))

    def opcode(candidates):
        return np.bincount(drawn(WORDS, np.array(candidates, bool)), minlength=4)

    assert_distribution(opcode([0, 1, 1, 0]), [0, 1, 1, 0])
    assert_distribution(opcode([1, 1, 1, 1]), [1, 0, 0, 2])


def test_values_come_from_the_domain_of_the_primitive():
    codes = jnp.arange(N) % len(TYPED.primitives)
    got = np.asarray(jax.jit(jax.vmap(lambda word, code: draw.value(word, TYPED, code)))(WORDS, codes))
    for code, p in enumerate(TYPED.primitives):
        values = set(got[code :: len(TYPED.primitives)].tolist())
        if p.domain is None:
            assert values == {0.0}
        elif p.name == "half":
            assert 0 <= min(values) < 0.001
            assert 0.499 < max(values) <= 0.5
        else:
            assert values == set(range(p.domain.low, p.domain.high + 1))


def neighbours(domain, value):
    primitives = PrimitiveSet("one", (Primitive("c", domain=domain), Primitive("x", feature=0)), ())
    move = jax.jit(jax.vmap(lambda word: draw.near(word, primitives, jnp.int32(0), jnp.float32(value))))
    return np.asarray(move(WORDS))


@pytest.mark.parametrize(
    ("value", "near"),
    [
        ([5, 7], [[4, 6], [5, 6], [6, 6], [4, 7], [6, 7], [4, 8], [5, 8], [6, 8]]),
        ([3, 6], [[4, 6], [3, 7], [4, 7]]),
        ([6, 9], [[5, 8], [6, 8], [5, 9]]),
    ],
)
def test_a_point_moves_to_each_point_around_it_alike_and_not_out_of_the_rectangle(value, near):
    area = rectangle(3, 6, 4, 4)
    found, counts = np.unique(neighbours(area, area.number(*value)), return_counts=True)
    assert [list(area.point(number)) for number in found] == near
    assert_distribution(counts, np.ones(len(near)))


def test_a_whole_number_moves_by_one_and_stays_where_it_is_alone():
    found, counts = np.unique(neighbours(Integers(2, 4), 3), return_counts=True)
    assert found.tolist() == [2, 4]
    assert_distribution(counts, [1, 1])
    assert set(neighbours(Integers(2, 4), 4)) == {3}
    assert set(neighbours(Integers(7, 7), 7)) == {7}


@pytest.mark.thorough
def test_levels_are_drawn_alike_and_move_to_the_next_ones():
    levels = PrimitiveSet("levels", (Primitive("ERC", domain=Levels((-2.0, 0.5, 8.0))),), ())
    drawn = np.asarray(jax.vmap(lambda word: draw.value(word, levels, jnp.int32(0)))(WORDS))
    assert_distribution(np.unique(drawn, return_counts=True)[1], [1, 1, 1])
    for value, beside in ((-2.0, {0.5}), (0.5, {-2.0, 8.0}), (8.0, {0.5})):
        moved = jax.vmap(lambda word, value=value: draw.near(word, levels, jnp.int32(0), jnp.float32(value)))(WORDS)
        assert set(np.asarray(moved).tolist()) == beside


def test_a_real_number_moves_by_a_normal_step_within_its_domain():
    moved = neighbours(Floats(-10, 10), 1.0)
    assert stats.kstest((moved - 1) / 2, "norm").pvalue > 0.01
    assert moved.min() >= -10
    assert neighbours(Floats(0.0, 0.5), 0.5).max() == 0.5


def test_real_values_never_leave_their_domain():
    domain = Floats(-0.1, 0.7)  # float32 rounds -0.1 and 0.7 outwards or inwards
    for word in (0, 2**31, 2**32 - 1):
        for bounds in (domain, Floats(0.1, 0.3), Floats(-3, 3), Floats(1e-3, 1e8)):
            primitives = PrimitiveSet("one", (Primitive("c", domain=bounds),), ())
            assert float(draw.value(np.uint32(word), primitives, jnp.int32(0))) in bounds
