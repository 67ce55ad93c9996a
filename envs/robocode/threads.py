"""What robots remember between two turns, what they are within one, and the events that they handle.

Events of a turn are handled in the order of `QUEUE`. `envs.robocode.machine` says how.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import jax.numpy as jnp
from flax import struct
from jax import Array

from envs.robocode.bots.assembly import END

QUEUE = ("hurt", "ram", "struck", "wall", "shot", "scan")
"""Kinds of events, in the order in which those of a turn are handled."""
SCANNED, SHOT, WALL, RAMMED, HURT = range(1, 6)
LEVEL = (HURT, RAMMED, RAMMED, WALL, SHOT, SCANNED)
KINDS = len(QUEUE)
DATA = (
    *("bearing", "distance", "heading", "velocity", "other_energy", "shot_bearing", "shot_heading", "wall_bearing"),
    *("ram_bearing", "ram_energy", "struck_bearing", "struck_energy"),
)
"""What events say, by names of what is perceived."""
HAPPENS = {"ram": "ram", "struck": "struck", "wall": "wall", "shot": "shot", "scan": "scanned"}
"""What is perceived where an event happened."""
BLOCKS = {"ahead_done": "ahead", "turn_done": "turn", "gun_done": "gun_turn", "turn_met": "turn"}
"""Which amount has to be used up where a robot waits for that."""
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
    shots: tuple[Array, ...]  # of that line
    left: Array  # int32: how many of them are not fired yet
    fired: Array  # int32: how many are
    wait: Array  # int32: a place in `WAITS`
    met: Array  # bool: the condition that its main loop waits for was met


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


HOLDS = {
    "scan": {name: name for name in DATA[:5]},
    "shot": {name: name for name in ("shot_bearing", "shot_heading")},
    "wall": {"wall_bearing": "wall_bearing"},
    "ram": {"ram_bearing": "ram_bearing", "ram_energy": "ram_energy"},
    "struck": {"ram_bearing": "struck_bearing", "ram_energy": "struck_energy"},
}
"""What a handler of a kind of events keeps, and from what that is perceived."""


def top(rows: tuple[Array, ...]) -> tuple[Array, Array]:
    """Return the highest level at which a handler is open, int32[N], and the row in which it waits."""
    level = jnp.zeros_like(rows[0])
    for n in range(1, len(rows)):
        level = jnp.where(rows[n] != END, n, level)
    return level, pick(level, rows)


def held(
    event: Mapping[str, Array], known: Mapping[str, tuple[Array, Array]], handles: Array, kind: Array, old: Array
) -> dict[str, Array]:
    """Return what handlers know of their events, after some robots have begun to handle another one."""
    data = dict(event)
    for n, name in enumerate(QUEUE):
        for part, source in HOLDS.get(name, {}).items():
            new, last = known[source]
            data[part] = jnp.where(handles & (kind == n), jnp.where(old, last, new), data[part])
    return data


def pick(which: Array, among: tuple[Any, ...]) -> Array:
    """Return what a number picks, elementwise; a number beyond picks the last one."""
    found = jnp.broadcast_to(among[-1], which.shape)
    for n in reversed(range(len(among) - 1)):
        found = jnp.where(which == n, among[n], found)
    return found


def three(arrays: Iterable[Array]) -> tuple[Array, Array, Array]:
    """Return what an expression says of driving, turning and the gun, in this order."""
    first, second, third = arrays
    return first, second, third
