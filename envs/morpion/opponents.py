"""Players of Morpion Solitaire to compare with: uniformly random moves, on the bits of the legal lines."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.morpion.listed import ListedMorpion
from envs.morpion.rules import WORD, Morpion, State
from jaxgp.arrays import where
from jaxgp.bits import nth_bit
from jaxgp.search.chance import unused_key
from jaxgp.search.listed import Listed, ListedGame

EVALUATORS: dict[str, Any] = {}
"""No search plays a game for one."""

MOST = 40
"""Slots for the legal lines of a position; a million random games have 31 legal lines at most."""
BLOCK = 8
"""Words that a draw looks at in its second step."""


def list_lines(game: Morpion) -> ListedGame:
    """Return the game with its legal lines in a list, for nested searches."""
    return ListedMorpion(game, MOST) if game.size <= WORD else Listed(game, MOST)


def random_line(game: Morpion, state: State, bits: Array) -> Array:
    """Draw one of the legal lines uniformly; any line where none is legal.

    The rank-th bit is found by counting the bits of blocks of words, then of words, then of parts of a word.

    Args:
        game: the rules.
        state: the position.
        bits: uint32[], uniform. Its first 24 bits choose among a few dozen lines; the bias is below 1e-5.

    Returns:
        int32[].
    """
    words = state.legal.reshape(-1)
    blocks = jnp.pad(words, (0, -len(words) % BLOCK)).reshape(-1, BLOCK)
    counts = lax.population_count(blocks).astype(jnp.int32)
    total = counts.sum()
    share = (bits >> 8).astype(jnp.float32) * 2.0**-24
    rank = jnp.minimum(jnp.floor(share * total.astype(jnp.float32)).astype(jnp.int32), total - 1)
    block, rank = _pass(counts.sum(1), rank)
    # A masked sum: over many lanes it is faster than a gather.
    words = jnp.where(np.arange(len(blocks))[:, None] == block, blocks, 0).sum(0, dtype=jnp.uint32)
    word, rank = _pass(lax.population_count(words).astype(jnp.int32), rank)
    bit = nth_bit(jnp.where(np.arange(BLOCK) == word, words, 0).sum(dtype=jnp.uint32), rank)
    at = block * BLOCK + word
    sheet, row = at // game.size, at % game.size
    return game.action(sheet // game.words, sheet % game.words * WORD + bit, row).astype(jnp.int32)


def _pass(counts: Array, rank: Array) -> tuple[Array, Array]:
    """Return int32[], int32[]: which of the counts (int32[N]) holds the item of this rank, and its rank within it."""
    # Sums up to each place as a product with a triangle: counts are small, so float32 is exact.
    triangle = np.triu(np.ones((len(counts), len(counts)), np.float32))
    sums = jnp.dot(counts.astype(jnp.float32), triangle, precision=lax.Precision.HIGHEST).astype(jnp.int32)
    place = (sums <= rank).sum(dtype=jnp.int32)
    return place, rank - jnp.where(np.arange(len(counts)) < place, counts, 0).sum()


@partial(jax.jit, static_argnums=(0, 2, 3))
def random_scores(game: Morpion, key: Array, lanes: int, rounds: int) -> Array:
    """Play uniformly random games to their ends.

    Each lane starts its next game as soon as one has ended, so lanes wait for each other only at the end.

    Args:
        game: the rules.
        key: typed key[].
        lanes: games that run side by side.
        rounds: games of each lane.

    Returns:
        int32[lanes, rounds]: scores.
    """
    start = game.init(unused_key())

    def one(state: State, scores: Array, played: Array, bits: Array) -> tuple[State, Array, Array]:
        # A new game starts right before its first move: replacing the ended one after its move takes three times as
        # long.
        state = where(state.terminated, start, state)
        after = game.step(state, random_line(game, state, bits), unused_key())
        scores = jnp.where((np.arange(rounds) == played) & after.terminated, after.count, scores)
        return after, scores, played + after.terminated

    def ply(carry: tuple) -> tuple:
        states, scores, played, number = carry
        bits = jax.random.bits(jax.random.fold_in(key, number), (lanes,), jnp.uint32)
        return *jax.vmap(one)(states, scores, played, bits), number + 1

    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (lanes, *x.shape)), start)
    first = (states, jnp.zeros((lanes, rounds), jnp.int32), jnp.zeros(lanes, jnp.int32), jnp.int32(0))
    return lax.while_loop(lambda carry: (carry[2] < rounds).any(), ply, first)[1]
