"""Rush Hour: a puzzle for one. Vehicles slide along their own lines until X can leave the board on the right.

Source: Sipper, "Evolved to Win", chapter 10; the 40 boards of the first commercial set are named JAM01 to JAM40, as
there. Boards have 6 x 6 to 8 x 8 cells:

- A vehicle covers 2 or 3 cells of a row or a column and slides along it. No vehicle leaves its line, jumps or overlaps.
- X covers 2 cells of row (size - 1) // 2, counted from 0 at the top; the exit is at the right end of this row. The
  puzzle is solved when X stands at the exit. Driving out through it would be the same slide.
- The metric `moves` counts a slide of any number of cells as one move. The metric `steps` has slides of one cell alone.
- A wall covers one cell and never moves. There is no limit on the number of moves.
- With `macro`, X drives to the exit as part of the move that clears its way, as in section 10.2.2 of the source.

A line is a byte of bits, and a board is two words of four lines each, once by rows and once by columns. A vehicle finds
how far it can slide from the byte of its line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from envs.rush_hour.boards import Board, find, target_row
from envs.rush_hour.goals import deduce_places
from jaxgp.arrays import given_up
from jaxgp.contracts import Packs, Puzzle, Starts
from jaxgp.options import check, option

Metric = Literal["moves", "steps"]

X = 0
"""The index of the vehicle that has to leave."""
NONE = -1
"""`State.last` before the first move."""
ANYWHERE = 7
"""The goal of a vehicle without a designated place; no vehicle can stand there."""
LINE = 8
"""Bits of a line."""
NUMBER = 3
"""Bits that hold a position along a line, and a line."""
MOST_COUNTED = 0xFFFF
"""The greatest number of moves that a packed state has room for."""
MOST_MOVES = {6: 32, 7: 50, 8: 72}
"""Legal moves of a position at most, by size.

