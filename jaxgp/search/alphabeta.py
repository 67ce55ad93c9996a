"""Alpha-beta search of a batch of positions, for any two-player game and any evaluator, inside one jitted loop.

A CPU searches the roots one after the other, in C++ that is made from the game and the evaluator, if both can be
translated (`jaxgp.search.native`). All other devices, and games without a translation, are searched in lanes. Values
and numbers of nodes are the same.

Every lane owns an explicit stack and searches one root of a shared queue at a time (`jaxgp.search.queue`).

An iteration visits one node a lane:

    look      try the moves of the node, `tail` plies deep, and evaluate where they lead: fat, static work
    leaf      a node `tail` plies above the depth limit (or an ended game) is worth the minimax of that look-ahead
    inner     any other node is pushed, and the same look-ahead orders its moves: nothing is computed twice
    back up   close every level whose moves are exhausted or cut off, all in this iteration
    descend   play the next move of the deepest open level; its child is the node of the next iteration

Values are compared as int32 codes in the order of the floats they stand for. Codes make the tie test exact (one below
a code is the next smaller float, also on a CPU that flushes subnormals to zero), and negating a value is one bitwise
complement. The mover need not alternate: a value is negated only between a parent and a child with different seats to
move.

Each root has a context, which says how its leaves are valued (`jaxgp.search.lookahead`); for example, each root may be
searched for another program. A lane takes roots of any context, so that all contexts share one queue.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import apart, take, where
from jaxgp.contracts import Game, ListsMoves, Position
from jaxgp.search.chance import refuse_chance, unused_key
from jaxgp.search.lookahead import (
    HIGHEST,
    LOWEST,
    NEVER,
    ContextFree,
    Contexts,
    Evaluate,
    FullWidth,
    LeafEvaluator,
    LegalOnly,
    Searchable,
    Twin,
    decode,
    side,
)
from jaxgp.search.native.games import searched, why_not
from jaxgp.search.queue import drain, is_free

Ties = Literal["first", "all"]
Tree = TypeVar("Tree")


def with_result(evaluate: Evaluate, win: float) -> Evaluate:
    """Return an evaluator that gives ended games `win` times the mover's result; `evaluate` values all others."""

    def value(state: Position) -> Array:
        return jnp.where(state.terminated, win * state.returns[state.to_move], evaluate(state)).astype(jnp.float32)

    return value


def best_moves(values: Array) -> Array:
    """Return bool[Q, A]: the moves that `values` (float32[Q, A]) prove best; all False for a root not searched.

    A deterministic player takes the first of them, `values.argmax(-1)`, and needs a search with `ties="first"` only. A
    player that breaks ties at random draws uniformly from all of them, and needs `ties="all"`.
    """
    return (values == values.max(-1, keepdims=True)) & (values > -jnp.inf)


@struct.dataclass
class RootResult:
    """Results of a search for each root."""

    values: Array  # float32[Q, A]: value for the side to move, -inf where worse than the best, illegal or not searched
    nodes: Array  # int32[Q]: nodes visited
    iterations: Array  # int32[]: iterations of the loop for the whole batch; 0: roots were searched one after the other


@struct.dataclass
class _Lane:
    """One search in progress: the node to visit, and the path to it. Levels count from the root, 0."""

    busy: Array  # bool[]
    root: Array  # int32[]: index of the root in the queue
    leaf: Array  # int32[]: level of the leaves, depth - tail
    node: Position
    level: Array  # int32[]: level of `node`
    low: Array  # int32[]: window at `node`, as its mover sees it
    high: Array  # int32[]
    states: Position  # [D, ...]: inner nodes on the path
    lows: Array  # int32[D]: value already assured to the mover of each
    highs: Array  # int32[D]: value at which the mover's opponent avoids the node
    orders: Array  # int32[D, S]: look-ahead value of each move by its slot, NEVER once searched
    move: Array  # int32[]: slot of the move of the root under search
    best: Array  # int32[]: lowest slot with a best move of the root
    values: Array  # int32[S]: values found at the root
    nodes: Array  # int32[]


