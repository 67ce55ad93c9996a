"""What a search sees from the nodes that it visits: the value of each of their moves a few plies deep, as one batch.

Every node belongs to a context, which says what positions are worth there. Contexts are whatever the judge takes: plans
of programs, say, so that each evaluates its own leaves. Nodes are shown to the judge by context, so that whoever judges
has all its positions side by side.

Of a game with few actions all are tried, legal or not, several plies deep (`FullWidth`). A game with many of them lists
those that are legal, and these alone are tried, one ply deep (`Listed`): it has

- `choices`: state -> int32[], how many moves there are, a pass being one; at least 1, whatever of an ended game;
- `choice`: (state, int32[] place) -> int32[], the action at that place of the list; actions ascend. Whatever beyond.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.search.codes import NEVER, encode, side

State = Any
Contexts = Any
Evaluate = Callable[[State], Array]
Judge = Callable[[Contexts, Array, State, Array], Array]
"""(contexts [C], int32[B], states [B], int32[]) -> float32[B]: values as the side to move sees them.

The second says which context judges each state; the last, how many of the states count. These are the first ones, and
their contexts ascend. Ended games have values too.
"""

FEW = 8
"""Actions that get their own code each, with the action a constant in it."""
WIDTH = 12
"""Listed moves that are tried together, for each node; nodes share them out as they need."""
MOST = 2048
"""Listed moves that are tried together at most."""


def taken(tree: Any, at: Array) -> Any:
    """Return the items of [Q, ...] at places int32[N]."""
    return jax.tree.map(lambda x: x[at], tree)


def alike(evaluate: Evaluate) -> Judge:
    """Return the judge that evaluates in the same way everywhere, whatever the contexts."""
    return lambda contexts, whose, states, needed: jax.vmap(evaluate)(states)


def by_context(contexts: Contexts, whose: Array, busy: Array) -> Array:
    """Return int32[N]: the nodes in the order in which they are judged, by context and those that are not busy last."""
    if not jax.tree.leaves(contexts):
        return jnp.argsort(~busy, stable=True)
    return jnp.argsort(jnp.where(busy, whose, np.iinfo(np.int32).max), stable=True)


def lists_moves(rules: Any) -> bool:
    """Whether a game lists its legal moves."""
    return hasattr(rules, "choices") and hasattr(rules, "choice")


def tail_of(game: Any, tail: int) -> int:
    """Return how many last plies of a search are best tried full width: one where a game lists its moves."""
    return 1 if lists_moves(game) else tail


def apart(running: Array, function: Callable[..., Any], *args: Any) -> Any:
    """Call `function` so that XLA's CPU compiler does not fuse it with what uses its result.

    It would compute the whole chain anew for every use: a step again for each of its children. An optimization barrier
    does not stop it, a conditional does; `running` (bool[]) is true, but the compiler cannot know.
    """

    def conditional(*args: Any) -> Any:
        shapes = jax.eval_shape(function, *args)
        return lax.cond(
            running, function, lambda *_: jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes), *args
        )

    return lax.platform_dependent(*args, cpu=conditional, default=function)


def _codes(judge: Judge, contexts: Contexts, whose: Array, states: State, needed: Array) -> Array:
    """Return int32[B]: code of the value of each state, as seat 0 sees it."""
    values = judge(contexts, whose, states, needed)
    return encode(jnp.where(states.to_move == 0, values, -values))


def ranges(starts: Array, number: int) -> Array:
    """Return int32[number]: which range each of so many places is in, given where they start, int32[N] ascending."""
    marks = jnp.zeros(number, jnp.int32).at[jnp.where(starts > 0, starts, number)].add(1, mode="drop")
    return (starts <= 0).sum(dtype=jnp.int32) - 1 + jnp.cumsum(marks, dtype=jnp.int32)


@dataclass(frozen=True)
class Listed:
    """Tries the moves on the lists of the nodes, list after list, some moves at a time.

    A slot is a place on a list.
    """

    rules: Any
    judge: Judge

    @property
    def slots(self) -> int:
        """Moves that a node can have."""
        return int(self.rules.num_actions)

    def action(self, state: State, slot: Array) -> Array:
        """Return int32[]: the action in a slot of one state."""
        action: Array = self.rules.choice(state, slot)
        return action

    def _child(self, state: State, place: Array) -> State:
        return self.rules.step(state, self.rules.choice(state, place))

    def look(self, contexts: Contexts, whose: Array, states: State, busy: Array, running: Array) -> Array:
        """Return int32[N, slots]: code of each move of `busy` (bool[N]) states as its mover sees it, NEVER in slots
        without a move. All moves of an ended game have the value of the game.

        Contexts are [C, ...], and `whose` (int32[N]) names that of each state.
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
            parents = taken(states, node)
            children = jax.vmap(self._child)(parents, move - begin[node])
            codes = _codes(self.judge, contexts, whose[node], children, ends[-1] - first) ^ jax.vmap(side)(parents)
            return first + together, lax.dynamic_update_slice(found, codes, (first,))

        # Room for the moves of all lists, and for one more slice of them.
        start = jnp.int32(0), jnp.full(nodes * self.slots + together, NEVER)
        found = lax.while_loop(lambda carry: carry[0] < ends[-1], some, start)[1]
        looks = jax.vmap(lambda at: lax.dynamic_slice(found, (at,), (self.slots,)))(begin)
        return jnp.where(np.arange(self.slots) < count[:, None], looks, NEVER)


