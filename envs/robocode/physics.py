"""One turn of a round: commands, bullets, moves, walls, rams, inactivity, scans, deaths.

Functions are written for one battle and are elementwise, in the precision of the robots.

Source: the rules of Robocode 1.9.3.9, as its recorded battles show them.
"""

import math
from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

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
    TURN,
    Bullets,
    Commands,
    Points,
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
LATE = 5e-5
"""Single precision: heat added to shots of 0.5, 1 and 1.5, which in double precision cool a turn later than computed."""


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


def command(
    robot: Robot, bullets: Bullets, points: Points, aligned: Array, idle: Idle, given: Commands
) -> tuple[Robot, Bullets, Points, Idle, Array]:
    """Return a robot with its commands, its bullets with a new one, and bool[SLOTS], which one is new."""
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
    robot = arrays.where(fires, hot, robot)
    heading = jnp.where(given.has(AIMED) & aligned, given.aim, robot.gun)
    speed = 20 - 3 * power
    free = bullets.power == 0
    new = fires & free & (jnp.cumsum(free) == 1)
    bullets = Bullets(
        jnp.where(new, robot.x, bullets.x),
        jnp.where(new, robot.y, bullets.y),
        jnp.where(new, speed * jnp.sin(heading), bullets.vx),
        jnp.where(new, speed * jnp.cos(heading), bullets.vy),
        jnp.where(new, power, bullets.power),
    )
    return robot, bullets, points.replace(shots=points.shots + fires), idle.lost(power), new  # type: ignore[attr-defined]


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


def meetings(one: Bullets, other: Bullets, new: Array) -> tuple[Array, Array]:
    """Return where bullets meet when those of `one` are examined first: bool[SLOTS, SLOTS] twice.

    The first are those that meet the last step of the other bullet, since that has not moved yet; one that is `new`
    (bool[SLOTS]) has made no step. The second ones meet when the other bullet moves.
    """
    px, py, vx, vy = (jnp.expand_dims(x, -1) for x in (one.x, one.y, one.vx, one.vy))
    qx, qy, wx, wy = (jnp.expand_dims(x, -2) for x in (other.x, other.y, other.vx, other.vy))
    dx, dy, area = qx - px, qy - py, vx * wy - vy * wx
    side = jnp.where(area < 0, -1.0, 1.0)
    mine, theirs, area = (dx * wy - dy * wx) * side, (dx * vy - dy * vx) * side, area * side
    there = (jnp.expand_dims(one.power, -1) > 0) & (jnp.expand_dims(other.power, -2) > 0)
    crossing = there & (area > 0) & (mine >= 0) & (mine <= area)
    before = crossing & (theirs >= -area) & (theirs <= 0) & ~jnp.expand_dims(new, -2)
    return before, crossing & (theirs >= 0) & (theirs <= area)


class Shot(NamedTuple):
    """What bullets did to a robot."""

    hit: Array  # bool
    heading: Array


def strike(
    owner: Robot, victim: Robot, bullets: Bullets, points: Points, idle: Idle, hits: Array
) -> tuple[Robot, Robot, Points, Idle, Shot]:
    """Return all after those bullets that hit (bool[SLOTS])."""
    power = jnp.where(hits, bullets.power, 0.0)
    each = 4 * power + 2 * jnp.maximum(power - 1, 0)
    damage, hit = each.sum(-1), hits.any(-1)
    done = jnp.minimum(damage, victim.energy)
    dies = hit & (victim.energy - damage < DISABLED)
    dealt = points.damage + done
    points = points.replace(  # type: ignore[attr-defined]
        bullet=points.bullet + done,
        bullet_bonus=points.bullet_bonus + jnp.where(dies, BULLET_BONUS * dealt, 0.0),
        damage=dealt,
        hits=points.hits + hits.sum(-1),
    )
    struck = arrays.where(hit, with_energy(victim, victim.energy - damage), victim)
    idle = idle.lost(damage)
    idle = idle._replace(turns=jnp.where(dies, 0, idle.turns))
    owner = arrays.where(hit, with_energy(owner, owner.energy + 3 * power.sum(-1)), owner)
    heading = jnp.arctan2(jnp.where(hits, bullets.vx, 0.0).sum(-1), jnp.where(hits, bullets.vy, 0.0).sum(-1))
    return owner, struck.replace(dead=struck.dead | dies), points, idle, Shot(hit, wrapped(heading))


