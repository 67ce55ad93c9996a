"""Fitness from own play against the best replies, in a game whose positions are all written out."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxgp.errors import reject
from jaxgp.kinds import AnyAlgorithm, RefereedFitnessOptions, Rows, Seated, few
from jaxgp.options import MAX_GAMES, MAX_PLIES, MAX_POPULATION, MAX_WEIGHT, option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.games.casting import Cast
    from jaxgp.players.taught import DecisionProcess


@dataclass
class OwnPlayFitnessOptions(RefereedFitnessOptions):
    """The share of games that an individual wins against the best replies, and how near it comes to the end."""

    kind: str = option("own_play", "own play against the best replies, by a table of all positions", ("own_play",))
    games: int = option(
        128, "games of each individual in a generation, from starts that are drawn anew", low=1, high=MAX_GAMES
    )
    moves: int = option(50, "own moves after which a game is not won", low=1, high=MAX_PLIES)
    nearness: float = option(
        0.2, "what the mean nearness to the end, over all moves, weighs beside games won", low=0, high=MAX_WEIGHT
    )
    validation: int = option(
        1024, "games for the measure that names the champion, always from the same starts", low=1, high=MAX_GAMES
    )
    first: int = option(
        0,
        "how many individuals, the first ones of a population, are measured beside the fittest: the first one is the "
        "mean of the distribution with algorithm=cma",
        low=0,
        high=MAX_POPULATION,
    )

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Refuse chunks, and more individuals measured than there are."""
        super().suits(algorithm)
        few(self, "first", algorithm)
        if algorithm.chunk is not None:
            reject("algorithm.chunk", algorithm.chunk, f"null with fitness.kind={self.kind}")

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether the game has written out its positions, and individuals see what moves lead to."""
        from jaxgp.players.taught import Learns

        teachers = cast.spec.teachers
        known = teachers is not None and teachers.process is not None
        return super().fits(algorithm, cast) and known and isinstance(cast.actor, Learns) and algorithm.kind != "groups"

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse settings of the game with too many positions."""
        super().check(config, cast)
        _process(cast)

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness with its referee."""
        from jaxgp.fitness.refereed import Refereed
        from jaxgp.fitness.taught.own_play import OwnPlay, look

        del config, seated
        process, terms = _process(cast), (self.nearness, self.scale, self.parsimony, self.minimum)
        own = OwnPlay(cast.actor, process, look(cast.actor, process), self.games, self.moves, *terms)
        return Refereed(own, replace(own, games=self.validation), self.measured, self.first)

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"win {game} against the best replies"

    def rows(self, config: "Config") -> Rows:
        """Return the formula, and what names the champion."""
        del config
        near = f" + {self.nearness:g} * mean nearness to the end" if self.nearness else ""
        won = f"share of {self.games} games won within {self.moves} moves{near}, against the best replies"
        judged = f"{self.validation} games from starts that stay the same"
        return [
            ("fitness", self.formula(won)),
            (
                f"{self.fittest()}{f' and first {self.first}' if self.first else ''} of each generation measured by",
                judged,
            ),
            ("champion", "the best of these"),
        ]


def _process(cast: "Cast") -> "DecisionProcess":
    """Return all decisions of the game; raises UsageError where there are too many."""
    teachers = cast.spec.teachers
    assert teachers is not None
    assert teachers.process is not None
    return teachers.process(cast.game)
