"""Positions of Morpion Solitaire drawn with characters, and the way between lines and actions."""

from functools import cache

import jax
import numpy as np

from envs.morpion.rules import DX, DY, pack, unpack
from tests.envs.replays import KEY
from tests.reference.morpion import STEPS

assert tuple(zip(DX, DY, strict=True)) == STEPS


def action(game, line):
    """The number of a line ((x, y), step)."""
    (x, y), step = line
    left, bottom = game.origin
    return int(game.action(STEPS.index(step), x - left, y - bottom))


def line(game, number):
    """The line of an action."""
    direction, column, row = (int(part) for part in game.line(number))
    return (column + game.origin[0], row + game.origin[1]), STEPS[direction]


def points(game, board):
    """The points, by name, that are set on a board [W, H]."""
    rows, columns = np.nonzero(unpack(board)[:, : game.size])
    return {(int(x) + game.origin[0], int(y) + game.origin[1]) for x, y in zip(columns, rows, strict=True)}


def draw(game, text):
    """A position without lines whose crosses are drawn, `X`; the lowest row and first column are named (20, 20)."""
    grid = np.zeros((game.size, 32 * game.words), bool)
    for up, row in enumerate(reversed(text.split("\n")[1:-1])):
        for right, point in enumerate(row.split()):
            grid[20 + up - game.origin[1], 20 + right - game.origin[0]] = point == "X"
    return position(game)(pack(grid))


@cache
def position(game):
    """Compile: crosses [W, H] -> the position with these, and without lines."""

    def at(crosses):
        state = game.init(KEY)
        return state.replace(crosses=crosses, legal=game.find(crosses, state.used))

    return jax.jit(at)
