"""Evolution by mutation alone, and the difficulty of instances as its fitness, with numbers as genomes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.evolution.instances import Difficulty, Mutants
from jaxgp.evolution.ring import Ring
from jaxgp.search.puzzles.solutions import Solutions

P = 12


def first(key, count):
    del key
    return jnp.arange(count, dtype=jnp.int32)


def larger(key, genome):
    """Add one, except to multiples of five."""
    del key
    possible = genome % 5 != 0
    return genome + possible, possible


def solve(genomes, limits):
    """Instance n takes n nodes; one above its limit is not solved; odd ones have no solution."""
    odd, zeros = genomes % 2 == 1, jnp.zeros(len(genomes), jnp.int32)
    solved = ~odd & (genomes < limits)
    return Solutions(
        solved, jnp.minimum(genomes, limits), zeros, zeros[:, None].astype(jnp.int16), odd, jnp.int32(0), zeros
    )


def difficulty(**options):
    return Difficulty(solve, P, **{"limit": 8, "most": 20, **options})


def test_the_fitness_is_the_nodes_of_what_is_solved_within_the_limit():
    fitness = difficulty()
    result, memory = jax.jit(fitness.evaluate)(jax.random.key(0), np.arange(P), fitness.init(jax.random.key(0)))
    assert result.fitness.tolist() == memory.nodes.tolist() == [0, 0, 2, 0, 4, 0, 6, 0, 0, 0, 0, 0]
    assert {name: float(value) for name, value in result.metrics.items()} == {
        "evaluations": 12,
        "limit": 8,
        "solved": 4,
        "unsolvable": 6,
        "nodes": sum(range(9)) + 3 * 8,
    }


def test_the_limit_doubles_up_to_the_most_once_half_of_it_is_reached():
    fitness, limits = difficulty(), []
    memory = fitness.init(jax.random.key(0))
    for hardest in (2, 4, 6, 14, 18):
        _, memory = fitness.evaluate(jax.random.key(0), jnp.full(P, hardest), memory)
        limits.append(int(memory.limit))
    assert limits == [8, 16, 16, 20, 20]
    assert int(difficulty(limit=50).init(jax.random.key(0)).limit) == 20


def test_elites_stay_and_the_others_are_mutants_of_the_winners():
    scheme = Mutants(P, 2, P, first, larger)

    @jax.jit
    def bred(genomes):
        result, _ = difficulty(limit=100, most=100).evaluate(jax.random.key(0), genomes, difficulty().init(None))
        return scheme.breed(jax.random.key(1), genomes, result, scheme.init())

    following, memory, metrics = jax.device_get(bred(np.arange(P)))
    assert memory == ()
    assert following[:2].tolist() == [6, 4]  # the limit of the first generation is 8
    assert set(following[2:].tolist()) <= {3, 5, 7}  # of 12 drawn numbers the best one, plus one
    assert int(metrics["impossible_mutations"]) == 0
    assert int(jax.jit(scheme.describe)(following, np.int32(0))["unique"]) == len(set(following.tolist()))


@pytest.mark.thorough
def test_what_cannot_be_mutated_is_counted_and_stays():
    scheme = Mutants(4, 0, 1, first, larger)
    population = jnp.full(4, 10)
    result, _ = Difficulty(solve, 4, 8, 8).evaluate(
        jax.random.key(0), population, Difficulty(solve, 4, 8, 8).init(None)
    )
    following, _, metrics = scheme.breed(jax.random.key(1), population, result, ())
    assert following.tolist() == [10] * 4
    assert int(metrics["impossible_mutations"]) == 4


@pytest.mark.few(1)
@pytest.mark.parametrize("dtype", [jnp.int8, jnp.int32, jnp.float32])
def test_distinct_genomes_are_counted_for_every_kind_of_number(dtype):
    genomes = {"a": np.array([[1, 2], [1, 2], [1, 3]], dtype), "b": np.array([0, 0, 0], dtype)}
    assert int(jax.jit(Mutants(3, 0, 1, first, larger).describe)(genomes, np.int32(0))["unique"]) == 2


def test_a_ring_of_both_finds_harder_instances_and_its_champion_is_the_hardest():
    ring = Ring(difficulty(limit=4, most=64), Mutants(P, 1, 3, first, lambda key, n: (n + 2, jnp.bool_(True))))
    step, state, seen = jax.jit(ring.step), ring.init(jax.random.key(0)), []
    for _ in range(8):
        state, metrics = step(state)
        seen.append(int(metrics["best_fitness"]))
    assert seen == sorted(seen)
    assert seen[-1] > 10
    assert int(state.champion.genome) == int(state.champion.fitness) == max(seen)
    assert int(np.asarray(state.memory.nodes).max()) == seen[-1]
