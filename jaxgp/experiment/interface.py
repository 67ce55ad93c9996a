"""What the host side needs from an assembled experiment."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from jax import Array

from jaxgp.evolution.state import EvolutionState
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs


@dataclass(frozen=True)
class ReplayGame:
    """One recorded game, for the report."""

    title: str
    frames: list[tuple[str, str]] = field(default_factory=list)  # (caption, SVG) of each position


class Experiment(Protocol):
    """A game, its primitives and one generation as a device program."""

    @property
    def primitives(self) -> PrimitiveSet: ...

    def init(self, key: Array) -> EvolutionState:
        """Return the first, unevaluated generation."""
        ...

    def step(self, state: EvolutionState) -> tuple[EvolutionState, dict[str, Any]]:
        """Evaluate the waiting generation and breed the next; `state` may be used up.

        The metrics are scalars; `generation` is the number of the one that was evaluated.
        """
        ...

    def replay(self, program: Programs) -> list[ReplayGame]:
        """Play an individual ([T, L]) against its panel for people to look at."""
        ...
