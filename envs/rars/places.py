"""Where a car is on its track: the segment it is in, the distances to the walls, and the way ahead.

Functions are elementwise over cars, in the precision of the places. Rows are those of `envs.rars.tracks.Tables`.
"""

import math
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from envs.rars.physics import Motion
from envs.rars.tracks import Tables
from jaxgp import arrays

SENSED = (
    *("cur_rad", "nex_rad", "to_end", "nex_len", "v", "vn", "to_lft", "to_rgt", "width", "ahead", "ahead_angle"),
    *("cur_len", "after_rad", "after_len", "alpha", "backward", "distance"),
)
"""What a car perceives, in feet, ft/s and radians: the sensors of RARS by their names there, then the way ahead.

Radii are those of the inner wall, above 0 in left turns, below 0 in right turns, 0 on straights. Lengths of segments
and `to_end` are feet on straights and radians in curves. `vn` is above 0 if the car drifts to the left. `distance` is
what the car has driven since the finish line, along the middle of the road; whoever knows the track knows the place."""


def at(column: np.ndarray, rows: Array, like: Array) -> Array:
    """Return the entries of a column of the tables at some rows, in the precision of `like`."""
    kind = like.dtype if column.dtype == float else column.dtype
    return jnp.asarray(column, kind).at[rows].get(mode="promise_in_bounds")


def angle(y: Array, x: Array) -> Array:
    """Return the angle of places in the plane, from -pi to pi, to the precision of its type."""
    if y.dtype != jnp.float32:
        return jnp.arctan2(y, x)
    # S. Moshier's Cephes library, atanf: XLA's own function takes several times as long.
    steep = jnp.abs(y) > jnp.abs(x)
    low, high = jnp.where(steep, jnp.abs(x), jnp.abs(y)), jnp.where(steep, jnp.abs(y), jnp.abs(x))
    ratio = low / jnp.where(high == 0, 1, high)
    half = ratio > 0.4142135623730950
    z = jnp.where(half, (ratio - 1) / (ratio + 1), ratio)
    w = z * z
    poly = ((8.05374449538e-2 * w - 1.38776856032e-1) * w + 1.99777106478e-1) * w - 3.33329491539e-1
    found = poly * w * z + z + jnp.where(half, math.pi / 4, 0)
    found = jnp.where(steep, math.pi / 2 - found, found)
    found = jnp.where(x < 0, math.pi - found, found)
    return jnp.where(y < 0, -found, found)


def tangent(tables: Tables, row: Array, x: Array, y: Array) -> tuple[Array, Array]:
    """Return the direction of the road beside a place."""
    radius = at(tables.radius, row, x)
    turn, across = jnp.sign(radius), radius - y
    far = jnp.maximum(jnp.sqrt(x * x + across * across), 1e-6)
    return jnp.where(radius == 0, 1, turn * across / far), jnp.where(radius == 0, 0, turn * x / far)


def to_right(tables: Tables, row: Array, x: Array, y: Array) -> Array:
    """Return the feet from a place to the right wall; below 0 beyond it."""
    radius = at(tables.radius, row, x)
    far = jnp.sqrt(x * x + (radius - y) * (radius - y))
    # The difference of two long distances, without cancellation.
    curved = jnp.sign(radius) * (2 * radius * y - x * x - y * y) / jnp.maximum(far + jnp.abs(radius), 1e-6)
    return jnp.where(radius == 0, y, curved)


def to_end(tables: Tables, row: Array, x: Array, y: Array) -> Array:
    """Return how far the end of the segment is: feet on a straight, radians in a curve."""
    radius, extent = at(tables.radius, row, x), at(tables.extent, row, x)
    left = extent - angle(x, jnp.abs(radius) - jnp.sign(radius) * y)
    left = jnp.where(left > 1.5 * math.pi, left - 2 * math.pi, left)
    left = jnp.where(left < -0.5 * math.pi, left + 2 * math.pi, left)
    return jnp.where(radius == 0, extent - x, left)


def past_end(tables: Tables, row: Array, x: Array, y: Array) -> Array:
    """Return whether a place lies beyond the end of its segment: by less than a quarter turn, if that is a curve."""
    radius = at(tables.radius, row, x)
    sin, cos = at(tables.sin_end, row, x), at(tables.cos_end, row, x)
    across = jnp.abs(radius) - jnp.sign(radius) * y
    curved = (x * cos - across * sin >= 0) & (across * cos + x * sin >= 0)
    return jnp.where(radius == 0, x >= at(tables.extent, row, x), curved)


def enter(tables: Tables, row: Array, car: Motion, rounds: Array) -> tuple[Array, Motion, Array]:
    """Let a car that lies beyond the end of its segment go on to the next one.

    Args:
        tables: of the tracks.
        row: the segment.
        car: in the frame of that segment.
        rounds: int32: how often it has come to segment 0.

    Returns:
        The row, the car in the frame of that segment, and the rounds; they stay as they are where it is not beyond.
    """
    past = past_end(tables, row, car.x, car.y)
    dx, dy = car.x - at(tables.exit_x, row, car.x), car.y - at(tables.exit_y, row, car.x)
    cos, sin = at(tables.exit_cos, row, car.x), at(tables.exit_sin, row, car.x)

    def turned(x: Array, y: Array) -> tuple[Array, Array]:
        return x * cos + y * sin, y * cos - x * sin

    (x, y), (vx, vy) = turned(dx, dy), turned(car.vx, car.vy)
    (wx, wy), (ax, ay) = turned(car.wx, car.wy), turned(car.ax, car.ay)
    entered = replace(car, x=x, y=y, vx=vx, vy=vy, wx=wx, wy=wy, ax=ax, ay=ay)
    following = at(tables.following, row, car.x)
    rounds = rounds + (past & (at(tables.number, following, car.x) == 0))
    return jnp.where(past, following, row), arrays.where(past, entered, car), rounds


def follow(tables: Tables, row: Array, car: Motion) -> tuple[Array, Motion, Array]:
    """Let a car go on to the next segment as long as it lies beyond the end of its own.

    Returns:
        The row, the car in the frame of that segment, and int32: how often it has come to segment 0.
    """

    def goes(carry: tuple[Array, Motion, Array]) -> Array:
        row, car, _ = carry
        return past_end(tables, row, car.x, car.y).any()

    return lax.while_loop(goes, lambda carry: enter(tables, *carry), (row, car, jnp.zeros_like(row)))


def driven(tables: Tables, row: Array, rounds: Array, x: Array, y: Array) -> Array:
    """Return the feet from the finish line along the middle of the road, with those of whole rounds."""
    left = to_end(tables, row, x, y) * at(tables.middle, row, x)
    return rounds * at(tables.lap, row, x) + (at(tables.end, row, x) - left)
