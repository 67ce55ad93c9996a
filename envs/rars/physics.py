"""How a car moves: friction, power, drag, and the integrator. Functions are elementwise, in the precision of the car.

Feet, seconds, slugs, pounds. The car is a point with a velocity. Its nose makes the angle alpha with the velocity, and
its wheels turn at the speed vc. Places and velocities are in the frame of a segment (`envs.rars.tracks.Tables`).

Source: RARS 0.91.2, whose constants these are.
"""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

DT = 0.0549
"""Seconds of a step."""
GRAVITY = 32.2
POWER = 1e5
"""The greatest power, ft lb/s."""
CUT = 0.9975
"""The share of it at which the wheels turn when more is asked for."""
DRAG = 0.0065
"""Of the air, lb for a squared ft/s."""
MASS = 75.0
"""Slugs, without fuel."""
FUEL = 150.0
"""Pounds of a full load."""
CONSUMPTION = 0.45e-6
"""Pounds of fuel for a ft lb of work."""
BROKEN = 30000
"""Damage above which a car is out of the race."""
ROUGH = (0.6, 0.008)
"""Drag off the road for the weight of the car: without speed, and for a ft/s."""
FAR = 1.7
"""More of it, farther off than a width of the road."""
HURT = 50.0
"""Squared acceleration, ft2/s4, that damages a car by 1 in a step off the road."""
SWING = 3.2
"""Radians a second: the fastest change of alpha."""
REVERSE = 20.0
"""Ft/s above which wheels that turn backward are stopped instead."""
LIMIT = 1e6
"""Ft/s: faster wheels are cut to the same speed in any case; larger numbers might overflow."""
ROUNDS = 5
"""Of Newton's method, for the power cut: they leave an error below 1e-4 ft/s, where RARS leaves up to 0.006."""
FASTEST = 250.0
"""Ft/s that no car exceeds by its own power: there drag needs more than the greatest power."""

_SCALE = (1.0, 1.05, 1.8)  # friction by surface: of s/(2 + s), of 1 - exp(-s/2), and of the same
_STEP = 0.2  # surface 2: less friction above a slip of 20 ft/s


@struct.dataclass
class Motion:
    """Where a car is, and what the integrator remembers."""

    x: Array  # feet, in the frame of the segment
    y: Array
    vx: Array  # ft/s
    vy: Array
    wx: Array  # the velocity a step before
    wy: Array
    ax: Array  # ft/s2: the acceleration a step before
    ay: Array
    alpha: Array  # radians
    fuel: Array  # lb
    damage: Array  # int32
    seed: Array  # uint32, of the random friction


class Forces(NamedTuple):
    """What the wheels did in a step."""

    speed: Array  # ft/s, of the wheels, after the power cut
    computed: Array  # ft/s, the same, computed
    wanted: Array  # power asked for, as a share of the greatest
    power: Array  # power used, as such a share
    across: Array  # ft/s2: acceleration to the left of the velocity
    along: Array  # ft/s2: acceleration along the velocity


def friction(surface: int, slip: Array, softness: Array | float = 2.0) -> Array:
    """Return the coefficient of friction of a surface, 0 to 2, at a slip in ft/s; random friction varies `softness`."""
    if surface == 0:
        return slip / (softness + slip)
    found = _SCALE[surface] * (1 - jnp.exp(-slip / softness))
    return found - jnp.where(slip > 20, _STEP, 0) if surface == 2 else found


def shaken(seed: Array) -> Array:
    """Return the number that follows in the generator of RARS, uint32."""
    return seed * np.uint32(0x015A4E35) + np.uint32(1)


def wheel_slip(surface: int, weight: Array, straight: Array, side: Array, most: Array) -> Array:
    """Return how much faster than `straight` the wheels turn when they use `CUT` of the greatest power, ft/s.

    Newton's method within a bracket: every value narrows it, and a step that leaves it is replaced by a bisection.

    Args:
        surface: 0 to 2.
        weight: m g, lb.
        straight: v cos(alpha), ft/s; at this wheel speed there is no power.
        side: v sin(abs(alpha)), ft/s.
        most: wheel speed asked for minus `straight`, ft/s; the power there is above the greatest one.
    """
    target = CUT * POWER
    share = target / (_SCALE[surface] * weight * jnp.hypot(straight, side))
    share = jnp.minimum(share, 0.995)
    least = 2 * share / (1 - share) if surface == 0 else -2 * jnp.log1p(-share)
    low, high = jnp.zeros_like(most), most
    slip = jnp.clip(least, jnp.minimum(0.001, most), most)
    for _ in range(ROUNDS):
        whole = jnp.sqrt(slip * slip + side * side)
        part = slip / whole
        if surface == 0:
            rub, steep = whole / (2 + whole), 2 / ((2 + whole) * (2 + whole))
        else:
            gone = _SCALE[surface] * jnp.exp(-whole / 2)
            rub, steep = _SCALE[surface] - gone, gone / 2
            rub = rub - jnp.where(whole > 20, _STEP, 0) if surface == 2 else rub
        speed = slip + straight
        over = weight * speed * rub * part - target
        slope = weight * (rub * part + speed * (steep * part * part + rub * (1 - part * part) / whole))
        low, high = jnp.where(over > 0, low, slip), jnp.where(over > 0, slip, high)
        moved = slip - over / slope
        slip = jnp.where((moved >= low) & (moved <= high), moved, (low + high) / 2)
    return slip


