"""A controller that follows a line with the speeds that a car can hold on it.

It asks for the forces that lead back to the line and to its speed, as far as friction and the engine allow, and inverts
what the simulator does with an angle and a speed of the wheels. It can be differentiated.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.rars import physics
from envs.rars.paths.line import STICTION, Line, Road, drag, most_pull, speeds

GAINS = np.array([1.5, 4.0, 4.0, 6.0, 0.975], np.float32)
"""Steps that it looks ahead; 1/s2 for a foot beside the line, 1/s for a drift, 1/s for a speed; share of friction that
the speeds of the line use."""
WHOLE = 0.997
"""The share of friction that the controller may use."""
STEEPEST = 0.15
"""How far the controller turns from the direction of the line, to come back to it, radians."""


class Plan(NamedTuple):
    """What is followed."""

    table: Array  # float[N, 5], at the stations of a road: offset, slope, curvature, speed, and its change in a foot
    gains: Array  # float[5], as `GAINS`


class Place(NamedTuple):
    """Where a car is, and how it moves. Arrays are float[]."""

    distance: Array  # feet from the finish line
    beside: Array  # feet to the left of the middle of the road
    v: Array  # ft/s
    drift: Array  # ft/s to the left, across the road


def plan(way: Line, gains: Array, faster: Array | float = 0.0) -> Plan:
    """Return what is followed: a line, at the speeds that a car can hold there, times exp(`faster`)."""
    cap = speeds(way, gains[4])[0] * jnp.exp(faster)
    rise = (jnp.concatenate([cap[1:], cap[-1:]]) - cap) / way.step
    return Plan(jnp.stack([way.offset, way.slope, way.bend, cap, rise], 1), gains)


def stations(way: Road) -> np.ndarray:
    """Return int32: the station before each foot of the road."""
    feet = np.arange(int(way.distance[-1] - way.distance[0]) + 1) + way.distance[0]
    return np.clip(np.searchsorted(way.distance, feet, "right") - 1, 0, len(way.distance) - 2).astype(np.int32)


def looked_up(way: Road, grid: np.ndarray, table: Array, distance: Array) -> Array:
    """Return float[..., 5]: what a table says at a distance from the finish line, between its stations.

    Args:
        way: the road of the table.
        grid: its `stations`.
        table: float[N, 5].
        distance: feet, float[...].
    """
    cell = jnp.clip((distance - way.distance[0]).astype(jnp.int32), 0, len(grid) - 1)
    left = jnp.asarray(grid)[cell]
    begin = jnp.asarray(way.distance)[left]
    share = jnp.clip((distance - begin) / (jnp.asarray(way.distance)[left + 1] - begin), 0, 1)[..., None]
    return (1 - share) * table[left] + share * table[left + 1]


def controls(way: Road, grid: np.ndarray, plan: Plan, here: Place, mass: Array | float) -> Array:
    """Return float[2]: the angle of the nose and the speed of the wheels that follow a plan.

    Args:
        way: the road of the plan.
        grid: its `stations`.
        plan: what is followed.
        here: where the car is.
        mass: of the car, slugs.
    """
    v, gains = here.v, plan.gains
    now = looked_up(way, grid, plan.table, here.distance)
    then = looked_up(way, grid, plan.table, here.distance + gains[0] * physics.DT * v)
    back = jnp.clip(gains[1] / gains[2] * (now[0] - here.beside), -STEEPEST * v, STEEPEST * v)
    across = v * v * then[2] + gains[2] * (v * now[1] + back - here.drift)
    most = WHOLE * STICTION
    across = jnp.clip(across, -0.998 * most, 0.998 * most)
    pull = mass * (then[3] * then[4] + gains[3] * (then[3] - v)) + drag(v)
    limit = jnp.sqrt((mass * most) ** 2 - (mass * across) ** 2)
    pull = jnp.clip(pull, -limit, most_pull(mass, v, across, WHOLE))
    side = mass * across
    force = jnp.sqrt(pull * pull + side * side + 1e-3)
    slip = -2 * jnp.log1p(-jnp.minimum(force / (STICTION * mass), 0.999))
    forward, left = v + slip * pull / force, slip * side / force
    forward = jnp.maximum(forward, 1.0)
    return jnp.stack([jnp.arctan(left / forward), jnp.sqrt(forward * forward + left * left)])
