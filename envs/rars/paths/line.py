"""A line along a track, and the speeds that a car can hold on it: the model of paths and of ideal laps.

A line is a list of offsets to the left of a middle, in feet, at stations along the road. The middle is that of the
road, rounded where a straight becomes an arc: a car does not turn at once there, so smooth offsets make smooth lines.
Where a track does not close, the middle is bent within some hundred feet, so that a line goes on as a car does. The
model is quasi-static: at each station the forces of the wheels lie within the circle of friction, and their power is
limited.
"""

import math
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.rars import physics
from envs.rars.tracks import BEHIND, Track

AFTER = 10
"""Stations beyond the finish line."""
BEND = 300.0
"""Feet within which the middle comes back to that of the road, where a track does not close."""
ROUND = 25.0
"""Feet, the standard deviation of the weights by which the middle is rounded."""
TOP = 255.0
"""Ft/s that no car reaches."""
MASS = physics.MASS + (physics.FUEL - 4) / physics.GRAVITY
"""Slugs: of a car in the middle of a lap."""
STICTION = 1.05 * physics.GRAVITY
"""Ft/s2: the limit of friction, on surface 1."""


class Road(NamedTuple):
    """The stations of a first lap, from the grid to the finish line and a little beyond. Arrays are float32[N]."""

    distance: np.ndarray  # feet from the finish line, as the simulator counts them
    step_x: np.ndarray  # from each station of the middle to the next one
    step_y: np.ndarray
    cos: np.ndarray  # the direction of the middle
    sin: np.ndarray
    road_cos: np.ndarray  # that of the road
    road_sin: np.ndarray
    bent: np.ndarray  # feet by which it lies to the left of the middle of the road
    last: int  # the station at the finish line
    half: float  # half the width of the road
    grid: float  # the offset of a car on the grid


def road(course: Track, spacing: float) -> Road:
    """Return the stations of a track, about `spacing` feet apart."""
    count = math.ceil((course.length + BEHIND) / spacing)
    wanted = -BEHIND + np.arange(count + 1 + AFTER) * ((course.length + BEHIND) / count)
    finish = course.finish * course.segments[0][1]
    end, begin = _middle(course, course.length), _middle(course, 0.0)
    gap = end[:2] - begin[:2]
    before = float(gap @ _direction(begin[2]))  # feet by which it ends beyond its start
    bend = min(BEND, 0.8 * course.segments[0][1])
    kept, places, bent = [], [], []
    for one in wanted:
        lap, at = divmod(one + finish, course.length)
        if (again := lap > (wanted[0] + finish) // course.length) and at < before:
            continue  # the car has passed it when it comes to the next round
        x, y, angle = true = _middle(course, at)
        if again and at < bend:
            way = (at - before) / (bend - before)
            share = 1 - way * way * (3 - 2 * way)
            ahead = end[:2] + (at - before) * _direction(end[2])
            x, y = (1 - share) * true[:2] + share * ahead
        kept.append(one)
        places.append((x, y))
        bent.append((x - true[0]) * -math.sin(angle) + (y - true[1]) * math.cos(angle))
    angles = np.array([_middle(course, (one + finish) % course.length)[2] for one in kept])
    point, side = np.array(places), np.stack([-np.sin(angles), np.cos(angles)], 1)
    rounded = _rounded(point, ROUND / spacing)
    bent = np.array(bent) + ((rounded - point) * side).sum(1)
    step = np.diff(rounded, axis=0, append=2 * rounded[-1:] - rounded[-2:-1])
    along = np.concatenate([step[:1], step[:-1] + step[1:]])
    along /= np.hypot(*along.T)[:, None]
    columns = (kept, *step.T, *along.T, np.cos(angles), np.sin(angles), bent)
    last = len(kept) - 1 - AFTER
    made = [np.asarray(column, np.float32) for column in columns]
    return Road._make([*made, last, course.width / 2, _grid(course)])


def _grid(course: Track) -> float:
    """Return how far to the left of the middle the first car stands."""
    side = course.width / (course.rows + 1)
    turns_right = course.arcs[1 % len(course.arcs)][0] < 0
    return (side if turns_right else course.width - side) - course.width / 2


def _rounded(points: np.ndarray, width: float) -> np.ndarray:
    """Return places [N, 2], each the mean of those around it, weighted by a normal distribution of so many stations."""
    reach = math.ceil(4 * width)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    padded = np.pad(points, ((reach, reach), (0, 0)), "reflect", reflect_type="odd")
    return np.stack([np.convolve(one, weights / weights.sum(), "valid") for one in padded.T], 1)


def _direction(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle)])


def _middle(course: Track, along: float) -> np.ndarray:
    """Return x, y and the direction of the middle of the road, some feet from the start of segment 0."""
    ends = np.cumsum(course.lengths)
    number = min(int(np.searchsorted(ends, along)), len(ends) - 1)
    left = along - (ends[number] - course.lengths[number])
    x, y, angle = course.frames[number]
    radius, side = course.arcs[number][0], course.width / 2
    if radius:
        centre_x, centre_y = x - radius * math.sin(angle), y + radius * math.cos(angle)
        angle += math.copysign(left / abs(radius - side), radius)
        x, y = centre_x + radius * math.sin(angle), centre_y - radius * math.cos(angle)
    else:
        x, y = x + left * math.cos(angle), y + left * math.sin(angle)
    return np.array([x - side * math.sin(angle), y + side * math.cos(angle), angle])


