"""Whole turns of backgammon: all distinct positions that a roll allows, each of them once.

A player without look-ahead chooses among these. They are not stored as positions. `whole_turns` finds rows of turns
that differ in the last move alone, with a set of points for it, and numbers them; `nth_turn` returns one by its
number, and `play_turn` its position. So players can look at a few turns of many games at a time.

**Each position once, by doubles.** A play is described by how many men leave each point. These numbers determine the
position: from the bar downwards, each says how many men the next point has got. They also determine which points are
landed on, and so which blots are hit. The men may move in any order that is legal, so they move here in the order of
points from the bar downwards; a man that needs another one to move first needs one from a higher point. So the plays
are the non-increasing sequences of points. All legal plays have the same number of moves (`envs.backgammon.rules`).

**Each position once, by two dice.** A play is a pair: the point x that the larger die a is played from, and the point y
of the smaller die b. Two pairs with the same men on every point afterwards are of one of two kinds, as the sums of the
points left and reached show:

- one man makes both moves, x to x - a - b, by way of x - a or of x - b; the positions differ if a blot is hit there;
- two men are borne off, from x by a and from y by b, or the other way round.

In both cases the second pair is left out where it leads to the same position.

**How many.** A turn by doubles gives four moves to 15 men. There are C(18, 4) = 3,060 ways to share them out at most,
and C(17, 3) = 680 ways for the first three moves: one row for each. With two dice the man for one die and the man for
the other make at most 15 * 14 pairs of different men, and 2 * 15 plays of one man: 240. So the width is a bound and
nothing can overflow. With other numbers of men the same holds; 25 rows are enough for the points of the larger die.
"""

from dataclasses import replace
from math import comb
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from envs.backgammon.rules import (
    BAR,
    OFF,
    PASS,
    POINTS,
    Backgammon,
    State,
    bit,
    both_orders,
    column,
    facing,
    has,
    movable,
    move_from_each,
    points_of,
)
from jaxgp.bits import nth_bit

FIELD = 5
"""Bits of a point in the code of a turn."""
PLANES = 4
"""Bits of a number of men."""
MOVES = 4


class Turns(NamedTuple):
    """The whole turns of one position, R rows of them.

    The code of a turn has five bits for each point that a man leaves, the first lowest, 0 where there is no further
    move. By doubles they are in the order of the moves. With two dice they are those of the larger and of the smaller
    die; 0 where that die is not played.
    """

    heads: Array  # uint32[R]: codes of turns without their last move
    lasts: Array  # uint32[R]: the points from which the last move may be made
    ends: Array  # int32[R]: turns in this row and in all rows before it
    shift: Array  # int32[]: where the last move stands in the code
    total: Array  # int32[]: how many turns there are; at least 1, a pass


def most_turns(game: Backgammon) -> int:
    """Return a bound of the number of turns: 3,060 with 15 men."""
    men = game.men
    return max(comb(men + MOVES - 1, MOVES), men * (men + 1))


def most_rows(game: Backgammon) -> int:
    """Return the number of rows of `Turns`: 680 with 15 men."""
    return max(comb(game.men + MOVES - 2, MOVES - 1), BAR)


def whole_turns(game: Backgammon, state: State) -> Turns:
    """Find all distinct positions that the rest of the turn can lead to; unspecified after the end."""
    rows = most_rows(game)
    doubles = state.dice[0] == state.dice[1]
    own, other, die, left = (x[None] for x in (state.own, state.other, state.dice[0], state.left[0]))
    heads, lasts, _, (shift,), _ = sequences(game, own, other, die, left, rows)
    larger, smaller, pair_shift = pairs(state)
    heads = jnp.where(doubles, heads, _wide(larger, rows))
    lasts = jnp.where(doubles, lasts, _wide(smaller, rows))
    ends = jnp.cumsum(lax.population_count(lasts).astype(jnp.int32))
    return Turns(heads, lasts, ends, jnp.where(doubles, shift, pair_shift), jnp.maximum(ends[-1], 1))


