"""Evaluation functions for searched opponents of Kalah."""

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array

from envs.mancala.rules import Mancala, State


def material(game: Mancala, state: State) -> Array:
    """Return float32[]: the mover's store minus the opponent's; exact after the end, when the pits are swept."""
    return state.board[game.store].astype(jnp.float32) - state.board[-1].astype(jnp.float32)


EVALUATORS: dict[str, Callable[[Mancala, State], Array]] = {"material": material}
"""Values from the view of the side to move, for ended games too."""
