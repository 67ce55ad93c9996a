"""What programs that evaluate positions of Othello see, and what they are made of.

Two sources, two kinds of sets: `original`, `regions` and `few`, and `position`, `position_corners` and
`position_regions`.

The first is T. Bellin and G. Gasperin, "Genetic Programming and Othello", with the function and terminal set of the
course that it was written for: + - * % on counts of discs, and the number 10. A program values the position after each
legal move, and the move with the highest value is played; there is no search.

The source counts white and black discs, and its programs always play black. Here they play from both seats, so that
they see `own` discs, of the side that has just moved, and `other` ones. Its map of regions is lost; in its place stand
the classes of squares that rotations and reflections of the board carry into each other, named by a square each:

    a1 b1 c1 d1 d1 c1 b1 a1        the set `few` instead, by whole regions:   corners   a1
    b1 b2 c2 d2 d2 c2 b2 b1                                                   near      b1 b2
    c1 c2 c3 d3 d3 c3 c2 c1                                                   sides     c1 d1
    d1 d2 d3 d4 d4 d3 d2 d1                                                   ring      c2 d2
    and so on, mirrored                                                       without the 16 squares in the middle

The second is A. Benbassat and M. Sipper, "Evolving board-game players with genetic programming" (2011), and M. Sipper,
"Evolved to Win" (2011), section 3.2: numbers and truth values on counts of discs, mobility and single squares, for
alpha-beta to search with. There a program sees a position as the side to move does, its discs being the friendly ones,
and every number has a factor (`jaxgp.genotypes.primitives.PrimitiveSet.factored`). The source plays draughts, and asks
for kings and men besides; Reversi has one kind of disc, so that these terminals have no counterpart, and neither has
its king factor. Nor does the source have what is added here: with `position_corners` the discs in the corners are
counted, with `position_regions` also those around the corners and along the edges, the other side's mobility, and the
empty squares.

    . C e e e e C .        C and X: squares next to a corner, as players call them
    C X . . . . X C        e: the rest of the edges
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import jax.numpy as jnp
from jax import Array

from envs.othello.rules import WORD, Bits, Othello, State, count
from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Integers, Primitive, PrimitiveSet, Weighting, rectangle
from jaxgp.interpreter.evaluate import Features as Seen
from jaxgp.interpreter.evaluate import Packed

Features = Literal["original", "regions", "few", "position", "position_corners", "position_regions"]

TO_MOVE = ("position", "position_corners", "position_regions")
"""What shows a position to the side to move; the others show it to the side that has just moved."""

DEEPEST = 12
"""The deepest search with programs at its leaves."""

NO_OPS = ("0", "1", "00", "01", "10", "11")
"""What no-ops append to a path."""


@dataclass(frozen=True)
class Settings:
    """What a program sees, and whether its leaves have weights.

    Attributes:
        features: `original`: discs, and discs in corners, near corners and on edges; `regions`: discs in each of the
            ten classes of squares (with eight squares a side); `few`: discs in four larger regions; `position`: discs,
            mobility and single squares, for the side to move; `position_corners`: discs in corners as well;
            `position_regions`: on C and X squares and edges too, the other side's mobility, empty squares.
        weights: of leaves: `none`; by their `path` from the root, no-ops included; or by `noops` alone.
        noop_bits: the most bits that a no-op appends, 0 to 2: no no-ops, B0 and B1, or B00, B01, B10 and B11 as well.
        depth: plies of the alpha-beta search whose leaves a program values; 0: it values every move, without a search,
            which is one ply in less time. None: 0 for the sets of the first source, 1 for those of the second.

    Raises:
        ValueError: an unknown choice, weights by no-ops where there are none, or weights, no-ops or no search with a
            set of the second source.
    """

    features: Features = "original"
    weights: Weighting = "none"
    noop_bits: int = 0
    depth: int | None = None

    def __post_init__(self) -> None:
        for option, choices in (("features", Features), ("weights", Weighting)):
            if getattr(self, option) not in get_args(choices):
                accepted = ", ".join(get_args(choices))
                raise ValueError(f"program.{option}={getattr(self, option)}: accepted: {accepted}")
        bits, least = self.noop_bits, int(self.weights == "noops")
        if isinstance(bits, bool) or not isinstance(bits, int) or not least <= bits <= 2:
            given = " with program.weights=noops" if least else ""
            raise ValueError(f"program.noop_bits={bits}: accepted: a whole number from {least} to 2{given}")
        least = int(self.features in TO_MOVE)
        if self.depth is None:
            object.__setattr__(self, "depth", least)
        if isinstance(self.depth, bool) or not isinstance(self.depth, int) or not least <= self.depth <= DEEPEST:
            given = f" with program.features={self.features}" if least else ""
            raise ValueError(f"program.depth={self.depth}: accepted: a whole number from {least} to {DEEPEST}{given}")
        for option, value, plain in (("weights", self.weights, "none"), ("noop_bits", bits, 0)):
            if self.features in TO_MOVE and value != plain:
                raise ValueError(f"program.{option}={value}: accepted: {plain} with program.features={self.features}")


def regions(game: Othello, settings: Settings) -> dict[str, list[int]]:
    """Return the squares of each region of which a program sees its own and the other's discs; none is empty."""
    half = game.size // 2
    named: dict[str, list[int]] = {}
    for square in range(game.area):
        row, column = (min(i, game.size - 1 - i) for i in divmod(square, game.size))
        inner, outer = min(row, column), max(row, column)  # how far from the nearest edge, and along it
        border, near = inner == 0, outer == 1
        if settings.features == "regions":
            names = [f"{'abcde'[outer]}{inner + 1}"]
        elif settings.features == "few":
            kinds = {"corners": outer == 0, "near": near, "sides": border and outer > 1, "ring": inner == 1 < outer}
            names = [name for name, holds in kinds.items() if holds]
        else:
            kinds = {"": True, "corners": outer == 0, "near_corners": near, "edges": border}
            names = [name for name, holds in kinds.items() if holds]
        assert outer < half
        for name in names:
            named.setdefault(name, []).append(square)
    return named


