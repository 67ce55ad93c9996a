"""Morpion Solitaire with its legal lines in a list, for searches that play very many games.

The list is updated from move to move. A move removes the lines that lacked its cross, and those in its row that use
what it uses. It adds lines through its cross only, of which there are twenty. The points around the cross in each
direction say whether these are legal. So rows, columns and diagonals are kept as words of bits, side by side.

Actions have the numbers of the rules, and the games that can be played are the same. `jaxgp.search.listed` defines the
contract of such a game.
"""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from envs.morpion.notation.saved import greek_cross
from envs.morpion.rules import DX, DY, LENGTH, WORD, Morpion
from jaxgp.bits import nth_bit
from jaxgp.search.listed import LANES, sums_before

FAR = LENGTH - 1
WAYS = np.arange(4)
TRACKS = 64


@struct.dataclass
class State:
    """One position. A track is a row, a rising diagonal, a column or a falling diagonal, by direction.

    A place on a track is a column in a row, and a row elsewhere. A cell is row * size + column.
    """

    crosses: Array  # uint32[4, 64]: by direction and track, a bit for each place
    used: Array  # uint32[4, 64]: 5T: the segment from this place on is used or leaves the grid; 5D: the same of points
    lines: Array  # int32[M / 8, 8]: legal lines in no order, A in slots without one
    cells: Array  # int32[M / 8, 8]: the new cross of each
    born: Array  # int32[M / 8, 8]: the move that brought in each
    count: Array  # int32[]: lines drawn
    last: Array  # int32[]: cell of the newest cross, -1 for none
    overflow: Array  # bool[]: there were more legal lines than slots, and some are missing


