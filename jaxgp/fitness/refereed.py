"""Any fitness together with a referee, which measures the fittest of every generation by something that stays the same.

What individuals get from each other, from instances drawn anew or from a teacher cannot be compared between
generations, or says little of how well they play. So the fittest are also measured by a referee, such as a fixed panel.
The champion of a run is the best of these.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax
from jax.sharding import Mesh

from jaxgp.arrays import comparable, take
from jaxgp.checks.values import whole
from jaxgp.contracts import Differentiable, Memory, Remembers, Scheme
from jaxgp.errors import reject
from jaxgp.fitness.evaluation import MEASURE, Absolute, Evaluation, Standing, child
from jaxgp.genotypes.language import Genome, Language
from jaxgp.printable import brief

if TYPE_CHECKING:
    from jaxgp.interpreter.reverse.gradients import Examples

COUNTED = ("evaluations", "plies", "searches", "nodes")
"""Metrics that count the work of a generation: that of the fitness and that of the referee add up."""
OF_REFEREE = "standing_"
"""How metrics of a referee begin that a generation has beside those of the fitness."""
REFEREE = np.uint32(2**32 - 3)
"""The `fold_in` number, with the child `MEASURE`, of the referee's key; `jaxgp.fitness.rollout` has the two above it.
A low number would give one of the keys that a fitness splits this child into."""


class Referee(Remembers[Memory], Protocol[Memory]):
    """A fitness whose values mean the same in every generation."""

    @property
    def seats(self) -> int: ...  # S, entries of points.
    def measure(self, key: Array, population: Genome, memory: Memory) -> tuple[Evaluation, Memory]:
        """Measure individuals [P, ...]; `key` must not be used for anything else."""

    def rivals(self, memory: Memory) -> tuple[object, ...]:
        """Return the memories of the opponents."""


@struct.dataclass
class Memories:
    """The memory of a refereed fitness."""

    own: Any  # of the fitness
    referee: Any


@dataclass(frozen=True, eq=False)
class OwnLoss(Differentiable[Memories]):
    """The loss of a fitness that has a referee."""

    of: Differentiable[Any]

    @property
    def own(self) -> bool:  # type: ignore[override]
        """Whether each program has examples of its own."""
        return self.of.own

    def examples(self, key: Array, population: Genome, memory: Memories) -> "Examples":
        """Return what the fitness has programs learn from."""
        return self.of.examples(key, population, memory.own)

    def loss(self, values: Array, known: Any) -> Array:
        """Return the loss of the fitness."""
        return self.of.loss(values, known)


@dataclass(frozen=True, eq=False)
class Refereed(Absolute[Memories]):
    """A fitness whose fittest individuals a referee measures; parents are selected by the fitness.

    Attributes:
        fitness: how good each individual is.
        referee: measures some of each generation, and the candidates at the end.
        measured: how many of the fittest it measures.
        first: how many individuals it measures beside these, the first ones of a population.
    """

    fitness: Absolute[Any]
    referee: Referee
    measured: int = 1
    first: int = 0

    __repr__ = brief

    def __post_init__(self) -> None:
        if not hasattr(self.referee, "measure"):
            reject("referee", type(self.referee).__name__, "a fitness with a method measure, such as a PanelFitness")
        whole("measured", self.measured, 1)
        whole("first", self.first, 0)

    @property
    def seats(self) -> int:
        """S, entries of points: those of the referee, as the standing and the champion have them."""
        return self.referee.seats

    @property
    def language(self) -> Language | None:
        """What the individuals are written in."""
        return self.fitness.language

    @property
    def differentiable(self) -> Differentiable[Memories] | None:
        """What individuals can learn by: the loss of the fitness, if it has one."""
        own = self.fitness.differentiable
        return None if own is None else OwnLoss(own)

    def check(self, scheme: Scheme) -> None:
        """Refuse a scheme whose individuals cannot be measured, or that has too few; raises UsageError."""
        self.fitness.check(scheme)
        whole("measured", self.measured, 1, scheme.population, "the population")
        whole("first", self.first, 0, scheme.population, "the population")

    def init(self, key: Array) -> Memories:
        """Return both memories."""
        referee, own = self.fitness.keys(key)
        return Memories(self.fitness.init(own), self.referee.init(referee))

    def in_chunks(self, chunk: int | None) -> "Refereed | None":
        """Return the fitness that measures so many individuals at a time; None if it measures all together."""
        fitness = self.fitness.in_chunks(chunk)
        return None if fitness is None else replace(self, fitness=fitness)

    def shared(self, mesh: Mesh | None) -> "Refereed | None":
        """Return the fitness that the devices of a mesh measure, but for its referee; None if it cannot be shared."""
        fitness = self.fitness.shared(mesh)
        return None if fitness is None else replace(self, fitness=fitness)

    def evaluate(self, key: Array, population: Genome, memory: Memories) -> tuple[Evaluation, Memories]:
        """Measure a population [P, ...] by the fitness."""
        result, own = self.fitness.evaluate(key, population, memory.own)
        return result, Memories(own, memory.referee)

    def improve(
        self, key: Array, population: Genome, result: Evaluation, memory: Memories
    ) -> tuple[Genome, Evaluation]:
        """Let individuals learn as the fitness says."""
        return self.fitness.improve(key, population, result, memory.own)

    def standing(
        self, key: Array, result: Evaluation, population: Genome, memory: Memories
    ) -> tuple[Standing, Memories]:
        """Measure the fittest of a population by the referee; the best by this measure stands, then the fitter."""
        which = lax.top_k(comparable(result.fitness), self.measured)[1]
        if self.first:
            which = jnp.concatenate([which, jnp.arange(self.first, dtype=which.dtype)])
        own = jax.random.fold_in(child(key, MEASURE), REFEREE)
        found, seen = self.referee.measure(own, take(population, which), memory.referee)
        best = found.fittest
        told = {name: value for name, value in found.metrics.items() if name in COUNTED or name.startswith(OF_REFEREE)}
        told |= {name: told[name] + result.metrics[name] for name in COUNTED if name in told and name in result.metrics}
        metrics = {**told, "best_standing": found.fitness[best]}
        standing = Standing(which[best], found.fitness[best], found.points[best], jnp.bool_(False), metrics)
        return standing, Memories(memory.own, seen)

    def again(self, key: Array, genomes: Genome, memory: Memories) -> tuple[Array, Array]:
        """Return float32[K] fitness and float32[K, S] points of individuals [K, ...], measured anew by the referee."""
        found, _ = self.referee.measure(key, genomes, memory.referee)
        return found.fitness, found.points

    def observe(self, memory: Memories, best: Genome, improved: Array) -> Memories:
        """Show both the generation's best individual."""
        own = self.fitness.observe(memory.own, best, improved)
        return Memories(own, self.referee.observe(memory.referee, best, improved))

    def rivals(self, memory: Memories) -> tuple[object, ...]:
        """Return the memories of the referee's opponents."""
        return self.referee.rivals(memory.referee)
