"""Lessons: decisions that a teacher has judged, and players that can be asked about decisions that they do not play."""

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple

import numpy as np
from jax import Array

from jaxgp.contracts import Plans, States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.calls import Features

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


class DecisionProcess(NamedTuple):
    """All decisions of one side against an opponent whose replies are known: a Markov decision process.

    N decisions, with up to W moves; M outcomes of moves, with up to R replies, all of them as likely. Arrays of the
    host, -1 where there is no move or reply. An outcome that is not won and has no reply is a failure.

    Attributes:
        states: [M], a state before a move that leads to the outcome.
        outcomes: [M], in the form that the player of the game looks at.
        moves: int[N, W], the outcome of each move.
        replies: int[M, R], the decision that follows.
        won: bool[M], which outcomes end it well.
        left: int[N], the fewest moves to one of those against this opponent; 0 where it cannot be forced.
        starts: bool[N], where games begin that teach, or name a champion.
        unmet: bool[N], other starts, to measure by.
    """

    states: States
    outcomes: Outcomes
    moves: np.ndarray
    replies: np.ndarray
    won: np.ndarray
    left: np.ndarray
    starts: np.ndarray
    unmet: np.ndarray


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
