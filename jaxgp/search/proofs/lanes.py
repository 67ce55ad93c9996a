"""The lanes of searches depth first (`jaxgp.search.proofs.depth`): each searches one root after the other.

An iteration closes a finished frame, then makes one move in each lane. Frames alternate: at even levels the solver is
to move, at odd ones the other side. A root may be of either.
"""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.bits import mix
from jaxgp.contracts import States
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.roots import RootSearch

NEVER = 255
"""More own moves than a problem has."""
_NONE = np.int32(1 << 30)


@struct.dataclass
class DepthLane:
    """One search in progress; D levels of frames, F of them with moves in order of replies."""

    busy: Array  # bool[]
    root: Array  # int32[]
    base: Array  # int32[]: the level of the root: 0 if the solver is to move, else 1
    told: Array  # int32[]: own moves of the problem, from level 0 on
    counts: Array  # int32[2]: moves at the root, and forcing ones
    depth: Array  # int32[]: own moves of this round
    forcing: Array  # bool[]: the round of forcing moves alone
    level: Array  # int32[]
    frames: Array  # uint32[D, W]: state and look
    last: Array  # int32[D]: the last action tried; -1: none
    tried: Array  # int32[D]: actions tried
    most: Array  # int32[D]: actions to be tried
    sorted: Array  # bool[D]: moves have been made and ordered by replies
    codes: Array  # int32[F, M]: 256 * replies + place of moves to be visited; large for others
    listed: Array  # int32[F, M]: the actions by place
    fitting: Array  # int32[F]: of the moves made, those that have replies
    first: Array  # int32[]: the action at the root that is looked into
    wins: Array  # bool[]: the last move has mated
    over: Array  # bool[]
    won: Array  # bool[]
    truncated: Array  # bool[]
    chosen: Array  # int32[]
    nodes: Array  # int32[]
    deepest: Array  # int32[]: plies of the longest line
    limit: Array  # int32[]
    table: Array  # uint32[T, K + 3]: key, round, root; 256 * fewest moves proved + most moves refuted


