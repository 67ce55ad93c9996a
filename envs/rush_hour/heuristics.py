"""What programs see of a node of a search: estimates of the way to the goal, and advisors.

Source: Sipper, "Evolved to Win", table 10.1 and section 10.2.3. The book leaves details open; each function here says
what is computed. `tests/reference/rush_hour.py` computes the same from boards of letters.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.rush_hour.boards import LENGTHS, target_row
from envs.rush_hour.rules import ANYWHERE, Frames, RushHour, State, X, cells, spread, turned, whole
from jaxgp.arrays import apart

DEPTH = 4
"""How many vehicles deep BlockersLowerBound looks: what blocks, what blocks that, and so on."""
LONGEST = max(LENGTHS)
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
        most: by size of the board, what conditions divide it by; a greater number counts as 1. Those of estimates and
            of siblings were the greatest in 76,104 positions of random walks on all boards of the lists, and in 30,200
            on boards in the middle of 7 x 7 and of 8 x 8 cells.
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
    Feature("BlockersLowerBound", "vehicles that have to move so that X can leave", value=True, most=(14, 14, 14)),
    Feature(
        "GoalDistance",
        "cells between the vehicles and their places on the deduced goal board",
        value=True,
        most=(25, 25, 25),
    ),
    Feature("Hybrid", "GoalDistance, and the vehicles in between", value=True, most=(42, 42, 42)),
    Feature("IsMoveToSecluded", "no other vehicle could move to where the last one moved", truth=True),
    Feature("IsReleasingMove", "the last move has let more vehicles move", truth=True),
    Feature("g", "moves from the root", most=(100, 100, 100)),
    Feature("PhaseByDistance", "g / (g + GoalDistance)"),
    Feature("PhaseByBlockers", "g / (g + BlockersLowerBound)"),
    Feature("NumberOfSiblings", "legal moves of the position before", most=(19, 27, 39)),
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
    """Return int32[], GoalDistance: cells between where vehicles stand and their designated places, summed.

    `envs.rush_hour.goals` says which vehicles have a place, and where. Places belong to the board that the search
    began with.
    """
    return jnp.abs(state.positions.astype(jnp.int32) - _places(state)).sum(dtype=jnp.int32)


def _places(state: State) -> Array:
    """Return int8[V]: the designated place of each vehicle; one without stands where it should."""
    return jnp.where(state.goals == ANYWHERE, state.positions, state.goals)


def between(game: RushHour, state: State, board: Frames) -> Array:
    """Return int32[], what Hybrid adds to GoalDistance: vehicles in the way to designated places, summed over vehicles.

    A vehicle is in the way of another one if it stands on a cell that the other one enters as it slides to its place.
    One that is in the way of two vehicles counts twice.

    Args:
        game: the rules.
        state: the position.
        board: the cells of its vehicles, each direction in its own frame.
    """
    one = np.uint32(1)
    start, goal = state.positions.astype(jnp.uint32), _places(state).astype(jnp.uint32)
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
    row, entered = _entries(game, state)
    bit = np.uint32(1) << np.arange(game.vehicles, dtype=np.uint32)
    alone = np.tile(bit, LONGEST)
    edge = np.array([0, ALL], np.uint32)  # what clears an empty cell, and one beyond the board

    def deeper(_: int, table: Array) -> Array:
        behind, ahead = table.at[entered].get(mode="promise_in_bounds")
        back, forward = _sides(state, bit, behind, ahead)
        fewer = lax.population_count(forward) < lax.population_count(back)
        needs = jnp.where(fewer, forward, back)
        return jnp.concatenate([needs.reshape(-1), back.reshape(-1), forward.reshape(-1), edge])

    # A loop, as its carry is laid down in memory. Fused, the tables would be computed anew for each number in the next.
    table = lax.fori_loop(0, DEPTH, deeper, jnp.concatenate([alone, alone, alone, edge]))
    path = jnp.where(np.arange(game.size) > state.positions[X] + 1, table[row], 0)
    found = lax.reduce(path, np.uint32(0), lax.bitwise_or, (0,)) | np.uint32(1 << X)
    return jnp.where(game.solved(state), 0, lax.population_count(found)).astype(jnp.int32)


def _sides(state: State, who: np.ndarray, behind: Array, ahead: Array) -> tuple[Array, Array]:
    """Return uint32[3, V] twice: what moves if a vehicle clears its cell 0, 1 or 2 backwards, and forwards.

    Args:
        state: the position.
        who: uint32[V], the bit of each vehicle.
        behind: uint32[3, V], what must move to clear the cell that lies 1, 2 or 3 cells behind a vehicle.
        ahead: the same of the cells ahead of it.
    """
    # To clear cell `at` a vehicle slides back by length - at cells, or forward by at + 1.
    back, forward = ([who | a, who | a | b, who | a | b | c] for a, b, c in (behind, ahead))
    long = state.lengths > 2
    back = [jnp.where(long, back[2], back[1]), jnp.where(long, back[1], back[0]), back[0]]
    # A set that holds what is impossible is impossible as a whole. No vehicle has the highest bit: only a board without
    # an empty cell has 32 vehicles.
    sides = (jnp.stack(side) for side in (back, forward))
    return tuple(jnp.where(side >> 31 != 0, ALL, side) for side in sides)  # type: ignore[return-value]


def _entries(game: RushHour, state: State) -> tuple[Array, Array]:
    """Find out what stands where.

    Returns:
        int32[size]: for each cell of the row of X the place in the table of BlockersLowerBound of what must move to
        clear it. This is at * V + vehicle for the vehicle's cell `at`, 9 * V for an empty cell. And int32[2, 3, V]: the
        same of the cells 1, 2, 3 behind each vehicle and ahead of it, but 3 * V or 6 * V more if the vehicle there is
        in the same line and is pushed back or forward, and 9 * V + 1 for a cell beyond the board.
    """
    size, block = game.size, LONGEST * game.vehicles
    start, lines, lengths = (field.astype(jnp.int32) for field in (state.positions, state.lines, state.lengths))
    code = apart(partial(_codes, game), state)
    away = np.arange(1, LONGEST + 1)[:, None]
    along = jnp.stack([start - away, start + lengths - 1 + away])
    cell = jnp.where(state.vertical, along * size + lines, lines * size + along).clip(0, size**2 - 1)
    found = code.at[cell].get(mode="promise_in_bounds")
    mate = (found & 1 != 0) == state.vertical
    pushed = jnp.where(mate, np.array([1, 2])[:, None, None] * block, 0)
    entered = jnp.where(found < 0, 3 * block, (found >> 1) + pushed)
    entered = jnp.where((along < 0) | (along >= size), 3 * block + 1, entered)
    row = code[target_row(size) * size :][:size]
    return jnp.where(row < 0, 3 * block, row >> 1), entered


def _codes(game: RushHour, state: State) -> Array:
    """Return int32[size ** 2]: 2 * (at * V + vehicle), plus 1 if it is vertical; negative for an empty cell."""
    row, column = np.divmod(np.arange(game.size**2), game.size)
    vertical, start, lines, lengths = (
        field[:, None] for field in (state.vertical, state.positions, state.lines, state.lengths)
    )
    at = jnp.where(vertical, row, column) - start
    here = (jnp.where(vertical, column, row) == lines) & (at >= 0) & (at < lengths)
    code = (at * game.vehicles + np.arange(game.vehicles)[:, None]) * 2 + vertical
    # One vehicle at most stands on a cell, so a sum finds it.
    return jnp.where(here, code + 1, 0).sum(0, dtype=jnp.int32) - 1


Value = Callable[[RushHour, State], Array]
"""(rules, position) -> int32[]: an estimate of the way to the goal."""


def hybrid(game: RushHour, state: State) -> Array:
    """Return int32[], Hybrid: GoalDistance, and for each vehicle those in its way to its designated place."""
    return goal_distance(state) + between(game, state, spread(state, cells(state)))
