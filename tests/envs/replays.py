"""Games played from their opening by given or random actions, with every position on the way."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp import arrays
from jaxgp.bits import pick
from jaxgp.contracts import Problem, Simulation
from jaxgp.players import ply
from jaxgp.seats.moves import OPENING, Move

TURNS = [name for name in envs.available() if not issubclass(envs.spec(name).rules, Simulation | Problem)]
"""Games of turns: all that the project has but simulations and problems."""
USUAL = ("backgammon", "mancala", "rush_hour")
"""Games that stand for all where a newcomer waits: one with chance, one for two without it, and one for one."""
EVERY = [name if name in USUAL else pytest.param(name, marks=pytest.mark.slow) for name in TURNS]
"""All games of turns; those that others stand for are `slow`."""
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


TOGETHER = 100
"""Random games that are played side by side."""


def random_games(game, keys, plies, first=None):
    """Play games [G] as random agents do at the table; yield a record of each, with states of NumPy.

    Args:
        game: the rules.
        keys: key[G], as `game_key` makes them.
        plies: where games are stopped.
        first: states [G] that they begin with; None: openings drawn by the keys.
    """
    for begin in range(0, len(keys), TOGETHER):
        some = slice(begin, begin + TOGETHER)
        start = _openings(game)(keys[some]) if first is None else jax.tree.map(lambda x: x[some], first)  # noqa: B023
        states, actions = jax.device_get(_random_play(game, plies)(keys[some], start))
        for number, played in enumerate(actions):
            at = [jax.tree.map(lambda x: x[number, n], states) for n in range((played >= 0).sum() + 1)]  # noqa: B023
            moves = zip(at[1:], played.tolist(), at, strict=False)
            yield [Move(at[0], None, int(at[0].to_move)), *(Move(a, move, int(b.to_move)) for a, move, b in moves)]


@cache
def _openings(game):
    return jax.jit(jax.vmap(lambda key: game.init(jax.random.fold_in(key, np.uint32(OPENING)))))


@cache
def _random_play(game, plies):
    """Compile: keys [G], states [G] -> every state [G, T + 1], and actions [G, T], -1 after the end."""

    def one(key, state):
        def move(state, number):
            action = pick(game.legal_actions(state), ply.bits(key, number))
            after = ply.after(game, state, action, jnp.bool_(True), key, number)
            return arrays.where(state.terminated, state, after), (state, jnp.where(state.terminated, -1, action))

        last, (states, actions) = jax.lax.scan(move, state, jnp.arange(plies))
        return jax.tree.map(lambda a, b: jnp.concatenate([a, b[None]]), states, last), actions

    return jax.jit(jax.vmap(one))


def keys_of(seed, count):
    """Return key[count], those of games 0 to count - 1 of a series; see `game_key`."""
    return jax.vmap(lambda number: jax.random.fold_in(jax.random.key(seed), number))(jnp.arange(count))
