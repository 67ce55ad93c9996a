"""Fixed players that are functions and no genomes, in the place of an individual."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import States
from jaxgp.spec import Choice

NOTHING = np.zeros((), np.int32)
"""The genome of such a player: a number that means nothing."""


@dataclass(frozen=True)
class FixedPlayer:
    """A `jaxgp.contracts.Player` whose genomes, int32[P], all play alike.

    Attributes:
        choose: how they play.
    """

    choose: Choice

    random: ClassVar[bool] = True
    """Whether a function draws its moves is not known, so it counts as drawn."""

    def prepare(self, genomes: Array) -> Array:
        return genomes

    def count(self, plans: Array) -> int:
        return len(plans)

    def act(self, plans: Array, states: States, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M] moves and bool[P, M], all True, for states [P, M]; `bits` is uint32[P, M]."""
        del plans, active
        return jax.vmap(jax.vmap(self.choose))(states, bits), jnp.ones(bits.shape, bool)
