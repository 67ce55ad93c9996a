"""Shots, and bullets in flight: what they meet, and what they do to robots."""

import math
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.robocode.physics import constants
from envs.robocode.physics.shared import Field, Idle, with_energy
from envs.robocode.rounding import cosine, divided, sine
from envs.robocode.state import AHEAD, AIMED, FIRE, GUN, LIMIT, MOST_SLOTS, RADAR, TURN, Bullets, Commands, Robot
from jaxgp import arrays

SHORT = constants.HALF + constants.RADIUS
"""Pixels of a side that no flight crosses: a bullet leaves a robot's centre, and ends before the wall."""
LEAST_HEAT = 1 + constants.DISABLED / 5 - constants.COOL
"""What a gun has to lose after the shot of least energy."""
SLOWEST = 20 - 3 * constants.STRONGEST
"""Pixels a turn of the slowest bullet."""
ROUNDING = 0.1
"""Pixels by which sums of single precision may prolong a flight."""


def longest_side(other: float, cooling: float) -> int:
    """Return the pixels that a side of an arena may have, for every bullet to find a slot.

    The slowest bullets have the longest flights, and the weakest shots the shortest pauses: no robot has both.

    Args:
        other: the other side.
        cooling: what a gun loses in a turn.
    """
    flight = MOST_SLOTS * math.ceil(LEAST_HEAT / cooling) * SLOWEST - ROUNDING
    return math.floor(math.sqrt(flight**2 - (other - SHORT) ** 2) + SHORT)


def fastest_cooling(width: float, height: float) -> float:
    """Return what a gun may lose in a turn, in thousandths, for every bullet in an arena to find a slot."""
    pause = math.ceil(_longest(width, height) / (MOST_SLOTS * SLOWEST))
    return math.inf if pause == 1 else math.floor(1000 * LEAST_HEAT / (pause - 1)) / 1000


def most_flying(width: float, height: float, cooling: float) -> int:
    """Return how many bullets of a robot can fly at once, at most; see `longest_side`."""
    return math.ceil(_longest(width, height) / (math.ceil(LEAST_HEAT / cooling) * SLOWEST))


def _longest(width: float, height: float) -> float:
    """Return the pixels of the longest flight in an arena."""
    return math.hypot(width - SHORT, height - SHORT) + ROUNDING


class Shell(NamedTuple):
    """A new bullet; without power there is none."""

    x: Array
    y: Array
    vx: Array
    vy: Array
    heading: Array
    power: Array


def heat_of(power: Array) -> Array:
    """Return the heat of a shot."""
    heat = 1 + divided(power, 5)
    if power.dtype == jnp.float64:
        return heat
    return heat + jnp.where((2 * power == jnp.round(2 * power)) & (power < 1.75), constants.LATE, 0.0)


def command(robot: Robot, aligned: Array, given: Commands) -> tuple[Robot, Shell]:
    """Return a robot with its commands, and what it shoots; `aligned` (bool[]): a shot may be aimed."""
    alive, able = robot.energy != 0, robot.energy > 0
    robot = robot.replace(  # type: ignore[attr-defined]
        ahead=jnp.where(given.has(AHEAD) & alive, given.ahead, robot.ahead),
        turn=jnp.where(given.has(TURN) & able, given.turn, robot.turn),
        gun_turn=jnp.where(given.has(GUN), given.gun, robot.gun_turn),
        radar_turn=jnp.where(given.has(RADAR), given.radar, robot.radar_turn),
        limit=jnp.where(given.has(LIMIT), jnp.minimum(jnp.abs(given.limit), constants.FASTEST), robot.limit),
    )
    fires = given.has(FIRE) & (robot.heat <= 0) & able
    wanted = jnp.clip(given.power, constants.WEAKEST, constants.STRONGEST)
    power = jnp.where(fires, jnp.minimum(robot.energy, wanted), 0.0)
    # A robot that is disabled loses its commands in the turn in which it becomes so, and no more later.
    hot = with_energy(robot, robot.energy - power).replace(heat=robot.heat + heat_of(power))  # type: ignore[attr-defined]
    heading = jnp.where(given.has(AIMED) & aligned, given.aim, robot.gun)
    speed = 20 - 3 * jnp.maximum(power, constants.WEAKEST)
    vx, vy = (_straight(speed * part) for part in (sine(heading), cosine(heading)))
    return arrays.where(fires, hot, robot), Shell(robot.x, robot.y, vx, vy, heading, power)


def _straight(step: Array) -> Array:
    if step.dtype == jnp.float64:
        return step
    return jnp.where(jnp.abs(step) < constants.STRAIGHT, 0.0, step)


