"""Evaluation functions for searches of checkers and lose checkers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.checkers.rules import Checkers, Pieces, State, moves_of
from jaxgp.bits import count
from jaxgp.search.table import mix

WON = 1000.0
"""What an ended game is worth to its winner: more than any position in progress."""
KING = 1.5
"""What a king is worth in men."""


def _result(state: State, value: Array) -> Array:
    """Return float32[]: the value of a game in progress, or the result of one that has ended."""
    return jnp.where(state.terminated, WON * state.returns[state.to_move], value).astype(jnp.float32)


def material(game: Checkers, state: State, king: float = KING, sign: int = 1) -> Array:
    """Return float32[]: the mover's men and kings minus the opponent's.

    Args:
        game: the rules.
        state: the position.
        king: what a king is worth in men.
        sign: -1 makes few pieces good.
    """
    del game

    def worth(side: tuple[Array, ...]) -> Array:
        kings = count(tuple(a & b for a, b in zip(side, state.kings, strict=True)))
        return count(side) + (king - 1) * kings

    return _result(state, sign * (worth(state.own) - worth(state.other)))


def mobility(game: Checkers, state: State) -> Array:
    """Return float32[]: the mover's legal moves minus those that the opponent would have if it were to move."""
    turned = Pieces(state.other, state.own, state.kings)
    theirs, _ = game.movable(turned, game.constant([]), 1 - state.to_move)
    return _result(state, moves_of(state.moves) - moves_of(theirs))


def noise(game: Checkers, state: State, salt: int = 0) -> Array:
    """Return float32[]: a number from -1 to 1 that is drawn once for each position, so that only results are known.

    Source: M. Sipper, "Evolved to Win" (2011), section 3.3: opponents of lose checkers have a random evaluation. A
    search with one noise alone always makes the same moves; one that alternates between two of them does not.

    Args:
        game: the rules.
        state: the position.
        salt: another one gives other numbers.
    """
    drawn = mix(jnp.append(game.key(state), np.uint32(salt)))
    return _result(state, drawn.astype(jnp.float32) / np.float32(2**31) - 1)


EVALUATORS: dict[str, Callable[[Any, Any], Array]] = {
    "material": material,
    "king_2": partial(material, king=2.0),
    "lose_material": partial(material, sign=-1),
    "mobility": mobility,
    "noise": noise,
    "noise_2": partial(noise, salt=1),
}
"""Values from the view of the side to move, for ended games too; `king_2` counts a king as two men."""


def evaluators(game: Checkers) -> dict[str, Callable[[Any, Any], Array]]:
    """Return the evaluators; people play checkers against the first, and lose checkers against `lose_material`."""
    first = "lose_material" if game.lose else "material"
    return {first: EVALUATORS[first]} | EVALUATORS


def certainty(game: Checkers, evaluator: str) -> tuple[Checkers, float]:
    """Return the game, and the least absolute value of a proved result, which is the same for all evaluators."""
    del evaluator
    return game, WON
