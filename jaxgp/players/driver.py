"""Programs as drivers: the values of the trees for what a seat perceives become controls by the game's own rule."""

from collections.abc import Callable
from dataclasses import dataclass

import jax
from jax import Array

from jaxgp.contracts import Driver
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.evaluate import evaluate_active
from jaxgp.interpreter.plan import Plan, plan


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

    def prepare(self, programs: Programs, /) -> Plan:
        """Derive the evaluation order of programs [P, T, L], once for all their rollouts."""
        return plan(self.primitives, programs)

    def start(self, plans: Plan, rollouts: int, /) -> tuple[()]:
        """Return the memory, which is empty."""
        del plans, rollouts
        return ()

    def control(
        self, plans: Plan, memory: tuple[()], sensed: Array, bits: Array, active: Array, /
    ) -> tuple[Array, tuple[()]]:
        """Return float32[P, M, K] controls of P programs that perceive float32[P, M, F], and the empty memory."""
        del bits
        values = evaluate_active(self.primitives, plans, sensed.swapaxes(1, 2), active)
        return jax.vmap(jax.vmap(self.decide))(sensed, values.swapaxes(1, 2)), memory
