"""Sums that value a position of checkers, as numbers that learn and as a program of the leaves' language.

A sum has four numbers for each square, for a man and a king of the side to move and of the other one, one for each
legal move, and a constant; and, if wanted, one for each step between kings. There is a sum for each phase, which the
pieces on the board tell; and, if wanted, for the side that is behind, level and ahead. Squares are those that a program
sees (`envs.checkers.leaves.view`): the men of the side to move go up.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.checkers import leaves
from envs.checkers.leaves import marks
from envs.checkers.rules import Checkers, State, moves_of
from jaxgp.bits import Bits, count, reverse
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.primitives import PrimitiveSet

KINDS = 4
"""Man and king of the side to move, then of the other side."""
PIECES = "(Plus (Plus FriendlyManCount FriendlyKingCount) (Plus EnemyManCount EnemyKingCount))"
"""The pieces on the board, as a program counts them."""
LEVEL = 0.2
"""A smaller lead, in men, is none. Kings count as in `PieceCount`."""


@dataclass(frozen=True)
class Sums:
    """The sums of a game.

    Attributes:
        game: the rules.
        bounds: pieces on the board that phases end with, ascending.
        lead: whether sums differ by who is ahead.
        apart: whether steps between kings count.
    """

    game: Checkers
    bounds: Sequence[int]
    lead: bool = False
    apart: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """S, F: how many sums there are, and the numbers of each."""
        return (len(self.bounds) + 1) * (3 if self.lead else 1), KINDS * self.game.area + 2 + self.apart

    def features(self, states: State) -> Array:
        """Return float32[N, F]: what the numbers of a sum are multiplied by, for states [N]."""
        upright = tuple(self._upright(bits, states.to_move) for bits in (states.own, states.other, states.kings))
        own, other, kings = (marks(self.game, bits) for bits in upright)
        moves = moves_of(states.moves)[:, None]
        parts = [own & ~kings, own & kings, other & ~kings, other & kings]
        if self.apart:
            parts.append(jax.vmap(lambda state: leaves.kings_apart(self.game, state))(states)[:, None])
        return jnp.concatenate([*parts, moves, jnp.ones_like(moves)], 1).astype(jnp.float32)

    def which(self, states: State) -> Array:
        """Return int32[N]: the sum of states [N]: by the number of `bounds` that their pieces exceed, then by lead."""
        pieces = count(states.own) + count(states.other)
        phase = (pieces[:, None] > np.array(self.bounds, int).reshape(1, -1)).sum(-1)
        if not self.lead:
            return phase
        options = leaves.Options()
        lead = jax.vmap(lambda state: leaves.counts(self.game, options, state)["PieceCount"])(states)
        return 3 * phase + (lead > -LEVEL) + (lead > LEVEL)

    def values(self, weights: Array, states: State) -> Array:
        """Return float32[N]: the sums (float32[S, F]) of states [N], each by its own one, for the side to move."""
        return jnp.take_along_axis(self.features(states) @ weights.T, self.which(states)[:, None], 1)[:, 0]

    def write(self, weights: np.ndarray) -> str:
        """Return the program with the values of the sums (float32[S, F]), as text."""
        of_phase = [self._by_lead(part) for part in np.split(weights, len(self.bounds) + 1)]
        program = of_phase[-1]
        for bound, text in reversed(list(zip(self.bounds, of_phase, strict=False))):
            program = f"(IFT (LowerEqual {PIECES} One:{bound + 0.5}) {text} {program})"
        return program

    def _by_lead(self, weights: np.ndarray) -> str:
        """Return the sums of a phase as a program, float32[1 or 3, F]."""
        if not self.lead:
            return self._sum(weights[0])
        behind, level, ahead = map(self._sum, weights)
        level = f"(IFT (LowerEqual PieceCount One:{LEVEL}) {level} {ahead})"
        return f"(IFT (LowerEqual PieceCount One:{-LEVEL}) {behind} {level})"

    def _sum(self, numbers: np.ndarray) -> str:
        """Return a sum as a program, its terms in pairs of pairs, so that it is not deep."""
        area, point = self.game.area, leaves.dark_squares(self.game).point
        squares, rest = numbers[: KINDS * area].reshape(KINDS, area), numbers[KINDS * area :]
        terms = [_square(point(place), *squares[:, place]) for place in range(area)]
        names = ["KingsApart"] * self.apart + ["Mobility", "One"]
        terms += [_scaled(name, number) for name, number in zip(names, rest, strict=True)]
        while len(terms) > 1:
            pairs = [f"(Plus {a} {b})" for a, b in zip(terms[::2], terms[1::2], strict=False)]
            terms = pairs + terms[2 * len(pairs) :]
        return terms[0]

    def _upright(self, bits: Bits, to_move: Array) -> Bits:
        """Return sets of squares (words [N]) as the side to move sees them."""
        turned = reverse(bits, self.game.area)
        return tuple(jnp.where(to_move == 0, word, other) for word, other in zip(bits, turned, strict=True))


def read(game: Checkers, primitives: PrimitiveSet, text: str) -> tuple[Sums, np.ndarray]:
    """Return the sums that a program was written from, and their numbers, float32[S, F].

    Raises:
        ValueError: `Sums.write` does not write this program.
    """
    bounds = tuple(int(float(bound)) for bound in re.findall(rf"{re.escape(PIECES)} One:([\d.]+)", text))
    sums = Sums(game, bounds, "LowerEqual PieceCount" in text, "KingsApart" in text)
    terms = re.sub(rf"LowerEqual (?:{re.escape(PIECES)}|PieceCount) One\S+", "", text)
    found = re.findall(r"\b(?:One|Mobility|KingsApart)(?::([^\s)]+))?", terms)
    why = "this is a program of another form"
    if len(found) != np.prod(sums.shape):
        raise ValueError(why)
    numbers = np.array([float(number or 1) for number in found], np.float32).reshape(sums.shape)
    squares = numbers[:, : KINDS * game.area].reshape(len(numbers), game.area, 2, 2)[..., ::-1]  # kings come first
    squares = squares.reshape(len(numbers), game.area, KINDS).swapaxes(1, 2).reshape(len(numbers), -1)
    weights = np.concatenate([squares, numbers[:, KINDS * game.area :]], 1)
    if languages.to_text(primitives, languages.parse(primitives, sums.write(weights))) != text:
        raise ValueError(why)
    return sums, weights


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
