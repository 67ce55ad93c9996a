"""Best-first search of many puzzles for many genomes at once, with a set of visited positions, inside one jitted loop.

The search of one root, which `tests/reference/bestfirst.py` writes down in plain Python:

    meet the root, and count it
    until nothing is open, take the open position with the lowest priority, the one visited first among equals:
        count its children, up to the limit of nodes, where the search ends unsolved
        if one of them solves the puzzle, it is counted alone, and the search ends
        open those that were not visited before, in the order of their actions

With `by="cost"` the priority of a child is its depth plus its value (A*; P. Hart, N. Nilsson, B. Raphael, "A formal
basis for the heuristic determination of minimum cost paths", IEEE Transactions on Systems Science and Cybernetics 4,
1968). With `by="value"` it is the value alone (greedy search). Without an order all values are 0, so that both are
breadth-first search. A position is visited once: a shorter way to it that is found later changes nothing, so solutions
need not be the shortest.

Lanes search one root each (`jaxgp.search.queue`). A lane keeps all its positions in the order in which it visited them.
Their priorities stand in blocks, each with its minimum, so that the lowest of N is found among 2 sqrt(N) numbers. The
stamps of the set (`jaxgp.search.puzzles.visited`) are the numbers of the searches of a lane.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import apart, take, where
from jaxgp.contracts import Position, Puzzle, States
from jaxgp.search.lookahead import Contexts, encode
from jaxgp.search.puzzles import visited
from jaxgp.search.puzzles.children import Lister, Order, Slice, check, key_words, pack, unpack
from jaxgp.search.puzzles.lanes import FEWEST, Lane, make_unsearched
from jaxgp.search.puzzles.native.generate import BEST_FIRST
from jaxgp.search.puzzles.native.run import searched
from jaxgp.search.puzzles.solutions import Solutions
from jaxgp.search.queue import drain

By = Literal["cost", "value"]
BACK = 8
"""Moves of a solution that are written down in one iteration."""
CLOSED = np.int32(2**31 - 1)
"""The code of the priority of a position that is not open.

