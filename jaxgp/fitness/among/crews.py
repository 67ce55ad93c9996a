"""Who drives the other seats of a rollout: crews that are the same for all individuals, or rivals of each one's own.

Both have the same methods, which `jaxgp.fitness.roller` calls. Rollout `m` of an individual is with the `m % C`-th of
its C crews or rivals.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp import arrays
from jaxgp.contracts import Driver
from jaxgp.spec import Hand

Crew = tuple[Hand, ...]
"""Who drives the seats from the second on."""


@struct.dataclass
class Met:
    """Rivals of each individual's own: who it meets, of a number of drivers that are alike but for their plans."""

    plans: Any  # [N, ...]
    who: Array  # int32[P, C]


class Others(ABC):
    """Base of those who drive the seats from the second on.

    Attributes:
        count: C.
        random: whether some of them use random bits.
    """

    count: int
    random: bool

    @abstractmethod
    def prepare(self, met: Met | None) -> Any:
        """Return what they drive by; `met` is of rivals of one's own."""

    @abstractmethod
    def of(self, plans: Any, whose: Array) -> Any:
        """Return what those whom some individuals (int32[L]) meet drive by."""

    @abstractmethod
    def arrange(self, plans: Any) -> Any:
        """Return the plans as drivers want them in a loop."""

    @abstractmethod
    def start(self, plans: Any, individuals: int, rollouts: int) -> Any:
        """Return what they remember at the start of rollouts [P, M]."""

    @abstractmethod
    def control(self, plans: Any, memory: Any, sensed: Array, bits: Array, active: Array) -> tuple[Array, Any]:
        """Return float32[P, M, seats, K], the controls of the other seats, and what is remembered after them."""

    @abstractmethod
    def renewed(self, ended: Array, fresh: Any, before: Any) -> Any:
        """Return memories of individuals [L], of which those that have `ended` (bool[L]) begin anew."""


