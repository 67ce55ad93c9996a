"""Nim for searched opponents."""

from dataclasses import dataclass

import jax.numpy as jnp

from tests.search.games import Nim


@dataclass(frozen=True)
class KeyedNim(Nim):
    """Nim with what a table of replies and a panel ask of a game."""

    starts = "fixed"

    def key(self, state):
        return jnp.append(state.cells, state.to_move.astype(jnp.int8)).astype(jnp.uint32)

    def forfeit(self, state):
        return state.replace(terminated=jnp.bool_(True), returns=jnp.where(jnp.arange(2) == state.to_move, -1.0, 1.0))
