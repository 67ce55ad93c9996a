"""Morpion Solitaire: a game for one on squared paper. A move adds one cross and a line of five crosses through it.

Source: the report "EVCO Assessment 2013/2014", Candidate Y1447424, whose Java listing gives the start, the directions
and their order. Rules as played for the records of morpionsolitaire.com:

- The start is a Greek cross of 36 crosses, four crosses to each of its twelve edges.
- A line is five points in a row, horizontal, vertical or diagonal. Four have a cross, the fifth gets one.
- 5T, "touching": a line uses four unit segments, and no segment is used twice; lines in one row may share an end.
- 5D, "disjoint": a line uses five points, and no point is used twice by lines of the same direction.
- There is no passing. The game ends when no line can be drawn; the score is the number of lines.

Paper is endless, the grid is not: a line that would leave it cannot be drawn. The default size holds all record games
in every orientation, so the edge of the grid hardly ever matters.

Points are named as in the report, on grids of all sizes: x to the right, y upwards, and the cross fills
x 16..25, y 17..26. The report's grid has 41 points on each side, 0..40, which is `size=41` here.

A board has a row of bits for each y, and a line is named by its first point and its direction. So legal lines are found
by shifting whole boards against each other.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import given_up
from jaxgp.contracts import Starts
from jaxgp.options import check, option

Variant = Literal["5T", "5D"]

LENGTH = 5
"""Points of a line."""
DX, DY = (1, 1, 0, -1), (0, 1, 1, 1)
"""Steps of the directions: horizontal, rising diagonal, vertical, falling diagonal (drawn upwards, to the left)."""
START = """
. . . X X X X . . .
. . . X . . X . . .
. . . X . . X . . .
X X X X . . X X X X
X . . . . . . . . X
X . . . . . . . . X
X X X X . . X X X X
. . . X . . X . . .
. . . X . . X . . .
. . . X X X X . . .
"""
CORNER = (16, 17)
"""The point at the bottom left of the square around the Greek cross."""
WORD = 32
NOWHERE = 0
"""Both coordinates of `State.last` before the first move; no cross is ever drawn there."""


@struct.dataclass
class State:
    """One position; H rows, W = ceil(size / 32) words to a row.

    Rows are the last axis, so that loops over them are vectorised.
    """

    crosses: Array  # uint32[W, H]: bit x % 32 of word x // 32 of row y is a cross
    used: Array  # uint32[4, W, H]: by direction; 5T: a segment starts here; 5D: the point lies on a line
    legal: Array  # uint32[4, W, H]: by direction; a line that starts here may be drawn
    count: Array  # int32[]: lines drawn
    last: Array  # int32[2]: x, y of the newest cross, as points are named; NOWHERE at the start
    to_move: Array  # int32[]: always 0
    terminated: Array  # bool[]
    returns: Array  # float32[1]: the score at the end, zero until then


@dataclass(frozen=True)
class Morpion:
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    variant: Variant = option("5T", "whether two lines of a direction may touch, 5T, or not, 5D")
    size: int = option(
        32, "points on each side of the grid; up to 32 a row is one word, which is faster", low=20, high=64
    )

    name: ClassVar[str] = "morpion"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 1
    chance: ClassVar[bool] = False
    starts: ClassVar[Starts] = "fixed"

    def __post_init__(self) -> None:
        check(self, "game.")

    @property
    def num_actions(self) -> int:
        """Lines by direction, row and column of their first point, whether they fit the grid or not."""
        return 4 * self.size**2

    @property
    def words(self) -> int:
        """Words that hold a bit for each point of a row."""
        return -(-self.size // WORD)

    @property
    def origin(self) -> tuple[int, int]:
        """The name of the point at the bottom left of the grid; (0, 0) if the size is 41."""
        left = (self.size - 9) // 2
        return CORNER[0] - left, CORNER[1] - left - 1

    def init(self, key: Array) -> State:
        """Return the Greek cross; no chance is involved, `key` is ignored."""
        del key
        crosses, used = jnp.asarray(self._start), jnp.zeros((4, self.words, self.size), jnp.uint32)
        return State(
            crosses=crosses,
            used=used,
            legal=self.find(crosses, used),
            count=jnp.int32(0),
            last=jnp.full(2, NOWHERE, jnp.int32),
            to_move=jnp.int32(0),
            terminated=jnp.bool_(False),
            returns=jnp.zeros(1, jnp.float32),
        )

    def legal_actions(self, state: State) -> Array:
        """Return bool[4 * size ** 2]: the lines that may be drawn."""
        shifts = np.arange(WORD, dtype=np.uint32)
        bits = (state.legal.swapaxes(1, 2)[..., None] >> shifts) & 1 != 0
        bits = bits.reshape(4, self.size, -1)[..., : self.size]
        return bits.reshape(-1) & ~state.terminated

    def step(self, state: State, action: Array, key: Array) -> State:
        """Draw a line; one that may not be drawn changes nothing, and nothing changes after the end."""
        del key
        direction, column, row = self.line(action)
        x, y = self.new_cross(state, action)
        chosen = np.arange(4)[:, None, None] == direction
        # `played`, not `freeze`: choosing between two whole states costs five times as much as all the rest.
        played = (chosen & (state.legal & self.points(column, row) != 0)).any() & ~state.terminated
        crosses = state.crosses | jnp.where(played, self.points(x, y), 0)
        used = state.used | jnp.where(chosen & played, self._marks(direction, column, row), 0)
        # A fusion barrier: without it XLA computes both anew for each of the forty shifted copies that `find` makes.
        crosses, used = lax.optimization_barrier((crosses, used))
        legal = self.find(crosses, used)
        count, ended = state.count + played, state.terminated | ~(legal != 0).any()
        return State(
            crosses=crosses,
            used=used,
            legal=legal,
            count=count,
            last=jnp.where(played, jnp.stack([x, y]) + np.array(self.origin, np.int32), state.last),
            to_move=state.to_move,
            terminated=ended,
            returns=self._returns(count, ended),
        )

    def score(self, state: State) -> Array:
        """Return float32[1]: lines drawn."""
        return self._returns(state.count, jnp.bool_(True))

    def forfeit(self, state: State) -> State:
        """End the game as it stands."""
        return given_up(state, self.score(state))

    def key(self, state: State) -> Array:
        """Return uint32[5 * size * W]: the crosses, and what the lines use."""
        return jnp.concatenate([state.crosses.reshape(-1), state.used.reshape(-1)])

    def line(self, action: Array) -> tuple[Array, Array, Array]:
        """Return int32[] each: direction of a line, column and row of its first point."""
        return action // self.size**2, action % self.size, action // self.size % self.size

    def action(self, direction: Array, column: Array, row: Array) -> Array:
        """Return int32[...]: the line in a direction (0 to 3) from the point in a column and row of the grid."""
        return (direction * self.size + row) * self.size + column

    def new_cross(self, state: State, action: Array) -> tuple[Array, Array]:
        """Return int32[], int32[]: column and row of the first point of a line that has no cross."""
        direction, column, row = self.line(action)
        x = column + np.arange(LENGTH) * jnp.asarray(DX)[direction]
        y = row + np.arange(LENGTH) * jnp.asarray(DY)[direction]
        # A gather from beyond the edge reads the edge: lines that leave the grid are never legal.
        words = state.crosses.reshape(-1)[(x // WORD * self.size + y).clip(0, self.size * self.words - 1)]
        missing = (words >> (x % WORD).astype(jnp.uint32)) & 1 == 0
        first = jnp.argmax(missing)
        return x[first].astype(jnp.int32), y[first].astype(jnp.int32)

    def points(self, column: Array, row: Array) -> Array:
        """Return uint32[W, H]: the bit of one point of the grid."""
        return jnp.where(np.arange(self.size) == row, self._place(jnp.uint32(1), column), 0)

    def find(self, crosses: Array, used: Array) -> Array:
        """Return uint32[4, W, H]: first points of all lines that may be drawn, by direction."""
        empty, found = self.pad(~crosses), []
        for d in range(4):
            one, two = ~crosses, jnp.zeros_like(crosses)  # at least one point without a cross, at least two
            for k in range(1, LENGTH):
                point = self.along(empty, d, k)
                two |= one & point
                one |= point
            found.append(one & ~two & ~self.taken(used, d))
        return jnp.stack(found) & self.fits

    def taken(self, used: Array, direction: int) -> Array:
        """Return uint32[W, H]: first points of lines, in a direction, that would use what is used (uint32[4, W, H])."""
        marks, found = self.pad(used[direction]), used[direction]
        for k in range(1, self.uses):
            found |= self.along(marks, direction, k)
        return found

    def pad(self, boards: Array) -> Array:
        """Return uint32[..., W, H + 8]: boards with room for `along` above and below."""
        room = [(0, 0)] * (boards.ndim - 1) + [(LENGTH - 1, LENGTH - 1)]
        return jnp.pad(boards, room)

    def along(self, padded: Array, direction: int, steps: int) -> Array:
        """Return uint32[W, H]: at each point the bit of a board (`pad` of it) `steps` further on, at most 4.

        Points beyond the first or the last row, or beyond the words of a row, read 0.
        """
        rows, columns = steps * DY[direction], steps * DX[direction]
        board = padded[:, LENGTH - 1 + rows :][:, : self.size]
        if columns == 0:
            return board
        shifted = board >> columns if columns > 0 else board << -columns
        if self.words == 1:
            return shifted
        edge = jnp.zeros((1, self.size), jnp.uint32)
        if columns > 0:
            return shifted | jnp.concatenate([board[1:], edge]) << (WORD - columns)
        return shifted | jnp.concatenate([edge, board[:-1]]) >> (WORD + columns)

    @property
    def uses(self) -> int:
        """Marks that a line leaves in `State.used`: its segments or its points."""
        return LENGTH - 1 if self.variant == "5T" else LENGTH

    def _marks(self, direction: Array, column: Array, row: Array) -> Array:
        """Return uint32[W, H]: what a line uses."""
        up, flat = np.arange(self.size) - row, direction == 0
        there = jnp.where(flat, up == 0, (up >= 0) & (up < self.uses))
        bits = jnp.where(flat, np.uint32(2**self.uses - 1), np.uint32(1))
        first = column + jnp.where(flat, 0, up * jnp.asarray(DX)[direction])
        return jnp.where(there, self._place(bits, first), 0)

    def _place(self, bits: Array, column: Array) -> Array:
        """Return uint32[W, 1 or H]: bits (uint32[], lowest first) in each row, from a column (int32[] or [H]) on."""
        left = column - WORD * np.arange(self.words)[:, None]
        moved = bits << (left % WORD).astype(jnp.uint32)
        if self.words == 1:
            return moved
        over = bits >> jnp.minimum(-left, WORD - 1).astype(jnp.uint32)
        return jnp.where((left >= 0) & (left < WORD), moved, jnp.where((left < 0) & (left > -WORD), over, 0))

    @property
    def _start(self) -> np.ndarray:
        """The Greek cross, uint32[W, H]."""
        left, bottom = np.subtract(CORNER, self.origin)
        grid = np.zeros((self.size, self.words * WORD), bool)
        rows = START.split("\n")[-2:0:-1]  # from the bottom
        drawn = np.array([[point == "X" for point in row.split()] for row in rows])
        grid[bottom : bottom + len(drawn), left : left + len(drawn)] = drawn
        return pack(grid)

    @property
    def fits(self) -> np.ndarray:
        """First points of the lines that lie on the grid, uint32[4, W, H]."""
        x, y = np.arange(self.words * WORD), np.arange(self.size)[:, None]
        far = LENGTH - 1
        inside = [
            (x < self.size) & (x + far * dx >= 0) & (x + far * dx < self.size) & (y + far * dy < self.size)
            for dx, dy in zip(DX, DY, strict=True)
        ]
        return pack(np.stack(inside))

    def _returns(self, count: Array, ended: Array) -> Array:
        return (count * ended).astype(jnp.float32)[None]


def pack(grid: np.ndarray) -> np.ndarray:
    """Turn bool[..., H, 32 * W] into uint32[..., W, H], the first entry of a row into the lowest bit."""
    bits = grid.reshape(*grid.shape[:-1], -1, WORD) << np.arange(WORD, dtype=np.uint64)
    return bits.sum(-1).astype(np.uint32).swapaxes(-1, -2)


def unpack(words: Array | np.ndarray) -> np.ndarray:
    """Turn uint32[..., W, H] into bool[..., H, 32 * W]."""
    bits = (np.asarray(words).swapaxes(-1, -2)[..., None] >> np.arange(WORD, dtype=np.uint32)) & 1
    return bits.reshape(*bits.shape[:-2], -1).astype(bool)


GAME = Morpion
