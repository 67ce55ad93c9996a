"""Best-first search of many puzzles for many genomes at once, with a set of all positions met, inside one jitted loop.

The search of one root, which `tests/reference/bestfirst.py` writes down in plain Python:

    meet the root, and count it
    until nothing is open, take the open position with the lowest priority, the one met first among equals:
        count its children, up to the limit of nodes, where the search ends unsolved
        if one of them solves the puzzle, it is counted alone, and the search ends
        open those that were not met before, in the order of their actions

With `by="cost"` the priority of a child is its depth plus its value (A*; P. Hart, N. Nilsson, B. Raphael, "A formal
basis for the heuristic determination of minimum cost paths", IEEE Transactions on Systems Science and Cybernetics 4,
1968). With `by="value"` it is the value alone (greedy search). Without an order all values are 0, so that both are
breadth-first search. A position is met once: a shorter way to it that is found later changes nothing, so solutions need
not be the shortest.

Lanes search one root each (`jaxgp.search.queue`). A lane keeps all its positions in the order in which it met them.
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
from jax import Array, lax

from jaxgp.arrays import take, where
from jaxgp.contracts import Position, Puzzle, States
from jaxgp.search.lookahead import Contexts
from jaxgp.search.puzzles import visited
from jaxgp.search.puzzles.children import Children, Lister, Order, check, key_words, pack, unpack
from jaxgp.search.puzzles.deepening import Solutions
from jaxgp.search.queue import drain

By = Literal["cost", "value"]
FEWEST = 2
"""Lanes. Where there is one alone, XLA copies its positions in each iteration."""
BACK = 8
"""Moves of a solution that are written down in one iteration."""


@struct.dataclass
class _Lane:
    """One search in progress. M positions have been met, of N for which there is room."""

    busy: Array  # bool[]
    root: Array  # int32[]: index of the root in the queue
    limit: Array  # int32[]: of nodes
    nodes: Array  # int32[]
    met: Array  # int32[]: M
    number: Array  # uint32[]: searches begun in this lane
    over: Array  # bool[]
    solved: Array  # bool[]
    cut: Array  # bool[]: whether a position at the greatest depth was left unexpanded
    exhausted: Array  # bool[]
    length: Array  # int32[]: moves of the solution; -1: none
    path: Array  # int16[deepest]: its actions, then -1
    left: Array  # int32[]: of these actions those that are still to be written down, from the last one to the first
    last: Array  # int32[]: the position to which the last of them leads
    states: States  # [N, ...], packed
    before: Array  # int32[N]: the parent of each position; -1: the root
    actions: Array  # int16[N]: the move to it
    depths: Array  # int16[N]
    priority: Array  # float32[N / B, B]: of the open positions, inf for others
    least: Array  # float32[N / B]: minima of the blocks
    table: Array  # uint32[T, W + 1]: the set, T = 2 N


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
        queue = len(limit)
        whose = jnp.zeros(queue, jnp.int32) if whose is None else whose
        count = jnp.minimum(jnp.asarray(count, jnp.int32), queue)
        solved, packed = jax.vmap(self.puzzle.solved)(states), pack(self.puzzle, states)
        keys = jax.vmap(self.puzzle.key)(states)

        def begin(lanes: _Lane, begins: Array, root: Array) -> _Lane:
            return self._begin(lanes, begins, take(packed, root), keys[root], solved[root], limit[root])

        def advance(lanes: _Lane, running: Array) -> tuple[_Lane, Array, tuple[Array, ...]]:
            del running
            lanes = self._expand(self._walk_back(lanes), contexts, whose[lanes.root])
            finished = lanes.busy & lanes.over & (lanes.left == 0)
            return lanes, finished, (lanes.solved, lanes.nodes, lanes.length, lanes.path, lanes.exhausted)

        false, none = jnp.zeros(queue, jnp.bool_), jnp.full(queue, -1, jnp.int32)
        nothing = false, none + 1, none, jnp.full((queue, self.deepest), -1, jnp.int16), false
        idle = self._idle(jax.tree.map(lambda x: x[0], packed))
        width, narrow = max(FEWEST, min(self.lanes, queue)), max(FEWEST, self.narrow)
        found, iterations = drain(idle, width, narrow, count, nothing, begin, advance)
        return Solutions(*found, iterations)

    @cached_property
    def _block(self) -> int:
        """B, positions of a block: about the root of N, a power of two."""
        return 1 << (self.room.bit_length() // 2)

    @property
    def _lister(self) -> Lister:
        return Lister(self.puzzle, self.order, self._words)

    @cached_property
    def _words(self) -> int:
        return key_words(self.puzzle)

    def _idle(self, packed: States) -> _Lane:
        zero, no, room = jnp.int32(0), jnp.bool_(False), self.room
        return _Lane(
            busy=no,
            root=zero,
            limit=zero,
            nodes=zero,
            met=zero,
            number=jnp.uint32(0),
            over=no,
            solved=no,
            cut=no,
            exhausted=no,
            length=jnp.int32(-1),
            path=jnp.full(self.deepest, -1, jnp.int16),
            left=zero,
            last=zero,
            states=jax.tree.map(lambda x: jnp.broadcast_to(x, (room, *x.shape)), packed),
            before=jnp.zeros(room, jnp.int32),
            actions=jnp.zeros(room, jnp.int16),
            depths=jnp.zeros(room, jnp.int16),
            priority=jnp.full((room // self._block, self._block), jnp.inf, jnp.float32),
            least=jnp.full(room // self._block, jnp.inf, jnp.float32),
            table=visited.create(2 * self.room, self._words),
        )

    def _begin(self, lanes: _Lane, begins: Array, packed: States, keys: Array, solved: Array, limit: Array) -> _Lane:
        """Meet the roots of the lanes that begin (bool[L]), [L, ...] each."""
        lane, at = jnp.arange(len(begins)), jnp.where(begins, 0, self.room)
        number = lanes.number + begins
        least = jnp.where(np.arange(self.room // self._block) == 0, 0.0, jnp.inf)
        return replace(
            lanes,
            limit=jnp.where(begins, limit, lanes.limit),
            nodes=jnp.where(begins, 1, lanes.nodes),
            met=jnp.where(begins, 1, lanes.met),
            number=number,
            over=jnp.where(begins, (limit <= 1) | solved, lanes.over),
            cut=lanes.cut & ~begins,
            solved=jnp.where(begins, (limit > 1) & solved, lanes.solved),
            exhausted=lanes.exhausted & ~begins,
            length=jnp.where(begins, jnp.where((limit > 1) & solved, 0, -1), lanes.length),
            path=jnp.where(begins[:, None], jnp.int16(-1), lanes.path),
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
        children = self._lister.children(contexts, whose, nodes, depth, number, ready)

        within = jnp.arange(self.puzzle.most_choices) < number[:, None]
        solving = within & children.solves
        solves = solving.any(1)
        reached = lanes.nodes + jnp.where(solves, 1, number)
        stopped = ready & (reached >= lanes.limit)
        won, goes_on = solves & ~stopped, ready & ~solves & ~stopped
        end = jnp.take_along_axis(children.actions, solving.argmax(1)[:, None], 1)[:, 0]
        table, fresh = visited.add(lanes.table, lanes.number, children.keys, within & goes_on[:, None])
        met = lanes.met + fresh.sum(1, dtype=jnp.int32)
        full = met > self.room
        own = jnp.where(ready, at, self.room)
        opened = replace(
            lanes,
            nodes=jnp.where(ready, jnp.minimum(reached, lanes.limit), lanes.nodes),
            met=jnp.minimum(met, self.room),
            over=lanes.over | (searching & ~ready) | stopped | won | full,
            solved=lanes.solved | won,
            exhausted=lanes.exhausted | (searching & ~ready & ~lanes.cut),
            length=jnp.where(won, depth + 1, lanes.length),
            path=lanes.path.at[lane, jnp.where(won, depth, self.deepest)].set(end, mode="drop"),
            left=jnp.where(won, depth, lanes.left),
            last=jnp.where(won, at, lanes.last),
            states=jax.tree.map(
                lambda old, new: old.at[lane, own].set(new, mode="drop"), lanes.states, pack(self.puzzle, nodes)
            ),
            table=table,
        )
        return self._push(opened, children, fresh, lanes.met, at, depth + 1)

    def _walk_back(self, lanes: _Lane) -> _Lane:
        """Write down some moves of the solutions that have been found.

        All reads here come before the writes of this iteration. XLA has to be told so by a barrier, and there can be no
        inner loop; otherwise it copies the arrays of all lanes in each iteration.
        """
        lane = jnp.arange(len(lanes.busy))
        for _ in range(BACK):
            place = jnp.where(lanes.left > 0, lanes.left - 1, self.deepest)
            path = lanes.path.at[lane, place].set(lanes.actions[lane, lanes.last], mode="drop")
            last = jnp.where(lanes.left > 0, lanes.before[lane, lanes.last], lanes.last)
            lanes = replace(lanes, path=path, last=last, left=jnp.maximum(lanes.left - 1, 0))
        read_before_writing: _Lane = lax.optimization_barrier(lanes)
        return read_before_writing

    def _pop(self, lanes: _Lane, searching: Array) -> tuple[_Lane, Array, Array]:
        """Close the open position with the lowest priority: lanes, bool[L] which have one, int32[L] its number."""
        lane, block = jnp.arange(len(searching)), lanes.least.argmin(1).astype(jnp.int32)
        ready = searching & ~jnp.isposinf(lanes.least[lane, block])
        places = np.arange(self._block, dtype=np.int32)
        # Beyond the positions met, priorities are left over from an earlier search.
        there = block[:, None] * self._block + places < lanes.met[:, None]
        row = jnp.where(there, lanes.priority[lane, block], jnp.inf)
        place = row.argmin(1).astype(jnp.int32)
        row = jnp.where(places == place[:, None], jnp.inf, row)
        written = jnp.where(ready, block, self.room // self._block)
        lanes = replace(
            lanes,
            priority=lanes.priority.at[lane, written].set(row, mode="drop"),
            least=lanes.least.at[lane, written].set(row.min(1), mode="drop"),
        )
        return lanes, ready, block * self._block + place

    def _push(self, lanes: _Lane, children: Children, fresh: Array, met: Array, parent: Array, depth: Array) -> _Lane:
        """Open the children that are `fresh` (bool[L, S]) after the `met` (int32[L]) positions of before."""
        lane = jnp.arange(len(met))[:, None]
        at = jnp.where(fresh, met[:, None] + jnp.cumsum(fresh, 1, dtype=jnp.int32) - 1, self.room)
        value = children.values
        if self.by == "cost":
            value = depth.astype(jnp.float32)[:, None] + jnp.maximum(value, 0.0)
        deep = (depth >= self.deepest)[:, None]
        value = jnp.where(deep, jnp.inf, value)
        block, place = at // self._block, at % self._block
        return replace(
            lanes,
            cut=lanes.cut | (fresh & deep).any(1),
            before=lanes.before.at[lane, at].set(parent[:, None], mode="drop"),
            actions=lanes.actions.at[lane, at].set(children.actions, mode="drop"),
            depths=lanes.depths.at[lane, at].set(depth[:, None].astype(jnp.int16), mode="drop"),
            priority=lanes.priority.at[lane, block, place].set(value, mode="drop"),
            least=lanes.least.at[lane, block].min(value, mode="drop"),
        )
