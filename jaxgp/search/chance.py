"""Searches play games without chance. They refuse other games, and pass a key that the game never uses."""

import jax
from jax import Array

from jaxgp.contracts import Game, State


def refuse_chance(game: Game[State]) -> None:
    """Raise ValueError, which names the game, if chance takes part in it."""
    if game.chance:
        raise ValueError(f"game={game.name}: chance takes part in it; accepted in a search: games without chance")


def unused_key() -> Array:
    """Return key[], always the same, for `init` and `step` of a game without chance."""
    return jax.random.key(0)
