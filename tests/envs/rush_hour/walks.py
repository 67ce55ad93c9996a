"""Random walks on many boards at once, by the rules and by the reference beside them."""

import jax
import numpy as np

from envs.rush_hour import render
from envs.rush_hour.boards import shipped
from envs.rush_hour.rules import RushHour
from jaxgp.bits import pick
from tests.envs.replays import KEY
from tests.reference import rush_hour as reference

LARGE = (
    # 7 x 7: two vehicles of one column below the exit's row, a column of two long ones beside it.
    "AA.B..CD..B..CDXX...CD.EEF.GH..F.GHIIJ.GH..JKK.L.",
)


def embedded(board, size):
    """Return a board of 6 x 6 as the cells of a greater one, around which there are empty cells."""
    rows = [board.text[6 * n : 6 * n + 6] for n in range(6)]
    top = (size - 1) // 2 - 2
    left = (size - 6) // 2
    lines = ["." * size] * top + ["." * left + row + "." * (size - 6 - left) for row in rows]
    return "".join(lines + ["." * size] * (size - len(lines)))


def walk(game, boards, plies, seed):
    """Walk randomly, a board a lane; return states [plies + 1, B] and actions [plies, B], as NumPy arrays."""

    def ply(state, bits):
        action = jax.vmap(lambda state, bits: pick(game.legal_actions(state), bits))(state, bits)
        after = jax.vmap(lambda state, action: game.step(state, action, KEY))(state, action)
        return after, (after, action)

    first = jax.tree.map(jax.numpy.asarray, game.positions(boards))
    bits = np.random.default_rng(seed).integers(2**32, size=(plies, len(boards)), dtype=np.uint32)
    _, (states, actions) = jax.jit(lambda first, bits: jax.lax.scan(ply, first, bits))(first, bits)
    joined = jax.tree.map(lambda a, b: np.concatenate([np.asarray(a)[None], np.asarray(b)]), first, states)
    return joined, np.asarray(actions)


def at(states, *index):
    return jax.tree.map(lambda x: x[index], states)


def vehicles(game, board, state):
    """Return the position as the reference has it."""
    named = RushHour(size=game.size, board=board.text, metric=game.metric)
    return {letter: tuple(cells) for letter, cells in render._vehicles(named, state)}


def slide(game, board, action):
    vehicle, distance = (int(one) for one in game.slide(np.int32(action)))
    return reference.Slide(board.vehicles[vehicle].letter, distance)


def some(count, seed=0):
    """Return some of the boards that come with the game."""
    boards = shipped()
    return [boards[n] for n in np.random.default_rng(seed).choice(len(boards), count, replace=False)]
