"""What the host side needs from an assembled experiment."""

from typing import Protocol

from jax import Array
from jax.stages import Compiled

from jaxgp.contracts import Metrics
from jaxgp.evolution.state import EvolutionState
from jaxgp.genotypes.language import Language
from jaxgp.host.replay import ReplayGame


class Experiment(Protocol):
    """A game, the language of its genomes and one generation as a device program."""

    @property
    def language(self) -> Language: ...

    def init(self, key: Array) -> EvolutionState:
        """Return the first, unevaluated generation."""
        ...

    def step(self, state: EvolutionState) -> tuple[EvolutionState, Metrics]:
        """Evaluate the waiting generation and breed the next.

        The metrics are scalars; `generation` is the number of the one that was evaluated. Once `state.finished` is
        set, the run has reached its aim and no further step is asked for.
        """
        ...

    def compiled(self, state: EvolutionState) -> Compiled:
        """Compile `step` for states like this one, which may take minutes."""
        ...

    def compiled_again(self, state: EvolutionState) -> Compiled:
        """Compile (state, int32[] round) -> float32[K] fitness, float32[K, S] points: new games of the candidates."""
        ...

    def replay(self, state: EvolutionState) -> list[ReplayGame]:
        """Play the champion against its panel in its last state, for people to look at."""
        ...
