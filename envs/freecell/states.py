"""Positions of FreeCell as arrays: numbered deals and positions of any kind, and what can be seen of them at once."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from envs.freecell import cards
from envs.freecell.cards import CARDS, CASCADES, CELLS, ROWS, Layout, fits

EMPTY = -8
"""No card. Its rank is -2, so it fits on no card and no card fits on it."""
SUITS = len(cards.SUITS)
ON_FOUNDATION, IN_CELL, AT_BOTTOM, ON_LOWER, ON_HIGHER, AS_DEALT = range(6)
"""Values of `State.places`. The two suits of a colour differ: a card lies on one of the lower or of the higher suit."""
PLACES = 6
"""How many values of `State.places` there are."""
NO_CARD = 63
"""An empty place in a packed state, in which a card has 6 bits."""


@struct.dataclass
class State:
    """One position. Cards are numbers as in `envs.freecell.cards`."""

    cascades: Array  # int8[8, 19]: cards from the bottom on, then EMPTY
    heights: Array  # int8[8]: cards in each cascade
    cells: Array  # int8[4]: a card, or EMPTY
    foundations: Array  # int8[4]: cards on the foundation of each suit
    places: Array  # int8[52]: where each card is: AS_DEALT, on the card that it lay on at the start; see `ON_LOWER`
    level: Array  # float32[]: 0 to 1, how difficult the deal is among those of its set; constant
    count: Array  # int32[]: moves made
    to_move: Array  # int32[]: always 0
    terminated: Array  # bool[]: solved, given up, or no move is left
    returns: Array  # float32[1]: at the end the cards on the foundations, zero until then


def position(layout: Layout, level: float = 0.0) -> State:
    """Return a position as a state of NumPy arrays; `level` says how difficult it is in its set, 0 to 1."""
    heights = np.array([[len(cascade) for cascade in layout.cascades]], np.int8)
    cascades = np.full((1, CASCADES, ROWS), EMPTY, np.int8)
    for number, cascade in enumerate(layout.cascades):
        cascades[0, number, : len(cascade)] = cascade
    cells = np.array([[*layout.cells, *[EMPTY] * (CELLS - len(layout.cells))]], np.int8)
    states = _states(cascades, heights, cells, np.array([layout.foundations], np.int8), np.array([level]))
    only: State = jax.tree.map(lambda x: x[0], states)
    return only


def positions(numbers: Sequence[int], levels: Sequence[float] | None = None) -> State:
    """Return numbered deals as states [N, ...] of NumPy arrays.

    Args:
        numbers: of the deals.
        levels: how difficult each is among them, 0 to 1; None: 0, not known.

    Raises:
        ValueError: no deal, or a number that there is not.
    """
    count = len(numbers)
    wrong = [number for number in numbers if not 1 <= number <= cards.DEALS]
    if wrong or not count:
        shown = f"deal {wrong[0]}" if wrong else "no deal"
        raise ValueError(f"{shown}: accepted: numbers from 1 to {cards.DEALS}")
    heights = np.tile((CARDS - 1 - np.arange(CASCADES)) // CASCADES + 1, (count, 1)).astype(np.int8)
    cascades = np.full((count, ROWS * CASCADES), EMPTY, np.int8)
    cascades[:, :CARDS] = cards.order_cards(np.array(numbers))
    cascades = np.ascontiguousarray(cascades.reshape(count, ROWS, CASCADES).swapaxes(1, 2))
    nothing = np.full((count, CELLS), EMPTY, np.int8)
    levels = [0.0] * count if levels is None else levels
    return _states(cascades, heights, nothing, np.zeros((count, SUITS), np.int8), np.array(levels))


def top_cards(state: State) -> Array:
    """Return int8[8]: the last card of each cascade, or EMPTY."""
    return tops_of(state.cascades, state.heights)


def run_lengths(state: State) -> Array:
    """Return int8[8]: how many cards at the top of each cascade lie in sequence, of alternating colours."""
    joined = fits(state.cascades[:, 1:], state.cascades[:, :-1])
    rows = np.arange(1, ROWS, dtype=np.int8)
    begin = jnp.where(~joined & (rows < state.heights[:, None]), rows, 0).max(1)
    return state.heights - begin


def run_length(pile: Array, height: Array) -> Array:
    """Return int8[]: as `run_lengths`, of one cascade (int8[19]) with its number of cards (int8[])."""
    rows = np.arange(1, ROWS, dtype=np.int8)
    return height - jnp.where(~fits(pile[1:], pile[:-1]) & (rows < height), rows, 0).max()


def is_next(card: Array, foundations: Array) -> Array:
    """Return bool[N]: which cards (int8[N]) may go to the foundations (int8[4])."""
    following = foundations * SUITS + np.arange(SUITS, dtype=np.int8)
    return (card[:, None] == following).any(1)


def tops_of(cascades: Array, heights: Array) -> Array:
    last = np.arange(ROWS, dtype=np.int8) == heights[:, None] - 1
    return jnp.where(last, cascades, EMPTY).max(1)


def score_of(foundations: Array) -> Array:
    return foundations.sum(dtype=jnp.int32).astype(jnp.float32)[None]


def _states(
    cascades: np.ndarray, heights: np.ndarray, cells: np.ndarray, foundations: np.ndarray, levels: np.ndarray
) -> State:
    """Return positions [N, ...] as states of NumPy arrays, as they are before the first move."""
    below = np.concatenate([np.full_like(cascades[..., :1], EMPTY), cascades[..., :-1]], -1)
    code = np.where(fits(cascades, below), ON_LOWER + (below >> 1 & 1), AS_DEALT)
    code[..., 0] = AT_BOTTOM
    places = np.full((len(cascades), CARDS), ON_FOUNDATION, np.int8)
    for where, what in ((cascades, code), (cells, np.full_like(cells, IN_CELL))):
        position, *rest = np.nonzero(where >= 0)
        places[position, where[position, *rest]] = what[position, *rest]
    last = np.arange(ROWS) == heights[..., None] - 1
    tops = np.where(last, cascades, EMPTY).max(-1)
    exposed = np.concatenate([tops, cells], 1)
    following = foundations * SUITS + np.arange(SUITS)
    movable = fits(exposed[:, :, None], tops[:, None]).any((1, 2)) | (cells < 0).any(1) | (heights == 0).any(1)
    movable |= (exposed[:, :, None] == following[:, None]).any((1, 2))
    count = foundations.sum(1, dtype=np.int32)
    ended = ~movable | (count == CARDS)
    fields: dict[str, Any] = {
        "cascades": cascades,
        "heights": heights,
        "cells": cells,
        "foundations": foundations,
        "places": places,
        "level": levels.astype(np.float32),
        "count": np.zeros(len(cascades), np.int32),
        "to_move": np.zeros(len(cascades), np.int32),
        "terminated": ended,
        "returns": np.where(ended, count, 0).astype(np.float32)[:, None],
    }
    return State(**fields)


def pack_digits(digits: Array, base: int) -> Array:
    """Return uint32[W]: digits (int8[N]) as numbers with a base, as many as fit in each word, the first one lowest."""
    each = _digits(base)
    # Without the barrier, digits would be computed one by one as the rows are padded.
    digits = lax.optimization_barrier(digits)
    rows = jnp.pad(digits.astype(jnp.uint32), (0, -len(digits) % each)).reshape(-1, each)
    # One column after the other: on a CPU a sum over a short axis takes several times as long.
    return reduce(jnp.add, [rows[:, place] * power for place, power in enumerate(_powers(base))])


def unpack_digits(words: Array, base: int, count: int) -> Array:
    """Undo `pack_digits` for a base that is a power of two: return int8[count]."""
    shifts = np.arange(_digits(base), dtype=np.uint32) * (base.bit_length() - 1)
    return (words[:, None] >> shifts & np.uint32(base - 1)).reshape(-1)[:count].astype(jnp.int8)


def _digits(base: int) -> int:
    """Return how many digits a word holds."""
    return next(count for count in range(32, 0, -1) if base**count <= 2**32)


def _powers(base: int) -> np.ndarray:
    return np.array([base**place for place in range(_digits(base))], np.uint32)


def pack(state: State) -> Array:
    """Return uint32[41]: a state in two thirds of its bytes."""
    held = jnp.concatenate([state.cascades.reshape(-1), state.cells])
    held = pack_digits(jnp.where(held < 0, NO_CARD, held), 64)
    home = pack_digits(jnp.append(state.foundations, state.terminated.astype(jnp.int8)), 16)
    level = lax.bitcast_convert_type(state.level, jnp.uint32)
    rest = jnp.stack([level, state.count.astype(jnp.uint32)])
    return jnp.concatenate([held, pack_digits(state.places, 8), home, rest])


def unpack(words: Array) -> State:
    """Undo `pack`."""
    held, places, home, rest = jnp.split(words, PARTS)
    cards_held = unpack_digits(held, 64, CASCADES * ROWS + CELLS)
    cards_held = jnp.where(cards_held == NO_CARD, EMPTY, cards_held).astype(jnp.int8)
    cascades = cards_held[:-CELLS].reshape(CASCADES, ROWS)
    foundations = unpack_digits(home, 16, SUITS + 1)
    terminated = foundations[SUITS] != 0
    return State(
        cascades=cascades,
        heights=(cascades >= 0).sum(1, dtype=jnp.int8),
        cells=cards_held[-CELLS:],
        foundations=foundations[:SUITS],
        places=unpack_digits(places, 8, CARDS),
        level=lax.bitcast_convert_type(rest[0], jnp.float32),
        count=rest[1].astype(jnp.int32),
        to_move=jnp.int32(0),
        terminated=terminated,
        returns=jnp.where(terminated, score_of(foundations[:SUITS]), 0.0),
    )


PARTS = np.cumsum([-(-(CASCADES * ROWS + CELLS) // _digits(64)), -(-CARDS // _digits(8)), 1])
"""Where the parts of a packed state begin: places, foundations and the end, and the rest."""
