"""The children of many nodes of puzzles, stepped and valued in batches of a fixed size: legal moves alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import take
from jaxgp.contracts import Packs, Position, Puzzle, States
from jaxgp.search.chance import refuse_chance, unused_key
from jaxgp.search.lookahead import Contexts, by_context, ranges

WIDTH = 12
"""Children that are stepped together, on average per lane; lanes share this budget by need."""
LEAST, MOST = 64, 2048
"""The fewest and the most children that are stepped together."""


@struct.dataclass
class Node:
    """A child in a search, as an order sees it."""

    state: States  # the position
    before: States  # the position of the parent
    action: Array  # int32[]: the move from the parent to it
    depth: Array  # int32[]: moves from the root to it
    siblings: Array  # int32[]: how many children the parent has


Order = Callable[[Any, Array, Node, Array], Array]
"""(contexts [C, ...], whose int32[B], nodes [B], needed int32[]) -> float32[B]: values, of which the lowest go first.

The second argument is the context of each node; the last one, N, says how many nodes matter. These are the first N,
sorted by context in ascending order; the values of the others are not used. NaN counts as the greatest value.
"""


Found = tuple[Array, Array, Array]
"""Keys, whether they solve, and values of children."""


@struct.dataclass
class Children:
    """Children of nodes, [L, ...], by their places among the moves of each."""

    actions: Array  # int16[L, S]
    keys: Array  # uint32[L, S, W]
    solves: Array  # bool[L, S]
    values: Array  # float32[L, S], at most the greatest number, which NaN is too, none subnormal; 0 in a blind search


def pack(puzzle: Puzzle, states: States) -> States:
    """Return states [B, ...] in as few words as the puzzle can write them."""
    return jax.vmap(puzzle.pack)(states) if isinstance(puzzle, Packs) else states


def unpack(puzzle: Puzzle, packed: States) -> Any:
    """Undo `pack`."""
    return jax.vmap(puzzle.unpack)(packed) if isinstance(puzzle, Packs) else packed


def check(puzzle: Puzzle) -> None:
    """Refuse a puzzle that no search here takes: with chance, or with actions that do not fit 16 bits.

    Raises:
        ValueError: it is one.
    """
    refuse_chance(puzzle)
    most = np.iinfo(np.int16).max
    if puzzle.num_actions > most:
        raise ValueError(f"num_actions={puzzle.num_actions}: accepted: up to {most}")


def of_state(value: Callable[[Any], Array]) -> Order:
    """Return the order of a function that values positions alone: state -> a number[]."""

    def order(contexts: Contexts, whose: Array, nodes: Node, needed: Array) -> Array:
        del contexts, whose, needed
        return jax.vmap(lambda state: value(state).astype(jnp.float32))(nodes.state)

    return order


def key_words(puzzle: Puzzle) -> int:
    """Return W, the words of a key."""
    return int(jax.eval_shape(lambda: puzzle.key(puzzle.init(unused_key()))).shape[0])


@dataclass(frozen=True)
class Lister:
    """Lists the children of nodes.

    Attributes:
        puzzle: the rules; S is the most moves that there can be.
        order: values the children; None: nothing does.
        words: W, of a key; 0: no keys are needed.
    """

    puzzle: Puzzle
    order: Order | None
    words: int

    def step(self, state: Position, action: Array) -> Position:
        """Return the child by an action (integer[]), unbatched."""
        child: Position = self.puzzle.step(state, action.astype(jnp.int32), unused_key())
        return child

    def children(
        self, contexts: Contexts, whose: Array, nodes: Position, depth: Array, number: Array, valued: Array
    ) -> Children:
        """Return the children of nodes.

        Args:
            contexts: [C, ...].
            whose: int32[L], the context of each node.
            nodes: [L, ...].
            depth: int32[L].
            number: int32[L]: children of each.
            valued: bool[L]: whether the values of its children are needed.

        Returns:
            [L, S]; unspecified from `number` on.
        """
        lanes, slots = len(number), self.puzzle.most_choices
        order = jnp.arange(lanes) if self.order is None else by_context(contexts, whose, valued)
        ends = jnp.cumsum(number[order], dtype=jnp.int32)
        starts, needed = ends - number[order], jnp.where(valued, number, 0).sum(dtype=jnp.int32)
        begin = jnp.zeros(lanes, jnp.int32).at[order].set(starts)
        together = min(lanes * slots, max(LEAST, WIDTH * lanes), MOST)

        # All moves of a node are listed at once, which takes less time than one after the other.
        places = jnp.arange(slots, dtype=jnp.int32)
        actions = jax.vmap(lambda node: jax.vmap(lambda place: self.puzzle.choice(node, place))(places))(nodes)

        def some(carry: tuple[Array, Found]) -> tuple[Array, Found]:
            first, found = carry
            index = first + jnp.arange(together, dtype=jnp.int32)
            lane = order[jnp.minimum(ranges(starts - first, together), lanes - 1)]
            parents = take(nodes, lane)
            moves = actions[lane, jnp.clip(index - begin[lane], 0, slots - 1)]
            states = jax.vmap(self.step)(parents, moves)
            new = (
                jax.vmap(self.puzzle.key)(states) if self.words else jnp.zeros((together, 0), jnp.uint32),
                jax.vmap(self.puzzle.solved)(states),
                self._values(
                    contexts, whose[lane], Node(states, parents, moves, depth[lane] + 1, number[lane]), needed - first
                ),
            )
            put = lax.dynamic_update_slice_in_dim
            return first + together, jax.tree.map(lambda old, new: put(old, new, first, 0), found, new)

        # Room for the children of all nodes and one more slice, since the last slice may reach beyond them.
        room = lanes * slots + together
        nothing = (
            jnp.zeros((room, self.words), jnp.uint32),
            jnp.zeros(room, jnp.bool_),
            jnp.zeros(room, jnp.float32),
        )
        found = lax.while_loop(lambda carry: carry[0] < ends[-1], some, (jnp.int32(0), nothing))[1]
        return Children(actions.astype(jnp.int16), *take(found, begin[:, None] + places))

    def _values(self, contexts: Contexts, whose: Array, nodes: Node, needed: Array) -> Array:
        """Return float32[B]: values of nodes [B, ...], of which the first `needed` matter."""
        if self.order is None:
            return jnp.zeros(len(whose), jnp.float32)
        values = self.order(contexts, whose, nodes, needed)
        values = jnp.minimum(jnp.where(jnp.isnan(values), jnp.inf, values), np.finfo(np.float32).max)
        return jnp.where(jnp.abs(values) < np.finfo(np.float32).tiny, 0.0, values)
