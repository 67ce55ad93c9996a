"""Alpha-beta search of a batch of positions, for any two-player game and any evaluator, inside one jitted loop.

Every lane owns an explicit stack and searches one root at a time; a lane that finishes stores its result and takes the
next root of a shared queue in the same iteration, so no lane waits for another before the queue is empty.

An iteration visits one node a lane:

    look      try the moves of the node, `tail` plies deep, and evaluate where they lead: fat, static work
    leaf      a node `tail` plies above the depth limit (or an ended game) is worth the minimax of that look-ahead
    inner     any other node is pushed, and the same look-ahead orders its moves: nothing is computed twice
    back up   close every level whose moves are exhausted or cut off, all in this iteration
    descend   play the next move of the deepest open level; its child is the node of the next iteration

Values are compared as int32 codes in the order of the floats they stand for. Codes make the tie test exact (one below
a code is the next smaller float, subnormals included, which a CPU that flushes them to zero would lose), and turning a
value to the other side is one bitwise complement. The mover need not alternate: a value is turned round only between a
parent and a child with different seats to move.

What leaves are worth may differ from root to root, as it does where programs judge them: each root has a context
(`jaxgp.search.lookahead`). Lanes belong to none, so that roots of all contexts share one queue.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.search.codes import HIGHEST, LOWEST, NEVER, decode, encode, side
from jaxgp.search.lookahead import (
    Contexts,
    Evaluate,
    FullWidth,
    Judge,
    Listed,
    State,
    alike,
    apart,
    lists_moves,
    taken,
)

Order = Callable[[State, Array], Array]
Ties = Literal["first", "all"]


def with_result(evaluate: Evaluate, win: float) -> Evaluate:
    """Let `evaluate` see games in progress only: an ended game is worth `win` times its result for the side to move."""

    def value(state: State) -> Array:
        return jnp.where(state.terminated, win * state.returns[state.to_move], evaluate(state)).astype(jnp.float32)

    return value


def best_moves(values: Array) -> Array:
    """Return bool[Q, A]: the moves that `values` (float32[Q, A]) proves best; none for a root that was not searched.

    A deterministic player takes the first of them, `values.argmax(-1)`, and needs a search with `ties="first"` only. A
    player that breaks ties at random draws uniformly from all of them, and needs `ties="all"`.
    """
    return (values == values.max(-1, keepdims=True)) & (values > -jnp.inf)


@struct.dataclass
class RootResult:
    """What a search found out about each root."""

    values: Array  # float32[Q, A]: value for the side to move, -inf where worse than the best, illegal or not searched
    nodes: Array  # int32[Q]: nodes visited
    iterations: Array  # int32[]: turns of the loop for the whole batch


@struct.dataclass
class _Lane:
    """One search in progress: the node to visit, and the path to it. Levels count from the root, 0."""

    busy: Array  # bool[]
    root: Array  # int32[]: index of the root in the queue
    leaf: Array  # int32[]: level of the leaves, depth - tail
    node: State
    level: Array  # int32[]: level of `node`
    low: Array  # int32[]: window at `node`, as its mover sees it
    high: Array  # int32[]
    states: State  # [D, ...]: inner nodes on the path
    lows: Array  # int32[D]: value already assured to the mover of each
    highs: Array  # int32[D]: value at which the mover's opponent avoids the node
    orders: Array  # int32[D, S]: look-ahead value of each move by its slot, NEVER once searched
    move: Array  # int32[]: slot of the move of the root under search
    best: Array  # int32[]: lowest slot with a best move of the root
    values: Array  # int32[S]: values found at the root
    nodes: Array  # int32[]


@struct.dataclass
class _Search:
    lanes: _Lane  # [L, ...]
    taken: Array  # int32[]: roots handed out
    values: Array  # int32[Q, S]
    nodes: Array  # int32[Q]
    iterations: Array  # int32[]


def _where(condition: Array, yes: Any, no: Any) -> Any:
    """Choose between two unbatched trees."""
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), yes, no)


def _put(stack: Any, at: Array, item: Any) -> Any:
    """Return `stack` with `item` at level `at`; unchanged where there is no such level."""

    def put(old: Array, new: Array) -> Array:
        here = (np.arange(old.shape[0]) == at).reshape((-1,) + (1,) * new.ndim)
        return jnp.where(here, new, old)

    return jax.tree.map(put, stack, item)


def _keep(search: _Search, number: int) -> _Search:
    """Go on with so many lanes, the busy ones among them."""
    return replace(search, lanes=taken(search.lanes, jnp.argsort(~search.lanes.busy, stable=True)[:number]))


@dataclass(frozen=True)
class AlphaBeta:
    """Searches roots to a fixed depth. One action, so also one half of a double turn, is one ply.

    Attributes:
        game: a `Game`; a state whose game goes on must have a legal action.
        evaluate: state -> float32[], finite, as the side to move sees it. It must score ended games too; `with_result`
            adds that. NaN counts as the worst value. None where there is a judge.
        max_depth: greatest depth of any root.
        tail: last plies, searched full width in one batch; at least 1. Of a game that lists its moves, with a tail of 1
            only those are tried.
        lanes: searches in progress at the same time.
        narrow: once the queue is empty and few lanes are busy, they go on in a loop a quarter as wide, and so on down
            to this many lanes.
        order: (state, action) -> score, highest searched first; None orders by the look-ahead of `tail` plies.
        twin: the same game in a form that is faster to search, whose `pack` turns a state of `game` into its own; its
            step, legal actions and states take the place of the game's, and `evaluate`, `judge` and `order` take its
            states.
        judge: evaluates positions by their contexts, in the place of `evaluate`.
        ties: `first` proves only which is the lowest-numbered best move, `all` finds every best move.
        lock_step: hand out roots only when all lanes are done. For comparison; it is slower.
    """

    game: Any
    evaluate: Evaluate | None
    max_depth: int
    tail: int = 2
    lanes: int = 64
    narrow: int = 16
    order: Order | None = None
    twin: Any = None
    ties: Ties = "first"
    lock_step: bool = False
    judge: Judge | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.tail <= self.max_depth:
            raise ValueError(f"tail={self.tail}: accepted: 1 to max_depth={self.max_depth}")
        if self.lanes < 1 or self.narrow < 1:
            raise ValueError(f"lanes={self.lanes}, narrow={self.narrow}: accepted: 1 or more")
        if self.ties not in ("first", "all"):
            raise ValueError(f"ties={self.ties}: accepted: first, all")
        if (self.evaluate is None) == (self.judge is None):
            raise ValueError("accepted: either evaluate or judge")

    @property
    def _rules(self) -> Any:
        return self.game if self.twin is None else self.twin

    @cached_property
    def _ahead(self) -> Listed | FullWidth:
        """How nodes are looked at."""
        judge = self.judge or alike(self.evaluate)  # type: ignore[arg-type]
        if self.tail == 1 and lists_moves(self._rules):
            return Listed(self._rules, judge)
        return FullWidth(self._rules, judge, self.tail)

    def search(
        self, states: State, depth: Array, count: Array, contexts: Contexts = (), whose: Array | None = None
    ) -> RootResult:
        """Search the first `count` (int32[], may be traced) of `states` ([Q, ...]), each to its own depth.

        Args:
            states: roots. One that has ended gets no values.
            depth: int32[Q], each from `tail` to `max_depth`.
            count: int32[]; time grows with it and not with Q.
            contexts: [C, ...], for the judge.
            whose: int32[Q], the context of each root; without a judge None.

        Returns:
            Values that are exact for every best move (`ties="all"`) or for the lowest-numbered one at least
            (`ties="first"`), and -inf elsewhere: `values.argmax(-1)` is always the lowest-numbered best move.

        Not meant to be vmapped: it is a batch already.
        """
        if self.twin is not None:
            states = jax.vmap(self.twin.pack)(states)
        queue = len(depth)
        whose = jnp.zeros(queue, jnp.int32) if whose is None else whose
        count = jnp.minimum(jnp.asarray(count, jnp.int32), queue)
        lanes = min(self.lanes, queue)
        idle = self._idle(jax.tree.map(lambda x: x[0], states))
        search = _Search(
            lanes=jax.tree.map(lambda x: jnp.broadcast_to(x, (lanes, *x.shape)), idle),
            taken=jnp.int32(0),
            values=jnp.full((queue, self._ahead.slots), NEVER),
            nodes=jnp.zeros(queue, jnp.int32),
            iterations=jnp.int32(0),
        )
        search = self._refill(search, states, depth, count)

        def advance(search: _Search) -> _Search:
            return self._refill(self._advance(search, contexts, whose), states, depth, count)

        def more(search: _Search, number: int) -> Array:
            """Whether a root waits, or more than so many lanes are busy."""
            return (search.taken < count) | (search.lanes.busy.sum() > number)

        while lanes:
            fewer = lanes // 4 if lanes // 4 >= self.narrow else 0
            search = lax.while_loop(partial(more, number=fewer), advance, search)
            search, lanes = _keep(search, fewer), fewer
        values = self._by_action(states, search.values)
        proved = (values == values.max(-1, keepdims=True)) & (values > LOWEST) & ~states.terminated[:, None]
        return RootResult(jnp.where(proved, decode(values), -jnp.inf), search.nodes, search.iterations)

    def _by_action(self, states: State, values: Array) -> Array:
        """Return int32[Q, A]: codes by action, given those by slot, int32[Q, S]."""
        slots = jnp.arange(self._ahead.slots, dtype=jnp.int32)
        actions = jax.vmap(lambda state: jax.vmap(lambda slot: self._ahead.action(state, slot))(slots))(states)
        place = jnp.where(values == NEVER, self.game.num_actions, actions)

        def put(place: Array, values: Array) -> Array:
            return jnp.full(self.game.num_actions, NEVER).at[place].set(values, mode="drop")

        return values if isinstance(self._ahead, FullWidth) else jax.vmap(put)(place, values)

    def _idle(self, node: State) -> _Lane:
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

    def _refill(self, search: _Search, states: State, depth: Array, count: Array) -> _Search:
        """Hand the next roots to the lanes that are free."""
        lanes = search.lanes
        free = ~lanes.busy
        if self.lock_step:
            free &= free.all()
        root = search.taken + jnp.cumsum(free, dtype=jnp.int32) - 1
        take = free & (root < count)
        at = jnp.where(take, root, 0)

        def start(lane: _Lane, take: Array, root: Array, state: State, depth: Array) -> _Lane:
            return replace(
                lane,
                busy=lane.busy | take,
                root=jnp.where(take, root, lane.root),
                leaf=jnp.where(take, depth - self.tail, lane.leaf),
                node=_where(take, state, lane.node),
                level=jnp.where(take, 0, lane.level),
                low=jnp.where(take, LOWEST, lane.low),
                high=jnp.where(take, HIGHEST, lane.high),
                values=jnp.where(take, NEVER, lane.values),
                nodes=jnp.where(take, 0, lane.nodes),
            )

        lanes = jax.vmap(start)(lanes, take, root, taken(states, at), depth[at])
        return replace(search, lanes=lanes, taken=search.taken + take.sum(dtype=jnp.int32))

    def _advance(self, search: _Search, contexts: Contexts, whose: Array) -> _Search:
        """Visit one node in every lane, and store what is finished."""
        lanes, queue = search.lanes, len(whose)
        running = search.taken > 0
        look = self._ahead.look(contexts, whose[lanes.root], lanes.node, lanes.busy, running)
        lanes, parents, slots, finished = apart(running, jax.vmap(self._back_up), lanes, look)
        lanes = jax.vmap(self._descend)(lanes, parents, slots)
        at = jnp.where(finished, lanes.root, queue)  # out of range where nothing is to be stored
        return replace(
            search,
            lanes=replace(lanes, busy=lanes.busy & ~finished),
            values=search.values.at[at].set(lanes.values, mode="drop"),
            nodes=search.nodes.at[at].set(lanes.nodes, mode="drop"),
            iterations=search.iterations + 1,
        )

    def _scores(self, state: State, look: Array) -> Array:
        """Return int32[S]: what orders the moves of an inner node."""
        if self.order is None:
            return look
        slots = jnp.arange(self._ahead.slots, dtype=jnp.int32)
        order = lambda slot: self.order(state, self._ahead.action(state, slot))  # noqa: E731
        scores = encode(jax.vmap(order)(slots).astype(jnp.float32))
        return jnp.where(look == NEVER, NEVER, scores)

    def _back_up(self, lane: _Lane, look: Array) -> tuple[_Lane, State, Array, Array]:
        """Enter what the look-ahead says of the lane's node and find where to go on.

        Returns:
            The lane; the deepest open node on the path and int32[], the slot of its move to search next; bool[], root
            finished.
        """
        leaf = (lane.level >= lane.leaf) | lane.node.terminated
        at_root = lane.level == 0

        push = jnp.where(leaf, -1, lane.level)
        stacked = _put(
            (lane.states, lane.lows, lane.highs, lane.orders),
            push,
            (lane.node, lane.low, lane.high, self._scores(lane.node, look)),
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

    def _descend(self, lane: _Lane, parent: State, slot: Array) -> _Lane:
        """Make the child of `parent` by the move in a slot the lane's node, and turn the window to its mover."""
        child = self._rules.step(parent, self._ahead.action(parent, slot))
        turned = parent.to_move != child.to_move
        return replace(
            lane,
            node=child,
            level=lane.level + 1,
            low=jnp.where(turned, ~lane.high, lane.low),
            high=jnp.where(turned, ~lane.low, lane.high),
        )

    def _floor(self, low: Array, move: Array, best: Array) -> Array:
        """Return int32[]: what `move` of the root must exceed to count. One below the best so far where it may tie."""
        return low - 1 if self.ties == "all" else low - (move < best)
