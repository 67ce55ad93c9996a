"""What programs that fight perceive, and what they are made of.

Source: M. Sipper, "Evolved to Win" (2011), table 8.1 and algorithm 8.1. A program has three trees, the arguments of the
lines MoveTank, TurnTankRight and TurnGunRight. Where the source is silent: Sin and Cos take radians whatever the unit
of the indicators; ArcSin and ArcCos take an argument beyond -1 or 1 as -1 or 1; IfPositive and Fire ask whether a
number is above 0; Fire gives 1 wherever its number is above 0, whether the gun is hot or not; a line whose value is no
number has the value 0; and Random is a hash of the program's seed, the round, the turn and the place of the node, so
that every one draws anew in every evaluation, and an exported program draws the same.
"""

from dataclasses import dataclass
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.robocode import rounding
from jaxgp.arrays import divide
from jaxgp.bits import lowbias32
from jaxgp.genotypes.primitives import FLOAT, Floats, Primitive, PrimitiveSet
from jaxgp.interpreter.lanes import Effects, evaluate_lanes
from jaxgp.interpreter.plan import Plan
from jaxgp.options import option

INDICATORS = (
    "Energy",
    "Heading",
    "X",
    "Y",
    "MaxX",
    "MaxY",
    "EnemyBearing",
    "EnemyDistance",
    "EnemyVelocity",
    "EnemyHeading",
    "EnemyEnergy",
)
"""Own energy, heading and place when the line begins, and the sizes of the field. The rest is of the enemy when it was
scanned: the bearing is against the own heading at that time, the heading against the one when the line begins."""
CLOCK = ("seed", "round", "turn")
"""Whole numbers below 2**24 that follow the indicators among the features: what Random depends on."""
LINES = ("MoveTank", "TurnTankRight", "TurnGunRight")
"""What the trees are the arguments of, in order."""

MIXED = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F)
"""Odd numbers that seed, round, turn and node are multiplied by; those of xxHash32 (Y. Collet)."""

Angles = Literal["degrees", "radians"]
Bot = Literal["robot", "advanced"]
Shooting = Literal["function", "constant"]
POWER = 3.0
"""Of the shots that are no function of a program."""


@dataclass(frozen=True)
class Options:
    """How a program perceives and acts where the source is silent."""

    angles: Angles = option("degrees", "unit of headings and bearings, and of the values of both turning lines")
    bot: Bot = option(
        "robot", "robot: each shot takes a turn before its line acts; advanced: none, and walls do damage"
    )
    fire: Shooting = option(
        "function", "function: Fire is one, wherever it stands; constant: the first line begins with a shot of 3"
    )
    shots: int = option(4, "Fire nodes that a tree may have", low=1, high=16)
    constants: float = option(
        1.0, "the greatest constant; they are drawn between it and its negative", low=0.001, high=10_000
    )


def draw(features: Array, node: Array) -> Array:
    """Return Random: float32[B] in [-1, 1), a multiple of 2**-23, of features [F, B] and the place of a node."""
    clock = (*features[len(INDICATORS) : len(INDICATORS) + len(CLOCK)], node)
    words = [one.astype(jnp.int32).astype(jnp.uint32) * np.uint32(odd) for one, odd in zip(clock, MIXED, strict=True)]
    word = lowbias32(words[0] ^ words[1] ^ words[2] ^ words[3])
    return (word >> 8).astype(features.dtype) * 2.0**-23 - 1


# What these have in common with each other, XLA computes once.


def arcsine(x: Array) -> Array:
    """Return arcsin(x), of -1 or 1 where x is beyond them."""
    x = jnp.clip(x, -1, 1)
    if x.dtype == jnp.float64:
        return rounding.arcsin(x)
    size = jnp.abs(x)
    far = size > 0.5
    z = jnp.where(far, 0.5 - 0.5 * size, size * size)
    y = jnp.where(far, jnp.sqrt(z), size)
    poly = ((4.2163199048e-2 * z + 2.4181311049e-2) * z + 4.5470025998e-2) * z + 7.4953002686e-2
    value = (poly * z + 1.6666752422e-1) * z * y + y
    return jnp.sign(x) * jnp.where(far, RIGHT - 2 * value, value)


def arccosine(x: Array) -> Array:
    """Return arccos(x), of -1 or 1 where x is beyond them."""
    if x.dtype == jnp.float64:
        return rounding.arccos(jnp.clip(x, -1, 1))
    return RIGHT - arcsine(x)