@dataclass(frozen=True, eq=False)
class Crews(Others):
    """Crews that are the same for all individuals.

    Attributes:
        crews: each has a driver for every seat from the second on.
    """

    crews: tuple[Crew, ...]

    @property
    def count(self) -> int:  # type: ignore[override]
        """C."""
        return len(self.crews)

    @property
    def random(self) -> bool:  # type: ignore[override]
        """Whether some of them use random bits."""
        return any(driver.random for driver, *_ in self._posts)

    @cached_property
    def _posts(self) -> list[tuple[Driver, np.ndarray, Any]]:
        """Each driver of other seats, the posts that it drives, and the genomes there, in NumPy arrays.

        Posts are the seats from the second on with the first crew, then those with the second one, and so on.
        """
        hands = [hand for crew in self.crews for hand in crew]
        found: list[tuple[Driver, np.ndarray, Any]] = []
        for driver in dict.fromkeys(hand.driver for hand in hands):
            at = [n for n, hand in enumerate(hands) if hand.driver == driver]
            genomes = jax.tree.map(lambda *x: np.stack([np.asarray(one) for one in x]), *(hands[n].genome for n in at))
            found.append((driver, np.array(at), genomes))
        return found

    def prepare(self, met: Met | None) -> tuple[Any, ...]:
        """Return the plans of each driver, [posts, ...]."""
        del met
        return tuple(driver.prepare(jax.tree.map(jnp.asarray, genomes)) for driver, _, genomes in self._posts)

    def of(self, plans: tuple[Any, ...], whose: Array) -> tuple[Any, ...]:
        """Return the plans: all individuals meet the same."""
        del whose
        return plans

    def arrange(self, plans: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the plans of each driver as it wants them."""
        return tuple(driver.arrange(own) for (driver, *_), own in zip(self._posts, plans, strict=True))

    def start(self, plans: tuple[Any, ...], individuals: int, rollouts: int) -> tuple[Any, ...]:
        """Return what each driver remembers, [posts, rollouts with one crew]."""
        with_one = individuals * rollouts // max(1, self.count)
        return tuple(driver.start(own, with_one) for (driver, *_), own in zip(self._posts, plans, strict=True))

    def control(
        self, plans: tuple[Any, ...], memory: tuple[Any, ...], sensed: Array, bits: Array, active: Array
    ) -> tuple[Array, tuple[Any, ...]]:
        """Return float32[P, M, seats, K], and what each driver remembers."""
        (count, rollouts, seats), crews = bits.shape, self.count

        def by_post(x: Array) -> Array:  # [P, M, seats, ...] -> [posts, rollouts with one crew, ...]
            apart = x.reshape(count, -1, crews, *x.shape[2:])
            return jnp.moveaxis(apart, (2, 3), (0, 1)).reshape(crews * seats, -1, *x.shape[3:])

        found, after = [], []
        for (driver, at, _), own, before in zip(self._posts, plans, memory, strict=True):
            given, remembered = driver.control(own, before, *(by_post(x)[at] for x in (sensed, bits, active)))
            found.append(given)
            after.append(remembered)
        order = np.argsort(np.concatenate([at for _, at, _ in self._posts]))
        controls = jnp.concatenate(found)[order].reshape(crews, seats, count, -1, found[0].shape[-1])
        return jnp.moveaxis(controls, (0, 1), (2, 3)).reshape(count, rollouts, seats, -1), tuple(after)

    def renewed(self, ended: Array, fresh: tuple[Any, ...], before: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return memories [posts, L * rollouts with one crew]."""

        def one(new: Array, old: Array) -> Array:
            lanes = jnp.repeat(ended, new.shape[1] // len(ended))
            return arrays.where(jnp.broadcast_to(lanes, new.shape[:2]), new, old)

        renewed: tuple[Any, ...] = jax.tree.map(one, fresh, before)
        return renewed


@dataclass(frozen=True, eq=False)
class OwnRivals(Others):
    """Rivals of each individual's own, who all drive by the same driver; each of them has all other seats.

    Attributes:
        driver: of them all.
        count: how many an individual meets, C.
        seats: the other ones.
    """

    driver: Driver[Any, Any]
    count: int
    seats: int

    @property
    def random(self) -> bool:  # type: ignore[override]
        """Whether they use random bits."""
        return self.driver.random

    def prepare(self, met: Met | None) -> Met:
        """Return them."""
        assert met is not None
        return met

    def of(self, plans: Met, whose: Array) -> Met:
        """Return whom some individuals meet."""
        return Met(plans.plans, plans.who[whose])

    def arrange(self, plans: Met) -> Any:
        """Return the plans of all posts, [P * C * seats, ...]: the seats of a rival, then those of the next one."""
        return self.driver.arrange(self._posted(plans))

    def start(self, plans: Met, individuals: int, rollouts: int) -> Any:
        """Return what they remember, [P, C, seats, rollouts with one rival, ...]."""
        memory = self.driver.start(self._posted(plans), rollouts // self.count)
        return jax.tree.map(lambda x: x.reshape(individuals, -1, *x.shape[1:]), memory)

    def control(self, plans: Any, memory: Any, sensed: Array, bits: Array, active: Array) -> tuple[Array, Any]:
        """Return float32[P, M, seats, K], and what they remember."""
        (count, rollouts, seats), rivals = bits.shape, self.count

        def by_post(x: Array) -> Array:  # [P, M, seats, ...] -> [P * C * seats, rollouts with one rival, ...]
            apart = x.reshape(count, -1, rivals, *x.shape[2:])
            return jnp.moveaxis(apart, 1, 3).reshape(count * rivals * seats, -1, *x.shape[3:])

        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), memory)
        given, after = self.driver.control(plans, flat, *(by_post(x) for x in (sensed, bits, active)))
        controls = jnp.moveaxis(given.reshape(count, rivals, seats, -1, given.shape[-1]), 3, 1)
        after = jax.tree.map(lambda x: x.reshape(count, -1, *x.shape[1:]), after)
        return controls.reshape(count, rollouts, seats, -1), after

    def renewed(self, ended: Array, fresh: Any, before: Any) -> Any:
        """Return memories [L, ...]."""
        return arrays.where(ended, fresh, before)

    def _posted(self, met: Met) -> Any:
        return arrays.take(met.plans, jnp.repeat(met.who.reshape(-1), self.seats))
