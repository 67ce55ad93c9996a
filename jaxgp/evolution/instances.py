"""Evolution of instances of a puzzle, such as boards, deals or levels, towards those that a search finds hard.

`Difficulty` measures how many nodes the search needs. `Mutants` breeds by mutation alone: a game brings the first
genomes and a function that changes one. Genomes may be trees of arrays of any kind.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.arrays import count_distinct, take
from jaxgp.contracts import Genomes, Metrics
from jaxgp.evolution.generational import BREED
from jaxgp.fitness.evaluation import Absolute, Evaluation, child
from jaxgp.operators import selection
from jaxgp.search.puzzles.solutions import Solutions


@struct.dataclass
class Effort:
    """What is carried from one generation to the next."""

    limit: Array  # int32[]: nodes that each instance of the waiting generation may take
    nodes: Array  # int32[P]: nodes that each instance of the last generation took; 0: not solved within its limit


@dataclass(frozen=True, eq=False)
class Difficulty(Absolute[Effort]):
    """The nodes of the search that solves an instance; 0 if it is not solved within the limit of nodes.

    So an instance without a solution is worth nothing. A generation whose hardest instance takes half of the limit or
    more doubles the limit of the next one, up to `most`.

    Attributes:
        solve: (instances [P, ...], int32[P] limits of nodes) -> Solutions.
        population: P.
        limit: of nodes, for the first generation.
        most: the greatest limit, below 2**30.
    """

    solve: Callable[[Genomes, Array], Solutions]
    population: int
    limit: int
    most: int

    seats: ClassVar[int] = 1

    def init(self, key: Array) -> Effort:
        """Return the first limit, and no nodes."""
        del key
        return Effort(jnp.int32(min(self.limit, self.most)), jnp.zeros(self.population, jnp.int32))

    def evaluate(self, key: Array, population: Genomes, memory: Effort) -> tuple[Evaluation, Effort]:
        """Search for solutions of a population [P, ...]. Nothing is drawn from the key."""
        del key
        found = self.solve(population, jnp.full(len(memory.nodes), memory.limit))
        nodes = jnp.where(found.solved, found.nodes, 0)
        limit = jnp.where(2 * nodes.max() >= memory.limit, jnp.minimum(2 * memory.limit, self.most), memory.limit)
        fitness = nodes.astype(jnp.float32)
        metrics = {
            "evaluations": jnp.int32(len(nodes)),
            "limit": memory.limit,
            "solved": found.solved.sum(dtype=jnp.int32),
            "unsolvable": found.exhausted.sum(dtype=jnp.int32),
            "nodes": found.nodes.astype(jnp.float32).sum(),
        }
        return Evaluation(fitness, fitness[:, None], metrics), Effort(limit, nodes)


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

    @property
    def kept(self) -> int:
        """The elites, which come first in the next population."""
        return self.elites

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