RIGHT = np.float32(np.pi / 2)

_TWO = (FLOAT, FLOAT)
FUNCTIONS = (
    Primitive("Add", args=_TWO, call=lambda a, b: a + b, python="({0} + {1})", latex="({0} + {1})"),
    Primitive("Sub", args=_TWO, call=lambda a, b: a - b, python="({0} - {1})", latex="({0} - {1})"),
    Primitive("Mul", args=_TWO, call=lambda a, b: a * b, python="({0} * {1})", latex="({0} \\cdot {1})"),
    Primitive("Div", args=_TWO, call=divide, python="divide({0}, {1})", latex="({0} \\mathbin{{\\%}} {1})"),
    Primitive("Abs", args=(FLOAT,), call=jnp.abs, python="abs({0})", latex="\\lvert {0} \\rvert"),
    Primitive("Neg", args=(FLOAT,), call=lambda a: -a, python="(-{0})", latex="(-{0})"),
    Primitive("Sin", args=(FLOAT,), call=rounding.sine, python="sine({0})", latex="\\sin({0})"),
    Primitive("Cos", args=(FLOAT,), call=rounding.cosine, python="cosine({0})", latex="\\cos({0})"),
    Primitive(
        "ArcSin",
        args=(FLOAT,),
        call=arcsine,
        python="asin(clip({0}))",
        latex="\\arcsin({0})",
    ),
    Primitive(
        "ArcCos",
        args=(FLOAT,),
        call=arccosine,
        python="acos(clip({0}))",
        latex="\\arccos({0})",
    ),
    Primitive(
        "IfGreater",
        args=(*_TWO, *_TWO),
        call=lambda a, b, yes, no: jnp.where(a > b, yes, no),
        picks=2,
        python="({2} if {0} > {1} else {3})",
    ),
    Primitive(
        "IfPositive",
        args=(FLOAT, *_TWO),
        call=lambda a, yes, no: jnp.where(a > 0, yes, no),
        picks=2,
        python="({1} if {0} > 0 else {2})",
    ),
    Primitive(
        "Fire",
        args=(FLOAT,),
        call=lambda a: jnp.where(a > 0, 1.0, 0.0),
        effect=lambda a: jnp.where(a > 0, a, 0.0),
        python="shoot({0}, fire)",
    ),
)


def primitive_set(options: Options) -> PrimitiveSet:
    """Return the set of table 8.1: the arguments of the three lines, a tree each; perhaps without Fire."""
    indicators = (
        Primitive(name, feature=place, python=name, latex=f"\\mathrm{{{{{name}}}}}")
        for place, name in enumerate(INDICATORS)
    )
    numbers = (
        Primitive("Constant", domain=Floats(-options.constants, options.constants)),
        Primitive("Random", numbered=True, call=draw, python="draw(clock, {value})", latex="r_{{{value}}}"),
        Primitive("Zero", fixed=0.0, python="0.0", latex="0"),
    )
    name = "robocode" + "-radians" * (options.angles == "radians")
    name += "" if options.constants == 1 else f"-{options.constants:g}"
    constant = options.fire == "constant"
    name += "-constant-shots" * constant
    functions, shots = (FUNCTIONS[:-1], 0) if constant else (FUNCTIONS, options.shots)
    return PrimitiveSet(name, (*indicators, *numbers), functions, roots=(FLOAT,) * len(LINES), effects=shots)


def evaluate_line(
    primitives: PrimitiveSet, plans: Plan, whose: Array, tree: Array, features: Array, active: Array
) -> tuple[Array, Effects]:
    """Evaluate one line of each of N programs, as it begins.

    Args:
        primitives: the set the plans were made with.
        plans: of batch shape [P, T].
        whose: int32[N], of which program.
        tree: int32[N], which line.
        features: float32[N, F], `INDICATORS` and `CLOCK`; float64 with plans of programs with float64 values.
        active: bool[N], where a line begins.

    Returns:
        float32[N] values, infinite at most, and its shots [N]: their powers, above 0, in the order of execution;
        unspecified where no line begins.
    """
    trees = plans.steps.shape[1]
    every = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), plans)
    at = jnp.where(active, whose * trees + tree, 0)
    value, shots = evaluate_lanes(primitives, every, at, features.T, active)
    return jnp.where(jnp.isnan(value), 0.0, value), shots