class DepthLanes(RootSearch):
    """Base of searches depth first, which say what is searched, and in which order.

    The attributes are fields of the searches, which are dataclasses.
    """

    told: bool

    def has(self, step: str) -> bool:
        """Whether the method has what a name of the ladder adds."""
        raise NotImplementedError

    @property
    def orders(self) -> tuple[str, str]:
        """The orders of moves of the solver and of the other side, names of the problem's."""
        raise NotImplementedError

    @property
    def sorts(self) -> bool:
        """Whether some moves are made, sorted by what is seen after them, and visited then."""
        raise NotImplementedError

    def sees(self, lane: DepthLane, level: Array) -> Array:
        """Return bool[]: whether the moves at a level are sorted; here those of the solver, but for its last one."""
        return (level % 2 == 0) & (lane.depth - level // 2 > 1)

    def code(self, lane: DepthLane, before: States, action: Array, after: States, seen: Any) -> Array:
        """Return int32[] below 2^21: what moves are sorted by, the lowest first."""
        raise NotImplementedError

    @property
    def rows(self) -> int:
        """Return F: levels whose moves are sorted."""
        return self._most

    def row(self, level: Array) -> Array:
        """Return int32[]: the place of a level among these."""
        return jnp.minimum(level // 2, self._most - 1)

    def in_lanes(self, states: States, limit: Array, count: Array) -> Claims:
        """Search the first `count` of `states` in lanes; see `RootSearch`."""
        looks = jax.vmap(self.problem.look)(states)
        packed = jax.vmap(self._packing.pack)((states, looks))
        base = jax.vmap(lambda state: state.to_move)(states)
        told = jax.vmap(self.problem.left)(states) + base

        counts = jnp.stack([looks.count, looks.forcing], 1)
        ended = looks.count == 0
        lost = looks.won & (base == 1)

        def begin(lanes: DepthLane, begins: Array, root: Array) -> DepthLane:
            told_here, base_here = told[root], base[root]

            def fill(old: Array, new: Array | int | bool) -> Array:
                return jnp.where(begins.reshape(-1, *[1] * (old.ndim - 1)), new, old)

            at = jnp.where(begins, base_here, lanes.last.shape[1])
            lanes = replace(
                lanes,
                base=fill(lanes.base, base_here),
                told=fill(lanes.told, told_here),
                depth=fill(lanes.depth, told_here if self.told else jnp.minimum(1 + base_here, told_here)),
                forcing=fill(lanes.forcing, self.has("staged")),
                counts=fill(lanes.counts, counts[root]),
                frames=lanes.frames.at[jnp.arange(len(root)), at].set(packed[root], mode="drop"),
                over=fill(lanes.over, ended[root]),
                won=fill(lanes.won, lost[root]),
                wins=fill(lanes.wins, False),
                truncated=fill(lanes.truncated, False),
                chosen=fill(lanes.chosen, -1),
                first=fill(lanes.first, -1),
                nodes=fill(lanes.nodes, 0),
                deepest=fill(lanes.deepest, 0),
                limit=fill(lanes.limit, limit[root]),
            )
            return jax.vmap(self._open)(lanes, lanes.base, lanes.counts, begins)

        def advance(lanes: DepthLane, running: Array) -> tuple[DepthLane, Array, Claims]:
            del running
            lanes = jax.vmap(self._advance)(lanes)
            finished = lanes.busy & lanes.over
            return lanes, finished, _claims(lanes)

        idle = self._idle
        return self._drain(idle, _claims(idle), len(limit), count, begin, advance)

    @property
    def _idle(self) -> DepthLane:
        levels, zero, no = 2 * self._most + 1, jnp.int32(0), jnp.bool_(False)
        ordered = (self.rows, self.problem.most_choices) if self.sorts else (1, 1)
        words = len(self.problem.key(self.problem.init(jax.random.key(0))))
        return DepthLane(
            busy=no,
            root=zero,
            base=zero,
            told=zero,
            counts=jnp.zeros(2, jnp.int32),
            depth=zero,
            forcing=no,
            level=zero,
            frames=jnp.zeros((levels, self._packing.words), jnp.uint32),
            last=jnp.full(levels, -1, jnp.int32),
            tried=jnp.zeros(levels, jnp.int32),
            most=jnp.zeros(levels, jnp.int32),
            sorted=jnp.zeros(levels, bool),
            codes=jnp.zeros(ordered, jnp.int32),
            listed=jnp.zeros(ordered, jnp.int32),
            fitting=jnp.zeros(ordered[0], jnp.int32),
            first=jnp.int32(-1),
            wins=no,
            over=no,
            won=no,
            truncated=no,
            chosen=jnp.int32(-1),
            nodes=zero,
            deepest=zero,
            limit=zero,
            table=jnp.zeros((self.entries if self.has("table") else 0, words + 3), jnp.uint32),
        )

    def _open(self, lane: DepthLane, level: Array, counts: Array, where: Array | bool = True) -> DepthLane:
        """Return a lane whose frame at a level is new, where it is wanted; `counts` are its moves, and forcing ones."""
        own, left = level % 2 == 0, lane.depth - level // 2
        # On its last move the solver tries forcing moves alone, from `last` on.
        few = lane.forcing | (left == 1) if self.has("last") else lane.forcing
        most = jnp.where(own, jnp.where(left < 1, 0, jnp.where(few, counts[1], counts[0])), counts[0])
        here = (jnp.arange(len(lane.last)) == level) & where
        new = self.sees(lane, level) if self.sorts else False
        return replace(
            lane,
            level=jnp.where(where, level, lane.level),
            last=jnp.where(here, -1, lane.last),
            tried=jnp.where(here, 0, lane.tried),
            most=jnp.where(here, most, lane.most),
            sorted=lane.sorted & ~here,
            fitting=jnp.where((jnp.arange(len(lane.fitting)) == self.row(level)) & new & where, 0, lane.fitting),
        )

    def _advance(self, lane: DepthLane) -> DepthLane:
        return self._make(self._close(lane))

    def _close(self, lane: DepthLane) -> DepthLane:
        """Close the frame of a lane that has mated, or has tried all its actions, and the frame below it.

        Nothing else writes to the table, so that a loop can keep it in place.
        """
        level, base = lane.level, lane.base
        own = level % 2 == 0
        done = lane.busy & ~lane.over & ((lane.tried[level] >= lane.most[level]) | lane.wins)
        if self.sorts:
            # All moves have been made: now they are visited, in the order of what was seen.
            fitting = lane.fitting[self.row(level)]
            order = done & ~lane.wins & ~lane.sorted[level] & self.sees(lane, level) & (fitting > 0)
            here = (jnp.arange(len(lane.last)) == level) & order
            lane = replace(
                lane,
                sorted=lane.sorted | here,
                last=jnp.where(here, -1, lane.last),
                tried=jnp.where(here, 0, lane.tried),
                most=jnp.where(here, fitting, lane.most),
            )
            done &= ~order
        # The solver has won where it mates or all replies are answered; it is refuted where no move was left.
        won = ~own | lane.wins
        solver = jnp.where(own, level, level - 1)
        lane = self._store(lane, solver, won, done & (own | (level > base)))
        # A won board leaves its frame alone, with the next reply; else both go, and the frame above tries on.
        ends = done & jnp.where(own & won, level == base, (level == base) | (level - 1 == base))
        down = jnp.where(own & won, level - 1, level - 2)
        lane = replace(lane, level=jnp.where(done & ~ends, down, level), wins=lane.wins & ~done)
        return self._end(lane, ends, won)

    def _end(self, lane: DepthLane, ends: Array, won: Array) -> DepthLane:
        """Where a round ends, end the search, or begin the next round."""
        again = ends & ~won & (lane.forcing | (lane.depth < lane.told))
        deeper = again & ~lane.forcing
        over = ends & ~again
        lane = replace(
            lane,
            over=lane.over | over,
            won=lane.won | (over & won),
            chosen=jnp.where(over & (won == (lane.base == 0)), lane.first, lane.chosen),
            depth=lane.depth + deeper,
            forcing=jnp.where(again, deeper & self.has("staged"), lane.forcing),
        )
        return self._open(lane, lane.base, lane.counts, again)

    def _make(self, lane: DepthLane) -> DepthLane:
        """Make the next move of a lane, unless its frame is to be closed first."""
        problem, level = self.problem, lane.level
        ready = lane.busy & ~lane.over & ~lane.wins & (lane.tried[level] < lane.most[level])
        own, left = level % 2 == 0, lane.depth - level // 2
        state, look = self._packing.unpack(lane.frames[level])
        order, of_replies = self.orders
        action = problem.following(look, lane.last[level], order)
        if of_replies != order:
            action = jnp.where(own, action, problem.following(look, lane.last[level], of_replies))
        visits, mark = jnp.bool_(False), action
        row = self.row(level)
        sees = self.sees(lane, level) & ~lane.sorted[level] if self.sorts else jnp.bool_(False)
        if self.sorts:
            visits = lane.sorted[level]
            codes = jnp.where(lane.codes[row] > lane.last[level], lane.codes[row], _NONE).min()
            action = jnp.where(visits, lane.listed[row, codes & 255], action)
            mark = jnp.where(visits, codes, action)
        stopped = ready & ~visits & (lane.nodes >= lane.limit)
        lane = replace(lane, truncated=lane.truncated | stopped, over=lane.over | stopped)
        ready &= ~stopped
        after = problem.advance(state, action)
        seen = problem.look(after)
        here = (jnp.arange(len(lane.last)) == level) & ready
        place = lane.tried[level]
        lane = replace(
            lane,
            nodes=lane.nodes + (ready & ~visits),
            deepest=jnp.where(ready, jnp.maximum(lane.deepest, level - lane.base + 1), lane.deepest),
            last=jnp.where(here, mark, lane.last),
            tried=lane.tried + here,
        )
        # What the move has come to.
        wins = ready & own & seen.won
        proved, refuted = self._known(lane, after, lane.depth - (level + 1) // 2)
        loses = ready & ~own & (refuted | (seen.count == 0))
        fits = jnp.where(own, (left > 1) & (seen.count > 0), ~proved) & ~wins & ~loses
        if self.sorts:
            at = jnp.where(ready & sees, row, self.rows)
            codes = jnp.where(place == 0, _NONE, lane.codes[row])
            code = self.code(lane, state, action, after, seen) * 256 + place
            codes = codes.at[place].set(jnp.where(fits, code, _NONE))
            here = (jnp.arange(self.rows) == row) & ready & sees
            lane = replace(
                lane,
                codes=lane.codes.at[at].set(codes, mode="drop"),
                listed=lane.listed.at[at, place].set(action, mode="drop"),
                fitting=lane.fitting + (here & fits),
            )
        pushes = ready & fits & ~sees
        at = jnp.where(pushes, level + 1, len(lane.last))
        lane = replace(
            lane,
            wins=wins,
            first=jnp.where(ready & (level == lane.base), action, lane.first),
            frames=lane.frames.at[at].set(self._packing.pack((after, seen)), mode="drop"),
        )
        lane = self._open(lane, level + 1, jnp.stack([seen.count, seen.forcing]), pushes)
        # One reply that is not answered is enough: the frame above tries on.
        ends = loses & (level == lane.base)
        lane = replace(lane, level=jnp.where(loses & ~ends, level - 1, lane.level))
        return self._end(lane, ends, jnp.bool_(False))

    def _slot(self, lane: DepthLane, state: States) -> tuple[Array, Array]:
        """Return the slot of a position in the table, and its key."""
        key = jnp.append(self.problem.key(state), lane.forcing.astype(jnp.uint32))
        slot = (mix(key) & np.uint32(self.entries - 1)).astype(jnp.int32)
        # Entries of roots that this lane has searched before count for nothing, and do not change the slot.
        return slot, jnp.append(key, lane.root.astype(jnp.uint32))

    def _known(self, lane: DepthLane, state: States, left: Array) -> tuple[Array, Array]:
        """Return whether a position is known to be won, or not, within some own moves."""
        if not self.has("table"):
            return jnp.bool_(False), jnp.bool_(False)
        slot, key = self._slot(lane, state)
        row = lane.table[slot]
        same = (row[:-1] == key).all() & (row[-1] != 0)
        fewest, most = (row[-1] >> 8).astype(jnp.int32), (row[-1] & 255).astype(jnp.int32)
        return same & (left >= fewest), same & (left <= most)

    def _store(self, lane: DepthLane, level: Array, won: Array, where: Array) -> DepthLane:
        """Store what the solver's frame at a level has come to."""
        if not self.has("table"):
            return lane
        state, _ = self._packing.unpack(lane.frames[level])
        left = (lane.depth - level // 2).astype(jnp.uint32)
        slot, key = self._slot(lane, state)
        row = lane.table[slot]
        same = (row[:-1] == key).all() & (row[-1] != 0)
        fewest = jnp.where(same, row[-1] >> 8, NEVER)
        most = jnp.where(same, row[-1] & 255, 0)
        fewest = jnp.where(won, jnp.minimum(fewest, left), fewest)
        most = jnp.where(won, most, jnp.maximum(most, left))
        at = jnp.where(where, slot, self.entries)
        return replace(lane, table=lane.table.at[at].set(jnp.append(key, fewest << 8 | most), mode="drop"))


def _claims(lane: DepthLane) -> Claims:
    """Return what lanes, or a lane, have found."""
    shape = (*lane.nodes.shape, 0)
    return Claims(
        chosen=lane.chosen,
        scores=jnp.zeros(shape, jnp.float32),
        solved=lane.won,
        refuted=lane.over & ~lane.won & ~lane.truncated,
        nodes=lane.nodes,
        distinct=jnp.full_like(lane.nodes, -1),
        truncated=lane.truncated,
        deepest=lane.deepest,
    )
