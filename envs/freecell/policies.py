"""Genomes that order the nodes of a search in FreeCell: weights of heuristics, or rules that choose among such weights.

Source: M. Sipper, "Evolved to Win" (2011), sections 11.2.3 and 11.3, with the heuristics of table 11.1 and the advisors
of table 11.4.

    weights     w1 ... w9                                       the value of a node is the sum of weights * heuristics
    policy      IF Condition1 THEN w1 ... w9
                ...
                IF Condition5 THEN w1 ... w9
                ELSE w1 ... w9

Every heuristic is divided by its greatest value, and a greater number counts as 1. Low values go first.

The source leaves these points open:

- Signs. All weights lie in [0, 1), but some heuristics fall towards the goal and others rise. Here 1 - h stands for a
  heuristic h that rises. With `rising=as_is` it is h itself, as the formula of the source reads.
- In conditions all numbers are divided by their greatest values, and random constants lie in [0, 1).
- DifficultyLevel is 0 for a deal outside a set that has been sorted.
"""

from functools import lru_cache
from typing import Literal

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.freecell.heuristics import FEATURES, HEURISTICS, MORE, Feature, shares
from jaxgp.genotypes.primitives import BOOL, Floats, Primitive, PrimitiveSet
from jaxgp.players.solver import FINDERS

Heuristics = Literal["book", "more"]
Rising = Literal["flipped", "as_is"]

RULES = 5
SHARE = "share"
"""The type of a number from 0 to 1."""
UNIT = Floats(0.0, 1.0)
"""Constants are drawn from [0, 1)."""


def weighted(heuristics: Heuristics) -> tuple[Feature, ...]:
    """Return the heuristics that weights stand before: those of the source, or two more."""
    return HEURISTICS if heuristics == "book" else HEURISTICS + MORE


def seen(numbers: Array, heuristics: Heuristics, rising: Rising) -> Array:
    """Return float32[H + F]: the weighted heuristics, for which low is good, then the features, divided.

    Args:
        numbers: float32[F], the features as they are.
        heuristics: which of them have weights, H.
        rising: whether those that rise towards the goal are turned over.
    """
    divided = shares(numbers)
    turned = np.array([one.rises and rising == "flipped" for one in weighted(heuristics)])
    costs = divided[: len(turned)]
    return jnp.concatenate([jnp.where(turned, 1 - costs, costs), divided])


@lru_cache(maxsize=4)
def weight_set(heuristics: Heuristics) -> PrimitiveSet:
    """Return the set of vectors of weights: a tree for each weight, which is a constant."""
    own = weighted(heuristics)
    return PrimitiveSet(f"freecell-weights-{heuristics}", _weights(own), (), tuple(one.name for one in own))


@lru_cache(maxsize=4)
def policy_set(heuristics: Heuristics) -> PrimitiveSet:
    """Return the set of policies: `RULES` rules of a condition and weights, and weights for all other nodes."""
    own = weighted(heuristics)
    conditions = [
        Primitive(one.name, BOOL if one.truth else SHARE, feature=len(own) + at, latex=f"\\mathrm{{{{{one.name}}}}}")
        for at, one in enumerate(FEATURES)
    ]
    vector = tuple(one.name for one in own)
    return PrimitiveSet(
        name=f"freecell-policy-{heuristics}",
        terminals=(*conditions, Primitive("ERC", SHARE, domain=UNIT), *_weights(own)),
        functions=(
            Primitive("AND", BOOL, (BOOL, BOOL), lambda a, b: a & b, latex="({0} \\wedge {1})"),
            Primitive("OR", BOOL, (BOOL, BOOL), lambda a, b: a | b, latex="({0} \\vee {1})"),
            Primitive("<=", BOOL, (SHARE, SHARE), lambda a, b: a <= b, latex="({0} \\leq {1})"),
            Primitive(">=", BOOL, (SHARE, SHARE), lambda a, b: a >= b, latex="({0} \\geq {1})"),
            *FINDERS,
        ),
        roots=(BOOL, *vector) * RULES + vector,
        rules=tuple(tuple(range(rule * (1 + len(own)), (rule + 1) * (1 + len(own)))) for rule in range(RULES)),
    )


def _weights(own: tuple[Feature, ...]) -> tuple[Primitive, ...]:
    """Return a constant for each heuristic, of a type of its own, so that no weight takes the place of another's."""
    return tuple(Primitive(f"weight:{one.name}", one.name, domain=UNIT) for one in own)
