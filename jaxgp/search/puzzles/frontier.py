"""Queues of boards, one for each lane, in which each value has one board: a newer one replaces an older one.

A queue has C places. Where it is full, the board with the highest value is dropped, even the newest one, and counted.
"""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.contracts import States


@struct.dataclass
class Boards:
    """C places for boards, each D moves away from the board that led to it."""

    values: Array  # float32[C]; inf: no board
    states: States  # [C, ...], packed: the position before the last of these moves
    moves: Array  # int16[C, D]
    origins: Array  # int32[C]: number of the board that led to it
    dropped: Array  # int32[]
    lost: Array  # bool[]: whether a board has been dropped or replaced


@struct.dataclass
class Taken:
    """Boards taken from queues, [L, ...]."""

    some: Array  # bool[]: whether there was one
    state: States
    moves: Array  # int16[D]
    origin: Array  # int32[]


def create(size: int, packed: States, away: int) -> Boards:
    """Return one empty queue of `size` places, for boards `away` moves from others; `packed` is any position."""
    return Boards(
        values=jnp.full(size, jnp.inf, jnp.float32),
        states=jax.tree.map(lambda x: jnp.broadcast_to(x, (size, *x.shape)), packed),
        moves=jnp.zeros((size, away), jnp.int16),
        origins=jnp.zeros(size, jnp.int32),
        dropped=jnp.int32(0),
        lost=jnp.bool_(False),
    )


def empty(queues: Boards, those: Array) -> Boards:
    """Empty those of the queues [L, ...] (bool[L])."""
    return replace(
        queues,
        values=jnp.where(those[:, None], jnp.inf, queues.values),
        dropped=jnp.where(those, 0, queues.dropped),
        lost=queues.lost & ~those,
    )


def put(
    queues: Boards, wanted: Array, values: Array, actions: Array, moves: Array, states: States, origins: Array
) -> Boards:
    """Put boards into queues, one after the other.

    Args:
        queues: [L, ...].
        wanted: bool[L, S], which boards.
        values: float32[L, S], as `Children` has them.
        actions: int16[L, S]: the last move to each.
        moves: int16[L, D]: the moves before that; the last one is not used.
        states: [L, ...], packed: the positions between.
        origins: int32[L]: the boards that led to them.
    """
    size, lane = queues.values.shape[1], jnp.arange(len(origins))
    places = np.arange(size, dtype=np.int32)

    def one(carry: tuple[Array, Boards]) -> tuple[Array, Boards]:
        waiting, queues = carry
        some, first = waiting.any(1), waiting.argmax(1)
        value = values[lane, first]
        # The place of a board of equal value; else a free one, which has the value inf; else the highest one.
        highest = queues.values.max(1)
        rank = jnp.where(queues.values == highest[:, None], places + size, 2 * size)
        rank = jnp.where(queues.values == value[:, None], places, rank).min(1)
        replaces, drops = some & (rank < size), some & (rank >= size) & ~jnp.isposinf(highest)
        at = jnp.where(some & (~drops | (value < highest)), rank % size, size)
        leg = moves.at[:, -1].set(actions[lane, first])
        return waiting.at[lane, first].set(False), Boards(
            values=queues.values.at[lane, at].set(value, mode="drop"),
            states=jax.tree.map(lambda old, new: old.at[lane, at].set(new, mode="drop"), queues.states, states),
            moves=queues.moves.at[lane, at].set(leg, mode="drop"),
            origins=queues.origins.at[lane, at].set(origins, mode="drop"),
            dropped=queues.dropped + drops,
            lost=queues.lost | drops | replaces,
        )

    return lax.while_loop(lambda carry: carry[0].any(), one, (wanted, queues))[1]


def lowest(queues: Boards) -> tuple[Taken, Array]:
    """Return the boards with the lowest values, and int32[L]: their places."""
    lane, place = jnp.arange(len(queues.lost)), queues.values.argmin(1).astype(jnp.int32)
    states = jax.tree.map(lambda x: x[lane, place], queues.states)
    some = ~jnp.isposinf(queues.values[lane, place])
    return Taken(some, states, queues.moves[lane, place], queues.origins[lane, place]), place


def remove(queues: Boards, those: Array, place: Array) -> Boards:
    """Remove the boards at places (int32[L]) from those of the queues (bool[L])."""
    at = jnp.where(those, place, queues.values.shape[1])
    values = queues.values.at[jnp.arange(len(at)), at].set(jnp.inf, mode="drop")
    return replace(queues, values=values)
