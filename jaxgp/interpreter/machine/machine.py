"""The machine: what each function of a language does, as rows of a table, and what lanes need to run programs."""

from dataclasses import dataclass, replace
from functools import cached_property

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.bits import mix
from jaxgp.genotypes.moves import ONE, TREE, ZERO, Moves
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.interpreter.calls import apply
from jaxgp.interpreter.machine.frames import (
    AGAIN,
    BEST,
    BOARD,
    BOARD_FIELDS,
    DONE,
    EVERY,
    FIRST,
    LAST,
    LEFT,
    LEVEL,
    MOVES,
    PLAIN,
    Frames,
    pack,
    unpack,
)
from jaxgp.interpreter.machine.plan import FramePlan

HOW = {"first": FIRST, "every": EVERY, "best": BEST, "again": AGAIN}
SIDES = {"both": 0, "solver": 1, "other": 2}
CONDITIONS = 2
"""The most conditions of a function."""
PASSES = 2
"""A search is truncated when it has passed over so many times as many moves as it may make."""


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
        word = pack(node=0, part=0, stage=LAST, level=0, entry=0, any=0, paid=0, final=0)
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
        frame = unpack(frames.words[frames.top - 1])
        return frame, self.look_up(plans, frames.program, frame["node"] - 1, frame["part"])

    def look_up(self, plans: FramePlan, program: Array, node: Array, part: Array) -> dict[str, Array]:
        """Return the row of the operation of a node, or of the first level where `node` is -1."""
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

    def recall(self, frames: Frames, level: Array, left: Array, turn: Array) -> tuple[Array, Array, Array, Array]:
        """Return what is known of the tree in itself on the board of a level, with so many moves left.

        Returns: its slot, int32[]; what an entry of it begins with, uint32[W + 2]; whether it is there; its value.
        """
        key = jnp.append(frames.keys[level], (left * 2 + (turn == 1)).astype(jnp.uint32))
        slot = (mix(key) & np.uint32(self.entries - 1)).astype(jnp.int32)
        own = jnp.append(key, frames.begun)
        row = frames.memory[slot]
        return slot, own, (row[:-1] == own).all(), lax.bitcast_convert_type(row[-1], jnp.float32)

    def choose(self, row: dict[str, Array], kept: Array) -> tuple[Array, Array]:
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
