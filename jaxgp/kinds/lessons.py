"""Fitness from decisions that a teacher has judged, in the place of games; a panel measures the fittest."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp import files, options
from jaxgp.errors import reject
from jaxgp.evolution.options import GPOptions
from jaxgp.fitness.taught.options import MAX_LESSONS, MAX_STOCK, LearningOptions
from jaxgp.kinds import (
    AnyAlgorithm,
    CandidatesFitnessOptions,
    FitnessOptions,
    GamesFitnessOptions,
    RefereedFitnessOptions,
    Rows,
    Seated,
)
from jaxgp.options import option

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax import Array

    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.games.casting import Cast
    from jaxgp.players.taught import Lessons, LessonStock


@dataclass
class TaughtFitnessOptions(FitnessOptions):
    """Base of a fitness from decisions that a teacher has judged."""

    drawn: int = option(
        512,
        "decisions drawn in each generation, without replacement, the same for all individuals",
        low=1,
        high="stock",
        why="fitness.stock",
    )
    stock: int = option(
        4096,
        "decisions that are prepared before the first generation, to draw from",
        low=1,
        high=MAX_STOCK,
    )
    teacher: str | None = option(None, "who judges decisions, by name; null: the first one of the game")

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Refuse chunks."""
        super().suits(algorithm)
        if algorithm.chunk is not None:
            reject("algorithm.chunk", algorithm.chunk, f"null with fitness.kind={self.kind}")

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether the game has decisions, and individuals value what moves lead to."""
        from jaxgp.players.taught import Values

        fit = super().fits(algorithm, cast) and cast.spec.teachers is not None and isinstance(cast.actor, Values)
        return fit and algorithm.kind != "groups"

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse teachers that there are not."""
        super().check(config, cast)
        self.teach(cast)

    def teach(self, cast: "Cast") -> "Callable[[Array, int], Lessons]":
        """Return (key, count) -> that many decisions of the teacher; raises UsageError where there is none."""
        teachers = cast.spec.teachers
        assert teachers is not None
        if self.teacher not in (None, *teachers.names):
            reject("fitness.teacher", self.teacher, ", ".join(teachers.names))
        return teachers.lessons(cast.game, self.teacher)


@dataclass
class LessonsFitnessOptions(
    TaughtFitnessOptions, GamesFitnessOptions, RefereedFitnessOptions, CandidatesFitnessOptions
):
    """Minus what an individual loses by its choices against the best ones; the panel measures the fittest in games."""

    kind: str = option("lessons", "decisions that a teacher has judged, in the place of games", ("lessons",))
    file: str | None = option(
        None,
        "a file of decisions, of which the stock is the first ones, in place of a teacher; null: a teacher judges them "
        "before the first generation",
        path=True,
    )
    held: int = option(
        0,
        "decisions of the stock by which all individuals are measured, and from which nobody learns; 0: a generation "
        "draws those that it is measured by",
        low=0,
        high=MAX_LESSONS,
    )
    learning: LearningOptions = option(LearningOptions(), "learning of the fittest")

    @property
    def differentiable(self) -> bool:
        """Lessons have a loss."""
        return True

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        super().laws(prefix)
        if self.file is None and self.stock > MAX_LESSONS:
            reject(prefix + "stock", self.stock, f"a whole number up to {MAX_LESSONS} without {prefix}file")
        if self.held + self.drawn > self.stock:
            reject(prefix + "held", self.held, f"a whole number up to {self.stock - self.drawn}, so that some are left")
        if self.learning.individuals:
            why = prefix + "stock"
            options.bound(self.learning, "lessons", prefix + "learning.", high=self.stock, why=why)

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Refuse chunks, and a wheel for a fitness below 0."""
        super().suits(algorithm)
        if isinstance(algorithm, GPOptions) and algorithm.roulette and self.minimum is None:
            why = "algorithm.selection.method=roulette needs it, because lessons give a fitness below 0"
            reject("fitness.minimum", None, f"a number from 0 ({why})")
        if isinstance(algorithm, GPOptions) and self.learning.individuals and algorithm.tune.reborn:
            why = "lamarck with fitness.learning.individuals, which children inherit"
            reject("algorithm.tune.inherit", algorithm.tune.inherit, why)

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse teachers that there are not, and learning where individuals cannot; see `Games.check`."""
        super().check(config, cast)
        if self.learning.individuals:
            _learns(self.learning.individuals, config.algorithm, cast)

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness with its referee."""
        from jaxgp.fitness.refereed import Refereed
        from jaxgp.fitness.taught.lessons import LessonFitness

        worth = self.scale, self.parsimony, self.minimum
        of = cast.actor, self.teach(cast), self.drawn, self.stock, self.learning
        taught = LessonFitness(*of, *worth, self.filed(cast), self.held)
        return Refereed(taught, self.against(cast, seated), self.measured)

    def filed(self, cast: "Cast") -> "LessonStock | None":
        """Return the decisions of the file; raises UsageError where there are none, or too few."""
        if self.file is None:
            return None
        assert cast.spec.teachers is not None
        if cast.spec.teachers.filed is None:
            reject("fitness.file", self.file, f"null; {cast.spec.name} has no files of decisions")
        found = cast.spec.teachers.filed(cast.game, files.user_path("fitness.file", self.file))
        if self.stock > len(found):
            reject("fitness.stock", self.stock, f"a whole number up to {len(found)}, the decisions of {self.file}")
        return found

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"choose moves of {game} as a teacher does"

    def rows(self, config: "Config") -> Rows:
        """Return the loss, who learns, and what the referee does."""
        by = f"judged by {self.teacher or 'a strategy of the game'}" if self.file is None else f"those of {self.file}"
        loss, measured = "value of the best move less that of the own choice", self.held or self.drawn
        lost = f"minus the mean loss in {measured} decisions of {self.stock}, {by}; loss: {loss}"
        judged = f"{self.by_panel()}, against {self.said()}{self.dice()}"
        return [
            ("fitness", lost),
            *_learning(self.learning),
            (f"{self.fittest()} of each generation measured by", judged),
        ]


def _learns(individuals: int, algorithm: AnyAlgorithm, cast: "Cast") -> None:
    """Refuse learning from lessons that programs of the game cannot do; raises UsageError."""
    from jaxgp.interpreter.nodes import traceable
    from jaxgp.players.taught import Learns

    option = "fitness.learning.individuals"
    if not isinstance(cast.actor, Learns) or not cast.language.sums or not traceable(cast.language):
        reject(option, individuals, f"0; programs of {cast.spec.name} are no sums of weighted terms")
    most = algorithm.islands.size(algorithm.population)
    if individuals > most:
        alone = algorithm.islands.count == 1
        bound = f"algorithm.population={most}" if alone else f"{most}, the population of an island"
        reject(option, individuals, f"a whole number from 0 to {bound}")


def _learning(asked: LearningOptions) -> Rows:
    """Return who learns from lessons, and how; nothing if nobody does."""
    if not asked.individuals:
        return []
    number = asked.individuals
    who = "the fittest of each generation" if number == 1 else f"the {number} fittest of each generation"
    new = f"up to {asked.terms} new terms of each tree, each the best of {asked.candidates} random ones"
    return [("learning", f"{who}: weights of terms by least squares in {asked.lessons} lessons, and {new}; inherited")]
