"""A fitness that is one function of the population: regression, a benchmark, anything that is not a game."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax import Array

from jaxgp.fitness.evaluation import Absolute, Evaluation, child
from jaxgp.genotypes.language import Genome

MEASURE = 0
"""The child of a generation's key that the function gets."""


@dataclass(frozen=True)
class FunctionFitness(Absolute[tuple[()]]):
    """The value of a function; greater is better.

    Attributes:
        function: (key, population [P, ...]) -> float32[P]. The key is for fitness with chance in it.
    """

    function: Callable[[Array, Genome], Array]

    seats: ClassVar[int] = 1

    def init(self, key: Array) -> tuple[()]:
        """Return the memory, which is empty."""
        del key
        return ()

    def evaluate(self, key: Array, population: Genome, memory: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Measure a population [P, ...]."""
        fitness = self.function(child(key, MEASURE), population).astype(jnp.float32)
        return Evaluation(fitness, fitness[:, None], {"evaluations": jnp.int32(len(fitness))}), memory
