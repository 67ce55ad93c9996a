"""Iterative deepening of many puzzles for many genomes at once, inside one jitted loop: depth first, bound after bound.

The search of one root, which `tests/reference/deepening.py` writes down in plain Python:

    for each bound: first, first + grow, ... up to deepest
        visit the root, at depth 0
        if nothing was cut by the bound: the search is exhausted, the root has no solution

    visit a node:
        count it; at the limit of nodes the search ends unsolved
        if it is solved, the search ends
        if its depth is the bound, it is cut
        if the table has it from this round, at this depth or a lesser one, return; otherwise write it there
        visit its children: first one that solves, then the others by their values, the lowest first

Among equal values the lowest action is first, as it is in a blind search. With `bound="cost"` (IDA*; R. Korf,
"Depth-first iterative-deepening", Artificial Intelligence 27, 1985) a round bounds not depth, but depth plus value. The
children above the bound are counted and cut when their parent is expanded, since they have been made and valued then;
not so if another one solves, which ends the search. The next bound is at least the least cost that was cut. Bounds of
cost grow without an end; nodes at depth `deepest` are cut in every round.

Lanes search one root each (`jaxgp.search.queue`). An iteration of the loop does two things:

    expand       descend to the next node of each lane, and list, step and value its children: fat work
    walk back    take the next child of the deepest open node that the table does not cut, or close the node: thin work

A lane whose next child is still to be found when most lanes have theirs expands nothing in the next iteration. Children
at the bound are counted when their parent is expanded, and nodes without a table need no keys.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import take, where
from jaxgp.bits import mix
from jaxgp.contracts import Position, Puzzle, States
from jaxgp.search.lookahead import Contexts, encode
from jaxgp.search.puzzles.children import Children, Lister, Order, check, key_words, pack, unpack
from jaxgp.search.puzzles.lanes import Lane, make_unsearched
from jaxgp.search.puzzles.native.generate import DEEPENING
from jaxgp.search.puzzles.native.run import searched
from jaxgp.search.puzzles.solutions import Solutions
from jaxgp.search.queue import drain

Bound = Literal["depth", "cost"]


WINDOW = 8
"""Children that a lane looks up in its table together."""
DEPTH_BITS = 10
"""Bits for the depth in the stamp of an entry of the table; those above them hold the round."""


@struct.dataclass
class _Lane(Lane):
    """One search in progress. D levels of the stack hold the path: the node at depth d is at level d.

    `path` has the move made at each level.
    """

    bound: Array  # float32[]
    round: Array  # int32[]: rounds begun in this lane, those of earlier roots included
    cut: Array  # bool[]: whether the bound has cut anything in this round
    least: Array  # float32[]: least cost above the bound in this round
    level: Array  # int32[]: of the deepest open node; -1: none
    place: Array  # int32[]: of the child to expand next among the children of that node
    ready: Array  # bool[]: a node is to be expanded
    fresh: Array  # bool[]: it is the root
    states: States  # [D, ...], packed
    actions: Array  # int16[D, S]: moves to the children, in the order in which they are visited
    keys: Array  # uint32[D, S, W]: of the children; W = 0 without a table
    counts: Array  # int32[D]: children
    visited: Array  # int32[D]: children visited
    table: Array  # uint32[T, W + 1]: key, round and depth


@dataclass(frozen=True)
class Deepening:
    """Searches roots by iterative deepening, each up to a limit of nodes.

    Attributes:
        puzzle: the rules.
        first: the bound of the first round.
        grow: what is added to the bound from round to round.
        deepest: the greatest bound of depth; with bounds of cost, the depth at which nodes are cut.
        table: entries of each search's table of the nodes of a round, a power of two; 0: no table. Each key has one
            slot, and the last key written there owns it.
        lanes: searches in progress at the same time.
        narrow: the fewest lanes to which the loop is narrowed once the queue is empty.
        order: values children, the lowest first; None: a blind search, in order of actions.
        bound: what is bounded, `depth`, or with an order `cost`: depth plus value. Of costs, values below 0 count as 0,
            and so does the value of a child that solves the puzzle.

    Raises:
        ValueError: a puzzle with chance or with actions that do not fit 16 bits, or a number out of range.
    """

    puzzle: Puzzle
    first: int
    grow: int
    deepest: int
    table: int = 0
    lanes: int = 64
    narrow: int = 16
    order: Order | None = None
    bound: Bound = "depth"

    def __post_init__(self) -> None:
        check(self.puzzle)
        if not 1 <= self.first <= self.deepest < 1 << DEPTH_BITS:
            accepted = f"1 <= first <= deepest < {1 << DEPTH_BITS}"
            raise ValueError(f"first={self.first}, deepest={self.deepest}: accepted: {accepted}")
        if self.grow < 1:
            raise ValueError(f"grow={self.grow}: accepted: 1 or more")
        if self.table < 0 or self.table & (self.table - 1):
            raise ValueError(f"table={self.table}: accepted: 0 and powers of two")
        if self.lanes < 1 or self.narrow < 1:
            raise ValueError(f"lanes={self.lanes}, narrow={self.narrow}: accepted: 1 or more")
        if self.bound not in ("depth", "cost") or (self.bound == "cost" and self.order is None):
            raise ValueError(f"bound={self.bound}: accepted: depth, with an order also cost")

    def search(
        self, states: Position, limit: Array, count: Array, contexts: Contexts = (), whose: Array | None = None
    ) -> Solutions:
        """Search the first `count` of `states`. The states are a batch: do not vmap this method.

        Args:
            states: roots [Q, ...].
            limit: int32[Q]: nodes after which a search ends unsolved.
            count: int32[], may be traced; time grows with it and not with Q.
            contexts: [C, ...], for the order.
            whose: int32[Q], the context of each root; None without an order.
        """
        whose = jnp.zeros(len(limit), jnp.int32) if whose is None else whose
        numbers = {"deepest": self.deepest, "first": self.first, "grow": self.grow, "table": self.table}
        options = {**numbers, "by_cost": self.bound == "cost"}
        roots = (states, limit, count, contexts, whose)
        return searched(DEEPENING, self._in_lanes, self.puzzle, self.order, options, *roots)

    def _in_lanes(self, states: Position, limit: Array, count: Array, contexts: Contexts, whose: Array) -> Solutions:
        """Search in lanes, side by side."""
        queue = len(limit)
        count = jnp.minimum(jnp.asarray(count, jnp.int32), queue)
        solved, packed = jax.vmap(self.puzzle.solved)(states), pack(self.puzzle, states)

        def begin(lanes: _Lane, begins: Array, root: Array) -> _Lane:
            return self._begin(lanes.begin(begins, solved[root], limit[root]), begins, take(packed, root))

        def advance(lanes: _Lane, running: Array) -> tuple[_Lane, Array, dict[str, Array]]:
            del running
            lanes = self._walk_back(self._expand(lanes, contexts, whose[lanes.root]))
            return lanes, lanes.over, lanes.found()

        idle = self._idle(jax.tree.map(lambda x: x[0], packed))
        width, nothing = min(self.lanes, queue), make_unsearched(idle, queue)
        found, iterations = drain(idle, width, self.narrow, count, nothing, begin, advance)
        return Solutions(**found, iterations=iterations, expanded=jnp.full_like(found["nodes"], -1))

    @property
    def _lister(self) -> Lister:
        return Lister(self.puzzle, self.order, self._words)

    @property
    def _slots(self) -> int:
        return self.puzzle.most_choices

    @cached_property
    def _words(self) -> int:
        """Words of a key; 0 without a table, where no keys are needed."""
        return key_words(self.puzzle) if self.table else 0

    def _idle(self, packed: States) -> _Lane:
        levels, zero, no = self.deepest, jnp.int32(0), jnp.bool_(False)
        return _Lane.idle(
            levels,
            bound=jnp.float32(self.first),
            round=zero,
            cut=no,
            least=jnp.float32(jnp.inf),
            level=jnp.int32(-1),
            place=zero,
            ready=no,
            fresh=no,
            states=jax.tree.map(lambda x: jnp.broadcast_to(x, (levels, *x.shape)), packed),
            actions=jnp.zeros((levels, self._slots), jnp.int16),
            keys=jnp.zeros((levels, self._slots, self._words), jnp.uint32),
            counts=jnp.zeros(levels, jnp.int32),
            visited=jnp.zeros(levels, jnp.int32),
            table=jnp.zeros((self.table, self._words + 1), jnp.uint32),
        )

    def _begin(self, lanes: _Lane, begins: Array, packed: States) -> _Lane:
        """Visit the roots of the lanes that begin (bool[L]) one, [L, ...] each."""
        lane, level = jnp.arange(len(begins)), jnp.where(begins, 0, self.deepest)

        def fill(old: Array, new: Array | float) -> Array:
            return jnp.where(begins, new, old)

        return replace(
            lanes,
            bound=fill(lanes.bound, self.first),
            round=lanes.round + begins,
            cut=lanes.cut & ~begins,
            least=fill(lanes.least, jnp.inf),
            level=fill(lanes.level, -1),
            ready=fill(lanes.ready, ~lanes.over),
            fresh=lanes.fresh | begins,
            states=jax.tree.map(lambda old, new: old.at[lane, level].set(new, mode="drop"), lanes.states, packed),
        )

    def _expand(self, lanes: _Lane, contexts: Contexts, whose: Array) -> _Lane:
        """Descend to the nodes that are ready, and expand them."""
        lane, ready, fresh = jnp.arange(len(whose)), lanes.ready, lanes.fresh
        above = jnp.maximum(jnp.where(fresh, 0, lanes.level), 0)
        before = unpack(self.puzzle, jax.tree.map(lambda x: x[lane, above], lanes.states))
        action = lanes.actions[lane, above, lanes.place]
        nodes = where(fresh, before, jax.vmap(self._lister.step)(before, action))
        depth = jnp.where(fresh, 0, lanes.level + 1)
        path = lanes.path.at[lane, jnp.where(ready & ~fresh, above, self.deepest)].set(action, mode="drop")

        # A child at the bound is visited and cut; its place among the others makes no difference.
        last = depth + 1 >= (lanes.bound if self.bound == "depth" else self.deepest)
        number = jnp.where(ready, jax.vmap(self.puzzle.choices)(nodes), 0)
        children = self._lister.children(contexts, whose, nodes, depth, number, ready & ~last)
        within = jnp.arange(self._slots) < number[:, None]
        cut, least, dropped = lanes.cut | (ready & last & (number > 0)), lanes.least, jnp.zeros_like(number)
        if self.bound == "cost":
            worth = jnp.where(children.solves | last[:, None], 0.0, jnp.maximum(children.values, 0.0))
            cost = (depth + 1).astype(jnp.float32)[:, None] + worth
            above = within & (cost > lanes.bound[:, None])
            within, dropped = within & ~above, above.sum(1, dtype=jnp.int32)
            cut = cut | (dropped > 0)
            least = jnp.minimum(least, jnp.where(above, cost, jnp.inf).min(1))

        solving = within & children.solves
        solves, counted = solving.any(1), within.sum(1, dtype=jnp.int32)
        inner = ready & ~solves & ~last & (counted > 0)
        reached = lanes.nodes + jnp.where(solves, 1, jnp.where(last, counted, 0) + dropped)
        stopped = ready & (reached >= lanes.limit)
        won = solves & ~stopped
        end = jnp.take_along_axis(children.actions, solving.argmax(1)[:, None], 1)[:, 0]
        level = jnp.where(inner, depth, self.deepest)  # out of range where nothing is to be stored
        actions, keys = self._ordered(children, within)
        return replace(
            lanes,
            nodes=jnp.where(ready, jnp.minimum(reached, lanes.limit), lanes.nodes),
            cut=cut,
            least=least,
            level=jnp.where(inner, depth, lanes.level),
            ready=jnp.zeros_like(ready),
            fresh=fresh & ~ready,
            over=lanes.over | stopped | won,
            solved=lanes.solved | won,
            length=jnp.where(won, depth + 1, lanes.length),
            path=path.at[lane, jnp.where(won, depth, self.deepest)].set(end, mode="drop"),
            states=jax.tree.map(
                lambda old, new: old.at[lane, level].set(new, mode="drop"), lanes.states, pack(self.puzzle, nodes)
            ),
            actions=lanes.actions.at[lane, level].set(actions, mode="drop"),
            keys=lanes.keys.at[lane, level].set(keys, mode="drop"),
            counts=lanes.counts.at[lane, level].set(counted, mode="drop"),
            visited=lanes.visited.at[lane, level].set(0, mode="drop"),
            table=self._write(lanes, nodes, depth),
        )

    def _write(self, lanes: _Lane, nodes: Position, depth: Array) -> Array:
        """Return the tables with the nodes that are ready, [L]."""
        if not self.table:
            return lanes.table
        keys = jax.vmap(self.puzzle.key)(nodes)
        slot = jnp.where(lanes.ready, self._slot(keys), self.table)
        rows = jnp.concatenate([keys, self._stamp(lanes.round, depth)[:, None]], 1)
        return lanes.table.at[jnp.arange(len(depth)), slot].set(rows, mode="drop")

    def _slot(self, keys: Array) -> Array:
        """Return int32[...]: the slots of keys, uint32[..., W]."""
        return (mix(keys) & np.uint32(self.table - 1)).astype(jnp.int32)

    def _stamp(self, number: Array, depth: Array | int) -> Array:
        """Return uint32[...]: a round and a depth in one word."""
        return (number.astype(jnp.uint32) << DEPTH_BITS) + jnp.asarray(depth, jnp.uint32)

    def _ordered(self, children: Children, within: Array) -> tuple[Array, Array]:
        """Return int16[L, S] actions and uint32[L, S, W] keys of the children `within`, in the order of visits."""
        if self.order is None:
            return children.actions, children.keys
        codes = jnp.where(within, encode(children.values), np.iinfo(np.int32).max)
        order = jnp.argsort(codes, axis=1, stable=True)
        keys = jnp.take_along_axis(children.keys, order[..., None], 1)
        return jnp.take_along_axis(children.actions, order, 1), keys

    def _walk_back(self, lanes: _Lane) -> _Lane:
        """Find the next node of each lane; where few are left to be found, they wait for the next iteration."""

        def waiting(lanes: _Lane) -> Array:
            return (lanes.busy & ~lanes.ready & ~lanes.over).sum()

        patience = lanes.busy.sum() // 4
        return lax.while_loop(lambda lanes: waiting(lanes) > patience, self._walk, lanes)

    def _walk(self, lanes: _Lane) -> _Lane:
        """Take one step back in each lane that has no node to expand."""
        lane = jnp.arange(len(lanes.busy))
        walking = lanes.busy & ~lanes.ready & ~lanes.over
        open_, level = walking & (lanes.level >= 0), jnp.maximum(lanes.level, 0)
        first, number = lanes.visited[lane, level], lanes.counts[lane, level]
        fits = first[:, None] + np.arange(WINDOW if self.table else 1)
        there = open_[:, None] & (fits < number[:, None])
        uncut = there & ~self._known(lanes, level, jnp.where(there, fits, 0), there)
        found = uncut.any(1)
        passed = jnp.where(found, uncut.argmax(1) + 1, there.sum(1)).astype(jnp.int32)
        closes = open_ & ~found & (first + passed >= number)

        # A round ends at the step after the root was closed.
        ends = walking & (lanes.level < 0)
        bound = lanes.bound + self.grow
        beyond = bound > self.deepest
        if self.bound == "cost":
            bound, beyond = jnp.maximum(bound, lanes.least), jnp.isinf(lanes.least)
        exhausted = ends & ~lanes.cut
        given_up = exhausted | (ends & beyond)
        again = ends & ~given_up
        reached = lanes.nodes + jnp.where(again, 1, passed)
        stopped = walking & ~given_up & (reached >= lanes.limit)
        return replace(
            lanes,
            nodes=jnp.where(walking, jnp.minimum(reached, lanes.limit), lanes.nodes),
            bound=jnp.where(again, bound, lanes.bound),
            round=lanes.round + again,
            cut=lanes.cut & ~again,
            least=jnp.where(again, np.float32(np.inf), lanes.least),
            level=lanes.level - closes,
            place=jnp.where(found, first + passed - 1, lanes.place),
            ready=lanes.ready | ((found | again) & ~stopped),
            fresh=lanes.fresh | again,
            over=lanes.over | given_up | stopped,
            exhausted=lanes.exhausted | exhausted,
            visited=lanes.visited.at[lane, jnp.where(open_, level, self.deepest)].add(passed, mode="drop"),
        )

    def _known(self, lanes: _Lane, level: Array, places: Array, there: Array) -> Array:
        """Return bool[L, K]: which children of the open nodes the tables cut, by places (int32[L, K])."""
        if not self.table:
            return jnp.zeros_like(there)
        lane = jnp.arange(len(level))[:, None]
        keys = lanes.keys[lane, level[:, None], places]
        slot = jnp.where(there, self._slot(keys), 0)
        equal = jnp.ones_like(there)
        for word in range(self._words):
            equal &= lanes.table[lane, slot, word] == keys[..., word]
        # Stamps of other rounds differ from the first one of this round by more than any depth.
        since = lanes.table[lane, slot, self._words] - self._stamp(lanes.round, 0)[:, None]
        return equal & (since <= (level + 1).astype(jnp.uint32)[:, None])