def nth_turn(turns: Turns, place: Array) -> Array:
    """Return uint32[]: the code of a turn by its number (int32[]); unspecified from `turns.total` on, 0 for a pass."""
    row = jnp.minimum(jnp.searchsorted(turns.ends, place, side="right"), turns.ends.shape[0] - 1)
    before = turns.ends[row] - lax.population_count(turns.lasts[row]).astype(jnp.int32)
    last = nth_bit(turns.lasts[row], place - before).astype(jnp.uint32)
    code = turns.heads[row] | last << turns.shift.astype(jnp.uint32)
    return jnp.where(turns.ends[-1] == 0, jnp.uint32(0), code)


def in_order(state: State, turn: Array) -> tuple[Array, Array]:
    """Return int32[4] and int32[4]: points and dice of the moves of a turn, in an order in which they are legal."""
    fields = np.arange(MOVES, dtype=np.uint32) * FIELD
    points = (turn >> fields & (2**FIELD - 1)).astype(jnp.int32)
    dice = jnp.where(state.dice[0] == state.dice[1], state.dice[0], jnp.pad(state.dice, (0, 2)))
    first = has(state.moves[0], points[0]) & (points[0] > OFF)
    men = move_from_each(state.own, dice[0])[points[0]]
    first &= (points[1] == OFF) | has(movable(men, facing(state.other, 2, 15), dice[1]), points[1])
    turned = np.array([1, 0, 2, 3])
    kept = (state.dice[0] == state.dice[1]) | first
    return jnp.where(kept, points, points[turned]), jnp.where(kept, dice, dice[turned])


def play_turn(state: State, turn: Array) -> tuple[Array, Array]:
    """Return int8[26] and int8[26]: the men of the side that has played a whole turn, and those of the opponent."""
    return after(state.own, state.other, state.dice, turn)


def after(own: Array, other: Array, dice: Array, turn: Array) -> tuple[Array, Array]:
    """Return int8[26, ...] and int8[26, ...]: the men of both sides after whole turns.

    Points come first, so that arrays of many positions are worked on in long rows. The order of the moves is not
    needed: it changes neither which points are left nor which are landed on.

    Args:
        own: int8[26, ...], the men of the side that plays.
        other: int8[26, ...], those of the opponent, by the opponent's points.
        dice: int32[2, ...], the rolls, the larger die first.
        turn: uint32[...], the codes of the turns.
    """
    places = column(POINTS.astype(np.int8), own)
    landed = jnp.zeros_like(turn)
    men = own
    for move in range(MOVES):
        point = (turn >> np.uint32(FIELD * move) & (2**FIELD - 1)).astype(jnp.int32)
        to = jnp.maximum(point - (dice[move] if move < len(dice) else dice[0]), OFF)
        # Without a move both are 0, and nothing changes.
        men = men + (places == to.astype(jnp.int8)) - (places == point.astype(jnp.int8))
        landed |= bit(to)
    hit = landed & facing(other, 1, 1)
    marked = hit >> column((BAR - POINTS).astype(np.uint32), own) & 1
    beaten = jnp.where(places == BAR, lax.population_count(hit), 0).astype(jnp.int8)
    return men.astype(jnp.int8), other - marked.astype(jnp.int8) + beaten


def actions(state: State, turn: Array) -> Array:
    """Return int32[4]: the actions of a turn, one after the other, then -1."""
    points, dice = in_order(state, turn)
    found = jnp.where(points > OFF, (jnp.minimum(dice, points) - 1) * BAR + points - 1, -1)
    return jnp.where((turn == 0) & (np.arange(MOVES) == 0), PASS, found).astype(jnp.int32)


def positions(game: Backgammon, state: State) -> tuple[Array, Array, Array]:
    """Return all positions after whole turns.

    Returns:
        int8[W, 26], the men of the side that has played; int8[W, 26], those of the opponent by its points; bool[W],
        which of the W = `most_turns` places are used.
    """
    turns = whole_turns(game, state)
    places = jnp.arange(most_turns(game), dtype=jnp.int32)
    own, other = jax.vmap(lambda place: play_turn(state, nth_turn(turns, place)))(places)
    return own, other, places < turns.total


