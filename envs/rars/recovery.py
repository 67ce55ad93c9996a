"""The routine that drivers of RARS commonly begin with: back to the road, forward, and on the way."""

import jax.numpy as jnp
from jax import Array

LITTLE = 0.03
"""Radians that it steers by."""


def recovered(
    alpha: Array, speed: Array, v: Array, vn: Array, to_left: Array, to_right: Array, backward: Array
) -> tuple[Array, Array]:
    """Return the controls of the routine where it acts, else those that are given.

    Args:
        alpha: radians that the driver asks for.
        speed: of the wheels that it asks for, ft/s.
        v: ft/s.
        vn: ft/s towards the left wall.
        to_left: feet to the left wall, below 0 beyond it.
        to_right: feet to the right wall.
        backward: whether the car moves against the direction of the track.
    """
    left_off, off = to_left < 0, (to_left < 0) | (to_right < 0)
    side = jnp.where(left_off, 1.0, -1.0)  # the right side is the mirror image of the left one
    out = side * vn
    retreats = (out > v / 2) | (backward & (out > -v / 2))
    back_alpha = side * jnp.where(out < -v / 2, LITTLE, -LITTLE)

    across = jnp.abs(vn) > 0.866 * v
    turn_alpha = jnp.where(vn > 0, -LITTLE, LITTLE)

    half = jnp.where(to_left < to_right, 1.0, -1.0)
    slow_alpha = half * jnp.where(half * vn < -0.7 * v, -LITTLE, LITTLE)

    slow = v < 15
    acts = off | backward | slow
    retreats = jnp.where(off, retreats, backward & ~across)
    steers = jnp.where(off, back_alpha, jnp.where(backward, turn_alpha, slow_alpha))
    retreat_speed = jnp.where(v > 10, 0.0, -15.0)
    found = jnp.where(retreats, 0.0, steers), jnp.where(retreats, retreat_speed, 2 * v / 3 + 10)
    return jnp.where(acts, found[0], alpha), jnp.where(acts, found[1], speed)
