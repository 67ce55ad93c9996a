"""Cars among cars: the wake behind a car, and collisions. Places and velocities are in the coordinates of the track.

RARS has both; there are no recorded runs of several cars, so what its description leaves open is decided here: a wake
is as long as the feet that the car ahead drives in a second; cars push each other along the line between their centres;
and the change of a velocity damages the faster of two cars as the same acceleration does off the road.
"""

from typing import NamedTuple

import jax.numpy as jnp
from jax import Array

from envs.rars.physics import DT, HURT

LENGTH, WIDTH = 20.0, 10.0
"""Feet of a car."""
BOUNCE = 200.0
"""Ft/s: cars that meet so fast keep 1 / e of that speed as they part."""


class Hits(NamedTuple):
    """What collisions do to cars in a step."""

    vx: Array  # ft/s, change of the velocity
    vy: Array
    damage: Array  # int32


def draughts(x: Array, y: Array, vx: Array, vy: Array, racing: Array) -> Array:
    """Return what the drag of the air of each car is multiplied by, float[cars].

    A car that is ahead by `d` feet, at least its length and at most those it drives in a second, and aside by `o` feet,
    at most 10, multiplies drag by 1 - (1 - d / its speed) (1 - o / 10).

    Args:
        x: float[cars], places; so is y.
        y: see x.
        vx: float[cars], velocities; so is vy.
        vy: see vx.
        racing: bool[cars], those that are in the race.
    """
    v = jnp.maximum(jnp.hypot(vx, vy), 1e-3)
    dx, dy = x[None] - x[:, None], y[None] - y[:, None]  # from each car to each other one
    c, s = (vx / v)[:, None], (vy / v)[:, None]
    ahead, aside = dx * c + dy * s, jnp.abs(dy * c - dx * s)
    felt = (ahead >= LENGTH) & (ahead <= v[None]) & (aside <= WIDTH) & racing[None]
    less = jnp.where(felt, (1 - ahead / v[None]) * (1 - aside / WIDTH), 0)
    return jnp.prod(1 - less, axis=1)


def collisions(x: Array, y: Array, vx: Array, vy: Array, nose: tuple[Array, Array], mass: Array, racing: Array) -> Hits:
    """Return what cars do to each other whose rectangles overlap while they approach.

    Args:
        x: see `draughts`, as are `y`, `vx`, `vy` and `racing`.
        y: see `draughts`.
        vx: see `draughts`.
        vy: see `draughts`.
        nose: cosine and sine, float[cars] each, of the direction of the nose.
        mass: float[cars], slugs.
        racing: see `draughts`.
    """
    count = len(x)
    dx, dy = x[None] - x[:, None], y[None] - y[:, None]
    other = ~jnp.eye(count, dtype=bool) & racing[None] & racing[:, None]
    meet = other & ~_apart(dx, dy, nose) & ~_apart(dx, dy, nose).T
    gap = jnp.maximum(jnp.hypot(dx, dy), 1e-3)
    nx, ny = dx / gap, dy / gap
    closing = (vx[:, None] - vx[None]) * nx + (vy[:, None] - vy[None]) * ny
    hit = meet & (closing > 0)
    share = mass[None] / (mass[:, None] + mass[None])
    push = jnp.where(hit, share * (1 + jnp.exp(-closing / BOUNCE)) * closing, 0)
    speed = jnp.hypot(vx, vy)
    order = jnp.arange(count)
    faster = (speed[:, None] > speed[None]) | ((speed[:, None] == speed[None]) & (order[:, None] < order[None]))
    damage = jnp.where(faster, jnp.floor((push / DT) ** 2 / HURT), 0)
    return Hits(-(push * nx).sum(1), -(push * ny).sum(1), damage.sum(1).astype(jnp.int32))


def _apart(dx: Array, dy: Array, nose: tuple[Array, Array]) -> Array:
    """Return bool[cars, cars]: whether the length or the width of a car separates it from another one."""
    c, s = nose
    turn_c = jnp.abs(c[:, None] * c[None] + s[:, None] * s[None])
    turn_s = jnp.abs(c[:, None] * s[None] - s[:, None] * c[None])
    along, across = jnp.abs(dx * c[:, None] + dy * s[:, None]), jnp.abs(dy * c[:, None] - dx * s[:, None])
    long, wide = LENGTH / 2, WIDTH / 2
    return (along > long + long * turn_c + wide * turn_s) | (across > wide + long * turn_s + wide * turn_c)
