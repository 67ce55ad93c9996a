"""A machine for programs that make moves: one lane is one program on one problem, and has a stack of frames.

What a program computes, `tests/reference/moves.py` writes down in plain recursive Python. A lane is always in one of a
few phases. `turn` takes lanes from phase to phase by table, without looking at boards, until each needs a board; then
whoever drives the machine makes that board, evaluates the pure nodes of the program on it by `evaluate_pure`, and says
in what phase the lane goes on. `jaxgp.search.proofs.programs` does so.

The first level is a frame too, which values the whole tree after every first move.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import apart
from jaxgp.bits import mix
from jaxgp.genotypes.moves import ONE, REPLIES, TREE, WON, ZERO, Moves
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.interpreter.calls import apply
from jaxgp.interpreter.frames import FramePlan

VALUE, RETURN, BOARD, FOUND, ENDED, SPENT, DONE = range(7)
"""Phases: a node is to be valued; a value is there; a board is needed; it is there; there are no more moves; no move
may be paid for; the lane is done."""
FIRST, EVERY, BEST, AGAIN, LEVEL = range(5)
"""How frames try moves; `LEVEL` is the first level."""
PLAIN = 5
"""A frame of a function that makes no moves."""
HOW = {"first": FIRST, "every": EVERY, "best": BEST, "again": AGAIN}
SIDES = {"both": 0, "solver": 1, "other": 2}
LAST = 7
"""The stage of a frame that waits for its last value: whatever it is, it is the value of the frame."""
CONDITIONS = 2
"""The most conditions of a function."""
PASSES = 2
"""A search is truncated when it has passed over so many times as many moves as it may make."""
MATE = 1000.0
"""The value of a first move that wins by force, and the most that a value counts."""
ACTIONS = 1 << 16
FIELDS = {"node": 10, "part": 2, "stage": 3, "level": 5, "entry": 5, "any": 1, "paid": 1, "final": 1}
"""The bits of a frame's fields in one word; the node is stored from 1 on, 0 is the first level."""


BOARD_FIELDS = ("moves", "forcing", "won", "turn", "left", "ply")
"""Of a board: how many moves it has, how many of them are forcing, whether the solver has won, whose turn it is (1: the
solver's, 2: the other's), how many moves the solver may make, plies from the root."""
MOVES, FORCING, WINS, TURN, LEFT, PLY = range(6)


@struct.dataclass
class Frames:
    """Lanes [K] of programs that run; D frames, V levels of boards. Functions here take one lane."""

    program: Array  # int32[]
    phase: Array  # int32[]
    value: Array  # float32[]: of the phase `RETURN`
    node: Array  # int32[]: of the phase `VALUE`, or what stands in place of one
    level: Array  # int32[]: the board on which it is valued
    entry: Array  # int32[]: moves that the solver might make when the tree began
    top: Array  # int32[]: frames in use
    words: Array  # int32[D, 3]: fields of frames; place and action of the move that is tried
    kept: Array  # float32[D, A]: values of arguments; the best value so far
    boards: Array  # int16[V, 6]: `BOARD_FIELDS` of the boards
    seen: Array  # float32[V, L + G]: values of pure nodes and of gates
    limit: Array  # int32[]: of nodes
    nodes: Array  # int32[]: moves made
    passed: Array  # int32[]: moves that were passed over
    truncated: Array  # bool[]
    refused: Array  # int32[]: how often the solver had no moves left
    deepest: Array  # int32[]
    chosen: Array  # int32[]: the action of the best first move
    scores: Array  # float32[M]
    begun: Array  # uint32[]: how many programs the lane has been handed
    keys: Array  # uint32[V, W]: of the boards, where values are kept
    memory: Array  # uint32[E, W + 3]: key, moves left and turn, `begun`, and what the tree in itself was worth there


