"""Search of problems by proof numbers that makes moves one by one, and keeps the boards after them.

`ProofNumbers` makes all moves of a position when it is first visited. Here the next move of the list competes with
those that have been made: it has numbers of its own before it is made, which say what moves of its class are worth.
So one reply that refutes is enough, and one move that wins. Boards that have been made are kept: the search goes on
from them without making a move again.

First numbers are powers of two. Their exponents are sums of what is read off a position, each with a weight:

    and_pn_1 to _3   where the other side is to move, the proof number with 1, 2, or 3 and more own moves left;
                     `and_pn_count` more for each doubling of its replies
    and_dn_...       the disproof number
    or_pn_...        where the solver is to move; `or_pn_forcing` more for each doubling of 1 + forcing moves
    or_dn_...        its disproof number, for each move that there is
    move_forcing     the proof number of a forcing move of the solver before it is made; `move_depth` more for each own
                     move left but for the last
    move_other       that of another move
    reply_...        the disproof number of a reply before it is made

On its last move the solver passes over moves that surely do not win, where the problem says so without making them.

A high disproof number of positions with many moves left makes the search go deep before it goes broad. A position whose
proof number is 0 is won, whatever the weights are: every claim is proved by construction.

Source of proof numbers: see `jaxgp.search.proofs.numbers`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.contracts import States
from jaxgp.search.proofs.numbers import BEGIN, DISPROOF, INFINITE, PROOF, SIZE, NumberedLane, ProofNumbers
from jaxgp.search.proofs.words import Packing

PARTS = 32
"""Weights are whole numbers of parts, of which so many are one doubling, or one reply; so sums are exact."""
FINE = 8
"""First numbers that lie between two powers of two."""
ONE = 6
"""The exponent that stands for the number 1; smaller numbers are fractions of it."""
HIGHEST = 21
"""The exponent of the greatest finite number; sums of 255 of them are less than infinite."""
POWERS = np.array([round(2 ** (n / FINE)) for n in range(FINE * HIGHEST + 1)], np.int32)
LOGARITHMS = np.array([0, *(round(PARTS * float(np.log2(n))) for n in range(1, 256))], np.int32)
"""Logarithms of counts in parts."""
PRIOR, TRIED, LAST = 4, 5, 6
"""Columns of the table after those of `ProofNumbers`: the other number of each move before it is made; moves that were
made or passed over; the last of them."""
COLUMNS = 7
SPACE = 8
"""Moves for each position in the table."""
_FAR = np.int32(INFINITE + 1)
Hopeless = Callable[[Any, Array], Array]


class Exponents(NamedTuple):
    """Exponents by hand, and the names of all weights in their order; see above."""

    and_pn_1: float = 0
    and_pn_2: float = 0
    and_pn_3: float = 0
    and_pn_count: float = 1
    and_dn_1: float = 1
    and_dn_2: float = 4
    and_dn_3: float = 7
    and_dn_count: float = -1
    or_pn_1: float = 0
    or_pn_2: float = 0.5
    or_pn_3: float = 1
    or_pn_forcing: float = 0
    or_dn_1: float = 0
    or_dn_2: float = 3
    or_dn_3: float = 6
    or_dn_forcing: float = 0
    move_forcing: float = -4
    move_other: float = 2
    move_depth: float = 0
    reply_forcing: float = 0
    reply_other: float = 8
    reply_depth: float = 2

    @property
    def parts(self) -> np.ndarray:
        """int32[W]: in parts."""
        return np.round(np.array(self) * PARTS).astype(np.int32)


HAND = Exponents()
PLACES = {name: n for n, name in enumerate(Exponents._fields)}


def power(parts: Array) -> Array:
    """Return int32[]: the number whose exponent is so many parts, moved by `ONE`, from 1 to 2^`HIGHEST`."""
    return jnp.asarray(POWERS)[jnp.clip((parts + ONE * PARTS) * FINE // PARTS, 0, FINE * HIGHEST)]


@struct.dataclass
class LazyLane(NumberedLane):
    """One search in progress, with its boards."""

    boards: Array  # uint32[T, S]: of the positions in the table


@struct.dataclass
class _Choice:
    """What a lane does in an iteration: one of the first five, or nothing."""

    enters: Array  # bool[]: it begins a round
    makes: Array  # bool[]: it makes the next move of the list
    skips: Array  # bool[]: it passes over this move
    goes: Array  # bool[]: it goes on from a board that has been made
    ends: Array  # bool[]: it ends a visit
    weighs: Array  # bool[]: its position is weighed
    stops: Array  # bool[]: its nodes are spent, or its table is full
    own: Array  # bool[]: the solver is to move
    action: Array  # int32[]: the next move
    row: Array  # int32[7]: of the position
    most: Array  # int32[]: its moves
    listed: Array  # bool[]: its moves get their space now
    best: Array  # int32[2]: the best edge: the position below, and the action
    second: Array  # int32[]: the number of the edge that is best but for this one


@dataclass(frozen=True)
class LazyNumbers(ProofNumbers):
    """Searches roots by proof numbers, one move at a time; the attributes are those of `ProofNumbers`.

    Attributes:
        weights: the exponents of first numbers.
        hopeless: (state, int32[] action) -> bool[], whether a move surely does not win at once, as is read off the
            position; such moves are passed over on the last move. None: no move is.
    """

    method: str = "dfpn_replies"
    weights: Exponents = HAND
    hopeless: Hopeless | None = None

    def weighed(self, lane: NumberedLane) -> Array:
        """Return int32[W]: the weights of a search, in parts."""
        del lane
        return jnp.asarray(self.weights.parts)

    def more(self, lane: NumberedLane, before: States, action: Array, after: States, seen: Any) -> Array:
        """Return int32[2]: parts that are added to the exponents of the first numbers of a position; here none."""
        del lane, before, action, after, seen
        return jnp.zeros(2, jnp.int32)

    @property
    def _boards(self) -> Packing:
        return Packing.of(jax.eval_shape(lambda: self.problem.init(jax.random.key(0))))

    @property
    def _idle(self) -> LazyLane:
        idle = super()._idle
        fields = {name: getattr(idle, name) for name in NumberedLane.__dataclass_fields__}
        fields["table"] = jnp.zeros((self.entries, COLUMNS), jnp.int32)
        fields["edges"] = jnp.zeros((SPACE * self.entries, 2), jnp.int32)
        return LazyLane(**fields, boards=jnp.zeros((self.entries, self._boards.words), jnp.uint32))

    def _most_moves(self, state: States, seen: Any) -> Array:
        """Return int32[]: moves that are tried; on its last move the solver tries forcing ones alone."""
        last = (state.to_move == 0) & (self.problem.left(state) == 1)
        return jnp.where(last, seen.forcing, seen.count)

    def _advance(self, lane: LazyLane) -> LazyLane:  # type: ignore[override]
        """Begin a round, make a move, go on from a board, or end a visit."""
        state, look = self._packing.unpack(lane.frames[lane.level])
        choice = self._choose(lane, state, look)
        kept = self._boards.unpack(lane.boards[choice.best[0]])
        after = jax.tree.map(
            lambda a, b, c: jnp.where(choice.enters, a, jnp.where(choice.makes, b, c)),
            self.problem.within(state, lane.depth),
            self.problem.advance(state, choice.action),
            kept,
        )
        seen = self.problem.look(after)
        new = self._new_row(lane, state, choice.action, after, seen)
        fresh, below, slot, key = self._find(lane, after)
        adds = (choice.makes | choice.enters) & fresh
        below = jnp.where(choice.goes, choice.best[0], below)
        lane = self._keep(lane, choice, adds, below, jnp.where(adds, new, lane.table[below]), slot, key, after)
        lane = self._move(lane, choice, below, self._packing.pack((after, seen)))
        return self._end_round(lane, choice.ends, choice.own, choice.row, choice.best[1])

    def _choose(self, lane: LazyLane, state: States, look: Any) -> _Choice:
        level, active = lane.level, lane.busy & ~lane.over
        own, left = state.to_move == 0, self.problem.left(state)
        enters = active & (level == 0)
        weighs = active & ~enters
        row, most = lane.table[lane.places[level]], self._most_moves(state, look)
        known = (row[PROOF] == 0) | (row[DISPROOF] == 0)
        listed = weighs & ~known & (row[SIZE] < 0)
        row = jnp.where(listed, row.at[BEGIN].set(lane.drawn).at[SIZE].set(0), row)
        size, tried = jnp.maximum(row[SIZE], 0), row[TRIED]
        action = self.problem.following(look, row[LAST])

        places = jnp.arange(self.problem.most_choices)
        edges = lane.edges[jnp.minimum(row[BEGIN] + places, len(lane.edges) - 1)]
        one, other = self._of_edges(lane, edges, own)
        parts = self.weighed(lane)
        forcing = tried < look.forcing
        move, reply = (
            jnp.where(forcing, parts[PLACES[name + "_forcing"]], parts[PLACES[name + "_other"]])
            + (left - 1) * parts[PLACES[name + "_depth"]]
            for name in ("move", "reply")
        )
        unmade = power(jnp.where(own, move, reply))
        one = jnp.where(places < size, one, jnp.where((places == size) & (tried < most), unmade, _FAR))
        other = jnp.where(places < size, other, 0)
        total = jnp.minimum(other, 1 << HIGHEST).sum() + (most - tried) * row[PRIOR]
        total = jnp.where((other >= INFINITE).any(), INFINITE, total)
        least = one.min()
        low, high = jnp.minimum(least, INFINITE), total
        # Where one number is 0, the other one is infinite.
        low, high = jnp.where(high == 0, INFINITE, low), jnp.where(low == 0, INFINITE, high)
        numbers = jnp.where(own, jnp.stack([low, high]), jnp.stack([high, low]))
        numbers = jnp.where(known, row[:2], numbers)
        best = jnp.argmin(one)
        second = jnp.where(places == best, _FAR, one).min()

        ends = weighs & ((numbers >= lane.bounds[level]).any() | known)
        unmade_is_best = weighs & ~ends & (best == size)
        hopeless = own & (left == 1) & (jnp.bool_(False) if self.hopeless is None else self.hopeless(state, action))
        skips, makes = unmade_is_best & hopeless, unmade_is_best & ~hopeless
        goes = weighs & ~ends & ~unmade_is_best
        crowded = listed & (lane.drawn + most > len(lane.edges))
        full = (makes | enters) & (lane.used >= self.entries)
        stops = (makes & (lane.nodes >= lane.limit)) | full | crowded
        return _Choice(
            enters=enters & ~stops,
            makes=makes & ~stops,
            skips=skips & ~stops,
            goes=goes & ~stops,
            ends=ends & ~stops,
            weighs=weighs,
            stops=stops,
            own=own,
            action=action,
            row=row.at[PROOF].set(numbers[PROOF]).at[DISPROOF].set(numbers[DISPROOF]),
            most=most,
            listed=listed,
            best=edges[best],
            second=second,
        )

    @staticmethod
    def _of_edges(lane: LazyLane, edges: Array, own: Array) -> tuple[Array, Array]:
        """Return int32[M] each: of the positions below, the number that is least, and that which is summed."""
        below = lane.table[edges[:, 0], :2]
        return jnp.where(own, below[:, PROOF], below[:, DISPROOF]), jnp.where(own, below[:, DISPROOF], below[:, PROOF])

    def _new_row(self, lane: LazyLane, before: States, action: Array, after: States, seen: Any) -> Array:
        """Return int32[7]: the row of a position that is met for the first time."""
        own, left = after.to_move == 0, self.problem.left(after)
        most, parts = self._most_moves(after, seen), self.weighed(lane)
        deep = jnp.clip(left, 1, 3) - 1

        def exponent(side: str, number: str, count: str) -> Array:
            begin, counted = PLACES[f"{side}_{number}_1"], jnp.where(side == "or", seen.forcing + 1, seen.count)
            return parts[begin + deep] + (
                parts[PLACES[f"{side}_{number}_{count}"]] * jnp.asarray(LOGARITHMS)[jnp.minimum(counted, 255)] // PARTS
            )

        theirs, mine = (
            jnp.stack([exponent(side, number, count) for number in ("pn", "dn")])
            for side, count in (("and", "count"), ("or", "forcing"))
        )
        mine += jnp.stack([jnp.int32(0), jnp.asarray(LOGARITHMS)[jnp.minimum(most, 255)]])
        numbers = power(jnp.where(own, mine, theirs) + self.more(lane, before, action, after, seen))
        won = ~own & (seen.count == 0) & seen.won
        lost = ~won & ((left == 0) | (most == 0))
        prior = jnp.maximum(jnp.where(own, numbers[DISPROOF], numbers[PROOF]) // jnp.maximum(most, 1), 1)
        known = jnp.where(won, jnp.stack([0, INFINITE]), jnp.stack([INFINITE, 0]))
        return jnp.concatenate([jnp.where(won | lost, known, numbers), jnp.stack([0, -1, prior, 0, -1])]).astype(
            jnp.int32
        )

    def _keep(
        self,
        lane: LazyLane,
        choice: _Choice,
        adds: Array,
        below: Array,
        row: Array,
        slot: Array,
        key: Array,
        after: States,
    ) -> LazyLane:
        """Return a lane whose table has the position, the one below it, and the move between them."""
        nowhere, here = self.entries, lane.places[lane.level]
        edge = jnp.where(choice.makes, choice.row[BEGIN] + choice.row[SIZE], len(lane.edges))
        takes = choice.makes | choice.skips
        own_row = choice.row.at[SIZE].add(choice.makes).at[TRIED].add(takes)
        own_row = own_row.at[LAST].set(jnp.where(takes, choice.action, own_row[LAST]))
        at = jnp.stack([jnp.where(choice.weighs, here, nowhere), jnp.where(adds, below, nowhere)])
        new = jnp.where(adds, below, nowhere)
        return replace(
            lane,
            table=lane.table.at[at].set(jnp.stack([own_row, row]), mode="drop"),
            keys=lane.keys.at[new].set(key, mode="drop"),
            boards=lane.boards.at[new].set(self._boards.pack(after), mode="drop"),
            slots=lane.slots.at[jnp.where(adds, slot, len(lane.slots))].set(
                jnp.stack([lane.root + 1, below]), mode="drop"
            ),
            edges=lane.edges.at[edge].set(jnp.stack([below, choice.action]), mode="drop"),
            used=lane.used + adds,
            drawn=lane.drawn + jnp.where(choice.listed & ~choice.stops, choice.most, 0),
            nodes=lane.nodes + choice.makes,
            distinct=lane.distinct + (adds & choice.makes),
            deepest=jnp.where(choice.makes, jnp.maximum(lane.deepest, lane.level), lane.deepest),
        )

    def _move(self, lane: LazyLane, choice: _Choice, below: Array, frame: Array) -> LazyLane:
        """Return a lane that goes on from the position below, or back; `frame` is that of the position below."""
        level, pushes = lane.level, choice.enters | choice.goes
        top = jnp.where(pushes, level + 1, self._levels)
        numbers, bounds, child = choice.row[:2], lane.bounds[level], lane.table[below, :2]
        widened = jnp.minimum(choice.second + (choice.second >> 3) + 1, INFINITE)
        low = jnp.minimum(jnp.where(choice.own, bounds[PROOF], bounds[DISPROOF]), widened)
        room = jnp.where(choice.own, (bounds - numbers + child)[DISPROOF], (bounds - numbers + child)[PROOF])
        high = jnp.minimum(room, INFINITE)
        inner = jnp.where(choice.own, jnp.stack([low, high]), jnp.stack([high, low]))
        inner = jnp.where(choice.enters, INFINITE, inner)
        return replace(
            lane,
            frames=lane.frames.at[top].set(frame, mode="drop"),
            places=lane.places.at[top].set(below, mode="drop"),
            bounds=lane.bounds.at[top].set(inner, mode="drop"),
            truncated=lane.truncated | choice.stops,
            over=lane.over | choice.stops,
            level=level + pushes - choice.ends,
        )
