"""Fitness of instances of a puzzle: how many nodes a search needs to solve them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.contracts import Genomes
from jaxgp.fitness.evaluation import Absolute, Evaluation
from jaxgp.search.deepening import Solutions


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
