"""Fitness in a game for one: the score of the game that a genome plays, and a price on its size."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import count_distinct
from jaxgp.contracts import Soloist
from jaxgp.fitness.evaluation import Absolute, Evaluation, child, worth
from jaxgp.genotypes.language import Genome, sizes

PLAY = 0
"""The child of a generation's key that games are played with."""


@dataclass(frozen=True, eq=False)
class SoloFitness(Absolute[tuple[()]]):
    """fitness = max(minimum, scale * points - parsimony * size).

    There are no opponents that learn, so nothing is carried from generation to generation.

    Attributes:
        soloist: plays the game of each individual.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
    """

    soloist: Soloist
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None

    seats: ClassVar[int] = 1

    def init(self, key: Array) -> tuple[()]:
        """Return the memory, which is empty."""
        del key
        return ()

    def evaluate(self, key: Array, population: Genome, memory: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Measure a population [P, ...]."""
        played = self.soloist.perform(child(key, PLAY), self.soloist.prepare(population))
        size = sizes(population).astype(jnp.float32)
        fitness = worth(played.points, size, self.scale, self.parsimony, self.minimum)
        metrics = {
            "evaluations": jnp.int32(len(fitness)),
            "unique_behaviours": count_distinct(played.behaviour),
            **played.metrics,
        }
        return Evaluation(fitness, played.points[:, None], metrics, behaviour=played.behaviour), memory
