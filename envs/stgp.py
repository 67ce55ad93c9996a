"""Strongly typed programs that value positions of board games: what all games of the source have in common.

Source: M. Sipper, "Evolved to Win" (2011), section 3.2: numbers and truth values; the basic terminals of table 3.1, the
terminals on squares of table 3.3, and the functions of table 3.4. Every number has a factor
(`jaxgp.genotypes.primitives.PrimitiveSet.factored`). A game adds its own counts.
"""

from collections.abc import Callable, Sequence

import jax.numpy as jnp
from jax import Array

from jaxgp.genotypes import surrogates
from jaxgp.genotypes.primitives import BOOL, FLOAT, OWN, Floats, Points, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Top

DEEPEST = 12
"""The deepest search with programs at its leaves."""
CONSTANTS = Floats(-5.0, 5.0)
"""What random constants, and the first factors of MultERC, are drawn from."""


def binary(name: str, call: Callable[[Array, Array], Array], python: str, latex: str) -> Primitive:
    """Return a function of two numbers."""
    return Primitive(name, args=(FLOAT, FLOAT), call=call, gradient=OWN, python=python, latex=latex)


def of_square(name: str, first: int, squares: Points) -> Primitive:
    """Return a terminal that asks about a square, drawn when the node is made.

    Args:
        name: of the terminal.
        first: the feature of square number 0; those of the other squares follow.
        squares: what the square is drawn from.
    """

    def call(features: Array, square: Array) -> Array:
        return features[first + square.astype(jnp.int32), jnp.arange(features.shape[1])]

    asks = f"({{features}}[{first} + {{value}}] != 0)" if first else "({features}[{value}] != 0)"
    return Primitive(name, BOOL, call=call, domain=squares, reads_one=first + squares.high + 1, python=asks)


def language(
    name: str, numbers: Sequence[Primitive], squares: Sequence[Primitive], trees: int = 1, introns: bool = True
) -> PrimitiveSet:
    """Return the set of the tables.

    Args:
        name: of the set.
        numbers: the game's terminals on the whole board.
        squares: its terminals on single squares.
        trees: trees of an individual; `TEN_TREES` is a top for ten.
        introns: whether there are functions that ignore an argument, NullJ and NOTG.
    """
    functions = tuple(one for one in FUNCTIONS if introns or one.name not in INTRONS)
    return PrimitiveSet(name, (*BASIC, *numbers, *squares), functions, roots=(FLOAT,) * trees, factored=True)


BASIC = (
    Primitive("ERC", domain=CONSTANTS),
    Primitive("False", BOOL, fixed=0.0, python="False", latex="\\bot"),
    Primitive("True", BOOL, fixed=1.0, python="True", latex="\\top"),
    Primitive("One", fixed=1.0, python="1.0", latex="1"),
    Primitive("Zero", fixed=0.0, python="0.0", latex="0"),
)

_numbers, _truths = (FLOAT, FLOAT), (BOOL, BOOL)


def _truth(
    name: str, args: tuple[str, ...], call: Callable[..., Array], by: Callable[..., Array], python: str, latex: str = ""
) -> Primitive:
    """Return a function whose values are truth values; `by` is what its gradient is that of."""
    return Primitive(name, BOOL, args, call, ignores=int(name in INTRONS), gradient=by, python=python, latex=latex)


INTRONS = ("NullJ", "NOTG")
"""Functions below which introns are explicit: the last argument is kept in the genome, and never computed."""

FUNCTIONS = (
    _truth("AND", _truths, lambda a, b: a & b, surrogates.both, "({0} and {1})", "({0} \\wedge {1})"),
    _truth("LowerEqual", _numbers, lambda a, b: a <= b, surrogates.smaller, "({0} <= {1})", "({0} \\leq {1})"),
    _truth("NAND", _truths, lambda a, b: ~(a & b), lambda a, b: 1 - surrogates.both(a, b), "(not ({0} and {1}))"),
    _truth("NOR", _truths, lambda a, b: ~(a | b), lambda a, b: 1 - surrogates.either(a, b), "(not ({0} or {1}))"),
    _truth("NOTG", _truths, lambda a, b: ~a, surrogates.negation, "(not {0})", "\\neg {0}"),
    _truth("OR", _truths, lambda a, b: a | b, surrogates.either, "({0} or {1})", "({0} \\vee {1})"),
    Primitive(
        "IFT",
        FLOAT,
        (BOOL, *_numbers),
        jnp.where,
        picks=2,
        gradient=surrogates.choose,
        python="({1} if {0} else {2})",
    ),
    binary("Minus", lambda a, b: a - b, "({0} - {1})", "({0} - {1})"),
    Primitive(
        "MultERC",
        args=(FLOAT,),
        call=lambda a: a,
        picks=1,
        domain=CONSTANTS,
        gradient=OWN,
        python="{0}",
        latex="{0}",
    ),
    Primitive("NullJ", args=_numbers, call=lambda a, b: a, picks=2, gradient=OWN, python="{0}", latex="{0}"),
    binary("Plus", lambda a, b: a + b, "({0} + {1})", "({0} + {1})"),
)

TEN_TREES: Top = (
    *(0, 1, "LowerEqual"),
    *(2, 3, "LowerEqual", 4, 5, "IFT"),
    *(6, 7, "LowerEqual", 8, 9, "IFT"),
    "IFT",
)
"""A preset top for ten trees: T1 <= T2 chooses one of two conditionals; each of these compares two trees, and chooses
one of two others. The source shows its top in figure 3.4, which this project does not have. Its text says that all ten
trees are numbers, and that conditionals were the tops that evolution preferred."""


def python_of_ten(values: Sequence[str]) -> str:
    """Return the value of `TEN_TREES` as an expression in Python, from those of the ten trees."""
    written: list[str] = []
    for item in TEN_TREES:
        if isinstance(item, int):
            written.append(values[item])
            continue
        function = next(one for one in FUNCTIONS if one.name == item)
        assert isinstance(function.python, str)
        written[-function.arity :] = [function.python.format(*written[-function.arity :])]
    return written[0]
