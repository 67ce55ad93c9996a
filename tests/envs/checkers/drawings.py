"""Positions as drawings, so that a test shows the position that it is about.

A drawing shows the board with a1 at the bottom left. b and w are men of black and white, B and W kings, and any other
mark is an empty square.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.checkers.render import action_name, parse_action, pieces
from envs.checkers.rules import Pieces
from tests.envs.replays import FAST, stepping
from tests.reference import checkers as reference

MARKS = ".bwBW"


@functools.cache
def compiled(game):
    """The step, the state with given pieces, and the legal actions of a game."""
    functions = stepping(game), game.state, game.legal_actions
    return tuple(jax.jit(function, compiler_options=FAST) for function in functions)


def read(text, to_move=0, quiet=0, held=(), **settings):
    """Read a drawing.

    Returns:
        The game and the state.
    """
    cells = [row.split() for row in reversed(text.strip().splitlines())]
    size = len(cells)
    game = envs.make("checkers", **{"size": size, "rows": min(3, size // 2 - 1)} | settings)
    at = {(column, row): mark for row, line in enumerate(cells) for column, mark in enumerate(line) if mark in "bwBW"}
    return game, as_state(game, reference.Position(size, at, to_move, *held, quiet=quiet))


def as_state(game, position):
    """Return a position of the reference as a state."""
    words = {mark: [] for mark in "bwBW"}
    for (column, row), mark in position.pieces.items():
        assert (column + row) % 2 == 0, f"{mark} stands on a light square"
        words[mark].append(game.square(row, column))
    sides = [game.constant(words["b"] + words["B"]), game.constant(words["w"] + words["W"])]
    held = [] if position.held is None else [game.square(position.held[1], position.held[0])]
    own, other = sides if position.seat == 0 else sides[::-1]
    kings = game.constant(words["B"] + words["W"])
    rest = jnp.int32(position.quiet), jnp.int32(position.seat)
    return compiled(game)[1](Pieces(own, other, kings), game.constant(held), *rest)


def as_reference(game, state):
    """Return a state as a position of the reference."""
    grid = pieces(game, state)
    at = {(column, row): MARKS[grid[row, column]] for row, column in np.argwhere(grid).tolist()}
    number = sum(int(word) << 32 * w for w, word in enumerate(state.held))
    row, column = game.place(number.bit_length() - 1)
    held = (column, row) if number else None
    return reference.Position(game.size, at, int(state.to_move), held, int(state.quiet), game.quiet_plies, game.lose)


def draw(game, state):
    """Draw a state; the reverse of `read`."""
    return "\n".join(" ".join(MARKS[piece] for piece in row) for row in pieces(game, state)[::-1])


def legal(game, state):
    """Names of the legal moves, sorted."""
    return sorted(action_name(game, int(action)) for action in np.flatnonzero(compiled(game)[2](state)))


def play(game, state, *moves):
    """Play moves by name, and check that each is legal."""
    for move in moves:
        assert move in legal(game, state)
        state = compiled(game)[0](state, jnp.int32(parse_action(game, move)))
    return state


def drawing(text):
    """Normalise spaces, so that drawings may be aligned."""
    return "\n".join(" ".join(row.split()) for row in text.strip().splitlines())
