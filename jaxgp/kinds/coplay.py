"""Fitness from games of the population among itself and against guides; a panel measures the fittest."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.errors import reject
from jaxgp.fitness.words import COUNTED, describe_opponent
from jaxgp.kinds import AmongFitnessOptions, OwnGamesFitnessOptions, Rows, Seated
from jaxgp.options import MAX_GAMES, MAX_WEIGHT, option
from jaxgp.seats.options import GuideOptions

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.games.casting import Cast


@dataclass
class CoplayFitnessOptions(OwnGamesFitnessOptions, AmongFitnessOptions):
    """The points of games against others of the population and against the guides; the panel measures the fittest."""

    kind: str = option("coplay", "coevolution: games against others of the population, and guides", ("coplay",))
    games: int = option(
        1, "games of each individual from each seat against others of the population", low=1, high=MAX_GAMES
    )
    weight: float = option(1.0, "points of a game won against another individual", low=0, high=MAX_WEIGHT)
    counted: str = option(
        "result",
        "what a game counts, but for those of the panel: result: 1, 1/2, 0; share: own points of the game, divided by "
        "those of both sides",
        COUNTED,
    )
    guides: dict[str, GuideOptions] = option({}, "opponents met by the whole population, by name")

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        super().laws(prefix)
        if not self.weight and not any(guide.weight for guide in self.guides.values()):
            reject(prefix + "weight", 0.0, "a number above 0, or a guide with a weight above 0")

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness with its referee."""
        from jaxgp.fitness.among.coevolution import CoevolutionFitness, Guide
        from jaxgp.fitness.refereed import Refereed

        guides = seated.get("guides", {})
        met = tuple(Guide(guides[name], one.rounds, one.cutoff, one.weight) for name, one in self.guides.items())
        terms = self.games, met, self.weight, self.opening_plies, self.max_plies, self.counted
        among = CoevolutionFitness(cast.game, cast.actor, *terms, self.learning(cast, self.counted))
        return Refereed(among, self.referee(cast, seated), self.measured)

    def rows(self, config: "Config") -> Rows:
        """Return the formula, what the referee does, and who is the champion."""
        weight = "" if self.weight == 1 else f"{self.weight:g} * "
        games = f"{self.games} game{'' if self.games == 1 else 's'} from each seat"
        scale = "1 win, 1/2 draw, 0 loss" if self.counted == "result" else "the share of both sides' points"
        others = f"others of the population{self.opened()}"
        points = f"{weight}points of {games} against {others} ({scale})"
        return [
            ("fitness", " + ".join([points, *(_guide(guide) for guide in self.guides.values())])),
            self.judged(),
            ("champion", "the best of these"),
            *self.taught(),
        ]


def _guide(guide: GuideOptions) -> str:
    """Say in words what games against a guide count."""
    weight = "" if guide.weight == 1 else f"{guide.weight:g} * "
    rounds = "" if guide.rounds == 1 else f"{guide.rounds} rounds of "
    fit = "" if guide.cutoff is None else f" (of those whose fitness is not more than {guide.cutoff:g} below the best)"
    return f"{weight}points of {rounds}games against {describe_opponent(guide)}{fit}"
