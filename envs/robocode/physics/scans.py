"""What radars see."""

import jax.numpy as jnp
from jax import Array

from envs.robocode.physics import constants
from envs.robocode.physics.angles import relative
from envs.robocode.rounding import cosine, sine
from envs.robocode.state import SCAN, Commands, Robot


def sweeps(before: Robot, robot: Robot, other: Robot) -> Array:
    """Return whether the radar, turning from where it was, passes over the box of the other robot."""
    dx, dy = other.box_x - robot.x, other.box_y - robot.y
    step = relative(robot.radar - before.radar)
    start, end = before.radar, robot.radar
    start, end = jnp.where(step < 0, end, start), jnp.where(step < 0, start, end)  # clockwise
    sides = []
    for angle in (start, end):
        sin, cos = sine(angle), cosine(angle)
        across, room = dx * cos - dy * sin, constants.HALF * (jnp.abs(cos) + jnp.abs(sin))  # to the right of the ray
        sides.append((across, room, dx * sin + dy * cos))
    (first, wide, ahead), (second, thick, onward) = sides
    within = (first + wide >= 0) & (second - thick <= 0) & (ahead + onward > 0)
    far = jnp.maximum(jnp.abs(dx) - constants.HALF, 0) ** 2 + jnp.maximum(jnp.abs(dy) - constants.HALF, 0) ** 2
    return within & (far <= constants.REACH * constants.REACH)


def look(before: Robot, robot: Robot, other: Robot, given: Commands) -> tuple[Array, Array]:
    """Return whether a robot scans the other one, and whether a shot may then be aimed by it."""
    changed = (before.body != robot.body) | (before.gun != robot.gun) | (before.radar != robot.radar)
    scans = given.has(SCAN) | changed | (before.x != robot.x) | (before.y != robot.y)
    aligned = scans & (before.gun == before.radar) & (robot.gun == robot.radar)
    return scans & ~robot.dead & ~other.dead & sweeps(before, robot, other), aligned
