"""Tournaments of disjoint groups: everybody plays a double game against everybody else of its group.

After "Walls" (COEN 352, Concordia University, final project, 2016): "every strategy plays a double-game against every
other strategy. [...] A double-game are two walls games, but with each player starting one of the two games." A win
gives 2 points, a draw 1 to each player.

All games of all groups are one batch. Games stand in the order of the player that moves first; for the replies of the
other one they are put into the order of the player that moves second, a fixed permutation within each group.
"""

from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.players.player import Player

State = Any

WIN, DRAW = 2, 1
"""Points of a game."""


@struct.dataclass
class Tournament:
    """What the double games of a population say."""

    points: Array  # int32[P]: from 0 to 4 (g - 1)
    plies: Array  # int32[]: moves made in all games
    games: Array  # int32[]: games played


@lru_cache
def second_order(size: int) -> np.ndarray:
    """Return int32[g (g - 1)]: which game, in the order of first movers, each game in that of second movers is.

    First mover a's games are against a + 1, a + 2, ... around the circle; second mover b's against b + 1, b + 2, ...
    """
    mine = np.arange(size)[:, None]
    step = np.arange(1, size)
    first = (mine + step) % size  # who moves first in the games in which `mine` moves second
    place = (mine - first) % size - 1  # where `mine` stands among the rivals of `first`
    return (first * (size - 1) + place).astype(np.int32).ravel()


def round_robin(key: Array, game: Any, player: Player, population: Any, size: int, max_plies: int) -> Tournament:
    """Play every double game of every group.

    Args:
        key: typed key[], for games whose opening is drawn.
        game: the rules.
        player: how an individual plays; an illegal choice forfeits the game.
        population: individuals [P, ...]; the first `size` are a group, the next another, and so on.
        size: g, which divides P.
        max_plies: games are stopped here; one that is stopped is a draw.

    Returns:
        The points of each individual.
    """
    plans = player.prepare(population)
    count = jax.tree.leaves(plans)[0].shape[0]
    rivals, order = size - 1, second_order(size)
    back = np.argsort(order)
    keys = jax.random.split(key, (count, rivals))
    start = jax.vmap(jax.vmap(game.init))(keys)
    step, forfeit = (jax.vmap(jax.vmap(f)) for f in (game.step, game.forfeit))

    def reorder(states: State, places: np.ndarray) -> State:
        return jax.tree.map(lambda x: _within_groups(x, size, places), states)

    def move(states: State, mover: int, plies: Array) -> tuple[State, Array]:
        """Let the players of one seat, in whose order the games [P, g - 1] stand, move where it is their turn."""
        turn = ~states.terminated & (states.to_move == mover) & (plies < max_plies)
        action, legal = player.act(plans, states, turn)
        moved = _where(legal, step(states, action), forfeit(states))
        return _where(turn, moved, states), plies + turn

    def one_move_each(carry: tuple[State, Array]) -> tuple[State, Array]:
        states, plies = move(*carry[:1], 0, carry[1])
        states, plies = move(reorder(states, order), 1, reorder(plies, order))
        return reorder(states, back), reorder(plies, back)

    def going(carry: tuple[State, Array]) -> Array:
        return (~carry[0].terminated & (carry[1] < max_plies)).any()

    states, plies = lax.while_loop(going, one_move_each, (start, jnp.zeros((count, rivals), jnp.int32)))
    points = (jnp.sign(states.returns) * (WIN - DRAW) + DRAW).astype(jnp.int32)  # [P, g - 1, 2], 0 for a loss
    total = points[..., 0].sum(1) + _within_groups(points[..., 1], size, order).sum(1)
    return Tournament(total, plies.sum(dtype=jnp.int32), jnp.int32(count * rivals))


def _within_groups(x: Array, size: int, places: np.ndarray) -> Array:
    """Reorder the games [P, g - 1, ...] of each group."""
    grouped = x.reshape(-1, size * (size - 1), *x.shape[2:])
    return grouped[:, places].reshape(x.shape)


def _where(choose: Array, yes: State, no: State) -> State:
    return jax.tree.map(lambda a, b: jnp.where(choose.reshape(choose.shape + (1,) * (a.ndim - 2)), a, b), yes, no)
