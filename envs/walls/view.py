"""What a rule of the study's players sees: the squares around the player to move."""

import jax.numpy as jnp
from jax import Array

from envs.walls.rules import EAST, NORTH, SOUTH, WEST, State, Walls

EDGE, EMPTY, OTHER_BRICK, OWN_BRICK = 0, 1, 2, 3
OTHER, OWN = 4, 8
"""Codes of the opponent and of the player itself facing north; those facing east, south and west follow."""

SYMBOLS = ("#", "0", "B", "A", "N", "E", "S", "W", "N", "E", "S", "W")
"""The symbol of each code: that of the study, except for the edge, whose "E" is also a heading. The headings of the
opponent and of the player itself share letters; the player is always at the centre and the opponent never.
"""
NAMES = (
    "edge",
    "empty",
    "the opponent's brick",
    "own brick",
    *(f"opponent facing {heading}" for heading in ("north", "east", "south", "west")),
    *(f"facing {heading}" for heading in ("north", "east", "south", "west")),
)


def neighbourhood(game: Walls, state: State, size: int, symmetric: bool = False) -> Array:
    """Look around the player to move.

    Args:
        game: the rules.
        state: the position.
        size: rows and columns of the window, an odd number from 3 to the size of the board.
        symmetric: whether the window, and all headings in it, are turned until the player faces north, the top.

    Returns:
        int8[size * size]: codes row by row, the player at the centre. A player hides the brick under it, and what lies
        off the board is edge.

    Raises:
        ValueError: a window that has no centre or is larger than the board.
    """
    if size % 2 == 0 or not 3 <= size <= game.size:
        raise ValueError(f"neighbourhood={size}: accepted: an odd number from 3 to {game.size}, the size of the board")
    own, other = state.own, state.other
    turn = own.heading if symmetric else jnp.int32(NORTH)
    # The rotation that takes north to the heading `turn`.
    cos = (turn == NORTH).astype(jnp.int32) - (turn == SOUTH)
    sin = (turn == EAST).astype(jnp.int32) - (turn == WEST)

    def seen(down: int, right: int) -> Array:
        if down == right == 0:
            return (OWN + ((own.heading - turn) & 3)).astype(jnp.int8)
        row = own.row + cos * down + sin * right
        column = own.column + cos * right - sin * down
        code = jnp.where(game.has_brick(own, row, column), OWN_BRICK, EMPTY)
        code = jnp.where(game.has_brick(other, row, column), OTHER_BRICK, code)
        code = jnp.where((row == other.row) & (column == other.column), OTHER + ((other.heading - turn) & 3), code)
        return jnp.where(game.inside(row, column), code, EDGE).astype(jnp.int8)

    # Square by square: over many games each square is one loop, and no data is rearranged in between.
    reach = range(-(size // 2), size // 2 + 1)
    return jnp.stack([seen(down, right) for down in reach for right in reach])


def places(game: Walls, state: State, size: int, symmetric: bool = False) -> list[str]:
    """Return the names of the squares that `neighbourhood` shows, on the host; empty: beyond the edge."""
    own = state.own
    turn = int(own.heading) if symmetric else NORTH
    cos, sin = int(turn == NORTH) - int(turn == SOUTH), int(turn == EAST) - int(turn == WEST)
    reach = range(-(size // 2), size // 2 + 1)
    at = [
        (int(own.row) + cos * down + sin * right, int(own.column) + cos * right - sin * down)
        for down in reach
        for right in reach
    ]
    return [square(row, column) if 0 <= min(row, column) <= max(row, column) < game.size else "" for row, column in at]


def square(row: int, column: int) -> str:
    """Return the name of a square, by its row and column from 0: r1c1 is the one in the north-west."""
    return f"r{row + 1}c{column + 1}"