def _bits(slots: int) -> np.ndarray:
    """Return int32[S]: the bit of each slot in a word that is a set of bullets."""
    return 1 << np.arange(slots, dtype=np.int32)


def added(bullets: Bullets, shell: Shell) -> tuple[Bullets, Array]:
    """Return bullets after their next steps, with a new one; and bool[S], which one is new."""
    free = _word(bullets.power == 0)
    first = jnp.where(shell.power > 0, free & -free, 0)
    new = first[..., None] == _bits(bullets.power.shape[-1])
    old = bullets.x, bullets.y, bullets.vx, bullets.vy, bullets.heading, bullets.power
    return Bullets(*(jnp.where(new, x[..., None], y) for x, y in zip(shell, old, strict=True))), new


def _word(bits: Array) -> Array:
    """Return int32[], a set of bullets as a word, from bool[S]."""
    return jnp.where(bits, _bits(bits.shape[-1]), 0).sum(-1, dtype=jnp.int32)


def _in(word: Array, slots: int) -> Array:
    """Return bool[S]: which bullets are in a set."""
    return (word[..., None] & _bits(slots)) != 0


def touches(bullets: Bullets, x: Array, y: Array) -> Array:
    """Return bool[S]: whether the last step of a bullet touches the box at a place."""
    low, high = jnp.zeros_like(bullets.vx), jnp.ones_like(bullets.vx)
    for at, step, centre in ((bullets.from_x, bullets.vx, x), (bullets.from_y, bullets.vy, y)):
        pace = 1 / jnp.where(step == 0, 1e-30, step)
        one, other = (centre - constants.HALF - at) * pace, (centre + constants.HALF - at) * pace
        low, high = jnp.maximum(low, jnp.minimum(one, other)), jnp.minimum(high, jnp.maximum(one, other))
    return low <= high


def leaves(field: Field, bullets: Bullets) -> Array:
    """Return bool[S]: whether the last step of a bullet ends at a wall."""
    x, y = bullets.x, bullets.y
    beyond = (x - constants.RADIUS <= 0) | (y - constants.RADIUS <= 0) | (x + constants.RADIUS >= field.width)
    return beyond | (y + constants.RADIUS >= field.height)


class Meetings(NamedTuple):
    """Which bullets of the other robot each bullet meets: int32[S], sets of bullets as words.

    Bits above S mean nothing: with few slots all three are one word, shifted.
    """

    by_first: Array  # those whose last step it meets, as they have not moved yet
    by_second: Array  # those that meet its last step
    both: Array  # those whose new step its own one meets


def meetings(
    one: tuple[Bullets, Bullets], other: tuple[Bullets, Bullets], mine_new: Array, theirs_new: Array
) -> tuple[Array, ...]:
    """Return which bullets meet, as `_told` reads it: words of one kind each, or one word with all three.

    Args:
        one: bullets before and after their new steps.
        other: those of the other robot.
        mine_new: bool[S], which of `one` are new: those have no last step.
        theirs_new: which of `other` are new.
    """
    (before, after), (earlier, later) = [tuple(map(_line, pair)) for pair in (one, other)]
    first = cross(after, earlier) & jnp.expand_dims(~theirs_new, -2)
    second = cross(before, later) & jnp.expand_dims(~mine_new, -1)
    found, slots = (first, second, cross(after, later)), mine_new.shape[-1]
    if 3 * slots >= 32:
        return tuple(map(_word, found))
    words = sum(jnp.where(crosses, _bits(slots) << n * slots, 0) for n, crosses in enumerate(found))
    return (words.sum(-1, dtype=jnp.int32),)  # type: ignore[union-attr]


def _told(words: tuple[Array, ...]) -> Meetings:
    """Return what the words of `meetings` say."""
    if len(words) == 3:
        return Meetings(*words)
    (word,) = words
    return Meetings(*(word >> n * word.shape[-1] for n in range(3)))


class Line(NamedTuple):
    """The step of a bullet: where it begins, and how far it goes."""

    x: Array
    y: Array
    dx: Array
    dy: Array


def _line(bullets: Bullets) -> Line:
    """Return the last steps of bullets, from where they are: a bullet that flies along a wall never leaves its line."""
    x, y = bullets.from_x, bullets.from_y
    return Line(x, y, bullets.x - x, bullets.y - y)


