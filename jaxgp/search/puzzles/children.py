"""The children of many nodes of puzzles, stepped and valued in batches of a fixed size: legal moves alone."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

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
class Child:
    """A child in a search, as an order sees it."""

    state: States  # the position
    before: States  # the position of the parent
    action: Array  # int32[]: the move from the parent to it
    depth: Array  # int32[]: moves from the root to it
    siblings: Array  # int32[]: how many children the parent has


Carried = TypeVar("Carried")
Order = Callable[[Any, Array, Child, Array], Array]
"""(contexts [C, ...], whose int32[B], nodes [B], needed int32[]) -> float32[B]: values, of which the lowest go first.

The second argument is the context of each node; the last one, N, says how many nodes matter. These are the first N,
sorted by context in ascending order; the values of the others are not used. NaN counts as the greatest value.
"""


@struct.dataclass
class Slice:
    """B children that are stepped together: one node's after the other's, in the order of its moves."""

    lane: Array  # int32[B]: the nodes that they belong to
    there: Array  # bool[B]: false beyond the last child
    begin: Array  # int32[L]: where the children of each node begin, and
    end: Array  # int32[L]: where they end, both 0 to B; those of a node may begin or end in another slice
    place: Array  # int32[B]: which of the moves of its node led to each
    actions: Array  # int32[B]: that move
    keys: Array  # uint32[B, W]
    solves: Array  # bool[B]
    values: Array  # float32[B]; see `Children`


Visit = Callable[[Carried, Slice], Carried]
"""(carried, slice) -> carried: what a search does with the next children."""


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


def unpack(puzzle: Puzzle, packed: States) -> States:
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


def of_state(value: Callable[[States], Array]) -> Order:
    """Return the order of a function that values positions alone: state -> a number[]."""

    def order(contexts: Contexts, whose: Array, nodes: Child, needed: Array) -> Array:
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
        child: Position = self.puzzle.advance(state, action.astype(jnp.int32))
        return child

    def visit(
        self,
        contexts: Contexts,
        whose: Array,
        nodes: Position,
        depth: Array,
        number: Array,
        valued: Array,
        visit: Visit[Carried],
        carried: Carried,
    ) -> Carried:
        """Visit the children of nodes, slice after slice.

        Args:
            contexts: [C, ...].
            whose: int32[L], the context of each node.
            nodes: [L, ...].
            depth: int32[L].
            number: int32[L]: children of each.
            valued: bool[L]: whether the values of its children are needed.
            visit: is called in a loop.
            carried: what the first call of it is given.

        Returns:
            What the last call of `visit` returned.
        """
        lanes, slots = len(number), self.puzzle.most_choices
        order = jnp.arange(lanes) if self.order is None else by_context(contexts, whose, valued)
        ends = jnp.cumsum(number[order], dtype=jnp.int32)
        starts, needed = ends - number[order], jnp.where(valued, number, 0).sum(dtype=jnp.int32)
        begin = jnp.zeros(lanes, jnp.int32).at[order].set(starts)
        together = min(lanes * slots, max(LEAST, WIDTH * lanes), MOST)
        actions = self._actions(nodes)

        def some(carry: tuple[Array, Carried]) -> tuple[Array, Carried]:
            first, carried = carry
            index = first + jnp.arange(together, dtype=jnp.int32)
            lane = order[jnp.minimum(ranges(starts - first, together), lanes - 1)]
            place = jnp.clip(index - begin[lane], 0, slots - 1)
            parents, moves = take(nodes, lane), actions[lane, place]
            # Without the barrier, parts of the states would be computed again for each of their uses.
            states = lax.optimization_barrier(jax.vmap(self.step)(parents, moves))
            node = Child(states, parents, moves, depth[lane] + 1, number[lane])
            some = Slice(
                lane=lane,
                there=index < ends[-1],
                begin=jnp.clip(begin - first, 0, together),
                end=jnp.clip(begin + number - first, 0, together),
                place=place,
                actions=moves,
                keys=jax.vmap(self.puzzle.key)(states) if self.words else jnp.zeros((together, 0), jnp.uint32),
                solves=jax.vmap(self.puzzle.solved)(states),
                values=self._values(contexts, whose[lane], node, needed - first),
            )
            return first + together, visit(carried, some)

        return lax.while_loop(lambda carry: carry[0] < ends[-1], some, (jnp.int32(0), carried))[1]

    def children(
        self, contexts: Contexts, whose: Array, nodes: Position, depth: Array, number: Array, valued: Array
    ) -> Children:
        """Return the children of nodes, [L, S], unspecified from `number` on; see `visit`."""
        lanes, slots = len(number), self.puzzle.most_choices

        def put(found: Children, some: Slice) -> Children:
            lane, place = jnp.where(some.there, some.lane, lanes), some.place

            def write(old: Array, new: Array) -> Array:
                return old.at[lane, place].set(new.astype(old.dtype), mode="drop")

            new = Children(some.actions, some.keys, some.solves, some.values)
            return jax.tree.map(write, found, new)

        nothing = Children(
            actions=jnp.zeros((lanes, slots), jnp.int16),
            keys=jnp.zeros((lanes, slots, self.words), jnp.uint32),
            solves=jnp.zeros((lanes, slots), jnp.bool_),
            values=jnp.zeros((lanes, slots), jnp.float32),
        )
        found: Children = self.visit(contexts, whose, nodes, depth, number, valued, put, nothing)
        return found

    def _actions(self, nodes: Position) -> Array:
        """Return int32[L, S]: the moves of nodes [L, ...].

        All of a node are listed at once, which takes less time than one after the other.
        """
        places = jnp.arange(self.puzzle.most_choices, dtype=jnp.int32)
        return jax.vmap(lambda node: jax.vmap(lambda place: self.puzzle.choice(node, place))(places))(nodes)

    def _values(self, contexts: Contexts, whose: Array, nodes: Child, needed: Array) -> Array:
        """Return float32[B]: values of nodes [B, ...], of which the first `needed` matter."""
        if self.order is None:
            return jnp.zeros(len(whose), jnp.float32)
        values = self.order(contexts, whose, nodes, needed)
        values = jnp.minimum(jnp.where(jnp.isnan(values), jnp.inf, values), np.finfo(np.float32).max)
        return jnp.where(jnp.abs(values) < np.finfo(np.float32).tiny, 0.0, values)
