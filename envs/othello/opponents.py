"""Evaluation functions for searched opponents of Othello, and random moves for fast games."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.othello.rules import Othello, State
from jaxgp.bits import Bits, count, some

TABLE = Path(__file__).with_name("edgar_like.csv")
"""60 rows of 64 whole numbers, made by `scripts/studies/othello_learn.py`: weights of the squares after each move."""
MOVES = 60
UNIT = 1000
"""Weights are whole thousandths: their sums are exact in any order of addition, and so are ties."""
WON = 1e6
"""What an ended game is worth to its winner by the table: more than all 64 weights together."""


def material(game: Othello, state: State, corner: int = 0) -> Array:
    """Return float32[]: the mover's discs minus the opponent's; exact after the end.

    Args:
        game: the rules.
        state: the position.
        corner: discs added for each disc in a corner while the game goes on; such a disc is never turned over.
    """
    lead = count(state.own) - count(state.other)
    if corner:
        own, other = (count(game.corners(side)) for side in (state.own, state.other))
        lead += jnp.where(state.terminated, 0, corner * (own - other))
    return lead.astype(jnp.float32)


def edgar_like(game: Othello, state: State) -> Array:
    """Return float32[]: the learned weights of the mover's discs minus those of the opponent's.

    With one ply and the first of equal moves it plays in the way of Edgar, the opponent in a university course, whose
    own table is lost (`scripts/studies/othello_learn.py`). Ended games count by their result.

    Raises:
        ValueError: the board is not the one that the table was learned on.
    """
    if game.area != MOVES + 4:
        raise ValueError(f"game.size={game.size}: accepted by evaluator=edgar_like: 8")
    weights = jnp.asarray(edgar_table())[move_number(state)]
    value = (weights * lead(game, state.own, state.other)).sum()
    return jnp.where(state.terminated, WON * state.returns[state.to_move], value).astype(jnp.float32)


@cache
def edgar_table() -> np.ndarray:
    """Read the table of `edgar_like`: int32[60, 64]."""
    return np.loadtxt(TABLE, np.int32, delimiter=",")


def move_number(state: State) -> Array:
    """Return int32[]: number of the disc placed last, from 0 after the first four; 0 in the opening position too."""
    return jnp.maximum(count(state.own) + count(state.other) - 5, 0)


def lead(game: Othello, own: Bits, other: Bits) -> Array:
    """Return int32[size ** 2]: 1 on squares of `own`, -1 on those of `other`."""
    return game.squares(own).astype(jnp.int32) - game.squares(other)


EVALUATORS: dict[str, Callable[[Othello, State], Array]] = {
    "material": material,
    "corner_4": partial(material, corner=4),
    "corner_16": partial(material, corner=16),
    "edgar_like": edgar_like,
}
"""Values from the view of the side to move, for ended games too; `corner_N` adds N discs for each corner."""


def evaluators(game: Othello) -> dict[str, Callable[[Othello, State], Array]]:
    """Return the evaluators that accept a game's board."""
    learned = game.area == MOVES + 4
    return {name: value for name, value in EVALUATORS.items() if learned or name != "edgar_like"}