class Line(NamedTuple):
    """A line at the stations of a road. Arrays are float[N]."""

    offset: Array  # feet to the left of the middle of the road
    slope: Array  # sine of its direction against the road: above 0, it runs to the left
    bend: Array  # its curvature, 1/ft: above 0 to the left
    step: Array  # feet to the next station


def line(road: Road, offsets: Array) -> Line:
    """Return the line through offsets (float[N]) from the middle."""
    normal_x, normal_y = -road.sin, road.cos
    following = jnp.concatenate([offsets[1:], offsets[-1:]])
    next_x, next_y = (np.concatenate([one[1:], one[-1:]]) for one in (normal_x, normal_y))
    dx = road.step_x + following * next_x - offsets * normal_x
    dy = road.step_y + following * next_y - offsets * normal_y
    step = jnp.sqrt(dx * dx + dy * dy)
    ux, uy = dx / step, dy / step
    turn = ux[:-1] * uy[1:] - uy[:-1] * ux[1:]
    inner = turn / ((step[:-1] + step[1:]) / 2)
    bend = jnp.concatenate([inner[:1], inner])
    mx, my = (jnp.concatenate([one[:1], (one[:-1] + one[1:]) / 2]) for one in (ux, uy))
    slope = road.road_cos * my - road.road_sin * mx
    return Line(offsets + road.bent, slope, bend, step)


def most_pull(mass: Array | float, v: Array, across: Array, grip: Array | float) -> Array:
    """Return the greatest force along the velocity, lb.

    Args:
        mass: slugs.
        v: ft/s.
        across: ft/s2, the acceleration that the wheels give across the velocity at the same time.
        grip: the share of `STICTION` that is used, below 1.
    """
    side = mass * jnp.abs(across)
    whole, power = STICTION * mass, physics.CUT * physics.POWER * 0.9995
    limit = jnp.sqrt(jnp.maximum((grip * whole) ** 2 - side * side, 1.0))
    pull = jnp.minimum(limit, power / v)
    for _ in range(4):  # Newton's method, from above, of a convex function
        force = jnp.sqrt(pull * pull + side * side)
        share = jnp.minimum(force / whole, 0.999)
        slip = -2 * jnp.log1p(-share)
        over = pull * v + force * slip - power
        steep = v + pull / force * (slip + 2 * share / (1 - share))
        pull = pull - jnp.maximum(over, 0) / steep
    return pull


def drag(v: Array) -> Array:
    """Return the drag of the air, lb."""
    return physics.DRAG * v * v


def speeds(way: Line, grip: Array | float) -> tuple[Array, Array]:
    """Return the speeds, float[N] ft/s, that are not too fast for what comes, and those that a car reaches.

    Args:
        way: the line.
        grip: see `most_pull`.
    """
    most = grip * STICTION
    held = jnp.minimum(most / (jnp.abs(way.bend) + 1e-6), TOP * TOP)

    def brake(after: Array, here: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        limit, bend, step = here
        middle = after
        for _ in range(2):  # by the speed in the middle of the step
            across = middle * bend
            rate = jnp.sqrt(jnp.maximum(most * most - across * across, 1.0)) + physics.DRAG * middle / MASS
            middle = jnp.minimum(limit, after + rate * step)
        now = jnp.minimum(limit, after + 2 * rate * step)
        return now, now

    _, cap = lax.scan(brake, jnp.float32(TOP * TOP), (held, way.bend, way.step), reverse=True)

    def drive(now: Array, here: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        limit, bend, step = here
        rate = (most_pull(MASS, jnp.sqrt(now), now * bend, grip) - physics.DRAG * now) / MASS
        return jnp.minimum(limit, now + 2 * rate * step), now

    begin = jnp.float32(20.0 * 20.0)
    limits = jnp.concatenate([cap[1:], cap[-1:]])
    _, reached = lax.scan(drive, begin, (limits, way.bend, way.step))
    return jnp.sqrt(cap), jnp.sqrt(jnp.maximum(reached, 1.0))


def seconds(road: Road, way: Line, speed: Array) -> Array:
    """Return the time of the lap, from the grid to the finish line."""
    both = speed[:-1] + speed[1:]
    return (2 * way.step[:-1] / both)[: road.last].sum()


def splines(road: Road, spacing: float) -> np.ndarray:
    """Return float32[N, K]: what cubic B-splines, about `spacing` feet apart, give at the stations."""
    first, last = float(road.distance[0]), float(road.distance[-1])
    pieces = max(4, round((last - first) / spacing))
    place = (road.distance.astype(float) - first) / (last - first) * pieces
    found = np.zeros((len(place), pieces + 3))
    left = np.minimum(place.astype(int), pieces - 1)
    t = place - left
    cubic = ((1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3)
    for number, value in enumerate(cubic):
        found[np.arange(len(place)), left + number] = value / 6
    return found.astype(np.float32)