def outcome(game: Othello, settings: Settings, state: State, place: Array) -> tuple[Array, Array]:
    """Try one of the legal moves.

    Args:
        game: the rules.
        settings: what a program sees.
        state: the position.
        place: int32[], of the move among the legal ones by squares, from 0; modulo their number.

    Returns:
        int32[], the move, and float32[F], what the program sees after it.
    """
    if settings.features in TO_MOVE:
        raise ValueError(f"program.features={settings.features}: values positions for the side to move, not moves")
    action = game.choice(state, place)
    return action, _discs(game, settings, game.after(state, game.placed(state, action)))


def view(game: Othello, settings: Settings, state: State) -> Seen:
    """Return what a program sees of a position, float32[F] or packed.

    With `settings.features` in TO_MOVE it is what the side to move sees, packed: first of each square whether it is
    empty, then of each whether a disc of this side is on it, in whole words each, then the numbers in the order of
    `numbers`; of an ended game, the side that would move. Otherwise it is what its opponent sees, as in `outcome`
    after the move that led here.
    """
    if settings.features not in TO_MOVE:
        return _discs(game, settings, (state.other, state.own))
    full = game.constant(range(game.area))
    empty = tuple(f & ~(a | b) for f, a, b in zip(full, state.own, state.other, strict=True))
    # All that can be seen, by name; what the set lacks drops out when this is compiled.
    found = {
        "Mobility": count(state.legal),
        "EnemyMobility": count(game.placeable(state.other, state.own)),
        "EmptyCount": count(empty),
    }
    for name, squares in counted(game, settings).items():
        mask = game.constant(squares)
        own, other = (count(_within(side, mask)) for side in (state.own, state.other))
        found |= {f"Friendly{name}Count": own, f"Enemy{name}Count": other, f"{name}Count": own - other}
    seen = jnp.stack([found[name] for name in numbers(game, settings)])
    return Packed(jnp.stack([*empty, *state.own]), seen.astype(jnp.float32))


def _discs(game: Othello, settings: Settings, sides: tuple[Bits, Bits]) -> Array:
    """Return float32[F]: discs of both sides in each region."""
    seen = []
    for squares in regions(game, settings).values():
        mask = game.constant(squares)
        seen += [count(_within(side, mask)) for side in sides]
    return jnp.stack(seen).astype(jnp.float32)


def _within(side: Bits, mask: Bits) -> Bits:
    """Return the discs of a side on the squares of a mask."""
    return tuple(a & b for a, b in zip(side, mask, strict=True))


def primitive_set(game: Othello, settings: Settings) -> PrimitiveSet:
    """Build the set; regions and squares depend on the size of the board."""
    if settings.features in TO_MOVE:
        return _typed_set(game, settings)
    names = [f"{side}_{name}" if name else side for name in regions(game, settings) for side in ("own", "other")]
    bits = [bits for bits in NO_OPS if len(bits) <= settings.noop_bits]
    # Protected division is 1 where the divisor is 0, as J. Koza has it.
    return PrimitiveSet(
        name="-".join(["othello", str(game.size), settings.features, settings.weights, str(settings.noop_bits)]),
        terminals=(
            *(Primitive(name, feature=place) for place, name in enumerate(names)),
            Primitive("TEN", domain=Integers(10, 10), python="{value}", latex="{value}"),
        ),
        functions=(
            _binary("+", lambda a, b: a + b, "({0} + {1})", "({0} + {1})"),
            _binary("-", lambda a, b: a - b, "({0} - {1})", "({0} - {1})"),
            _binary("*", lambda a, b: a * b, "({0} * {1})", "({0} \\cdot {1})"),
            _binary("%", divide, "({0} / {1} if {1} else 1.0)", "({0} \\mathbin{{\\%}} {1})"),
            *(
                Primitive(f"B{b}", args=(FLOAT,), call=lambda a: a, picks=1, bits=b, python="{0}", latex="{0}")
                for b in bits
            ),
        ),
        weighting=settings.weights,
    )


