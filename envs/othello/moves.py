"""What programs that value moves of Othello see, and what they are made of.

Source: T. Bellin and G. Gasperin, "Genetic Programming and Othello", with the function and terminal set of the course
that it was written for: + - * % on counts of discs, and the number 10. A program values the position after each legal
move, and the move with the highest value is played; there is no search.

The source counts white and black discs, and its programs always play black. Here they play from both seats: `own` discs
are those of the side that has just moved, `other` ones those of its opponent. The source's map of regions is lost. In
its place are the classes of squares that rotations and reflections of the board map onto each other, each named by a
square:

    a1 b1 c1 d1 d1 c1 b1 a1        the set `few` instead, by whole regions:   corners   a1
    b1 b2 c2 d2 d2 c2 b2 b1                                                   near      b1 b2
    c1 c2 c3 d3 d3 c3 c2 c1                                                   sides     c1 d1
    d1 d2 d3 d4 d4 d3 d2 d1                                                   ring      c2 d2
    and so on, mirrored                                                       without the 16 squares in the middle
"""

from dataclasses import dataclass
from typing import Literal

import jax.numpy as jnp
from jax import Array

from envs.othello.rules import Othello, State
from envs.stgp import DEEPEST, binary
from jaxgp.bits import Bits, both, count
from jaxgp.errors import reject
from jaxgp.genotypes.primitives import FLOAT, Integers, Primitive, PrimitiveSet, Weighting
from jaxgp.options import option

Features = Literal["original", "regions", "few"]

NO_OPS = ("0", "1", "00", "01", "10", "11")
"""Bits that no-ops append to a path."""


@dataclass(frozen=True)
class Options:
    """What a program that values moves sees, and whether its leaves have weights."""

    features: Features = option(
        "original",
        "original: discs, and those in corners, near corners and on edges; regions: discs in each of the classes of "
        "squares, ten with eight squares a side; few: discs in four larger regions",
    )
    weights: Weighting = option(
        "none", "of leaves: none; by their path from the root, no-ops included; or by noops alone"
    )
    noop_bits: int = option(
        0,
        "the most bits that a no-op appends; 0: no no-ops, 1: B0 and B1, 2: B00, B01, B10 and B11 as well",
        low=0,
        high=2,
    )
    depth: int = option(
        0,
        "plies of a search whose leaves a program values; 0: it values every move without a search, which is one ply "
        "in less time",
        low=0,
        high=DEEPEST,
    )

    def laws(self, prefix: str) -> None:
        """Refuse weights by no-ops where there are none; raises UsageError."""
        if self.weights == "noops" and not self.noop_bits:
            reject(prefix + "noop_bits", 0, f"a whole number from 1 to 2 with {prefix}weights=noops")


def regions(game: Othello, options: Options) -> dict[str, list[int]]:
    """Return the squares of each region in which a program sees the discs of both sides; no region is empty."""
    half = game.size // 2
    named: dict[str, list[int]] = {}
    for square in range(game.area):
        row, column = (min(i, game.size - 1 - i) for i in divmod(square, game.size))
        inner, outer = min(row, column), max(row, column)  # distance from the nearest edge, and along it
        border, near = inner == 0, outer == 1
        if options.features == "regions":
            names = [f"{'abcde'[outer]}{inner + 1}"]
        elif options.features == "few":
            kinds = {"corners": outer == 0, "near": near, "sides": border and outer > 1, "ring": inner == 1 < outer}
            names = [name for name, holds in kinds.items() if holds]
        else:
            kinds = {"": True, "corners": outer == 0, "near_corners": near, "edges": border}
            names = [name for name, holds in kinds.items() if holds]
        assert outer < half
        for name in names:
            named.setdefault(name, []).append(square)
    return named


def outcome(game: Othello, options: Options, state: State, place: Array) -> tuple[Array, Array]:
    """Try one of the legal moves.

    Args:
        game: the rules.
        options: what a program sees.
        state: the position.
        place: int32[], index of the move among the legal ones in the order of squares, modulo their number.

    Returns:
        int32[], the move, and float32[F], what the program sees after it.
    """
    action = game.choice(state, place)
    return action, discs(game, options, game.after(state, game.placed(state, action)))


def view(game: Othello, options: Options, state: State) -> Array:
    """Return float32[F]: what the side that does not move sees of a position, as in `outcome` after its move."""
    return discs(game, options, (state.other, state.own))


def discs(game: Othello, options: Options, sides: tuple[Bits, Bits]) -> Array:
    """Return float32[F]: discs of both sides in each region."""
    seen = []
    for squares in regions(game, options).values():
        mask = game.constant(squares)
        seen += [count(both(side, mask)) for side in sides]
    return jnp.stack(seen).astype(jnp.float32)


def primitive_set(game: Othello, options: Options) -> PrimitiveSet:
    """Build the set; regions depend on the size of the board."""
    names = [f"{side}_{name}" if name else side for name in regions(game, options) for side in ("own", "other")]
    bits = [bits for bits in NO_OPS if len(bits) <= options.noop_bits]
    # Protected division is 1 where the divisor is 0, as J. Koza has it.
    return PrimitiveSet(
        name="-".join(["othello", str(game.size), options.features, options.weights, str(options.noop_bits)]),
        terminals=(
            *(Primitive(name, feature=place) for place, name in enumerate(names)),
            Primitive("TEN", domain=Integers(10, 10), python="{value}", latex="{value}"),
        ),
        functions=(
            binary("+", lambda a, b: a + b, "({0} + {1})", "({0} + {1})"),
            binary("-", lambda a, b: a - b, "({0} - {1})", "({0} - {1})"),
            binary("*", lambda a, b: a * b, "({0} * {1})", "({0} \\cdot {1})"),
            binary("%", divide, "({0} / {1} if {1} else 1.0)", "({0} \\mathbin{{\\%}} {1})"),
            *(
                Primitive(f"B{b}", args=(FLOAT,), call=lambda a: a, picks=1, bits=b, python="{0}", latex="{0}")
                for b in bits
            ),
        ),
        weighting=options.weights,
    )


def divide(a: Array, b: Array) -> Array:
    """Return a / b, and 1 where b is 0."""
    return jnp.where(b == 0, 1.0, a / jnp.where(b == 0, 1.0, b))
