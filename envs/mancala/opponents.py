"""Evaluation functions for searched opponents of Kalah, and rules that are fast to search."""

from collections.abc import Callable
from typing import Any

from jax import Array

from envs.mancala.packed import PackedMancala, fits
from envs.mancala.rules import Mancala


def material(game: Mancala | PackedMancala, state: Any) -> Array:
    """Return float32[]: the mover's store minus the opponent's; exact after the end, when the pits are swept."""
    return game.lead(state)


EVALUATORS: dict[str, Callable[[Any, Any], Array]] = {"material": material}
"""Values for the side to move, of ended games too. Each function takes states of the game and of its search twin."""


def search_twin(game: Mancala) -> PackedMancala | None:
    """Return the same game in a form that is faster to search, if there is one for its size."""
    return PackedMancala(game) if fits(game) else None
