"""What one evaluation says about a population."""

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.arrays import comparable


@struct.dataclass
class Evaluation:
    """What a generation's games, or whatever measures it, say about each of P individuals.

    Fields that a fitness has nothing for are None.
    """

    fitness: Array  # float32[P]
    points: Array  # float32[P, S]: what the fitness is made of, by seat
    metrics: dict[str, Array]
    cases: Array | None = None  # float32[K, P]: what the fitness were if all games went like those of one case
    results: Array | None = None  # float32[P, O, 2]: mean result by opponent and seat; 1 win, 1/2 draw, 0 loss
    behaviour: Array | None = None  # uint32[P, W]: equal for individuals that made exactly the same moves in all games
    parents: Array | None = None  # int32[K]: those whom the fitness itself chose as parents; None: selection does
    benchmark: "Evaluation | None" = None  # what a fixed panel says of the same individuals, where it was asked too

    @property
    def fittest(self) -> Array:
        """int32[]: the individual with the highest fitness, the first of equals."""
        return jnp.argmax(comparable(self.fitness)).astype(jnp.int32)

    def of(self, index: Array) -> "Evaluation":
        """Return what is said of some individuals, int32[K]; the metrics stay those of all."""
        by_individual = jax.tree.map(lambda x: x[index], (self.fitness, self.points, self.results, self.behaviour))
        fitness, points, results, behaviour = by_individual
        cases = None if self.cases is None else self.cases[:, index]
        benchmark = None if self.benchmark is None else self.benchmark.of(index)
        return Evaluation(fitness, points, self.metrics, cases, results, behaviour, None, benchmark)
