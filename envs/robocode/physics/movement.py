"""How robots turn and drive, and what stops them: walls, each other, inactivity."""

import math
from functools import partial
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from envs.robocode.physics import constants
from envs.robocode.physics.angles import bounded, relative, snapped, wrapped
from envs.robocode.physics.shared import Field, Idle, changed, with_energy
from envs.robocode.rounding import arctan2, cosine, sine, tangent
from envs.robocode.state import ADVANCED, GUN_KEEPS, RADAR_KEEPS_BODY, RADAR_KEEPS_GUN, Commands, Robot
from jaxgp import arrays


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


def turned(robot: Robot, given: Commands) -> Robot:
    """Return a robot whose body, gun and radar have turned by a turn."""
    rate = (0.4 + 0.6 * (1 - jnp.abs(robot.v) / constants.FASTEST)) * math.radians(10)
    step = jnp.where(robot.rammed, 0.0, bounded(robot.turn, rate))
    turn = robot.turn - step
    if turn.dtype != jnp.float64:  # a right angle takes nine turns, not ten
        turn = jnp.where(jnp.abs(turn) < constants.USED_UP, 0.0, turn)
    body = wrapped(robot.body + step)
    body = jnp.where((turn == 0) & (step != 0), snapped(body), body)
    gun_turn = robot.gun_turn - jnp.where(given.has(GUN_KEEPS), step, 0.0)
    radar_turn = robot.radar_turn - jnp.where(given.has(RADAR_KEEPS_BODY), step, 0.0)
    gun_step = bounded(gun_turn, constants.GUN_RATE)
    radar_turn = radar_turn - jnp.where(given.has(RADAR_KEEPS_GUN), gun_step, 0.0)
    radar_step = bounded(radar_turn, constants.RADAR_RATE)
    return robot.replace(  # type: ignore[attr-defined]
        body=body,
        gun=wrapped(robot.gun + step + gun_step),
        radar=wrapped(robot.radar + step + gun_step + radar_step),
        turn=turn,
        gun_turn=gun_turn - gun_step,
        radar_turn=radar_turn - radar_step,
    )


def driven(robot: Robot, sin: Array, cos: Array) -> Robot:
    """Return a robot that has driven for a turn, whatever is in its way."""
    v = arrays.apart(new_speed, robot.v, robot.ahead, robot.limit)
    overshot = (jnp.abs(v) < constants.SNAP) & robot.overdrive
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
    right, top = field.width - constants.HALF, field.height - constants.HALF
    x, y = robot.x, robot.y
    left, beyond, below, above = x < constants.HALF, x > right, y < constants.HALF, y > top
    sideways, upright = left | beyond, below | above
    hit = sideways | upright
    dx = jnp.where(left, constants.HALF - x, right - x)
    dy = jnp.where(below, constants.HALF - y, top - y)
    quarter = robot.body / (math.pi / 2)
    slanted = robot.body != jnp.round(quarter) * (math.pi / 2)
    slope = tangent(robot.body, sin, cos)
    to_x = jnp.where(sideways, dx, jnp.where(slanted, dy * slope, 0.0))
    to_y = jnp.where(sideways, jnp.where(slanted, dx / jnp.where(slope == 0, 1.0, slope), 0.0), dy)
    x, y = jnp.clip(x + to_x, constants.HALF, right), jnp.clip(y + to_y, constants.HALF, top)
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
    robot = changed("heat body gun radar turn gun_turn radar_turn", partial(_aimed, field), robot, given)
    sin, cos = arrays.apart(lambda body: (sine(body), cosine(body)), robot.body)
    robot = changed("v ahead overdrive x y box_x box_y", driven, robot, sin, cos)
    robot, wall, wall_bearing = arrays.apart(partial(walled, field), robot, sin, cos, given.has(ADVANCED))
    ram, angle = arrays.apart(_rams, robot, other, sin, cos)
    return arrays.apart(_moved_on, before, robot, other, idle, zap, (wall, wall_bearing), (ram, angle), (sin, cos))


def _aimed(field: Field, robot: Robot, given: Commands) -> Robot:
    """Return a robot whose gun has cooled, after its turns."""
    heat = robot.heat - field.cooling
    heat = jnp.where(heat <= (0.0 if heat.dtype == jnp.float64 else constants.COOL), 0.0, heat)
    return turned(robot, given).replace(heat=heat)  # type: ignore[attr-defined]


def _rams(robot: Robot, other: Robot, sin: Array, cos: Array) -> tuple[Array, Array]:
    """Return whether a robot that has moved rams the other one, and where that is."""
    near = (jnp.abs(robot.box_x - other.box_x) < 2 * constants.HALF) & (
        jnp.abs(robot.box_y - other.box_y) < 2 * constants.HALF
    )
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
    bounced = with_energy(robot, robot.energy - constants.RAM).replace(  # type: ignore[attr-defined]
        x=robot.x - robot.v * sin, y=robot.y - robot.v * cos, v=zero, ahead=zero
    )
    distance = jnp.where(ram | robot.dead, 0.0, jnp.abs(robot.v))
    robot = arrays.where(ram, bounced, robot).replace(rammed=ram)
    rammed = with_energy(other, other.energy - constants.RAM)
    kills = ram & (rammed.energy == 0)
    other = arrays.where(ram, rammed, other)
    other = other.replace(dead=other.dead | kills)  # type: ignore[attr-defined]
    idle = idle.lost(jnp.where(ram, 2 * constants.RAM, 0.0))

    zap &= ~robot.dead
    felt = robot.energy
    dies = zap & (robot.energy == 0)
    energy = robot.energy - constants.ZAP
    weak = zap & (energy < constants.ZAP)
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
