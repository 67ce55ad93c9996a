"""Alpha-beta search of a batch of positions, for any two-player game and any evaluator, inside one jitted loop.

Every lane owns an explicit stack and searches one root at a time; a lane that finishes stores its result and takes the
next root of a shared queue in the same iteration, so no lane waits for another before the queue is empty.

An iteration visits one node a lane:

    look      play every sequence of `tail` actions from the node and evaluate where they lead: fat, static work
    leaf      a node `tail` plies above the depth limit (or an ended game) is worth the minimax of that look-ahead
    inner     any other node is pushed, and the same look-ahead orders its moves: nothing is computed twice
    back up   close every level whose moves are exhausted or cut off, all in this iteration
    descend   play the next move of the deepest open level; its child is the node of the next iteration

Values are compared as int32 codes in the order of the floats they stand for. Codes make the tie test exact (one below
a code is the next smaller float, subnormals included, which a CPU that flushes them to zero would lose), and turning a
value to the other side is one bitwise complement. The mover need not alternate: a value is turned round only between a
parent and a child with different seats to move.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.search.codes import HIGHEST, LOWEST, NEVER, decode, encode, side

State = Any
Evaluate = Callable[[State], Array]
Order = Callable[[State, Array], Array]
Ties = Literal["first", "all"]

_FEW = 8  # actions that get their own code each, with the action a constant in it


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
    orders: Array  # int32[D, A]: look-ahead value of each move, NEVER once searched
    move: Array  # int32[]: move of the root under search
    best: Array  # int32[]: lowest-numbered best move of the root
    values: Array  # int32[A]: values found at the root
    nodes: Array  # int32[]


@struct.dataclass
class _Search:
    lanes: _Lane  # [L, ...]
    taken: Array  # int32[]: roots handed out
    values: Array  # int32[Q, A]
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


def _keep_busy(lanes: _Lane, number: int) -> _Lane:
    """Return `number` of the lanes, the busy ones among them."""
    busy_first = jnp.argsort(~lanes.busy, stable=True)[:number]
    return jax.tree.map(lambda x: x[busy_first], lanes)


def _apart(running: Array, function: Callable[..., Any], *args: Any) -> Any:
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


@dataclass(frozen=True)
class AlphaBeta:
    """Searches roots to a fixed depth. One action, so also one half of a double turn, is one ply.

    Attributes:
        game: a `Game`; a state whose game goes on must have a legal action.
        evaluate: state -> float32[], finite, as the side to move sees it. It must score ended games too; `with_result`
            adds that. NaN counts as the worst value.
        max_depth: greatest depth of any root.
        tail: last plies, searched full width in one batch; at least 1.
        lanes: searches in progress at the same time.
        narrow: once the queue is empty and few lanes are busy, they go on in a loop a quarter as wide, and so on down
            to this many lanes.
        order: (state, action) -> score, highest searched first; None orders by the look-ahead of `tail` plies.
        twin: the same game in a form that is faster to search, whose `pack` turns a state of `game` into its own; its
            step, legal actions and states take the place of the game's, and `evaluate` and `order` take its states.
        ties: `first` proves only which is the lowest-numbered best move, `all` finds every best move.
        lock_step: hand out roots only when all lanes are done. For comparison; it is slower.
    """

    game: Any
    evaluate: Evaluate
    max_depth: int
    tail: int = 2
    lanes: int = 64
    narrow: int = 16
    order: Order | None = None
    twin: Any = None
    ties: Ties = "first"
    lock_step: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.tail <= self.max_depth:
            raise ValueError(f"tail={self.tail}: accepted: 1 to max_depth={self.max_depth}")
        if self.lanes < 1 or self.narrow < 1:
            raise ValueError(f"lanes={self.lanes}, narrow={self.narrow}: accepted: 1 or more")
        if self.ties not in ("first", "all"):
            raise ValueError(f"ties={self.ties}: accepted: first, all")

    @property
    def _rules(self) -> Any:
        return self.game if self.twin is None else self.twin

    def search(self, states: State, depth: Array, count: Array) -> RootResult:
        """Search the first `count` (int32[], may be traced) of `states` ([Q, ...]), each to its own depth.

        Args:
            states: roots. One that has ended gets no values.
            depth: int32[Q], each from `tail` to `max_depth`.
            count: int32[]; time grows with it and not with Q.

        Returns:
            Values that are exact for every best move (`ties="all"`) or for the lowest-numbered one at least
            (`ties="first"`), and -inf elsewhere: `values.argmax(-1)` is always the lowest-numbered best move.

        Not meant to be vmapped: it is a batch already.
        """
        if self.twin is not None:
            states = jax.vmap(self.twin.pack)(states)
        queue = depth.shape[0]
        count = jnp.minimum(jnp.asarray(count, jnp.int32), queue)
        lanes = min(self.lanes, queue)
        search = _Search(
            lanes=jax.vmap(lambda _: self._idle(jax.tree.map(lambda x: x[0], states)))(np.arange(lanes)),
            taken=jnp.int32(0),
            values=jnp.full((queue, self.game.num_actions), NEVER),
            nodes=jnp.zeros(queue, jnp.int32),
            iterations=jnp.int32(0),
        )
        search = self._refill(search, states, depth, count)
        while lanes:
            fewer = lanes // 4 if lanes // 4 >= self.narrow else 0
            search = self._run(search, states, depth, count, fewer)
            search = replace(search, lanes=_keep_busy(search.lanes, fewer))
            lanes = fewer
        ended = states.terminated[:, None]
        proved = (search.values == search.values.max(-1, keepdims=True)) & (search.values > LOWEST) & ~ended
        return RootResult(jnp.where(proved, decode(search.values), -jnp.inf), search.nodes, search.iterations)

    def _run(self, search: _Search, states: State, depth: Array, count: Array, fewer: int) -> _Search:
        """Search until the queue is empty and at most `fewer` lanes are busy."""

        def more(search: _Search) -> Array:
            return (search.taken < count) | (search.lanes.busy.sum() > fewer)

        return lax.while_loop(more, lambda search: self._advance(search, states, depth, count), search)

    def _idle(self, node: State) -> _Lane:
        levels, actions = max(1, self.max_depth - self.tail), self.game.num_actions
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
            orders=jnp.full((levels, actions), NEVER),
            move=zero,
            best=zero,
            values=jnp.full(actions, NEVER),
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

        lanes = jax.vmap(start)(lanes, take, root, jax.tree.map(lambda x: x[at], states), depth[at])
        return replace(search, lanes=lanes, taken=search.taken + take.sum(dtype=jnp.int32))

    def _advance(self, search: _Search, states: State, depth: Array, count: Array) -> _Search:
        """Visit one node in every lane, store what is finished, refill."""
        queue = depth.shape[0]
        running = search.taken > 0
        look = self._look(search.lanes.node, running)
        lanes, parents, actions, finished = _apart(running, jax.vmap(self._back_up), search.lanes, look)
        lanes = jax.vmap(self._descend)(lanes, parents, actions)
        at = jnp.where(finished, lanes.root, queue)  # out of range where nothing is to be stored
        search = replace(
            search,
            lanes=replace(lanes, busy=lanes.busy & ~finished),
            values=search.values.at[at].set(lanes.values, mode="drop"),
            nodes=search.nodes.at[at].set(lanes.nodes, mode="drop"),
            iterations=search.iterations + 1,
        )
        return self._refill(search, states, depth, count)

    def _look(self, states: State, running: Array) -> Array:
        """Return int32[L, A]: code of each move of `states` ([L, ...]) after `tail` plies of minimax, as its mover sees
        it; NEVER if illegal. Plies are laid out with the last action first and the states innermost, flat.
        """
        plies = [states]
        for _ in range(self.tail - 1):
            plies.append(_apart(running, self._expand, plies[-1]))
        looks, values = _apart(running, self._evaluate_children, plies.pop())
        for states in reversed(plies):
            looks, values = _apart(running, self._minimax, states, values.reshape(self.game.num_actions, -1))
        return looks.T

    def _minimax(self, states: State, values: Array) -> tuple[Array, Array]:
        """Return int32[A, N], what the moves of `states` ([N, ...]) are worth to their movers, and int32[N], what the
        states are worth to seat 0; `values` (int32[A, N]) are those of the children.
        """
        sides = jax.vmap(side)(states)
        # A step of an ended game changes nothing, so there every move counts and has the value of the game itself.
        playable = jax.vmap(self._rules.legal_actions)(states).T | states.terminated
        looks = [jnp.where(p, v ^ sides, NEVER) for p, v in zip(playable, values, strict=True)]
        # One maximum after the other: a CPU does not vectorise a reduction of the leading axis.
        return jnp.stack(looks), reduce(jnp.maximum, looks) ^ sides

    def _evaluate_children(self, states: State) -> tuple[Array, Array]:
        """Return what `_minimax` does, of [N, ...] states whose children are evaluated."""
        return self._minimax(states, self._children(states, lambda state: self._static(state)))

    def _expand(self, states: State) -> State:
        """Return the children of [N, ...] states as [A * N, ...]: those by action 0, then those by action 1, and so on.

        Innermost loops then run over states and not over the few actions, which is what a CPU can vectorise.
        """
        children = self._children(states, lambda state: state)
        return jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), children)

    def _children(self, states: State, function: Callable[[State], Any]) -> Any:
        """Return `function` of each child of [N, ...] states, [A, N, ...]."""
        actions = np.arange(self.game.num_actions, dtype=np.int32)

        def by(action: Array) -> Any:
            return jax.vmap(lambda state: function(self._rules.step(state, action)))(states)

        if self.game.num_actions > _FEW:
            return jax.vmap(by)(jnp.asarray(actions))
        return jax.tree.map(lambda *x: jnp.stack(x), *[by(jnp.int32(action)) for action in actions])

    def _static(self, state: State) -> Array:
        """Return int32[]: code of the evaluation, as seat 0 sees it."""
        value = self.evaluate(state)
        return encode(jnp.where(state.to_move == 0, value, -value))

    def _scores(self, state: State, look: Array) -> Array:
        """Return int32[A]: what orders the moves of an inner node."""
        if self.order is None:
            return look
        actions = jnp.arange(self.game.num_actions, dtype=jnp.int32)
        scores = encode(jax.vmap(self.order, (None, 0))(state, actions).astype(jnp.float32))
        return jnp.where(look == NEVER, NEVER, scores)

    def _back_up(self, lane: _Lane, look: Array) -> tuple[_Lane, State, Array, Array]:
        """Enter what the look-ahead says of the lane's node and find where to go on.

        Returns:
            The lane; the deepest open node on the path and int32[], its move to search next; bool[], root finished.
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
        action = order.argmax().astype(jnp.int32)
        tried = here[:, None] & (np.arange(order.shape[0]) == action)
        lane = replace(
            lane,
            level=level,
            low=jnp.where(level == 0, self._floor(low, action, best), low),
            high=jnp.where(here, highs, NEVER).max(),
            states=states,
            lows=jnp.where(here, low, lows),
            highs=highs,
            orders=jnp.where(tried, NEVER, orders),
            move=jnp.where(level == 0, action, lane.move),
            best=best,
            values=values,
            nodes=lane.nodes + 1,
        )
        return lane, jax.tree.map(lambda x: x[level], states), action, finished

    def _descend(self, lane: _Lane, parent: State, action: Array) -> _Lane:
        """Make the child by `action` of `parent` the lane's node, and turn the window to its mover."""
        child = self._rules.step(parent, action)
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
