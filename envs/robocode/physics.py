"""One turn of a round: commands, bullets, moves, walls, rams, inactivity, scans, deaths.

Functions are written for one battle and are elementwise, in the precision of the robots. A turn is a chain of them;
what one hands to the next is computed apart (`jaxgp.arrays.apart`), or each number at its end would compute the whole
chain again.

Source: the rules of Robocode 1.9.3.9, as its recorded battles show them.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.robocode.rounding import arctan2, cosine, sine
from envs.robocode.state import (
    ADVANCED,
    AHEAD,
    AIMED,
    FIRE,
    GUN,
    GUN_KEEPS,
    LIMIT,
    RADAR,
    RADAR_KEEPS_BODY,
    RADAR_KEEPS_GUN,
    SCAN,
    SLOTS,
    TURN,
    Bullets,
    Commands,
    Robot,
    Seen,
    State,
)
from jaxgp import arrays

HALF = 18.0
"""Half the side of the box of a robot, which never turns."""
RADIUS = 3.0
"""Of a bullet, at walls."""
FASTEST = 8.0
REACH = 1200.0
"""Of the radar."""
GUN_RATE = math.radians(20)
RADAR_RATE = math.radians(45)
RAM = 0.6
"""Energy that a ram costs both robots."""
ZAP = 0.1
"""Energy that a turn costs both robots when nothing happens for long."""
DISABLED = 0.01
"""Energy below which a robot has none."""
SURVIVAL, LAST, BULLET_BONUS, RAM_POINTS, RAM_BONUS = 50.0, 10.0, 0.2, 1.2, 0.3
SNAP = 1e-5
"""Radians from a multiple of a right angle at which a heading is one."""
COOL = 2e-5
"""Single precision: heat below which a gun is cool. In double precision it is 0, as in the engine."""
USED_UP = 1e-6
"""Single precision: radians of a turn below which it is done."""
LATE = 5e-5
"""Single precision: heat added to shots of 0.5, 1 and 1.5, which in double precision cool a turn late."""


_BITS = 1 << np.arange(SLOTS, dtype=np.int32)


class Field(NamedTuple):
    """The settings of a turn."""

    width: float
    height: float
    cooling: float
    patience: int  # turns without loss of energy after which robots lose some


class Lots(NamedTuple):
    """What the engine draws in a turn: by seat, who is first."""

    bullets: Array  # bool: the bullets of seat 1 are examined before those of seat 0
    moves: Array  # bool: seat 1 moves first


class Idle(NamedTuple):
    """The rule of inactivity."""

    turns: Array  # int32: since energy was lost
    loss: Array

    def lost(self, amount: Array) -> "Idle":
        """Return the counters after a loss of energy."""
        loss = self.loss + amount
        full = loss >= 10
        return Idle(jnp.where(full, 0, self.turns), jnp.where(full, loss - 10 * jnp.floor(loss / 10), loss))


def wrapped(angle: Array) -> Array:
    """Return an angle from -2 pi to 4 pi as one from 0 to 2 pi."""
    angle = jnp.where(angle < 0, angle + 2 * math.pi, angle)
    return jnp.where(angle >= 2 * math.pi, angle - 2 * math.pi, angle)


def relative(angle: Array) -> Array:
    """Return an angle from -4 pi to 4 pi as one from -pi to pi."""
    angle = jnp.where(angle < -math.pi, angle + 2 * math.pi, angle)
    angle = jnp.where(angle < -math.pi, angle + 2 * math.pi, angle)
    angle = jnp.where(angle >= math.pi, angle - 2 * math.pi, angle)
    return jnp.where(angle >= math.pi, angle - 2 * math.pi, angle)


def snapped(angle: Array) -> Array:
    """Return an angle from 0 to 2 pi, on an axis where it is close to one."""
    quarters = jnp.round(angle / (math.pi / 2))
    near = jnp.abs(angle - quarters * (math.pi / 2)) < SNAP
    return jnp.where(near, jnp.where(quarters == 4, 0.0, quarters * (math.pi / 2)), angle)


def bounded(x: Array, most: Array | float) -> Array:
    """Return a number, at most so far from 0."""
    return jnp.clip(x, -most, most)


def new_speed(v: Array, left: Array, limit: Array) -> Array:
    """Return the speed after a turn with a distance left."""
    side = jnp.where(left < 0, -1.0, 1.0)
    v, left = v * side, left * side
    turns = jnp.maximum(1.0, jnp.ceil((jnp.sqrt(4 * left + 1) - 1) / 2))
    goal = jnp.minimum(limit, 2 * (turns - 1) + (left - turns * (turns - 1)) / turns)
    back = -v / 2
    turning = jnp.maximum(v - 1, jnp.minimum(goal, v + 2 * jnp.minimum(1, back) + jnp.maximum(0, 1 - back)))
    return side * jnp.where(v >= 0, jnp.maximum(v - 2, jnp.minimum(goal, v + 1)), turning)


def braking(v: Array) -> Array:
    """Return the pixels in which a robot stops."""
    v = jnp.abs(v)
    return sum((jnp.maximum(v - 2.0 * n, 0) for n in (1, 2, 3)), jnp.zeros_like(v))


def with_energy(robot: Robot, energy: Array) -> Robot:
    """Return a robot with some energy, or a disabled one."""
    off = energy < DISABLED
    return robot.replace(  # type: ignore[attr-defined]
        energy=jnp.where(off, 0.0, energy),
        ahead=jnp.where(off, 0.0, robot.ahead),
        turn=jnp.where(off, 0.0, robot.turn),
    )


def heat_of(power: Array) -> Array:
    """Return the heat of a shot."""
    heat = 1 + power / 5
    if power.dtype == jnp.float64:
        return heat
    return heat + jnp.where((2 * power == jnp.round(2 * power)) & (power < 1.75), LATE, 0.0)


def _changed(names: str, function: Callable[..., Robot], robot: Robot, *args: object) -> Robot:
    """Return a robot after a function that changes these fields, computed apart."""
    fields = names.split()

    def change(*given: Any) -> list[Array]:
        after = function(*given)
        return [getattr(after, name) for name in fields]

    return robot.replace(**dict(zip(fields, arrays.apart(change, robot, *args), strict=True)))  # type: ignore[attr-defined]


class Shell(NamedTuple):
    """A new bullet; without power there is none."""

    x: Array
    y: Array
    vx: Array
    vy: Array
    power: Array


def command(robot: Robot, aligned: Array, given: Commands) -> tuple[Robot, Shell]:
    """Return a robot with its commands, and what it shoots; `aligned` (bool[]): a shot may be aimed."""
    alive, able = robot.energy != 0, robot.energy > 0
    robot = robot.replace(  # type: ignore[attr-defined]
        ahead=jnp.where(given.has(AHEAD) & alive, given.ahead, robot.ahead),
        turn=jnp.where(given.has(TURN) & able, given.turn, robot.turn),
        gun_turn=jnp.where(given.has(GUN), given.gun, robot.gun_turn),
        radar_turn=jnp.where(given.has(RADAR), given.radar, robot.radar_turn),
        limit=jnp.where(given.has(LIMIT), jnp.minimum(jnp.abs(given.limit), FASTEST), robot.limit),
    )
    fires = given.has(FIRE) & (robot.heat <= 0) & able
    power = jnp.where(fires, jnp.minimum(robot.energy, jnp.clip(given.power, 0.1, 3.0)), 0.0)
    # A robot that is disabled loses its commands in the turn in which it becomes so, and no more later.
    hot = with_energy(robot, robot.energy - power).replace(heat=robot.heat + heat_of(power))  # type: ignore[attr-defined]
    heading = jnp.where(given.has(AIMED) & aligned, given.aim, robot.gun)
    speed = 20 - 3 * power
    shell = Shell(robot.x, robot.y, speed * sine(heading), speed * cosine(heading), power)
    return arrays.where(fires, hot, robot), shell


def added(bullets: Bullets, shell: Shell) -> tuple[Bullets, Array]:
    """Return bullets with a new one, and bool[SLOTS], which one is new."""
    free = _word(bullets.power == 0)
    first = jnp.where(shell.power > 0, free & -free, 0)
    new = first[..., None] == _BITS
    old = bullets.x, bullets.y, bullets.vx, bullets.vy, bullets.power
    return Bullets(*(jnp.where(new, x[..., None], y) for x, y in zip(shell, old, strict=True))), new


def _word(bits: Array) -> Array:
    """Return int32[], a set of bullets as a word, from bool[SLOTS]."""
    return jnp.where(bits, _BITS, 0).sum(-1, dtype=jnp.int32)


def _in(word: Array) -> Array:
    """Return bool[SLOTS]: which bullets are in a set."""
    return (word[..., None] & _BITS) != 0


def touches(bullets: Bullets, x: Array, y: Array) -> Array:
    """Return bool[SLOTS]: whether the next step of a bullet touches the box at a place."""
    low, high = jnp.zeros_like(bullets.x), jnp.ones_like(bullets.x)
    for at, step, centre in ((bullets.x, bullets.vx, x), (bullets.y, bullets.vy, y)):
        pace = 1 / jnp.where(step == 0, 1e-30, step)
        one, other = (centre - HALF - at) * pace, (centre + HALF - at) * pace
        low, high = jnp.maximum(low, jnp.minimum(one, other)), jnp.minimum(high, jnp.maximum(one, other))
    return low <= high


def leaves(field: Field, bullets: Bullets) -> Array:
    """Return bool[SLOTS]: whether the next step of a bullet ends at a wall."""
    x, y = bullets.x + bullets.vx, bullets.y + bullets.vy
    beyond = (x - RADIUS <= 0) | (y - RADIUS <= 0) | (x + RADIUS >= field.width)
    return beyond | (y + RADIUS >= field.height)


BY_FIRST, BY_SECOND, BOTH = 0, SLOTS, 2 * SLOTS


def meetings(one: Bullets, other: Bullets, mine_new: Array, theirs_new: Array) -> Array:
    """Return which bullets meet: int32[SLOTS], for each of `one` a word of bits, three for each of the other ones.

    Those from `BY_FIRST` on are set where it meets the last step of the other, which has not moved yet; those from
    `BY_SECOND` on where the other one meets its last step; those from `BOTH` on where their new steps meet. Bullets
    that are new (bool[SLOTS] twice) have made no step.
    """
    px, py, vx, vy = (jnp.expand_dims(x, -1) for x in (one.x, one.y, one.vx, one.vy))
    qx, qy, wx, wy = (jnp.expand_dims(x, -2) for x in (other.x, other.y, other.vx, other.vy))
    dx, dy, area = qx - px, qy - py, vx * wy - vy * wx
    side = jnp.where(area < 0, -1.0, 1.0)
    mine, theirs, area = (dx * wy - dy * wx) * side, (dx * vy - dy * vx) * side, area * side
    near = (area > 0) & (jnp.abs(mine) <= area) & (jnp.abs(theirs) <= area)
    first = jnp.where((mine >= 0) & (theirs <= 0), jnp.expand_dims(jnp.where(theirs_new, 0, _BITS), -2), 0)
    second = jnp.where((theirs >= 0) & (mine <= 0), jnp.expand_dims(jnp.where(mine_new, 0, 1), -1) * _BITS, 0)
    both = jnp.where((mine >= 0) & (theirs >= 0), _BITS, 0)
    words = first + (second << BY_SECOND) + (both << BOTH)
    return jnp.where(near, words, 0).sum(-1, dtype=jnp.int32)


def _met(words: Array, mine: Array, theirs: Array) -> tuple[Array, Array]:
    """Return the sets of bullets that meet, of those in two sets."""
    met = jnp.where(_in(mine), words & theirs[..., None], 0)
    return _word(met != 0), lax.reduce(met, np.int32(0), lax.bitwise_or, (met.ndim - 1,))


class Shot(NamedTuple):
    """What the bullets of a robot did to the other one."""

    hit: Array  # bool
    damage: Array
    back: Array  # energy that the owner gets
    hits: Array  # int32: how many hit
    heading: Array  # where they flew


def shot(bullets: Bullets, hit: Array) -> Shot:
    """Return what the bullets of a set do, which hit; those of one robot in one turn count as one."""
    hits = _in(hit)
    power = jnp.where(hits, bullets.power, 0.0)
    damage = (4 * power + 2 * jnp.maximum(power - 1, 0)).sum(-1)
    heading = arctan2(jnp.where(hits, bullets.vx, 0.0).sum(-1), jnp.where(hits, bullets.vy, 0.0).sum(-1))
    return Shot(hit != 0, damage, 3 * power.sum(-1), hits.sum(-1, dtype=jnp.int32), wrapped(heading))


def fly(
    field: Field,
    robots: tuple[Robot, Robot],
    bullets: tuple[Bullets, Bullets],
    new: tuple[Array, Array],
    swap: Array,
) -> tuple[tuple[Bullets, Bullets], tuple[Shot, Shot]]:
    """Move all bullets; return also what those of each robot did.

    Args:
        field: the settings.
        robots: by seat.
        bullets: of each.
        new: bool[SLOTS] of each, those that were just shot.
        swap: whether those of the second robot are examined first.
    """
    words = arrays.apart(meetings, *bullets, *new)
    there = [_word(one.power > 0) for one in bullets]
    gone = [_word(leaves(field, one)) for one in bullets]
    touching = [
        jnp.where(you.dead, 0, _word(touches(one, you.box_x, you.box_y)) & ~out)
        for one, out, you in zip(bullets, gone, robots[::-1], strict=True)
    ]
    free = [here & ~out & ~hit for here, out, hit in zip(there, gone, touching, strict=True)]
    # Bullets that are examined first are gone where they hit something, before they meet the other ones.
    mine, theirs = jnp.where(swap, there[0], free[0]), jnp.where(swap, free[1], there[1])
    met = _met(words >> jnp.where(swap, BY_SECOND, BY_FIRST)[..., None], mine, theirs)
    hits = [hit & here & ~lost for hit, here, lost in zip(touching, there, met, strict=True)]
    free = [one & ~lost for one, lost in zip(free, met, strict=True)]
    met = _met(words >> BOTH, free[0], free[1])
    left = [
        _moved(one.replace(power=jnp.where(_in(here & ~lost), one.power, 0.0)))  # type: ignore[attr-defined]
        for one, here, lost in zip(bullets, free, met, strict=True)
    ]
    shots = [arrays.apart(shot, one, hit) for one, hit in zip(bullets, hits, strict=True)]
    return (left[0], left[1]), (shots[0], shots[1])


def struck(owner: Robot, victim: Robot, idle: Idle, done: Shot) -> tuple[Robot, Robot, Idle, Array, Array]:
    """Return all after the bullets of a robot hit; the damage that counts, and whether it kills."""
    counts = jnp.minimum(done.damage, victim.energy)
    dies = done.hit & (victim.energy - done.damage < DISABLED)
    hurt = with_energy(victim, victim.energy - done.damage)
    idle = idle.lost(done.damage)
    idle = idle._replace(turns=jnp.where(dies, 0, idle.turns))
    fed = with_energy(owner, owner.energy + done.back)
    victim = arrays.where(done.hit, hurt, victim).replace(dead=victim.dead | dies)  # type: ignore[attr-defined]
    return arrays.where(done.hit, fed, owner), victim, idle, counts, dies


def _moved(bullets: Bullets) -> Bullets:
    return bullets.replace(x=bullets.x + bullets.vx, y=bullets.y + bullets.vy)  # type: ignore[attr-defined]


def turned(robot: Robot, given: Commands) -> Robot:
    """Return a robot whose body, gun and radar have turned by a turn."""
    rate = (0.4 + 0.6 * (1 - jnp.abs(robot.v) / FASTEST)) * math.radians(10)
    step = jnp.where(robot.rammed, 0.0, bounded(robot.turn, rate))
    turn = robot.turn - step
    if turn.dtype != jnp.float64:  # a right angle takes nine turns, not ten
        turn = jnp.where(jnp.abs(turn) < USED_UP, 0.0, turn)
    body = wrapped(robot.body + step)
    body = jnp.where((turn == 0) & (step != 0), snapped(body), body)
    gun_turn = robot.gun_turn - jnp.where(given.has(GUN_KEEPS), step, 0.0)
    radar_turn = robot.radar_turn - jnp.where(given.has(RADAR_KEEPS_BODY), step, 0.0)
    gun_step = bounded(gun_turn, GUN_RATE)
    radar_turn = radar_turn - jnp.where(given.has(RADAR_KEEPS_GUN), gun_step, 0.0)
    radar_step = bounded(radar_turn, RADAR_RATE)
    return robot.replace(  # type: ignore[attr-defined]
        body=body,
        gun=wrapped(wrapped(robot.gun + step) + gun_step),
        radar=wrapped(wrapped(wrapped(robot.radar + step) + gun_step) + radar_step),
        turn=turn,
        gun_turn=gun_turn - gun_step,
        radar_turn=radar_turn - radar_step,
    )


def driven(robot: Robot, sin: Array, cos: Array) -> Robot:
    """Return a robot that has driven for a turn, whatever is in its way."""
    v = arrays.apart(new_speed, robot.v, robot.ahead, robot.limit)
    overshot = (jnp.abs(v) < SNAP) & robot.overdrive
    left = jnp.where(overshot, 0.0, robot.ahead)
    overdrive = jnp.where(left * v < 0, robot.overdrive & ~overshot, braking(v) > jnp.abs(left))
    moves, x, y = v != 0, robot.x + v * sin, robot.y + v * cos
    return robot.replace(  # type: ignore[attr-defined]
        v=v,
        ahead=left - v,
        overdrive=overdrive,
        x=jnp.where(moves, x, robot.x),
        y=jnp.where(moves, y, robot.y),
        box_x=jnp.where(moves, x, robot.box_x),
        box_y=jnp.where(moves, y, robot.box_y),
    )


def walled(field: Field, robot: Robot, sin: Array, cos: Array, hurt: Array) -> tuple[Robot, Array, Array]:
    """Return a robot that walls have stopped, whether they did, and the bearing of the wall.

    One wall is looked at: left, else right, else bottom, else top. The robot is put back along its heading.
    """
    right, top = field.width - HALF, field.height - HALF
    x, y = robot.x, robot.y
    left, beyond, below, above = x < HALF, x > right, y < HALF, y > top
    sideways, upright = left | beyond, below | above
    hit = sideways | upright
    dx = jnp.where(left, HALF - x, right - x)
    dy = jnp.where(below, HALF - y, top - y)
    quarter = robot.body / (math.pi / 2)
    slanted = robot.body != jnp.round(quarter) * (math.pi / 2)
    steep = cos / jnp.where(sin == 0, 1.0, sin)
    flat = sin / jnp.where(cos == 0, 1.0, cos)
    to_x = jnp.where(sideways, dx, jnp.where(slanted, dy * flat, 0.0))
    to_y = jnp.where(sideways, jnp.where(slanted, dx * steep, 0.0), dy)
    x, y = jnp.clip(x + to_x, HALF, right), jnp.clip(y + to_y, HALF, top)
    wall = jnp.where(left, 1.5, jnp.where(beyond, 0.5, jnp.where(below, 1.0, 0.0))) * math.pi
    damage = jnp.where(hurt, jnp.maximum(jnp.abs(robot.v) / 2 - 1, 0), 0.0)
    stopped = with_energy(robot, robot.energy - damage).replace(  # type: ignore[attr-defined]
        x=x, y=y, box_x=x, box_y=y, v=jnp.zeros_like(x), ahead=jnp.zeros_like(x)
    )
    return arrays.where(hit, stopped, robot), hit, relative(wall - robot.body)


class Moved(NamedTuple):
    """What the move of a robot did."""

    wall: Array  # bool
    wall_bearing: Array
    ram: Array  # bool
    kills: Array  # bool
    bearing: Array  # of the other robot
    back: Array  # of this robot, seen from the other one
    energy: Array  # of this robot after the ram
    left: Array  # of the other one
    distance: Array


def move(
    field: Field, robot: Robot, other: Robot, idle: Idle, given: Commands, zap: Array
) -> tuple[Robot, Robot, Idle, Moved]:
    """Return all after the move of a robot; one that is dead does nothing."""
    before = robot
    robot = _changed("heat body gun radar turn gun_turn radar_turn", partial(_aimed, field), robot, given)
    sin, cos = arrays.apart(lambda body: (sine(body), cosine(body)), robot.body)
    robot = _changed("v ahead overdrive x y box_x box_y", driven, robot, sin, cos)
    robot, wall, wall_bearing = arrays.apart(partial(walled, field), robot, sin, cos, given.has(ADVANCED))
    ram, angle = arrays.apart(_rams, robot, other, sin, cos)
    return arrays.apart(_moved_on, before, robot, other, idle, zap, (wall, wall_bearing), (ram, angle), (sin, cos))


def _aimed(field: Field, robot: Robot, given: Commands) -> Robot:
    """Return a robot whose gun has cooled, after its turns."""
    heat = robot.heat - field.cooling
    heat = jnp.where(heat <= (0.0 if heat.dtype == jnp.float64 else COOL), 0.0, heat)
    return turned(robot, given).replace(heat=heat)  # type: ignore[attr-defined]


def _rams(robot: Robot, other: Robot, sin: Array, cos: Array) -> tuple[Array, Array]:
    """Return whether a robot that has moved rams the other one, and where that is."""
    near = (jnp.abs(robot.box_x - other.box_x) < 2 * HALF) & (jnp.abs(robot.box_y - other.box_y) < 2 * HALF)
    dx, dy = other.x - robot.x, other.y - robot.y
    return near & ~other.dead & ~robot.dead & (robot.v * (dx * sin + dy * cos) > 0), arctan2(dx, dy)


def _moved_on(
    before: Robot,
    robot: Robot,
    other: Robot,
    idle: Idle,
    zap: Array,
    walls: tuple[Array, Array],
    rams: tuple[Array, Array],
    heading: tuple[Array, Array],
) -> tuple[Robot, Robot, Idle, Moved]:
    """Return what `move` does, after rams and inactivity."""
    (wall, wall_bearing), (ram, angle), (sin, cos) = walls, rams, heading
    zero = jnp.zeros_like(sin)
    bounced = with_energy(robot, robot.energy - RAM).replace(  # type: ignore[attr-defined]
        x=robot.x - robot.v * sin, y=robot.y - robot.v * cos, v=zero, ahead=zero
    )
    distance = jnp.where(ram | robot.dead, 0.0, jnp.abs(robot.v))
    robot = arrays.where(ram, bounced, robot).replace(rammed=ram)
    rammed = with_energy(other, other.energy - RAM)
    kills = ram & (rammed.energy == 0)
    other = arrays.where(ram, rammed, other)
    other = other.replace(dead=other.dead | kills)  # type: ignore[attr-defined]
    idle = idle.lost(jnp.where(ram, 2 * RAM, 0.0))

    zap &= ~robot.dead
    felt = robot.energy
    dies = zap & (robot.energy == 0)
    energy = robot.energy - ZAP
    weak = zap & (energy < ZAP)
    robot = robot.replace(  # type: ignore[attr-defined]
        energy=jnp.where(weak, 0.0, jnp.where(zap, energy, robot.energy)),
        ahead=jnp.where(weak, 0.0, robot.ahead),
        turn=jnp.where(weak, 0.0, robot.turn),
        dead=robot.dead | dies,
    )
    idle = idle._replace(turns=jnp.where(kills | dies, 0, idle.turns))
    bearings = relative(angle - robot.body), relative(angle + math.pi - other.body)
    found = Moved(wall & ~before.dead, wall_bearing, ram, kills, *bearings, felt, other.energy, distance)
    moved: Robot = arrays.where(before.dead, before, robot)
    return moved, other, idle, found


def sweeps(before: Robot, robot: Robot, other: Robot) -> Array:
    """Return whether the radar, turning from where it was, passes over the box of the other robot."""
    dx, dy = other.box_x - robot.x, other.box_y - robot.y
    step = relative(robot.radar - before.radar)
    start, end = before.radar, robot.radar
    start, end = jnp.where(step < 0, end, start), jnp.where(step < 0, start, end)  # clockwise
    sides = []
    for angle in (start, end):
        sin, cos = sine(angle), cosine(angle)
        across, room = dx * cos - dy * sin, HALF * (jnp.abs(cos) + jnp.abs(sin))  # to the right of the ray
        sides.append((across, room, dx * sin + dy * cos))
    (first, wide, ahead), (second, thick, onward) = sides
    within = (first + wide >= 0) & (second - thick <= 0) & (ahead + onward > 0)
    far = jnp.maximum(jnp.abs(dx) - HALF, 0) ** 2 + jnp.maximum(jnp.abs(dy) - HALF, 0) ** 2
    return within & (far <= REACH * REACH)


def look(before: Robot, robot: Robot, other: Robot, given: Commands) -> tuple[Array, Array]:
    """Return whether a robot scans the other one, and whether a shot may then be aimed by it."""
    changed = (before.body != robot.body) | (before.gun != robot.gun) | (before.radar != robot.radar)
    scans = given.has(SCAN) | changed | (before.x != robot.x) | (before.y != robot.y)
    aligned = scans & (before.gun == before.radar) & (robot.gun == robot.radar)
    return scans & ~robot.dead & ~other.dead & sweeps(before, robot, other), aligned


def turn(field: Field, state: State, given: tuple[Commands, Commands], lots: Lots, zap: Array | None = None) -> State:
    """Return a round after its next turn; neither robot is dead before it.

    Args:
        field: its settings.
        state: before the turn.
        given: the commands of both robots.
        lots: who is first.
        zap: bool[], whether robots lose energy by inactivity, to follow a recorded round; None: it is computed.
    """
    idle = Idle(state.idle, state.loss)
    lots, given = arrays.apart(lambda *x: x, lots, given)
    shot_by = [
        arrays.apart(command, robot, seen.aligned, commands)
        for robot, seen, commands in zip(state.robots, state.seen, given, strict=True)
    ]
    loaded = shot_by[0][0], shot_by[1][0]
    for _, shell in shot_by:
        idle = idle.lost(shell.power)
    flying = [arrays.apart(added, one, shell) for one, (_, shell) in zip(state.bullets, shot_by, strict=True)]
    bullets, shots = arrays.apart(
        partial(fly, field), loaded, (flying[0][0], flying[1][0]), (flying[0][1], flying[1][1]), lots.bullets
    )

    one, other = _by(lots.bullets, loaded)
    did, done = _by(lots.bullets, shots)
    one, other, idle, dealt_first, kills = arrays.apart(struck, one, other, idle, did)
    other, one, idle, dealt_second, killed = arrays.apart(struck, other, one, idle, done)
    hurt = _by(lots.bullets, (one, other))
    damage, deaths = _by(lots.bullets, (dealt_first, dealt_second)), _by(lots.bullets, (kills, killed))

    due = idle.turns > field.patience if zap is None else zap
    one, other = _by(lots.moves, hurt)
    mine, theirs = _by(lots.moves, given)
    one, other, idle, first = move(field, one, other, idle, mine, due)
    other, one, idle, second = move(field, other, one, idle, theirs, due)
    robots, moves = _by(lots.moves, (one, other)), _by(lots.moves, (first, second))

    seen, scored = [], []
    for me, points in enumerate(state.points):
        you = 1 - me
        scans, aligned = arrays.apart(look, loaded[me], robots[me], robots[you], given[me])
        seen.append(
            Seen(
                *(scans, aligned, shots[you].hit, shots[you].heading),
                relative(shots[you].heading + math.pi - hurt[me].body),
                *(moves[me].wall, moves[me].wall_bearing),
                *(moves[me].ram, moves[me].bearing, moves[me].left),
                *(moves[you].ram, moves[you].back, moves[you].energy),
                jnp.zeros_like(robots[me].dead),
            )
        )
        wins = robots[you].dead & ~robots[me].dead
        dealt = points.damage + damage[me]
        total = dealt + jnp.where(moves[me].ram, RAM, 0.0)
        scored.append(
            points.replace(  # type: ignore[attr-defined]
                survival=points.survival + jnp.where(wins, SURVIVAL, 0.0),
                last=points.last + jnp.where(wins, LAST, 0.0),
                bullet=points.bullet + damage[me],
                bullet_bonus=points.bullet_bonus + jnp.where(deaths[me], BULLET_BONUS * dealt, 0.0),
                ram=points.ram + jnp.where(moves[me].ram, RAM_POINTS, 0.0),
                ram_bonus=points.ram_bonus + jnp.where(moves[me].kills, RAM_BONUS * total, 0.0),
                damage=total,
                firsts=points.firsts + robots[you].dead,
                shots=points.shots + (shot_by[me][1].power > 0),
                hits=points.hits + shots[me].hits,
                driven=points.driven + moves[me].distance,
            )
        )
    return state.replace(  # type: ignore[attr-defined]
        robots=robots,
        bullets=bullets,
        points=(scored[0], scored[1]),
        seen=(seen[0], seen[1]),
        idle=idle.turns + 1,
        loss=idle.loss,
        time=state.time + 1,
    )


def _by(swap: Array, pair: tuple) -> tuple:
    """Return a pair, the second one first where `swap` says so."""
    one, other = pair
    return arrays.where(swap, other, one), arrays.where(swap, one, other)
