"""Programs that make moves search problems: lanes of the frame machine, each with the boards of its line.

An iteration makes or takes back one move in each lane, looks at the new board, and evaluates the pure nodes of the
lane's program on it; then lanes go from phase to phase until each needs its next board. Lanes run free: one that is
done takes the next pair of a program and a problem. What a lane does depends on no other lane.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import apart, where
from jaxgp.contracts import Problem, States
from jaxgp.interpreter.machine.frames import (
    AGAIN,
    BOARD,
    DONE,
    ENDED,
    FORCING,
    FOUND,
    LAST,
    LEFT,
    LEVEL,
    MATE,
    MOVES,
    PLY,
    SPENT,
    TURN,
    Frames,
)
from jaxgp.interpreter.machine.machine import Machine
from jaxgp.interpreter.machine.plan import FramePlan, most_frames
from jaxgp.interpreter.machine.turn import take_turn
from jaxgp.search.lookahead import Contexts
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.words import Packing
from jaxgp.search.queue import drain

View = Callable[[Any, Array, Any, Any, Array], Array]
"""(board before a move, action, board after it, what `look` says of it, bool[F] features that are asked for) ->
float32[F]. The moves that the solver has left follow as feature F."""
PATIENCE = 4
"""A share of one in so many lanes may still be on their way to a board when the others get theirs."""
ENOUGH = 16
"""Programs are handed out once more than one in so many lanes is done."""


@struct.dataclass
class ProgramClaims(Claims):
    """Results of programs: what they claim, and what it took."""

    refused: Array  # int32[Q]: how often a function would have tried moves where the solver had none left
    iterations: Array  # int32[]
    boards: Array  # int32[Q]: iterations that the pair kept its lane busy with boards
    parents: Array  # int32[Q, T]: by the number of each move made, that of the move before it in its line; 0: the root
    actions: Array  # int32[Q, T]


@struct.dataclass
class _Lane:
    busy: Array  # bool[]
    root: Array  # int32[]
    frames: Frames
    lines: Array  # uint32[V, W]: states and looks
    before: Array  # int8[V]: the level of the board before the last move
    came: Array  # int32[V]: the last move
    boards: Array  # int32[]
    iterations: Array  # int32[]: of the whole search so far
    number: Array  # int32[V]: of the last move, among those made
    parents: Array  # int32[T]
    actions: Array  # int32[T]


@dataclass(frozen=True, eq=False)
class ProgramSearch:
    """Runs programs on problems; see `jaxgp.search.cores.Search`.

    Attributes:
        problem: the rules.
        machine: for programs of a language.
        view: what programs see.
        told: whether programs may make as many moves as the problem says, not the most of all problems.
        lanes: pairs of a program and a problem that run side by side.
        narrow: the fewest of them.
        traced: how many moves of each pair are written down, T.
    """

    problem: Problem[Any]
    machine: Machine
    view: View
    told: bool
    lanes: int = 256
    narrow: int = 16
    traced: int = 0

    def search(
        self,
        states: States,
        amount: Array,
        count: Array,
        contexts: Contexts = (),
        whose: Array | None = None,
    ) -> ProgramClaims:
        """Run programs `whose` (int32[Q]) of plans `contexts` on problems [Q], each with at most `amount` nodes.

        Programs that need more frames than the machine has make no move, not even a first one; nor do those that may
        make none.
        """
        assert whose is not None
        plans = cast(FramePlan, contexts)
        machine = self.machine
        steps, wanted = plans.steps.max(), self._wanted(plans)
        fits = most_frames(plans, machine.deepest) <= machine.depth
        left = jax.vmap(self.problem.left)(states) if self.told else jnp.full(len(amount), machine.deepest)
        left = jnp.minimum(left, machine.deepest)
        packed = jax.vmap(lambda state: self._packing.pack((state, self._nothing)))(states)

        def begin(lanes: _Lane, begins: Array, roots: Array) -> _Lane:
            lane = jnp.arange(len(begins))
            level = jnp.where(begins, 0, machine.levels)
            frames = jax.vmap(machine.begin)(lanes.frames, begins, whose[roots], amount[roots], left[roots])
            unfit = begins & (~fits[whose[roots]] | (amount[roots] <= 0))
            frames = replace(frames, phase=jnp.where(unfit, DONE, frames.phase))
            first = packed[roots]
            return replace(
                lanes,
                frames=frames,
                lines=lanes.lines.at[lane, level].set(first, mode="drop"),
                boards=jnp.where(begins, 0, lanes.boards),
            )

        def advance(lanes: _Lane, running: Array) -> tuple[_Lane, Array, ProgramClaims]:
            # Handing out programs takes as long as a board or two, so it waits for a few lanes.
            def done(lanes: _Lane) -> Array:
                return lanes.busy & (lanes.frames.phase == DONE)

            def iterate(lanes: _Lane) -> _Lane:
                lanes = apart(lambda lanes: self._board(plans, steps, wanted, lanes), lanes, running=running)
                return replace(self._turns(plans, lanes), iterations=lanes.iterations + 1)

            busy = lanes.busy.sum()
            lanes = lax.while_loop(lambda lanes: (done(lanes).sum() <= busy // ENOUGH) & (busy > 0), iterate, lanes)
            return lanes, done(lanes), self._found(lanes)

        idle = self._idle()
        nobody = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(amount), *x.shape)), self._found(idle))
        found, _ = drain(idle, self.lanes, self.narrow, count, nobody, begin, advance)
        return replace(found, iterations=found.iterations.max())

    @cached_property
    def _packing(self) -> Packing:
        """How a board is packed: its state, and what is read off it."""
        state = jax.eval_shape(lambda: self.problem.init(jax.random.key(0)))
        return Packing.of((state, jax.eval_shape(self.problem.look, state)))

    @property
    def _nothing(self) -> Any:
        """What stands for what is read off a board that has not been looked at."""
        state = jax.eval_shape(lambda: self.problem.init(jax.random.key(0)))
        return jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), jax.eval_shape(self.problem.look, state))

    def _idle(self) -> _Lane:
        """Return a lane that is not busy."""
        levels = self.machine.levels
        zero = jnp.int32(0)
        return _Lane(
            busy=jnp.bool_(False),
            root=zero,
            frames=self.machine.idle(),
            lines=jnp.zeros((levels, self._packing.words), jnp.uint32),
            before=jnp.zeros(levels, jnp.int8),
            came=jnp.zeros(levels, jnp.int32),
            boards=zero,
            iterations=zero,
            number=jnp.zeros(levels, jnp.int32),
            parents=jnp.zeros(self.traced, jnp.int32),
            actions=jnp.zeros(self.traced, jnp.int32),
        )

    def _found(self, lane: _Lane) -> ProgramClaims:
        """Return what a lane, or many, have found."""
        frames = lane.frames
        best = frames.scores.max(-1)
        return ProgramClaims(
            chosen=frames.chosen,
            scores=frames.scores,
            solved=best >= MATE,
            refuted=jnp.zeros_like(lane.busy),
            nodes=frames.nodes,
            distinct=jnp.full_like(frames.nodes, -1),
            truncated=frames.truncated,
            deepest=frames.deepest,
            refused=frames.refused,
            iterations=lane.iterations,
            boards=lane.boards,
            parents=lane.parents,
            actions=lane.actions,
        )

    def _wanted(self, plans: FramePlan) -> Array:
        """Return bool[F]: the features that some program, or its functions, read."""
        among = self.machine.primitives.primitives
        own = [[p.feature] if p.moves is None else [p.moves.trait, p.moves.gate] for p in among]
        count = 1 + max((f for row in own for f in row if f is not None), default=-1)
        table = np.array([[f in row for f in range(count)] for row in own])
        used = jnp.zeros(len(among), bool).at[plans.code.astype(jnp.int32)].set(True)
        return (jnp.asarray(table) & used[:, None]).any(0)

    def _board(self, plans: FramePlan, steps: Array, wanted: Array, lanes: _Lane) -> _Lane:
        """Make the board that each lane needs, and look at it."""
        needs, children, looks, features, level, came, before = jax.vmap(self._child, (None, None, 0))(
            plans, wanted, lanes
        )
        seen = self.machine.evaluate_pure(plans, lanes.frames.program, features, steps)
        return jax.vmap(self._enter, (None, 0, 0, 0, 0, 0, 0, 0, 0, 0))(
            plans, lanes, needs, children, looks, features, seen, level, came, before
        )

    def _child(self, plans: FramePlan, wanted: Array, lane: _Lane) -> tuple[Any, ...]:
        """Return what one lane needs: whether it does, a board, what is seen of it, its level, how it came about."""
        frames = lane.frames
        needs = lane.busy & (frames.phase == BOARD)
        frame, row = self.machine.operation(plans, frames)
        level = frame["level"]
        starts, copies = (row["how"] == LEVEL) & (frame["stage"] == LAST), row["how"] == AGAIN
        board, look = self._packing.unpack(lane.lines[level])
        action = self.problem.following(look, frame["action"])
        after = where(starts | copies, board, self.problem.advance(board, action))
        before = jnp.where(copies, lane.before[level], level).astype(jnp.int8)
        came = jnp.where(copies, lane.came[level], action)
        seen = self.problem.look(after)
        own = frames.boards[level].astype(jnp.int32)
        left = jnp.where(copies, frames.entry, own[LEFT] - (~starts & (own[TURN] == 1)))
        earlier = self._packing.unpack(lane.lines[before])[0]
        features = self.view(earlier, came, after, seen, wanted)
        features = jnp.append(features.astype(jnp.float32), left.astype(jnp.float32))
        return needs, after, seen, features, jnp.where(starts, 0, level + 1), came, before

    def _enter(
        self,
        plans: FramePlan,
        lane: _Lane,
        needs: Array,
        child: Any,
        look: Any,
        features: Array,
        seen: Array,
        level: Array,
        came: Array,
        before: Array,
    ) -> _Lane:
        """Keep the board of one lane, and say in which phase it goes on."""
        frames = lane.frames
        frame, row = self.machine.operation(plans, frames)
        starts, copies = (row["how"] == LEVEL) & (frame["stage"] == LAST), row["how"] == AGAIN
        ordinary = ~starts & ~copies
        passed = ordinary & (row["trait"] >= 0) & (features[jnp.maximum(row["trait"], 0)] == 0)
        base = frame["level"]
        own = frames.boards[base].astype(jnp.int32)
        most = jnp.where(row["forcing"] != 0, own[FORCING], own[MOVES])
        place = jnp.where(starts, 0, frame["place"] + passed)
        total = frames.passed + (needs & passed)
        weary = self.machine.weary(total, frames.limit)
        phase = jnp.where(passed, jnp.where(place < most, jnp.where(weary, SPENT, BOARD), ENDED), FOUND)
        phase = jnp.where(starts, jnp.where(look.count > 0, BOARD, ENDED), phase)
        at = jnp.where(needs, level, self.machine.levels)
        turn = jnp.where(child.to_move == 0, 1, 2)
        slot = jnp.where(needs, frames.top - 1, self.machine.depth)
        action = jnp.where(starts, -1, jnp.where(copies, frame["action"], came))
        word = jnp.where(starts, 0, frames.words[frames.top - 1, 0])
        facts = look.count, look.forcing, look.won & (turn == 2), turn, features[-1], own[PLY] + ordinary
        board = jnp.stack([fact.astype(jnp.int16) for fact in facts])
        words = frames.words.at[slot].set(jnp.stack([word, place, action]), mode="drop")
        number = jnp.where(copies, lane.number[base], lane.number[level])
        return replace(
            lane,
            frames=replace(
                frames,
                phase=jnp.where(needs, phase, frames.phase),
                words=words,
                passed=total,
                truncated=frames.truncated | (needs & (phase == SPENT)),
                boards=frames.boards.at[at].set(board, mode="drop"),
                seen=frames.seen.at[at].set(seen, mode="drop"),
                keys=frames.keys.at[at].set(self.problem.key(child), mode="drop")
                if self.machine.words
                else frames.keys,
            ),
            lines=lane.lines.at[at].set(self._packing.pack((child, look)), mode="drop"),
            before=lane.before.at[at].set(before, mode="drop"),
            came=lane.came.at[at].set(came, mode="drop"),
            boards=lane.boards + needs,
            number=lane.number.at[at].set(number, mode="drop"),
        )

    def _turns(self, plans: FramePlan, lanes: _Lane) -> _Lane:
        """Take all lanes to where they need a board, or nearly all of them; the others wait for the next iteration."""

        def waiting(lanes: _Lane) -> Array:
            return (lanes.busy & (lanes.frames.phase != BOARD) & (lanes.frames.phase != DONE)).sum()

        def turn(lanes: _Lane) -> _Lane:
            frames = jax.vmap(partial(take_turn, self.machine), (None, 0))(plans, lanes.frames)
            return self._write(lanes, frames) if self.traced else replace(lanes, frames=frames)

        patience = lanes.busy.sum() // PATIENCE
        return lax.while_loop(lambda lanes: waiting(lanes) > patience, turn, lanes)

    def _write(self, lanes: _Lane, frames: Frames) -> _Lane:
        """Write down the moves that were made in this turn."""
        lane = jnp.arange(len(lanes.busy))
        made = frames.nodes > lanes.frames.nodes
        level = frames.level
        at = jnp.where(made, frames.nodes - 1, self.traced)
        parent = lanes.number[lane, jnp.maximum(lanes.before[lane, level].astype(jnp.int32), 0)]
        return replace(
            lanes,
            frames=frames,
            parents=lanes.parents.at[lane, at].set(parent, mode="drop"),
            actions=lanes.actions.at[lane, at].set(lanes.came[lane, level], mode="drop"),
            number=lanes.number.at[lane, jnp.where(made, level, self.machine.levels)].set(frames.nodes, mode="drop"),
        )
