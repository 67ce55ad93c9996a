"""Fitness from tournaments of groups, whose winners are the parents; a panel measures these.

It goes with algorithm.kind=groups, whose options say how large a group is and who wins it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.evolution.options import GroupsOptions
from jaxgp.fitness.words import describe_opponent
from jaxgp.kinds import AnyAlgorithm, GamesFitnessOptions, Rows, Seated
from jaxgp.options import option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.games.casting import Cast


@dataclass
class GroupsFitnessOptions(GamesFitnessOptions):
    """Points of a tournament among the individuals of a group; the options are of games against the panel."""

    kind: str = option("groups", "tournaments of groups; the panel measures their winners", ("groups",))
    opening_plies: int = option(
        0, "random moves at the beginning of a game", low=0, high="max_plies", why="fitness.max_plies"
    )

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether the game is for two, and the algorithm leaves the choice of parents to the fitness."""
        return cast.game.seats == 2 and not cast.simulated and algorithm.kind == "groups"

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness."""
        from jaxgp.fitness.grouped import GroupFitness

        rules, panel = config.algorithm, self.against(cast, seated, self.opening_plies)
        assert isinstance(rules, GroupsOptions)
        return GroupFitness(cast.actor, panel, rules.group_size, rules.panel_weight, rules.ties, rules.stop)

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"play {game} well against {self.said()}"

    def rows(self, config: "Config") -> Rows:
        """Return the measure of the parents."""
        assert isinstance(config.algorithm, GroupsOptions)
        counts = config.algorithm.panel_weight
        return [("fitness against the panel" if counts else "measure of the parents", self.by_panel("rules"))]

    def aim(self, config: "Config") -> str | None:
        """Say in words when a parent has reached the aim."""
        assert isinstance(config.algorithm, GroupsOptions)
        first = describe_opponent(next(iter(self.opponents.values())))
        against = {"beaten": first, "all_beaten": "each opponent of the panel"}.get(config.algorithm.stop)
        return against and f"a parent gets more than half of the points of its games against {against}"
