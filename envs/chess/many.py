"""The best moves in many positions side by side, by the value of the position that each of them leads to.

The moves of all positions form one queue, which is valued some at a time; so the work is the number of moves, and
not the number of positions times the most moves of one of them.
"""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.chess.geometry import SQUARES, Board
from envs.chess.language import After
from envs.chess.rules import Chess, State, moved
from jaxgp.arrays import apart, suited, where
from jaxgp.bits import finalise, nth_square
from jaxgp.players.greedy import LOWEST, Best, best_of

Value = Callable[[Array, After, Array], Array]
"""(int32[K] which states, ascending; what moves lead to [K]; int32[] how many of them count) -> float32[K]."""
TOGETHER, WIDE = 512, 2**16
"""Moves that are valued together, on a CPU and on other devices."""


def outcome(state: State, action: Array) -> After:
    """Return what a legal action (int32[]) leads to."""
    men, kinds, captured = moved(state.board, action // SQUARES, (action % SQUARES).astype(jnp.int8))
    return After(men, kinds, captured)


def best_moves(game: Chess, states: State, active: Array, bits: Array, value: Value, random: bool = True) -> Array:
    """Return int32[N, 1]: the moves with the highest values; 0 in states that do not count.

    Args:
        game: the rules.
        states: [N].
        active: bool[N], the states whose moves are wanted.
        bits: uint32[N], random bits for lots among equal moves.
        value: of the positions after moves; NaN counts as the lowest value.
        random: whether equal moves are chosen by lot; otherwise the first of them.
    """
    count = len(active)
    together = min(suited(TOGETHER, WIDE), count * game.most_choices)
    each = lax.population_count(states.moves).astype(jnp.int32).sum((1, 2))
    sizes = jnp.where(active & ~states.terminated, each, 0)
    ends = jnp.cumsum(sizes)
    begins = ends - sizes

    def some(carry: tuple[Array, Best]) -> tuple[Array, Best]:
        first, best = carry
        place = first + jnp.arange(together, dtype=jnp.int32)
        lane = jnp.minimum(jnp.searchsorted(ends, place, side="right"), count - 1).astype(jnp.int32)
        # Apart, or else a CPU gathers again inside of all that reads it.
        men, kinds, words, luck = apart(lambda: (states.men[lane], states.kinds[lane], states.moves[lane], bits[lane]))
        flat = tuple(words[:, n, w] for n in range(game.width) for w in range(2))
        action = nth_square(flat, place - begins[lane]).astype(jnp.int32)
        board = Board(*(jnp.moveaxis(x, 0, -1) for x in (men, kinds)))
        after = moved(board, action // SQUARES, (action % SQUARES).astype(jnp.int8))
        outcomes = After(*(jnp.moveaxis(x, -1, 0) for x in after))
        values = value(lane, outcomes, jnp.minimum(ends[-1] - first, together))
        values = jnp.where(jnp.isnan(values), LOWEST, jnp.maximum(values, LOWEST))
        draw = lots(action, luck) if random else ~action.astype(jnp.uint32)
        used = place < ends[-1]
        moves = lax.optimization_barrier((values, draw, action))
        return first + together, best_of(best, jnp.where(used, lane, count), moves)

    none = jnp.full(count, -jnp.inf, jnp.float32), jnp.zeros(count, jnp.uint32), jnp.zeros(count, jnp.int32)
    found = lax.while_loop(lambda carry: carry[0] < ends[-1], some, (jnp.int32(0), none))[1]
    return where(sizes > 0, found[2], jnp.zeros(count, jnp.int32))[:, None]


def lots(actions: Array, bits: Array) -> Array:
    """Return uint32[...], at least 1: what actions (int32[...]) draw with random bits (uint32[...])."""
    mixed = (actions.astype(jnp.uint32) + 1) * np.uint32(0x85EBCA77) ^ bits * np.uint32(0x9E3779B1)
    return jnp.maximum(finalise(mixed), 1)
