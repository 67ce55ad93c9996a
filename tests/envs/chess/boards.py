"""Whole boards in batches, and python-chess beside them."""

from functools import partial

import jax
import numpy as np

from envs.chess.board import fen, moves, position
from jaxgp.arrays import take
from tests.envs.replays import FAST

LANES = 64
MANY = 256
"""Items of a call of what is optimized, for long games."""


def stacked(texts):
    """Return positions in FEN as boards [N]."""
    return jax.tree.map(lambda *x: np.stack(x), *map(fen.parse, texts))


def _list(boards):
    seen = jax.vmap(moves.look)(boards)
    return jax.vmap(moves.listed)(seen), seen.count, seen.forcing, seen.checked, seen.won


_looked, _looked_at_many = jax.jit(_list, compiler_options=FAST), jax.jit(_list)


@partial(jax.jit, compiler_options=FAST)
def _counted(boards):
    return jax.vmap(moves.look)(boards).count


@partial(jax.jit, compiler_options=FAST)
def _advanced(boards, actions):
    return jax.vmap(position.advance)(boards, actions)


def _in_parts(function, *trees, lanes=LANES):
    """Call a compiled function of so many items on any number of them."""
    count = len(jax.tree.leaves(trees)[0])
    found = []
    for begin in range(0, count, lanes):
        rows = np.minimum(np.arange(begin, begin + lanes), count - 1)
        found.append(jax.device_get(function(*take(trees, rows))))
    return jax.tree.map(lambda *x: np.concatenate(x)[:count], *found)


def looked(boards):
    """Return lists of actions int16[N, M], counts, moves that give check, whether in check, and whether mated."""
    many = len(boards.rest) > MANY
    return _in_parts(_looked_at_many if many else _looked, boards, lanes=MANY if many else LANES)


def advanced(boards, actions):
    """Return boards [N] after an action each."""
    return _in_parts(_advanced, boards, actions.astype(np.int32))


def children(boards):
    """Return all boards after one move, [C], in order."""
    actions, *_ = looked(boards)
    which, place = np.nonzero(actions >= 0)
    return advanced(jax.tree.map(lambda x: x[which], boards), actions[which, place])


def perft(text, depth):
    """Return how many sequences of each length up to `depth` there are; moves of the last ply are not made."""
    boards, found = stacked([text]), []
    for ply in range(depth):
        boards = children(boards) if ply else boards
        found.append(int(_in_parts(_counted, boards).sum()))
    return found


def random_games(seed, games, plies):
    """Play random games from the opening; yield boards [G], what `looked` says, and the next actions, ply by ply."""
    random = np.random.default_rng(seed)
    boards = jax.tree.map(lambda x: np.repeat(x, games, 0), stacked([START]))
    for _ in range(plies):
        seen = looked(boards)
        place = (random.random(games) * seen[1]).astype(int)
        chosen = seen[0][np.arange(games), place]
        yield boards, seen, chosen
        boards = advanced(boards, np.maximum(chosen, 0))


START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
