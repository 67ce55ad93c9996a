"""Fitness from decisions whose best moves a teacher knows; other decisions measure the fittest."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxgp.fitness.taught.options import MAX_LESSONS
from jaxgp.kinds import AnyAlgorithm, RefereedFitnessOptions, Rows, Seated
from jaxgp.kinds.lessons import TaughtFitnessOptions
from jaxgp.options import option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.games.casting import Cast
    from jaxgp.genotypes.language import Genome

REPORTED = 2**32 - 2
"""The `fold_in` number of the key of a run that the decisions are drawn from which say what a champion is worth."""


@dataclass
class DecisionsFitnessOptions(TaughtFitnessOptions, RefereedFitnessOptions):
    """The share of decisions in which an individual plays a best move; decisions set apart measure the fittest."""

    kind: str = option("decisions", "decisions whose best moves a teacher knows", ("decisions",))
    validation: int = option(
        2048,
        "decisions set apart for the measure that names the champion; none of them is drawn",
        low=1,
        high=MAX_LESSONS,
    )
    reported: int = option(
        4096,
        "decisions of a third lot, of the default teacher, in which the last line says what the champion is worth; 0: "
        "it does not",
        low=0,
        high=MAX_LESSONS,
    )

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether the game has decisions, and individuals are programs that see what moves lead to."""
        from jaxgp.players.taught import Learns

        return super().fits(algorithm, cast) and isinstance(cast.actor, Learns)

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness with its referee."""
        from jaxgp.fitness.refereed import Refereed
        from jaxgp.fitness.taught.decisions import DecisionFitness

        del config, seated
        terms = self.scale, self.parsimony, self.minimum
        taught = DecisionFitness(cast.actor, self.teach(cast), self.stock, self.drawn, *terms)
        return Refereed(taught, replace(taught, stock=self.validation, drawn=None), self.measured)

    def closing(self, config: "Config", cast: "Cast", genome: "Genome") -> str | None:
        """Say in how many decisions of a third lot the champion plays a best move, and how many others play one."""
        if not self.reported:
            return None
        import jax
        import numpy as np

        from jaxgp.fitness.taught.decisions import chance, look, shares

        teachers = cast.spec.teachers
        assert teachers is not None
        teach, count = teachers.lessons(cast.game, teachers.names[0]), self.reported

        @jax.jit
        def found(key: jax.Array, genome: "Genome") -> tuple[jax.Array, jax.Array]:
            seen = look(cast.actor, teach(key, count))
            one = jax.tree.map(lambda x: x[None], genome)
            return shares(cast.actor, one, seen)[0], chance(cast.actor, seen)

        key = jax.random.fold_in(jax.random.key(config.seed), np.uint32(REPORTED))
        mine, random = (np.asarray(x, float) for x in found(key, genome))
        error = mine.std() / count**0.5
        others = {"a random player": random.mean(), **teachers.others(cast.game)}
        said = "; ".join(f"{name} {100 * share:.1f}" for name, share in others.items())
        return (
            f"Best moves in {count} new decisions, percent: champion {100 * mine.mean():.1f} "
            f"(standard error {100 * error:.1f}); {said}"
        )

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"choose best moves of {game}, as a teacher knows them"

    def rows(self, config: "Config") -> Rows:
        """Return the formula, and what names the champion."""
        del config
        by = self.teacher or "the first teacher of the game"
        share = f"share of {self.drawn} decisions, drawn from {self.stock}, with a best move by {by}"
        return [
            ("fitness", self.formula(share)),
            (
                f"{self.fittest()} of each generation measured by",
                f"{self.validation} decisions that are never drawn",
            ),
            ("champion", "the best of these"),
        ]
