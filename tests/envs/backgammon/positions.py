"""Positions of backgammon for tests: written in few words, and met in random games."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.backgammon import whole


def side(off=0, bar=0, **points):
    """int8[26]: a side by its own points, as in side(p24=2, bar=1); the men that are not named are borne off."""
    men = np.zeros(26, np.int8)
    for name, count in points.items():
        men[int(name[1:])] = count
    men[25], men[0] = bar, off
    return men


def full(**points):
    """A side of 15 men; those that are not named are borne off."""
    men = side(**points)
    men[0] = 15 - men[1:].sum()
    return men


def state_of(game, own, other, dice, to_move=0):
    """The state at the beginning of a turn."""
    dice = jnp.array(sorted(dice, reverse=True), jnp.int32)
    return compiled(game)[2](jnp.asarray(own, jnp.int8), jnp.asarray(other, jnp.int8), dice, jnp.int32(to_move))


@cache
def compiled(game):
    """Step, legal actions, the beginning of a turn, and all whole turns, for one position."""
    positions = jax.jit(lambda state: whole.positions(game, state))
    return jax.jit(game.step), jax.jit(game.legal_actions), jax.jit(game.turn), positions


def as_tuple(men):
    return tuple(np.asarray(men).tolist())


def left_of(state):
    """The dice that are left, each as often as it may be played."""
    return [int(die) for die, times in zip(state.dice, state.left, strict=True) for _ in range(int(times))]


def reached(game, state):
    """All positions after whole turns, in their order, as pairs of tuples."""
    own, other, used = jax.device_get(compiled(game)[3](state))
    count = int(used.sum())
    assert used[:count].all()
    return [(as_tuple(a), as_tuple(b)) for a, b in zip(own[:count], other[:count], strict=True)]


@cache
def random_states(plies, games, seed=0, variant="standard"):
    """States of random games, flat: `plies` moves of `games` games; ended ones are among them."""
    game = envs.make("backgammon", variant=variant)

    def one(key):
        def ply(state, key):
            drawn, chance = jax.random.split(key)
            legal = game.legal_actions(state)
            action = jnp.argmax(jnp.where(legal, jax.random.uniform(drawn, legal.shape), -1.0)).astype(jnp.int32)
            return game.step(state, action, chance), state

        return jax.lax.scan(ply, game.init(key), jax.random.split(key, plies))[1]

    states = jax.device_get(jax.jit(jax.vmap(one))(jax.random.split(jax.random.key(seed), games)))
    return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
