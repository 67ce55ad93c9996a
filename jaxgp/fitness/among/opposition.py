"""Whom individuals meet in rollouts, where that is not the same for all of them, or not in every generation.

A population meets itself as in games (`jaxgp.fitness.among.coplay`): each individual has as many rollouts in the first
seat as in the second one.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.checks.values import whole
from jaxgp.contracts import Driver
from jaxgp.errors import reject
from jaxgp.fitness.among import coplay
from jaxgp.fitness.among.crews import Met
from jaxgp.options import MAX_GAMES
from jaxgp.spec import Hand


class Opposition(ABC):
    """Base of those whom individuals meet.

    Attributes:
        count: C, how many an individual meets in the second seat.
        cases: whether the rollouts of all individuals with the same number are comparable.
    """

    count: int
    cases: bool

    @abstractmethod
    def drives(self, driver: Driver[Any, Any]) -> Driver[Any, Any]:
        """Return how all of them drive; individuals drive by `driver`."""

    @abstractmethod
    def meet(self, key: Array, plans: Any, individuals: int) -> Met:
        """Return whom each of P individuals meets in a generation, for a typed key[]; `plans` are the individuals'."""

    def seen(self, met: Met, measures: Array) -> Array:
        """Return float32[P, M', seats, Q], what individuals have come to, the own seat first.

        Args:
            met: whom they have met.
            measures: float32[P, M, seats, Q]; rollout m was with the m % C-th of them.
        """
        del met
        return measures


@dataclass(frozen=True, eq=False)
class DrawnRivals(Opposition):
    """Some of many rivals, drawn without repeats for each generation, or for each individual.

    Attributes:
        rivals: who drive all seats but the first; all by the same driver.
        count: how many are drawn.
        individual: whether each individual meets others than the rest of its generation does.
    """

    rivals: tuple[Hand, ...]
    count: int
    individual: bool = False

    def __post_init__(self) -> None:
        whole("fitness.rivals_drawn", self.count, 1, len(self.rivals), "the rivals")
        if len({one.driver for one in self.rivals}) > 1:
            reject("fitness.rivals_drawn", self.count, "null; these rivals are driven in different ways")

    @property
    def cases(self) -> bool:  # type: ignore[override]
        """Whether all individuals meet the same."""
        return not self.individual

    def drives(self, driver: Driver[Any, Any]) -> Driver[Any, Any]:
        """Return the driver of the rivals."""
        del driver
        return self.rivals[0].driver

    def meet(self, key: Array, plans: Any, individuals: int) -> Met:
        """Draw rivals for each individual."""
        del plans
        genomes = jax.tree.map(lambda *x: jnp.asarray(np.stack(x)), *(one.genome for one in self.rivals))
        keys = jax.random.split(key, individuals) if self.individual else jnp.broadcast_to(key, (individuals,))
        who = jax.vmap(lambda own: jax.random.permutation(own, len(self.rivals))[: self.count])(keys)
        return Met(self.rivals[0].driver.prepare(genomes), who)


@dataclass(frozen=True)
class Population(Opposition):
    """Others of the population, in simulations for two.

    Attributes:
        count: how many an individual meets from each seat.
    """

    count: int

    cases = False

    def __post_init__(self) -> None:
        whole("fitness.games", self.count, 1, MAX_GAMES)

    def drives(self, driver: Driver[Any, Any]) -> Driver[Any, Any]:
        """Return the driver of the individuals."""
        return driver

    def meet(self, key: Array, plans: Any, individuals: int) -> Met:
        """Draw others, as `jaxgp.fitness.among.coplay.draw` does."""
        return Met(plans, coplay.draw(key, individuals, self.count).second)

    def seen(self, met: Met, measures: Array) -> Array:
        """Return float32[P, 2 M, 2, Q]: of the rollouts in the first seat and of those in the second one."""
        count = len(measures)
        own = measures.reshape(count, -1, self.count, *measures.shape[2:])
        first = jnp.argsort(met.who, axis=0)  # who is in the first seat where an individual is in the second one
        rows = jax.vmap(lambda column, at: column[at], (2, 1), 2)(own, first)
        both = jnp.concatenate([own, jnp.flip(rows, 3)], 2)
        return both.reshape(count, -1, *measures.shape[2:])
