"""Angles, as numbers between two bounds."""

import math

import jax.numpy as jnp
from jax import Array

from envs.robocode.physics import constants


def wrapped(angle: Array) -> Array:
    """Return an angle from -2 pi to 4 pi as one from 0 to 2 pi."""
    above = jnp.where(angle >= 2 * math.pi, angle - 2 * math.pi, angle)
    return jnp.where(angle < 0, angle + 2 * math.pi, above)


def relative(angle: Array) -> Array:
    """Return an angle from -4 pi to 4 pi as one from -pi to pi."""
    angle = jnp.where(angle < -math.pi, angle + 2 * math.pi, angle)
    angle = jnp.where(angle < -math.pi, angle + 2 * math.pi, angle)
    angle = jnp.where(angle >= math.pi, angle - 2 * math.pi, angle)
    return jnp.where(angle >= math.pi, angle - 2 * math.pi, angle)


def snapped(angle: Array) -> Array:
    """Return an angle from 0 to 2 pi, on an axis where it is close to one."""
    quarters = jnp.round(angle / (math.pi / 2))
    near = jnp.abs(angle - quarters * (math.pi / 2)) < constants.SNAP
    return jnp.where(near, jnp.where(quarters == 4, 0.0, quarters * (math.pi / 2)), angle)


def bounded(x: Array, most: Array | float) -> Array:
    """Return a number, at most so far from 0."""
    return jnp.clip(x, -most, most)
