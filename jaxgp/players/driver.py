"""Drivers of simulations: programs, whose values become controls by the game's own rule, and functions by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.contracts import Driver, Memory, Simulation
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.evaluate import FEW, evaluate_active
from jaxgp.interpreter.plan import Plan, plan
from jaxgp.interpreter.ranked import Ranked, evaluate_ranked, rank
from jaxgp.spec import Hand, Spec, Strategy


@dataclass(frozen=True)
class ProgramDriver(Driver[Plan, tuple[()]]):
    """One evaluation in each step; nothing is remembered.

    Attributes:
        primitives: the set that the programs are written in.
        decide: (float32[F] perceived, float32[T] values of the trees) -> float32[K] controls.
    """

    primitives: PrimitiveSet
    decide: Callable[[Array, Array], Array]

    random = False

    def view(self, sensed: Array) -> Array:
        """Return float32[N, ...]: what programs see of what is perceived, float32[F, ...]; by default all of it."""
        return sensed

    def prepare(self, programs: Programs, /) -> Plan:
        """Derive the evaluation order of programs [P, T, L], once for all their rollouts."""
        return plan(self.primitives, programs)

    def arrange(self, plans: Plan, /) -> tuple[Plan, Ranked]:
        """Return the plans with their trees by length."""
        return plans, rank(self.primitives, plans)

    def start(self, plans: Plan, rollouts: int, /) -> tuple[()]:
        """Return the memory, which is empty."""
        del plans, rollouts
        return ()

    def control(
        self, plans: tuple[Plan, Ranked], memory: tuple[()], sensed: Array, bits: Array, active: Array, /
    ) -> tuple[Array, tuple[()]]:
        """Return float32[P, M, K] controls of P programs that perceive float32[P, M, F], and the empty memory."""
        del bits
        seen = jnp.moveaxis(self.view(jnp.moveaxis(sensed, -1, 0)), 0, 1)
        language = self.primitives
        if sensed.shape[1] >= FEW or language.weighted:
            values = evaluate_active(language, plans[0], seen, active)
        else:
            values = evaluate_ranked(language, plans[1], seen)
        return jax.vmap(jax.vmap(self.decide))(sensed, values.swapaxes(1, 2)), memory


def _nothing() -> tuple[()]:
    return ()


@dataclass(frozen=True)
class HandDriver(Driver[Array, Memory]):
    """A driver written by hand, one seat of one rollout at a time.

    Its genomes are numbers, int32[P]: which of several rules drives, or nothing.

    Attributes:
        decide: (int32[] number, memory, float32[F] perceived, uint32[] random bits) -> (float32[K] controls, memory).
        begin: () -> the memory at the start of a rollout, a tree of arrays or numbers of fixed types.
        random: whether it uses its random bits.
    """

    decide: Callable[[Array, Any, Array, Array], tuple[Array, Any]]
    begin: Callable[[], Any] = _nothing
    random: bool = False

    def prepare(self, numbers: Array, /) -> Array:
        """Return the numbers, int32[P]."""
        return jnp.asarray(numbers, jnp.int32)

    def start(self, plans: Array, rollouts: int, /) -> Memory:
        """Return what is remembered at the start of rollouts [P, M]."""
        shape = len(plans), rollouts
        begun: Memory = jax.tree.map(lambda x: jnp.broadcast_to(x, (*shape, *jnp.shape(x))), self.begin())
        return begun

    def control(
        self, plans: Array, memory: Memory, sensed: Array, bits: Array, active: Array, /
    ) -> tuple[Array, Memory]:
        """Return float32[P, M, K] controls, and the memory after them."""
        del active
        by_seat = jax.vmap(self.decide, (None, 0, 0, 0))
        found: tuple[Array, Memory] = jax.vmap(by_seat)(plans, memory, sensed, bits)
        return found


def fixed_driver(spec: Spec, game: Simulation, name: str | None = None) -> Hand:
    """Return one of a simulation's own drivers, by default the first, with the genome that it drives by.

    Raises:
        ValueError: the simulation has no such driver.
    """
    found = spec.strategy_of(name, game)
    if isinstance(found, Hand):
        return found
    if not isinstance(found, Strategy):
        raise ValueError(f"{spec.name}: {name} is a function of turns; accepted: a genome or a driver")
    language, driver = spec.role(found.role).make(game, found.options)
    if not isinstance(driver, Driver):
        raise ValueError(f"{spec.name}: {name} has a role that drives nothing")
    return Hand(driver, languages.parse(language, found.text))
