"""Fitness from a single-elimination tournament of the population; a panel measures the fittest."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp import options
from jaxgp.errors import reject
from jaxgp.evolution.options import of_island
from jaxgp.kinds import AmongFitnessOptions, AnyAlgorithm, Rows, Seated
from jaxgp.options import MAX_GAMES, option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.games.casting import Cast


def is_even(number: float) -> bool:
    """Whether a number is even."""
    return number % 2 == 0


@dataclass
class EliminationFitnessOptions(AmongFitnessOptions):
    """1 / n for those who lose in a round of n individuals, 1 for the winner; the panel measures the fittest."""

    kind: str = option(
        "elimination", "coevolution: a single-elimination tournament of the population", ("elimination",)
    )
    games: int = option(
        2,
        "games of a match, half from each seat",
        low=2,
        high=MAX_GAMES,
        test=is_even,
        accepted=f"an even number from 2 to {MAX_GAMES}; half of the games are from each seat",
    )

    equal: str = option(
        "lot",
        "who wins a match of equal points: smaller: the one with fewer nodes or rules, then a lot",
        ("lot", "smaller"),
    )

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Refuse a population, or that of an island, that does not halve down to one; see `Among.suits`."""
        islands, size = algorithm.islands.count, of_island(algorithm).population
        if size < 2 or not options.is_power_of_two_or_zero(size):
            below = islands * max(2, 2 ** (size.bit_length() - 1))
            whole = "a power of two" if islands == 1 else f"{islands} islands times a power of two"
            near = f"{whole} with fitness.kind=elimination, such as {below} or {2 * below}; nobody sits out a round"
            reject("algorithm.population", algorithm.population, near)
        super().suits(algorithm)

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse matches in which all games are alike; see `Among.check`."""
        super().check(config, cast)
        if self.games > 2 and not (self.various(cast) or cast.actor.random):
            why = f"without chance all games of a match of {cast.spec.name} are alike"
            reject("fitness.games", self.games, f"2, or fitness.opening_plies above 0; {why}")

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness with its referee."""
        from jaxgp.fitness.among.elimination import EliminationFitness
        from jaxgp.fitness.refereed import Refereed

        terms = self.games // 2, self.points, self.opening_plies, self.paired, self.max_plies, self.equal == "smaller"
        among = EliminationFitness(cast.game, cast.actor, *terms)
        return Refereed(among, self.referee(cast, seated), self.measured)

    def rows(self, config: "Config") -> Rows:
        """Return what the tournament gives, and what the referee does."""
        points = "results" if self.points == "result" else "points"
        each = f"{self.games // 2} from each seat{self.opened()}{self.dice()}"
        then = "then the smaller one, then a lot" if self.equal == "smaller" else "then a lot"
        match = f"{self.games} games, {each}; more {points} win, {then}"
        worth = "1 / n if beaten in a round of n individuals, 1 if never"
        return [("fitness", f"{worth}; single elimination by matches of {match}"), self.judged()]