def fly(
    field: Field,
    robots: tuple[Robot, Robot],
    bullets: tuple[Bullets, Bullets],
    points: tuple[Points, Points],
    idle: Idle,
    new: Array,
) -> tuple[tuple[Robot, Robot], tuple[Bullets, Bullets], tuple[Points, Points], Idle, tuple[Shot, Shot]]:
    """Move all bullets, those of the first robot first; `new` (bool[SLOTS]) are those that the second one just shot.

    Bullets of one robot that hit in the same turn count as one.
    """
    one, other = robots
    mine, theirs = bullets
    gone = leaves(field, mine)
    hits = touches(mine, other.box_x, other.box_y) & (mine.power > 0) & ~gone & ~other.dead
    one, other, first, idle, shot = strike(one, other, mine, points[0], idle, hits)
    before, after = meetings(mine, theirs, new)
    mine = _without(mine, gone | hits)
    lives = (mine.power > 0)[..., :, None]
    before &= lives
    mine, theirs = _without(mine, before.any(-1)), _without(theirs, before.any(-2))
    gone = leaves(field, theirs)
    hits = touches(theirs, one.box_x, one.box_y) & (theirs.power > 0) & ~gone & ~one.dead
    other, one, second, idle, struck = strike(other, one, theirs, points[1], idle, hits)
    theirs = _without(theirs, gone | hits)
    after &= (mine.power > 0)[..., :, None] & (theirs.power > 0)[..., None, :]
    mine, theirs = _without(mine, after.any(-1)), _without(theirs, after.any(-2))
    return (one, other), (_moved(mine), _moved(theirs)), (first, second), idle, (struck, shot)


def _without(bullets: Bullets, gone: Array) -> Bullets:
    return bullets.replace(power=jnp.where(gone, 0.0, bullets.power))  # type: ignore[attr-defined,no-any-return]


def _moved(bullets: Bullets) -> Bullets:
    return bullets.replace(x=bullets.x + bullets.vx, y=bullets.y + bullets.vy)  # type: ignore[attr-defined,no-any-return]


def turned(robot: Robot, given: Commands) -> Robot:
    """Return a robot whose body, gun and radar have turned by a turn."""
    rate = math.radians(10) - math.radians(0.75) * jnp.abs(robot.v)
    step = jnp.where(robot.rammed, 0.0, bounded(robot.turn, rate))
    turn = robot.turn - step
    body = wrapped(robot.body + step)
    body = jnp.where((turn == 0) & (step != 0), snapped(body), body)
    gun_turn = robot.gun_turn - jnp.where(given.has(GUN_KEEPS), step, 0.0)
    radar_turn = robot.radar_turn - jnp.where(given.has(RADAR_KEEPS_BODY), step, 0.0)
    gun_step = bounded(gun_turn, GUN_RATE)
    radar_turn = radar_turn - jnp.where(given.has(RADAR_KEEPS_GUN), gun_step, 0.0)
    radar_step = bounded(radar_turn, RADAR_RATE)
    return robot.replace(  # type: ignore[attr-defined,no-any-return]
        body=body,
        gun=wrapped(robot.gun + step + gun_step),
        radar=wrapped(robot.radar + step + gun_step + radar_step),
        turn=turn,
        gun_turn=gun_turn - gun_step,
        radar_turn=radar_turn - radar_step,
    )


