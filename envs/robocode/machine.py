"""How robots run: blocking calls, and events that interrupt them, as in the engine.

A robot is a thread there. A call such as `ahead` gives a command and waits, turn by turn, until its amount is used up.
In each turn, events are handled first: by time, then by priority. A handler may wait as well; meanwhile only events of
higher priority interrupt it. Events wait behind one that has to wait, and are dropped when they are two turns old. A
handler of scans that scans again is abandoned, and begins anew, when it sees the other robot.

Here a robot is a row number in a table of instructions for its main loop and for each kind of event whose handler is
open (`envs.robocode.bots.assembly`). All robots, whatever their kind, run in one batch: one pass of a loop takes each
of them by one instruction, and ends the turn of those that wait. In most turns most robots wait for an amount to be
used up, and nothing happens to them: they are left out, and the others run in groups.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.robocode.bots.assembly import END, HANDLERS, LEVELS, REGISTERS, TARGETS, WAITS, Bot, assemble
from envs.robocode.physics.angles import wrapped
from envs.robocode.rules import SENSED, Precision
from envs.robocode.signals import SIGNALS, signals
from envs.robocode.state import (
    ADVANCED,
    AHEAD,
    AIMED,
    ENDLESS,
    FIRE,
    GUN,
    GUN_KEEPS,
    LIMIT,
    SCAN,
    TURN,
    Commands,
)
from envs.robocode.threads import (
    BLOCKS,
    DATA,
    HAPPENS,
    KEPT,
    KINDS,
    LEVEL,
    QUEUE,
    SCANNED,
    Memory,
    Turn,
    held,
    pick,
    three,
    top,
)
from jaxgp import arrays
from jaxgp.contracts import Driver

TOGETHER = 256
"""Robots up to which all run in one group; else a fourth of them do."""


@dataclass(frozen=True)
class BotDriver(Driver[Array, Array]):
    """Robots written by hand; a genome is the number of a robot.

    Attributes:
        bots: by their numbers.
        shots: the most that a line of a program fires.
        precision: of all numbers.
    """

    bots: tuple[Bot, ...]
    shots: int = 1
    precision: Precision = "float32"

    random = False

    @cached_property
    def _assembled(self) -> tuple[Any, Any]:
        return assemble(self.bots)

    def prepare(self, genomes: Array, /) -> Any:
        """Return the numbers, int32[P]."""
        return jnp.asarray(genomes, jnp.int32)

    def numbers(self, plans: Any, robots: int) -> Array:
        """Return int32[P, robots], the numbers of the robots that each individual drives."""
        return jnp.broadcast_to(plans[:, None], (len(plans), robots))

    def start(self, plans: Any, rollouts: int, /) -> Array:
        """Return what is remembered before the first turn, which sets most of it: float[P, M, W], see `packed`."""
        return jnp.zeros((len(jax.tree.leaves(plans)[0]), rollouts, len(jax.tree.leaves(self._blank))), self.precision)

    @cached_property
    def _blank(self) -> Memory:
        """A memory of no robot, which says what it consists of."""
        zero, none, no = np.zeros(0, self.precision), np.zeros(0, np.int32), np.zeros(0, bool)
        kept, last = dict.fromkeys(KEPT, zero), dict.fromkeys(DATA, zero)
        rows, registers, shots = (none,) * len(LEVELS), (zero,) * REGISTERS, (zero,) * self.shots
        return Memory(rows, registers, (zero,) * 3, no, kept, none, last, zero, shots, none, none, none, no)  # type: ignore[arg-type]

    def packed(self, memory: Memory) -> Array:
        """Return a memory as numbers [..., W], of which whole rows are read and written."""
        return jnp.stack([x.astype(self.precision) for x in jax.tree.leaves(memory)], -1)

    def unpacked(self, numbers: Array) -> Memory:
        """Return the memory that numbers [..., W] stand for."""
        leaves, whole = jax.tree.flatten(self._blank)
        columns = arrays.apart(lambda x: jnp.moveaxis(x, -1, 0), numbers)
        return jax.tree.unflatten(whole, [x.astype(one.dtype) for x, one in zip(columns, leaves, strict=True)])

    @cached_property
    def _columns(self) -> Memory:
        """The column of each part of a packed memory."""
        leaves, whole = jax.tree.flatten(self._blank)
        return jax.tree.unflatten(whole, range(len(leaves)))

    def control(self, plans: Any, memory: Array, sensed: Array, bits: Array, active: Array, /) -> tuple[Array, Array]:
        """Return float[P, M, K] commands, and the memory after them."""
        del bits
        count, robots = active.size, active.shape[1]
        size = count if count <= TOGETHER else min(count, max(TOGETHER, count // 4))
        number = self.numbers(plans, robots).reshape(-1)
        seen, kept = sensed.reshape(count, -1), memory.reshape(count, -1)
        busy = arrays.apart(self._busy, seen, kept) & active.reshape(-1)
        place = jnp.cumsum(busy, dtype=jnp.int32)
        queue = (
            jnp.full(count + size, count)
            .at[jnp.where(busy, place - 1, count + size)]
            .set(jnp.arange(count), mode="drop")
        )
        still = jnp.zeros((count, len(Commands._fields)), sensed.dtype).at[:, 0].set(jnp.asarray(self._always)[number])

        def some(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            done, commands, memory = carry
            whose = lax.dynamic_slice_in_dim(queue, done, size)
            there = jnp.minimum(whose, count - 1)
            given, after = self._turn(
                plans, there // robots, number[there], self.unpacked(memory[there]), seen[there], whose < count
            )
            commands, memory = (
                x.at[whose].set(rows, mode="drop") for x, rows in ((commands, given), (memory, self.packed(after)))
            )
            return done + size, commands, memory

        _, commands, kept = lax.while_loop(lambda carry: carry[0] < place[-1], some, (jnp.int32(0), still, kept))
        return commands.reshape(*active.shape, -1), kept.reshape(memory.shape)

    @cached_property
    def _always(self) -> Array:
        """float[bots]: the flags of robots that command nothing."""
        _, bots = self._assembled
        return np.asarray(bots.advanced * ADVANCED + bots.gun_keeps * GUN_KEEPS, self.precision)  # type: ignore[return-value]

    def _busy(self, sensed: Array, memory: Array) -> Array:
        """Return bool[N]: whose turn begins a round, has an event, or goes on after a wait; all others wait on."""
        _, bots = self._assembled
        at, part = SENSED.index, self._columns
        wait = memory[:, part.wait]
        left = {name: sensed[:, at(name)] != 0 for name in ("ahead", "turn", "gun_turn")}
        waits = [(wait == WAITS.index(name)) & left[what] for name, what in BLOCKS.items()]
        blocked = sum(waits, wait == WAITS.index("event"))
        happens = memory[:, part.waiting] != 0
        for kind, name in HAPPENS.items():
            if (bots.entries[:, HANDLERS.index(kind)] != END).any():
                happens |= sensed[:, at(name)] > 0
        if (bots.entries[:, HANDLERS.index("hurt")] != END).any():
            happens |= sensed[:, at("energy")] <= memory[:, part.registers[0]]
        return happens | ~blocked | (sensed[:, at("time")] == 0)

    def _turn(
        self, plans: Any, whose: Array, number: Array, memory: Memory, sensed: Array, active: Array
    ) -> tuple[Array, Memory]:
        """Return float[N, K], what robots [N] command, and what they remember.

        Args:
            plans: of all individuals.
            whose: int32[N], which of them each robot follows.
            number: int32[N], of the bots.
            memory: [N].
            sensed: float[N, F].
            active: bool[N]: the others need not be right.
        """
        s = dict(zip(SENSED, arrays.apart(lambda x: x.T, sensed), strict=True))
        _, bots = self._assembled
        entries = {name: jnp.asarray(bots.entries[:, n])[number] for n, name in enumerate(HANDLERS)}
        advanced = jnp.asarray(bots.advanced)[number]
        flags = jnp.asarray(self._always)[number].astype(jnp.int32)

        new = s["time"] == 0
        rows = tuple(jnp.where(new, entries["run"] if n == 0 else END, row) for n, row in enumerate(memory.rows))
        begun = jnp.asarray(bots.registers, sensed.dtype)[number]
        registers = [jnp.where(new, begun[..., n], memory.registers[n]) for n in range(REGISTERS)]
        # The last register is static: it is kept from round to round, and says in which corner a robot fights.
        first = new & (s["round"] == 0)
        corner = memory.registers[3] + jnp.where(new & (s["fell"] > 0), 90.0, 0.0)
        registers[3] = jnp.where(first, begun[..., 3], jnp.where(corner == 270, -90.0, corner))

        happened = {
            **{kind: s[name] > 0 for kind, name in HAPPENS.items()},
            "hurt": s["energy"] <= registers[0],
        }
        queue = jnp.where(new, 0, memory.waiting)
        for n, kind in enumerate(QUEUE):
            queue = queue | jnp.where(happened[kind] & (entries[kind] != END), 1 << (KINDS + n), 0)
        no = jnp.zeros_like(new)
        now = Turn(
            rows,
            tuple(registers),
            tuple(jnp.where(new, 0.0, x) for x in memory.saved),  # type: ignore[arg-type]
            memory.stopped | new,  # as in the engine: what the first stop interrupts is lost
            memory.event,
            queue,
            memory.left,
            memory.fired,
            flags,
            *(s["ahead"], s["turn"], s["gun_turn"], jnp.zeros_like(s["x"]), jnp.zeros_like(s["x"])),
            within=new,
            fresh=no,
            done=~active,
            asks=jnp.full_like(queue, -1),
        )
        known = {name: (s[name], memory.last[name]) for name in DATA}

        def run(now: Turn, value: Array, shots: tuple[Array, ...]) -> Turn:
            return lax.while_loop(
                lambda now: (~now.done).any(),
                lambda now: self._passed(now, s, known, entries, advanced, value, shots),
                now,
            )

        def go(carry: tuple[Turn, Array, tuple[Array, ...]]) -> tuple[Turn, Array, tuple[Array, ...]]:
            now, value, shots = carry
            return self._answered(plans, whose, s, run(now, value, shots), value, shots)

        at_first = now, memory.value, memory.shots
        now, value, shots = lax.while_loop(lambda carry: (~carry[0].done).any(), go, at_first)
        aim = wrapped(s["body"] + s["bearing"])
        waits = self._for_condition(now.rows[0])
        before = memory.met & (now.rows[0] == memory.rows[0]) & ~new
        met = waits & (jnp.where(s["energy"] > 0, now.turn, s["turn"]) == 0)
        flags = now.flags | jnp.where(met & ~before, SCAN, 0)
        amounts = (flags.astype(sensed.dtype), now.ahead, now.turn, now.gun, jnp.zeros_like(aim), now.limit)
        after = Memory(
            *(now.rows, now.registers, now.saved, now.stopped, now.event),
            (now.queue >> KINDS),
            {name: s[name] for name in DATA},
            value,
            shots,
            *(now.left, now.fired, self._read(top(now.rows)[1])["wait"], met | (waits & before)),
        )
        return jnp.stack([*amounts, now.power, aim], -1), after

    def _for_condition(self, row: Array) -> Array:
        """Return bool[N]: whether main loops wait for a condition in some rows, int32[N]."""
        table, _ = self._assembled
        waits = np.flatnonzero(table.wait == WAITS.index("turn_met")).tolist()
        return sum((row == one for one in waits), jnp.zeros_like(row, bool))

    def _answered(
        self, plans: Any, whose: Array, s: Mapping[str, Array], now: Turn, value: Array, shots: tuple[Array, ...]
    ) -> tuple[Turn, Array, tuple[Array, ...]]:
        """Return robots that go on with the lines that they asked for, and all values and shots of lines."""
        del plans, whose, s
        return now, value, shots

    def _passed(
        self,
        now: Turn,
        s: Mapping[str, Array],
        known: Mapping[str, tuple[Array, Array]],
        entries: Mapping[str, Array],
        advanced: Array,
        value: Array,
        shots: tuple[Array, ...],
    ) -> Turn:
        """Take all robots whose turn is not over by one instruction."""
        level, row, handles, kind, old = arrays.apart(self._next, now.rows, now.queue, now.within, now.done)
        data = arrays.apart(held, now.event, known, handles, kind, old)
        queue = jnp.where(handles, now.queue & (now.queue - 1), now.queue)

        registers = now.registers
        waiting_shot = jnp.zeros_like(value)
        for n, power in enumerate(shots):
            waiting_shot = jnp.where(now.fired == n, power, waiting_shot)
        line = {"value": value, "left": now.left.astype(value.dtype), "shot": waiting_shot}
        used = arrays.apart(self._signals, {**s, "gun_turn": now.gun}, level, data, line, registers)

        def amount(which: Array, only: tuple[str, ...]) -> Array:
            chosen = jnp.zeros_like(value)
            for name in only:
                chosen = jnp.where(which == SIGNALS.index(name), used[name], chosen)
            return chosen

        def follow(at: Mapping[str, Array], entries: Mapping[str, Array]) -> tuple[Array, Array, Array]:
            left = {"ahead": now.ahead, "turn": now.turn, "gun_turn": now.gun}
            waiting = [(at["wait"] == WAITS.index(name)) & (left[what] != 0) for name, what in BLOCKS.items()]
            blocked = sum(waiting, at["wait"] == WAITS.index("event"))
            holds = amount(at["test"], self._signals_of("test")) < at["below"]
            follows = jnp.where(holds, at["then"], at["otherwise"])
            resumes = ~now.done & ~handles & ~blocked
            ends, goes = resumes & (follows == END), handles | (resumes & (follows != END))
            entry = pick(kind, tuple(entries[name] for name in QUEUE))
            return ends, goes, jnp.where(handles, entry, follows)

        ends, goes, row = arrays.apart(follow, self._read(row), entries)
        rows = tuple(
            jnp.where((level == n) & (goes | ends), jnp.where(goes, row, END), one) for n, one in enumerate(now.rows)
        )

        def give(at: Mapping[str, Array]) -> tuple[Array, Array]:
            given = at["times"] * amount(at["signal"], self._signals_of("signal")) + at["plus"]
            kept = at["keep_times"] * amount(at["keep_signal"], self._signals_of("keep_signal")) + at["keep_plus"]
            return given, kept

        at = self._read(row)
        given, kept = arrays.apart(give, at)
        target, register = at["target"], jnp.where(goes, at["keep"], -1)

        def is_target(name: str) -> Array:
            return goes & (target == TARGETS.index(name))

        radians = given * (math.pi / 180)
        stops, resumed, rates = is_target("stop"), is_target("resume") & now.stopped, is_target("rates")
        drives, turns, guns, limits = (is_target(name) for name in ("ahead", "turn", "gun", "limit"))
        r = registers
        ahead = jnp.where(drives, given, now.ahead)
        turn = jnp.where(turns, radians, now.turn)
        gun = jnp.where(guns, radians, now.gun)
        if self._has("rates"):
            ahead = jnp.where(rates, jnp.sign(r[1]) * ENDLESS, ahead)
            turn = jnp.where(rates, r[2] * (math.pi / 180), turn)
            gun = jnp.where(rates, math.radians(15), gun)
        saved = now.saved
        if self._has("stop"):
            saves = stops & ~now.stopped
            before = zip((now.ahead, now.turn, now.gun), saved, strict=True)
            saved = three(jnp.where(saves, x, y) for x, y in before)
            ahead, turn, gun = (
                jnp.where(stops, 0.0, jnp.where(resumed, x, y)) for x, y in zip(saved, (ahead, turn, gun), strict=True)
            )
        moves_all = stops | resumed | rates
        volley = is_target("volley")
        cool = (s["heat"] <= 0) & (s["energy"] > 0)
        fires = (is_target("fire") | volley) & cool & ((now.flags & FIRE) == 0)
        given = jnp.where(volley, waiting_shot, given)
        fresh = jnp.where(handles, (kind == QUEUE.index("scan")) & ~old, now.fresh)
        aims = fires & (level == SCANNED) & fresh & (s["gun"] == s["radar"]) & ~advanced
        flags = now.flags | jnp.where(drives | moves_all, AHEAD, 0) | jnp.where(turns | moves_all, TURN, 0)
        flags |= jnp.where(guns | moves_all, GUN, 0) | jnp.where(limits | rates, LIMIT, 0)
        flags |= jnp.where(fires, FIRE, 0) | jnp.where(aims, AIMED, 0) | jnp.where(is_target("scan"), SCAN, 0)
        asks = is_target("line")
        waits = at["wait"] != WAITS.index("on")
        return Turn(
            rows,
            tuple(jnp.where(register == n, kept, x) for n, x in enumerate(registers)),
            saved,
            (now.stopped | stops) & ~resumed,
            data,
            queue,
            now.left - volley,
            now.fired + volley,
            flags,
            *three(jnp.clip(x, -ENDLESS, ENDLESS) for x in (ahead, turn, gun)),
            jnp.where(limits, given, jnp.where(rates, r[1], now.limit)),
            jnp.where(fires, jnp.clip(given, 0.0, 3.0), now.power),
            within=goes & ~waits,
            fresh=fresh,
            done=now.done | (goes & (waits | asks)) | (~goes & ~ends),
            asks=jnp.where(asks, given.astype(jnp.int32), now.asks),
        )

    def _next(
        self, rows: tuple[Array, ...], queue: Array, within: Array, done: Array
    ) -> tuple[Array, Array, Array, Array, Array]:
        """Return at which level robots run next, and in which row they wait there, unless they handle an event.

        That is whether they do, its kind, a place in `QUEUE`, and whether it is of the last turn.
        """
        level, row = top(rows)
        head = queue & -queue
        old = head < (1 << KINDS)
        head = jnp.where(old, head, head >> KINDS)
        kind = sum((jnp.where(head == (1 << n), n, 0) for n in range(1, KINDS)), jnp.zeros_like(level))
        event = jnp.where(head == 0, 0, pick(kind, LEVEL))
        rescans = (level == SCANNED) & (event == SCANNED) & (self._read(row)["target"] == TARGETS.index("scan"))
        handles = ~done & ~within & ((event > level) | rescans)
        return jnp.where(handles, event, level), row, handles, kind, old

    def _read(self, row: Array) -> dict[str, Array]:
        """Return the instructions in rows, int32[N]."""
        table, _ = self._assembled
        rows = jnp.asarray(np.stack(table, -1), self.precision)[row]
        whole = [column.dtype.kind != "f" for column in table]
        found = arrays.apart(lambda x: x.T, rows)
        return {
            name: x.astype(jnp.int32) if one else x for name, x, one in zip(table._fields, found, whole, strict=True)
        }

    def _signals(
        self,
        s: Mapping[str, Array],
        level: Array,
        data: Mapping[str, Array],
        line: Mapping[str, Array],
        registers: tuple[Array, ...],
    ) -> dict[str, Array]:
        """Return the signals that some instruction depends on."""
        bearings = (data["bearing"],) * 2 + (data["shot_bearing"], data["wall_bearing"], data["ram_bearing"])
        frame = {
            "bearing": pick(level, bearings),
            "distance": data["distance"],
            "energy": data["ram_energy"],
            "shot_heading": data["shot_heading"],
        }
        kept = {f"r{n}": x for n, x in enumerate(registers)}
        found = signals(s, frame, {**line, **kept}) | {name: (lambda x=x: x) for name, x in kept.items()}
        return {name: found[name]() for name in self._used}

    def _has(self, target: str) -> bool:
        table, _ = self._assembled
        return bool((table.target == TARGETS.index(target)).any())

    def _signals_of(self, column: str) -> tuple[str, ...]:
        """Return the signals that a column of the table names."""
        table, _ = self._assembled
        return tuple(SIGNALS[n] for n in sorted(set(getattr(table, column).tolist())))

    @cached_property
    def _used(self) -> tuple[str, ...]:
        columns = (self._signals_of(name) for name in ("signal", "keep_signal", "test"))
        return tuple(dict.fromkeys(name for names in columns for name in names))
