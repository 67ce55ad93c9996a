import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.genotypes.primitives import Floats, Primitive, PrimitiveSet
from jaxgp.operators import draw
from tests.operators.operator_cases import TYPED, assert_distribution

N = 120_000
WORDS = np.random.default_rng(0).integers(0, 2**32, N, np.uint32)


def test_below_is_the_high_half_of_the_product():
    for n in (1, 2, 3, 1000, 40_001, 65_536, 10**9, 2**31 - 1):
        got = np.asarray(draw.below(WORDS, n))
        np.testing.assert_array_equal(got, WORDS.astype(np.uint64) * n >> 32)
    assert draw.below(np.uint32(2**32 - 1), 65_536) == 65_535


def test_uniform_takes_every_true_entry_equally_and_no_other():
    mask = np.array([0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0], bool)
    got = jax.vmap(lambda word: draw.uniform(word, mask))(WORDS)
    assert_distribution(np.bincount(got, minlength=11), mask)
    assert draw.uniform(WORDS[0], np.zeros(5, bool)) == 4


def test_weighted_follows_the_weights_and_never_takes_zero():
    weights = np.array([0, 3, 0, 1, 2**19, 2**19, 0], np.int32)
    got = np.asarray(jax.vmap(lambda word: draw.weighted(word, weights))(WORDS))
    assert not np.isin(got, [0, 2, 6]).any()
    coarse = np.array([0, 5, 0, 1, 2, 0], np.int32)
    got = jax.vmap(lambda word: draw.weighted(word, coarse))(WORDS)
    assert_distribution(np.bincount(got, minlength=6), coarse)
    top = np.uint32(2**32 - 1)
    assert draw.weighted(top, weights) == 5
    assert draw.weighted(top, jnp.array([1, 0])) == 0


def test_candidates_without_weight_are_drawn_uniformly_when_nothing_else_fits():
    class Weightless:
        weight = np.array([1.0, 0.0, 0.0, 2.0], np.float32)

    def opcode(candidates):
        got = jax.vmap(lambda word: draw.primitive(word, Weightless, np.array(candidates, bool)))(WORDS)
        return np.bincount(got, minlength=4)

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


def test_real_values_never_leave_their_domain():
    domain = Floats(-0.1, 0.7)  # float32 rounds -0.1 and 0.7 outwards or inwards
    for word in (0, 2**31, 2**32 - 1):
        for bounds in (domain, Floats(0.1, 0.3), Floats(-3, 3), Floats(1e-3, 1e8)):
            primitives = PrimitiveSet("one", (Primitive("c", domain=bounds),), ())
            assert float(draw.value(np.uint32(word), primitives, jnp.int32(0))) in bounds