def driven(robot: Robot, sin: Array, cos: Array) -> Robot:
    """Return a robot that has driven for a turn, whatever is in its way."""
    left = robot.ahead
    v = new_speed(robot.v, left, robot.limit)
    overshot = (jnp.abs(v) < SNAP) & robot.overdrive
    left = jnp.where(overshot, 0.0, left)
    overdrive = jnp.where(left * v < 0, robot.overdrive & ~overshot, braking(v) > jnp.abs(left))
    moves, x, y = v != 0, robot.x + v * sin, robot.y + v * cos
    return robot.replace(  # type: ignore[attr-defined,no-any-return]
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
    bearing: Array  # of the other robot
    back: Array  # of this robot, seen from the other one
    energy: Array  # of this robot after the ram
    left: Array  # of the other one


def move(
    field: Field,
    robot: Robot,
    other: Robot,
    points: Points,
    idle: Idle,
    given: Commands,
    zap: Array,
) -> tuple[Robot, Robot, Points, Idle, Moved]:
    """Return all after the move of a robot; one that is dead does nothing."""
    before = robot
    heat = robot.heat - field.cooling
    robot = robot.replace(heat=jnp.where(heat <= (0.0 if heat.dtype == jnp.float64 else COOL), 0.0, heat))  # type: ignore[attr-defined]
    robot = turned(robot, given)
    sin, cos = jnp.sin(robot.body), jnp.cos(robot.body)
    robot, wall, wall_bearing = walled(field, driven(robot, sin, cos), sin, cos, given.has(ADVANCED))

    near = (jnp.abs(robot.box_x - other.box_x) < 2 * HALF) & (jnp.abs(robot.box_y - other.box_y) < 2 * HALF)
    dx, dy = other.x - robot.x, other.y - robot.y
    ram = near & ~other.dead & ~robot.dead & (robot.v * (dx * sin + dy * cos) > 0)
    angle = jnp.arctan2(dx, dy)
    bounced = with_energy(robot, robot.energy - RAM).replace(  # type: ignore[attr-defined]
        x=robot.x - robot.v * sin, y=robot.y - robot.v * cos, v=jnp.zeros_like(dx), ahead=jnp.zeros_like(dx)
    )
    distance = jnp.where(ram | robot.dead, 0.0, jnp.abs(robot.v))
    robot = arrays.where(ram, bounced, robot).replace(rammed=ram)
    struck = with_energy(other, other.energy - RAM)
    kills = ram & (struck.energy == 0)
    done = points.damage + jnp.where(ram, RAM, 0.0)
    points = points.replace(  # type: ignore[attr-defined]
        ram=points.ram + jnp.where(ram, RAM_POINTS, 0.0),
        ram_bonus=points.ram_bonus + jnp.where(kills, RAM_BONUS * done, 0.0),
        damage=done,
        driven=points.driven + distance,
    )
    other = arrays.where(ram, struck, other)
    other = other.replace(dead=other.dead | kills)
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
    found = Moved(wall & ~before.dead, wall_bearing, ram, *bearings, felt, other.energy)
    moved: Robot = arrays.where(before.dead, before, robot)
    return moved, other, points, idle, found


def sweeps(before: Robot, robot: Robot, other: Robot) -> Array:
    """Return whether the radar, turning from where it was, passes over the box of the other robot."""
    dx, dy = other.box_x - robot.x, other.box_y - robot.y
    step = relative(robot.radar - before.radar)
    start, end = before.radar, robot.radar
    start, end = jnp.where(step < 0, end, start), jnp.where(step < 0, start, end)  # clockwise
    sides = []
    for angle in (start, end):
        sin, cos = jnp.sin(angle), jnp.cos(angle)
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
    robots, bullets, points, idle, new = [], [], [], Idle(state.idle, state.loss), []
    for robot, shots, score, seen, commands in zip(
        state.robots, state.bullets, state.points, state.seen, given, strict=True
    ):
        one, fired, score, idle, fresh = command(robot, shots, score, seen.aligned, idle, commands)
        robots.append(one)
        bullets.append(fired)
        points.append(score)
        new.append(fresh)
    loaded = robots[0], robots[1]

    swap = lots.bullets
    later = jnp.where(swap, new[0], new[1])
    pairs = (_by(swap, (one[0], one[1])) for one in (robots, bullets, points))
    flown = fly(field, *pairs, idle, later)
    robots, bullets, points, idle, shots = (flown[3] if n == 3 else _by(swap, one) for n, one in enumerate(flown))
    facing = robots

    due = idle.turns > field.patience if zap is None else zap
    swap = lots.moves
    one, other = _by(swap, robots)
    scores, orders = _by(swap, points), _by(swap, given)
    one, other, first, idle, did = move(field, one, other, scores[0], idle, orders[0], due)
    other, one, second, idle, done = move(field, other, one, scores[1], idle, orders[1], due)
    robots, points, moves = _by(swap, (one, other)), _by(swap, (first, second)), _by(swap, (did, done))
    return _closed(state, given, loaded, facing, robots, bullets, points, idle, shots, moves)


def _by(swap: Array, pair: tuple) -> tuple:
    """Return a pair, the second one first where `swap` says so."""
    one, other = pair
    return arrays.where(swap, other, one), arrays.where(swap, one, other)


def _closed(
    state: State,
    given: tuple[Commands, Commands],
    loaded: tuple[Robot, Robot],
    facing: tuple[Robot, Robot],
    robots: tuple[Robot, Robot],
    bullets: tuple[Bullets, Bullets],
    points: tuple[Points, Points],
    idle: Idle,
    shots: tuple[Shot, Shot],
    moves: tuple[Moved, Moved],
) -> State:
    """Return the state after both moves: what is seen, who is dead, and what that scores."""
    seen, scored = [], []
    for me in (0, 1):
        you = 1 - me
        scanned, aligned = look(loaded[me], robots[me], robots[you], given[me])
        seen.append(
            Seen(
                scanned,
                aligned,
                shots[me].hit,
                shots[me].heading,
                relative(shots[me].heading + math.pi - facing[me].body),
                moves[me].wall,
                moves[me].wall_bearing,
                moves[me].ram,
                moves[me].bearing,
                moves[me].left,
                moves[you].ram,
                moves[you].back,
                moves[you].energy,
                jnp.zeros_like(robots[me].dead),
            )
        )
        wins = robots[you].dead & ~robots[me].dead
        scored.append(
            points[me].replace(
                survival=points[me].survival + jnp.where(wins, SURVIVAL, 0.0),
                last=points[me].last + jnp.where(wins, LAST, 0.0),
                firsts=points[me].firsts + robots[you].dead,
            )
        )
    return state.replace(  # type: ignore[attr-defined,no-any-return]
        robots=robots,
        bullets=bullets,
        points=(scored[0], scored[1]),
        seen=(seen[0], seen[1]),
        idle=idle.turns + 1,
        loss=idle.loss,
        time=state.time + 1,
    )