def move(
    surface: int,
    rough: bool,
    car: Motion,
    alpha: Array,
    speed: Array,
    off: Array,
    draught: Array | float = 1.0,
    cut: Array | None = None,
) -> tuple[Motion, Forces]:
    """Move a car by one step.

    Args:
        surface: 0 to 2.
        rough: whether friction is random.
        car: the car.
        alpha: the angle of the nose that the driver asks for, radians.
        speed: the speed of the wheels that the driver asks for, ft/s.
        off: int32: 0 on the road, 1 off the road, 2 farther off than a width of the road.
        draught: what the drag of the air is multiplied by behind other cars, else 1.
        cut: the speed of the wheels where power is cut, to follow a recorded run; None: it is computed.
    """
    swing = SWING * DT
    alpha = jnp.clip(car.alpha + jnp.clip(alpha - car.alpha, -swing, swing), -1, 1)
    v = jnp.sqrt(car.vx * car.vx + car.vy * car.vy)
    mass = MASS + car.fuel / GRAVITY
    weight = mass * GRAVITY
    vc = jnp.clip(speed, -LIMIT, LIMIT)
    vc = jnp.where((vc < 0) & (v > REVERSE), 0, vc)

    drag = DRAG * v * v * (2 * car.damage + BROKEN) / BROKEN * draught
    drag += jnp.where(off > 0, (ROUGH[0] + ROUGH[1] * v) * weight, 0) + jnp.where(off > 1, FAR * weight, 0)

    sin = jnp.sin(alpha)
    cos = jnp.sqrt(1 - sin * sin)  # abs(alpha) is at most 1
    straight, side = v * cos, v * jnp.abs(sin)
    asked = vc - straight
    slip = jnp.maximum(jnp.sqrt(asked * asked + side * side), 1e-4)
    wanted = jnp.abs(vc) * weight * friction(surface, slip) * asked / slip
    most = jnp.maximum(asked, 0.001)
    root = straight + wheel_slip(surface, weight, straight, side, most)
    vc = jnp.where(wanted > POWER, root if cut is None else cut, vc)
    spin = vc - straight

    slip = jnp.sqrt(spin * spin + side * side)
    weighs = jnp.where(slip < 1e-4, 0, weight / jnp.maximum(slip, 1e-4))
    grip = weighs * friction(surface, slip)
    power = jnp.abs(vc) * grip * spin
    forward, seed = spin * cos - side * jnp.abs(sin), car.seed  # vc cos(alpha) - v
    if rough:  # RARS draws where there is a force along the velocity
        drawn = shaken(seed)
        softness = 1.5 + ((drawn >> 16) & 0x7FFF).astype(v.dtype) / 0x7FFF
        seed = jnp.where(grip * forward != 0, drawn, seed)
        grip = weighs * friction(surface, slip, softness)
    across, along = grip * vc * sin / mass, (grip * forward - drag) / mass

    burnt = jnp.maximum(power, 0) * CONSUMPTION * DT
    hurt = jnp.where(off > 0, jnp.floor((along * along + across * across) / HURT), 0).astype(jnp.int32)
    still = v < 1e-4
    c, s = (jnp.where(still, 0, part / jnp.where(still, 1, v)) for part in (car.vx, car.vy))
    ax, ay = along * c - across * s, across * c + along * s
    moved = Motion(
        x=car.x + (1.5 * car.vx - 0.5 * car.wx) * DT,
        y=car.y + (1.5 * car.vy - 0.5 * car.wy) * DT,
        vx=car.vx + (1.5 * ax - 0.5 * car.ax) * DT,
        vy=car.vy + (1.5 * ay - 0.5 * car.ay) * DT,
        wx=car.vx,
        wy=car.vy,
        ax=ax,
        ay=ay,
        alpha=alpha,
        fuel=car.fuel - burnt,
        damage=car.damage + hurt,
        seed=seed,
    )
    return moved, Forces(vc, jnp.where(wanted > POWER, root, vc), wanted / POWER, power / POWER, across, along)
