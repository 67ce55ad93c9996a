"""The look-ahead of a search: values each move of the visited nodes a few plies deep, as one batch.

A leaf evaluator values the positions where the look-ahead ends. Every node belongs to a context, which says how its
leaves are valued. If contexts are plans of programs, for example, each program values the leaves of its own searches.
The leaf evaluator gets its positions sorted by context.

There are two ways to look ahead. `FullWidth` tries all actions, legal or not, several plies deep; it is for games with
few actions. `LegalOnly` tries the legal moves alone, one ply deep; it is for games with many actions, which list their
legal moves (`jaxgp.contracts.ListsMoves`).

Values are int32 codes in the order of the floats they stand for. One below a code is the next smaller float, and the
complement of a code stands for the negated value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.arrays import apart, comparable, take
from jaxgp.contracts import ListsMoves, Packs, Position, State
from jaxgp.search.chance import unused_key

Result = TypeVar("Result")
Contexts = object
"""A tree of arrays [C, ...]; without arrays, all positions are valued alike."""
Evaluate = Callable[..., Array]
"""state -> float32[]: the value of a position for the side to move; it must accept ended games."""
LeafEvaluator = Callable[[Any, Array, Any, Array], Array]
"""(contexts [C, ...], int32[B], states [B, ...], int32[]) -> float32[B]: values as the side to move sees them.

The second argument is the context of each state; the last one, N, says how many states matter. These are the first N,
sorted by context in ascending order; the values of the others are not used. States may be of ended games.
"""

# Codes of floats lie strictly between these two, and each is the complement of the other.
LOWEST = np.int32(-(2**31) + 1)
HIGHEST = np.int32(2**31 - 2)
NEVER = np.int32(-(2**31))  # code of a move that is illegal or already searched
_GREATEST = np.float32(3e38)

FEW = 8
"""Up to this number of actions the compiled program has separate code for each action, in which it is a constant."""
WIDTH = 12
"""Listed moves that are tried together, on average per node; nodes share this budget by need."""
MOST = 2048
"""The most listed moves that are tried together."""


class Searchable(Protocol[State]):
    """What a search needs of the rules: a part of `Game`."""

    @property
    def num_actions(self) -> int: ...

    def legal_actions(self, state: State) -> Array: ...

    def step(self, state: State, action: Array, key: Array) -> State: ...


class Twin(Searchable[Any], Packs):
    """The same game as another one, whose states it packs; these are faster to search."""


class _Lister(Searchable[Any], ListsMoves):
    """Rules that list their legal moves."""


def encode(value: Array) -> Array:
    """Map float32[...] to int32[...] in the same order.

    Both zeros and all subnormals have one code. Infinities are clipped to -3e38 and 3e38. NaN is not allowed.
    """
    value = jnp.clip(value, -_GREATEST, _GREATEST)
    bits = lax.bitcast_convert_type(jnp.where(jnp.abs(value) < np.finfo(np.float32).tiny, 0.0, value), jnp.int32)
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)


def decode(code: Array) -> Array:
    """Map int32[...] back to float32[...]; the complement of the code of zero is zero too."""
    value = lax.bitcast_convert_type(code ^ ((code >> 31) & 0x7FFFFFFF), jnp.float32)
    return jnp.where((code == 0) | (code == -1), 0.0, value)


def side(state: Position) -> Array:
    """Return int32[]: what to XOR a code with to turn it from the view of seat 0 to the mover's, or back."""
    return -state.to_move.astype(jnp.int32)


@dataclass(frozen=True)
class ContextFree:
    """A leaf evaluator that values all states alike, in all contexts."""

    evaluate: Evaluate

    def __call__(self, contexts: Any, whose: Array, states: Any, needed: Array) -> Array:
        """Return float32[B]: the values of states [B, ...]."""
        del contexts, whose, needed
        return jax.vmap(self.evaluate)(states)


def by_context(contexts: Contexts, whose: Array, busy: Array) -> Array:
    """Return int32[N]: nodes in the order in which the leaf evaluator sees them.

    Args:
        contexts: [C, ...].
        whose: int32[N], the context of each node.
        busy: bool[N]; nodes that are not busy come last.
    """
    if not jax.tree.leaves(contexts):
        return jnp.argsort(~busy, stable=True)
    return jnp.argsort(jnp.where(busy, whose, np.iinfo(np.int32).max), stable=True)


