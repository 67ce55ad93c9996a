"""A whole position of chess in nine words, and what a move makes of it. The rules are those of FIDE.

A board is 64 nibbles, one bit of each in a plane: three bits are the kind of a man, the fourth says that the side to
move has it. That side looks up the board: its men start on the first two rows, whatever its colour, and squares are
numbered as it sees them. After a move the board is turned. The columns stay.

Draws by repetition and by 50 moves are not known here: there is no history.

A *move* is a number of 12 bits: 64 * from + to. A pawn on the seventh row always promotes; its `to` is 4 * (1 + columns
to the right) + the place of the new kind in `PROMOTIONS`. So moves from one square are in order of squares and kinds.
"""

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from envs.chess.board.squares import Set, at, columns, of
from envs.chess.geometry import batch_last

BISHOP, ROOK, QUEEN, KNIGHT, PAWN, KING = 1, 2, 3, 4, 5, 6
"""Kinds; 0 is an empty square. Below 4, bit 0 says that they slide on diagonals, bit 1 that they slide straight."""
LETTERS = ".brqnpk"
PROMOTIONS = (QUEEN, ROOK, BISHOP, KNIGHT)
MOVE = 4095
"""The bits of a move."""
OWN_SHORT, OWN_LONG, ITS_SHORT, ITS_LONG = 1, 2, 4, 8
"""Bits of `Board.rest`: which sides may still castle, of the side to move and of the other one."""
PASSING, BLACK = 4, 8
"""Bits from 4 on: 1 + the column in which a pawn can be taken in passing, or 0; bit 8: black is to move."""
HOME = 4
"""The square of a king that has not moved."""


@struct.dataclass
class Board:
    """A position."""

    planes: Array  # uint32[4, 2, *B]: bits 0 to 2 of the kinds, and the men of the side to move
    rest: Array  # uint32[*B]: castling, a pawn that can be taken in passing, and the colour to move

    @property
    def men(self) -> "Men":
        """The sets of men."""
        a, b, c, own = (Set(self.planes[n, 0], self.planes[n, 1]) for n in range(4))
        slides, taken = ~c, a | b | c
        return Men(
            occupied=taken,
            own=own,
            slanting=a & slides,
            straight=b & slides,
            knights=c & ~a & ~b,
            pawns=c & a,
            kings=c & b,
        )


@struct.dataclass
class Men:
    """Squares of men of both sides."""

    occupied: Set
    own: Set  # of the side to move
    slanting: Set  # bishops and queens
    straight: Set  # rooks and queens
    knights: Set
    pawns: Set
    kings: Set


def turn(words: Array) -> Array:
    """Return sets, uint32[N, 2, *B], on the board seen from the other side."""
    words = words[:, ::-1]
    words = (words >> 8 & np.uint32(0x00FF00FF)) | (words & np.uint32(0x00FF00FF)) << 8
    return words >> 16 | words << 16


@batch_last
def advance(board: Board, move: Array) -> Board:
    """Play a move (integer[*B], bits above the twelfth are ignored) without checking it, and turn the board."""
    move = move.astype(jnp.int32) & MOVE
    start, code = move >> 6, move & 63
    planes = [Set(board.planes[n, 0], board.planes[n, 1]) for n in range(4)]
    origin = at(start)
    # The kind of the man that moves, and what it becomes.
    kind = sum((planes[n] & origin).some.astype(jnp.int32) << n for n in range(3))
    pawn = kind == PAWN
    promotes = pawn & (start >= 48)
    end = jnp.where(promotes, start + 7 + (code >> 2), code)
    becomes = jnp.where(promotes, _promoted(code & 3), kind)
    goal = at(end)
    passing = (board.rest >> PASSING & 15).astype(jnp.int32)
    takes_passing = pawn & (passing > 0) & (end == 39 + passing)
    castles = (kind == KING) & (start == HOME) & ((end == 6) | (end == 2))
    short = end == 6
    rook = at(jnp.where(short, 5, 3)).where(castles)
    gone = origin | goal | at(end - 8).where(takes_passing) | at(jnp.where(short, 7, 0)).where(castles)
    after = [
        (plane & ~gone) | goal.where((becomes >> n & 1) != 0) | (rook if n == 1 else _none(rook))
        for n, plane in enumerate(planes[:3])
    ]
    occupied = after[0] | after[1] | after[2]
    other = occupied & ~(planes[3] | goal | rook)
    # Only a pawn beside it can take one in passing.
    twice = pawn & (end - start == 16)
    beside = (at(end + 1) & ~of(columns("a"))) | (at(end - 1) & ~of(columns("h")))
    may = (beside & other & after[0] & after[2] & ~after[1]).some & twice
    column = jnp.where(may, (end & 7) + 1, 0).astype(jnp.uint32)
    rights = board.rest & 15
    for square, right in ((HOME, OWN_SHORT | OWN_LONG), (7, OWN_SHORT), (0, OWN_LONG), (63, ITS_SHORT), (56, ITS_LONG)):
        rights = rights & jnp.where((start == square) | (end == square), np.uint32(15 - right), np.uint32(15))
    rest = rights >> 2 | (rights & 3) << 2 | column << PASSING | (~board.rest & 1 << BLACK)
    words = jnp.stack([jnp.stack([each.low, each.high]) for each in (*after, other)])
    return Board(turn(words), rest)


def _none(like: Set) -> Set:
    return Set(jnp.zeros_like(like.low), jnp.zeros_like(like.high))


def _promoted(code: Array) -> Array:
    """Return int32[*B]: the kind with a place in `PROMOTIONS`."""
    packed = sum(kind << 3 * place for place, kind in enumerate(PROMOTIONS))
    return np.int32(packed) >> 3 * code & 7


def key(board: Board) -> Array:
    """Return uint32[9, *B]: the position; equal ones alone have equal keys."""
    return jnp.concatenate([board.planes.reshape(8, *board.rest.shape), board.rest[None]])
