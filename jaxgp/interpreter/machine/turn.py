"""One turn of a lane: from its phase to the next one, by table.

A turn asks in this order: whether a frame begins, what the tree in itself does, what a value that comes back decides,
what the list of moves says, which move is next, and what is valued next. All of it is computed for each lane; masks say
what is the case.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import jax.numpy as jnp
from jax import Array, lax

from jaxgp.arrays import apart
from jaxgp.genotypes.moves import ONE, REPLIES, TREE, WON, ZERO
from jaxgp.interpreter.machine.frames import (
    AGAIN,
    BEST,
    BOARD,
    DONE,
    ENDED,
    EVERY,
    FIRST,
    FORCING,
    FOUND,
    LAST,
    LEFT,
    LEVEL,
    MATE,
    MOVES,
    PLAIN,
    PLY,
    RETURN,
    SPENT,
    TURN,
    VALUE,
    WINS,
    Frames,
    packed,
    unpack,
)
from jaxgp.interpreter.machine.machine import Machine
from jaxgp.interpreter.machine.plan import FramePlan
from jaxgp.interpreter.machine.steps import Asking, Beginning, FromList, Itself, Read, Return, Try


@dataclass(frozen=True)
class LaneTurn:
    """One lane in its turn."""

    machine: Machine
    plans: FramePlan
    frames: Frames
    read: Read

    @cached_property
    def how(self) -> Array:
        """How the top frame tries moves."""
        return self.read.row["how"]

    @cached_property
    def tries(self) -> Array:
        """Whether it tries moves, but those of the first level."""
        return (self.how == FIRST) | (self.how == EVERY) | (self.how == BEST)

    @cached_property
    def leads(self) -> Array:
        """Whether it is the first level."""
        return self.how == LEVEL

    @cached_property
    def stays(self) -> Array:
        """Whether no move is made for any argument."""
        return self.read.row["here"] != 0

    @cached_property
    def back(self) -> Array:
        """Whether a value comes back to it."""
        return (self.read.phase == RETURN) & ~self.read.pushes

    @cached_property
    def again(self) -> Array:
        """Whether a value comes back to the tree in itself."""
        return self.back & (self.how == AGAIN)

    @cached_property
    def left(self) -> Array:
        """Moves that the solver has left on its board."""
        return self.read.board[LEFT]

    @cached_property
    def most(self) -> Array:
        """Moves that it tries at most."""
        return jnp.where(self.read.row["forcing"] != 0, self.read.board[FORCING], self.read.board[MOVES])

    @cached_property
    def calm(self) -> Array:
        """Whether no board is read for the value that follows a move."""
        then = self.read.row["then"]
        return ~self.reads(self.asked(then), then)

    def asked(self, place: Array) -> Array:
        """Return the node that an argument, or what stands in its place, asks for."""
        at = jnp.maximum(self.read.frame["node"] - 1, 0)
        given = self.read.arguments[jnp.maximum(place, 0)]
        other = jnp.where(place == TREE, self.read.root, place)
        return jnp.where(place >= 0, given, jnp.where(place == REPLIES, REPLIES - at, other))

    def reads(self, asked: Array, place: Array) -> Array:
        """Return whether a board is read for it: also for the first level, which makes every move."""
        constant = (asked == ONE) | (asked == ZERO)
        reading = self.plans.reads[self.frames.program, jnp.maximum(asked, 0)]
        return (place == TREE) | jnp.where(asked >= 0, reading, ~constant)


def take_turn(machine: Machine, plans: FramePlan, frames: Frames) -> Frames:
    """Take one lane from its phase to the next one; in `BOARD` and `DONE` nothing changes."""
    lane = LaneTurn(machine, plans, frames, apart(lambda: _read(machine, plans, frames)))
    beginning = _begin(lane)
    itself = _repeat(lane)
    returned = _return(lane)
    listed = _list(lane, beginning, returned)
    next_move = _try(lane, beginning, returned, listed)
    lasts = beginning.lasts | returned.lasts | listed.lasts
    asking = _ask(lane, beginning, itself, returned, listed, lasts)
    return _write(lane, beginning, itself, returned, listed, next_move, asking)


def _read(machine: Machine, plans: FramePlan, frames: Frames) -> Read:
    """Return what one lane's turn starts from. A node that is to be valued is either known, or gets a frame."""
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
    top = frames.top + pushes
    frame = unpack(frames.words[top - 1])
    zero = jnp.int32(0)
    fresh = {
        "node": own + 1,
        "part": part,
        "stage": zero,
        "level": level,
        "entry": frames.entry,
        "any": zero,
        "paid": zero,
        "final": zero,
        "place": jnp.int32(-1),
        "action": jnp.int32(-1),
    }
    frame = {name: jnp.where(pushes, fresh[name], frame[name]) for name in fresh}
    at = frame["node"] - 1
    row = machine.look_up(plans, frames.program, at, frame["part"])
    base = frame["level"]
    return Read(
        phase=jnp.where(asks & pure, RETURN, frames.phase),
        value=jnp.where(asks & pure, known, frames.value),
        pushes=pushes,
        frame=frame,
        kept=jnp.where(pushes, 0.0, frames.kept[top - 1]),
        row=row,
        arguments=plans.argument[frames.program, jnp.maximum(at, 0)].astype(jnp.int32),
        root=plans.root[frames.program].astype(jnp.int32),
        board=frames.boards[base].astype(jnp.int32),
        gate=jnp.where(row["gate"] < 0, 1.0, frames.seen[base, machine.capacity + jnp.maximum(row["gate"], 0)]),
        spent=machine.spent(frames),
    )


