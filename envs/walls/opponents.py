"""Evaluation functions for searches of Walls, and where they stop. Fixed opponents are in `strategies.py`."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import Array

from envs.walls.rules import State, Walls


def material(game: Walls, state: State) -> Array:
    """Return float32[]: the mover's bricks minus the opponent's; exact after the end."""
    return (game.count(state.own) - game.count(state.other)).astype(jnp.float32)


def decided(game: Walls, state: State) -> Array:
    """Return float32[]: the number of squares if the mover's win is certain, minus it if its loss is, else `material`.

    A player has won once the other one cannot reach its number of bricks: as soon as it has more than half of the
    squares, or more than an opponent that is stalled.
    """
    own, other = game.count(state.own), game.count(state.other)
    own_most = jnp.where(game.stalled(state.own) | state.terminated, own, game.area - other)
    other_most = jnp.where(game.stalled(state.other) | state.terminated, other, game.area - own)
    value = jnp.where(own > other_most, game.area, jnp.where(other > own_most, -game.area, own - other))
    return value.astype(jnp.float32)


EVALUATORS: dict[str, Callable[[Any, Any], Array]] = {"decided": decided, "material": material}
"""Values from the view of the side to move, for ended games too; people play against the first."""


def majority(game: Walls) -> Walls:
    """Return the game that ends as soon as a player has more than half of the squares, so that a search stops there.

    States and winner are the same, margins are not: `material` depends on them, `decided` does not.
    """
    return dataclasses.replace(game, majority_ends=True)


def certainty(game: Walls, evaluator: str) -> tuple[Walls, float] | None:
    """Return the game for a search that proves results, and the least absolute value of a proved result.

    None for an evaluator whose values prove nothing: a difference of bricks can change until the end.
    """
    return (majority(game), float(game.area)) if evaluator == "decided" else None