def cross(one: Line, other: Line) -> Array:
    """Return bool[N, M]: whether the first N lines cross the other M ones.

    Robots that aim at each other have bullets on one line. Whether those meet is up to the roundings, so these are
    those of the engine. Lines that are parallel to the last bit never cross.
    """
    px, py, vx, vy = (jnp.expand_dims(x, -1) for x in one)
    qx, qy, wx, wy = (jnp.expand_dims(x, -2) for x in other)
    dx, dy = qx - px, qy - py
    area, mine, theirs = vy * wx - vx * wy, vx * dy - vy * dx, wx * dy - wy * dx
    size = jnp.abs(area)
    within = (jnp.abs(mine) <= size) & (jnp.abs(theirs) <= size) & (mine * area >= 0) & (theirs * area >= 0)
    return within & (area != 0)


def _met(words: Array, mine: Array, theirs: Array) -> tuple[Array, Array]:
    """Return the sets of bullets that meet, of those in two sets."""
    met = jnp.where(_in(mine, words.shape[-1]), words & theirs[..., None], 0)
    return _word(met != 0), lax.reduce(met, np.int32(0), lax.bitwise_or, (met.ndim - 1,))


class Shot(NamedTuple):
    """What the bullets of a robot did to the other one."""

    hit: Array  # bool
    damage: Array
    back: Array  # energy that the owner gets
    hits: Array  # int32: how many hit
    heading: Array  # where the first of them flew


def shot(bullets: Bullets, hit: Array) -> Shot:
    """Return what the bullets of a set do, which hit; those of one robot in one turn count as one."""
    slots = bullets.power.shape[-1]
    hits = _in(hit, slots)
    power = jnp.where(hits, bullets.power, 0.0)
    damage = (4 * power + 2 * jnp.maximum(power - 1, 0)).sum(-1)
    heading = jnp.where(_in(hit & -hit, slots), bullets.heading, 0.0).sum(-1)
    return Shot(hit != 0, damage, 3 * power.sum(-1), hits.sum(-1, dtype=jnp.int32), heading)


def fly(
    field: Field,
    robots: tuple[Robot, Robot],
    before: tuple[Bullets, Bullets],
    bullets: tuple[Bullets, Bullets],
    new: tuple[Array, Array],
    swap: Array,
) -> tuple[tuple[Bullets, Bullets], tuple[Shot, Shot]]:
    """Return the bullets that fly on, and what those of each robot did.

    Args:
        field: the settings.
        robots: by seat.
        before: the bullets of each before their steps.
        bullets: all after their steps.
        new: bool[S] of each, those that were just shot.
        swap: whether those of the second robot are examined first.
    """
    found, slots = _told(arrays.apart(meetings, *zip(before, bullets, strict=True), *new)), new[0].shape[-1]
    there = [_word(one.power > 0) for one in bullets]
    gone = [_word(leaves(field, one)) for one in bullets]
    touching = [
        jnp.where(you.dead, 0, _word(touches(one, you.box_x, you.box_y)) & ~out)
        for one, out, you in zip(bullets, gone, robots[::-1], strict=True)
    ]
    free = [here & ~out & ~hit for here, out, hit in zip(there, gone, touching, strict=True)]
    # Bullets that are examined first are gone where they hit something, before they meet the other ones.
    mine, theirs = jnp.where(swap, there[0], free[0]), jnp.where(swap, free[1], there[1])
    met = _met(jnp.where(swap[..., None], found.by_second, found.by_first), mine, theirs)
    hits = [hit & here & ~lost for hit, here, lost in zip(touching, there, met, strict=True)]
    free = [one & ~lost for one, lost in zip(free, met, strict=True)]
    met = _met(found.both, free[0], free[1])
    left = [
        one.replace(power=jnp.where(_in(here & ~lost, slots), one.power, 0.0))  # type: ignore[attr-defined]
        for one, here, lost in zip(bullets, free, met, strict=True)
    ]
    shots = [arrays.apart(shot, one, hit) for one, hit in zip(bullets, hits, strict=True)]
    return (left[0], left[1]), (shots[0], shots[1])


def struck(owner: Robot, victim: Robot, idle: Idle, done: Shot) -> tuple[Robot, Robot, Idle, Array, Array]:
    """Return all after the bullets of a robot hit; the damage that counts, and whether it kills."""
    counts = jnp.minimum(done.damage, victim.energy)
    dies = done.hit & (victim.energy - done.damage < constants.DISABLED)
    hurt = with_energy(victim, victim.energy - done.damage)
    idle = idle.lost(done.damage)
    idle = idle._replace(turns=jnp.where(dies, 0, idle.turns))
    fed = with_energy(owner, owner.energy + done.back)
    victim = arrays.where(done.hit, hurt, victim).replace(dead=victim.dead | dies)  # type: ignore[attr-defined]
    return arrays.where(done.hit, fed, owner), victim, idle, counts, dies
