"""Random walks on many boards at once, and the same positions as the reference has them."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from envs.rush_hour import plain
from envs.rush_hour.boards import Board, parse, read_shipped
from envs.rush_hour.rules import RushHour
from jaxgp.bits import pick
from tests.envs.replays import FAST, KEY


class Node(NamedTuple):
    """A node as a search hands it over."""

    state: Any
    before: Any
    action: Any
    depth: Any
    siblings: Any


def some(count, seed=0, size=6):
    """Return some of the boards that come with the game, in the middle of a board of this size."""
    boards = read_shipped()
    drawn = np.random.default_rng(seed).choice(len(boards), count, replace=False)
    return [boards[n] if size == 6 else embedded(boards[n], size) for n in drawn]


def embedded(board: Board, size):
    """Return a board of 6 x 6 within a greater one; in the lowest row of 8 x 8 stand two vehicles more."""
    top, left = (size - 1) // 2 - 2, (size - 6) // 2
    rows = ["." * size] * top
    rows += ["." * left + board.text[6 * n : 6 * n + 6] + "." * (size - 6 - left) for n in range(6)]
    rows += ["." * size] * (size - len(rows))
    if size == 8:
        rows[-1] = "yy" + rows[-1][2:-3] + "zzz"
    return parse("/".join(rows))


def walk(game: RushHour, boards, plies, seed=0):
    """Walk randomly, on each board; return states [plies + 1, B] and actions [plies, B], as NumPy arrays."""

    def ply(state, bits):
        action = jax.vmap(lambda state, bits: pick(game.legal_actions(state), bits))(state, bits)
        after = jax.vmap(lambda state, action: game.step(state, action, KEY))(state, action)
        return after, (after, action)

    def run(first, bits):
        return jax.lax.scan(ply, first, bits)[1]

    first = jax.tree.map(jnp.asarray, game.positions(boards))
    bits = np.random.default_rng(seed).integers(2**32, size=(plies, len(boards)), dtype=np.uint32)
    states, actions = jax.jit(run, compiler_options=FAST)(first, jnp.asarray(bits))
    joined = jax.tree.map(lambda a, b: np.concatenate([np.asarray(a)[None], np.asarray(b)]), first, states)
    return joined, np.asarray(actions)


def at(states, *index):
    return jax.tree.map(lambda x: x[index], states)


def vehicles(board: Board, state):
    """Return a position as the reference has it, from the numbers of the state alone."""
    found = {}
    for n, one in enumerate(board.vehicles):
        along = range(int(state.positions[n]), int(state.positions[n]) + int(state.lengths[n]))
        line = int(state.lines[n])
        found[one.letter] = tuple((i, line) if state.vertical[n] else (line, i) for i in along)
    return found


def slide(game: RushHour, board: Board, action):
    vehicle, distance = (int(one) for one in game.slide(np.int32(action)))
    return plain.Slide(board.vehicles[vehicle].letter, distance)
