"""The way ahead: how far a car can go straight on before it crosses a wall, and how that wall runs there.

A ray starts at the car. In each segment it either crosses one of the two walls, or it leaves through the end of the
segment (or through its start, if it points backward) into the next one. It passes as many segments as there are.
"""

from functools import cache
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.rars import places
from envs.rars.places import at
from envs.rars.tracks import Track, tables


class Ways(NamedTuple):
    """The tables of a ray, by twice the row, plus 1 if it points against the direction of the road."""

    radius: np.ndarray
    width: np.ndarray
    extent: np.ndarray
    cos: np.ndarray  # of the angle at which it leaves a curve
    sin: np.ndarray
    x: np.ndarray  # the origin of the next frame, in the frame of this segment
    y: np.ndarray
    turn_cos: np.ndarray  # the direction of the next frame
    turn_sin: np.ndarray
    following: np.ndarray  # int32: where it goes on


@cache
def ways(tracks: tuple[Track, ...]) -> Ways:
    """Return the tables of rays."""
    t = tables(tracks)
    one, none = np.ones_like(t.radius), np.zeros_like(t.radius)
    # The frame of the segment before, seen from this one: the opposite of this one seen from there.
    before_x = -t.enter_x * t.enter_cos - t.enter_y * t.enter_sin
    before_y = t.enter_x * t.enter_sin - t.enter_y * t.enter_cos
    pairs = (
        (t.radius, t.radius),
        (t.width, t.width),
        (t.extent, t.extent),
        (t.cos_end, one),
        (t.sin_end, none),
        (t.exit_x, before_x),
        (t.exit_y, before_y),
        (t.exit_cos, t.enter_cos),
        (t.exit_sin, -t.enter_sin),
        (2 * t.following, 2 * t.before + 1),
    )
    return Ways(*(np.stack(pair, 1).ravel().astype(pair[0].dtype) for pair in pairs))


class Ray(NamedTuple):
    """Rays on their way, in the frames of the segments in which they are."""

    place: Array  # int32: see `Ways`
    x: Array  # where it has come to
    y: Array
    dx: Array  # its direction, of length 1
    dy: Array
    gone: Array  # feet, so far
    going: Array  # bool: it has not met a wall


def ahead(tracks: tuple[Track, ...], row: Array, x: Array, y: Array, dx: Array, dy: Array) -> tuple[Array, Array]:
    """Return the feet to the first wall along a direction, and the angle of that wall against it.

    The angle, from -pi to pi, is that by which the direction has to turn left to run along the road. Off the road the
    distance is 0, and the wall is the nearer one.

    Args:
        tracks: all of them.
        row: int32[...], the segments, as rows of their tables.
        x: [...], places in the frames of the segments; so is y.
        y: see x.
        dx: [...], directions of length 1; so is dy.
        dy: see dx.
    """
    table = ways(tracks)
    tx, ty = places.tangent(tables(tracks), row, x, y)
    place = 2 * row + (dx * tx + dy * ty < 0)
    start = Ray(place, x, y, dx, dy, jnp.zeros_like(x), jnp.ones_like(row, bool))
    end = lax.while_loop(lambda ray: ray.going.any(), lambda ray: _on(table, ray), start)
    tx, ty = places.tangent(tables(tracks), end.place // 2, end.x, end.y)
    return end.gone, places.angle(end.dx * ty - end.dy * tx, end.dx * tx + end.dy * ty)


def _on(table: Ways, ray: Ray) -> Ray:
    """Let rays that go on go to a wall of their segment, or into the next one."""
    place, x, y, dx, dy = ray[:5]
    radius, width = at(table.radius, place, x), at(table.width, place, x)
    cos, sin = at(table.cos, place, x), at(table.sin, place, x)
    way = jnp.where(place & 1, -1, 1)
    turn, straight = jnp.sign(radius), radius == 0
    # From the centre of a curve: what the squares of the radii of both walls exceed that of the distance by.
    outward = x * dx + (y - radius) * dy
    right = 2 * radius * y - x * x - y * y
    left = right + width * (width - 2 * radius)
    outer, inner = jnp.where(turn > 0, right, left), jnp.where(turn > 0, left, right)
    # Where a track does not close, the road beyond the gap may lie beside the ray: then it has ended there.
    inside = jnp.where(straight, (y >= 0) & (y <= width), (outer >= 0) & (inner <= 0))
    root = jnp.sqrt(jnp.maximum(outward * outward + outer, 0))
    arc = jnp.where(outward > 0, outer / jnp.maximum(outward + root, 1e-20), root - outward)
    touch = outward * outward + inner
    meets = (outward < 0) & (touch >= 0)
    arc = jnp.where(meets, -inner / (jnp.sqrt(jnp.maximum(touch, 0)) - outward), arc)
    line = jnp.where(dy == 0, jnp.inf, jnp.where(dy > 0, width - y, -y) / jnp.where(dy == 0, 1, dy))
    wall = jnp.maximum(jnp.where(straight, line, arc), 0)

    # Leaving: along a straight by feet, in a curve by the angle at its centre; a ray sweeps less than half a turn.
    across = turn * (radius - y)
    beside = way * (across * sin - x * cos)  # feet before the line through the centre on which the segment ends
    closes = way * (dx * cos + turn * dy * sin)  # as the ray closes in on this line
    room = jnp.where(way > 0, at(table.extent, place, x) - x, x)
    pace = jnp.where(straight, way * dx, closes)
    leave = jnp.where(straight, jnp.maximum(room, 0), beside) / jnp.where(pace > 0, pace, 1)
    reach = (across - turn * leave * dy) * cos + (x + leave * dx) * sin
    # The line goes on beyond the centre, where the segment does not end.
    ends = (pace > 0) & (straight | ((beside >= 0) & (reach > 0)))

    leaves = ends & (leave < wall) & inside & ray.going
    step = jnp.where(inside & ray.going, jnp.where(leaves, leave, wall), 0)
    x, y = x + step * dx, y + step * dy
    off_x, off_y = x - at(table.x, place, x), y - at(table.y, place, x)
    c, s = at(table.turn_cos, place, x), at(table.turn_sin, place, x)
    moved = (off_x * c + off_y * s, off_y * c - off_x * s, dx * c + dy * s, dy * c - dx * s)
    after = [jnp.where(leaves, new, old) for new, old in zip(moved, (x, y, dx, dy), strict=True)]
    place = jnp.where(leaves, at(table.following, place, x), place)
    return Ray(place, after[0], after[1], after[2], after[3], ray.gone + step, leaves)
