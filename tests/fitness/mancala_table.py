"""Kalah with programs, set up small for tests."""

from functools import lru_cache

import jax
import jax.numpy as jnp
import numpy as np

import envs
from jaxgp.config import schema
from jaxgp.config.games import cast_of
from jaxgp.games.casting import Cast
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.seats.options import opponent
from tests.envs.replays import KEY, stepping

CREATION = CreationOptions(method="grow", max_depth=6, terminal_probability=0.4)


@lru_cache
def kalah(**program) -> Cast:
    return cast_of(schema.Config(game={"name": "mancala"}, program=program), envs)


@lru_cache
def _creation(language, count: int, capacity: int):
    return jax.jit(lambda key: create(key, language, CREATION, count, capacity))


def population(at: Cast, count: int, seed: int = 0, capacity: int = 64):
    """Random programs [count] on the host; up to 16 of them are made by one compiled program."""
    made = jax.device_get(_creation(at.language, max(count, 16), capacity)(jax.random.key(seed)))
    return jax.tree.map(lambda x: x[:count], made)


def config(**opponents) -> schema.Config:
    made = schema.Config(game={"name": "mancala"})
    made.fitness.opponents = {name: opponent(**spec) for name, spec in opponents.items()}
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