BY_SIDE = ("Piece", "Corner")
"""The regions whose discs are counted for each side; elsewhere a program sees only by how many it leads."""


def counted(game: Othello, settings: Settings) -> dict[str, list[int]]:
    """Return the squares on which a program counts the discs as the side to move, by the names of the regions."""
    named: dict[str, list[int]] = {"Piece": list(range(game.area))}
    for square in range(game.area if settings.features != "position" else 0):
        inner, outer = sorted(min(i, game.size - 1 - i) for i in divmod(square, game.size))
        border = {0: "Corner", 1: "CSquare"}.get(outer, "Edge")
        name = border if inner == 0 else "XSquare" if outer == 1 else None
        if name == "Corner" or (name and settings.features == "position_regions"):
            named.setdefault(name, []).append(square)
    return named


def numbers(game: Othello, settings: Settings) -> list[str]:
    """Name the numbers that a program sees as the side to move, in their order."""
    sides = {name: ("Friendly", "Enemy", "") if name in BY_SIDE else ("",) for name in counted(game, settings)}
    names = [f"{side}{name}Count" for name in sides for side in sides[name]]
    further = ["EnemyMobility", "EmptyCount"] if settings.features == "position_regions" else []
    return [*names[:3], "Mobility", *names[3:], *further]


def _typed_set(game: Othello, settings: Settings) -> PrimitiveSet:
    """Build the set of the second source: tables 3.1 to 3.4 of the book, with its names."""
    set_of_squares = WORD * game.words
    square, number, truth = rectangle(1, 1, game.size, game.size), (FLOAT, FLOAT), (BOOL, BOOL)
    # [3,4] is c4: the third column, the fourth row.
    return PrimitiveSet(
        name="-".join(["othello", str(game.size), settings.features]),
        terminals=(
            Primitive("ERC", domain=Floats(-5.0, 5.0)),
            Primitive("False", BOOL, fixed=0.0, python="False", latex="\\bot"),
            Primitive("True", BOOL, fixed=1.0, python="True", latex="\\top"),
            Primitive("One", fixed=1.0, python="1.0", latex="1"),
            Primitive("Zero", fixed=0.0, python="0.0", latex="0"),
            *(
                Primitive(name, feature=place, latex=f"\\mathrm{{{{{name}}}}}")
                for place, name in enumerate(numbers(game, settings), 2 * set_of_squares)
            ),
            *(
                _of_square(name, first, square)
                for name, first in (("IsEmptySquare", 0), ("IsFriendlyPiece", set_of_squares))
            ),
        ),
        functions=(
            Primitive("AND", BOOL, truth, lambda a, b: a & b, python="({0} and {1})", latex="({0} \\wedge {1})"),
            Primitive("LowerEqual", BOOL, number, lambda a, b: a <= b, python="({0} <= {1})", latex="({0} \\leq {1})"),
            Primitive("NAND", BOOL, truth, lambda a, b: ~(a & b), python="(not ({0} and {1}))"),
            Primitive("NOR", BOOL, truth, lambda a, b: ~(a | b), python="(not ({0} or {1}))"),
            Primitive("NOTG", BOOL, truth, lambda a, b: ~a, ignores=1, python="(not {0})", latex="\\neg {0}"),
            Primitive("OR", BOOL, truth, lambda a, b: a | b, python="({0} or {1})", latex="({0} \\vee {1})"),
            Primitive("IFT", FLOAT, (BOOL, *number), jnp.where, picks=2, python="({1} if {0} else {2})"),
            _binary("Minus", lambda a, b: a - b, "({0} - {1})", "({0} - {1})"),
            Primitive(
                "MultERC", args=(FLOAT,), call=lambda a: a, picks=1, domain=Floats(-5.0, 5.0), python="{0}", latex="{0}"
            ),
            Primitive("NullJ", args=number, call=lambda a, b: a, picks=2, python="{0}", latex="{0}"),
            _binary("Plus", lambda a, b: a + b, "({0} + {1})", "({0} + {1})"),
        ),
        factored=True,
    )


def _of_square(name: str, first: int, squares: Integers) -> Primitive:
    """Ask about a square, drawn when the node is made; `first` is the feature that answers for a1."""

    def call(features: Array, square: Array) -> Array:
        return features[first + square.astype(jnp.int32), jnp.arange(features.shape[1])]

    asks = f"({{features}}[{first} + {{value}}] != 0)" if first else "({features}[{value}] != 0)"
    return Primitive(name, BOOL, call=call, domain=squares, reads_one=first + squares.high + 1, python=asks)


def divide(a: Array, b: Array) -> Array:
    """Return a / b, and 1 where b is 0."""
    return jnp.where(b == 0, 1.0, a / jnp.where(b == 0, 1.0, b))


def _binary(name: str, call: Callable[[Array, Array], Array], python: str, latex: str) -> Primitive:
    return Primitive(name, args=(FLOAT, FLOAT), call=call, python=python, latex=latex)