def _begin(lane: LaneTurn) -> Beginning:
    read, how, row = lane.read, lane.how, lane.read.row
    over, won = read.board[MOVES] == 0, read.board[WINS] != 0
    mine = (row["side"] == 0) | (row["side"] == read.board[TURN])
    may = read.pushes & lane.tries & ~over & mine
    refused = may & (lane.left == 0)
    may &= (lane.left > 0) & (read.gate != 0)
    cut = may & read.spent & ~lane.stays
    starts = may & ~cut
    mated = read.pushes & (how == EVERY) & over & won & mine
    lasts = read.pushes & lane.tries & ~starts & ~mated
    # What no board decides needs no board.
    zeroth = lane.asked(row["stage0"])
    decided = starts & (row["conditions"] > 0) & ~lane.reads(zeroth, row["stage0"])
    held = lane.frames.seen[read.frame["level"], jnp.maximum(zeroth, 0)] != 0
    bare = starts & (row["conditions"] == 0)
    lasts |= (decided & (how == EVERY) & ~held) | (bare & (how == BEST) & lane.calm)
    direct = bare & (how == FIRST) & (row["trait"] < 0) & (lane.stays | lane.calm) & (lane.most > 0)
    direct |= decided & (how == BEST) & held & lane.calm
    ends = decided & jnp.where(how == EVERY, held, ~held)
    return Beginning(refused, cut, mated, starts & ~lasts & ~ends & ~direct, ends, direct, lasts)


def _repeat(lane: LaneTurn) -> Itself:
    read, machine, frames = lane.read, lane.machine, lane.frames
    fewer = jnp.minimum(lane.left, read.frame["entry"] - 1)
    repeats = read.pushes & (lane.how == AGAIN)
    floor = repeats & (fewer <= 0)
    known, memory, remembered = jnp.bool_(False), frames.memory, read.value
    if machine.entries:
        slot, own, met, remembered = machine.recall(frames, read.frame["level"], fewer, read.board[TURN])
        known = repeats & ~floor & met
        repeats &= ~known
        learned = jnp.append(own, lax.bitcast_convert_type(read.value, jnp.uint32))
        learns = lane.again & ~frames.truncated
        memory = memory.at[jnp.where(learns, slot, machine.entries)].set(learned, mode="drop")
    same = repeats & (fewer > 0) & (fewer == lane.left)
    copies = repeats & (fewer > 0) & (fewer < lane.left)
    return Itself(fewer, floor, same, copies, known, remembered, memory)