def pairs(state: State) -> tuple[Array, Array, Array]:
    """Find the turns with two dice: 25 rows, one for each point of the larger die, or one row where one die is played.

    Returns:
        uint32[25], their codes without the last move; uint32[25], the points of the last move; int32[], its place in
        the code.
    """
    larger, smaller = state.dice[0], state.dice[1]
    orders = both_orders(state.own, state.other, state.dice)
    allowed = has(orders[0][:, None], POINTS[None]) | has(orders[1][None], POINTS[:, None])
    # One man by way of x - a or of x - b: the second is dropped, which is the pair (x - b, x).
    blots = facing(state.other, 1, 1)
    by_larger, by_smaller = POINTS - larger, POINTS - smaller
    same = (by_larger > OFF) & ~has(blots, jnp.maximum(by_larger, 0)) & ~has(blots, jnp.maximum(by_smaller, 0))
    same &= jnp.take_along_axis(allowed, jnp.maximum(by_larger, 0)[:, None], 1)[:, 0]
    detour = (POINTS[:, None] == by_smaller[None]) & same[None]
    # Two men borne off from points x and y, both within the smaller die.
    swapped = allowed.T & (POINTS[None] > POINTS[:, None]) & (POINTS[None] <= smaller)
    allowed &= ~detour & ~swapped
    played_by_both = jnp.where(allowed, bit(POINTS)[None], 0).sum(1, dtype=jnp.uint32)
    two = (state.left > 0).all() & (played_by_both != 0).any()
    one = jnp.where(POINTS == 1, state.moves[0] | state.moves[1], 0)
    heads, lasts = jnp.where(two, POINTS, 0).astype(jnp.uint32), jnp.where(two, played_by_both, one)
    return heads[1:], lasts[1:], jnp.where(two | (state.moves[0] == 0), FIELD, 0)


def sequences(
    game: Backgammon, own: Array, other: Array, die: Array, left: Array, rows: int
) -> tuple[Array, Array, Array, Array, Array]:
    """Find the turns by doubles of B positions, whose rows form one queue.

    All plays of a position have as many moves, so a first look counts them. Then rows grow by one move at a time.

    Args:
        game: the rules.
        own: int8[B, 26], the men of the side to move.
        other: int8[B, 26], those of the opponent, by its points.
        die: int32[B].
        left: int32[B], how often it may be played; 0: the position has no rows.
        rows: room of all positions together, R; from `most_rows` on the first position that has turns has room.

    Returns:
        uint32[R], the codes of turns without their last move; uint32[R], the points of the last move; int32[R],
        ascending, whose they are, B for nobody; int32[B], the place of the last move in the code; bool[B], whether
        there was no room for the rows of a position, so that it has none.
    """
    count = len(die)
    blocked = facing(other.T, 2, 15)
    counts = jnp.where(column(POINTS, own.T) > OFF, own.T, 0).astype(jnp.uint32)
    planes = [points_of(counts >> plane & 1 == 1) for plane in range(PLANES)]
    depth = _moves(planes, blocked, die, left)
    found = _Rows(
        planes, jnp.zeros(count, jnp.uint32), _further(planes, blocked, die, BAR), jnp.arange(count, dtype=jnp.int32)
    )
    found = replace(found, further=jnp.where(depth > 0, found.further, 0))
    over = jnp.zeros(count, bool)
    for made in range(1, MOVES):
        width = min(count * comb(game.men + made - 1, made), rows)
        found, lost = _grown(found, width, made, blocked, die, depth)
        over |= lost
    here = jnp.minimum(found.owner, count - 1)
    lasts = jnp.where((found.owner < count) & ~over[here], found.further, 0)
    heads, lasts = _wide(found.heads, rows), _wide(lasts, rows)
    owner = jnp.pad(found.owner, (0, rows - len(found.owner)), constant_values=count)
    return heads, lasts, owner, jnp.maximum(depth - 1, 0) * FIELD, over


