"""Drivers written by hand: Tuto3, of the tutorial that comes with RARS, and the routine that all begin with.

It keeps a lane on straights, the inside in curves, and a speed for each radius; it brakes as late as its constants
allow. It steers by where it is on the road, by its drift and, in curves, by the radius.
"""

from typing import TYPE_CHECKING, NamedTuple

import jax.numpy as jnp
from jax import Array

from envs.rars.physics import GRAVITY
from envs.rars.places import SENSED
from jaxgp.players.driver import HandDriver
from jaxgp.spec import Hand

if TYPE_CHECKING:
    from envs.rars.rules import Rars

NAMES = ("tuto3",)


class Tuto3(NamedTuple):
    """The constants of the driver, as the tutorial has them."""

    inside: float = 12.0  # feet from the inner wall in curves; the car's lane is so much wider than the wall
    grip: float = 0.92  # friction that its speed in curves relies on
    straight: float = 250.0  # ft/s that it wants on straights
    brake: float = 30.0  # ft/s2 on straights
    brake_in_curve: float = 25.0
    steer: float = 0.5  # radians for a width of the road
    damp: float = 1.1  # radians for a drift as fast as the car
    bias: float = 9.0  # feet: the radius at which it would steer by pi / 4 in a curve
    hurry: float = 50.0  # ft/s that the wheels are faster than the car on straights


def tuto3(number: Array, lane: Array, sensed: Array, bits: Array) -> tuple[Array, Array]:
    """Return the controls float32[2] of Tuto3 as it is, and the lane that it wants; see `drive`."""
    del number, bits
    return drive(Tuto3(), lane, sensed)


def drive(k: Tuto3, lane: Array, sensed: Array) -> tuple[Array, Array]:
    """Return the controls of Tuto3, and the lane that it wants then.

    Args:
        k: its constants.
        lane: float[...], feet from the left wall; below 0 at the start, where it takes the lane that it is in.
        sensed: float[F, ...], in the order of `SENSED`.

    Returns:
        float[2, ...], and float[...].
    """
    s = dict(zip(SENSED, sensed, strict=True))
    v, radius, next_radius, width = s["v"], s["cur_rad"], s["nex_rad"], s["width"]
    straight = radius == 0

    def held(radius: Array) -> Array:
        """The speed that it trusts in a curve."""
        return jnp.where(radius == 0, k.straight, jnp.sqrt(GRAVITY * k.grip * (jnp.abs(radius) + k.inside)))

    def stop(after: Array, rate: float) -> Array:
        """The feet in which it brakes from `v` to a speed."""
        return jnp.where(after > v, 0, (v + after) / 2 * (v - after) / rate)

    fast, next_fast = held(radius), held(next_radius)
    braking = straight & (s["to_end"] <= stop(next_fast, k.brake))
    lane = jnp.where(lane < 0, s["to_lft"], lane)
    next_side = jnp.where(next_radius > 0, k.inside, width - k.inside)
    side = jnp.where(radius > 0, k.inside, width - k.inside)
    lane = jnp.where(straight, lane, side)

    bias = jnp.sign(radius) * (v / fast) ** 2 * jnp.arctan(k.bias / fast)
    alpha = k.steer * (s["to_lft"] - lane) / width - k.damp * s["vn"] / jnp.maximum(v, 1e-3) + bias
    slows = jnp.where(
        v > 1.02 * next_fast, 0.935 * v, jnp.where(v < 0.98 * next_fast, 1.1 * next_fast, (v + next_fast) / 2)
    )
    left = s["to_end"] * (jnp.abs(radius) + k.inside)
    curved = jnp.where(left <= stop(next_fast, k.brake_in_curve), v - 5, (v + fast) / 2 / jnp.cos(alpha))
    # It changes its lane a step after it begins to brake.
    lane = jnp.where(braking, next_side, lane)
    speed = jnp.where(straight, jnp.where(braking, slows, v + k.hurry), curved)
    return jnp.stack([alpha, speed]), lane


def make(name: str, game: "Rars") -> Hand:
    """Return a driver by its name."""
    del game
    if name not in NAMES:
        raise ValueError(f"{name}: accepted: {', '.join(NAMES)}")
    return Hand(HandDriver(tuto3, lambda: jnp.float32(-1)))


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
