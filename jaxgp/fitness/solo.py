"""Fitness in a game for one: the score of the game that a genome plays, and a price on its size."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import count_distinct
from jaxgp.contracts import Soloist
from jaxgp.errors import reject
from jaxgp.fitness.evaluation import MEASURE, Evaluation, Memoryless, check_worth, child, worth
from jaxgp.genotypes.language import Genome, Language, language_of, sizes
from jaxgp.printable import brief


@dataclass(frozen=True, eq=False)
class SoloFitness(Memoryless):
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

    __repr__ = brief

    def __post_init__(self) -> None:
        if not hasattr(self.soloist, "perform"):
            reject("soloist", type(self.soloist).__name__, "an actor that plays alone, such as that of a cast")
        check_worth(self.scale, self.parsimony, self.minimum)

    @property
    def language(self) -> Language | None:
        """What the soloist's individuals are written in."""
        return language_of(self.soloist)

    def evaluate(self, key: Array, population: Genome, memory: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Measure a population [P, ...]."""
        played = self.soloist.perform(child(key, MEASURE), self.soloist.prepare(population))
        size = sizes(population).astype(jnp.float32)
        fitness = worth(played.points, size, self.scale, self.parsimony, self.minimum)
        metrics = {
            "evaluations": jnp.int32(len(fitness)),
            "unique_behaviours": count_distinct(played.behaviour),
            **played.metrics,
        }
        return Evaluation(fitness, played.points[:, None], metrics, behaviour=played.behaviour), memory
