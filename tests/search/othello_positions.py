"""Positions of Othello on a small board."""

from functools import cache

import jax.numpy as jnp
import numpy as np

import envs
from tests.envs.othello.drawings import as_reference, compiled
from tests.envs.replays import KEY
from tests.reference import othello as reference

OTHELLO = envs.make("othello", size=4)


@cache
def othello_positions(number):
    """States met in random play, with the passes and the ended games among them."""
    step = compiled(OTHELLO)[0]
    rng, found = np.random.default_rng(5), []
    while len(found) < number:
        state = OTHELLO.init(KEY)
        line = [state]
        while not state.terminated:
            moves = [reference.action(4, move) for move in reference.moves(as_reference(OTHELLO, state))]
            state = step(state, jnp.int32(rng.choice(moves)))
            line.append(state)
        passes = [state for state in line if not np.array(state.legal).any()]
        found += [*passes, *(line[i] for i in rng.integers(len(line), size=4))]
    return found[:number]
