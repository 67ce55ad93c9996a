"""Hints of Morpion Solitaire: the first line of the longest game that nested searches of a second find from here."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.morpion.listed import ListedMorpion
from envs.morpion.listed import State as Node
from envs.morpion.rules import WORD, Morpion, State
from jaxgp.search.nrpa import Nested

SECONDS = 1.0
"""In which searches are begun; the first hint of a game also compiles them."""
SLOTS = 64
LEVEL, ITERATIONS, SEARCHES = 2, 8, 8
"""Of the searches that are made together; the first level adapts to the games of random playouts."""


@dataclass(frozen=True)
class _From(ListedMorpion):
    """The game from a position on, for searches."""

    start: Node | None = None

    def init(self) -> Node:
        assert self.start is not None
        return self.start


def hints(game: Morpion) -> Callable[[State], tuple[int | None, str]] | None:
    """Return what answers a request for a hint; None on grids that are too large for searches."""
    if game.size > WORD:
        return None
    listed = ListedMorpion(game, SLOTS)

    @jax.jit
    def search(node: Node, key: Array) -> tuple[Array, Array]:
        line = Nested(_From(game, SLOTS, node), LEVEL, ITERATIONS).search(key, SEARCHES)
        best = line.score.argmax()
        return line.score[best], line.actions[best, 0]

    def hint(state: State) -> tuple[int | None, str]:
        if bool(state.terminated):
            return None, "no line can be drawn"
        node = _listed(listed, state)
        jax.block_until_ready(search(node, jax.random.key(0)))  # compiling is not searching
        end, rounds, best = time.monotonic() + SECONDS, 0, (-1.0, -1)
        while rounds == 0 or time.monotonic() < end:
            score, action = search(node, jax.random.fold_in(jax.random.key(0), rounds))
            best = max(best, (float(score), int(action)))
            rounds += 1
        lines = int(state.count) + int(best[0])
        return best[1], f"{rounds * SEARCHES} nested searches find a game of {lines} lines that begins with it"

    return hint


def _listed(listed: ListedMorpion, state: State) -> Node:
    """Return a position as searches have it, as one in which no line has been drawn yet."""
    size = listed.game.size

    def truths(words: Array) -> np.ndarray:
        """Return bool[..., H, H], by row and column, from uint32[..., W, H]."""
        bits = (np.asarray(words)[..., None] >> np.arange(WORD, dtype=np.uint32)) & 1  # [..., W, H, 32]
        rows = np.moveaxis(bits, -3, -2)  # [..., H, W, 32]
        return rows.reshape(*rows.shape[:-2], -1)[..., :size].astype(bool)

    return jax.tree.map(jnp.asarray, listed.position(truths(state.crosses), truths(state.used)))