@dataclass(frozen=True, eq=False)
class Machine:
    """Tables of a language, and what a lane needs.

    Attributes:
        primitives: the language; its programs have one tree.
        deepest: the most moves that the solver makes.
        depth: frames of a lane.
        capacity: nodes of a program, L.
        choices: first moves, M.
        stops: whether a first move that wins by force is the last that is tried.
        entries: of the table in which a lane keeps what the tree in itself was worth, E, a power of two; 0: no table.
        words: of the key of a board, W; 0: none is kept.
    """

    primitives: PrimitiveSet
    deepest: int
    depth: int
    capacity: int
    choices: int
    stops: bool = False
    entries: int = 0
    words: int = 0

    @property
    def levels(self) -> int:
        """Return V. A board that is looked at again with fewer moves left takes the place of those moves."""
        return 2 * self.deepest

    @cached_property
    def gates(self) -> tuple[int, ...]:
        """The features that gates read."""
        found = [p.moves.gate for p in self.primitives.primitives if p.moves is not None]
        return tuple(sorted({gate for gate in found if gate is not None}))

    @cached_property
    def generic(self) -> tuple[Primitive, ...]:
        """The functions that make no moves."""
        return tuple(p for p in self.primitives.functions if p.moves is None)

    @cached_property
    def table(self) -> dict[str, np.ndarray]:
        """int32[3 N + 1] by operation: opcode + N * part; part 1 are replies, part 2 the worst of all moves."""
        among = self.primitives.primitives
        rows = [self._row(p) for p in among]
        rows += [
            self._moves(Moves("every", "other", (p.moves.replies,), ONE, ZERO))
            if p.moves is not None and p.moves.replies is not None
            else self._row(p)
            for p in among
        ]
        rows += [
            self._moves(Moves("best", "other", (), p.moves.then, p.moves.last, cutoff=p.moves.cutoff))
            if p.moves is not None and p.moves.worst
            else self._row(p)
            for p in among
        ]
        level = self._moves(Moves("best", "solver", (), TREE, ZERO, cutoff=self.stops))
        rows.append(level | {"how": LEVEL})
        return {name: np.array([row[name] for row in rows], np.int32) for name in level}

    def _row(self, p: Primitive) -> dict[str, int]:
        """Return the row of a primitive."""
        if p.moves is not None:
            return self._moves(p.moves)
        row = self._moves(Moves("first"))
        decide = p.arity - p.picks
        settles = -1 if p.settles is None else int(p.settles)
        generic = self.generic.index(p) if p in self.generic else 0
        return row | {
            "how": PLAIN,
            "arity": p.arity,
            "decide": decide,
            "picks": int(p.picks > 0),
            "settles": settles,
            "generic": generic,
        }

    def _moves(self, moves: Moves) -> dict[str, int]:
        """Return the row of a function that makes moves."""
        if len(moves.conditions) > CONDITIONS:
            raise ValueError(f"{moves}: more than {CONDITIONS} conditions")
        conditions = (*moves.conditions, moves.then)
        stages = [conditions[min(n, len(conditions) - 1)] for n in range(CONDITIONS + 1)]
        return {
            "how": HOW[moves.how],
            "side": SIDES[moves.side],
            "conditions": len(moves.conditions),
            **{f"stage{n}": one for n, one in enumerate(stages)},
            "then": moves.then,
            "last": moves.last,
            "forcing": int(moves.forcing),
            "trait": -1 if moves.trait is None else moves.trait,
            "gate": -1 if moves.gate is None else self.gates.index(moves.gate),
            "here": int(moves.here),
            "once": int(moves.once),
            "worst": int(moves.worst),
            "cutoff": int(moves.cutoff),
            "arity": 0,
            "decide": 0,
            "picks": 0,
            "settles": -1,
            "generic": 0,
        }

    def idle(self) -> Frames:
        """Return a lane that is done."""
        zero, levels = jnp.int32(0), self.levels
        return Frames(
            program=zero,
            phase=jnp.int32(DONE),
            value=jnp.float32(0),
            node=zero,
            level=zero,
            entry=zero,
            top=zero,
            words=jnp.zeros((self.depth, 3), jnp.int32),
            kept=jnp.zeros((self.depth, self.primitives.max_arity), jnp.float32),
            boards=jnp.zeros((levels, len(BOARD_FIELDS)), jnp.int16),
            seen=jnp.zeros((levels, self.capacity + len(self.gates)), jnp.float32),
            limit=zero,
            nodes=zero,
            passed=zero,
            truncated=jnp.bool_(False),
            refused=zero,
            deepest=zero,
            chosen=jnp.int32(-1),
            scores=jnp.full(self.choices, -jnp.inf, jnp.float32),
            begun=jnp.uint32(0),
            keys=jnp.zeros((levels, self.words), jnp.uint32),
            memory=jnp.zeros((self.entries, self.words + 3), jnp.uint32),
        )

    def begin(self, frames: Frames, begins: Array, program: Array, limit: Array, left: Array) -> Frames:
        """Hand a program to one lane, if it `begins`: it needs its first board, the root, with so many moves left."""
        idle = self.idle()
        word = _pack(node=0, part=0, stage=LAST, level=0, entry=0, any=0, paid=0, final=0)
        first = jnp.stack([jnp.int32(word), jnp.int32(-1), jnp.int32(-1)])
        fresh = dict(
            program=program,
            phase=jnp.int32(BOARD),
            top=jnp.int32(1),
            limit=limit,
            **{
                name: getattr(idle, name)
                for name in ("nodes", "passed", "truncated", "refused", "deepest", "chosen", "scores")
            },
        )
        return replace(
            frames,
            **{name: jnp.where(begins, value, getattr(frames, name)) for name, value in fresh.items()},
            words=frames.words.at[0].set(jnp.where(begins, first, frames.words[0])),
            boards=frames.boards.at[0, LEFT].set(jnp.where(begins, left.astype(jnp.int16), frames.boards[0, LEFT])),
            begun=frames.begun + begins,
        )

    def operation(self, plans: FramePlan, frames: Frames) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return the top frame of a lane, and the row of its operation."""
        frame = _unpack(frames.words[frames.top - 1])
        return frame, self._look_up(plans, frames.program, frame["node"] - 1, frame["part"])

    def _look_up(self, plans: FramePlan, program: Array, node: Array, part: Array) -> dict[str, Array]:
        count = len(self.primitives.primitives)
        code = plans.code[program, jnp.maximum(node, 0)].astype(jnp.int32)
        at = jnp.where(node < 0, 3 * count, code + count * part)
        row = jnp.asarray(np.stack(list(self.table.values()), 1))[at]
        return {name: row[n] for n, name in enumerate(self.table)}

    def spent(self, frames: Frames) -> Array:
        """Return bool[]: whether what may be paid for is what the first moves that are still to be made will cost.

        A lane that has passed over very many moves may make no more either.
        """
        waiting = frames.boards[0, MOVES].astype(jnp.int32) - 1 - frames.words[0, 1]
        return (frames.nodes + waiting >= frames.limit) | self.weary(frames.passed, frames.limit)

    @staticmethod
    def weary(passed: Array, limit: Array) -> Array:
        """Return bool[]: whether so many moves have been passed over that the search is truncated."""
        return passed >= PASSES * limit

    def _recall(self, frames: Frames, level: Array, left: Array, turn: Array) -> tuple[Array, Array, Array, Array]:
        """Return what is known of the tree in itself on the board of a level, with so many moves left.

        Returns: its slot, int32[]; what an entry of it begins with, uint32[W + 2]; whether it is there; its value.
        """
        key = jnp.append(frames.keys[level], (left * 2 + (turn == 1)).astype(jnp.uint32))
        slot = (mix(key) & np.uint32(self.entries - 1)).astype(jnp.int32)
        own = jnp.append(key, frames.begun)
        row = frames.memory[slot]
        return slot, own, (row[:-1] == own).all(), lax.bitcast_convert_type(row[-1], jnp.float32)

    def _read(self, plans: FramePlan, frames: Frames) -> dict[str, Any]:
        """Return what one lane's turn starts from: its phase and value, its top frame, and what that is about."""
        # A node that is to be valued is either known, or gets a frame.
        node, level = frames.node, frames.level
        asks = frames.phase == VALUE
        real = jnp.maximum(node, 0)
        known = jnp.select(
            [node >= 0, node == ONE, node == WON],
            [frames.seen[level, real], jnp.float32(1), frames.boards[level, WINS].astype(jnp.float32)],
            jnp.float32(0),
        )
        part = (node <= REPLIES).astype(jnp.int32)
        own = jnp.where(node <= REPLIES, REPLIES - node, real)  # the node whose replies are asked for
        pure = (node < 0) & (node > REPLIES) | (node >= 0) & plans.pure[frames.program, real]
        pushes = asks & ~pure
        phase = jnp.where(asks & pure, RETURN, frames.phase)
        value = jnp.where(asks & pure, known, frames.value)
        top = frames.top + pushes
        frame = _unpack(frames.words[top - 1])
        fresh = {
            "node": own + 1,
            "part": part,
            "stage": jnp.int32(0),
            "level": level,
            "entry": frames.entry,
            "any": jnp.int32(0),
            "paid": jnp.int32(0),
            "final": jnp.int32(0),
            "place": jnp.int32(-1),
            "action": jnp.int32(-1),
        }
        frame = {name: jnp.where(pushes, fresh[name], frame[name]) for name in fresh}
        kept = jnp.where(pushes, 0.0, frames.kept[top - 1])
        at = frame["node"] - 1
        row = self._look_up(plans, frames.program, at, frame["part"])
        arguments = plans.argument[frames.program, jnp.maximum(at, 0)].astype(jnp.int32)
        base = frame["level"]
        return {
            "phase": phase,
            "value": value,
            "pushes": pushes,
            "frame": frame,
            "kept": kept,
            "row": row,
            "arguments": arguments,
            "root": plans.root[frames.program].astype(jnp.int32),
            "board": frames.boards[base].astype(jnp.int32),
            "gate": jnp.where(row["gate"] < 0, 1.0, frames.seen[base, self.capacity + jnp.maximum(row["gate"], 0)]),
            "spent": self.spent(frames),
        }

    def turn(self, plans: FramePlan, frames: Frames) -> Frames:
        """Take one lane from its phase to the next one; in `BOARD` and `DONE` nothing changes."""
        read = apart(lambda: self._read(plans, frames))
        phase, value, pushes, frame, kept, row, arguments = (
            read[name] for name in ("phase", "value", "pushes", "frame", "kept", "row", "arguments")
        )
        top, at, board, root = frames.top + pushes, frame["node"] - 1, read["board"], read["root"]
        base, how, stage = frame["level"], row["how"], frame["stage"]

        def asked(place: Array) -> Array:
            """Return the node that an argument, or what stands in its place, asks for."""
            given = arguments[jnp.maximum(place, 0)]
            other = jnp.where(place == TREE, root, place)
            return jnp.where(place >= 0, given, jnp.where(place == REPLIES, REPLIES - jnp.maximum(at, 0), other))

        def reads(asked: Array, place: Array) -> Array:
            """Return whether a board is read for it: also for the first level, which makes every move."""
            constant = (asked == ONE) | (asked == ZERO)
            reading = plans.reads[frames.program, jnp.maximum(asked, 0)]
            return (place == TREE) | jnp.where(asked >= 0, reading, ~constant)

        turn, left, won, over = board[TURN], board[LEFT], board[WINS] != 0, board[MOVES] == 0
        spent = read["spent"]
        tries = (how == FIRST) | (how == EVERY) | (how == BEST)
        leads = how == LEVEL
        conditions = row["conditions"]
        then, _last = asked(row["then"]), asked(row["last"])

        # A value comes back to a frame, also to one of the tree in itself.
        back = (phase == RETURN) & ~pushes
        again = back & (how == AGAIN)

        # A frame begins.
        mine = (row["side"] == 0) | (row["side"] == turn)
        gate = read["gate"]
        may = pushes & tries & ~over & mine
        refused = may & (left == 0) & ~over
        stays = row["here"] != 0  # no move is made for any argument
        may &= (left > 0) & (gate != 0)
        cut = may & spent & ~stays
        starts = may & ~cut
        mated = pushes & (how == EVERY) & over & won & mine
        lasts = pushes & tries & ~starts & ~mated
        # What no board decides needs no board.
        zeroth = asked(row["stage0"])
        decided = starts & (conditions > 0) & ~reads(zeroth, row["stage0"])
        held = frames.seen[base, jnp.maximum(zeroth, 0)] != 0
        calm = ~reads(then, row["then"])
        bare = starts & (conditions == 0)
        lasts |= (decided & (how == EVERY) & ~held) | (bare & (how == BEST) & calm)
        most = jnp.where(row["forcing"] != 0, board[FORCING], board[MOVES])
        direct = bare & (how == FIRST) & (row["trait"] < 0) & (stays | calm) & (most > 0)
        direct |= decided & (how == BEST) & held & calm
        ends = decided & jnp.where(how == EVERY, held, ~held)
        starts &= ~lasts & ~ends & ~direct
        fewer = jnp.minimum(left, frame["entry"] - 1)
        repeats = pushes & (how == AGAIN)
        floor = repeats & (fewer <= 0)
        knows, memory, remembered = jnp.bool_(False), frames.memory, value
        if self.entries:
            slot, own, met, remembered = self._recall(frames, base, fewer, turn)
            knows = repeats & ~floor & met
            repeats &= ~knows
            learned = jnp.append(own, lax.bitcast_convert_type(value, jnp.uint32))
            learns = again & ~frames.truncated
            memory = memory.at[jnp.where(learns, slot, self.entries)].set(learned, mode="drop")
        same = repeats & (fewer > 0) & (fewer == left)
        copies = repeats & (fewer > 0) & (fewer < left)

        # What a value that comes back decides.
        plain = (back | pushes) & (how == PLAIN)
        kept = jnp.where(back & (how == PLAIN) & (jnp.arange(kept.shape[0]) == stage), value, kept)
        valued = back & (tries | leads) & (stage < conditions)
        holds = value != 0
        passes = again | (back & tries & ((stage == LAST) | ((stage == conditions) & (how < BEST))))
        folds = back & ((how == BEST) | leads) & (stage == conditions)
        clipped = jnp.where(leads, jnp.clip(value, -MATE, MATE), value)
        least = (turn == 2) & ~leads
        better = folds & ((frame["any"] == 0) | jnp.where(least, clipped < kept[0], clipped > kept[0]))
        kept = jnp.where(better & (jnp.arange(kept.shape[0]) == 0), clipped, kept)
        known_any = frame["any"] | folds
        reached = folds & (row["cutoff"] != 0) & jnp.where(least, kept[0] <= -MATE, kept[0] >= MATE)
        climbs = valued & holds & ~((how == EVERY) & (stage == conditions - 1))
        only = valued & ~holds & (((row["once"] != 0) & (stage == 1)) | stays)
        lasts |= (valued & ~holds & (how == EVERY)) | only
        onward = (folds & ~reached) | (
            valued & ~only & jnp.where(how == EVERY, holds & (stage == conditions - 1), ~holds)
        )

        # A move is there, or none.
        found = phase == FOUND
        finished = (phase == ENDED) | ends
        stopped = (phase == SPENT) | cut
        ended_every = finished & (how == EVERY)
        here = (ended_every & calm) | direct
        short = ended_every & ~calm & spent
        again_worst = ended_every & ~calm & ~spent & (row["worst"] != 0)
        final = ended_every & ~calm & ~spent & (row["worst"] == 0)
        gives = (finished | stopped | reached) & (how == BEST) & (known_any != 0)
        lasts |= short | ((finished | (stopped & ~gives)) & ((how == FIRST) | ((how == BEST) & ~gives)))
        lasts |= stopped & (how == EVERY)
        closes = (finished | reached) & leads

        # The next move of the list.
        place = jnp.where(starts | again_worst | final, 0, frame["place"] + onward)
        action = jnp.where(starts | again_worst | final, -1, frame["action"])
        part = jnp.where(again_worst, 2, frame["part"])
        tried = starts | again_worst | final | onward
        none = tried & (place >= most)
        unpaid = tried & ~none & spent & ~leads & ~stays
        boards = (tried & ~none & ~unpaid) | copies

        # What is valued next.
        stage = jnp.where(pushes, 0, stage)
        stage = jnp.where(found, jnp.where(frame["final"] != 0, conditions, 0), stage)
        stage = jnp.where(climbs, stage + 1, stage)
        stage = jnp.where(lasts | here | mated, LAST, stage)
        argument = jnp.select(
            [lasts, here | mated, stage == 0, stage == 1],
            [row["last"], row["then"], row["stage0"], row["stage1"]],
            row["stage2"],
        )
        argument = jnp.where(found & (frame["final"] != 0), row["then"], argument)
        on_child = (found | climbs) & ~stays
        wanted = asked(argument)
        pays = on_child & (frame["paid"] == 0) & reads(wanted, argument) & (how != AGAIN)
        paid = jnp.where(tried, 0, frame["paid"] | pays)

        # Functions that make no moves.
        nth = jnp.where(pushes, 0, stage + 1)
        chosen, result = self._generic(row, kept)
        settled = back & (row["settles"] >= 0) & (holds == (row["settles"] == 1))
        picked = (row["picks"] != 0) & (nth == row["decide"])
        complete = plain & (settled | jnp.where(row["picks"] != 0, nth > row["decide"], nth >= row["arity"]))
        goes = plain & ~complete
        nth = jnp.where(picked, chosen, nth)
        stage = jnp.where(goes, nth, stage)
        wanted = jnp.where(goes, arguments[jnp.clip(nth, 0, len(arguments) - 1)], wanted)

        # The tree in itself.
        enters = same | (found & (how == AGAIN))
        wanted = jnp.where(enters, root, wanted)
        entry = jnp.where(same | copies, fewer, frames.entry)
        entry = jnp.where(again, frame["entry"], entry)
        entry = jnp.where(found & leads, frames.boards[1, LEFT].astype(jnp.int32), entry)

        values = lasts | here | mated | ((found | climbs) & (how != AGAIN)) | goes | enters
        pops = passes | complete | gives | floor | knows
        result = jnp.where(floor, jnp.where(won, MATE, -MATE), jnp.where(gives, kept[0], result))
        result = jnp.where(knows, remembered, result)
        value = jnp.where(pops & ~passes, result, value)
        moves_on = jnp.select(
            [closes, pops, boards, none, unpaid, values],
            [
                jnp.int32(DONE),
                jnp.int32(RETURN),
                jnp.int32(BOARD),
                jnp.int32(ENDED),
                jnp.int32(SPENT),
                jnp.int32(VALUE),
            ],
            phase,
        )
        nodes = frames.nodes + pays
        child = base + 1
        frame |= {
            "part": part,
            "stage": stage,
            "any": jnp.where(again_worst, 0, known_any),
            "paid": paid,
            "final": jnp.where(final, 1, frame["final"]),
            "place": place,
            "action": action,
        }
        acts = (frames.phase != BOARD) & (frames.phase != DONE)
        slot = jnp.where(acts, top - 1, self.depth)
        scored = jnp.where(folds & leads, frame["place"] - onward, self.choices)
        return replace(
            frames,
            phase=moves_on,
            value=value,
            node=wanted,
            level=jnp.where(on_child | (found & (how == AGAIN)), child, base),
            entry=entry,
            top=top - pops,
            words=frames.words.at[slot].set(_packed(frame), mode="drop"),
            kept=frames.kept.at[slot].set(kept, mode="drop"),
            nodes=nodes,
            truncated=frames.truncated | cut | unpaid | short,
            refused=frames.refused + refused,
            deepest=jnp.where(pays, jnp.maximum(frames.deepest, board[PLY] + 1), frames.deepest),
            chosen=jnp.where(better & leads, frame["action"], frames.chosen),
            scores=frames.scores.at[scored].set(clipped, mode="drop"),
            memory=memory,
        )

    def _generic(self, row: dict[str, Array], kept: Array) -> tuple[Array, Array]:
        """Return int32[]: the argument that a function picks, and float32[]: its value; `kept` are its arguments."""
        none = jnp.zeros((0,))
        picks, values = [], []
        for p in self.generic:
            args = [kept[n] for n in range(p.arity)]
            values.append(apply(p, none[:, None], [arg[None] for arg in args])[0])
            decide = p.arity - p.picks
            numbered = [*args[:decide], *(jnp.float32(n) for n in range(decide, p.arity))]
            picks.append(apply(p, none[:, None], [arg[None] for arg in numbered])[0] if p.picks else jnp.float32(0))
        if not values:
            return jnp.int32(0), jnp.float32(0)
        which = row["generic"]
        return (lax.select_n(which, *picks) if len(picks) > 1 else picks[0]).astype(jnp.int32), (
            lax.select_n(which, *values) if len(values) > 1 else values[0]
        )

    def evaluate_pure(self, plans: FramePlan, program: Array, features: Array, most: Array) -> Array:
        """Return float32[K, L + G]: the values of all pure nodes of programs (int32[K]), and of gates.

        Args:
            plans: of the programs.
            program: which program each lane runs.
            features: float32[K, F], what is seen of the board of each lane.
            most: int32[], no fewer than the steps of any of the programs.
        """
        lane = jnp.arange(len(program))
        feature = plans.feature[program].astype(jnp.int32)
        leaves = jnp.take_along_axis(features, jnp.maximum(feature, 0), 1)
        rows = jnp.where(feature < 0, plans.number[program], leaves)
        seen, among = features.T, self.generic
        kinds = np.array([among.index(p) if p in among else 0 for p in self.primitives.primitives], np.int32)

        def step(i: Array, rows: Array) -> Array:
            node = plans.order[program, i].astype(jnp.int32)
            at = plans.argument[program, node].astype(jnp.int32)
            args = [rows[lane, jnp.maximum(at[:, n], 0)] for n in range(at.shape[1])]
            values = [apply(p, seen, args) for p in among]
            kind = jnp.asarray(kinds)[plans.code[program, node].astype(jnp.int32)]
            value = lax.select_n(kind, *values) if len(values) > 1 else values[0]
            where = jnp.where(i < plans.steps[program], node, self.capacity)
            return rows.at[lane, where].set(value, mode="drop")

        if among:
            rows = lax.fori_loop(0, most, step, rows)
        return jnp.concatenate([rows, features[:, np.array(self.gates, int)]], 1)


def _packed(frame: dict[str, Array]) -> Array:
    """Return int32[3]: the fields of a frame."""
    return jnp.stack([_pack(**{name: frame[name] for name in FIELDS}), frame["place"], frame["action"]])


def _pack(**fields: Any) -> Any:
    word, shift = 0, 0
    for name, bits in FIELDS.items():
        word, shift = word | fields[name] << shift, shift + bits
    return word


def _unpack(words: Array) -> dict[str, Array]:
    """Return the fields of a frame, int32[3]."""
    found, shift = {}, 0
    for name, bits in FIELDS.items():
        found[name], shift = words[0] >> shift & (1 << bits) - 1, shift + bits
    return found | {"place": words[1], "action": words[2]}
