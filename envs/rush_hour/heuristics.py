"""What programs see of a node of a search: estimates of the way to the goal, and advisors.

Source: Sipper, "Evolved to Win", table 10.1 and section 10.2.3. The book leaves details open; each function here says
what is computed. `tests/reference/rush_hour.py` computes the same from boards of letters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.rush_hour.boards import target_row
from envs.rush_hour.rules import Frames, RushHour, State, X, cells, spread, turned, whole

DEPTH = 4
"""How many vehicles deep BlockersLowerBound looks: what blocks, what blocks that, and so on."""
ALL = np.uint32(0xFFFFFFFF)
"""The set of vehicles that stands for: impossible."""


class Node(Protocol):
    """A node of a search, as `jaxgp.search` hands it over."""

    @property
    def state(self) -> State: ...

    @property
    def before(self) -> State:
        """The state that it was reached from."""

    @property
    def action(self) -> Array:
        """int32[]: the move between them; negative at the root."""

    @property
    def depth(self) -> Array:
        """int32[]: moves from the root."""

    @property
    def siblings(self) -> Array:
        """int32[]: legal moves of the state before, the one that leads here among them."""


@dataclass(frozen=True)
class Feature:
    """One number that programs see.

    Attributes:
        name: what table 10.1 calls it.
        says: what it is, in a few words.
        truth: whether it is 0 or 1.
        value: whether values may use it; conditions may use all.
        most: by size of the board, what conditions divide it by; a greater number counts as 1.
    """

    name: str
    says: str
    truth: bool = False
    value: bool = False
    most: tuple[float, float, float] = (1, 1, 1)

    def maximum(self, game: RushHour) -> float:
        """Return what conditions divide it by on boards of this size."""
        return self.most[game.size - 6]


FEATURES = (
    Feature("BlockersLowerBound", "vehicles that have to move so that X can leave", value=True, most=(12, 16, 20)),
    Feature("GoalDistance", "cells between the vehicles and the deduced goal board", value=True, most=(40, 60, 80)),
    Feature("Hybrid", "GoalDistance, and the vehicles in between", value=True, most=(60, 90, 120)),
    Feature("IsMoveToSecluded", "no other vehicle could move to where the last one moved", truth=True),
    Feature("IsReleasingMove", "the last move has let more vehicles move", truth=True),
    Feature("g", "moves from the root", most=(100, 150, 200)),
    Feature("PhaseByDistance", "g / (g + GoalDistance)"),
    Feature("PhaseByBlockers", "g / (g + BlockersLowerBound)"),
    Feature("NumberOfSiblings", "legal moves of the position before", most=(32, 50, 72)),
    Feature("DifficultyLevel", "share of the boards of the set that take fewer moves to solve"),
)


def view(game: RushHour, options: object, node: Node) -> Array:
    """Return float32[F]: the `FEATURES` of a node, as they are, in their order."""
    del options
    state, board = node.state, Frames(*spread(node.state, cells(node.state)))
    full = whole(board)
    blockers, distance = blockers_lower_bound(game, state), goal_distance(state)
    numbers = (
        blockers,
        distance,
        distance + between(game, state, board),
        is_move_to_secluded(game, state, full, node.action),
        is_releasing_move(game, state, full, node.before, node.action),
        node.depth,
        phase(node.depth, distance),
        phase(node.depth, blockers),
        node.siblings,
        state.level,
    )
    return jnp.stack([jnp.asarray(number, jnp.float32) for number in numbers])


def phase(depth: Array, distance: Array) -> Array:
    """Return float32[]: depth / (depth + distance), 0 where both are 0."""
    return depth / jnp.maximum(depth + distance, 1)


def goal_distance(state: State) -> Array:
    """Return int32[], GoalDistance: cells between where vehicles stand and where the deduced goal has them, summed.

    `envs.rush_hour.goals` says what the deduced goal is. It belongs to the board that the search began with.
    """
    return jnp.abs(state.positions.astype(jnp.int32) - state.goals).sum(dtype=jnp.int32)


def between(game: RushHour, state: State, board: Frames) -> Array:
    """Return int32[], what Hybrid adds to GoalDistance: vehicles in the way to the deduced goal, summed over vehicles.

    A vehicle is in the way of another one if it stands on a cell of the line of the other one which that enters as it
    slides to its place on the deduced goal. One that is in the way of two vehicles counts twice.

    Args:
        game: the rules.
        state: the position.
        board: the cells of its vehicles, each direction in its own frame.
    """
    one = np.uint32(1)
    start, goal = state.positions.astype(jnp.uint32), state.goals.astype(jnp.uint32)
    length = state.lengths.astype(jnp.uint32)
    back = goal < start
    swept = jnp.where(back, (one << start) - (one << goal), (one << (goal + length)) - (one << (start + length)))
    crossing = game.seen(state, Frames(turned(board.down), turned(board.across)))
    # A vehicle in the same line is entered at its near end: one end of each stands for it.
    exists = state.lengths > 0
    heads, tails = (
        game.seen(state, spread(state, jnp.where(exists, one << end, 0))) for end in (start, start + length - 1)
    )
    there = swept & (crossing | jnp.where(back, tails, heads))
    return lax.population_count(there).sum(dtype=jnp.int32)


def is_move_to_secluded(game: RushHour, state: State, board: Frames, action: Array) -> Array:
    """Return bool[], IsMoveToSecluded: no other vehicle could come at once to where the last one has moved.

    That is: if the vehicle were lifted off the board, no slide of another vehicle, of any number of cells, would put
    this onto one of the cells that it stands on. False at the root.

    Args:
        game: the rules.
        state: the position.
        board: what is taken in it, by rows and by columns.
        action: the last move.
    """
    vehicle, _ = game.slide(action)
    own = np.arange(game.vehicles) == vehicle
    start, length, line, vertical = (
        jnp.where(own, field, 0).sum(dtype=jnp.int32)
        for field in (state.positions, state.lengths, state.lines, state.vertical)
    )
    back, forward = game.room(state, board)
    behind, ahead = state.positions - back - 1, state.positions + state.lengths + forward  # what stops each vehicle
    lines = state.lines.astype(jnp.int32)
    across = (state.vertical != vertical) & (lines >= start) & (lines < start + length)
    across &= (behind == line) | (ahead == line)
    along = (state.vertical == vertical) & (lines == line) & ((behind == start + length - 1) | (ahead == start))
    return (action >= 0) & ~((across | along) & ~own & (state.lengths > 0)).any()


def is_releasing_move(game: RushHour, state: State, board: Frames, before: State, action: Array) -> Array:
    """Return bool[], IsReleasingMove: more vehicles can move than before the last move. False at the root.

    Args:
        game: the rules.
        state: the position.
        board: what is taken in it, by rows and by columns.
        before: the position before the last move.
        action: the last move.
    """

    def mobile(room: tuple[Array, Array]) -> Array:
        return (room[0] + room[1] > 0).sum(dtype=jnp.int32)

    return (action >= 0) & (mobile(game.room(state, board)) > mobile(game.room(before, game.occupied(before))))


class Cells(NamedTuple):
    """The board cell by cell, [size, size] each: rows, columns."""

    who: Array  # uint32: the bit of the vehicle that stands here; 0: none
    at: Array  # int32: which of its cells this is, from 0
    length: Array  # int32: cells that it has
    vertical: Array  # bool


def blockers_lower_bound(game: RushHour, state: State) -> Array:
    """Return int32[], BlockersLowerBound: vehicles that have to move so that X can leave; 0 if it stands at the exit.

    That is the size of a set: X, and for each cell between X and the exit on which a vehicle stands the vehicles that
    have to move to clear it, needs(cell, DEPTH). As it is a set, no vehicle counts twice.

    A vehicle that stands on a cell clears it by sliding back or forward, just as far as it must. needs(cell, depth) is
    the smaller of both sides, the one backwards if they are equal:

    - side(cell, back, 0) is the vehicle alone.
    - side(cell, back, depth) is the vehicle, and what must clear each cell that it enters as it slides back. For a
      vehicle across its line, that is needs(entered cell, depth - 1). For one in the same line, which can only be
      pushed on, it is side(entered cell, back, depth - 1).
    - It is impossible if the vehicle would leave the board, or if something that it needs is impossible.
    - side(cell, forward, depth) is the same in the other direction.

    Every vehicle outside of a smallest such set may stay, so this is close to a lower bound on the number of moves. It
    is not always one: the sides that are the smallest one by one need not be the smallest together.
    """
    board = _by_cell(game, state)
    back = forward = needs = board.who
    for _ in range(DEPTH):
        back, forward = (
            _side(board, needs, along, sign) for along, sign in ((back, -1), (forward, 1))
        )  # both from the round before
        fewer = lax.population_count(forward) < lax.population_count(back)
        needs = jnp.where(fewer, forward, back)
    column = np.arange(game.size)
    path = jnp.where(column > state.positions[X] + 1, needs[target_row(game.size)], 0)
    found = lax.reduce(path, np.uint32(0), lax.bitwise_or, (0,)) | np.uint32(1 << X)
    return jnp.where(game.solved(state), 0, lax.population_count(found)).astype(jnp.int32)


def _side(board: Cells, needs: Array, along: Array, sign: int) -> Array:
    """Return uint32[size, size]: the vehicles that must move so that what stands on each cell clears it in a direction.

    Args:
        board: the board.
        needs: for each cell, what must move to clear it, one vehicle less deep.
        along: the same, if it is cleared in this direction.
        sign: -1 backwards, 1 forwards.
    """
    # Cells of the vehicle ahead of this one, this one included: it enters the cells that follow them, as many as it
    # has cells left behind, up to `length` cells away.
    ahead = board.at + 1 if sign < 0 else board.length - board.at
    found = board.who
    for axis, upright in ((0, True), (1, False)):
        entered = jnp.where(board.vertical == upright, along, needs)
        for distance in (1, 2, 3):
            enters = (board.vertical == upright) & (ahead <= distance) & (distance <= board.length)
            found = found | jnp.where(enters, _shifted(entered, axis, sign * distance), 0)
    # A set that holds what is impossible is impossible as a whole. No vehicle has the highest bit: one board alone has
    # 32 vehicles, and on that none can move.
    return jnp.where(found >> 31 != 0, ALL, found)


def _shifted(values: Array, axis: int, distance: int) -> Array:
    """Return for each cell the value that many cells further along an axis; ALL off the board."""
    room = [(0, 0), (0, 0)]
    room[axis] = (0, distance) if distance > 0 else (-distance, 0)
    padded, size, first = jnp.pad(values, room, constant_values=ALL), values.shape[axis], max(distance, 0)
    return lax.slice_in_dim(padded, first, first + size, axis=axis)


def _by_cell(game: RushHour, state: State) -> Cells:
    """Lay the vehicles out on their cells."""
    size = game.size
    row, column = np.divmod(np.arange(size**2), size)
    positions, lines, lengths = (
        field.astype(jnp.int32)[:, None] for field in (state.positions, state.lines, state.lengths)
    )
    vertical = state.vertical[:, None]
    at = jnp.where(vertical, row, column) - positions
    here = (jnp.where(vertical, column, row) == lines) & (at >= 0) & (at < lengths)
    # One number holds all that is said of a cell: it is summed over vehicles, of which one at most stands there.
    code = at | lengths << 2 | vertical.astype(jnp.int32) << 4 | np.arange(game.vehicles)[:, None] << 5 | 1 << 10
    code = jnp.where(here, code, 0).sum(0, dtype=jnp.int32).reshape(size, size)
    who = jnp.where(code >> 10 != 0, np.uint32(1) << (code >> 5 & 31).astype(jnp.uint32), 0)
    return Cells(who, code & 3, code >> 2 & 3, code >> 4 & 1 != 0)


Value = Callable[[RushHour, State], Array]
"""(rules, position) -> int32[]: an estimate of the way to the goal."""


def hybrid(game: RushHour, state: State) -> Array:
    """Return int32[], Hybrid: GoalDistance, and for each vehicle the vehicles in its way to the deduced goal."""
    return goal_distance(state) + between(game, state, spread(state, cells(state)))
