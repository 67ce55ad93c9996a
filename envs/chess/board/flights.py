"""Whether a move surely leaves the other king a square to go to, read off a board without the move.

A *flight* is a square beside that king without a man of its side, which nothing attacks once the king has left its own.
A move covers it by its man, whatever stands between, by a line that it opens, or by going there. Where none of these is
so, the flight stays, and the move is no mate. Moves of the king, promotions and captures in passing are not looked at.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.chess.board.position import BISHOP, KING, KNIGHT, MOVE, PASSING, PAWN, QUEEN, ROOK, Board

DIRECTIONS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1))
"""Steps of columns and rows, straight ones first; each pair are opposites."""
LINE = np.array([2, 2, 2, 2, 1, 1, 1, 1])
"""The bit of kinds that slide in each direction."""
OUT = 64


def _square(x: int, y: int) -> int:
    return 8 * y + x if 0 <= x < 8 and 0 <= y < 8 else OUT


WALKS = np.array(
    [[[_square(s % 8 + n * dx, s // 8 + n * dy) for n in range(1, 8)] for dx, dy in DIRECTIONS] for s in range(64)]
)
"""int[64, 8, 7]: squares from each square on; `OUT` beyond the edge."""


def _attacks(kind: int, start: int, end: int) -> bool:
    """Whether an own man of a kind attacks a square where nothing stands between."""
    dx, dy = end % 8 - start % 8, end // 8 - start // 8
    far = max(abs(dx), abs(dy))
    slides = (not dx or not dy, abs(dx) == abs(dy))
    by_kind = {
        BISHOP: slides[1],
        ROOK: slides[0],
        QUEEN: any(slides),
        KNIGHT: abs(dx * dy) == 2,
        PAWN: dy == 1 and abs(dx) == 1,
        KING: far == 1,
    }
    return far > 0 and by_kind.get(kind, False)


ATTACKS = np.array([[[_attacks(kind, s, t) for t in range(64)] for s in range(64)] for kind in range(8)])
TOWARDS = np.full((64, 64), len(DIRECTIONS))
"""The direction from one square to another; 8: there is none."""
for _start in range(64):
    for _way in range(len(DIRECTIONS)):
        for _end in WALKS[_start, _way]:
            if _end != OUT:
                TOWARDS[_start, _end] = _way


def leaves_flight(board: Board, move: Array) -> Array:
    """Return bool[]: a legal move (integer[]) surely leaves the other king a flight."""
    squares = np.arange(64)
    bits = board.planes[:, squares // 32] >> (squares % 32).astype(np.uint32) & 1
    kinds = (bits[0] + 2 * bits[1] + 4 * bits[2]).astype(jnp.int32)
    own = bits[3] == 1
    king = jnp.argmax((kinds == KING) & ~own)
    beside = jnp.asarray(WALKS)[king, :, 0]
    there = jnp.minimum(beside, 63)
    away = jnp.where(squares == king, 0, kinds)
    leaps = (own & (kinds >= KNIGHT))[:, None] & jnp.asarray(ATTACKS)[kinds, squares][:, there]
    slid = _sliders(away, own, there).any(-1)
    flights = (beside < OUT) & ((kinds[there] == 0) | own[there]) & ~leaps.any(0) & ~slid

    start, end = (move & MOVE) >> 6, move & 63
    kind = kinds[start]
    way = jnp.asarray(TOWARDS)[start, there]
    # What stands behind the man looks from the opposite direction.
    opens = (way < 8) & _sliders(kinds, own, start)[(way ^ 1) & 7]
    covered = (there == end) | jnp.asarray(ATTACKS)[kind, end, there] | opens
    passing = (board.rest >> PASSING & 15).astype(jnp.int32)
    takes_passing = (kind == PAWN) & (passing > 0) & (end == 39 + passing)
    promotes = (kind == PAWN) & (start >= 48)
    return (flights & ~covered).any() & (kind != KING) & ~takes_passing & ~promotes


def _sliders(kinds: Array, own: Array, square: Array) -> Array:
    """Return bool[..., 8]: in each direction from squares [...] the first man is an own one that slides along it."""
    walk = jnp.asarray(WALKS)[square]
    at = jnp.minimum(walk, 63)
    men = jnp.where(walk < OUT, kinds[at], 0)
    first = jnp.argmax(men > 0, -1)[..., None]
    man = jnp.take_along_axis(men, first, -1)[..., 0]
    mine = jnp.take_along_axis(own[at], first, -1)[..., 0]
    return mine & (man < KNIGHT) & (man & LINE != 0)
