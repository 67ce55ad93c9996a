"""What amounts and tests of instructions may depend on. Angles are degrees here, as robots in Java see them."""

import math
from collections.abc import Callable, Mapping

import jax.numpy as jnp
from jax import Array

from envs.robocode.rounding import divided

SIGNALS = (
    *("one", "r0", "r1", "r2", "r3"),
    *("bearing", "bearing_size", "bearing_sign", "distance", "other_energy"),
    *("energy", "heat", "cool", "heading", "gun_left", "widest"),
    *(
        "gun_error",
        "gun_error_size",
        "radar_error",
        "past_quarter",
        "to_corner",
        "across_shot",
        "wave",
        "next_beat",
        "spare",
    ),
    *("value", "shots_left", "shot"),
)
"""The registers; the event that is handled; the robot itself; what is computed from these, see `signals`; and what a
line of a program has found."""


def to_degrees(angle: Array) -> Array:
    """Return an angle in degrees, rounded as in the engine: robots ask whether angles and what is left of them are 0.

    Args:
        angle: radians.
    """
    return divided(180 * angle, math.pi)


def relative_degrees(angle: Array) -> Array:
    """Return an angle from -180 up to 180 degrees, rounded as in the engine."""
    angle = angle - 360 * jnp.trunc(angle / 360)
    angle = jnp.where(angle >= 180, angle - 360, angle)
    return jnp.where(angle < -180, angle + 360, angle)


def signals(
    s: Mapping[str, Array], frame: Mapping[str, Array], line: Mapping[str, Array]
) -> dict[str, Callable[[], Array]]:
    """Return functions that compute each signal but the registers.

    Args:
        s: what the robot perceives, by names of `envs.robocode.rules.SENSED`.
        frame: bearing, distance, energy and shot_heading of the event that is handled, in radians.
        line: value, left and shot of a line.
    """

    def gun_error() -> Array:
        return relative_degrees(to_degrees(s["body"]) + to_degrees(frame["bearing"]) - to_degrees(s["gun"]))

    one = jnp.ones_like(s["x"])
    return {
        "one": lambda: one,
        "bearing": lambda: to_degrees(frame["bearing"]),
        "bearing_size": lambda: jnp.abs(to_degrees(frame["bearing"])),
        "bearing_sign": lambda: jnp.where(frame["bearing"] >= 0, one, -one),
        "distance": lambda: frame["distance"],
        "other_energy": lambda: frame["energy"],
        "energy": lambda: s["energy"],
        "heat": lambda: s["heat"],
        # Whether a shot would go off.
        "cool": lambda: jnp.where((s["heat"] <= 0) & (s["energy"] > 0), one, 0 * one),
        "heading": lambda: to_degrees(s["body"]),
        "gun_left": lambda: s["gun_turn"] * (180 / math.pi),
        "widest": lambda: jnp.maximum(s["width"], s["height"]),
        # The angle by which gun or radar would have to turn to the other robot.
        "gun_error": gun_error,
        "gun_error_size": lambda: jnp.abs(gun_error()),
        "radar_error": lambda: relative_degrees(
            to_degrees(frame["bearing"]) + (to_degrees(s["body"]) - to_degrees(s["radar"]))
        ),
        "past_quarter": lambda: to_degrees(s["body"]) - 90 * jnp.floor(to_degrees(s["body"]) / 90),
        # The angle by which the body would have to turn to the direction in register 3.
        "to_corner": lambda: relative_degrees(line["r3"] - to_degrees(s["body"])),
        "across_shot": lambda: relative_degrees(90 - (to_degrees(s["body"]) - frame["shot_heading"] * (180 / math.pi))),
        "wave": lambda: jnp.sin(jnp.floor(s["time"] / 12)),
        # One more than register 0, from 0 again at 64.
        "next_beat": lambda: jnp.where(line["r0"] >= 63, 0 * one, line["r0"] + 1),
        # Register 1, or the energy that can be spared.
        "spare": lambda: jnp.minimum(line["r1"], s["energy"] - 0.1),
        "value": lambda: line["value"],
        "shots_left": lambda: line["left"],
        "shot": lambda: line["shot"],
    }