def _return(lane: LaneTurn) -> Return:
    read, how, back, leads = lane.read, lane.how, lane.back, lane.leads
    stage, conditions, value = read.frame["stage"], read.row["conditions"], read.value
    among = jnp.arange(read.kept.shape[0])
    kept = jnp.where(back & (how == PLAIN) & (among == stage), value, read.kept)
    valued = back & (lane.tries | leads) & (stage < conditions)
    holds = value != 0
    passes = lane.again | (back & lane.tries & ((stage == LAST) | ((stage == conditions) & (how < BEST))))
    # The best of the values after moves: the least where the other side is to move.
    folds = back & ((how == BEST) | leads) & (stage == conditions)
    clipped = jnp.where(leads, jnp.clip(value, -MATE, MATE), value)
    least = (read.board[TURN] == 2) & ~leads
    better = folds & ((read.frame["any"] == 0) | jnp.where(least, clipped < kept[0], clipped > kept[0]))
    kept = jnp.where(better & (among == 0), clipped, kept)
    reached = folds & (read.row["cutoff"] != 0) & jnp.where(least, kept[0] <= -MATE, kept[0] >= MATE)
    # The conditions of a move.
    climbs = valued & holds & ~((how == EVERY) & (stage == conditions - 1))
    only = valued & ~holds & (((read.row["once"] != 0) & (stage == 1)) | lane.stays)
    fits = jnp.where(how == EVERY, holds & (stage == conditions - 1), ~holds)
    return Return(
        kept=kept,
        clipped=clipped,
        some=read.frame["any"] | folds,
        plain=(back | read.pushes) & (how == PLAIN),
        holds=holds,
        passes=passes,
        folds=folds,
        better=better,
        reached=reached,
        climbs=climbs,
        onward=(folds & ~reached) | (valued & ~only & fits),
        lasts=(valued & ~holds & (how == EVERY)) | only,
    )


def _list(lane: LaneTurn, beginning: Beginning, returned: Return) -> FromList:
    read, how, calm = lane.read, lane.how, lane.calm
    finished = (read.phase == ENDED) | beginning.ends
    stopped = (read.phase == SPENT) | beginning.cut
    every = finished & (how == EVERY)
    worst = read.row["worst"] != 0
    gives = (finished | stopped | returned.reached) & (how == BEST) & (returned.some != 0)
    short = every & ~calm & read.spent
    lasts = short | ((finished | (stopped & ~gives)) & ((how == FIRST) | ((how == BEST) & ~gives)))
    return FromList(
        found=read.phase == FOUND,
        here=every & calm,
        short=short,
        worst=every & ~calm & ~read.spent & worst,
        final=every & ~calm & ~read.spent & ~worst,
        gives=gives,
        closes=(finished | returned.reached) & lane.leads,
        lasts=lasts | (stopped & (how == EVERY)),
    )


def _try(lane: LaneTurn, beginning: Beginning, returned: Return, listed: FromList) -> Try:
    afresh = beginning.starts | listed.worst | listed.final
    place = jnp.where(afresh, 0, lane.read.frame["place"] + returned.onward)
    action = jnp.where(afresh, -1, lane.read.frame["action"])
    tried = afresh | returned.onward
    none = tried & (place >= lane.most)
    return Try(place, action, tried, none, tried & ~none & lane.read.spent & ~lane.leads & ~lane.stays)


