"""What programs that value the leaves of a search in Othello see, and what they are made of.

Source: A. Benbassat and M. Sipper, "Evolving board-game players with genetic programming" (2011), and M. Sipper,
"Evolved to Win" (2011), section 3.2: numbers and truth values on counts of discs, mobility and single squares, for the
leaves of alpha-beta. A program sees a position as the side to move does, whose discs are the friendly ones. Every
number has a factor (`jaxgp.genotypes.primitives.PrimitiveSet.factored`).

Deviations: the source plays draughts, and its terminals for kings and men, and its king factor, are left out, as
Reversi has one kind of disc. Two sets have terminals that the source does not have. `position_corners` counts the discs
in the corners. `position_regions` also counts the discs around the corners and along the edges, the other side's
mobility, and the empty squares.

    . C e e e e C .        C and X: squares next to a corner, as players call them
    C X . . . . X C        e: the rest of the edges
"""

from dataclasses import dataclass
from typing import Literal

import jax.numpy as jnp

from envs import stgp
from envs.othello.rules import Othello, State
from jaxgp.bits import WORD, both, count
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet, rectangle
from jaxgp.interpreter.calls import Packed
from jaxgp.options import option

Features = Literal["position", "position_corners", "position_regions"]


@dataclass(frozen=True)
class Options:
    """What a program that values leaves sees, and how deep the search is."""

    features: Features = option(
        "position",
        "position: discs, mobility and squares; position_corners: discs in corners as well; position_regions: those "
        "around corners and on edges too, the other side's mobility, empty squares",
    )
    depth: int = option(1, "plies of the search whose leaves a program values", low=1, high=stgp.DEEPEST)


def view(game: Othello, options: Options, state: State) -> Packed:
    """Return what the side to move sees of a position; of an ended game, the side that would move.

    First a bit for each square: whether it is empty. Then one for each: whether it has a disc of this side. Both start
    at a whole word. Then the numbers in the order of `numbers`.
    """
    full = game.constant(range(game.area))
    empty = tuple(f & ~(a | b) for f, a, b in zip(full, state.own, state.other, strict=True))
    # All numbers that any set has, by name; compilation drops those that this set lacks.
    found = {
        "Mobility": count(state.legal),
        "EnemyMobility": count(game.placeable(state.other, state.own)),
        "EmptyCount": count(empty),
    }
    for name, squares in list_counted(game, options).items():
        mask = game.constant(squares)
        own, other = (count(both(side, mask)) for side in (state.own, state.other))
        found |= {f"Friendly{name}Count": own, f"Enemy{name}Count": other, f"{name}Count": own - other}
    seen = jnp.stack([found[name] for name in numbers(game, options)])
    return Packed(jnp.stack([*empty, *state.own]), seen.astype(jnp.float32))


BY_SIDE = ("Piece", "Corner")
"""Regions in which a program sees the discs of each side; in the others it sees the difference only."""


def list_counted(game: Othello, options: Options) -> dict[str, list[int]]:
    """Return the squares on which a program counts discs, by the names of the regions."""
    named: dict[str, list[int]] = {"Piece": list(range(game.area))}
    for square in range(game.area if options.features != "position" else 0):
        inner, outer = sorted(min(i, game.size - 1 - i) for i in divmod(square, game.size))
        border = {0: "Corner", 1: "CSquare"}.get(outer, "Edge")
        name = border if inner == 0 else "XSquare" if outer == 1 else None
        if name == "Corner" or (name and options.features == "position_regions"):
            named.setdefault(name, []).append(square)
    return named


def numbers(game: Othello, options: Options) -> list[str]:
    """Return the names of the numbers that a program sees, in their order."""
    sides = {name: ("Friendly", "Enemy", "") if name in BY_SIDE else ("",) for name in list_counted(game, options)}
    names = [f"{side}{name}Count" for name in sides for side in sides[name]]
    further = ["EnemyMobility", "EmptyCount"] if options.features == "position_regions" else []
    return [*names[:3], "Mobility", *names[3:], *further]


def primitive_set(game: Othello, options: Options) -> PrimitiveSet:
    """Build the set: tables 3.1 to 3.4 of the book, with its names."""
    set_of_squares, squares = WORD * game.words, rectangle(1, 1, game.size, game.size)
    # [3,4] is c4: the third column, the fourth row.
    return stgp.language(
        "-".join(["othello", str(game.size), options.features]),
        [
            Primitive(name, feature=place, latex=f"\\mathrm{{{{{name}}}}}")
            for place, name in enumerate(numbers(game, options), 2 * set_of_squares)
        ],
        [
            stgp.of_square(name, first, squares)
            for name, first in (("IsEmptySquare", 0), ("IsFriendlyPiece", set_of_squares))
        ],
    )
