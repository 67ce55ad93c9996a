"""Kalah with programs, set up small for tests."""

from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

import envs
from jaxgp.config import schema
from jaxgp.config.games import cast_of
from jaxgp.operators.creation import create
from jaxgp.operators.options import Creation
from jaxgp.players.options import Opponent
from jaxgp.spec import Cast
from tests.envs.replays import KEY, stepping

CREATION = Creation(method="grow", max_depth=6, terminal_probability=0.4)


@lru_cache
def kalah(**program) -> Cast:
    return cast_of(schema.Config(game={"name": "mancala"}, program=program), envs)


def population(at: Cast, count: int, seed: int = 0, capacity: int = 64):
    return create(jax.random.key(seed), at.language, CREATION, count, capacity)


def config(**opponents) -> schema.Config:
    made = schema.Config(game={"name": "mancala"})
    made.fitness.opponents = {name: Opponent(**spec) for name, spec in opponents.items()}
    made.fitness.table_size = 65536
    made.fitness.lanes = 16
    made.algorithm.population, made.algorithm.capacity = 16, 64
    made.algorithm.creation = CREATION
    return made


def positions(game, count: int, seed: int = 0):
    """States [count] from random play, none of them ended."""
    rng, state, found = np.random.default_rng(seed), game.init(KEY), []
    step, legal = jax.jit(stepping(game)), jax.jit(game.legal_actions)
    while len(found) < count:
        if state.terminated:
            state = game.init(KEY)
        found.append(state)
        state = step(state, jnp.int32(rng.choice(np.flatnonzero(legal(state)))))
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *found)
