"""What programs that value the leaves of a search in checkers see, and what they are made of.

Source: M. Sipper, "Evolved to Win" (2011), section 3.2, tables 3.1 to 3.4. A program sees a position as the side to
move does: its pieces are the friendly ones.

The source leaves these points open:

- The board is turned so that the men of the side to move go up. Row 1 is that side's own first row, for both seats.
- X and Y of a square are drawn among the dark squares, since the others are always empty.
- In a turn of several jumps, Mobility counts the jumps that the capturing piece has. `mobility` adds a terminal that
  the source does not have, the opponent's mobility, or leaves both out.

`apart` adds another terminal of ours: no terminal of the source tells how far kings are from each other, and a side
that is ahead has to come near.
"""

from dataclasses import dataclass
from typing import Literal

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs import stgp
from envs.checkers.rules import Checkers, Pieces, State, moves_of
from jaxgp.arrays import product
from jaxgp.bits import WORD, Bits, both, count, either, has, reverse
from jaxgp.genotypes.primitives import Points, Primitive, PrimitiveSet
from jaxgp.interpreter.calls import Packed
from jaxgp.options import option

SQUARES = ("IsEmptySquare", "IsFriendlyPiece", "IsKingPiece", "IsManPiece")
"""Terminals on single squares, table 3.3, in the order of the features."""


@dataclass(frozen=True)
class Options:
    """What a program that values leaves sees, and how deep the search is."""

    depth: int = option(
        1, "plies of the search whose leaves a program values; a jump is a ply", low=1, high=stgp.DEEPEST
    )
    mobility: Literal["own", "none", "both"] = option(
        "own", "whose moves a program can count: its own; nobody's; its own and the opponent's"
    )
    apart: bool = option(False, "whether a program sees how many steps lie between the kings of both sides")
    king_factor: float = option(
        1.4, "men that a king is worth where pieces are counted; also the terminal KingFactor", low=0.0, high=100.0
    )
    introns: bool = option(True, "whether there are explicit introns, below the functions NullJ and NOTG")
    trees: Literal["one", "ten"] = option(
        "one", "trees of an individual; ten: below a preset top of three conditionals, which tells four cases apart"
    )


@dataclass(frozen=True)
class DarkSquares(Points):
    """Dark squares by number, drawn uniformly; [x,y] in the text form, column and row from 1."""

    def point(self, value: float) -> tuple[int, int]:
        """Return x and y of the square of this number."""
        row, place = divmod(int(value), self.width)
        return 2 * place + row % 2 + 1, row + 1

    def number(self, x: int, y: int) -> int | None:
        """Return the number of a square; None off the board and for a light square."""
        number = (y - 1) * self.width + (x - 1) // 2
        return number if number in self and self.point(number) == (x, y) else None

    def __str__(self) -> str:
        return f"a dark square from [1,1] to [{2 * self.width},{2 * self.width}]"


def dark_squares(game: Checkers) -> DarkSquares:
    """Return the dark squares of a board."""
    return DarkSquares(0, game.area - 1, 1, 1, game.width)


def view(game: Checkers, options: Options, state: State) -> Packed:
    """Return what the side to move sees of a position; of an ended game, the side that would move.

    First four sets of squares, in the order of `SQUARES`, each of which starts at a whole word; then the numbers in the
    order of `numbers`.
    """
    occupied = either(state.own, state.other)
    empty = tuple(word & ~taken for word, taken in zip(game.constant(range(game.area)), occupied, strict=True))
    men = tuple(word & ~kings for word, kings in zip(occupied, state.kings, strict=True))
    sets = (empty, state.own, state.kings, men)
    upright = [
        jnp.where(state.to_move == 0, word, other)
        for one in sets
        for word, other in zip(one, reverse(one, game.area), strict=True)
    ]
    found = counts(game, options, state)
    seen = jnp.stack([found[name] for name in numbers(options)])
    return Packed(jnp.stack(upright), seen.astype(jnp.float32))


def counts(game: Checkers, options: Options, state: State) -> dict[str, Array]:
    """Return the numbers of table 3.2 by name; compilation drops those that a set lacks."""
    found: dict[str, Array] = {}
    for side, pieces in (("Friendly", state.own), ("Enemy", state.other)):
        kings = count(both(pieces, state.kings))
        men = count(pieces) - kings
        found |= {f"{side}KingCount": kings, f"{side}ManCount": men}
        found[f"{side}PieceCount"] = men + product(kings.astype(jnp.float32), options.king_factor, state.to_move)
    for name in ("KingCount", "ManCount", "PieceCount"):
        found[name] = found[f"Friendly{name}"] - found[f"Enemy{name}"]
    other = Pieces(state.other, state.own, state.kings)
    theirs, _ = game.movable(other, game.constant([]), 1 - state.to_move)
    moves = {"Mobility": moves_of(state.moves), "EnemyMobility": moves_of(theirs)}
    return found | moves | {"KingsApart": kings_apart(game, state)}


def kings_apart(game: Checkers, state: State) -> Array:
    """Return float32[]: the steps from a king of one side to one of the other, the mean of all pairs; 0 if none is."""
    own, other = (both(pieces, state.kings) for pieces in (state.own, state.other))
    pairs = marks(game, own)[:, None] & marks(game, other)
    total = jnp.where(pairs, steps(game), 0).sum(dtype=jnp.int32)
    return total.astype(jnp.float32) / jnp.maximum(count(own) * count(other), 1).astype(jnp.float32)


def steps(game: Checkers) -> np.ndarray:
    """Return int32[area, area]: the steps of a king from one dark square to another, on an empty board."""
    points = np.array([dark_squares(game).point(square) for square in range(game.area)])
    return np.abs(points[:, None] - points).max(-1).astype(np.int32)


def marks(game: Checkers, bits: Bits) -> Array:
    """Return bool[..., area]: which squares are in a set (words [...])."""
    return has(tuple(word[..., None] for word in bits), np.arange(game.area))


def numbers(options: Options) -> list[str]:
    """Return the names of the numbers that a program sees, in their order."""
    names = [f"{side}{what}Count" for side in ("Enemy", "Friendly", "") for what in ("King", "Man", "Piece")]
    names += {"none": [], "own": ["Mobility"], "both": ["Mobility", "EnemyMobility"]}[options.mobility]
    return names + ["KingsApart"] * options.apart


def primitive_set(game: Checkers, options: Options) -> PrimitiveSet:
    """Build the set: tables 3.1 to 3.4 of the book, with its names."""
    room, squares = WORD * game.words, dark_squares(game)
    factor = Primitive(
        "KingFactor", fixed=options.king_factor, python=str(options.king_factor), latex="\\mathrm{{KingFactor}}"
    )
    counted = [
        Primitive(name, feature=place, latex=f"\\mathrm{{{{{name}}}}}")
        for place, name in enumerate(numbers(options), len(SQUARES) * room)
    ]
    return stgp.language(
        "-".join(["checkers", str(game.size), f"mobility_{options.mobility}", f"{options.king_factor:g}"])
        + "-apart" * options.apart
        + ("" if options.introns else "-no_introns"),
        [*counted, factor],
        [stgp.of_square(name, place * room, squares) for place, name in enumerate(SQUARES)],
        trees=10 if options.trees == "ten" else 1,
        introns=options.introns,
    )