def _ask(
    lane: LaneTurn, beginning: Beginning, itself: Itself, returned: Return, listed: FromList, lasts: Array
) -> Asking:
    read, row, arguments = lane.read, lane.read.row, lane.read.arguments
    found, final = listed.found, read.frame["final"] != 0
    follows = listed.here | beginning.direct | beginning.mated
    stage = jnp.where(read.pushes, 0, read.frame["stage"])
    stage = jnp.where(found, jnp.where(final, row["conditions"], 0), stage)
    stage = jnp.where(returned.climbs, stage + 1, stage)
    stage = jnp.where(lasts | follows, LAST, stage)
    argument = jnp.select(
        [lasts, follows, stage == 0, stage == 1],
        [row["last"], row["then"], row["stage0"], row["stage1"]],
        row["stage2"],
    )
    argument = jnp.where(found & final, row["then"], argument)
    repeated = found & (lane.how == AGAIN)
    on_child = ((found | returned.climbs) & ~lane.stays) | repeated
    wanted = lane.asked(argument)
    pays = on_child & (read.frame["paid"] == 0) & lane.reads(wanted, argument) & (lane.how != AGAIN)
    # Functions that make no moves.
    nth = jnp.where(read.pushes, 0, stage + 1)
    chosen, result = lane.machine.choose(row, returned.kept)
    settled = lane.back & (row["settles"] >= 0) & (returned.holds == (row["settles"] == 1))
    ended = jnp.where(row["picks"] != 0, nth > row["decide"], nth >= row["arity"])
    complete = returned.plain & (settled | ended)
    goes = returned.plain & ~complete
    nth = jnp.where((row["picks"] != 0) & (nth == row["decide"]), chosen, nth)
    stage = jnp.where(goes, nth, stage)
    wanted = jnp.where(goes, arguments[jnp.clip(nth, 0, len(arguments) - 1)], wanted)
    enters = itself.same | repeated
    values = lasts | follows | ((found | returned.climbs) & (lane.how != AGAIN)) | goes | enters
    return Asking(stage, jnp.where(enters, read.root, wanted), result, on_child, pays, values, complete)


def _write(
    lane: LaneTurn,
    beginning: Beginning,
    itself: Itself,
    returned: Return,
    listed: FromList,
    next_move: Try,
    asking: Asking,
) -> Frames:
    read, frames, frame, machine = lane.read, lane.frames, lane.read.frame, lane.machine
    top, base, leads = frames.top + read.pushes, frame["level"], lane.leads
    # The phase.
    boards = (next_move.tried & ~next_move.none & ~next_move.unpaid) | itself.copies
    pops = returned.passes | asking.complete | listed.gives | itself.floor | itself.known
    phase = jnp.select(
        [listed.closes, pops, boards, next_move.none, next_move.unpaid, asking.values],
        [jnp.int32(one) for one in (DONE, RETURN, BOARD, ENDED, SPENT, VALUE)],
        read.phase,
    )
    # The value.
    result = jnp.where(listed.gives, returned.kept[0], asking.result)
    result = jnp.where(itself.floor, jnp.where(read.board[WINS] != 0, MATE, -MATE), result)
    result = jnp.where(itself.known, itself.remembered, result)
    # Moves that the solver might make when the tree began.
    entry = jnp.where(itself.same | itself.copies, itself.fewer, frames.entry)
    entry = jnp.where(lane.again, frame["entry"], entry)
    entry = jnp.where(listed.found & leads, frames.boards[1, LEFT].astype(jnp.int32), entry)
    written = frame | {
        "part": jnp.where(listed.worst, 2, frame["part"]),
        "stage": asking.stage,
        "any": jnp.where(listed.worst, 0, returned.some),
        "paid": jnp.where(next_move.tried, 0, frame["paid"] | asking.pays),
        "final": jnp.where(listed.final, 1, frame["final"]),
        "place": next_move.place,
        "action": next_move.action,
    }
    acts = (frames.phase != BOARD) & (frames.phase != DONE)
    slot = jnp.where(acts, top - 1, machine.depth)
    scored = jnp.where(returned.folds & leads, frame["place"], machine.choices)
    return replace(
        frames,
        phase=phase,
        value=jnp.where(pops & ~returned.passes, result, read.value),
        node=asking.wanted,
        level=jnp.where(asking.on_child, base + 1, base),
        entry=entry,
        top=top - pops,
        words=frames.words.at[slot].set(packed(written), mode="drop"),
        kept=frames.kept.at[slot].set(returned.kept, mode="drop"),
        nodes=frames.nodes + asking.pays,
        truncated=frames.truncated | beginning.cut | next_move.unpaid | listed.short,
        refused=frames.refused + beginning.refused,
        deepest=jnp.where(asking.pays, jnp.maximum(frames.deepest, read.board[PLY] + 1), frames.deepest),
        chosen=jnp.where(returned.better & leads, frame["action"], frames.chosen),
        scores=frames.scores.at[scored].set(returned.clipped, mode="drop"),
        memory=itself.memory,
    )
