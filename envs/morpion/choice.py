"""Which line a program's leaf draws: the closest to a point, the furthest along its diagonals, the best by some measure
of what follows, or one by lot.

Ties go to the line that comes first in the list of the report's program: horizontal lines by row and column of their
first point, then rising ones, vertical ones and falling ones by column and row.
"""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.morpion.counts import Digits, greatest
from envs.morpion.opponents import random_line
from envs.morpion.rules import LENGTH, WORD, Morpion, State
from jaxgp.bits import finalise

ALL = np.uint32(2**WORD - 1)


def closest(game: Morpion, state: State, column: Array, row: Array) -> Array:
    """Return int32[]: the legal line whose new cross is closest to a point; any line where none is legal.

    The distance is the greater of those along the two axes. Of lines at the same distance the first direction wins. The
    point may lie off the grid, no further than the grid's size.
    """
    new = new_crosses(game, state)
    # Find the least distance of a new cross, bit by bit; every distance is below twice the size of the grid.
    distance, step = jnp.int32(0), 2 ** int(game.size).bit_length()
    while step:
        nothing = ~(new & box(game, column, row, distance + step - 1) != 0).any()
        distance, step = distance + jnp.where(nothing, step, 0), step // 2
    return first_listed(game, lines_to(game, state, box(game, column, row, distance)))


def furthest_diagonal(game: Morpion, state: State, column: Array, row: Array) -> tuple[Array, Array]:
    """Return int32[], bool[]: the legal line whose new cross is furthest from a point, on one of its two diagonals.

    Of lines at the same distance the first direction wins. The second value is false where no new cross is on a
    diagonal.
    """
    new, rows = new_crosses(game, state), jnp.arange(game.size)
    up = rows - row
    there = [jnp.where((x >= 0) & (x < game.size), game.points(x, rows), 0) for x in (column + up, column - up)]
    diagonals = jnp.where(up != 0, there[0] | there[1], 0)
    distances = jnp.where((new & diagonals != 0).any(0), jnp.abs(up), 0)
    distance = distances.max()
    lines = lines_to(game, state, jnp.where(jnp.abs(up) == distance, diagonals, 0))
    return first_listed(game, lines), distance > 0


def by_lot(game: Morpion, state: State) -> Array:
    """Return int32[]: a legal line, each with equal probability; any line where none is legal.

    The draw is a hash of the crosses. So a program has the same game whenever it is measured, and two positions have
    draws of their own.
    """
    words = state.crosses.reshape(-1)
    mixed = finalise(words + np.arange(1, len(words) + 1, dtype=np.uint32) * np.uint32(0x9E3779B1))
    return random_line(game, state, finalise(mixed.sum(dtype=jnp.uint32)))


def new_crosses(game: Morpion, state: State) -> Array:
    """Return uint32[W, H]: the points where a legal line would add a cross."""
    lines = game.pad(state.legal)
    new = jnp.zeros_like(state.crosses)
    for d in range(4):
        for k in range(LENGTH):
            new |= game.along(lines[d], d, -k)
    return new & ~state.crosses


def lines_to(game: Morpion, state: State, points: Array) -> Array:
    """Return uint32[4, W, H]: the legal lines that would add a cross at one of some points (uint32[W, H])."""
    near = game.pad(~state.crosses & points)
    found = []
    for d in range(4):
        reached = jnp.zeros_like(points)
        for k in range(LENGTH):
            reached |= game.along(near, d, k)
        found.append(state.legal[d] & reached)
    return jnp.stack(found)


def best(game: Morpion, state: State, digits: Sequence[Digits]) -> Array:
    """Return int32[]: the legal line with the greatest number (digits by direction); any line if none is legal."""
    return first_listed(game, greatest(state.legal, digits))


def first_listed(game: Morpion, lines: Array) -> Array:
    """Return int32[]: the line of uint32[4, W, H] that the list has first; any line if there is none."""
    # A fusion barrier: without it XLA computes all of this anew for each use below.
    lines = lax.optimization_barrier(lines)
    direction = jnp.argmax((lines != 0).any((1, 2))).astype(jnp.int32)
    starts = jnp.where(np.arange(4)[:, None, None] == direction, lines, 0).sum(0, dtype=jnp.uint32)
    row = jnp.argmax((starts != 0).any(0))
    along_row = _lowest(starts[:, row])
    column = _lowest(lax.reduce(starts, np.uint32(0), lax.bitwise_or, (1,)))
    up_column = jnp.argmax((starts & game.points(column, jnp.arange(game.size)) != 0).any(0))
    flat = direction == 0
    chosen = jnp.where(flat, along_row, column), jnp.where(flat, row, up_column)
    return game.action(direction, *chosen).astype(jnp.int32)


def box(game: Morpion, column: Array, row: Array, distance: Array) -> Array:
    """Return uint32[W, H]: all points no further away than that along either axis, and some past the last column."""
    words = WORD * np.arange(game.words)
    columns = _below(column + distance + 1 - words) & ~_below(column - distance - words)
    rows = jnp.abs(np.arange(game.size) - row) <= distance
    return jnp.where(rows, columns[:, None], 0)


def middle(crosses: Array) -> tuple[Array, Array]:
    """Return int32[], int32[]: column and row halfway between the outermost crosses of uint32[W, H], rounded up."""
    inhabited, columns = (crosses != 0).any(0), lax.reduce(crosses, np.uint32(0), lax.bitwise_or, (1,))
    rows = jnp.argmax(inhabited) + len(inhabited) - 1 - jnp.argmax(inhabited[::-1])
    return (_lowest(columns) + _highest(columns) + 1) // 2, ((rows + 1) // 2).astype(jnp.int32)


def _highest(words: Array) -> Array:
    """Return int32[]: the last bit that is set in uint32[W]."""
    word = len(words) - 1 - jnp.argmax(words[::-1] != 0)
    return word * WORD + WORD - 1 - lax.clz(words[word]).astype(jnp.int32)


def _lowest(words: Array) -> Array:
    """Return int32[]: the first bit that is set in uint32[W]."""
    word = jnp.argmax(words != 0)
    return word * WORD + _trailing(words[word])


def _trailing(word: Array) -> Array:
    """Return int32[]: zeros below the lowest bit of uint32[]; 32 if there is none."""
    return lax.population_count((word & -word) - np.uint32(1)).astype(jnp.int32)


def _below(count: Array) -> Array:
    """Return uint32[...]: the lowest `count` bits; none below 0, all above 32."""
    some = (jnp.uint32(1) << count.clip(0, WORD - 1).astype(jnp.uint32)) - 1
    return jnp.where(count >= WORD, ALL, some)
