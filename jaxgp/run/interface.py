"""What the host side needs from an assembled experiment."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from jax import Array

from jaxgp.evolution.state import EvolutionState
from jaxgp.genotypes.language import Genome, Language


@dataclass(frozen=True)
class ReplayGame:
    """One recorded game, for the report."""

    title: str
    frames: list[tuple[str, str]] = field(default_factory=list)  # (caption, SVG) of each position


class Experiment(Protocol):
    """A game, the language of its genomes and one generation as a device program."""

    @property
    def language(self) -> Language: ...

    def init(self, key: Array) -> EvolutionState:
        """Return the first, unevaluated generation."""
        ...

    def step(self, state: EvolutionState) -> tuple[EvolutionState, dict[str, Any]]:
        """Evaluate the waiting generation and breed the next; `state` may be used up.

        The metrics are scalars; `generation` is the number of the one that was evaluated. Once `state.finished` is
        set, the run has reached its aim and no further step is asked for.
        """
        ...

    def replay(self, genome: Genome) -> list[ReplayGame]:
        """Play an individual against its panel for people to look at."""
        ...
