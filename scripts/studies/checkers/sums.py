"""Sums that value a position of checkers, as numbers that learn and as a program of the leaves' language.

A sum has four numbers for each square, for a man and a king of the side to move and of the other one, one for each
legal move, and a constant. There is a sum for each phase; the pieces on the board tell the phase. Squares are those
that a program sees (`envs.checkers.leaves.view`): the men of the side to move go up.
"""

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.checkers import leaves
from envs.checkers.rules import Checkers, State, moves_of
from jaxgp.bits import Bits, count, reverse

KINDS = 4
"""Man and king of the side to move, then of the other side."""


def size(game: Checkers) -> int:
    """Return F, the numbers of a sum."""
    return KINDS * game.area + 2


def features(game: Checkers, states: State) -> Array:
    """Return float32[N, F]: what the numbers of a sum are multiplied by, for states [N]."""
    upright = tuple(_upright(game, bits, states.to_move) for bits in (states.own, states.other, states.kings))
    own, other, kings = (_marks(game, bits) for bits in upright)
    moves = moves_of(states.moves)[:, None]
    pieces = [own & ~kings, own & kings, other & ~kings, other & kings]
    return jnp.concatenate([*pieces, moves, jnp.ones_like(moves)], 1).astype(jnp.float32)


def phase(bounds: Sequence[int], states: State) -> Array:
    """Return int32[N]: the phase of states [N], the number of `bounds` that their pieces exceed."""
    pieces = count(states.own) + count(states.other)
    return (pieces[:, None] > np.array(bounds, int).reshape(1, -1)).sum(-1)


def values(game: Checkers, bounds: Sequence[int], weights: Array, states: State) -> Array:
    """Return float32[N]: the sums (float32[phases, F]) of states [N], each by its phase, for the side to move."""
    sums = features(game, states) @ weights.T
    return jnp.take_along_axis(sums, phase(bounds, states)[:, None], 1)[:, 0]


def write(game: Checkers, bounds: Sequence[int], weights: np.ndarray) -> str:
    """Return the program with the values of the sums (float32[phases, F]), as text."""
    program = _sum(game, weights[-1])
    for bound, numbers in reversed(list(zip(bounds, weights, strict=False))):
        pieces = "(Plus (Plus FriendlyManCount FriendlyKingCount) (Plus EnemyManCount EnemyKingCount))"
        test = f"(LowerEqual {pieces} One:{bound + 0.5})"
        program = f"(IFT {test} {_sum(game, numbers)} {program})"
    return program


def _sum(game: Checkers, numbers: np.ndarray) -> str:
    """Return a sum as a program, its terms in pairs of pairs, so that it is not deep."""
    squares, point = numbers[:-2].reshape(KINDS, game.area), leaves.dark_squares(game).point
    terms = [_square(point(place), *squares[:, place]) for place in range(game.area)]
    terms += [_scaled("Mobility", numbers[-2]), _scaled("One", numbers[-1])]
    while len(terms) > 1:
        pairs = [f"(Plus {a} {b})" for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[2 * len(pairs) :]
    return terms[0]


def _square(point: tuple[int, int], man: float, king: float, other_man: float, other_king: float) -> str:
    """Return the number of what stands on a square, 0 if nothing does."""
    at = "[{},{}]".format(*point)
    own, other = (
        f"(IFT (IsKingPiece {at}) {_scaled('One', high)} {_scaled('One', low)})"
        for low, high in ((man, king), (other_man, other_king))
    )
    return f"(IFT (IsEmptySquare {at}) Zero (IFT (IsFriendlyPiece {at}) {own} {other}))"


def _scaled(name: str, factor: float) -> str:
    return f"{name}:{factor:.4g}"


def _upright(game: Checkers, bits: Bits, to_move: Array) -> Bits:
    """Return sets of squares (words [N]) as the side to move sees them."""
    turned = reverse(bits, game.area)
    return tuple(jnp.where(to_move == 0, word, other) for word, other in zip(bits, turned, strict=True))


def _marks(game: Checkers, bits: Bits) -> Array:
    """Return bool[N, area]: which squares are in sets (words [N])."""
    squares = np.arange(game.area)
    words = jnp.stack(bits, 1)[:, squares // 32]
    return (words >> (squares % 32).astype(np.uint32)) & 1 != 0
