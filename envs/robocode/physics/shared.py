"""What all parts of a turn share: settings, lots, the rule of inactivity, and energy."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import Array

from envs.robocode.physics import constants
from envs.robocode.state import Robot
from jaxgp import arrays


class Field(NamedTuple):
    """The settings of a turn."""

    width: float
    height: float
    cooling: float
    patience: int  # turns without loss of energy after which robots lose some


class Lots(NamedTuple):
    """What the engine draws in a turn: by seat, who is first."""

    bullets: Array  # bool: the bullets of seat 1 are examined before those of seat 0
    moves: Array  # bool: seat 1 moves first


class Idle(NamedTuple):
    """The rule of inactivity."""

    turns: Array  # int32: since energy was lost
    loss: Array

    def lost(self, amount: Array) -> "Idle":
        """Return the counters after a loss of energy."""
        loss = self.loss + amount
        full = loss >= 10
        return Idle(jnp.where(full, 0, self.turns), jnp.where(full, loss - 10 * jnp.floor(loss / 10), loss))


def with_energy(robot: Robot, energy: Array) -> Robot:
    """Return a robot with some energy, or a disabled one."""
    off = energy < constants.DISABLED
    return robot.replace(  # type: ignore[attr-defined]
        energy=jnp.where(off, 0.0, energy),
        ahead=jnp.where(off, 0.0, robot.ahead),
        turn=jnp.where(off, 0.0, robot.turn),
    )


def changed(names: str, function: Callable[..., Robot], robot: Robot, *args: object) -> Robot:
    """Return a robot after a function that changes these fields, computed apart."""
    fields = names.split()

    def change(*given: Any) -> list[Array]:
        after = function(*given)
        return [getattr(after, name) for name in fields]

    return robot.replace(**dict(zip(fields, arrays.apart(change, robot, *args), strict=True)))  # type: ignore[attr-defined]