@struct.dataclass
class _Rows:
    """Turns that have begun, R of them, by the position that they begin from."""

    planes: list[Array]  # uint32[R] each: bit p of word k is bit k of the number of men on point p
    heads: Array  # uint32[R]: the codes of the moves so far
    further: Array  # uint32[R]: the points of the next move
    owner: Array  # int32[R]: ascending, the position; B for nobody


def _moves(planes: list[Array], blocked: Array, die: Array, left: Array) -> Array:
    """Return int32[B]: how many moves every play has. Here a man moves that stands as far back as one that can."""
    made = jnp.zeros_like(left)
    for _ in range(MOVES):
        can = _further(planes, blocked, die, BAR)
        moves = (can != 0) & (made < left)
        point = jnp.where(moves, 31 - lax.clz(can | 1).astype(jnp.int32), OFF)
        planes, made = _moved(planes, point, die), made + moves
    return made


def _grown(rows: _Rows, width: int, made: int, blocked: Array, die: Array, depth: Array) -> tuple[_Rows, Array]:
    """Make every further move of every row of a position whose plays have more moves. Rows of others stay.

    Args:
        rows: R of them.
        width: room for new rows, W.
        made: moves of a row, with the one that is made here.
        blocked: uint32[B], the points where no man may land.
        die: int32[B].
        depth: int32[B], moves of every play.

    Returns:
        W rows; bool[B], the positions for whose rows there is no room.
    """
    count = len(die)
    grows = depth[jnp.minimum(rows.owner, count - 1)] > made
    counts = jnp.where(grows, lax.population_count(rows.further).astype(jnp.int32), rows.further != 0)
    ends = jnp.cumsum(counts)
    lost = jnp.zeros(count, bool).at[rows.owner].max(ends > width, mode="drop")
    # A mark where the next row begins, summed up: faster than a search for every place.
    place = jnp.arange(width, dtype=jnp.int32)
    parent = jnp.cumsum(jnp.zeros(width, jnp.int32).at[ends[:-1]].add(1, mode="drop"))
    owner = jnp.where(place < ends[-1], rows.owner[parent], count)
    here = jnp.minimum(owner, count - 1)
    more = (depth[here] > made) & (owner < count)
    further = rows.further[parent]
    point = jnp.where(more, nth_bit(further, place - (ends - counts)[parent]), OFF)
    steps = die[here]
    planes = _moved([plane[parent] for plane in rows.planes], point, steps)
    heads = rows.heads[parent] | point.astype(jnp.uint32) << np.uint32(FIELD * (made - 1))
    further = jnp.where(more, _further(planes, blocked[here], steps, point), jnp.where(owner < count, further, 0))
    return _Rows(planes, heads, further, owner), lost


def _moved(planes: list[Array], point: Array, die: Array) -> list[Array]:
    """Return the planes, uint32[R] each, after a man has moved by a die from a point, int32[R]; OFF: none has."""
    leave, reach = bit(point) & ~jnp.uint32(1), bit(jnp.maximum(point - die, OFF)) & ~jnp.uint32(1)
    moved = []
    for plane in planes:  # borrow
        moved.append(plane ^ leave)
        leave = ~plane & leave
    for number, plane in enumerate(moved):  # carry
        moved[number] = plane ^ reach
        reach = plane & reach
    return moved


def _further(planes: list[Array], blocked: Array, die: Array, last: Array | int) -> Array:
    """Return uint32[R]: the points from which a man may move next, none above the `last` one (int32[R])."""
    men = planes[0] | planes[1] | planes[2] | planes[3]
    return movable(men, blocked, die) & (2 * bit(jnp.asarray(last)) - 1)


def _wide(words: Array, rows: int) -> Array:
    """Return uint32[rows]: some words, then zeros."""
    return jnp.pad(words, (0, rows - len(words)))
