"""Prints as JSON how many devices there are, and what searches find on them: `python -m tests.search.on_cores NUMBER`.

With another argument it prints the devices only.
"""

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.search import cores
from jaxgp.search.alphabeta import AlphaBeta
from tests.search.games import TicTacToe

QUEUE, COUNT = 10, 8
GAME = TicTacToe()


def opened(moves):
    """Return the position after some moves of an opening that nobody wins."""
    state = GAME.init()
    for action in (4, 0, 8, 2, 1)[:moves]:
        state = GAME.step(state, jnp.int32(action))
    return state


def taste(contexts, whose, states, needed):
    """Each context likes some cells; ended games count most."""
    own = jnp.where(states.cells == states.to_move[:, None] + 1, contexts[whose], 0.0).sum(1)
    result = jax.vmap(lambda state: state.returns[state.to_move])(states)
    return jnp.where(states.terminated, 100 * result, own)


def searched():
    """Search positions of two contexts, one place of the queue after the other and not all of them."""
    states = jax.tree.map(lambda *x: jnp.stack(x), *[opened(moves % 6) for moves in range(QUEUE)])
    contexts = jnp.asarray(np.random.default_rng(0).uniform(size=(2, 9)), jnp.float32)
    search = AlphaBeta(GAME, None, 3, tail=1, lanes=4, narrow=2, judge=taste)
    depth, whose = jnp.asarray([1, 2, 3, 3, 2, 1, 3, 2, 1, 3], jnp.int32), jnp.arange(QUEUE, dtype=jnp.int32) % 2
    run = jax.jit(lambda *args: cores.search(search, *args))
    found = [run(states, depth, jnp.int32(count), contexts, whose) for count in (COUNT, 1, 0)]
    return [[np.where(np.isinf(f.values), None, f.values).tolist(), f.nodes.tolist()] for f in found]


if __name__ == "__main__":
    cores.use(int(sys.argv[1]))
    placed = cores.everywhere(jnp.zeros(3))
    found = {} if sys.argv[2:] else {"found": searched()}
    print(json.dumps({"devices": len(placed.sharding.device_set)} | found))