Codes are whole numbers in the order of priorities: a GPU finds the least of several updates of one place by one
instruction for them, and by a loop for floats."""

_Walked = tuple[Array, Array, Array, Array]


@struct.dataclass
class _Lane(Lane):
    """One search in progress. M positions have been visited, of N for which there is room."""

    expanded: Array  # int32[]
    met: Array  # int32[]: M
    number: Array  # uint32[]: searches begun in this lane
    cut: Array  # bool[]: whether a position at the greatest depth was left unexpanded
    left: Array  # int32[]: actions of the solution that are still to be written down, from the last one to the first
    last: Array  # int32[]: the position to which the last of them leads
    states: States  # [N, ...], packed
    before: Array  # int32[N]: the parent of each position; -1: the root
    actions: Array  # int16[N]: the move to it
    depths: Array  # int16[N]
    priority: Array  # int32[N / B, B]: codes of the priorities of open positions, CLOSED for others
    least: Array  # int32[N / B]: minima of the blocks
    table: Array  # uint32[T, W + 1]: the set, about twice N

    def found(self) -> dict[str, Array]:
        return super().found() | {"expanded": self.expanded}


@struct.dataclass
class _Opened:
    """What changes as children are opened, [L, ...], as in `_Lane`; and `solving`."""

    met: Array  # int32[]; beyond N where there is no more room
    solving: Array  # int32[]: the first action that solves the puzzle; A: none
    before: Array
    actions: Array
    depths: Array
    priority: Array
    least: Array
    table: Array


@dataclass(frozen=True)
class BestFirst:
    """Best-first search, to a limit of nodes.

    Attributes:
        puzzle: the rules.
        deepest: the most moves of a solution; positions at this depth are not expanded.
        room: N, positions that a search can keep, a power of two from 4; one for which there is no room ends the search
            unsolved.
        lanes: searches in progress at the same time.
        narrow: the fewest lanes to which the loop is narrowed once the queue is empty.
        order: values children; None: breadth-first search.
        by: the priority, `cost` or `value`. Values below 0 count as 0 in a cost.

    Raises:
        ValueError: a puzzle with chance or with actions that do not fit 16 bits, or a number out of range.
    """

    puzzle: Puzzle
    deepest: int
    room: int
    lanes: int = 64
    narrow: int = 16
    order: Order | None = None
    by: By = "cost"

    def __post_init__(self) -> None:
        check(self.puzzle)
        most = np.iinfo(np.int16).max
        if not 1 <= self.deepest <= most:
            raise ValueError(f"deepest={self.deepest}: accepted: 1 to {most}")
        if self.room < 4 or self.room & (self.room - 1):
            raise ValueError(f"room={self.room}: accepted: powers of two from 4")
        if self.lanes < 1 or self.narrow < 1:
            raise ValueError(f"lanes={self.lanes}, narrow={self.narrow}: accepted: 1 or more")
        if self.by not in ("cost", "value"):
            raise ValueError(f"by={self.by}: accepted: cost, value")

    def search(
        self, states: Position, limit: Array, count: Array, contexts: Contexts = (), whose: Array | None = None
    ) -> Solutions:
        """Search the first `count` of `states`; see `Deepening.search`. Do not vmap this method."""
        whose = jnp.zeros(len(limit), jnp.int32) if whose is None else whose
        options = {"deepest": self.deepest, "room": self.room, "by_cost": self.by == "cost"}
        roots = (states, limit, count, contexts, whose)
        return searched(BEST_FIRST, self._in_lanes, self.puzzle, self.order, options, *roots)

    def _in_lanes(self, states: Position, limit: Array, count: Array, contexts: Contexts, whose: Array) -> Solutions:
        """Search in lanes, side by side."""
        queue = len(limit)
        count = jnp.minimum(jnp.asarray(count, jnp.int32), queue)
        solved, packed = jax.vmap(self.puzzle.solved)(states), pack(self.puzzle, states)
        keys = jax.vmap(self.puzzle.key)(states)

        def begin(lanes: _Lane, begins: Array, root: Array) -> _Lane:
            return self._begin(lanes.begin(begins, solved[root], limit[root]), begins, take(packed, root), keys[root])

        def advance(lanes: _Lane, running: Array) -> tuple[_Lane, Array, dict[str, Array]]:
            lanes = self._expand(self._walk_back(lanes, running), contexts, whose[lanes.root])
            return lanes, lanes.busy & lanes.over & (lanes.left == 0), lanes.found()

        idle = self._idle(jax.tree.map(lambda x: x[0], packed))
        width, narrow = max(FEWEST, min(self.lanes, queue)), max(FEWEST, self.narrow)
        found, iterations = drain(idle, width, narrow, count, make_unsearched(idle, queue), begin, advance)
        return Solutions(**found, iterations=iterations)

    @cached_property
    def _block(self) -> int:
        """B, positions of a block: about the root of N, a power of two."""
        return 1 << (self.room.bit_length() // 2)

    @cached_property
    def _entries(self) -> int:
        """T, entries of a set: twice N, or more where all children of the last node would not fit."""
        return max(2 * self.room, 1 << (self.room + self.puzzle.most_choices).bit_length())

    @property
    def _lister(self) -> Lister:
        return Lister(self.puzzle, self.order, self._words)

    @cached_property
    def _words(self) -> int:
        return key_words(self.puzzle)

    def _idle(self, packed: States) -> _Lane:
        zero, room = jnp.int32(0), self.room
        return _Lane.idle(
            self.deepest,
            expanded=zero,
            met=zero,
            number=jnp.uint32(0),
            cut=jnp.bool_(False),
            left=zero,
            last=zero,
            states=jax.tree.map(lambda x: jnp.broadcast_to(x, (room, *x.shape)), packed),
            before=jnp.zeros(room, jnp.int32),
            actions=jnp.zeros(room, jnp.int16),
            depths=jnp.zeros(room, jnp.int16),
            priority=jnp.full((room // self._block, self._block), CLOSED, jnp.int32),
            least=jnp.full(room // self._block, CLOSED, jnp.int32),
            table=visited.create(self._entries, self._words),
        )

    def _begin(self, lanes: _Lane, begins: Array, packed: States, keys: Array) -> _Lane:
        """Meet the roots of the lanes that begin (bool[L]), [L, ...] each."""
        lane, at = jnp.arange(len(begins)), jnp.where(begins, 0, self.room)
        number = lanes.number + begins
        least = jnp.where(np.arange(self.room // self._block) == 0, 0, CLOSED)
        return replace(
            lanes,
            expanded=jnp.where(begins, 0, lanes.expanded),
            met=jnp.where(begins, 1, lanes.met),
            number=number,
            cut=lanes.cut & ~begins,
            left=jnp.where(begins, 0, lanes.left),
            states=jax.tree.map(lambda old, new: old.at[lane, at].set(new, mode="drop"), lanes.states, packed),
            before=lanes.before.at[lane, at].set(-1, mode="drop"),
            depths=lanes.depths.at[lane, at].set(0, mode="drop"),
            priority=lanes.priority.at[lane, at, 0].set(0, mode="drop"),
            least=jnp.where(begins[:, None], least, lanes.least),
            table=visited.write(lanes.table, number, visited.slots(lanes.table, keys), keys, begins),
        )

    def _expand(self, lanes: _Lane, contexts: Contexts, whose: Array) -> _Lane:
        """Expand the open position of each lane that has the lowest priority."""
        lane, searching = jnp.arange(len(whose)), lanes.busy & ~lanes.over
        lanes, ready, at = self._pop(lanes, searching)
        parent = lanes.before[lane, at]
        stored = jax.tree.map(lambda x: x[lane, jnp.maximum(parent, 0)], lanes.states)
        before = unpack(self.puzzle, stored)
        moved = jax.vmap(self._lister.step)(before, lanes.actions[lane, at])
        nodes, depth = where(parent < 0, before, moved), lanes.depths[lane, at].astype(jnp.int32)
        number = jnp.where(ready, jax.vmap(self.puzzle.choices)(nodes), 0)
        carried = _Opened(
            met=lanes.met,
            solving=jnp.full_like(number, self.puzzle.num_actions),
            before=lanes.before,
            actions=lanes.actions,
            depths=lanes.depths,
            priority=lanes.priority,
            least=lanes.least,
            table=lanes.table,
        )

        def visit(opened: _Opened, children: Slice) -> _Opened:
            return self._open(opened, children, lanes.number, at, depth + 1)

        # A search that ends in this iteration has opened children too, which makes no difference.
        opened = self._lister.visit(contexts, whose, nodes, depth, number, ready, visit, carried)
        solves = opened.solving < self.puzzle.num_actions
        reached = lanes.nodes + jnp.where(solves, 1, number)
        stopped = ready & (reached >= lanes.limit)
        won = solves & ~stopped
        own = jnp.where(ready, at, self.room)
        return replace(
            lanes,
            nodes=jnp.where(ready, jnp.minimum(reached, lanes.limit), lanes.nodes),
            expanded=lanes.expanded + ready,
            met=jnp.minimum(opened.met, self.room),
            over=lanes.over | (searching & ~ready) | stopped | won | (opened.met > self.room),
            solved=lanes.solved | won,
            cut=lanes.cut | ((opened.met > lanes.met) & (depth + 1 >= self.deepest)),
            exhausted=lanes.exhausted | (searching & ~ready & ~lanes.cut),
            length=jnp.where(won, depth + 1, lanes.length),
            path=lanes.path.at[lane, jnp.where(won, depth, self.deepest)].set(
                opened.solving.astype(jnp.int16), mode="drop"
            ),
            left=jnp.where(won, depth, lanes.left),
            last=jnp.where(won, at, lanes.last),
            states=jax.tree.map(
                lambda old, new: old.at[lane, own].set(new, mode="drop"), lanes.states, pack(self.puzzle, nodes)
            ),
            before=opened.before,
            actions=opened.actions,
            depths=opened.depths,
            priority=opened.priority,
            least=opened.least,
            table=opened.table,
        )

    def _open(self, opened: _Opened, children: Slice, number: Array, parent: Array, depth: Array) -> _Opened:
        """Open children at `depth` (int32[L]) of parents (int32[L]) if the sets of a number (uint32[L]) lack them."""
        lane, near = children.lane, self.puzzle.most_choices - 1
        table, fresh = visited.add(opened.table, number, lane, children.keys, children.there, near)
        # Children of a lane follow each other, so that their numbers follow from one sum over all lanes.
        total = jnp.concatenate([jnp.zeros(1, jnp.int32), jnp.cumsum(fresh, dtype=jnp.int32)])
        met = opened.met - total[children.begin]
        at = jnp.where(fresh, met[lane] + total[:-1], self.room)
        value = children.values
        if self.by == "cost":
            value = depth[lane].astype(jnp.float32) + jnp.maximum(value, 0.0)
        code = jnp.where(depth[lane] >= self.deepest, CLOSED, encode(value))
        block, place = at // self._block, at % self._block
        solving = jnp.where(children.there & children.solves, children.actions, self.puzzle.num_actions)
        return _Opened(
            met=met + total[children.end],
            solving=opened.solving.at[lane].min(solving),
            before=opened.before.at[lane, at].set(parent[lane], mode="drop"),
            actions=opened.actions.at[lane, at].set(children.actions.astype(jnp.int16), mode="drop"),
            depths=opened.depths.at[lane, at].set(depth[lane].astype(jnp.int16), mode="drop"),
            priority=opened.priority.at[lane, block, place].set(code, mode="drop"),
            least=opened.least.at[lane, block].min(code, mode="drop"),
            table=table,
        )

    def _walk_back(self, lanes: _Lane, running: Array) -> _Lane:
        """Write down some moves of the solutions that have been found.

        All reads here come before the writes of this iteration, which depend on `busy`. XLA has to be told so by
        `apart`; otherwise it copies the arrays of all lanes in each iteration.
        """
        lane = jnp.arange(len(lanes.busy))

        def walk(path: Array, last: Array, left: Array, busy: Array, before: Array, actions: Array) -> _Walked:
            for _ in range(BACK):
                place = jnp.where(left > 0, left - 1, self.deepest)
                path = path.at[lane, place].set(actions[lane, last], mode="drop")
                last = jnp.where(left > 0, before[lane, last], last)
                left = jnp.maximum(left - 1, 0)
            return path, last, left, busy

        own = lanes.path, lanes.last, lanes.left, lanes.busy, lanes.before, lanes.actions
        path, last, left, busy = apart(walk, *own, running=running)
        return replace(lanes, path=path, last=last, left=left, busy=busy)

    def _pop(self, lanes: _Lane, searching: Array) -> tuple[_Lane, Array, Array]:
        """Close the open position with the lowest priority: lanes, bool[L] which have one, int32[L] its number."""
        lane, block = jnp.arange(len(searching)), lanes.least.argmin(1).astype(jnp.int32)
        ready = searching & (lanes.least[lane, block] < CLOSED)
        places = np.arange(self._block, dtype=np.int32)
        # Beyond the visited positions, priorities are left over from an earlier search.
        there = block[:, None] * self._block + places < lanes.met[:, None]
        row = jnp.where(there, lanes.priority[lane, block], CLOSED)
        place = row.argmin(1).astype(jnp.int32)
        row = jnp.where(places == place[:, None], CLOSED, row)
        written = jnp.where(ready, block, self.room // self._block)
        lanes = replace(
            lanes,
            priority=lanes.priority.at[lane, written].set(row, mode="drop"),
            least=lanes.least.at[lane, written].set(row.min(1), mode="drop"),
        )
        return lanes, ready, block * self._block + place
