"""Generational genetic programming: elites, selected parents, crossover, mutation."""

from dataclasses import dataclass, replace
from typing import Self

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import count_unique
from jaxgp.checks.values import check_parts
from jaxgp.contracts import Metrics
from jaxgp.errors import reject
from jaxgp.evolution.options import GPOptions, check_alone
from jaxgp.evolution.tuning.tuner import Learner, Tuner, Tunes
from jaxgp.fitness.evaluation import Evaluation, child
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import parse_program
from jaxgp.operators import creation, sharing, variation

BREED = 1
"""The child of a generation's key that selection and variation take."""


@struct.dataclass
class LimitedMemory:
    """Memory of a scheme that leaves primitives out.

    Which ones is an array, so one compiled program serves every choice.
    """

    counts: Array  # float32[2, S]: see `Generational.init`
    allowed: Array  # bool[N]: what individuals may have


@dataclass(frozen=True)
class Elitist(Tunes):
    """What schemes of programs share in which the fittest stay.

    Attributes:
        primitives: function and terminal set.
        options: of the algorithm.
    """

    primitives: PrimitiveSet
    options: GPOptions

    def __post_init__(self) -> None:
        check_parts(self, primitives=PrimitiveSet, options=GPOptions)
        check_alone(self.options)
        if missing := set(self.options.left_out) - self.primitives.left_out:
            reject("left_out", sorted(missing), "[] in a scheme; jaxgp.ring leaves primitives out of a set")

    @property
    def population(self) -> int:
        """P."""
        return self.options.population

    @property
    def kept(self) -> int:
        """The elites, which come first in the next population."""
        return self.options.elites

    @property
    def tuner(self) -> Learner | None:
        """How individuals learn their numbers; None: they do not."""
        return Tuner(self.primitives, self.options.tune) if self.options.tune.steps else None

    def create(self, key: Array, count: int) -> Programs:
        """Return programs [count, T, L]: those of `options.initial`, and random ones after them."""
        options = self.options
        made = creation.create(key, self.primitives, options.creation, count, options.capacity)
        given = [parse_program(self.primitives, text, options.capacity) for text in options.initial[:count]]
        if not given:
            return made
        return jax.tree.map(lambda all_, *some: all_.at[: len(some)].set(jnp.stack(some)), made, *given)

    def describe(self, population: Programs, best: Array) -> Metrics:
        """Return the sizes of programs in nodes, and how many are distinct."""
        return size_metrics(population, best) | {"unique_programs": count_unique(population)}


@dataclass(frozen=True)
class Generational(Elitist):
    """Generational replacement: all parents but the elites are replaced by children.

    Attributes:
        primitives: function and terminal set.
        options: of creation, selection, crossover and mutation.
    """

    def __repr__(self) -> str:
        return f"Generational({self.primitives.name} of {self.population})"

    def limited(self, allowed: Array) -> Self:
        """Return the scheme of individuals that have some primitives alone, bool[N], which may be traced."""
        return replace(self, primitives=self.primitives.limited(allowed))

    def limits(self) -> np.ndarray | None:
        """Return bool[N], what individuals may have; None: nothing is left out.

        Raises:
            ValueError: limits within which some tree cannot exist.
        """
        if not self.primitives.left_out:
            return None
        creation.check(self.primitives, self.options.creation, self.options.capacity)
        return self.primitives.allowed

    def init(self) -> Array | LimitedMemory:
        """Return float32[2, S], the counts of behaviours so far, for fitness sharing with a memory."""
        counts = sharing.init(self.options.selection.sharing_memory)
        return LimitedMemory(counts, jnp.asarray(self.primitives.allowed)) if self.primitives.left_out else counts

    def breed(
        self, key: Array, population: Programs, result: Evaluation, memory: Array | LimitedMemory
    ) -> tuple[Programs, Array | LimitedMemory, Metrics]:
        """Return the next population [P, T, L].

        Raises:
            UsageError: selection by case needs cases, or fitness sharing needs behaviour, which the fitness lacks.
        """
        if isinstance(memory, LimitedMemory):
            offspring, kept, bred = self.limited(memory.allowed)._breed(key, population, result, memory.counts)
            return offspring, replace(memory, counts=kept), bred
        return self._breed(key, population, result, memory)

    def _breed(
        self, key: Array, population: Programs, result: Evaluation, memory: Array
    ) -> tuple[Programs, Array, Metrics]:
        """Breed with the primitives of the set; see `breed`."""
        selection = self.options.selection
        merits, counts = result.fitness[None], jnp.ones(len(result.fitness))
        if selection.by_case:
            if result.cases is None:
                reject("algorithm.selection.by_case", selection.by_case, "0", "this fitness has no cases")
            merits = jnp.concatenate([merits, result.cases])
        if result.behaviour is not None:
            memory, counts = sharing.count(memory, result.behaviour, selection.sharing_memory)
        elif selection.sharing:
            reject("algorithm.selection.sharing", selection.sharing, "0", "this fitness sees no behaviour")
        shared = sharing.share(merits, counts, selection.power, selection.sharing)
        offspring, bred = variation.breed(
            child(key, BREED), self.primitives, self.options, population, result.fitness, shared
        )
        return offspring, memory, bred


def size_metrics(population: Genome, best: Array) -> dict[str, Array]:
    """Return the sizes of individuals [P, ...] in nodes or rules: that of the `best` (int32[]), mean, greatest."""
    size = sizes(population)
    return {"best_size": size[best], "mean_size": size.mean(dtype=jnp.float32), "max_size": size.max()}
