"""Averaging the numbers of a parent and of the children that play better, as a method of the suite."""

from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import comparable
from jaxgp.contracts import Metrics, Scheme
from jaxgp.evolution.generational import BREED
from jaxgp.fitness.evaluation import Evaluation, child
from jaxgp.genotypes.language import Language
from jaxgp.genotypes.programs import Programs
from jaxgp.schemes.breeding.cma import Distribution, SeparableCMA
from jaxgp.schemes.cma import CMAOptions

SHARE = 0.5
"""How far a parent goes to the mean of those children: it is averaged with them. The source goes 0.05 to one child."""


@dataclass(frozen=True)
class Averaging(SeparableCMA):
    """A parent, the first individual, and children around it; those that are fitter in the same games draw it to them.

    Source: J. Pollack and A. Blair, "Co-evolution in the successful learning of backgammon strategy", Machine Learning
    32 (1998), section 2. There a challenger has to win three or four games of four.
    """

    def breed(
        self, key: Array, population: Programs, result: Evaluation, memory: Distribution
    ) -> tuple[Programs, Distribution, Metrics]:
        """Return the moved parent and children around it, [P, T, L]."""
        moved = memory.replace(mean=self.moved(self.coding.vectors(population), result.fitness))  # type: ignore[attr-defined]
        return self._drawn(child(key, BREED), moved, self.population), moved, {}

    def moved(self, vectors: Array, fitness: Array) -> Array:
        """Return the parent, float32[N], after a generation: x of the individuals, float32[P, N], and float32[P]."""
        parent, value = vectors[0], comparable(fitness)
        better = value > value[0]
        way = jnp.where(better[:, None], vectors - parent, 0.0).sum(0) / jnp.maximum(better.sum(), 1)
        return parent + SHARE * way


@dataclass
class AveragingOptions(CMAOptions):
    """Options of `Averaging`, which are those of CMA-ES on the numbers of a program."""

    def scheme(self, language: Language) -> Scheme:
        """Return the parent and its children."""
        return Averaging(language, self)  # type: ignore[arg-type]
