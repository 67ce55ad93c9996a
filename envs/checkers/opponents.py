"""Evaluation functions for searches of checkers and lose checkers."""

from functools import partial

import jax.numpy as jnp
from jax import Array

from envs.checkers.rules import Checkers, Pieces, State, moves_of
from jaxgp.bits import both, count, mix
from jaxgp.spec import Evaluator, RandomEvaluator

WON = 1000.0
"""What an ended game is worth to its winner: more than any position in progress."""
KING = 1.5
"""What a king is worth in men."""


def _result(state: State, value: Array) -> Array:
    """Return float32[]: the value of a game in progress, or the result of one that has ended."""
    return jnp.where(state.terminated, WON * state.returns[state.to_move], value).astype(jnp.float32)


def material(game: Checkers, state: State, king: float | Array = KING, sign: int = 1) -> Array:
    """Return float32[]: the mover's men and kings minus the opponent's.

    Args:
        game: the rules.
        state: the position.
        king: what a king is worth in men.
        sign: -1 makes few pieces good.
    """
    del game

    def worth(side: tuple[Array, ...]) -> Array:
        kings = count(both(side, state.kings))
        return count(side) + (king - 1) * kings

    return _result(state, sign * (worth(state.own) - worth(state.other)))


def mobility(game: Checkers, state: State) -> Array:
    """Return float32[]: the mover's legal moves minus those that the opponent would have if it were to move."""
    turned = Pieces(state.other, state.own, state.kings)
    theirs, _ = game.movable(turned, game.constant([]), 1 - state.to_move)
    return _result(state, moves_of(state.moves) - moves_of(theirs))


def noise(game: Checkers, state: State, draw: Array) -> Array:
    """Return float32[]: a random number from -1 to 1, so that only results are known; of a draw it is 0.

    Source: M. Sipper, "Evolved to Win" (2011), section 3.2.8: the guides of lose checkers have a random evaluation.

    Args:
        game: the rules.
        state: the position.
        draw: uint32[], uniform; one for each search.
    """
    drawn = mix(jnp.append(game.key(state), draw))
    return _result(state, drawn.astype(jnp.float32) / jnp.float32(2**31) - 1)


EVALUATORS: dict[str, Evaluator | RandomEvaluator] = {
    "material": material,
    "king_2": partial(material, king=2.0),
    "lose_material": partial(material, sign=-1),
    "mobility": mobility,
    "noise": RandomEvaluator(noise),
}
"""Values from the view of the side to move, for ended games too; `king_2` counts a king as two men."""


def evaluators(game: Checkers) -> dict[str, Evaluator | RandomEvaluator]:
    """Return the evaluators; people play checkers against the first, and lose checkers against `lose_material`."""
    first = "lose_material" if game.lose else "material"
    return {first: EVALUATORS[first]} | EVALUATORS


def certainty(game: Checkers, evaluator: str) -> tuple[Checkers, float]:
    """Return the game, and the least absolute value of a proved result, which is the same for all evaluators."""
    del evaluator
    return game, WON
