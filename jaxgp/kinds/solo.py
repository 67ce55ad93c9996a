"""Fitness in a game for one: the score of the game that a genome plays."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.kinds import AnyAlgorithm, FitnessOptions, Rows, Seated
from jaxgp.options import option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.games.casting import Cast


@dataclass
class SoloFitnessOptions(FitnessOptions):
    """fitness = max(minimum, scale * score - parsimony * size), of the game that an individual plays alone."""

    kind: str = option("solo", "the score of a game for one", ("solo",))

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether individuals have a game of their own."""
        from jaxgp.contracts import Soloist

        del algorithm
        return isinstance(cast.actor, Soloist)

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness."""
        from jaxgp.fitness.solo import SoloFitness

        del config, seated
        return SoloFitness(cast.actor, self.scale, self.parsimony, self.minimum)

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"reach a high score in {game}"

    def rows(self, config: "Config") -> Rows:
        """Return the formula."""
        return [("fitness", self.formula("score"))]
