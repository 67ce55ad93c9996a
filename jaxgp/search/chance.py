"""Games without chance: searches play no others, pass a key that is never used, and the host steps through them."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, NamedTuple

import jax
import numpy as np
from jax import Array

from jaxgp.contracts import Game, State


def refuse_chance(game: Game[State]) -> None:
    """Raise ValueError, which names the game, if chance takes part in it."""
    if game.chance:
        raise ValueError(f"game={game.name}: chance takes part in it; accepted in a search: games without chance")


def unused_key() -> Array:
    """Return key[], always the same, for `init` and `step` of a game without chance."""
    return jax.random.key(0)


class Stepping(NamedTuple, Generic[State]):
    """The rules of a game without chance as programs for one position.

    Attributes:
        init: () -> the opening.
        step: (position, action) -> the position after it.
        legal: position -> bool[A].
    """

    init: Callable[[], State]
    step: Callable[[State, np.int32], State]
    legal: Callable[[State], Array]


def stepping(game: Game[State]) -> Stepping[State]:
    """Return the programs of a game; each is compiled once, however often a game is read."""
    found: Stepping[State] = _compiled(game)
    return found


@lru_cache(maxsize=64)
def _compiled(game: Any) -> Any:
    return Stepping(
        jax.jit(lambda: game.init(unused_key())),
        jax.jit(lambda state, action: game.step(state, action, unused_key())),
        jax.jit(game.legal_actions),
    )