def tail_of(game: object, tail: int) -> int:
    """Return how many last plies a search of this game should look ahead at once: 1 where the game lists its moves."""
    return 1 if isinstance(game, ListsMoves) else tail


def _codes(leaf_evaluator: LeafEvaluator, contexts: Contexts, whose: Array, states: Position, needed: Array) -> Array:
    """Return int32[B]: code of the value of each of states [B, ...], as seat 0 sees it."""
    values = comparable(leaf_evaluator(contexts, whose, states, needed))
    return encode(jnp.where(states.to_move == 0, values, -values))


def ranges(starts: Array, number: int) -> Array:
    """Return int32[number]: in which range each of `number` places lies.

    Args:
        starts: int32[N], ascending: the first place of each range, below 0 for a range that began earlier.
        number: how many places there are, counted from 0.
    """
    marks = jnp.zeros(number, jnp.int32).at[jnp.where(starts > 0, starts, number)].add(1, mode="drop")
    return (starts <= 0).sum(dtype=jnp.int32) - 1 + jnp.cumsum(marks, dtype=jnp.int32)


@dataclass(frozen=True)
class LegalOnly:
    """Tries the legal moves of the nodes, one ply deep: node after node, a fixed number of moves at a time.

    A slot is a place on the list of moves of a node.
    """

    rules: _Lister
    leaf_evaluator: LeafEvaluator

    @property
    def slots(self) -> int:
        """The most moves that a node can have."""
        return self.rules.most_choices

    def action(self, state: Position, slot: Array) -> Array:
        """Return int32[]: the action in a slot of one state."""
        return self.rules.choice(state, slot)

    def _child(self, state: Position, place: Array) -> Position:
        child: Position = self.rules.step(state, self.rules.choice(state, place), unused_key())
        return child

    def look(self, contexts: Contexts, whose: Array, states: Position, busy: Array, running: Array) -> Array:
        """Value the moves of the busy states one ply deep.

        Args:
            contexts: [C, ...].
            whose: int32[N], the context of each state.
            states: [N, ...].
            busy: bool[N].
            running: bool[], true; not used here.

        Returns:
            int32[N, slots]: code of each move as the mover of its state sees it; NEVER in slots without a move. All
            moves of an ended game have the value of the game.
        """
        del running
        count = jnp.where(busy, jnp.where(states.terminated, 1, jax.vmap(self.rules.choices)(states)), 0)
        order = by_context(contexts, whose, busy)
        ends = jnp.cumsum(count[order], dtype=jnp.int32)
        starts = ends - count[order]
        begin = jnp.zeros(len(count), jnp.int32).at[order].set(starts)
        nodes, together = len(count), min(WIDTH * len(count), MOST)

        def some(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            first, found = carry
            move = first + jnp.arange(together, dtype=jnp.int32)
            node = order[jnp.minimum(ranges(starts - first, together), nodes - 1)]
            parents = take(states, node)
            children = jax.vmap(self._child)(parents, move - begin[node])
            codes = _codes(self.leaf_evaluator, contexts, whose[node], children, ends[-1] - first)
            codes ^= jax.vmap(side)(parents)
            return first + together, lax.dynamic_update_slice(found, codes, (first,))

        # Room for the moves of all lists and one more slice, since the last slice may reach beyond them.
        start = jnp.int32(0), jnp.full(nodes * self.slots + together, NEVER)
        found = lax.while_loop(lambda carry: carry[0] < ends[-1], some, start)[1]
        looks = jax.vmap(lambda at: lax.dynamic_slice(found, (at,), (self.slots,)))(begin)
        return jnp.where(np.arange(self.slots) < count[:, None], looks, NEVER)


@dataclass(frozen=True)
class FullWidth:
    """Plays every sequence of `tail` actions. A slot is an action."""

    rules: Searchable[Any]
    leaf_evaluator: LeafEvaluator
    tail: int

    @property
    def slots(self) -> int:
        """The number of actions."""
        return self.rules.num_actions

    def action(self, state: Position, slot: Array) -> Array:
        """Return the slot."""
        del state
        return slot

    def look(self, contexts: Contexts, whose: Array, states: Position, busy: Array, running: Array) -> Array:
        """Value the moves of the busy states by minimax, `tail` plies deep.

        Plies are laid out flat, with the last action first and the states innermost.

        Args:
            contexts: [C, ...].
            whose: int32[N], the context of each state.
            states: [N, ...].
            busy: bool[N].
            running: bool[], true; the compiler must not know that it is.

        Returns:
            int32[N, A]: code of each move as the mover of its state sees it; NEVER where it is illegal. All moves of an
            ended game have the value of the game.
        """
        sort = bool(jax.tree.leaves(contexts))
        order = by_context(contexts, whose, busy)
        if sort:
            states, whose = take((states, whose), order)
        plies = [states]
        for _ in range(self.tail - 1):
            plies.append(apart(self._expand, plies[-1], running=running))
        count = busy.sum(dtype=jnp.int32)
        looks, values = apart(lambda last: self._last(contexts, whose, last, count), plies[-1], running=running)
        for before in reversed(plies[:-1]):
            looks, values = apart(self._minimax, before, values.reshape(self.slots, -1), running=running)
        return jnp.zeros_like(looks.T).at[order].set(looks.T) if sort else looks.T

    def _minimax(self, states: Position, values: Array) -> tuple[Array, Array]:
        """Back values up by one ply.

        Args:
            states: [N, ...].
            values: int32[A, N], codes of their children as seat 0 sees them.

        Returns:
            int32[A, N], codes of the moves as their movers see them, and int32[N], codes of the states as seat 0 sees
            them.
        """
        sides = jax.vmap(side)(states)
        # A step of an ended game changes nothing, so there every move counts and has the value of the game itself.
        playable = jax.vmap(self.rules.legal_actions)(states).T | states.terminated
        looks = [jnp.where(p, v ^ sides, NEVER) for p, v in zip(playable, values, strict=True)]
        # One maximum after the other: a CPU does not vectorise a reduction of the leading axis.
        return jnp.stack(looks), reduce(jnp.maximum, looks) ^ sides

    def _last(self, contexts: Contexts, whose: Array, states: Position, count: Array) -> tuple[Array, Array]:
        """Value the children of [A ** (tail - 1) * N, ...] states, and return what `_minimax` does.

        Of the N nodes that the states come from, with contexts `whose` (int32[N]), the first `count` matter.
        """
        if jax.tree.leaves(contexts):
            children = self._children(states, lambda state: state)
            leaves = self.slots**self.tail  # of each node

            def by_node(x: Array) -> Array:
                return x.reshape(leaves, -1, *x.shape[2:]).swapaxes(0, 1).reshape(-1, *x.shape[2:])

            moved = jax.tree.map(by_node, children)
            codes = _codes(self.leaf_evaluator, contexts, jnp.repeat(whose, leaves), moved, count * leaves)
            values = codes.reshape(-1, leaves).T.reshape(self.slots, -1)
        else:
            values = self._children(states, lambda state: self._code(contexts, state))
        return self._minimax(states, values)

    def _code(self, contexts: Contexts, state: Position) -> Array:
        """Return int32[]: code of the value of one state, where there are no contexts."""
        alone = jax.tree.map(lambda x: x[None], state)
        return _codes(self.leaf_evaluator, contexts, jnp.zeros(1, jnp.int32), alone, jnp.int32(1))[0]

    def _expand(self, states: Position) -> Position:
        """Return the children of [N, ...] states as [A * N, ...]: those by action 0, then those by action 1, and so on.

        Innermost loops then run over states and not over the few actions, which is what a CPU can vectorise.
        """
        children = self._children(states, lambda state: state)
        return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), children)

    def _children(self, states: Position, function: Callable[[Position], Result]) -> Result:
        """Return `function` of each child of [N, ...] states, [A, N, ...]."""
        actions = np.arange(self.slots, dtype=np.int32)

        @jax.jit  # traced once for all moves
        def by(action: Array) -> Result:
            return jax.vmap(lambda state: function(self.rules.step(state, action, unused_key())))(states)

        if self.slots > FEW:
            return jax.vmap(by)(jnp.asarray(actions))
        return jax.tree.map(lambda *x: jnp.stack(x), *[by(jnp.int32(action)) for action in actions])