@dataclass(frozen=True)
class ListedMorpion:
    """The rules as pure functions of one state; hashable.

    Attributes:
        game: whose size is at most 32.
        slots: M, a multiple of 8.
    """

    game: Morpion
    slots: int = 40

    def __post_init__(self) -> None:
        if self.game.size > WORD:
            raise ValueError(f"game.size={self.game.size}: accepted with lines in a list: a whole number from 20 to 32")
        if self.slots % LANES or self.slots < LANES:
            raise ValueError(f"slots={self.slots}: accepted: multiples of {LANES}")

    @property
    def num_actions(self) -> int:
        """A, as in the rules."""
        return self.game.num_actions

    def init(self) -> State:
        """Return the Greek cross."""
        size, (left, bottom) = self.game.size, self.game.origin
        crosses = np.zeros((size, size), bool)
        for x, y in greek_cross():
            crosses[y - bottom, x - left] = True
        return self.position(crosses, np.zeros((4, size, size), bool))

    def position(self, crosses: np.ndarray, used: np.ndarray) -> State:
        """Return a position; it is made by NumPy.

        Args:
            crosses: bool[H, H], by row and column.
            used: bool[4, H, H], what lines use as `rules.State` has it.

        Raises:
            ValueError: it has more legal lines than there are slots.
        """
        size, words, marks = self.game.size, np.zeros((4, TRACKS), np.uint32), np.full((4, TRACKS), ~np.uint32(0))
        lines, cells = [], []
        for d, y, x in np.ndindex(4, size, size):
            place = d, self._tracks(x, y)[d]
            bit = np.uint32(1) << np.uint32(self._places(x, y)[d])
            row, column = y + np.arange(LENGTH) * DY[d], x + np.arange(LENGTH) * DX[d]
            inside = (row < size) & (column >= 0) & (column < size)
            words[place] |= bit * crosses[y, x]
            # A segment needs both its ends on the grid.
            marks[place] &= ~(bit * (inside[LENGTH - self._uses] & ~used[d, y, x]))
            if inside.all() and not used[d, row, column][: self._uses].any():
                missing = np.flatnonzero(~crosses[row, column])
                if len(missing) == 1:
                    lines.append((d * size + y) * size + x)
                    cells.append(int(row[missing[0]] * size + column[missing[0]]))
        if len(lines) > self.slots:
            raise ValueError(f"slots={self.slots}: accepted: {len(lines)} or more, the legal lines of this position")
        rest = self.slots - len(lines)
        return State(
            crosses=jnp.asarray(words),
            used=jnp.asarray(marks),
            lines=jnp.asarray(lines + [self.num_actions] * rest, jnp.int32).reshape(-1, LANES),
            cells=jnp.asarray(cells + [0] * rest, jnp.int32).reshape(-1, LANES),
            born=jnp.zeros((self.slots // LANES, LANES), jnp.int32),
            count=jnp.int32(0),
            last=jnp.int32(-1),
            overflow=jnp.bool_(False),
        )

    def options(self, state: State) -> Array:
        """Return int32[M]: the legal lines in no order, A in slots without one."""
        return state.lines.reshape(-1)

    def step(self, state: State, action: Array) -> State:
        """Draw a line; one that may not be drawn changes nothing."""
        size = self.game.size
        here = (state.lines == action) & (action < self.num_actions)
        cell = jnp.where(here, state.cells + 1, 0).sum() - 1
        played, cell = cell >= 0, cell.clip(0)
        direction, column, row = self.game.line(action)
        x, y = cell % size, cell // size
        tracks, places = jnp.stack(self._tracks(x, y)), jnp.stack(self._places(x, y))
        first = jnp.where(direction == 0, column, row).astype(jnp.uint32)
        bits = jnp.where(played, jnp.uint32(1) << places.astype(jnp.uint32), 0)
        marks = jnp.where(played & (direction == WAYS), np.uint32(2**self._uses - 1) << first, 0)
        there = np.arange(TRACKS) == tracks[:, None]
        taken_out = (state.cells == cell) | self._overlap(state.lines, direction, action)
        kept = (state.lines < self.num_actions) & ~(taken_out & played)
        # What follows is arithmetic on slots. If each slot chose among the twenty lines, XLA would judge all twenty
        # anew for each slot.
        crosses = jnp.take_along_axis(state.crosses, tracks[:, None], 1)[:, 0] | bits
        used = jnp.take_along_axis(state.used, tracks[:, None], 1)[:, 0] | marks
        crosses, legal = self._through(crosses, used, places)
        count = jnp.where(played, lax.population_count(legal), 0).astype(jnp.int32)
        holes, rank = (~kept).sum(0, dtype=jnp.int32), sums_before((~kept).astype(jnp.int32))
        bit = nth_bit(legal, rank)
        way, offset = bit >> 3, bit & 7
        stride = self._stride(way)
        line_start = cell - (FAR - offset) * stride
        word = jnp.where(WAYS[:, None, None] == way, crosses[:, None, None], 0).sum(0, dtype=jnp.uint32)
        missing = lax.population_count(lowest_empty(word >> offset.astype(jnp.uint32)) - 1).astype(jnp.int32)
        fresh = ~kept & (rank < count)
        return State(
            crosses=state.crosses | jnp.where(there, bits[:, None], 0),
            used=state.used | jnp.where(there, marks[:, None], 0),
            lines=jnp.where(kept, state.lines, jnp.where(fresh, way * size**2 + line_start, self.num_actions)),
            cells=jnp.where(kept, state.cells, line_start + missing * stride),
            born=jnp.where(kept, state.born, state.count + 1),
            count=state.count + played,
            last=jnp.where(played, cell, state.last),
            overflow=state.overflow | (count > holes.sum()),
        )

    def score(self, state: State) -> Array:
        """Return float32[1]: lines drawn."""
        return state.count.astype(jnp.float32)[None]

    def overflow(self, state: State) -> Array:
        """Return bool[]: whether there were more legal lines than slots."""
        return state.overflow

    def _overlap(self, lines: Array, direction: Array, action: Array) -> Array:
        """Return bool[...]: which lines (int32[...]) use what the line `action` (int32[]) in a direction uses.

        Numbers a few strides off on another track count too, but no line of this direction that fits the grid has one.
        """
        size, stride, same = self.game.size, self._stride(direction), jnp.zeros(lines.shape, bool)
        for steps in range(1 - self._uses, self._uses):
            same |= lines - action == steps * stride
        return same & (lines >= direction * size**2) & (lines < (direction + 1) * size**2)

    def _through(self, crosses: Array, used: Array, places: Array) -> tuple[Array, Array]:
        """Judge the lines through a new cross.

        Args:
            crosses: uint32[4], the new cross's track in each direction, with the cross.
            used: uint32[4], of the same tracks.
            places: int32[4], of the cross on them.

        Returns:
            uint32[4], the tracks from four places before the cross on; uint32[], whose bit 8 * d + k says whether the
            line in direction d that begins k places after that is legal.
        """
        right, left = (places - FAR).clip(0).astype(jnp.uint32), (FAR - places).clip(0).astype(jnp.uint32)
        crosses, used = crosses >> right << left, used >> right << left
        found = jnp.zeros(4, jnp.uint32)
        for k in range(LENGTH):
            empty = lowest_empty(crosses >> k)
            one_missing = empty == ~(crosses >> k) & np.uint32(2**LENGTH - 1)
            free = (used >> k) & np.uint32(2**self._uses - 1) == 0
            inside = (places - FAR + k >= 0) & (places + k < WORD)
            found |= jnp.where(one_missing & (empty != 0) & free & inside, np.uint32(1 << k), 0)
        return crosses, (found << (LANES * WAYS).astype(np.uint32)).sum(dtype=jnp.uint32)

    @property
    def _uses(self) -> int:
        """Marks that a line leaves: its segments or its points."""
        return FAR if self.game.variant == "5T" else LENGTH

    def _stride(self, direction: Array) -> Array:
        """Return int32[...]: by how much cells grow along a direction (0 to 3)."""
        return jnp.where(direction == 0, 1, self.game.size + (direction == 1) - (direction == 3))

    def _tracks(self, x, y):  # type: ignore[no-untyped-def]
        """Return the track of a point in each direction."""
        return [y, y - x + self.game.size - 1, x, x + y]

    def _places(self, x, y):  # type: ignore[no-untyped-def]
        """Return the place of a point on its track in each direction."""
        return [x, y, y, y]


def lowest_empty(points: Array) -> Array:
    """Return uint32[...]: the lowest of the first five bits that is not set, as a bit; 0 where all five are set."""
    empty = ~points & np.uint32(2**LENGTH - 1)
    return empty & (~empty + 1)
