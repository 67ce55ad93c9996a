"""What a search sees from the nodes that it visits: the value of each of their moves a few plies deep, as one batch.

Nodes stand in rows, [C, N]: row c belongs to context c, which says what positions are worth there. Contexts are
whatever the judge takes: plans of programs, say, one a row, so that each evaluates its own leaves. A judge without
contexts takes one row.

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
Judge = Callable[[Contexts, State, Array], Array]
"""(contexts [C], states [C, B], bool[C, B]) -> float32[C, B]: values as the side to move sees them, of ended games too.

The last argument says which of the values are needed.
"""

FEW = 8
"""Actions that get their own code each, with the action a constant in it."""
WIDTH = 12
"""Listed moves that are tried together, for each node of a row; a row may share them out as its nodes need."""


def each(function: Callable[..., Any]) -> Callable[..., Any]:
    """Map a function of one position over rows of them."""
    return jax.vmap(jax.vmap(function))


def taken(rows: Any, at: Array) -> Any:
    """Return [C, N, ...]: the items of each row of [C, Q, ...] at its own places, int32[C, N]."""
    return jax.tree.map(jax.vmap(lambda row, places: row[places]), rows, jax.tree.map(lambda _: at, rows))


def alike(evaluate: Evaluate) -> Judge:
    """Return the judge that evaluates in the same way everywhere, whatever the contexts."""
    return lambda _, states, needed: each(evaluate)(states)


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


def _codes(judge: Judge, contexts: Contexts, states: State, needed: Array) -> Array:
    """Return int32[C, B]: code of the value of each state, as seat 0 sees it."""
    values = judge(contexts, states, needed)
    return encode(jnp.where(states.to_move == 0, values, -values))


def _number_up_to(ascending: Array, limits: Array) -> Array:
    """Return int32[K]: how many of `ascending` (int32[N]) are no greater than each of `limits` (int32[K])."""
    return jnp.searchsorted(ascending, limits, side="right", method="scan_unrolled").astype(jnp.int32)


@dataclass(frozen=True)
class Listed:
    """Tries the moves on the lists of a row's nodes, list after list, some moves at a time.

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

    def look(self, contexts: Contexts, states: State, busy: Array, running: Array) -> Array:
        """Return int32[C, N, slots]: code of each move of `busy` (bool[C, N]) states as its mover sees it, NEVER in
        slots without a move. All moves of an ended game have the value of the game.
        """
        del running
        count = jnp.where(busy, jnp.where(states.terminated, 1, each(self.rules.choices)(states)), 0)
        ends = jnp.cumsum(count, axis=1, dtype=jnp.int32)
        starts, most = ends - count, ends[:, -1].max()
        rows, nodes = count.shape

        def some(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            first, found = carry
            move = first + jnp.arange(WIDTH * nodes, dtype=jnp.int32)
            node = jnp.minimum(jax.vmap(lambda row: _number_up_to(row, move))(ends), nodes - 1)
            parents = taken(states, node)
            places = move - taken(starts, node)
            children = each(self._child)(parents, places)
            codes = _codes(self.judge, contexts, children, move < ends[:, -1:]) ^ each(side)(parents)
            return first + len(move), lax.dynamic_update_slice(found, codes, (0, first))

        # Room for the moves of all lists, and for a slice of every list as long as the longest can be.
        start = (jnp.int32(0), jnp.full((rows, nodes * (self.slots + WIDTH)), NEVER))
        found = lax.while_loop(lambda carry: carry[0] < most, some, start)[1]
        looks = jax.vmap(lambda row, at: jax.vmap(lambda i: lax.dynamic_slice(row, (i,), (self.slots,)))(at))(
            found, starts
        )
        return jnp.where(np.arange(self.slots) < count[..., None], looks, NEVER)


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

    def look(self, contexts: Contexts, states: State, busy: Array, running: Array) -> Array:
        """Return int32[C, N, A]: code of each move of the states after `tail` plies of minimax, as its mover sees it;
        NEVER if illegal. All moves of an ended game have the value of the game.

        Plies are laid out flat, with the last action first and the states innermost.
        """
        del busy
        rows = states.to_move.shape
        plies = [jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)]
        for _ in range(self.tail - 1):
            plies.append(apart(running, self._expand, plies[-1]))
        looks, values = apart(running, lambda last: self._last(contexts, last, len(plies), rows), plies[-1])
        for before in reversed(plies[:-1]):
            looks, values = apart(running, self._minimax, before, values.reshape(self.slots, -1))
        return looks.T.reshape(*rows, self.slots)

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

    def _last(self, contexts: Contexts, states: State, depth: int, rows: tuple[int, int]) -> tuple[Array, Array]:
        """Return what `_minimax` does, of [N, ...] states whose children are judged, in the rows that they come from.

        The states are `depth` plies from the nodes, themselves the first.
        """
        if jax.tree.leaves(contexts):
            children = self._children(states, lambda state: state)
            plies = (self.slots**depth,)

            def by_row(x: Array) -> Array:
                return jnp.moveaxis(x.reshape(*plies, *rows, *x.shape[2:]), 1, 0).reshape(rows[0], -1, *x.shape[2:])

            moved = jax.tree.map(by_row, children)
            codes = _codes(self.judge, contexts, moved, jnp.full(moved.to_move.shape, True))
            values = jnp.moveaxis(codes.reshape(rows[0], *plies, rows[1]), 0, 1).reshape(self.slots, -1)
        else:
            values = self._children(states, lambda state: self._code(contexts, state))
        return self._minimax(states, values)

    def _code(self, contexts: Contexts, state: State) -> Array:
        """Return int32[]: code of the value of one state, which is judged alike in every row."""
        alone = jax.tree.map(lambda x: x[None, None], state)
        return _codes(self.judge, contexts, alone, jnp.full((1, 1), True))[0, 0]

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
