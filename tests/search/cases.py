"""Positions, values and checks that the tests of alpha-beta share."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.search.alphabeta import AlphaBeta, best_moves
from tests.search.games import Coins, PassGame

GAME = PassGame(((1, 4, 1, 2, 1, 3), (2, 3, 1, 1, 3)))
PLAIN = Coins(GAME)
POSITIONS = PLAIN.met(60)
FAST = {"xla_backend_optimization_level": 0}


def jitted(search: AlphaBeta):
    """Compile without optimizing: searches of tests are short, and compilation is most of their time."""
    return jax.jit(search.search, compiler_options=FAST)


def lead(state):
    """Coins taken more than the other, as the side to move sees it; many positions have equal values."""
    difference = (state.cells[4] - state.cells[5]).astype(jnp.float32)
    return jnp.where(state.to_move == 0, difference, -difference)


def plain_lead(position):
    cells, mover = position
    return float((cells[4] - cells[5]) * (1 - 2 * mover))


def check(positions, depths, result, ties, value=plain_lead):
    """Compare what a search found with plain minimax; `value` is of a position, or of its index and a position."""
    for index, (position, depth) in enumerate(zip(positions, np.broadcast_to(depths, len(positions)), strict=True)):
        plain = PLAIN.values(position, int(depth), value[index] if isinstance(value, list) else value)
        found = np.asarray(result.values[index])
        if not plain:
            assert np.isneginf(found).all()
            continue
        greatest = max(plain.values())
        best = [action for action, worth in plain.items() if worth == greatest]
        assert (found.argmax(), found.max()) == (best[0], np.float32(greatest))
        marked = np.flatnonzero(best_moves(found[None])[0]).tolist()
        assert marked == best if ties == "all" else set(marked) <= set(best)
