"""Positions as drawings, so that a test shows the position that it is about.

A drawing shows the board with north at the top. Seat 0 is A, its bricks are `a`; seat 1 is B, its bricks are `b`. A
player is its letter and an arrow for its heading, after its brick if it stands on one: `.`, `a`, `B>`, `aA^`.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.walls.rules import Player
from tests.envs.replays import FAST, KEY, stepping

ARROWS = "^>v<"
ACTIONS = {"forward": 0, "left": 1, "right": 2}


def drawing(text):
    """Normalise spaces, so that drawings may be aligned."""
    return "\n".join(" ".join(row.split()) for row in text.strip().splitlines())


def bits(squares, area):
    """Pack square numbers into words."""
    number = sum(1 << square for square in squares)
    return np.array([number >> shift & 0xFFFFFFFF for shift in range(0, area, 32)], np.uint32)


def squares(words):
    """Undo `bits`."""
    number = sum(int(word) << 32 * n for n, word in enumerate(words))
    return {square for square in range(number.bit_length()) if number >> square & 1}


@functools.cache
def compiled(game):
    return jax.jit(stepping(game), compiler_options=FAST)


def read(text, to_move=0, idle=(0, 0), **settings):
    """Read a drawing; `idle` is by seat.

    Returns:
        The game and the state.
    """
    rows = [row.split() for row in drawing(text).splitlines()]
    size = len(rows)
    assert all(len(row) == size for row in rows)
    game = envs.make("walls", size=size, **settings)
    cells = [(r, c, rows[r][c]) for r in range(size) for c in range(size)]

    def player(letter, idle):
        [(row, column, token)] = [cell for cell in cells if letter in cell[2]]
        own = bits([r * size + c for r, c, token in cells if letter.lower() in token], size**2)
        return Player(jnp.asarray(own), *(jnp.int32(n) for n in (row, column, ARROWS.index(token[-1]), idle)))

    both = player("A", idle[0]), player("B", idle[1])
    state = dataclasses.replace(game.init(KEY), own=both[to_move], other=both[1 - to_move], to_move=jnp.int32(to_move))
    return game, state


def seats(state):
    return (state.own, state.other) if state.to_move == 0 else (state.other, state.own)


def draw(game, state):
    """Draw a state; the reverse of `read`."""
    cells = ["" for _ in range(game.area)]
    for letter, player in zip("ab", seats(state), strict=True):
        for square in squares(player.bricks):
            cells[square] += letter
    for letter, player in zip("AB", seats(state), strict=True):
        cells[int(player.row) * game.size + int(player.column)] += letter + ARROWS[int(player.heading)]
    rows = np.array([cell or "." for cell in cells]).reshape(game.size, game.size)
    return "\n".join(" ".join(row) for row in rows)


def play(text, *moves, **options):
    """Play moves by name from a drawing, in turn.

    Returns:
        The new state and its drawing.
    """
    game, state = read(text, **options)
    for move in moves:
        state = compiled(game)(state, jnp.int32(ACTIONS[move]))
    return state, draw(game, state)


def idle(state):
    """Return by seat how many moves the players have made since their last brick."""
    return tuple(int(player.idle) for player in seats(state))
