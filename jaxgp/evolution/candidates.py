"""The best few individuals of a run, or its last generation, which play again on new games that name the champion.

A measurement by games with chance in them flatters the individual that it ranks first. The more individuals it ranks,
the more it does. So the best of the measured ones are kept, and the champion is the best in games that had no part in
choosing them.
"""

from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.contracts import Genomes
from jaxgp.evolution.state import BestSoFar


@struct.dataclass
class Candidates:
    """K individuals, in no order; an empty place has the generation -1."""

    individuals: BestSoFar  # [K, ...]: as they were measured in their generations
    final: Array  # float32[K]: their fitness in the new games; NaN before these were played

    @property
    def settled(self) -> Array:
        """bool[]: whether the new games were played."""
        return ~jnp.isnan(self.final).all()


def nobody(one: BestSoFar, count: int) -> Candidates:
    """Return `count` empty places; `one` is a champion of generation -1."""
    many = jax.tree.map(lambda x: jnp.broadcast_to(x, (count, *jnp.shape(x))), one)
    return Candidates(many, jnp.full(count, jnp.nan, jnp.float32))


def enter(candidates: Candidates, challenger: BestSoFar) -> Candidates:
    """Put an individual in the place of the worst candidate, if it is better and not yet among them.

    Games that were played before do not count any more: with a new candidate, new games name the champion.
    """
    kept = candidates.individuals
    worst = jnp.argmin(kept.fitness)
    same = jax.tree.map(lambda x, y: (x == y).reshape(len(x), -1).all(1), kept.genome, challenger.genome)
    known = (jnp.stack(jax.tree.leaves(same)).all(0) & (kept.generation >= 0)).any()
    enters = ~known & (challenger.fitness > kept.fitness[worst])
    put = lambda old, new: jnp.where(enters, old.at[worst].set(new), old)  # noqa: E731
    return Candidates(jax.tree.map(put, kept, challenger), jnp.full_like(candidates.final, jnp.nan))


def generation(population: Genomes, fitness: Array, best: BestSoFar) -> Candidates:
    """Return all individuals of a generation, [P, ...], as candidates.

    Args:
        population: the individuals.
        fitness: float32[P], as they were measured.
        best: one of them, which says what generation it is.
    """
    count = len(fitness)
    points = jnp.zeros((count, *best.points.shape), best.points.dtype)  # those of the new games take their place
    individuals = BestSoFar(population, fitness, points, jnp.full(count, best.generation))
    return Candidates(individuals, jnp.full(count, jnp.nan, jnp.float32))


def settle(candidates: Candidates, fitness: Array, points: Array) -> tuple[Candidates, BestSoFar]:
    """Name the champion.

    Args:
        candidates: at least one of them is not empty.
        fitness: float32[K], of the new games.
        points: float32[K, S], of the new games.

    Returns:
        The candidates with their final fitness, NaN in empty places; and the best of them, of equals the earliest.
    """
    there = candidates.individuals.generation >= 0
    final = jnp.where(there, fitness, jnp.nan)
    order = jnp.lexsort((candidates.individuals.generation, jnp.where(there, -fitness, jnp.inf)))
    best: Any = jax.tree.map(lambda x: x[order[0]], candidates.individuals)
    return Candidates(candidates.individuals, final), best.replace(fitness=fitness[order[0]], points=points[order[0]])
