"""What programs that evaluate positions of Othello see, and what they are made of.

Source: T. Bellin and G. Gasperin, "Genetic Programming and Othello", with the function and terminal set of the course
that it was written for: + - * % on counts of discs, and the number 10. A program values the position after each legal
move, and the move with the highest value is played; there is no search.

The source counts white and black discs, and its programs always play black. Here they play from both seats, so that
they see `own` discs, of the side that has just moved, and `other` ones. Its map of regions is lost; in its place stand
the classes of squares that rotations and reflections of the board carry into each other, named by a square each:

    a1 b1 c1 d1 d1 c1 b1 a1        the set `few` instead, by whole regions:   corners   a1
    b1 b2 c2 d2 d2 c2 b2 b1                                                   near      b1 b2
    c1 c2 c3 d3 d3 c3 c2 c1                                                   sides     c1 d1
    d1 d2 d3 d4 d4 d3 d2 d1                                                   ring      c2 d2
    and so on, mirrored                                                       without the 16 squares in the middle
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import jax.numpy as jnp
from jax import Array

from envs.othello.rules import Othello, State, count, some
from jaxgp.genotypes.primitives import FLOAT, Integers, Primitive, PrimitiveSet, Weighting
from jaxgp.players.choice import pick_bit

Features = Literal["original", "regions", "few"]

NO_OPS = ("0", "1", "00", "01", "10", "11")
"""What no-ops append to a path."""


@dataclass(frozen=True)
class Settings:
    """What a program sees, and whether its leaves have weights.

    Attributes:
        features: `original`: discs, and discs in corners, near corners and on edges; `regions`: discs in each of the
            ten classes of squares (with eight squares a side); `few`: discs in four larger regions.
        weights: of leaves: `none`; by their `path` from the root, no-ops included; or by `noops` alone.
        noop_bits: the most bits that a no-op appends, 0 to 2: no no-ops, B0 and B1, or B00, B01, B10 and B11 as well.

    Raises:
        ValueError: an unknown choice, or weights by no-ops where there are none.
    """

    features: Features = "original"
    weights: Weighting = "none"
    noop_bits: int = 0

    def __post_init__(self) -> None:
        for option, choices in (("features", Features), ("weights", Weighting)):
            if getattr(self, option) not in get_args(choices):
                accepted = ", ".join(get_args(choices))
                raise ValueError(f"program.{option}={getattr(self, option)}: accepted: {accepted}")
        bits, least = self.noop_bits, int(self.weights == "noops")
        if isinstance(bits, bool) or not isinstance(bits, int) or not least <= bits <= 2:
            given = " with program.weights=noops" if least else ""
            raise ValueError(f"program.noop_bits={bits}: accepted: a whole number from {least} to 2{given}")


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


def choices(game: Othello, state: State) -> Array:
    """Return int32[]: moves to choose from; where no disc may be placed, the pass is one."""
    del game
    return jnp.maximum(count(state.legal), 1)


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
    nth = pick_bit(jnp.stack(state.legal), place.astype(jnp.uint32))
    action = jnp.where(some(state.legal), nth, game.area).astype(jnp.int32)
    sides = game.after(state, game.placed(state, action))
    seen = []
    for squares in regions(game, settings).values():
        mask = game.constant(squares)
        seen += [count(tuple(a & b for a, b in zip(side, mask, strict=True))) for side in sides]
    return action, jnp.stack(seen).astype(jnp.float32)


def primitive_set(game: Othello, settings: Settings) -> PrimitiveSet:
    """Build the set; the regions depend on the size of the board."""
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


def divide(a: Array, b: Array) -> Array:
    """Return a / b, and 1 where b is 0."""
    return jnp.where(b == 0, 1.0, a / jnp.where(b == 0, 1.0, b))


def _binary(name: str, call: Callable[[Array, Array], Array], python: str, latex: str) -> Primitive:
    return Primitive(name, args=(FLOAT, FLOAT), call=call, python=python, latex=latex)