def _put(stack: Tree, at: Array, item: Tree) -> Tree:
    """Return `stack` (a tree of arrays [D, ...]) with `item` at level `at` (int32[]), if it has such a level."""

    def put(old: Array, new: Array) -> Array:
        here = (np.arange(old.shape[0]) == at).reshape((-1,) + (1,) * new.ndim)
        return jnp.where(here, new, old)

    return jax.tree.map(put, stack, item)


@dataclass(frozen=True)
class AlphaBeta:
    """Searches roots to a fixed depth. One action is one ply; a double turn is two plies.

    Attributes:
        game: a game without chance; a state whose game goes on must have a legal action.
        evaluate: state -> float32[], finite, as the side to move sees it. It must value ended games too; `with_result`
            adds that. NaN counts as the least value. None where there is a leaf evaluator.
        max_depth: the greatest depth of any root.
        tail: last plies, which are searched full width in one batch; at least 1. With a tail of 1, only legal moves are
            tried in a game that lists them.
        lanes: searches in progress at the same time.
        narrow: once the queue is empty and few lanes are busy, they go on in a loop a quarter as wide, and so on down
            to this many lanes.
        twin: the same game in a form that is faster to search. Its steps, legal actions and states take the place of
            the game's; `evaluate` and the leaf evaluator get its states.
        ties: `first` proves only the lowest-numbered best move, `all` proves every best move.
        leaf_evaluator: values positions by their contexts, in place of `evaluate`.

    Raises:
        ValueError: a game with chance, a number out of range, or both or neither of `evaluate` and `leaf_evaluator`.
    """

    game: Game
    evaluate: Evaluate | None
    max_depth: int
    tail: int = 2
    lanes: int = 64
    narrow: int = 16
    twin: Twin | None = None
    ties: Ties = "first"
    leaf_evaluator: LeafEvaluator | None = None

    def __post_init__(self) -> None:
        refuse_chance(self.game)
        if not 1 <= self.tail <= self.max_depth:
            raise ValueError(f"tail={self.tail}: accepted: 1 to max_depth={self.max_depth}")
        if self.lanes < 1 or self.narrow < 1:
            raise ValueError(f"lanes={self.lanes}, narrow={self.narrow}: accepted: 1 or more")
        if self.ties not in ("first", "all"):
            raise ValueError(f"ties={self.ties}: accepted: first, all")
        if (self.evaluate is None) == (self.leaf_evaluator is None):
            raise ValueError("accepted: either evaluate or leaf_evaluator")

    @property
    def _rules(self) -> Searchable:
        return self.game if self.twin is None else self.twin

    @cached_property
    def _ahead(self) -> LegalOnly | FullWidth:
        """The look-ahead from the nodes."""
        leaf_evaluator = self.leaf_evaluator or ContextFree(self.evaluate)  # type: ignore[arg-type]
        rules: Any = self._rules
        legal_only = self.tail == 1 and isinstance(rules, ListsMoves)
        return LegalOnly(rules, leaf_evaluator) if legal_only else FullWidth(rules, leaf_evaluator, self.tail)

    def why_in_lanes(self, state: Position, contexts: Contexts = ()) -> str:
        """Return why a CPU searches in lanes and not in C++; an empty text: it searches in C++.

        Args:
            state: of the game, or its shapes.
            contexts: [C, ...], for the leaf evaluator.

        Raises:
            UsageError: the variable that switches native code off has an unknown value.
        """
        searched = state if self.twin is None else jax.eval_shape(self.twin.pack, state)
        return why_not(self._ahead, searched, contexts)

    def search(
        self, states: Position, depth: Array, count: Array, contexts: Contexts = (), whose: Array | None = None
    ) -> RootResult:
        """Search the first `count` of `states`, each to its own depth. The states are a batch: do not vmap this method.

        Args:
            states: roots [Q, ...]. One that has ended gets no values.
            depth: int32[Q], each from `tail` to `max_depth`.
            count: int32[], may be traced; time grows with it and not with Q.
            contexts: [C, ...], for the leaf evaluator.
            whose: int32[Q], the context of each root; None without a leaf evaluator.

        Returns:
            Values that are exact for every best move (`ties="all"`), or at least for the lowest-numbered one
            (`ties="first"`), and -inf elsewhere. `values.argmax(-1)` is always the lowest-numbered best move.
        """
        if self.twin is not None:
            states = jax.vmap(self.twin.pack)(states)
        queue = len(depth)
        whose = jnp.zeros(queue, jnp.int32) if whose is None else whose
        count = jnp.minimum(jnp.asarray(count, jnp.int32), queue)

        roots = (states, depth, count, contexts, whose)
        options = {"tail": self.tail, "most": self.max_depth, "all": self.ties == "all"}
        values, nodes, iterations = searched(self._in_lanes, self._ahead, options, *roots)
        values = self._by_action(states, values)
        proved = (values == values.max(-1, keepdims=True)) & (values > LOWEST) & ~states.terminated[:, None]
        return RootResult(jnp.where(proved, decode(values), -jnp.inf), nodes, iterations)

    def _in_lanes(
        self, states: Position, depth: Array, count: Array, contexts: Contexts, whose: Array
    ) -> tuple[Array, Array, Array]:
        """Return codes by slot, int32[Q, S], nodes, int32[Q], and iterations, int32[]."""

        def begin(lanes: _Lane, begins: Array, root: Array) -> _Lane:
            return jax.vmap(self._start)(lanes, begins, take(states, root), depth[root])

        def advance(lanes: _Lane, running: Array) -> tuple[_Lane, Array, tuple[Array, Array]]:
            """Visit one node in every lane."""
            look = self._ahead.look(contexts, whose[lanes.root], lanes.node, lanes.busy, running)
            lanes, parents, slots, finished = apart(jax.vmap(self._back_up), lanes, look, running=running)
            return jax.vmap(self._descend)(lanes, parents, slots), finished, (lanes.values, lanes.nodes)

        idle, width = self._idle(jax.tree.map(lambda x: x[0], states)), min(self.lanes, len(depth))
        nothing = jnp.full((len(depth), self._ahead.slots), NEVER), jnp.zeros(len(depth), jnp.int32)
        (values, nodes), iterations = drain(idle, width, self.narrow, count, nothing, begin, advance, self._free)
        return values, nodes, iterations

    def _by_action(self, states: Position, values: Array) -> Array:
        """Return int32[Q, A]: codes by action, from codes by slot (int32[Q, S])."""
        slots = jnp.arange(self._ahead.slots, dtype=jnp.int32)
        actions = jax.vmap(lambda state: jax.vmap(lambda slot: self._ahead.action(state, slot))(slots))(states)
        place = jnp.where(values == NEVER, self.game.num_actions, actions)

        def put(place: Array, values: Array) -> Array:
            return jnp.full(self.game.num_actions, NEVER).at[place].set(values, mode="drop")

        return values if isinstance(self._ahead, FullWidth) else jax.vmap(put)(place, values)

    def _idle(self, node: Position) -> _Lane:
        levels, slots = max(1, self.max_depth - self.tail), self._ahead.slots
        zero = jnp.int32(0)
        return _Lane(
            busy=jnp.bool_(False),
            root=zero,
            leaf=zero,
            node=node,
            level=zero,
            low=jnp.int32(LOWEST),
            high=jnp.int32(HIGHEST),
            states=jax.tree.map(lambda x: jnp.broadcast_to(x, (levels, *x.shape)), node),
            lows=jnp.full(levels, LOWEST),
            highs=jnp.full(levels, HIGHEST),
            orders=jnp.full((levels, slots), NEVER),
            move=zero,
            best=zero,
            values=jnp.full(slots, NEVER),
            nodes=zero,
        )

    def _free(self, lanes: _Lane) -> Array:
        """Return bool[L]: which lanes may be handed a root."""
        return is_free(lanes)

    def _start(self, lane: _Lane, begins: Array, state: Position, depth: Array) -> _Lane:
        """Begin a root in one lane, if `begins` (bool[]) holds."""
        return replace(
            lane,
            leaf=jnp.where(begins, depth - self.tail, lane.leaf),
            node=where(begins, state, lane.node),
            level=jnp.where(begins, 0, lane.level),
            low=jnp.where(begins, LOWEST, lane.low),
            high=jnp.where(begins, HIGHEST, lane.high),
            values=jnp.where(begins, NEVER, lane.values),
            nodes=jnp.where(begins, 0, lane.nodes),
        )

    def _back_up(self, lane: _Lane, look: Array) -> tuple[_Lane, Position, Array, Array]:
        """Back up the look-ahead of the lane's node, and find the node and move to go on with.

        Args:
            lane: unbatched.
            look: int32[S], codes of the moves of its node.

        Returns:
            The lane; the deepest open node on the path; int32[], the slot of its move to search next; bool[], whether
            the root is finished.
        """
        leaf = (lane.level >= lane.leaf) | lane.node.terminated
        at_root = lane.level == 0

        push = jnp.where(leaf, -1, lane.level)
        stacked = _put(
            (lane.states, lane.lows, lane.highs, lane.orders),
            push,
            (lane.node, lane.low, lane.high, look),
        )
        states, lows, highs, orders = stacked
        sides = jax.vmap(side)(states)
        left = (orders != NEVER).any(-1)

        # Close levels from the leaf upwards. `level` ends at the deepest open one, -1 when the root is finished; only
        # the open level's `low` matters from here on, the levels below it are forgotten.
        level, value, closing = lane.level, look.max() ^ side(lane.node), leaf
        low, best, values = lane.low, lane.best, lane.values
        for k in reversed(range(lows.shape[0])):
            arrives = closing & (level == k + 1)
            seen = value ^ sides[k]
            raised = jnp.maximum(lows[k], seen)
            if k == 0:
                better = seen > self._floor(lows[0], lane.move, lane.best)
                values = jnp.where(arrives & better & (np.arange(values.shape[0]) == lane.move), seen, values)
                best = jnp.where(arrives & better, lane.move, best)
            level = jnp.where(arrives, k, level)
            low = jnp.where(arrives, raised, low)
            closing = jnp.where(arrives, (raised >= highs[k]) | ~left[k], closing)
            value = jnp.where(arrives, raised ^ sides[k], value)
        values = jnp.where(leaf & at_root, look, values)
        finished = lane.busy & closing

        here = np.arange(lows.shape[0]) == level
        order = jnp.where(here[:, None], orders, NEVER).max(0)
        slot = order.argmax().astype(jnp.int32)
        tried = here[:, None] & (np.arange(order.shape[0]) == slot)
        lane = replace(
            lane,
            level=level,
            low=jnp.where(level == 0, self._floor(low, slot, best), low),
            high=jnp.where(here, highs, NEVER).max(),
            states=states,
            lows=jnp.where(here, low, lows),
            highs=highs,
            orders=jnp.where(tried, NEVER, orders),
            move=jnp.where(level == 0, slot, lane.move),
            best=best,
            values=values,
            nodes=lane.nodes + 1,
        )
        return lane, jax.tree.map(lambda x: x[level], states), slot, finished

    def _descend(self, lane: _Lane, parent: Position, slot: Array) -> _Lane:
        """Move the lane to the child of `parent` by the move in `slot`; turn the window to the child's mover."""
        child = self._rules.step(parent, self._ahead.action(parent, slot), unused_key())
        turned = parent.to_move != child.to_move
        return replace(
            lane,
            node=child,
            level=lane.level + 1,
            low=jnp.where(turned, ~lane.high, lane.low),
            high=jnp.where(turned, ~lane.low, lane.high),
        )

    def _floor(self, low: Array, move: Array, best: Array) -> Array:
        """Return int32[]: the code that `move` of the root must exceed; one below the best so far if ties count."""
        return low - 1 if self.ties == "all" else low - (move < best)
