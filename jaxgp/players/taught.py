"""Lessons: decisions that a teacher has judged, and players that can be asked about decisions that they do not play."""

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple

from jax import Array

from jaxgp.contracts import Plans, States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.evaluate import Features

Outcomes = Any
"""What moves lead to, [*B]: a tree of arrays in the form that the player of the game looks at."""


class Lessons(NamedTuple):
    """Decisions that a teacher has judged, N of them, with up to W moves to choose from.

    Attributes:
        states: [N], before the decision.
        outcomes: [N, W], what the moves lead to.
        values: float32[N, W], how much the teacher values them; minus infinity where there is no such move.
    """

    states: States
    outcomes: Outcomes
    values: Array


class Values(ABC, Generic[Plans]):
    """A player that values what moves lead to."""

    @abstractmethod
    def values(self, plans: Plans, states: States, outcomes: Outcomes, wanted: Array, /) -> Array:
        """Return float32[P, D, W]: how P individuals value outcomes [D, W] of moves from states [D].

        Only the `wanted` values (bool[D, W]) need be right.
        """


class Learns(Values[Plans]):
    """A player whose individuals are programs, and that can say what these see of an outcome."""

    primitives: PrimitiveSet
    """The set that the programs are written in."""

    @abstractmethod
    def looks(self, states: States, outcomes: Outcomes, /) -> tuple[Features, Array]:
        """Return (features [F, N], tree int32[N]): what a program sees of each outcome, and which tree values it.

        Args:
            states: [N], before the moves.
            outcomes: [N], what the moves lead to.
        """

    @abstractmethod
    def judge(self, plans: Plans, seen: Features, tree: Array, /) -> Array:
        """Return float32[P, N]: how P individuals value outcomes of which they see [F, N], each by its tree, int32[N].

        What is beyond the last tree is not valued.
        """
