"""Staged deepening of many puzzles for many genomes at once: a queue of few boards, and a local search from each.

The search of one root, which `tests/reference/staged.py` writes down in plain Python:

    the first board is the root, which is counted
    search from the board, depth first, in the order of actions, to D moves away; for each child of each node:
        count it; at the limit of nodes the search ends unsolved
        if it is in the set of visited positions, go on with the next one; else write it there
        if it is solved, the search ends
        if it is D moves away, value it and put it into the queue, else visit its children
    take the board with the lowest value from the queue and search from it; if there is none, the search ends unsolved

The queue has one board for each value: a newer one takes the place of an older one. It is never emptied. So it forgets
most boards, and a search can end without a solution where there is one.

Sources: G. Heineman's program (github.com/heineman/algorithms-nutshell-2ed, `StagedDeepening`), and M. Sipper, "Evolved
to Win", 2011, algorithm 11.1. There are two variants:

- `heineman`: D is K + 1, since his program tests the depth of a board before it moves on. The set is emptied when it
  holds more than `visited` positions.
- `papers`: D is K, "exactly k moves away". The set is emptied before a local search if it holds `visited` positions or
  more. It is emptied within one too, where there is no room for the children of another node: see `Staged.most`.

What the sources leave open, or what differs from them:

- The root and the boards that are searched are not written into the set again, so the root may be met once more.
- The set is emptied before the children of a node are visited. Heineman's program looks at its size at each child, so
  it empties the set up to S children earlier; S is the most moves that a position can have.
- The goal is tested at every node, as in Heineman's program. Algorithm 11.1 tests the boards of the queue alone, so it
  would pass by solutions that are no multiple of K moves long.
- Algorithm 11.1 calls the order of the queue descending; here, as in Heineman's program, the lowest value is best.
- Algorithm 11.1 does not say what becomes of boards with equal values that one local search has met. The last of them
  is kept, as in Heineman's program.
- Programs make real values, of which hardly two are equal, and the queue would grow without a bound. It holds `queue`
  boards. Where it is full, the board with the highest value is dropped, even the newest one, and counted.
- Boards are not stored where a local search from them could go beyond `deepest` moves.

A value is that of an order (`jaxgp.search.puzzles.children`); NaN counts as the greatest. It is computed for the boards
that are D moves away and for nothing else. `Node.depth` counts moves from the root.

Lanes search one root each (`jaxgp.search.queue`). An iteration of the loop does two things:

    expand       descend to the next node of each lane, list its children; those that are D moves away are looked up,
                 valued and stored together
    walk back    find the next child of the deepest open node that is not in the set, else take a board from the queue

A lane keeps the moves to those boards alone that it took from the queue, since all others lead nowhere any more.
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
from jaxgp.search.puzzles import frontier, visited
from jaxgp.search.puzzles.children import Children, Lister, Order, check, key_words, pack, unpack
from jaxgp.search.puzzles.frontier import Boards
from jaxgp.search.puzzles.lanes import FEWEST, Lane, make_unsearched
from jaxgp.search.puzzles.solutions import Solutions
from jaxgp.search.queue import drain

Variant = Literal["heineman", "papers"]
WINDOW = 8
"""Children of a node that a lane looks up together."""
_Walk = tuple[Array, Array, Array, Array, Array, Array]


@struct.dataclass
class Stages(Solutions):
    """Results of staged deepening for each root; those of roots not searched are False, 0 and -1.

    A search is exhausted if the queue is empty and no board has been lost, by a newer one of equal value or otherwise.
    """

    dropped: Array  # int32[Q]: boards that a full queue has dropped
    full: Array  # bool[Q]: the search ended since it had taken as many boards as there is room for


@struct.dataclass
class _Lane(Lane):
    """One search in progress. D levels of the stack hold the path from a board: the node at depth d is at level d."""

    full: Array  # bool[]
    left: Array  # int32[]: actions of the solution that are still to be written down, from the last one to the first
    base: Array  # int32[]: moves from the root to the board
    board: Array  # int32[]: number of the board whose moves are written down next, or from which the lane searches
    boards: Array  # int32[]: taken so far, the root among them
    before: Array  # int32[R]: the board that led to each board
    legs: Array  # int16[R, D]: the moves between them
    bases: Array  # int32[R]: moves from the root
    level: Array  # int32[]: of the deepest open node; -1: none
    ready: Array  # bool[]: a node is to be expanded
    action: Array  # int16[]: the move that leads there from the open node, or from the state at level 0; -1: none does
    local: Array  # int16[D]: the moves from the board
    states: States  # [D, ...], packed
    actions: Array  # int16[D, S]: moves to the children
    keys: Array  # uint32[D, S, W]: of the children
    solves: Array  # bool[D, S]
    counts: Array  # int32[D]: children
    passed: Array  # int32[D]: children visited
    queue: Boards
    table: Array  # uint32[T, W + 1]: the set
    stamp: Array  # uint32[]: of the set
    met: Array  # int32[]: positions in the set

    def found(self) -> dict[str, Array]:
        return super().found() | {"dropped": self.queue.dropped, "full": self.full}


@dataclass(frozen=True)
class Staged:
    """Searches roots by staged deepening, each up to a limit of nodes.

    Attributes:
        puzzle: the rules.
        deepest: the most moves of a solution, D or more.
        order: values boards, the lowest first.
        variant: `heineman`, the search of Heineman's program, or `papers`, that of the book and the papers.
        k: K, how far local searches go: D is K + 1 in Heineman's program and K in the papers.
        visited: positions in the set at which, or beyond which, it is emptied.
        queue: C, boards in the queue at most. Heineman's score has fewer than 256 values.
        room: R, boards that a search can take from its queue, the root among them; it ends unsolved at the next one.
        lanes: searches in progress at the same time.
        narrow: the fewest lanes to which the loop is narrowed once no root waits.

    Raises:
        ValueError: a puzzle with chance or with actions that do not fit 16 bits, or a number out of range.
    """

    puzzle: Puzzle
    deepest: int
    order: Order
    variant: Variant = "heineman"
    k: int = 6
    visited: int = 200_000
    queue: int = 256
    room: int = 2**16
    lanes: int = 64
    narrow: int = 16

    def __post_init__(self) -> None:
        check(self.puzzle)
        most = np.iinfo(np.int16).max
        if self.variant not in ("heineman", "papers"):
            raise ValueError(f"variant={self.variant}: accepted: heineman, papers")
        for name in ("k", "visited", "queue", "room", "lanes", "narrow"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: accepted: 1 or more")
        if not self.away <= self.deepest <= most:
            raise ValueError(f"deepest={self.deepest}: accepted: {self.away} to {most}")

    @property
    def away(self) -> int:
        """D, moves from a board to those that are stored."""
        return self.k + (self.variant == "heineman")

    @cached_property
    def most(self) -> int:
        """Positions that a set can hold, half of its table: the first power of two from visited + S + 1 on."""
        return 1 << (self.visited + self.puzzle.most_choices).bit_length()

    def search(
        self, states: Position, limit: Array, count: Array, contexts: Contexts = (), whose: Array | None = None
    ) -> Stages:
        """Search the first `count` of `states`; see `Deepening.search`. Do not vmap this method."""
        roots = len(limit)
        whose = jnp.zeros(roots, jnp.int32) if whose is None else whose
        count = jnp.minimum(jnp.asarray(count, jnp.int32), roots)
        solved, packed = jax.vmap(self.puzzle.solved)(states), pack(self.puzzle, states)

        def begin(lanes: _Lane, begins: Array, root: Array) -> _Lane:
            return self._begin(lanes.begin(begins, solved[root], limit[root]), begins, take(packed, root))

        def advance(lanes: _Lane, running: Array) -> tuple[_Lane, Array, dict[str, Array]]:
            del running
            lanes = self._walk_back(self._expand(self._write_down(lanes), contexts, whose[lanes.root]))
            return lanes, lanes.busy & lanes.over & (lanes.left == 0), lanes.found()

        idle = self._idle(jax.tree.map(lambda x: x[0], packed))
        width, narrow = max(FEWEST, min(self.lanes, roots)), max(FEWEST, self.narrow)
        found, iterations = drain(idle, width, narrow, count, make_unsearched(idle, roots), begin, advance)
        return Stages(**found, iterations=iterations, expanded=jnp.full_like(found["nodes"], -1))

    @property
    def _lister(self) -> Lister:
        return Lister(self.puzzle, self.order, self._words)

    @cached_property
    def _words(self) -> int:
        return key_words(self.puzzle)

    def _idle(self, packed: States) -> _Lane:
        zero, no, slots, levels = jnp.int32(0), jnp.bool_(False), self.puzzle.most_choices, self.away
        return _Lane.idle(
            self.deepest,
            full=no,
            left=zero,
            base=zero,
            board=zero,
            boards=zero,
            before=jnp.zeros(self.room, jnp.int32),
            legs=jnp.zeros((self.room, levels), jnp.int16),
            bases=jnp.zeros(self.room, jnp.int32),
            level=jnp.int32(-1),
            ready=no,
            action=jnp.int16(-1),
            local=jnp.zeros(levels, jnp.int16),
            states=jax.tree.map(lambda x: jnp.broadcast_to(x, (levels, *x.shape)), packed),
            actions=jnp.zeros((levels, slots), jnp.int16),
            keys=jnp.zeros((levels, slots, self._words), jnp.uint32),
            solves=jnp.zeros((levels, slots), jnp.bool_),
            counts=jnp.zeros(levels, jnp.int32),
            passed=jnp.zeros(levels, jnp.int32),
            queue=frontier.create(self.queue, packed, levels),
            table=visited.create(2 * self.most, self._words),
            stamp=jnp.uint32(1),
            met=zero,
        )

    def _begin(self, lanes: _Lane, begins: Array, packed: States) -> _Lane:
        """Hand roots to the lanes that begin (bool[L]), [L, ...] each."""
        lane, at = jnp.arange(len(begins)), jnp.where(begins, 0, self.away)

        def fill(old: Array, new: Array | float) -> Array:
            return jnp.where(begins, new, old)

        return replace(
            lanes,
            full=lanes.full & ~begins,
            left=fill(lanes.left, 0),
            base=fill(lanes.base, 0),
            board=fill(lanes.board, 0),
            boards=fill(lanes.boards, 1),
            bases=lanes.bases.at[lane, jnp.where(begins, 0, self.room)].set(0, mode="drop"),
            level=fill(lanes.level, -1),
            ready=fill(lanes.ready, ~lanes.over),
            action=jnp.where(begins, jnp.int16(-1), lanes.action),
            states=jax.tree.map(lambda old, new: old.at[lane, at].set(new, mode="drop"), lanes.states, packed),
            queue=frontier.empty(lanes.queue, begins),
            stamp=lanes.stamp + begins,
            met=fill(lanes.met, 0),
        )

    def _expand(self, lanes: _Lane, contexts: Contexts, whose: Array) -> _Lane:
        """Descend to the nodes that are ready, and expand them."""
        lane, ready = jnp.arange(len(whose)), lanes.ready
        above, depth = jnp.maximum(lanes.level, 0), lanes.level + 1
        before = unpack(self.puzzle, jax.tree.map(lambda x: x[lane, above], lanes.states))
        moved = jax.vmap(self._lister.step)(before, jnp.maximum(lanes.action, 0))
        nodes = where(lanes.action < 0, before, moved)
        number = jnp.where(ready, jax.vmap(self.puzzle.choices)(nodes), 0)
        last = ready & (depth == self.away - 1)
        children = self._lister.children(contexts, whose, nodes, lanes.base + depth, number, last)

        emptied = ready & self._too_many(lanes.met, depth)
        stamp, met = lanes.stamp + emptied, jnp.where(emptied, 0, lanes.met)
        # Children that are D moves away are visited here.
        places = np.arange(self.puzzle.most_choices)
        solving = (places < number[:, None]) & children.solves & last[:, None]
        solves, first = solving.any(1), solving.argmax(1)
        reached = lanes.nodes + jnp.where(last, jnp.where(solves, first + 1, number), 0)
        stopped = last & (reached >= lanes.limit)
        won = solves & ~stopped
        goes_on = jnp.minimum(jnp.where(solves, first, number), lanes.limit - 1 - lanes.nodes)
        wanted = last[:, None] & (places < goes_on[:, None])
        slots = self.puzzle.most_choices
        flat = jnp.repeat(lane, slots), children.keys.reshape(-1, self._words), wanted.reshape(-1)
        table, fresh = visited.add(lanes.table, stamp, *flat, slots - 1)
        fresh = fresh.reshape(wanted.shape)
        end = jnp.take_along_axis(children.actions, first[:, None], 1)[:, 0]
        local = lanes.local.at[lane, jnp.where(ready & (depth > 0), lanes.level, self.away)].set(
            lanes.action, mode="drop"
        )
        local = local.at[lane, jnp.where(won, depth, self.away)].set(end, mode="drop")

        opens = ready & ~last & (number > 0)
        level = jnp.where(opens, depth, self.away)  # out of range where nothing is to be stored
        stored = pack(self.puzzle, nodes)
        lanes = replace(
            lanes,
            nodes=jnp.minimum(reached, lanes.limit),
            over=lanes.over | stopped | won,
            solved=lanes.solved | won,
            length=jnp.where(won, lanes.base + depth + 1, lanes.length),
            left=jnp.where(won, lanes.base + depth + 1, lanes.left),
            level=jnp.where(opens, depth, lanes.level),
            ready=jnp.zeros_like(ready),
            local=local,
            states=jax.tree.map(lambda old, new: old.at[lane, level].set(new, mode="drop"), lanes.states, stored),
            actions=lanes.actions.at[lane, level].set(children.actions, mode="drop"),
            keys=lanes.keys.at[lane, level].set(children.keys, mode="drop"),
            solves=lanes.solves.at[lane, level].set(children.solves, mode="drop"),
            counts=lanes.counts.at[lane, level].set(number, mode="drop"),
            passed=lanes.passed.at[lane, level].set(0, mode="drop"),
            table=table,
            stamp=stamp,
            met=met + fresh.sum(1, dtype=jnp.int32),
        )
        return replace(lanes, queue=self._store(lanes, children, fresh, stored))

    def _too_many(self, met: Array, depth: Array) -> Array:
        """Return bool[L]: which sets are to be emptied before nodes are expanded."""
        if self.variant == "heineman":
            return met > self.visited
        return ((depth == 0) & (met >= self.visited)) | (met + self.puzzle.most_choices > self.most)

    def _store(self, lanes: _Lane, children: Children, fresh: Array, parents: States) -> Boards:
        """Put the children that are `fresh` (bool[L, S]) into the queues; `parents`, [L, ...], are packed."""
        deep = lanes.base + 2 * self.away > self.deepest
        queue = replace(lanes.queue, lost=lanes.queue.lost | (fresh.any(1) & deep))
        wanted = fresh & ~deep[:, None]
        return frontier.put(queue, wanted, children.values, children.actions, lanes.local, parents, lanes.board)

    def _walk_back(self, lanes: _Lane) -> _Lane:
        """Find the next node of each lane; where few are left to be found, they wait for the next iteration."""
        lane = jnp.arange(len(lanes.busy))
        searching = lanes.busy & ~lanes.over
        patience = searching.sum() // 4

        def walk(carry: _Walk) -> _Walk:
            level, passed, nodes, walking, found, slot = carry
            at = jnp.maximum(level, 0)
            first, number = passed[lane, at], lanes.counts[lane, at]
            fits = first[:, None] + np.arange(WINDOW)
            there = walking[:, None] & (fits < number[:, None])
            keys = lanes.keys[lane[:, None], at[:, None], jnp.where(there, fits, 0)]
            known, slots = visited.find(lanes.table, lanes.stamp, keys, there)
            fresh = there & ~known
            finds, place = fresh.any(1), fresh.argmax(1)
            by = jnp.where(finds, place + 1, there.sum(1)).astype(jnp.int32)
            nodes = nodes + by
            passed = passed.at[lane, jnp.where(walking, at, self.away)].add(by, mode="drop")
            level = level - (walking & ~finds & (first + by >= number))
            walking = walking & ~finds & (level >= 0) & (nodes < lanes.limit)
            return level, passed, nodes, walking, found | finds, jnp.where(finds, slots[lane, place], slot)

        walking, no = searching & (lanes.level >= 0), jnp.zeros_like(searching)
        begin = lanes.level, lanes.passed, lanes.nodes, walking, no, jnp.zeros_like(lanes.level)
        level, passed, nodes, _, found, slot = lax.while_loop(lambda carry: carry[3].sum() > patience, walk, begin)
        stopped = searching & (nodes >= lanes.limit)
        at = jnp.maximum(level, 0)
        place = jnp.maximum(passed[lane, at] - 1, 0)
        action, keys = lanes.actions[lane, at, place], lanes.keys[lane, at, place]
        won = found & ~stopped & lanes.solves[lane, at, place]
        lanes = replace(
            lanes,
            nodes=jnp.minimum(nodes, lanes.limit),
            level=level,
            passed=passed,
            ready=found & ~stopped & ~won,
            action=jnp.where(found, action, lanes.action),
            over=lanes.over | stopped | won,
            solved=lanes.solved | won,
            length=jnp.where(won, lanes.base + level + 1, lanes.length),
            left=jnp.where(won, lanes.base + level + 1, lanes.left),
            local=lanes.local.at[lane, jnp.where(won, at, self.away)].set(action, mode="drop"),
            table=visited.write(lanes.table, lanes.stamp, slot, keys, found),
            met=lanes.met + found,
        )
        return self._take(lanes, searching & ~found & ~stopped & (level < 0))

    def _take(self, lanes: _Lane, ends: Array) -> _Lane:
        """Take the lowest boards of the queues where local searches have ended (bool[L])."""
        lane, (taken, place) = jnp.arange(len(ends)), frontier.lowest(lanes.queue)
        full = ends & taken.some & (lanes.boards >= self.room)
        takes = ends & taken.some & ~full
        base = lanes.bases[lane, taken.origin] + self.away
        number, top = jnp.where(takes, lanes.boards, self.room), jnp.where(takes, 0, self.away)
        return replace(
            lanes,
            over=lanes.over | (ends & ~takes),
            exhausted=lanes.exhausted | (ends & ~taken.some & ~lanes.queue.lost),
            full=lanes.full | full,
            base=jnp.where(takes, base, lanes.base),
            board=jnp.where(takes, lanes.boards, lanes.board),
            boards=lanes.boards + takes,
            before=lanes.before.at[lane, number].set(taken.origin, mode="drop"),
            legs=lanes.legs.at[lane, number].set(taken.moves, mode="drop"),
            bases=lanes.bases.at[lane, number].set(base, mode="drop"),
            ready=lanes.ready | takes,
            action=jnp.where(takes, taken.moves[:, -1], lanes.action),
            states=jax.tree.map(lambda old, new: old.at[lane, top].set(new, mode="drop"), lanes.states, taken.state),
            queue=frontier.remove(lanes.queue, takes, place),
        )

    def _write_down(self, lanes: _Lane) -> _Lane:
        """Write down the moves of solutions, those from one board to the next in one iteration.

        All reads here come before the writes of this iteration, and XLA has to be told so by a barrier; see
        `jaxgp.search.puzzles.bestfirst`.
        """
        lane = jnp.arange(len(lanes.busy))
        last = lanes.left > lanes.base  # moves of the last local search
        first = jnp.where(last, lanes.base, lanes.left - self.away)
        places = first[:, None] + np.arange(self.away)
        moves = jnp.where(last[:, None], lanes.local, lanes.legs[lane, lanes.board])
        at = jnp.where((places >= 0) & (places < lanes.left[:, None]), places, self.deepest)
        written = replace(
            lanes,
            path=lanes.path.at[lane[:, None], at].set(moves, mode="drop"),
            left=jnp.maximum(jnp.where(lanes.left > 0, first, 0), 0),
            board=jnp.where(~last & (lanes.left > 0), lanes.before[lane, lanes.board], lanes.board),
        )
        read_before_writing: _Lane = lax.optimization_barrier(written)
        return read_before_writing
