"""Searches of problems by proof numbers, depth first: where to look follows from how much is left to prove.

    dfpn            the first numbers of a position are 1
    dfpn_replies    where the other side is to move, the first proof number is how many replies there are

The proof number of a position is how many positions have to be proved, at least, to prove it won; the disproof number,
how many have to be refuted. Source: A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications" (2002).
A position is won where its proof number is 0, which moves that win and answered replies alone bring about. So every
claim is proved by construction, whatever the first numbers are.

Positions with the moves that are left are kept in a table, by their exact keys, with the moves that have been made from
them. A search ends, truncated, where its table is full. Where a search is not told the number of moves, it deepens from
1, with one table for all rounds.

Lanes search one root each (`jaxgp.search.queue`). An iteration makes one move in each lane, or takes one back: either
the next move of a position that is met for the first time, or the move on which the numbers say to go on.
"""

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.bits import mix
from jaxgp.contracts import Problem, States
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.roots import RootSearch

METHODS = ("dfpn", "dfpn_replies")
INFINITE = np.int32(1 << 29)
LARGE = np.int32(1 << 22)
"""Finite numbers are added up to this one each, so that no sum overflows."""
PROBES = 8
"""Slots that are looked at for a position; where all are taken, it is kept without a slot, and not found again."""
SHARE = 4
"""Slots for each entry of the table."""
PROOF, DISPROOF, BEGIN, SIZE = range(4)
"""Columns of `NumberedLane.table`: the numbers; where the edges begin; how many there are, -1 before they are made."""


@struct.dataclass
class NumberedLane:
    """One search in progress; D levels of frames, T positions and as many edges in its table.

    Level 0 holds the root, before its round begins; its position is searched on level 1.
    """

    busy: Array  # bool[]
    root: Array  # int32[]
    told: Array  # int32[]: own moves of the problem
    depth: Array  # int32[]: own moves of this round
    level: Array  # int32[]
    frames: Array  # uint32[D, W]: state and look
    places: Array  # int32[D]: of the positions in the table
    bounds: Array  # int32[D, 2]: the proof and the disproof number at which a visit ends
    last: Array  # int32[]: the last action of the position that is met for the first time; -1: none
    tried: Array  # int32[]: its actions tried
    decided: Array  # bool[]: one of them has decided it
    table: Array  # int32[T, 4]
    keys: Array  # uint32[T, K]
    edges: Array  # int32[T, 3]: the position below, the action, and what moves of equal numbers are ordered by
    slots: Array  # int32[S, 2]: 1 + root, and a place in the table
    used: Array  # int32[]: positions in the table
    drawn: Array  # int32[]: edges in the table
    over: Array  # bool[]
    won: Array  # bool[]
    truncated: Array  # bool[]
    chosen: Array  # int32[]
    nodes: Array  # int32[]
    distinct: Array  # int32[]
    deepest: Array  # int32[]: plies of the longest line
    limit: Array  # int32[]


@struct.dataclass
class _Step:
    """What a lane does in an iteration: one of the first four, or nothing."""

    enters: Array  # bool[]: it begins a round
    meets: Array  # bool[]: it makes the next move of a position that is met for the first time
    goes: Array  # bool[]: it makes the move on which the numbers say to go on
    ends: Array  # bool[]: it ends a visit
    weighs: Array  # bool[]: the numbers of the position follow from those below
    stops: Array  # bool[]: its nodes are spent, or its table is full
    own: Array  # bool[]: the solver is to move
    action: Array  # int32[]: the move
    place: Array  # int32[]: of the position in the table
    row: Array  # int32[4]: its row, if it weighs
    edge: Array  # int32[3]: its best edge
    second: Array  # int32[]: the number of the edge that is best but for this one


@struct.dataclass
class _Met:
    """A position after a move."""

    adds: Array  # bool[]: it is new
    place: Array  # int32[]: in the table
    row: Array  # int32[4]: its row
    slot: Array  # int32[]: where its place is kept, if it is new
    key: Array  # uint32[K]


AnyLane = TypeVar("AnyLane", bound=NumberedLane)