@dataclass(frozen=True)
class FullWidth:
    """Plays every sequence of `tail` actions. A slot is an action."""

    rules: Any
    judge: Judge
    tail: int

    @property
    def slots(self) -> int:
        """Every action."""
        return int(self.rules.num_actions)

    def action(self, state: State, slot: Array) -> Array:
        """Return the slot."""
        del state
        return slot

    def look(self, contexts: Contexts, whose: Array, states: State, busy: Array, running: Array) -> Array:
        """Return int32[N, A]: code of each move of `busy` (bool[N]) states after `tail` plies of minimax, as its mover
        sees it; NEVER if illegal. All moves of an ended game have the value of the game.

        Contexts are [C, ...], and `whose` (int32[N]) names that of each state. Plies are laid out flat, with the last
        action first and the states innermost.
        """
        judged = jax.tree.leaves(contexts)
        order = by_context(contexts, whose, busy)
        if judged:
            states, whose = taken((states, whose), order)
        plies = [states]
        for _ in range(self.tail - 1):
            plies.append(apart(running, self._expand, plies[-1]))
        count = busy.sum(dtype=jnp.int32)
        looks, values = apart(running, lambda last: self._last(contexts, whose, last, count), plies[-1])
        for before in reversed(plies[:-1]):
            looks, values = apart(running, self._minimax, before, values.reshape(self.slots, -1))
        return jnp.zeros_like(looks.T).at[order].set(looks.T) if judged else looks.T

    def _minimax(self, states: State, values: Array) -> tuple[Array, Array]:
        """Return int32[A, N], what the moves of `states` ([N, ...]) are worth to their movers, and int32[N], what the
        states are worth to seat 0; `values` (int32[A, N]) are those of the children.
        """
        sides = jax.vmap(side)(states)
        # A step of an ended game changes nothing, so there every move counts and has the value of the game itself.
        playable = jax.vmap(self.rules.legal_actions)(states).T | states.terminated
        looks = [jnp.where(p, v ^ sides, NEVER) for p, v in zip(playable, values, strict=True)]
        # One maximum after the other: a CPU does not vectorise a reduction of the leading axis.
        return jnp.stack(looks), reduce(jnp.maximum, looks) ^ sides

    def _last(self, contexts: Contexts, whose: Array, states: State, count: Array) -> tuple[Array, Array]:
        """Return what `_minimax` does, of [A ** (tail - 1) * N, ...] states whose children are judged.

        Of the N nodes that they come from, with contexts `whose`, the first `count` matter.
        """
        if jax.tree.leaves(contexts):
            children = self._children(states, lambda state: state)
            leaves = self.slots**self.tail  # of each node

            def by_node(x: Array) -> Array:
                return x.reshape(leaves, -1, *x.shape[2:]).swapaxes(0, 1).reshape(-1, *x.shape[2:])

            moved = jax.tree.map(by_node, children)
            codes = _codes(self.judge, contexts, jnp.repeat(whose, leaves), moved, count * leaves)
            values = codes.reshape(-1, leaves).T.reshape(self.slots, -1)
        else:
            values = self._children(states, lambda state: self._code(contexts, state))
        return self._minimax(states, values)

    def _code(self, contexts: Contexts, state: State) -> Array:
        """Return int32[]: code of the value of one state, which is judged alike everywhere."""
        alone = jax.tree.map(lambda x: x[None], state)
        return _codes(self.judge, contexts, jnp.zeros(1, jnp.int32), alone, jnp.int32(1))[0]

    def _expand(self, states: State) -> State:
        """Return the children of [N, ...] states as [A * N, ...]: those by action 0, then those by action 1, and so on.

        Innermost loops then run over states and not over the few actions, which is what a CPU can vectorise.
        """
        children = self._children(states, lambda state: state)
        return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), children)

    def _children(self, states: State, function: Callable[[State], Any]) -> Any:
        """Return `function` of each child of [N, ...] states, [A, N, ...]."""
        actions = np.arange(self.slots, dtype=np.int32)

        def by(action: Array) -> Any:
            return jax.vmap(lambda state: function(self.rules.step(state, action)))(states)

        if self.slots > FEW:
            return jax.vmap(by)(jnp.asarray(actions))
        return jax.tree.map(lambda *x: jnp.stack(x), *[by(jnp.int32(action)) for action in actions])
