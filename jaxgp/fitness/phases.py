"""Several kinds of fitness, one after the other: individuals are selected by the first one, later by the next.

Source: M. Sipper, "Evolved to Win" (2011), section 8.3, proposes it for coevolution, which comes to nothing from random
individuals: two phases, the first with adversaries from outside, the second among the population.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import jax.numpy as jnp
from flax import struct
from jax import Array, lax
from jax.sharding import Mesh

from jaxgp.checks.values import whole
from jaxgp.errors import reject
from jaxgp.fitness.evaluation import Absolute, Evaluation
from jaxgp.genotypes.language import Genome, Language
from jaxgp.printable import brief


@struct.dataclass
class Phase:
    """The memory of a fitness of several phases."""

    number: Array  # int32[]: of the phase that the next generation is of
    done: Array  # int32[]: generations of this phase
    best: Array  # float32[]: the greatest mean fitness of the population in it, without NaN
    since: Array  # int32[]: generations in which the mean was not greater
    own: tuple[Any, ...]  # memories of the parts


@dataclass(frozen=True, eq=False)
class Phased(Absolute[Phase]):
    """A phase ends after so many generations, or when the mean fitness of the population has stood still for so many.

    Fitness values of two phases cannot be compared, so the fittest need a referee: `jaxgp.fitness.refereed.Refereed`.

    Attributes:
        parts: what individuals are selected by, in order; their evaluations have the same metrics.
        generations: of each phase but the last; None: no bound.
        stagnation: generations in which the mean fitness is not greater than in all before of the phase; None: no
            bound.
    """

    parts: tuple[Absolute[Any], ...]
    generations: int | None = None
    stagnation: int | None = None

    seats: ClassVar[int] = 1

    __repr__ = brief

    def __post_init__(self) -> None:
        for name in ("generations", "stagnation"):
            if getattr(self, name) is not None:
                whole(f"fitness.phase_{name}", getattr(self, name), 1, or_null=True)
        if self.generations is None and self.stagnation is None:
            reject("fitness.phase_generations", None, "a whole number from 1, or fitness.phase_stagnation")

    @property
    def language(self) -> Language | None:
        """What the individuals are written in."""
        return self.parts[0].language

    def init(self, key: Array) -> Phase:
        """Return the memory before the first phase."""
        own = tuple(part.init(key) for part in self.parts)
        return Phase(jnp.int32(0), jnp.int32(0), jnp.float32(-jnp.inf), jnp.int32(0), own)

    def in_chunks(self, chunk: int | None) -> "Phased | None":
        """Return the fitness that measures so many individuals at a time; None if a part measures all together."""
        parts = tuple(one for part in self.parts if (one := part.in_chunks(chunk)) is not None)
        return replace(self, parts=parts) if len(parts) == len(self.parts) else None

    def shared(self, mesh: Mesh | None) -> "Phased | None":
        """Return the fitness that the devices of a mesh measure; None if a part cannot be shared."""
        parts = tuple(one for part in self.parts if (one := part.shared(mesh)) is not None)
        return replace(self, parts=parts) if len(parts) == len(self.parts) else None

    def evaluate(self, key: Array, population: Genome, memory: Phase) -> tuple[Evaluation, Phase]:
        """Measure a population [P, ...] by the part of its phase; it has neither cases nor behaviour."""

        def by(number: int) -> Any:
            def evaluate() -> tuple[Array, Array, dict[str, Array], tuple[Any, ...]]:
                found, after = self.parts[number].evaluate(key, population, memory.own[number])
                own = (*memory.own[:number], after, *memory.own[number + 1 :])
                return found.fitness, found.points.mean(-1, keepdims=True), found.metrics, own

            return evaluate

        fitness, points, metrics, own = lax.switch(memory.number, [by(n) for n in range(len(self.parts))])
        mean = jnp.nanmean(fitness)
        rises = mean > memory.best
        done, since = memory.done + 1, jnp.where(rises, 0, memory.since + 1)
        over = jnp.bool_(False)
        for bound, count in ((self.generations, done), (self.stagnation, since)):
            over |= count >= bound if bound is not None else False
        over &= memory.number < len(self.parts) - 1
        fresh = jnp.int32(0), jnp.float32(-jnp.inf), jnp.int32(0)
        going = done, jnp.fmax(mean, memory.best), since
        done, best, since = (jnp.where(over, new, old) for new, old in zip(fresh, going, strict=True))
        after = Phase(memory.number + over, done, best, since, own)
        return Evaluation(fitness, points, {**metrics, "phase": memory.number}), after
