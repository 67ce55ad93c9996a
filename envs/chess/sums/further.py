"""What only sums see of chess: terminals that the source does not have.

The steps between two men are moves of a king; of several men the nearest counts, and without one the steps are 0.
"""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.chess.geometry import KING, OFF, QUEEN, ROOK, SQUARES, Board, Relation
from envs.chess.rules import moved
from jaxgp.bits import nth_square

FURTHER = (
    "MyKingDistOppKing",
    "MyKingDistQueen",
    "MyKingDistOppRook",
    "MyQueenDistOppRook",
    "NumMovesOpp",
    "NumSafeMovesOpp",
)
MOST = dict.fromkeys(FURTHER[:4], 7) | dict.fromkeys(FURTHER[4:], 24)
"""What they come to; more moves count as more."""
NONE = np.int8(8)
"""Steps to a man that is not there."""


def terminals(board: Board, seen: Relation, words: Array, loses: Callable[[Board], Array]) -> dict[str, Array]:
    """Return each terminal, [*B]; the player is the second side of the board.

    Args:
        board: the side to move first.
        seen: how all men lie as seen from all, those of the side to move first.
        words: its legal moves.
        loses: boards, the player to move -> bool[*B]: whether the other side can be taken a man.
    """
    size = board.men.shape[1]
    there = board.men < OFF
    mine = {kind: there[1] & (board.kinds[1] == kind) for kind in (KING, QUEEN)}
    rooks = there[0] & (board.kinds[0] == ROOK)

    def steps(some: Array, others: Array, side: int) -> Array:
        """Return int8[*B]: from the nearest of some men of mine, bool[S, *B], to the nearest of others, of a side."""
        far = seen.distance[size:, side * size : (side + 1) * size]
        least = jnp.where(some[:, None] & others[None], far, NONE).min((0, 1))
        return jnp.where(least < NONE, least, 0)

    return {
        "MyKingDistOppKing": seen.distance[size, 0],
        "MyKingDistQueen": steps(mine[KING], mine[QUEEN], 1),
        "MyKingDistOppRook": steps(mine[KING], rooks, 0),
        "MyQueenDistOppRook": steps(mine[QUEEN], rooks, 0),
        "NumMovesOpp": _count(words),
        "NumSafeMovesOpp": _safe(board, words, loses),
    }


def _count(words: Array) -> Array:
    """Return int32[*B]: how many moves there are."""
    return lax.population_count(words).astype(jnp.int32).sum((0, 1))


def _safe(board: Board, words: Array, loses: Callable[[Board], Array]) -> Array:
    """Return int32[*B]: after how many moves, of the side to move, it cannot be taken a man."""
    counts = _count(words)
    flat = tuple(words[n, w] for n in range(len(words)) for w in range(2))

    def one(carry: tuple[Array, Array]) -> tuple[Array, Array]:
        place, found = carry
        action = nth_square(flat, place + 0 * counts)
        men, kinds, _ = moved(board, action // SQUARES, (action % SQUARES).astype(jnp.int8))
        return place + 1, found + ((place < counts) & ~loses(Board(men, kinds)))

    return lax.while_loop(lambda carry: carry[0] < counts.max(), one, (jnp.int32(0), 0 * counts))[1]
