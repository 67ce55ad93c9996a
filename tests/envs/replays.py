"""Games played from their opening by given actions, with every position on the way."""

from functools import cache

import jax
import jax.numpy as jnp

import envs
from jaxgp.contracts import Simulation

TURNS = [name for name in envs.available() if not issubclass(envs.spec(name).rules, Simulation)]
"""Games of turns: all that the project has but simulations."""
FAST = {"xla_backend_optimization_level": 0}
"""Compiler options for what runs once: compiling is most of the time."""


KEY = jax.random.key(0)
"""For `init` and `step` of games without chance."""


@cache
def opening(name):
    """The position that a game begins with as it is set by default, from one compiled program."""
    return jax.jit(envs.make(name).init)(KEY)


@cache
def stepping(game):
    """The step of a game without chance, as a function of state and action."""
    return lambda state, action: game.step(state, action, KEY)


def follow(game, actions):
    """Play actions [T] from the opening; return every state [T + 1]."""

    def ply(state, action):
        after = game.step(state, action, KEY)
        return after, after

    first = game.init(KEY)
    _, states = jax.lax.scan(ply, first, actions)
    return jax.tree.map(lambda a, b: jnp.concatenate([a[None], b]), first, states)


@cache
def replay(game):
    """Compile: actions [G, T] -> every state [G, T + 1] and its legal actions."""

    def one(actions):
        states = follow(game, actions)
        return states, jax.vmap(game.legal_actions)(states)

    return jax.jit(jax.vmap(one), compiler_options=FAST)
