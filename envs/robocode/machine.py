"""How robots run: blocking calls, and events that interrupt them, as in the engine.

A robot is a thread there. A call such as `ahead` gives a command and waits, turn by turn, until its amount is used up.
In each turn, events are handled first: by time, then by priority. A handler may wait as well; meanwhile only events of
higher priority interrupt it. Events wait behind one that has to wait, and are dropped when they are two turns old. A
handler of scans that scans again is abandoned, and begins anew, when it sees the other robot.

Here a robot is a row number in a table of instructions for its main loop and for each kind of event whose handler is
open (`envs.robocode.bots.assembly`). All robots, whatever their kind, run in one batch: one pass of a loop takes each
of them by one instruction, and ends the turn of those that wait.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array, lax

from envs.robocode.bots.assembly import END, HANDLERS, LEVELS, REGISTERS, TARGETS, WAITS, Bot, assemble
from envs.robocode.physics import wrapped
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
)
from jaxgp.contracts import Driver

QUEUE = ("hurt", "ram", "struck", "wall", "shot", "scan")
"""Kinds of events, in the order in which those of a turn are handled."""
SCANNED, SHOT, WALL, RAMMED, HURT = range(1, 6)
_LEVEL = (HURT, RAMMED, RAMMED, WALL, SHOT, SCANNED)
KINDS = len(QUEUE)
DATA = (
    *("bearing", "distance", "heading", "velocity", "other_energy", "shot_bearing", "shot_heading", "wall_bearing"),
    *("ram_bearing", "ram_energy", "struck_bearing", "struck_energy"),
)
"""What events say, by names of what is perceived."""
KEPT = DATA[:-2]
"""What an open handler knows of its event."""


@struct.dataclass
class Memory:
    """Robots between two turns, [...] each."""

    rows: tuple[Array, ...]  # int32, by level: what it waits in; END: no such handler is open
    registers: tuple[Array, ...]
    saved: tuple[Array, Array, Array]  # what was left of the commands when it stopped
    stopped: Array  # bool
    event: dict[str, Array]  # `KEPT`, of the events of the open handlers
    waiting: Array  # int32: bits of the events of the last turn that are not handled yet
    last: dict[str, Array]  # `DATA` of that turn
    value: Array  # of the line that it has begun
    shots: Array  # [..., Q]: of that line
    left: Array  # int32: how many of them are not fired yet
    fired: Array  # int32: how many are


@struct.dataclass
class Turn:
    """Robots within a turn."""

    rows: tuple[Array, ...]
    registers: tuple[Array, ...]
    saved: tuple[Array, Array, Array]
    stopped: Array
    event: dict[str, Array]
    queue: Array  # int32: bits of the events that are not handled yet: those of the last turn, then of this one
    left: Array
    fired: Array
    flags: Array  # int32, of the commands so far
    ahead: Array  # what is left of the commands
    turn: Array
    gun: Array
    limit: Array
    power: Array
    within: Array  # bool: it is between two instructions, where no event is handled
    fresh: Array  # bool: the event of its handler of scans is of this turn, and no turn has passed
    done: Array  # bool: its turn is over
    asks: Array  # int32: the line whose value it needs to go on; -1: none


@dataclass(frozen=True)
class BotDriver(Driver[Array, Memory]):
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

    def start(self, plans: Any, rollouts: int, /) -> Memory:
        """Return what is remembered before the first turn, which sets most of it."""
        shape, dtype = (len(jax.tree.leaves(plans)[0]), rollouts), jnp.dtype(self.precision)
        zero, none, no = jnp.zeros(shape, dtype), jnp.zeros(shape, jnp.int32), jnp.zeros(shape, bool)
        return Memory(
            (none,) * len(LEVELS),
            (zero,) * REGISTERS,
            (zero,) * 3,
            no,
            dict.fromkeys(KEPT, zero),
            none,
            dict.fromkeys(DATA, zero),
            zero,
            jnp.zeros((*shape, self.shots), dtype),
            none,
            none,
        )

    def control(self, plans: Any, memory: Memory, sensed: Array, bits: Array, active: Array, /) -> tuple[Array, Memory]:
        """Return float[P, M, K] commands, and the memory after them."""
        del bits
        s = dict(zip(SENSED, jnp.moveaxis(sensed, -1, 0), strict=True))
        _, bots = self._assembled
        number = self.numbers(plans, active.shape[1])
        entries = {name: jnp.asarray(bots.entries[:, n])[number] for n, name in enumerate(HANDLERS)}
        always = bots.advanced * ADVANCED + bots.gun_keeps * GUN_KEEPS
        advanced = jnp.asarray(bots.advanced)[number]
        flags = jnp.asarray(always.astype("int32"))[number]

        new = s["time"] == 0
        rows = tuple(jnp.where(new, entries["run"] if n == 0 else END, row) for n, row in enumerate(memory.rows))
        begun = jnp.asarray(bots.registers, sensed.dtype)[number]
        registers = [jnp.where(new, begun[..., n], memory.registers[n]) for n in range(REGISTERS)]
        # The last register is static: it is kept from round to round, and says in which corner a robot fights.
        first = new & (s["round"] == 0)
        corner = memory.registers[3] + jnp.where(new & (s["fell"] > 0), 90.0, 0.0)
        registers[3] = jnp.where(first, begun[..., 3], jnp.where(corner == 270, -90.0, corner))

        happened = {
            **{
                kind: s[name] > 0
                for kind, name in zip(QUEUE[1:], ("ram", "struck", "wall", "shot", "scanned"), strict=True)
            },
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

        def run(now: Turn, value: Array, shots: Array) -> Turn:
            return lax.while_loop(
                lambda now: (~now.done).any(),
                lambda now: self._passed(now, s, known, entries, advanced, value, shots),
                now,
            )

        now = run(now, memory.value, memory.shots)
        value, shots, now = self._answered(plans, s, memory, now)
        if self.answers:
            now = run(now, value, shots)
        aim = wrapped(s["body"] + s["bearing"])
        amounts = (now.flags.astype(sensed.dtype), now.ahead, now.turn, now.gun, jnp.zeros_like(aim), now.limit)
        commands = jnp.stack([*amounts, now.power, aim], -1)
        after = Memory(
            *(now.rows, now.registers, now.saved, now.stopped, now.event),
            (now.queue >> KINDS),
            {name: s[name] for name in DATA},
            *(value, shots, now.left, now.fired),
        )
        return commands, jax.tree.map(lambda x, y: x.astype(y.dtype), after, memory)

    answers = False
    """Whether its robots have lines that are evaluated."""

    def _answered(self, plans: Any, s: Mapping[str, Array], memory: Memory, now: Turn) -> tuple[Array, Array, Turn]:
        """Return the values of lines, their shots, and the robots that go on with them."""
        del plans, s
        return memory.value, memory.shots, now

    def _passed(
        self,
        now: Turn,
        s: Mapping[str, Array],
        known: Mapping[str, tuple[Array, Array]],
        entries: Mapping[str, Array],
        advanced: Array,
        value: Array,
        shots: Array,
    ) -> Turn:
        """Take all robots whose turn is not over by one instruction."""
        table, _ = self._assembled
        columns = {
            name: jnp.asarray(column, s["x"].dtype if column.dtype.kind == "f" else jnp.int32)
            for name, column in zip(table._fields, table, strict=True)
        }
        top = sum((jnp.where(now.rows[n] != END, 1 << n, 0) for n in range(1, len(LEVELS))), jnp.int32(0))
        level = jnp.where(
            top >= 32, 5, jnp.where(top >= 16, 4, jnp.where(top >= 8, 3, jnp.where(top >= 4, 2, (top > 0) * 1)))
        )
        row = _pick(level, now.rows)

        head = now.queue & -now.queue
        old = head < (1 << KINDS)
        head = jnp.where(old, head, head >> KINDS)
        is_ = {kind: head == (1 << n) for n, kind in enumerate(QUEUE)}
        event = sum((jnp.where(is_[kind], _LEVEL[n], 0) for n, kind in enumerate(QUEUE)), jnp.zeros_like(level))
        rescans = (level == SCANNED) & (event == SCANNED) & (columns["target"][row] == TARGETS.index("scan"))
        handles = ~now.done & ~now.within & ((event > level) | rescans)
        level = jnp.where(handles, event, level)
        data = dict(now.event)
        for kind, names in _HOLDS.items():
            for name, source in names.items():
                new, last = known[source]
                data[name] = jnp.where(handles & is_[kind], jnp.where(old, last, new), data[name])
        entry = sum((jnp.where(is_[kind], entries[kind], 0) for kind in QUEUE), jnp.zeros_like(row))
        queue = jnp.where(handles, now.queue & (now.queue - 1), now.queue)

        registers = now.registers
        frame = {
            "bearing": _pick(
                level, (data["bearing"],) * 2 + (data["shot_bearing"], data["wall_bearing"], data["ram_bearing"])
            ),
            "distance": data["distance"],
            "energy": data["ram_energy"],
            "shot_heading": data["shot_heading"],
        }
        waiting_shot = jnp.zeros_like(value)
        for n in range(shots.shape[-1]):
            waiting_shot = jnp.where(now.fired == n, shots[..., n], waiting_shot)
        line = {
            "value": value,
            "left": now.left.astype(value.dtype),
            "shot": waiting_shot,
            "r0": registers[0],
            "r1": registers[1],
            "r3": registers[3],
        }
        seen = {**s, "gun_turn": now.gun}
        found = signals(seen, frame, line) | {f"r{n}": (lambda x=x: x) for n, x in enumerate(registers)}
        used = {name: found[name]() for name in self._used}

        def amount(which: Array, only: tuple[str, ...]) -> Array:
            chosen = jnp.zeros_like(value)
            for name in only:
                chosen = jnp.where(which == SIGNALS.index(name), used[name], chosen)
            return chosen

        wait = columns["wait"][row]
        blocked = ((wait == WAITS.index("ahead_done")) & (now.ahead != 0)) | (
            (wait == WAITS.index("turn_done")) & (now.turn != 0)
        )
        blocked |= (wait == WAITS.index("gun_done")) & (now.gun != 0)
        holds = amount(columns["test"][row], self._signals_of("test")) < columns["below"][row]
        follows = jnp.where(holds, columns["then"][row], columns["otherwise"][row])
        resumes = ~now.done & ~handles & ~blocked
        ends, goes = resumes & (follows == END), handles | (resumes & (follows != END))
        row = jnp.where(handles, entry, follows)
        rows = tuple(
            jnp.where((level == n) & (goes | ends), jnp.where(goes, row, END), one) for n, one in enumerate(now.rows)
        )

        target = columns["target"][row]
        given = (
            columns["times"][row] * amount(columns["signal"][row], self._signals_of("signal")) + columns["plus"][row]
        )
        kept = (
            columns["keep_times"][row] * amount(columns["keep_signal"][row], self._signals_of("keep_signal"))
            + columns["keep_plus"][row]
        )
        register = jnp.where(goes, columns["keep"][row], -1)

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
            saved = _three(jnp.where(saves, x, y) for x, y in before)
            ahead, turn, gun = (
                jnp.where(stops, 0.0, jnp.where(resumed, x, y)) for x, y in zip(saved, (ahead, turn, gun), strict=True)
            )
        moves_all = stops | resumed | rates
        volley = is_target("volley")
        cool = (s["heat"] <= 0) & (s["energy"] > 0)
        fires = (is_target("fire") | volley) & cool & ((now.flags & FIRE) == 0)
        given = jnp.where(volley, waiting_shot, given)
        fresh = jnp.where(handles, (event == SCANNED) & ~old, now.fresh)
        aims = fires & (level == SCANNED) & fresh & (s["gun"] == s["radar"]) & ~advanced
        flags = now.flags | jnp.where(drives | moves_all, AHEAD, 0) | jnp.where(turns | moves_all, TURN, 0)
        flags |= jnp.where(guns | moves_all, GUN, 0) | jnp.where(limits | rates, LIMIT, 0)
        flags |= jnp.where(fires, FIRE, 0) | jnp.where(aims, AIMED, 0) | jnp.where(is_target("scan"), SCAN, 0)
        asks = is_target("line")
        waits = columns["wait"][row] != WAITS.index("on")
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
            *_three(jnp.clip(x, -ENDLESS, ENDLESS) for x in (ahead, turn, gun)),
            jnp.where(limits, given, jnp.where(rates, r[1], now.limit)),
            jnp.where(fires, jnp.clip(given, 0.0, 3.0), now.power),
            within=goes & ~waits,
            fresh=fresh,
            done=now.done | (goes & (waits | asks)) | (~goes & ~ends),
            asks=jnp.where(asks, given.astype(jnp.int32), now.asks),
        )

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


_HOLDS = {
    "scan": {name: name for name in DATA[:5]},
    "shot": {name: name for name in ("shot_bearing", "shot_heading")},
    "wall": {"wall_bearing": "wall_bearing"},
    "ram": {"ram_bearing": "ram_bearing", "ram_energy": "ram_energy"},
    "struck": {"ram_bearing": "struck_bearing", "ram_energy": "struck_energy"},
}
"""What a handler of a kind of events keeps, and from what that is perceived."""


def _pick(which: Array, among: tuple[Array, ...]) -> Array:
    """Return what a number picks, elementwise; a number beyond picks the last one."""
    found = among[-1]
    for n in reversed(range(len(among) - 1)):
        found = jnp.where(which == n, among[n], found)
    return found


def _three(arrays: Iterable[Array]) -> tuple[Array, Array, Array]:
    """Return what an expression says of driving, turning and the gun, in this order."""
    first, second, third = arrays
    return first, second, third
