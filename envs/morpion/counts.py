"""Numbers at all points of a board at once, and which line has the greatest.

A number is kept as boards of its binary digits, least digit first. A count for every point or line costs a few dozen
operations on whole boards, however many lines may be drawn.
"""

from collections.abc import Iterable, Sequence

import jax.numpy as jnp
from jax import Array, lax

from envs.morpion.rules import LENGTH, Morpion, State

Digits = list[Array]
"""A number for each point of a board, or for each line of one direction by its first point; uint32[W, H] each."""


def lines_after(game: Morpion, state: State) -> list[Digits]:
    """Return digits by direction: at each legal line how many lines may be drawn after it, less a constant.

    A cross takes away the lines that lacked just it, and adds those that lacked it and one more point. The line that is
    drawn through it takes away those in its own row that share a segment (5T) or a point (5D) with it.
    """
    empty = game.pad(~state.crosses)
    almost = jnp.stack([_lacking_two(game, state, empty, d) for d in range(4)]) & game.fits
    # Fusion barriers, here and below: without them XLA computes this anew for each digit and each shifted copy.
    legal, almost = lax.optimization_barrier((game.pad(state.legal), game.pad(almost)))
    gained = count([game.along(almost[d], d, -k) & ~state.crosses for d in range(4) for k in range(LENGTH)])
    lost = count([game.along(legal[d], d, -k) & ~state.crosses for d in range(4) for k in range(LENGTH)])
    balance = lax.optimization_barrier(subtract(gained, lost))
    by_direction = []
    for d, here in enumerate(at_new_cross(game, state, balance)):
        blocked = _blocked(game, state, empty, legal[d], almost[d], d)
        by_direction.append(lax.optimization_barrier(subtract(*lax.optimization_barrier((here, blocked)))))
    return by_direction


def neighbours(game: Morpion, state: State, distance: int) -> list[Digits]:
    """Return digits by direction: at each legal line how many crosses are within `distance` of its new cross."""
    around: Digits = [state.crosses]
    for direction in (0, 2):
        shifted = [around]
        for step in (1, -1):
            moving = around
            for _ in range(distance):
                moving = [game.along(game.pad(digit), direction, step) for digit in moving]
                shifted.append(moving)
        around = lax.optimization_barrier(total(shifted))
    return at_new_cross(game, state, around)


def greatest(lines: Array, digits: Sequence[Digits]) -> Array:
    """Return uint32[4, W, H]: of the given lines, uint32[4, W, H], those with the greatest number."""
    left = list(lines)
    for digit in reversed(list(zip(*digits, strict=True))):
        having = [board & one for board, one in zip(left, digit, strict=True)]
        found = (_either(having) != 0).any()
        left = [jnp.where(found, some, board) for some, board in zip(having, left, strict=True)]
    return jnp.stack(left)


def at_new_cross(game: Morpion, state: State, digits: Digits) -> list[Digits]:
    """Return digits by direction: at each legal line the number at its new cross; 0 elsewhere."""
    held = lax.optimization_barrier([game.pad(board) for board in (~state.crosses, *digits)])
    empty, digits = held[0], held[1:]
    by_direction = []
    for d in range(4):
        lines = [state.legal[d] & game.along(empty, d, k) for k in range(LENGTH)]
        by_direction.append([_either(lines[k] & game.along(digit, d, k) for k in range(LENGTH)) for digit in digits])
    return by_direction


def count(boards: Sequence[Array]) -> Digits:
    """Return digits: for each bit, how many of the boards have it set."""
    return total([[board] for board in boards])


def total(numbers: Sequence[Digits]) -> Digits:
    """Add numbers: three digits of one place become one and a carry to the next place, until each place has one."""
    columns = [list(column) for column in _columns(numbers)]
    done = []
    while columns:
        column, *columns = columns
        carries = []
        while len(column) > 1:
            a, b, *rest = column
            c, rest = (rest[0], rest[1:]) if rest else (None, [])
            half = a ^ b
            carries.append(a & b if c is None else (a & b) | (half & c))
            column = [*rest, half if c is None else half ^ c]
        done.append(column[0])
        if carries:
            columns = [carries + (columns[0] if columns else []), *columns[1:]]
    return done


def subtract(a: Digits, b: Digits) -> Digits:
    """Return digits of a - b + 2 ** n - 1, which is not negative if b has n digits; so equal n can be compared."""
    return total([a, [~digit for digit in b]])


def _columns(numbers: Sequence[Digits]) -> list[list[Array]]:
    longest = max(len(number) for number in numbers)
    return [[number[place] for number in numbers if len(number) > place] for place in range(longest)]


def _lacking_two(game: Morpion, state: State, empty: Array, direction: int) -> Array:
    """Return uint32[W, H]: first points of lines that could be drawn if one more point had a cross."""
    one, two, three = ~state.crosses, jnp.zeros_like(state.crosses), jnp.zeros_like(state.crosses)
    for k in range(1, LENGTH):
        point = game.along(empty, direction, k)
        three |= two & point
        two |= one & point
        one |= point
    return two & ~three & ~game.taken(state.used, direction)


def _blocked(game: Morpion, state: State, empty: Array, legal: Array, almost: Array, direction: int) -> Digits:
    """Return digits uint32[W, H]: lines that a line takes away in its own row, besides those that lacked its cross."""
    lines = state.legal[direction]
    places = [lines & game.along(empty, direction, place) for place in range(LENGTH)]
    shared = []
    for step in [k for far in range(1, game.uses) for k in (far, -far)]:
        crossing = _either(places[max(step, 0) : LENGTH + step])  # those whose new cross is on the line further on
        shared.append(
            (game.along(almost, direction, step) & crossing) | (game.along(legal, direction, step) & lines & ~crossing)
        )
    return count(shared)


def _either(boards: Iterable[Array]) -> Array:
    first, *rest = boards
    for board in rest:
        first |= board
    return first
