"""Positions as drawings, so that a test shows the position that it is about.

A drawing shows the board with a1 at the top left; X is black, O is white, and any other mark an empty square.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.othello.render import parse_action
from envs.othello.rules import State
from tests.envs.replays import FAST, stepping
from tests.reference import othello as reference


def bits(squares, area):
    """Pack square numbers into words."""
    number = sum(1 << square for square in squares)
    return tuple(jnp.uint32(number >> shift & 0xFFFFFFFF) for shift in range(0, area, 32))


def squares(words):
    """Undo `bits`."""
    number = sum(int(word) << 32 * n for n, word in enumerate(words))
    return {square for square in range(number.bit_length()) if number >> square & 1}


@functools.cache
def compiled(game):
    """The step, and the state of a game in progress with given discs."""

    def placed(own, other, to_move):
        legal = game.placeable(own, other)
        return State(own, other, legal, to_move, jnp.bool_(False), jnp.zeros(2, jnp.float32))

    return jax.jit(stepping(game), compiler_options=FAST), jax.jit(placed, compiler_options=FAST)


def read(text, to_move=0):
    """Read a drawing of a game in progress.

    Returns:
        The game and the state.
    """
    cells = "".join(text.split())
    size = round(len(cells) ** 0.5)
    game = envs.make("othello", size=size)
    both = [bits([i for i, cell in enumerate(cells) if cell == mark], game.area) for mark in "XO"]
    return game, compiled(game)[1](both[to_move], both[1 - to_move], jnp.int32(to_move))


def discs(state):
    """Return the squares of black and of white."""
    sides = squares(state.own), squares(state.other)
    return sides if int(state.to_move) == 0 else sides[::-1]


def draw(game, state):
    """Draw a state; the reverse of `read`, with `.` for an empty square."""
    black, white = discs(state)
    cells = np.array(["X" if i in black else "O" if i in white else "." for i in range(game.area)])
    return "\n".join(" ".join(row) for row in cells.reshape(game.size, game.size))


def play(text, *moves, to_move=0):
    """Play moves by name from a drawing, in turn.

    Returns:
        The new state and its drawing.
    """
    game, state = read(text, to_move)
    for move in moves:
        state = compiled(game)[0](state, jnp.int32(parse_action(game, move)))
    return state, draw(game, state)


def drawing(text):
    """Normalise spaces, so that drawings may be aligned."""
    return "\n".join(" ".join(row.split()) for row in text.strip().splitlines())


def as_reference(game, state):
    """Return a state as a position of the reference."""
    black, white = discs(state)
    at = {
        (square % game.size, square // game.size): seat for seat, side in enumerate((black, white)) for square in side
    }
    return reference.Position(game.size, reference.MappingProxyType(at), int(state.to_move))
