"""Features of a legal line, for programs that guide a nested search of Morpion Solitaire.

Features that are cheap to compute divide lines into 27,648 kinds. A program is evaluated once for each kind, before the
search, and its value is added to the weights of lines of that kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.morpion.listed import ListedMorpion, State
from envs.morpion.rules import LENGTH
from jaxgp.genotypes.primitives import FLOAT, Floats, Primitive, PrimitiveSet

AGES = (1, 2, 4, 8, 16)
"""Upper bounds of the classes of age, in moves since a line became legal; the last class has no bound."""
NEAR, FAR, STAGE, STAGES = 8, 12, 16, 8


@dataclass(frozen=True)
class Feature:
    """A feature of a line.

    Attributes:
        name: of the terminal.
        values: what the program reads for each class.
    """

    name: str
    values: Sequence[float]


FEATURES = (
    Feature("AGE", (0, 1, 3, 6, 12, 24)),  # moves for which the line has been legal, about
    Feature("LAST", range(NEAR)),  # from its new cross to the newest one, along the longer axis; 7: 7 or more
    Feature("MIDDLE", range(FAR)),  # from its new cross to the middle of the Greek cross, likewise; 11: 11 or more
    Feature("DIAGONAL", (0, 1)),
    Feature("INSIDE", (0, 1, 2)),  # points of the line between its new cross and the nearer end
    Feature("STAGE", range(STAGES)),  # lines drawn, by sixteens; 7: 112 or more
)
"""The axes of the table of kinds: the classes of a line by each feature."""


def kinds(game: ListedMorpion, state: State) -> Array:
    """Return int32[M]: the kind of the line in each slot."""
    size, (left, bottom) = game.game.size, game.game.origin
    x, y = state.cells % size, state.cells // size
    age = state.count - state.born
    aged = sum((age >= bound).astype(jnp.int32) for bound in AGES)
    newest = jnp.maximum(jnp.abs(x - state.last % size), jnp.abs(y - state.last // size)).clip(0, NEAR - 1)
    newest = jnp.where(state.last < 0, NEAR - 1, newest)
    # Twice the distance, since the middle lies between four points.
    twice = jnp.maximum(jnp.abs(2 * (x + left) - 41), jnp.abs(2 * (y + bottom) - 43))
    middle = (twice // 2).clip(0, FAR - 1)
    direction = state.lines // size**2
    along = jnp.where(direction == 0, x - state.lines % size, y - state.lines // size % size)
    inside = jnp.minimum(along, LENGTH - 1 - along).clip(0, 2)
    stage = (state.count // STAGE).clip(0, STAGES - 1)
    place = jnp.zeros_like(x)
    for feature, value in zip(FEATURES, (aged, newest, middle, direction % 2, inside, stage), strict=True):
        place = place * len(feature.values) + value
    return place.reshape(-1)


def table() -> np.ndarray:
    """Return float32[F, K]: the features of each kind."""
    axes = np.meshgrid(*(np.array(feature.values, np.float32) for feature in FEATURES), indexing="ij")
    return np.stack([axis.ravel() for axis in axes])


def primitive_set() -> PrimitiveSet:
    """Build the set: sums, products, minimum, maximum, a choice, constants, and the features of a line."""
    binary = (FLOAT, FLOAT)
    return PrimitiveSet(
        name="morpion-guide",
        terminals=(
            *(Primitive(feature.name, feature=place) for place, feature in enumerate(FEATURES)),
            Primitive("CONSTANT", domain=Floats(-4, 4), weight=2.0, python="{value}", latex="{value}"),
        ),
        functions=(
            Primitive("ADD", args=binary, call=lambda a, b: a + b, python="({0} + {1})", latex="({0} + {1})"),
            Primitive("SUB", args=binary, call=lambda a, b: a - b, python="({0} - {1})", latex="({0} - {1})"),
            Primitive("MUL", args=binary, call=lambda a, b: a * b, python="({0} * {1})", latex="({0} \\cdot {1})"),
            Primitive("MIN", args=binary, call=jnp.minimum, python="min({0}, {1})", latex="\\min({0}, {1})"),
            Primitive("MAX", args=binary, call=jnp.maximum, python="max({0}, {1})", latex="\\max({0}, {1})"),
            Primitive(
                "IF_<",
                args=(FLOAT, FLOAT, FLOAT, FLOAT),
                call=lambda a, b, yes, no: jnp.where(a < b, yes, no),
                picks=2,
                python="({2} if {0} < {1} else {3})",
                latex="\\mathrm{{if}}({0} < {1};\\ {2};\\ {3})",
            ),
        ),
    )
