"""Programs that order the moves of a search in Rush Hour: one tree of numbers, or a policy of five rules and a default.

Source: M. Sipper, "Evolved to Win" (2011), section 10.2.4, with the terminals of table 10.1.

    IF Condition1 THEN Value1
    ...
    IF Condition5 THEN Value5
    ELSE Value6

The value of a policy is that of the first rule whose condition holds, or the last one. Conditions compare numbers from
0 to 1: what a terminal counts is divided by its greatest value, and a greater one counts as 1. Values are sums and
products of heuristics, as they are, and of digits.

The source leaves these points open:

- It has one name for a heuristic in conditions and in values. Here the one that is divided ends in `/max`.
- It found the greatest values by experiment, and has one of them, 40 moves of BlockersLowerBound. Those here are in
  `envs.rush_hour.heuristics.FEATURES`.
- The ten digits are ten terminals. Here one random constant stands for them, drawn ten times as often as another one.
"""

from functools import lru_cache
from typing import Literal

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.rush_hour.heuristics import FEATURES
from envs.rush_hour.rules import RushHour
from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Top

RULES = 5
TOP: Top = (*range(2 * RULES + 1), *("IF",) * RULES)
"""Conditions and values in turn, and the default value; the last rule is the innermost one."""
SHARE = "share"
"""The type of a number from 0 to 1."""
POLICY, REST = "policy", "rest"
"""The type of the functions of the top, which no slot of a tree accepts; and of what follows a rule: another one, or a
value."""

_numbers = (FLOAT, FLOAT)
ARITHMETIC = (
    Primitive("*", args=_numbers, call=lambda a, b: a * b, python="({0} * {1})", latex="({0} \\cdot {1})"),
    Primitive("+", args=_numbers, call=lambda a, b: a + b, python="({0} + {1})", latex="({0} + {1})"),
)
DIGIT = Primitive("digit", domain=Integers(0, 9), weight=10.0)


def shares(game: RushHour, seen: Array) -> Array:
    """Return float32[2 * F]: the features (float32[F]), then each divided by its greatest value, at most 1.

    Divided means multiplied by the reciprocal in float32, as XLA does anyway where it optimises.
    """
    greatest = np.array([one.maximum(game) for one in FEATURES], np.float32)
    return jnp.concatenate([seen, jnp.minimum(seen * (1 / greatest), 1.0)])


@lru_cache(maxsize=1)
def policy_set() -> PrimitiveSet:
    """Return the set of policies: `RULES` rules of a condition and a value, and a default value."""
    conditions = [
        _reads(one.name, BOOL, number)
        if one.truth
        else _reads(f"{one.name}/max" if one.value else one.name, SHARE, len(FEATURES) + number)
        for number, one in enumerate(FEATURES)
    ]
    values = [_reads(one.name, FLOAT, number) for number, one in enumerate(FEATURES) if one.value]
    return PrimitiveSet(
        name="rush_hour-policy",
        terminals=(*conditions, Primitive("ERC", SHARE, domain=Floats(0.0, 1.0)), *values, DIGIT),
        functions=(
            Primitive("AND", BOOL, (BOOL, BOOL), lambda a, b: a & b, latex="({0} \\wedge {1})"),
            Primitive("OR", BOOL, (BOOL, BOOL), lambda a, b: a | b, latex="({0} \\vee {1})"),
            Primitive("<=", BOOL, (SHARE, SHARE), lambda a, b: a <= b, latex="({0} \\leq {1})"),
            Primitive(">=", BOOL, (SHARE, SHARE), lambda a, b: a >= b, latex="({0} \\geq {1})"),
            *ARITHMETIC,
            Primitive("IF", POLICY, (BOOL, FLOAT, REST), jnp.where, picks=2),
        ),
        roots=(BOOL, FLOAT) * RULES + (FLOAT,),
        type_sets=((REST, (FLOAT, POLICY)),),
        rules=tuple((2 * rule, 2 * rule + 1) for rule in range(RULES)),
    )


@lru_cache(maxsize=2)
def heuristic_set(terminals: Literal["all", "heuristics"]) -> PrimitiveSet:
    """Return the set of single heuristics: sums and products of digits and of all terminals, or of the heuristics.

    All are as they are: counts are not divided, and truth values are 0 and 1.
    """
    seen = [_reads(one.name, FLOAT, at) for at, one in enumerate(FEATURES) if one.value or terminals == "all"]
    return PrimitiveSet(f"rush_hour-heuristic-{terminals}", terminals=(*seen, DIGIT), functions=ARITHMETIC)


def _reads(name: str, returns: str, feature: int) -> Primitive:
    return Primitive(name, returns, feature=feature, latex=f"\\mathrm{{{{{name}}}}}")
