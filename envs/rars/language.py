"""What programs that drive perceive, and what they are made of.

Source: M. Sipper, "Evolved to Win" (2011), table 9.1. A program has two trees, the angle of the nose and the speed of
the wheels. It sees lengths and radii in 400 ft, speeds in 100 ft/s and angles in radians; left turns and drifts to the
left are above 0. Where the source is silent: constants are drawn from -1 to 1, in which all that it prints lie; the
value of the first tree is the angle in radians, that of the second one the speed in 100 ft/s; lengths of curves are
those of the inner wall, of which RARS gives the radius; AA is above 0 where the wall turns to the left of the heading.
"""

from dataclasses import dataclass
from typing import Literal

import jax.numpy as jnp
from jax import Array

from envs.rars.places import SENSED
from jaxgp.arrays import divide
from jaxgp.genotypes.primitives import FLOAT, OWN, Floats, Primitive, PrimitiveSet
from jaxgp.genotypes.surrogates import choose_smaller
from jaxgp.options import option
from jaxgp.players.driver import ProgramDriver

LENGTH = 400.0
"""Feet that lengths and radii are divided by."""
SPEED = 100.0
"""Ft/s that speeds are divided by, and the second tree's value multiplied by."""
CONSTANTS = Floats(-1.0, 1.0)
WIDEST = 8192.0
"""A tangent of greater numbers is 0: single precision has lost the angle."""

Ends = Literal["feet", "radians"]
OffRoad = Literal["zero", "back"]


@dataclass(frozen=True)
class Options:
    """How a program perceives the road where the source is silent."""

    te: Ends = option("feet", "TE in curves: feet along the inner wall, or the radians that are left")
    factors: bool = option(False, "whether each node has a factor of its own, which mutation moves; not in the source")
    off_road: OffRoad = option(
        "zero", "AH off the road: zero: 0; back: the feet to the nearer wall, with a minus sign before them"
    )


def view(options: Options, sensed: Array) -> Array:
    """Return float32[11, ...]: the terminals of `INDICATORS`, from what a car perceives, float32[F, ...]."""
    s = dict(zip(SENSED, sensed, strict=True))
    radius, next_radius, left, right = s["cur_rad"], s["nex_rad"], s["to_lft"], s["to_rgt"]
    end = s["to_end"] / LENGTH
    curved = s["to_end"] if options.te == "radians" else end * jnp.abs(radius)
    ahead = s["ahead"]
    if options.off_road == "back":
        ahead = jnp.where((left < 0) | (right < 0), jnp.minimum(left, right), ahead)
    found = {
        "CR": radius / LENGTH,
        "NR": next_radius / LENGTH,
        "TE": jnp.where(radius == 0, end, curved),
        "NL": s["nex_len"] * jnp.where(next_radius == 0, 1, jnp.abs(next_radius)) / LENGTH,
        "V": s["v"] / SPEED,
        "NV": s["vn"] / SPEED,
        "TL": left / LENGTH,
        "TR": right / LENGTH,
        "TW": s["width"] / LENGTH,
        "AH": ahead / LENGTH,
        "AA": s["ahead_angle"],
    }
    return jnp.stack([found[name] for name in INDICATORS])


INDICATORS = ("CR", "NR", "TE", "NL", "V", "NV", "TL", "TR", "TW", "AH", "AA")
"""Radius of this segment and of the next one, feet to the end of this one, length of the next one; speed, drift to the
left; feet to the left wall, to the right one, and between them; feet ahead to the first wall, and its angle."""


def tangent(x: Array) -> Array:
    """Return tan(x) to single precision, 0 beyond `WIDEST`.

    The interpreter computes every function in each of its steps, and XLA's own tangent takes longer than all others.
    """
    # S. Moshier's Cephes library, tanf: less a multiple of pi / 2 in three parts, then a polynomial.
    near = jnp.abs(x) <= WIDEST
    x = jnp.where(near, x, 0.0)
    quarter = jnp.round(x * 0.6366197723675814)
    r = ((x - quarter * 1.5703125) - quarter * 4.837512969970703e-4) - quarter * 7.549789948768648e-8
    z = r * r
    poly = jnp.float32(9.38540185543e-3)
    for coefficient in (3.11992232697e-3, 2.44301354525e-2, 5.34112807005e-2, 1.33387994085e-1, 3.33331568548e-1):
        poly = poly * z + coefficient
    value = poly * z * r + r
    odd = quarter - 2 * jnp.floor(quarter / 2) != 0
    return jnp.where(odd, -1 / jnp.where(value == 0, 1e-30, value), value)