@dataclass(frozen=True)
class ProofNumbers(RootSearch):
    """Searches roots by proof numbers, each up to a limit of nodes.

    Attributes:
        problem: the rules.
        method: a name of `METHODS`.
        told: whether searches know the number of moves, or deepen from 1.
        deepest: the most own moves of a root; None: as many as the problem allows.
        entries: positions, and moves made from them, that the table of each search holds, a power of two.
        lanes: searches in progress at the same time.
        narrow: the fewest lanes to which the loop is narrowed once the queue is empty.

    Raises:
        ValueError: an unknown method, or a number out of range.
    """

    problem: Problem[Any]
    method: str = "dfpn_replies"
    told: bool = True
    deepest: int | None = None
    entries: int = 2**14
    lanes: int = 64
    narrow: int = 64

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"method={self.method}: accepted: {', '.join(METHODS)}")
        self._check_numbers()

    def first(self, lane: NumberedLane, before: States, action: Array, after: States, seen: Any) -> tuple[Array, Array]:
        """Return int32[2], the first numbers of an open position, and int32[]: moves with the lowest come first."""
        del lane, before, action
        replies = self.method == "dfpn_replies"
        proof = jnp.where((after.to_move != 0) & replies, seen.count, 1)
        return jnp.stack([proof, jnp.ones_like(proof)]), jnp.int32(0)

    def search(self, states: States, limit: Array, count: Array | None = None) -> Claims:
        """Search the first `count` of `states`; see `RootSearch`."""
        told = jax.vmap(self.problem.left)(states)
        packed = jax.vmap(lambda state: self._packing.pack((state, self.problem.look(state))))(states)
        # Where the other side is to move, no move of the solver may be left.
        least = 1 - jax.vmap(lambda state: state.to_move)(states)

        def begin(lanes: NumberedLane, begins: Array, root: Array) -> NumberedLane:
            def fill(old: Array, new: Array | int | bool) -> Array:
                return jnp.where(begins.reshape(-1, *[1] * (old.ndim - 1)), new, old)

            zeros = {name: fill(getattr(lanes, name), 0) for name in ("level", "used", "drawn", "nodes", "distinct")}
            flags = {name: fill(getattr(lanes, name), False) for name in ("over", "won", "truncated")}
            return replace(
                lanes,
                **zeros,
                **flags,
                told=fill(lanes.told, told[root]),
                depth=fill(lanes.depth, told[root] if self.told else jnp.minimum(least[root], told[root])),
                frames=lanes.frames.at[jnp.arange(len(root)), jnp.where(begins, 0, self._levels)].set(
                    packed[root], mode="drop"
                ),
                chosen=fill(lanes.chosen, -1),
                deepest=fill(lanes.deepest, 0),
                limit=fill(lanes.limit, limit[root]),
            )

        def advance(lanes: NumberedLane, running: Array) -> tuple[NumberedLane, Array, Claims]:
            del running
            lanes = jax.vmap(self._advance)(lanes)
            return lanes, lanes.busy & lanes.over, _claims(lanes)

        idle = self._idle
        return self._drain(idle, _claims(idle), len(limit), count, begin, advance)

    @property
    def _levels(self) -> int:
        return 2 * self._most + 2

    @property
    def _idle(self) -> NumberedLane:
        zero, no, levels, size = jnp.int32(0), jnp.bool_(False), self._levels, self.entries
        words = len(self.problem.key(self.problem.init(jax.random.key(0)))) + 2
        return NumberedLane(
            busy=no,
            root=zero,
            told=zero,
            depth=zero,
            level=zero,
            frames=jnp.zeros((levels, self._packing.words), jnp.uint32),
            places=jnp.zeros(levels, jnp.int32),
            bounds=jnp.zeros((levels, 2), jnp.int32),
            last=jnp.int32(-1),
            tried=zero,
            decided=no,
            table=jnp.zeros((size, 4), jnp.int32),
            keys=jnp.zeros((size, words), jnp.uint32),
            edges=jnp.zeros((size, 3), jnp.int32),
            slots=jnp.zeros((SHARE * size, 2), jnp.int32),
            used=zero,
            drawn=zero,
            over=no,
            won=no,
            truncated=no,
            chosen=jnp.int32(-1),
            nodes=zero,
            distinct=zero,
            deepest=zero,
            limit=zero,
        )

    def _advance(self, lane: NumberedLane) -> NumberedLane:
        """Begin a round, make a move, or end a visit. Each array is read before it is written to, and written once."""
        state, look = self._packing.unpack(lane.frames[lane.level])
        step = self._decide(lane, state, look)
        after = jax.tree.map(
            lambda a, b: jnp.where(step.enters, a, b),
            self.problem.within(state, lane.depth),
            self.problem.advance(state, step.action),
        )
        seen = self.problem.look(after)
        first, code = self.first(lane, state, step.action, after, seen)
        met = self._meet(lane, step, after, seen, first)
        lane = self._write(lane, step, met, code, self._packing.pack((after, seen)))
        return self._end_round(lane, step.ends, step.own, step.row, step.edge[1])

    def _decide(self, lane: NumberedLane, state: States, look: Any) -> _Step:
        """Return what a lane does."""
        level, active = lane.level, lane.busy & ~lane.over
        own, left = state.to_move == 0, self.problem.left(state)
        enters = active & (level == 0)
        place = lane.places[level]
        row = lane.table[place]
        known = (row[PROOF] == 0) | (row[DISPROOF] == 0)
        # On its last move the solver tries forcing moves alone.
        most = jnp.where(own & (left == 1), look.forcing, look.count)
        meets = active & ~enters & (row[SIZE] < 0) & (lane.tried < most) & ~lane.decided & ~known
        weighs = active & ~enters & ~meets

        begin = jnp.where(row[SIZE] < 0, lane.drawn - lane.tried, row[BEGIN])
        size = jnp.where(row[SIZE] < 0, lane.tried, row[SIZE])
        edge, numbers, second = self._weigh(lane, begin, size, own)
        numbers = jnp.where(known, row[:2], numbers)
        ends = weighs & ((numbers >= lane.bounds[level]).any() | (size == 0) | known)
        goes = weighs & ~ends

        full = meets & (jnp.maximum(lane.drawn, lane.used) >= self.entries)
        stops = ((meets | goes) & (lane.nodes >= lane.limit)) | full | (enters & (lane.used >= self.entries))
        return _Step(
            enters=enters & ~stops,
            meets=meets & ~stops,
            goes=goes & ~stops,
            ends=ends,
            weighs=weighs,
            stops=stops,
            own=own,
            action=jnp.where(meets, self.problem.following(look, lane.last), edge[1]),
            place=place,
            row=jnp.stack([*numbers, begin, size]),
            edge=edge,
            second=second,
        )

    def _meet(self, lane: NumberedLane, step: _Step, after: States, seen: Any, first: Array) -> _Met:
        """Return the position after a move; `first` are the numbers that it has if it is new and open."""
        fresh, below, slot, key = self._find(lane, after)
        adds = (step.meets | step.enters) & fresh
        below = jnp.where(step.goes, step.edge[0], below)
        new = jnp.append(self._judge(after, seen, first), jnp.array([0, -1]))
        return _Met(adds, below, jnp.where(adds, new, lane.table[below]), slot, key)

    @staticmethod
    def _inner(bounds: Array, step: _Step, child: Array) -> Array:
        """Return int32[2]: a visit below ends where another move is better, or what stands above is decided."""
        own, numbers = step.own, step.row
        low = jnp.minimum(jnp.where(own, bounds[PROOF], bounds[DISPROOF]), step.second + 1)
        high = jnp.where(own, bounds[DISPROOF] - numbers[DISPROOF], bounds[PROOF] - numbers[PROOF])
        high = high + jnp.where(own, child[DISPROOF], child[PROOF])
        return jnp.where(step.enters, INFINITE, jnp.where(own, jnp.stack([low, high]), jnp.stack([high, low])))

    def _write(self, lane: NumberedLane, step: _Step, met: _Met, code: Array, frame: Array) -> NumberedLane:
        """Return a lane in which a step is made; `frame` is that of the position after the move."""
        level, makes, pushes = lane.level, step.meets | step.goes, step.enters | step.goes
        at = jnp.where(step.weighs, step.place, jnp.where(step.meets | step.enters, met.place, self.entries))
        edge = jnp.where(step.meets, lane.drawn, self.entries)
        top = jnp.where(pushes, level + 1, self._levels)
        inner = self._inner(lane.bounds[level], step, met.row)
        decides = step.meets & (met.row[jnp.where(step.own, PROOF, DISPROOF)] == 0)
        return replace(
            lane,
            table=lane.table.at[at].set(jnp.where(step.weighs, step.row, met.row), mode="drop"),
            keys=lane.keys.at[jnp.where(met.adds, met.place, self.entries)].set(met.key, mode="drop"),
            slots=lane.slots.at[jnp.where(met.adds, met.slot, len(lane.slots))].set(
                jnp.stack([lane.root + 1, met.place]), mode="drop"
            ),
            edges=lane.edges.at[edge].set(jnp.stack([met.place, step.action, code]), mode="drop"),
            frames=lane.frames.at[top].set(frame, mode="drop"),
            places=lane.places.at[top].set(met.place, mode="drop"),
            bounds=lane.bounds.at[top].set(inner, mode="drop"),
            used=lane.used + met.adds,
            drawn=lane.drawn + step.meets,
            nodes=lane.nodes + makes,
            distinct=lane.distinct + (met.adds & step.meets),
            deepest=jnp.where(makes, jnp.maximum(lane.deepest, level), lane.deepest),
            last=jnp.where(pushes, -1, jnp.where(step.meets, step.action, lane.last)),
            tried=jnp.where(pushes, 0, lane.tried + step.meets),
            decided=~pushes & (lane.decided | decides),
            truncated=lane.truncated | step.stops,
            over=lane.over | step.stops,
            level=level + pushes - step.ends,
        )

    @staticmethod
    def _end_round(lane: AnyLane, visited: Array, own: Array, row: Array, action: Array) -> AnyLane:
        """End a round where the visit of the root has ended.

        Args:
            lane: at level 0 if the position whose visit has ended is a root.
            visited: bool[], whether a visit has ended.
            own: bool[], whether the solver is to move there.
            row: int32[...], of the position.
            action: int32[], its best move, which is one that decides it.
        """
        ends = visited & (lane.level == 0)
        won = row[PROOF] == 0
        over = ends & (won | (lane.depth >= lane.told))
        names_move = over & (won == own) & (row[SIZE] > 0)
        return replace(
            lane,
            depth=lane.depth + (ends & ~over),
            over=lane.over | over,
            won=lane.won | (over & won),
            chosen=jnp.where(names_move, action, lane.chosen),
        )

    def _weigh(self, lane: NumberedLane, begin: Array, size: Array, own: Array) -> tuple[Array, Array, Array]:
        """Return the best edge of a position, int32[3], its numbers, and the second number of its edges."""
        places = jnp.arange(self.problem.most_choices)
        edges = lane.edges[jnp.minimum(begin + places, self.entries - 1)]
        there, below = places < size, lane.table[edges[:, 0], :2]
        one, other = jnp.where(own, below, below[:, ::-1]).T
        one = jnp.where(there, one, INFINITE + 1)
        other = jnp.where(there, other, 0)
        least = one.min()
        total = jnp.where((other >= INFINITE).any(), INFINITE, jnp.minimum(other, LARGE).sum())
        least_known, total = jnp.minimum(least, INFINITE), jnp.minimum(total, INFINITE)
        # Where one number is 0, the other one is infinite.
        low = jnp.where(total == 0, INFINITE, least_known)
        high = jnp.where(least_known == 0, INFINITE, total)
        numbers = jnp.where(own, jnp.stack([low, high]), jnp.stack([high, low]))
        best = jnp.where(one == least, edges[:, 2], np.iinfo(np.int32).max).argmin()
        second = jnp.where(places == best, INFINITE + 1, one).min()
        return edges[best], numbers, second

    def _judge(self, state: States, seen: Any, first: Array) -> Array:
        """Return int32[2]: the numbers of a position that is met for the first time."""
        own, left = state.to_move == 0, self.problem.left(state)
        won = ~own & (seen.count == 0) & seen.won
        lost = ~won & ((left == 0) | (~own & (seen.count == 0)))
        known = jnp.where(won, jnp.stack([0, INFINITE]), jnp.stack([INFINITE, 0]))
        return jnp.where(won | lost, known, jnp.clip(first, 1, LARGE)).astype(jnp.int32)

    def _find(self, lane: NumberedLane, state: States) -> tuple[Array, Array, Array, Array]:
        """Return whether a position is new, its place in the table, the slot if it is new, and its key."""
        rest = jnp.stack([state.to_move, self.problem.left(state)]).astype(jnp.uint32)
        key = jnp.append(self.problem.key(state), rest)
        slots = ((mix(key) + jnp.arange(PROBES, dtype=jnp.uint32)) & np.uint32(len(lane.slots) - 1)).astype(jnp.int32)
        found = lane.slots[slots]
        # Slots of roots that this lane has searched before are free.
        taken = found[:, 0] == lane.root + 1
        same = taken & (lane.keys[found[:, 1]] == key).all(-1)
        fresh, free = ~same.any(), ~taken
        slot = jnp.where(free.any(), slots[jnp.argmax(free)], len(lane.slots))
        return fresh, jnp.where(fresh, lane.used, found[jnp.argmax(same), 1]), slot, key


def _claims(lane: NumberedLane) -> Claims:
    """Return what lanes, or a lane, have found."""
    return Claims(
        chosen=lane.chosen,
        scores=jnp.zeros((*lane.nodes.shape, 0), jnp.float32),
        solved=lane.won,
        refuted=lane.over & ~lane.won & ~lane.truncated,
        nodes=lane.nodes,
        distinct=lane.distinct,
        truncated=lane.truncated,
        deepest=lane.deepest,
    )
