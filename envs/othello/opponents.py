"""What searched opponents of Othello need, evaluation functions, and random moves for fast games."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
from jax import Array

from envs.othello.rules import Othello, State, count, some
from jaxgp.players.choice import pick_bit


def material(game: Othello, state: State, corner: int = 0) -> Array:
    """Return float32[]: the mover's discs minus the opponent's; exact after the end.

    Args:
        game: the rules.
        state: the position.
        corner: discs that one in a corner is worth besides itself while the game goes on. It is never turned over.
    """
    lead = count(state.own) - count(state.other)
    if corner:
        own, other = (count(game.corners(side)) for side in (state.own, state.other))
        lead += jnp.where(state.terminated, 0, corner * (own - other))
    return lead.astype(jnp.float32)


EVALUATORS: dict[str, Callable[[Any, Any], Array]] = {
    "material": material,
    "corner_4": partial(material, corner=4),
    "corner_16": partial(material, corner=16),
}
"""Values from the view of the side to move, for ended games too; the last two add so many discs for each corner."""


def random_move(game: Othello, state: State, bits: Array) -> Array:
    """Draw one of the legal moves uniformly, without the mask of all of them; `bits` is uint32[], uniform.

    Returns:
        int32[].
    """
    return jnp.where(some(state.legal), pick_bit(jnp.stack(state.legal), bits), game.area)