_TWO = (FLOAT, FLOAT)
FUNCTIONS = (
    Primitive("+", args=_TWO, call=lambda a, b: a + b, gradient=OWN, python="({0} + {1})", latex="({0} + {1})"),
    Primitive("-", args=_TWO, call=lambda a, b: a - b, gradient=OWN, python="({0} - {1})", latex="({0} - {1})"),
    Primitive("*", args=_TWO, call=lambda a, b: a * b, gradient=OWN, python="({0} * {1})", latex="({0} \\cdot {1})"),
    Primitive("%", args=_TWO, call=divide, gradient=OWN, python="divide({0}, {1})", latex="({0} \\mathbin{{\\%}} {1})"),
    Primitive("abs", args=(FLOAT,), call=jnp.abs, gradient=OWN, python="abs({0})", latex="\\lvert {0} \\rvert"),
    Primitive("neg", args=(FLOAT,), call=lambda a: -a, gradient=OWN, python="(-{0})", latex="(-{0})"),
    Primitive("tan", args=(FLOAT,), call=tangent, gradient=OWN, python="tangent({0})", latex="\\tan({0})"),
    Primitive(
        "IFG",
        args=(*_TWO, *_TWO),
        call=lambda a, b, yes, no: jnp.where(a > b, yes, no),
        gradient=lambda a, b, yes, no: choose_smaller(b, a, yes, no),
        picks=2,
        python="({2} if {0} > {1} else {3})",
    ),
    Primitive(
        "IFP",
        args=(FLOAT, *_TWO),
        call=lambda a, yes, no: jnp.where(a > 0, yes, no),
        gradient=lambda a, yes, no: choose_smaller(jnp.zeros_like(a), a, yes, no),
        picks=2,
        python="({1} if {0} > 0 else {2})",
    ),
)


NAMED = (("Zero", 0.0), ("One", 1.0))
"""Constants that have names."""


def primitive_set(options: Options, called: str = "rars", more: tuple[str, ...] = ()) -> PrimitiveSet:
    """Return the set of table 9.1: the angle of the nose and the speed of the wheels, a tree each.

    Args:
        options: how programs perceive.
        called: what its name begins with.
        more: names of further indicators.
    """
    name = "-".join(
        [called, *["radians"] * (options.te == "radians"), *["back"] * (options.off_road == "back")]
        + ["factors"] * options.factors
    )
    indicators = (
        Primitive(name, feature=place, python=name, latex=f"\\mathrm{{{{{name}}}}}")
        for place, name in enumerate((*INDICATORS, *more))
    )
    constants = [Primitive("ERC", domain=CONSTANTS)]
    if not options.factors:
        constants += [Primitive(one, fixed=value, python=str(value), latex=f"{value:g}") for one, value in NAMED]
    return PrimitiveSet(
        name,
        (*indicators, *constants),
        FUNCTIONS,
        roots=(FLOAT, FLOAT),
        factored=options.factors,
        # A factor makes any number of a constant; programs without factors can be read, too.
        numbers=NAMED if options.factors else (),
    )


def decide(sensed: Array, values: Array) -> Array:
    """Return the controls float32[2] from the values of the two trees, float32[2]."""
    del sensed
    return values * jnp.array([1.0, SPEED], jnp.float32)


@dataclass(frozen=True)
class Racer(ProgramDriver):
    """Programs that drive.

    Attributes:
        options: how they perceive.
    """

    options: Options = Options()

    def view(self, sensed: Array) -> Array:
        """Return float32[N, ...]: the terminals, from what a car perceives, float32[F, ...]."""
        return view(self.options, sensed)
