"""The way ahead: how far a car can go straight on before it crosses a wall, and how that wall runs there.

A ray starts at the car. In each segment it either crosses one of the two walls, or it leaves through the end of the
segment (or through its start, if it points backward) into the next one. It passes as many segments as there are.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array, lax

from envs.rars import places
from envs.rars.places import at
from envs.rars.tracks import Tables


class Ray(NamedTuple):
    """Rays on their way, in the frames of the segments in which they are."""

    row: Array
    x: Array  # where it has come to
    y: Array
    dx: Array  # its direction, of length 1
    dy: Array
    gone: Array  # feet, so far
    going: Array  # bool: it has not met a wall


def ahead(tables: Tables, row: Array, x: Array, y: Array, dx: Array, dy: Array) -> tuple[Array, Array]:
    """Return the feet to the first wall along a direction, and the angle of that wall against it.

    The angle, from -pi to pi, is that by which the direction has to turn left to run along the road. Off the road the
    distance is 0, and the wall is the nearer one.

    Args:
        tables: of the tracks.
        row: int32[...], the segments.
        x: [...], places in the frames of the segments; so is y.
        y: see x.
        dx: [...], directions of length 1; so is dy.
        dy: see dx.
    """
    forward = _advances(tables, row, x, y, dx, dy)
    start = Ray(row, x, y, dx, dy, jnp.zeros_like(x), _on_road(tables, row, x, y))
    end = lax.while_loop(lambda ray: ray.going.any(), lambda ray: _on(tables, ray, forward), start)
    tx, ty = places.tangent(tables, end.row, end.x, end.y)
    return end.gone, jnp.arctan2(end.dx * ty - end.dy * tx, end.dx * tx + end.dy * ty)


def _on_road(tables: Tables, row: Array, x: Array, y: Array) -> Array:
    right = places.to_right(tables, row, x, y)
    return (right >= 0) & (right <= at(tables.width, row, x))


def _advances(tables: Tables, row: Array, x: Array, y: Array, dx: Array, dy: Array) -> Array:
    """Return whether rays point along the road, not against it."""
    tx, ty = places.tangent(tables, row, x, y)
    return dx * tx + dy * ty >= 0


def _on(tables: Tables, ray: Ray, forward: Array) -> Ray:
    """Let rays that go on go to a wall of their segment, or into the next one."""
    row, x, y, dx, dy = ray[:5]
    radius, width, extent = (at(column, row, x) for column in (tables.radius, tables.width, tables.extent))
    turn, straight = jnp.sign(radius), radius == 0
    # From the centre of a curve: what the squares of the radii of both walls exceed that of the distance by.
    outward = x * dx + (y - radius) * dy
    right = 2 * radius * y - x * x - y * y
    left = right + width * (width - 2 * radius)
    outer, inner = jnp.where(turn > 0, right, left), jnp.where(turn > 0, left, right)
    root = jnp.sqrt(jnp.maximum(outward * outward + outer, 0))
    arc = jnp.where(outward > 0, outer / jnp.maximum(outward + root, 1e-20), root - outward)
    touch = outward * outward + inner
    meets = (outward < 0) & (touch >= 0)
    arc = jnp.where(meets, -inner / (jnp.sqrt(jnp.maximum(touch, 0)) - outward), arc)
    line = jnp.where(dy > 0, width - y, -y) / jnp.where(dy == 0, 1, dy)
    line = jnp.where(dy == 0, jnp.inf, line)
    wall = jnp.maximum(jnp.where(straight, line, arc), 0)

    # Leaving: along a straight by feet, in a curve by the angle at its centre; a ray sweeps less than half a turn.
    ahead_of = jnp.where(forward, extent - x, x)
    slant = jnp.where(forward, dx, -dx)
    along = jnp.where(slant > 0, ahead_of / jnp.where(slant > 0, slant, 1), jnp.inf)
    cos, sin = (jnp.where(forward, at(c, row, x), end) for c, end in ((tables.cos_end, 1), (tables.sin_end, 0)))
    way = jnp.where(forward, 1, -1)
    across = turn * (radius - y)
    beside = way * (across * sin - x * cos)  # feet before the line through the centre on which the segment ends
    closes = way * (dx * cos + turn * dy * sin)  # as the ray closes in on this line
    to_line = jnp.where(closes > 0, beside / jnp.where(closes > 0, closes, 1), jnp.inf)
    reach = x + to_line * dx, across - turn * to_line * dy
    # The line goes on beyond the centre, where the segment does not end.
    to_line = jnp.where((beside >= 0) & (reach[1] * cos + reach[0] * sin > 0), to_line, jnp.inf)
    leave = jnp.where(straight, jnp.maximum(along, 0), to_line)

    leaves = (leave < wall) & ray.going
    step = jnp.where(ray.going, jnp.minimum(leave, wall), 0)
    x, y = x + step * dx, y + step * dy
    next_row = jnp.where(forward, at(tables.following, row, x), at(tables.before, row, x))
    # Forward into the frame of the next segment, or backward out of that of this one into the one before.
    ex, ey, ec, es = (
        jnp.where(forward, at(to, row, x), at(fro, row, x))
        for to, fro in (
            (tables.exit_x, tables.enter_x),
            (tables.exit_y, tables.enter_y),
            (tables.exit_cos, tables.enter_cos),
            (tables.exit_sin, tables.enter_sin),
        )
    )
    ox, oy = x - ex, y - ey
    there_x = jnp.where(forward, ox * ec + oy * es, ex + x * ec - y * es)
    there_y = jnp.where(forward, oy * ec - ox * es, ey + x * es + y * ec)
    spin = jnp.where(forward, es, -es)
    turned = dx * ec + dy * spin, dy * ec - dx * spin
    # Where a track does not close, the road beyond the gap may lie beside the ray: then it ends there.
    inside = _on_road(tables, next_row, there_x, there_y)
    moved = Ray(next_row, there_x, there_y, *turned, ray.gone + step, inside)
    stays = Ray(row, x, y, dx, dy, ray.gone + step, jnp.zeros_like(ray.going))
    return Ray(*(jnp.where(leaves, a, b) for a, b in zip(moved, stays, strict=True)))