These are proved optima of an integer program: which vehicles stand where, and which slides are free, so that as many
slides as possible are (HiGHS, `scipy.optimize.milp`)."""

Pair = tuple[Array, Array]
"""A set of cells, uint32[] each: lines 0 to 3 and 4 to 7, a byte each, the first cell of a line in its lowest bit."""
Whole = TypeVar("Whole", int, Array)
"""A whole number of Python, or of a device."""


@struct.dataclass
class State:
    """One position; V is 18, 24 or 32. Vehicles that the board does not have are 0 cells long.

    A position of a vehicle is the number of its first cell along its line, the topmost or the leftmost one.
    """

    positions: Array  # int8[V]
    lengths: Array  # int8[V]: cells, of a wall 1; constant
    lines: Array  # int8[V]: row, or column of a vertical one; constant
    vertical: Array  # bool[V]: constant
    goals: Array  # int8[V]: places designated by the deduced goal board, ANYWHERE for those without; constant
    level: Array  # float32[]: 0 to 1, how difficult the board is among those of its set; constant
    count: Array  # int32[]: moves made
    last: Array  # int32[]: the last action; NONE at the start
    to_move: Array  # int32[]: always 0
    terminated: Array  # bool[]: solved, or given up
    returns: Array  # float32[1]: at the end minus the number of moves, zero until then


class Frames(NamedTuple):
    """Sets of cells of horizontal vehicles by rows, and of vertical vehicles by columns."""

    across: Pair
    down: Pair


@dataclass(frozen=True)
class RushHour(Packs, Puzzle[State]):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    size: int = option(6, "rows and columns of the board", low=6, high=8)
    board: str = option(
        "JAM01",
        "the board that is played",
        accepted="the name of a board that comes with the game, or the cells of one, row by row",
    )
    metric: Metric = option("moves", "whether a slide of any number of cells is one action, moves, or of one, steps")
    macro: bool = option(False, "whether X drives to the exit as part of the move that clears its way, if it can")

    name: ClassVar[str] = "rush_hour"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 1
    chance: ClassVar[bool] = False
    starts: ClassVar[Starts] = "instance"

    def __post_init__(self) -> None:
        check(self, "game.")
        size = self.start.size
        if size != self.size:
            raise ValueError(
                f"game.size={self.size}: accepted: {size} with this board, which has {size} rows of {size} cells"
            )

    @cached_property
    def start(self) -> Board:
        """The board that is played; raises ValueError, which says what is accepted."""
        try:
            return find(self.board)
        except ValueError as error:
            shown = self.board if len(self.board) <= 40 else self.board[:37] + "..."
            raise ValueError(f"game.board={shown}: {error}") from error

    @property
    def vehicles(self) -> int:
        """V: a vehicle has at least two cells, so no board has more."""
        return self.size**2 // 2

    @property
    def far(self) -> int:
        """Cells of the longest slide."""
        return self.size - 2

    @property
    def num_actions(self) -> int:
        """Vehicles, and for each the slides by -far to -1 and by 1 to far cells, in this order."""
        return self.vehicles * 2 * self.far

    @property
    def most_choices(self) -> int:
        """The most legal moves that a position on a board of this size can have."""
        if self.metric == "steps":
            return min(2 * self.vehicles, MOST_MOVES[self.size])
        return MOST_MOVES[self.size]

    def init(self, key: Array) -> State:
        """Return the board; no chance is involved, `key` is ignored."""
        del key
        return jax.tree.map(jnp.asarray, self.position(self.start))

    def position(self, board: Board, level: float = 0.0) -> State:
        """Return a board as a state of NumPy arrays.

        Args:
            board: of this size.
            level: how difficult it is among the boards of its set, 0 to 1.

        Raises:
            ValueError: a board of another size.
        """
        if board.size != self.size:
            raise ValueError(f"{board.name or 'the board'}: has {board.size} rows; accepted: boards of {self.size}")
        none = [(0, 0, 0, False, ANYWHERE)] * (self.vehicles - len(board.vehicles))
        rows = [
            (one.start, one.length, one.line, one.vertical, ANYWHERE if goal is None else goal)
            for one, goal in zip(board.vehicles, deduce_places(board), strict=True)
        ]
        starts, lengths, lines, vertical, goals = zip(*rows, *none, strict=True)
        fields: dict[str, Any] = {
            "positions": np.array(starts, np.int8),
            "lengths": np.array(lengths, np.int8),
            "lines": np.array(lines, np.int8),
            "vertical": np.array(vertical, bool),
            "goals": np.array(goals, np.int8),
            "level": np.float32(level),
            "count": np.int32(0),
            "last": np.int32(NONE),
            "to_move": np.int32(0),
            "terminated": np.bool_(starts[X] == self.size - 2),
            "returns": np.zeros(1, np.float32),
        }
        return State(**fields)

    def positions(self, boards: Sequence[Board]) -> State:
        """Return a set of boards as states [B, ...] of NumPy arrays.

        The level of a board is the share of the others that take fewer moves to solve; 0 where that is not known.

        Raises:
            ValueError: a board of another size, or no board.
        """
        if not boards:
            raise ValueError("no board; accepted: at least one")
        known = [board.moves for board in boards]
        others = max(len(boards) - 1, 1)
        levels = [0 if a is None else sum(b is not None and b < a for b in known) / others for a in known]
        made = [self.position(board, level) for board, level in zip(boards, levels, strict=True)]
        stacked: State = jax.tree.map(lambda *x: np.stack(x), *made)
        return stacked

    def solved(self, state: State) -> Array:
        """Return bool[]: whether X stands at the exit."""
        return state.positions[X] == self.size - 2

    def clear(self, state: State) -> Array:
        """Return bool[]: whether nothing stands between X and the exit."""
        row, front = target_row(self.size), state.positions[X] + 1
        along = ~state.vertical & (state.lines == row) & (state.positions > front)
        across = state.vertical & (state.positions <= row) & (row < state.positions + state.lengths)
        return ~(along | across & (state.lines > front)).any()

    def legal_actions(self, state: State) -> Array:
        """Return bool[V * 2 * far]: the slides that are free."""
        back, forward = self.reach(state)
        distance = np.r_[-self.far : 0, 1 : self.far + 1]
        return ((-back[:, None] <= distance) & (distance <= forward[:, None])).reshape(-1) & ~state.terminated

    def choices(self, state: State) -> Array:
        """Return int32[]: how many slides are free."""
        back, forward = self.reach(state)
        return (back + forward).sum(dtype=jnp.int32)

    def choice(self, state: State, place: Array) -> Array:
        """Return int32[]: the action at a place (int32[]) of the list of those that are free, in ascending order."""
        back, forward = self.reach(state)
        ends = jnp.cumsum(back + forward, dtype=jnp.int32)
        vehicle = (ends <= place).sum(dtype=jnp.int32)
        own = np.arange(self.vehicles) == vehicle
        rank = place - jnp.where(own, ends - back - forward, 0).sum(dtype=jnp.int32)
        backwards = jnp.where(own, back, 0).sum(dtype=jnp.int32)
        return vehicle * (2 * self.far) + self.far - backwards + rank

    def step(self, state: State, action: Array, key: Array) -> State:
        """Slide a vehicle; a slide that is not free changes nothing, and nothing changes after the end."""
        del key
        return self._slid(state, action, self.is_free(state, *self.slide(action)))

    def advance(self, state: State, action: Array) -> State:
        """Slide a vehicle over cells that are free."""
        return self._slid(state, action, jnp.bool_(True))

    def _slid(self, state: State, action: Array, free: Array) -> State:
        vehicle, distance = self.slide(action)
        moves = free & ~state.terminated
        moved = (np.arange(self.vehicles) == vehicle) & moves
        positions = (state.positions + jnp.where(moved, distance, 0)).astype(jnp.int8)
        if self.macro:
            leaves = moves & self.clear(state.replace(positions=positions))  # type: ignore[attr-defined]
            positions = positions.at[X].set(jnp.where(leaves, self.size - 2, positions[X]))
        count = state.count + moves
        ended = state.terminated | (positions[X] == self.size - 2)
        return State(
            positions=positions,
            lengths=state.lengths,
            lines=state.lines,
            vertical=state.vertical,
            goals=state.goals,
            level=state.level,
            count=count,
            last=jnp.where(moves, action, state.last),
            to_move=state.to_move,
            terminated=ended,
            returns=_returns(count, ended),
        )

    def score(self, state: State) -> Array:
        """Return float32[1]: minus the number of moves made."""
        return _returns(state.count, jnp.bool_(True))

    def forfeit(self, state: State) -> State:
        """End the game as it stands."""
        return given_up(state, self.score(state))

    def key(self, state: State) -> Array:
        """Return uint32[2], [3] or [4] by size: the positions of the vehicles, three bits each."""
        return _pack(state.positions, NUMBER)

    def action(self, vehicle: int, distance: int) -> int:
        """Return the slide of a vehicle by a number of cells, negative to the left and up.

        Raises:
            ValueError: there is no such action.
        """
        if not (0 <= vehicle < self.vehicles and 0 < abs(distance) <= self.far):
            raise ValueError(f"{distance} cells: accepted: 1 to {self.far}, forwards or backwards")
        return vehicle * 2 * self.far + distance + self.far - (distance > 0)

    def slide(self, action: Whole) -> tuple[Whole, Whole]:
        """Return the vehicle of an action, an int or int32[...], and the cells by which it slides."""
        distance = action % (2 * self.far) - self.far
        return action // (2 * self.far), distance + (distance >= 0)

    def is_free(self, state: State, vehicle: Array, distance: Array) -> Array:
        """Return bool[]: whether the cells are free over which a vehicle (int32[], any number) would slide.

        It looks at one line alone, which takes a fraction of the time of `reach`.
        """
        own = np.arange(self.vehicles) == vehicle
        start, length, line = (
            jnp.where(own, x, 0).sum(dtype=jnp.int32) for x in (state.positions, state.lengths, state.lines)
        )
        beside = (state.vertical == (own & state.vertical).any()) & ~own
        along = jnp.where(beside & (state.lines == line), cells(state), 0)
        crossing = ~beside & ~own & (state.positions <= line) & (line < state.positions + state.lengths)
        across = jnp.where(crossing, np.uint32(1) << state.lines.astype(jnp.uint32), 0)
        taken = lax.reduce(along | across, np.uint32(0), lax.bitwise_or, (0,))
        first, last = start + jnp.minimum(distance, 0), start + length + jnp.maximum(distance, 0)
        swept = (np.uint32(1) << last.astype(jnp.uint32)) - (np.uint32(1) << first.astype(jnp.uint32))
        one = (jnp.abs(distance) == 1) if self.metric == "steps" else True
        return (length > 1) & (first >= 0) & (last <= self.size) & (swept & taken == 0) & one

    def reach(self, state: State) -> Pair:
        """Return int32[V] each: actions of each vehicle backwards (left, up) and forwards; none after the end."""
        back, forward = self.room(state, self.occupied(state))
        most = jnp.where(state.terminated, 0, self.far if self.metric == "moves" else 1)
        return jnp.minimum(back, most), jnp.minimum(forward, most)

    def room(self, state: State, board: Frames) -> Pair:
        """Return int32[V] each: free cells behind (left of, above) each vehicle, and before it.

        Args:
            state: the position.
            board: what is taken in it.
        """
        own = cells(state)
        line = self.seen(state, board) & ~own
        start, end = state.positions.astype(jnp.uint32), (state.positions + state.lengths).astype(jnp.uint32)
        below = line & ((np.uint32(1) << start) - 1)
        above = (
            line | np.uint32(0xFFFFFFFF << self.size & 0xFFFFFFFF)
        ) >> end  # never 0: all beyond the board is taken
        back = start.astype(jnp.int32) - (32 - lax.clz(below).astype(jnp.int32))
        forward = lax.population_count(~above & (above - 1)).astype(jnp.int32)
        slides = state.lengths > 1
        return jnp.where(slides, back, 0), jnp.where(slides, forward, 0)

    def occupied(self, state: State) -> Frames:
        """Return all cells that are taken: by rows under `across`, by columns under `down`."""
        return whole(spread(state, cells(state)))

    def seen(self, state: State, board: Frames) -> Array:
        """Return uint32[V]: the line of each vehicle, by rows or by columns as it slides."""
        far = state.lines >= LINE // 2
        across, down = (jnp.where(far, half[1], half[0]) for half in board)
        return jnp.where(state.vertical, down, across) >> _shift(state) & np.uint32(0xFF)

    def pack(self, state: State) -> Array:
        """Return uint32[10], [13] or [17] by size: a state in as few words as are quick to take apart.

        Above `MOST_COUNTED` moves stay that many: the rules have no limit of moves, but a packed state has.
        """
        plan = state.lines.astype(jnp.uint32) | state.vertical.astype(jnp.uint32) << 3
        plan |= state.lengths.astype(jnp.uint32) << 4
        rest = jnp.minimum(state.count, MOST_COUNTED).astype(jnp.uint32) | (state.last + 1).astype(jnp.uint32) << 16
        rest |= state.terminated.astype(jnp.uint32) << 31
        level = lax.bitcast_convert_type(state.level, jnp.uint32)
        words = [_pack(state.positions, NUMBER), _pack(plan, 2 * NUMBER), _pack(state.goals, NUMBER)]
        return jnp.concatenate([*words, jnp.stack([level, rest])])

    def unpack(self, words: Array) -> State:
        """Undo `pack`, but for moves above `MOST_COUNTED`."""
        numbers, plans = -(-self.vehicles // (32 // NUMBER)), -(-self.vehicles // (32 // (2 * NUMBER)))
        positions, plan, goals, (level, rest) = jnp.split(words, np.cumsum([numbers, plans, numbers]))
        plan = _unpack(plan, 2 * NUMBER, self.vehicles)
        count, ended = (rest & MOST_COUNTED).astype(jnp.int32), rest >> 31 != 0
        return State(
            positions=_unpack(positions, NUMBER, self.vehicles).astype(jnp.int8),
            lengths=(plan >> 4).astype(jnp.int8),
            lines=(plan & 7).astype(jnp.int8),
            vertical=plan >> 3 & 1 != 0,
            goals=_unpack(goals, NUMBER, self.vehicles).astype(jnp.int8),
            level=lax.bitcast_convert_type(level, jnp.float32),
            count=count,
            last=(rest >> 16 & 0x7FFF).astype(jnp.int32) - 1,
            to_move=jnp.int32(0),
            terminated=ended,
            returns=_returns(count, ended),
        )


def rules_of(size: int, metric: Metric = "moves", macro: bool = False) -> RushHour:
    """Return rules for positions of any boards of a size; on its own board X is alone.

    States carry their boards, and a program is compiled once for these rules, whatever the boards are.
    """
    before = target_row(size) * size
    return RushHour(size, "." * before + "XX" + "." * (size**2 - before - 2), metric, macro)


def cells(state: State) -> Array:
    """Return uint32[V]: the cells of each vehicle along its line, the first cell of the line in the lowest bit."""
    return ((np.uint32(1) << state.lengths.astype(jnp.uint32)) - 1) << state.positions.astype(jnp.uint32)


def spread(state: State, bits: Array) -> Frames:
    """Join cells of the lines of vehicles (uint32[V], as `cells` has them) to sets."""
    placed = bits << _shift(state)
    far = state.lines >= LINE // 2
    across, down = (
        tuple(lax.reduce(jnp.where(some & half, placed, 0), np.uint32(0), lax.bitwise_or, (0,)) for half in (~far, far))
        for some in (~state.vertical, state.vertical)
    )
    return Frames(across, down)


def whole(frames: Frames) -> Frames:
    """Return the union of both sets, by rows and by columns."""
    rows, columns = transpose(frames.down), transpose(frames.across)
    return Frames(
        (frames.across[0] | rows[0], frames.across[1] | rows[1]),
        (frames.down[0] | columns[0], frames.down[1] | columns[1]),
    )


def transpose(board: Pair) -> Pair:
    """Return a board with rows and columns exchanged.

    Source: Warren, "Hacker's Delight", 2nd edition, section 7-3: blocks of 1, 2 and 4 bits change places.
    """
    low, high = (_turned_halves(word) for word in board)
    swap = (low ^ high << 4) & np.uint32(0xF0F0F0F0)
    return low ^ swap, high ^ swap >> 4


def _turned_halves(word: Array) -> Array:
    for shift, mask in ((7, 0x00AA00AA), (14, 0x0000CCCC)):
        swap = (word ^ word >> shift) & np.uint32(mask)
        word = word ^ swap ^ swap << shift
    return word


def _shift(state: State) -> Array:
    """Return uint32[V]: where the byte of each vehicle's line begins within its word."""
    return (state.lines.astype(jnp.uint32) & 3) << 3


def _returns(count: Array, ended: Array) -> Array:
    return jnp.where(ended, -count, 0).astype(jnp.float32)[None]


def _pack(numbers: Array, width: int) -> Array:
    """Return uint32[ceil(N / k)]: numbers [N] of `width` bits, k = 32 // width of them to a word, the first lowest."""
    each = 32 // width
    rows = jnp.pad(numbers.astype(jnp.uint32), (0, -len(numbers) % each)).reshape(-1, each)
    return (rows << (width * np.arange(each, dtype=np.uint32))).sum(-1, dtype=jnp.uint32)


def _unpack(words: Array, width: int, count: int) -> Array:
    """Undo `_pack`: return uint32[count]."""
    shifts = width * np.arange(32 // width, dtype=np.uint32)
    return (words[:, None] >> shifts & np.uint32(2**width - 1)).reshape(-1)[:count]


GAME = RushHour
