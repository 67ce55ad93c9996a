"""Evolution by mutation alone, of genomes of any kind: each child is a changed copy of a parent.

It suits instances of a puzzle that are to become hard, such as boards, deals or levels: a game brings the first ones
and a function that changes one, and `jaxgp.fitness.difficulty` measures them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import count_distinct, take
from jaxgp.contracts import Genomes, Metrics
from jaxgp.fitness.evaluation import Evaluation, child
from jaxgp.operators import selection

BREED = 1
"""The child of a generation's key that selection and mutation take."""


@dataclass(frozen=True)
class Mutants:
    """Generational replacement: tournaments choose the parents of all but the elites, and every child is mutated.

    Attributes:
        population: P.
        elites: how many of the best survive unchanged.
        tournament: individuals drawn with replacement for a parent; the best of them is it.
        first: (key, count) -> genomes [count, ...] of the first generation.
        mutate: (key, genome) -> the changed genome, and bool[]: whether a change was possible.
    """

    population: int
    elites: int
    tournament: int
    first: Callable[[Array, int], Genomes]
    mutate: Callable[[Array, Any], tuple[Any, Array]]

    def init(self) -> tuple[()]:
        """Return the memory, which is empty."""
        return ()

    def create(self, key: Array, count: int) -> Genomes:
        """Return the first individuals [count, ...]."""
        return self.first(key, count)

    def breed(
        self, key: Array, population: Genomes, result: Evaluation, memory: tuple[()]
    ) -> tuple[Genomes, tuple[()], Metrics]:
        """Return the next population [P, ...]: the elites, the best first, and then the children."""
        draw_key, mutate_key = jax.random.split(child(key, BREED))
        count = self.population - self.elites
        kept = selection.elites(result.fitness, self.elites)
        parents = selection.tournament(draw_key, result.fitness, self.tournament, count)
        children, done = jax.vmap(self.mutate)(jax.random.split(mutate_key, count), take(population, parents))
        following = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), take(population, kept), children)
        return following, memory, {"impossible_mutations": (~done).sum(dtype=jnp.int32)}

    def describe(self, population: Genomes, best: Array) -> Metrics:
        """Return how many genomes are distinct."""
        del best
        words = [
            jax.lax.bitcast_convert_type(x, jnp.uint32) if x.dtype.itemsize == 4 else x.astype(jnp.uint32)
            for x in jax.tree.leaves(population)
        ]
        return {"unique": count_distinct(jnp.concatenate([x.reshape(len(x), -1) for x in words], 1))}
