"""Fitness from games of every individual against a fixed panel of opponents."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxgp.kinds import CandidatesFitnessOptions, GamesFitnessOptions, OwnGamesFitnessOptions, Rows, Seated
from jaxgp.options import option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.games.casting import Cast


@dataclass
class PanelFitnessOptions(OwnGamesFitnessOptions, GamesFitnessOptions, CandidatesFitnessOptions):
    """fitness = max(minimum, scale * (points + win_bonus * wins) - parsimony * size), of games against the panel."""

    kind: str = option("panel", "games against a panel of opponents", ("panel",))
    opening_plies: int = option(
        0, "random moves at the beginning of a game", low=0, high="max_plies", why="fitness.max_plies"
    )

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness."""
        del config
        return replace(self.against(cast, seated, self.opening_plies), learning=self.learning(cast))

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"play {game} well against {self.said()}"

    def rows(self, config: "Config") -> Rows:
        """Return the formula."""
        begun = f"; games begin with {self.opening_plies} random moves" if self.opening_plies else ""
        return [("fitness", self.by_panel() + begun + self.dice()), *self.taught()]
