"""What programs see of a node of a search: estimates of the way to the goal, and advisors.

Source: Sipper, "Evolved to Win", table 10.1 and section 10.2.3. The book leaves details open; each function here says
what is computed. `tests/reference/rush_hour.py` computes the same from boards of letters.
"""

from collections.abc import Callable
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.rush_hour.boards import LENGTHS, target_row
from envs.rush_hour.rules import ANYWHERE, Frames, RushHour, State, X, cells, spread, transpose, whole
from jaxgp.search.puzzles.children import Child

DEPTH = 4
"""How many vehicles deep BlockersLowerBound looks: what blocks, what blocks that, and so on."""
LONGEST = max(LENGTHS)
ALL = np.uint32(0xFFFFFFFF)
"""The set of vehicles that stands for: impossible."""


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


def view(game: RushHour, options: object, node: Child) -> Array:
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
    crossing = game.seen(state, Frames(transpose(board.down), transpose(board.across)))
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
    return (action >= 0) & ~((across | along) & ~own & (state.lengths > 1)).any()


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
    size = game.size
    who, at, length, vertical = _cells(game, state)
    who = jnp.where(length == 1, ALL, who)  # nothing clears a cell with a wall
    row, column = np.divmod(np.arange(size**2), size)
    place = jnp.where(vertical, row, column)
    # At depth 0 a side is the vehicle alone; at every depth it is impossible where the vehicle would leave the board.
    backwards = jnp.where(place < length, ALL, who)
    forwards = jnp.where(place + length >= size, ALL, who)

    def side(sign: int, alone: Array, nearest: Array, needs: Array, pushed: Array) -> Array:
        """Return what moves if each cell is cleared to one side, and its vehicle enters the cells from `nearest` on."""
        # A vehicle across the line makes room to either side, one in the same line is pushed on.
        in_rows, in_columns = jnp.where(vertical, needs, pushed), jnp.where(vertical, pushed, needs)
        found = alone
        for away in range(1, LONGEST + 1):
            met = jnp.where(vertical, _shifted(in_columns, sign * away * size), _shifted(in_rows, sign * away))
            found |= jnp.where((nearest <= away) & (away <= length), met, 0)
        # A set that holds what is impossible is impossible as a whole. No vehicle has the highest bit: only a board
        # without an empty cell has 32 vehicles.
        return jnp.where(found >> 31 != 0, ALL, found)

    def deeper(_: int, sets: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        needs, back, forward = sets
        # To clear cell `at` a vehicle slides back by length - at cells, or forward by at + 1.
        back = side(-1, backwards, at + 1, needs, back)
        forward = side(1, forwards, length - at, needs, forward)
        fewer = lax.population_count(forward) < lax.population_count(back)
        return jnp.where(fewer, forward, back), back, forward

    # A loop, as its carry is laid down in memory. Fused, the sets would be computed anew for each number in the next.
    needs, _, _ = lax.fori_loop(0, DEPTH, deeper, (who, who, who))
    path = needs[target_row(size) * size :][:size]
    path = jnp.where(np.arange(size) > state.positions[X] + 1, path, 0)
    found = lax.reduce(path, np.uint32(0), lax.bitwise_or, (0,)) | np.uint32(1 << X)
    return jnp.where(game.solved(state), 0, lax.population_count(found)).astype(jnp.int32)


def _shifted(sets: Array, by: int) -> Array:
    """Return uint32[C]: for each cell the set of the cell that is `by` cells after it; none beyond the ends."""
    return lax.pad(sets, np.uint32(0), [(-by, by, 0)])


def _cells(game: RushHour, state: State) -> tuple[Array, Array, Array, Array]:
    """Find out what stands where, for each of the C = size ** 2 cells, row by row.

    Returns:
        uint32[C], the bit of the vehicle there, 0 for none; int32[C], which of its cells it is; int32[C], its length, 0
        for an empty cell; and bool[C], whether it is vertical.
    """
    row, column = (side.astype(np.int8) for side in np.divmod(np.arange(game.size**2), game.size))
    vertical, start, lines, lengths = (
        field[:, None] for field in (state.vertical, state.positions, state.lines, state.lengths)
    )
    at = jnp.where(vertical, row, column) - start
    here = (jnp.where(vertical, column, row) == lines) & (at >= 0) & (at < lengths)
    number = np.arange(game.vehicles, dtype=np.int16)[:, None]
    code = number * 32 + (at * 8 + lengths * 2 + vertical).astype(jnp.int16)
    # One vehicle at most stands on a cell, so a sum finds it.
    found = jnp.where(here, code, np.int16(0)).sum(0, dtype=jnp.int16).astype(jnp.int32)
    length = (found >> 1) & 3
    who = jnp.where(length > 0, np.uint32(1) << (found >> 5).astype(jnp.uint32), 0)
    return who, (found >> 3) & 3, length, found & 1 != 0


Value = Callable[[RushHour, State], Array]
"""(rules, position) -> int32[]: an estimate of the way to the goal."""


def hybrid(game: RushHour, state: State) -> Array:
    """Return int32[], Hybrid: GoalDistance, and for each vehicle those in its way to its designated place."""
    return goal_distance(state) + between(game, state, spread(state, cells(state)))
