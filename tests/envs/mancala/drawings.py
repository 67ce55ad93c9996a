"""Boards as drawings, so that a test shows the position that it is about.

A drawing shows the board from the mover's side, as it lies on a table: the opponent's pits in the upper row (from right
to left), the own ones in the lower; between them the opponent's store on the left and the own on the right.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

import envs
from tests.envs.replays import KEY, stepping


def read(drawing):
    """Read a drawing into cells: own pits, own store, the opponent's pits from its left, its store."""
    upper, stores, lower = ([int(n) for n in row.split()] for row in drawing.strip().splitlines())
    assert len(upper) == len(lower)
    assert len(stores) == 2
    return [*lower, stores[1], *upper[::-1], stores[0]]


def draw(cells):
    """Draw cells; the reverse of `read`."""
    half = len(cells) // 2
    rows = cells[half:-1][::-1], (cells[-1], cells[half - 1]), cells[: half - 1]
    return "\n".join(" ".join(map(str, row)) for row in rows)


def sow(drawing, pit, to_move=0, **settings):
    """Sow the pit of this number, 1 being the leftmost.

    Returns:
        The new state, and its drawing from the side of the player who has sown.
    """
    before = read(drawing)
    game = envs.make("mancala", pits=len(before) // 2 - 1, **settings)
    start = game.init(KEY)
    board = jnp.asarray(before, start.board.dtype)
    state = jax.jit(stepping(game))(
        dataclasses.replace(start, board=board, to_move=jnp.int32(to_move)), jnp.int32(pit - 1)
    )
    cells = np.asarray(state.board).tolist()
    half = len(cells) // 2
    return state, draw(cells if state.to_move == to_move else cells[half:] + cells[:half])


def drawing(text):
    """Normalise spaces, so that drawings may be aligned."""
    return "\n".join(" ".join(row.split()) for row in text.strip().splitlines())
