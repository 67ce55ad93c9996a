"""What a battle consists of: two robots, their bullets, points, and the commands that they are given.

Every array of a robot is a scalar, so that batches of battles are contiguous; bullets have an axis of S slots. Lengths
are in pixels, angles in radians, clockwise from north. Numbers are float32 in runs, float64 where they start as such.
"""

from typing import NamedTuple

import jax.numpy as jnp
from flax import struct
from jax import Array

SLOTS = 9
"""Bullets of a robot in flight that a state has room for: as many as can fly in 800 x 600 pixels."""
MOST_SLOTS = 31
"""The most room that there is, in arenas that need it: sets of bullets are words of 31 bits."""
ENDLESS = 1e30
"""An amount that is never used up: controls are finite."""


@struct.dataclass
class Robot:
    """A robot."""

    x: Array
    y: Array
    box_x: Array  # the centre of its box: where it rammed, until it moves again
    box_y: Array
    body: Array
    gun: Array
    radar: Array
    v: Array
    energy: Array
    heat: Array
    ahead: Array  # what is left of the commands: pixels
    turn: Array  # radians, as are the next two
    gun_turn: Array
    radar_turn: Array
    limit: Array  # of the speed
    overdrive: Array  # bool: it will not stop in time
    rammed: Array  # bool: it rammed in the last turn, at its own fault
    dead: Array  # bool


@struct.dataclass
class Bullets:
    """The bullets of a robot, [S] each. Their last steps are kept: bullets meet where those cross."""

    from_x: Array  # where the last step began
    from_y: Array
    vx: Array
    vy: Array
    heading: Array
    power: Array  # 0: none

    @property
    def x(self) -> Array:
        """Where they are."""
        return self.from_x + self.vx

    @property
    def y(self) -> Array:
        """Where they are."""
        return self.from_y + self.vy


@struct.dataclass
class Points:
    """What a robot has scored in all rounds, and what it did."""

    survival: Array
    last: Array  # for the last survivor
    bullet: Array  # damage by bullets
    bullet_bonus: Array
    ram: Array  # damage by rams, twice
    ram_bonus: Array
    damage: Array  # done in this round: by bullets, and 0.6 for each ram at its own fault
    firsts: Array  # rounds
    shots: Array
    hits: Array
    driven: Array  # pixels

    @property
    def total(self) -> Array:
        """The score."""
        return self.survival + self.last + self.bullet + self.bullet_bonus + self.ram + self.ram_bonus


@struct.dataclass
class Seen:
    """What happened to a robot in the last turn."""

    scanned: Array  # bool: its radar swept over the other one
    aligned: Array  # bool: gun and radar pointed alike before and after the sweep
    shot: Array  # bool: a bullet hit it
    shot_heading: Array  # where the bullet flew
    shot_bearing: Array  # where it came from, relative to the body
    wall: Array  # bool: it hit a wall
    wall_bearing: Array
    ram: Array  # bool: it rammed, at its own fault
    ram_bearing: Array
    ram_energy: Array  # of the other one, as is `struck_energy`
    struck: Array  # bool: the other one rammed it
    struck_bearing: Array
    struck_energy: Array
    fell: Array  # bool: it died in the round before this one, which has just begun


@struct.dataclass
class State:
    """One moment of a battle, at the end of a turn. Tuples are by seat."""

    robots: tuple[Robot, Robot]
    bullets: tuple[Bullets, Bullets]
    points: tuple[Points, Points]
    seen: tuple[Seen, Seen]
    idle: Array  # int32: turns since energy was lost
    loss: Array  # energy lost, less all full tens
    seed: Array  # uint32, of all lots of the battle
    round: Array  # int32, from 0
    time: Array  # int32: turns of this round
    stopped: Array  # int32: rounds that took too long
    terminated: Array  # bool: all rounds are over


class Commands(NamedTuple):
    """What a robot commands in a turn. Amounts count where their flags are set."""

    flags: Array  # int32: a sum of the numbers below
    ahead: Array  # pixels
    turn: Array  # radians, as are the next two
    gun: Array
    radar: Array
    limit: Array  # pixels a turn
    power: Array
    aim: Array  # radians: where a shot flies that the engine aims

    def has(self, flag: int) -> Array:
        """Return whether a flag is set."""
        return (self.flags & flag) != 0


AHEAD, TURN, GUN, RADAR, LIMIT, FIRE, AIMED, SCAN, GUN_KEEPS, RADAR_KEEPS_GUN, RADAR_KEEPS_BODY, ADVANCED = (
    1 << n for n in range(12)
)
"""Flags of commands: which amounts are given; whether a shot may be aimed; whether to scan in any case; whether gun and
radar keep their direction when the body, or the gun, turns; and whether it is an advanced robot, whom walls hurt."""


def robot(x: Array, y: Array, heading: Array) -> Robot:
    """Return a robot at the start of a round."""
    zero, no = jnp.zeros_like(x), jnp.zeros_like(x, bool)
    return Robot(
        *(x, y, x, y, heading, heading, heading, zero, zero + 100.0, zero + 3.0, zero, zero, zero, zero, zero + 8.0),
        *(no, no, no),
    )


def bullets(like: Array, slots: int = SLOTS) -> Bullets:
    """Return no bullets, in the precision of an array [], and room for some."""
    none = jnp.zeros((*like.shape, slots), like.dtype)
    return Bullets(none, none, none, none, none, none)


def points(like: Array) -> Points:
    """Return no points, in the precision of an array []."""
    return Points(*[jnp.zeros_like(like)] * 11)


def unseen(like: Array) -> Seen:
    """Return what is seen before the first turn: nothing."""
    no, zero = jnp.zeros_like(like, bool), jnp.zeros_like(like)
    return Seen(no, no, no, zero, zero, no, zero, no, zero, zero, no, zero, zero, no)
