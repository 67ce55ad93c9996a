"""Fitness sharing: niches of equal behaviour, now and over time."""

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.operators import sharing

count, share = (jax.jit(function, static_argnums=at) for function, at in ((sharing.count, 2), (sharing.share, (2, 3))))


def behaviours(*names):
    """One row of two words for each name; equal names give equal rows that share a word with other rows."""
    return jnp.asarray([[ord(name), ord(name) % 3] for name in names], jnp.uint32)


@pytest.mark.thorough
def test_equal_rows_are_counted_and_rows_that_share_one_word_are_not():
    assert sharing.count_equal(behaviours(*"abacdaa")).tolist() == [4, 1, 4, 1, 1, 4, 4]
    assert sharing.count_equal(behaviours("a")).tolist() == [1]


def test_without_a_memory_only_the_present_generation_counts():
    visits = sharing.init(0.0)
    for generation in ("aab", "abb", "ccc"):
        visits, counts = count(visits, behaviours(*generation), 0.0)
        assert counts.tolist() == [generation.count(name) for name in generation]
    assert visits.shape == (2, 1)


@pytest.mark.few(1)
@pytest.mark.parametrize("memory", [0.5, 0.99, 1.0])
def test_with_a_memory_earlier_generations_count_less_and_less(memory):
    rng, visits, expected = np.random.default_rng(0), sharing.init(memory), Counter()
    for _ in range(20):
        generation = rng.integers(0, 3_000, 512)
        # Two hashes of the move sequence, as the games give them.
        rows = jnp.asarray(np.stack([generation * 2654435761, generation * 40503 + 7], 1) % 2**32, jnp.uint32)
        visits, counts = count(visits, rows, memory)
        expected = Counter({name: past * memory for name, past in expected.items()})
        expected.update(generation.tolist())
        wanted = np.array([expected[name] for name in generation.tolist()])
        # Some 3,000 behaviours in two rows of 131,072: about one in 2,000 meets another in both rows.
        assert (np.abs(counts / wanted - 1) < 1e-5).mean() > 0.99
        assert (counts > wanted * (1 - 1e-5)).all()


def test_a_sketch_never_counts_too_little_for_one_behaviour_a_generation(monkeypatch):
    monkeypatch.setattr(sharing, "COUNTERS", 8)
    visits, expected = sharing.init(1.0), Counter()
    for generation in np.random.default_rng(1).integers(0, 100, 200).tolist():
        rows = jnp.asarray([[generation, generation + 5]], jnp.uint32)
        visits, counts = count(visits, rows, 1.0)
        expected[generation] += 1
        assert counts[0] >= expected[generation]


def test_fitness_is_sharpened_and_then_shared():
    fitness, counts = jnp.array([4.0, 2.0, 1.0, 0.0]), jnp.array([1.0, 2.0, 4.0, 1.0])
    assert share(fitness, counts, 1.0, 0.0).tolist() == fitness.tolist()
    np.testing.assert_allclose(share(fitness, counts, 1.0, 1.0), [1, 1 / 4, 1 / 16, 0])
    np.testing.assert_allclose(share(fitness, counts, 2.0, 0.5), [1, 1 / 4 / 2**0.5, 1 / 16 / 2, 0])


def test_company_never_helps_what_is_negative_and_the_power_keeps_the_order():
    shared = share(jnp.array([-2.0, -2.0, -1.0, 1.0, jnp.nan]), jnp.array([1.0, 3.0, 1.0, 1.0, 1.0]), 2.0, 1.0)
    assert shared[1] < shared[0] < shared[2] < shared[3]
    assert jnp.isnan(shared[4])


def test_large_fitness_does_not_overflow_and_no_fitness_at_all_stays_zero():
    assert jnp.isfinite(share(jnp.array([1e30, 1e29]), jnp.ones(2), 4.0, 1.0)).all()
    assert share(jnp.zeros(3), jnp.ones(3), 4.0, 1.0).tolist() == [0, 0, 0]
