"""Fitness in a simulation: what is measured at the end of the rollouts that an individual drives."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jaxgp.errors import UsageError, reject, rejection
from jaxgp.evolution.options import GPOptions, of_island
from jaxgp.fitness.taught.options import AdjointOptions
from jaxgp.kinds import AnyAlgorithm, CandidatesFitnessOptions, RefereedFitnessOptions, Rows, Seated
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_POPULATION, MAX_WEIGHT, bound, option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.fitness.among.opposition import Opposition
    from jaxgp.fitness.rollout import RolloutFitness, Value
    from jaxgp.fitness.taught.adjoint import Adjoint
    from jaxgp.games.casting import Cast
    from jaxgp.spec import Hand


PHASES = ("rivals", "coplay")


@dataclass
class RolloutFitnessOptions(CandidatesFitnessOptions, RefereedFitnessOptions):
    """fitness = max(minimum, scale * quantity - parsimony * size), over rollouts of a simulation.

    A kind outside the project that inherits this one may measure something of its own: see `value`.
    """

    kind: str = option("rollout", "what is measured at the end of rollouts of a simulation", ("rollout",))
    quantity: str | None = option(None, "what is measured, by its name in the simulation; null: its first quantity")
    share: float | None = option(
        None,
        "what is measured is a share instead: (share + own) / (share + own + others') of the quantity, each summed "
        "over the rollouts against a rival; 0: the plain share, 0 where there is nothing; null: the quantity itself",
        low=0,
        high=MAX_WEIGHT,
    )
    rollouts: int = option(
        1,
        "rollouts in a generation, in each instance and against each rival, with the same starts and chance for all "
        "individuals",
        low=1,
        high=MAX_GAMES,
    )
    over: str = option("mean", "what counts of the rollouts", ("mean", "median", "worst"))
    scale: float = option(
        1.0, "what the quantity is multiplied by; below 0: less of it is better", low=-MAX_WEIGHT, high=MAX_WEIGHT
    )
    instances: list[str] = option(
        [], "where rollouts take place: lists of instances of the simulation, or files; none: where its settings say"
    )
    drawn: int | None = option(
        None, "how many of the instances are drawn for each generation; null: all of them", low=1, high=MAX_GAMES
    )
    rivals: list[str] = option(
        [], "strategies that drive the other seats, one after the other; none: individuals drive all seats"
    )
    rivals_drawn: int | None = option(
        None,
        "how many of the rivals are drawn; all of them measure the best of each generation then; null: all are met",
        low=1,
        high=MAX_GAMES,
    )
    drawn_by: str = option(
        "generation", "for whom they are drawn: for each generation, or each individual", ("generation", "individual")
    )
    phases: list[str] = option(
        ["rivals"],
        "what individuals are selected by, one phase after the other; rivals: rollouts against the rivals, or of "
        "individuals alone where there are none; coplay: rollouts against others of the population, and the rivals "
        "measure the best of each generation",
        PHASES,
        accepted="[rivals], [coplay] or [rivals,coplay]",
        test=lambda name: name in PHASES,
    )
    games: int = option(1, "coplay: rollouts of each individual from each seat against others", low=1, high=MAX_GAMES)
    phase_generations: int | None = option(
        None, "generations of the first phase; null: no bound", low=1, high=MAX_COUNT
    )
    phase_stagnation: int | None = option(
        None,
        "generations in which the mean fitness is not greater than in all before, after which the first phase ends; "
        "null: no bound",
        low=1,
        high=MAX_COUNT,
    )
    progress: str | None = option(
        None, "the quantity that has to grow, or a rollout is stopped and measured as it stands; null: none is stopped"
    )
    patience: int = option(200, "steps without progress after which it is", low=1, high=MAX_COUNT)
    lanes: int | None = option(
        None,
        "how many individuals drive at a time; who has ended makes room for the next; null: 128 on a CPU, else all; "
        "it changes no result",
        low=1,
        high=MAX_POPULATION,
    )
    adjoint: AdjointOptions = option(
        AdjointOptions(), "learning from an individual's own rollouts, with algorithm.tune.steps above 0"
    )

    @property
    def differentiable(self) -> bool:
        """Whether there are rollouts to learn from."""
        return self.adjoint.rollouts > 0

    @property
    def refereed(self) -> bool:
        """Whether fitness values of two generations cannot be compared, so that all rivals measure the best."""
        return self.phases != ["rivals"] or self.rivals_drawn is not None

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        super().laws(prefix)
        phases = self.phases
        if not phases or len(set(phases)) < len(phases) or phases == ["coplay", "rivals"]:
            reject(f"{prefix}phases", phases, "[rivals], [coplay] or [rivals,coplay]")
        bounds = {name: getattr(self, name) for name in ("phase_generations", "phase_stagnation")}
        for name, value in bounds.items():
            if value is not None and len(phases) == 1:
                reject(f"{prefix}{name}", value, f"null with {prefix}phases={phases[0]}, which has no end")
        if len(phases) > 1 and not any(bounds.values()):
            why = f"a whole number from 1, or {prefix}phase_stagnation: the first of two phases has to end"
            reject(f"{prefix}phase_generations", None, why)
        if "coplay" in phases and not self.rivals:
            reject(f"{prefix}phases", phases, f"[rivals]; {prefix}rivals names nobody who could measure the best")
        if self.rivals_drawn is not None:
            high = max(1, len(self.rivals))
            bound(self, "rivals_drawn", prefix, high=high, why=f"{prefix}rivals")

    def suits(self, algorithm: AnyAlgorithm) -> None:
        """Refuse a population of one that meets itself, and selection by cases that are not the same for all."""
        name = "fitness.adjoint.rollouts"
        steps = algorithm.tune.steps if isinstance(algorithm, GPOptions) else 0
        if self.adjoint.rollouts and not steps:
            why = "0, or algorithm.tune.steps above 0; nobody learns from these rollouts"
            reject(name, self.adjoint.rollouts, why)
        if steps and not self.adjoint.rollouts:
            reject("algorithm.tune.steps", steps, f"0, or {name} above 0: rollouts to learn from")
        if self.refereed:
            super().suits(algorithm)
        if "coplay" in self.phases and of_island(algorithm).population < 2:
            least = 2 * algorithm.islands.count
            reject("algorithm.population", algorithm.population, f"a whole number from {least}, with coplay")
        apart = "coplay" in self.phases or (self.rivals_drawn is not None and self.drawn_by == "individual")
        if apart and isinstance(algorithm, GPOptions):
            for name in ("by_case", "sharing"):
                if value := getattr(algorithm.selection, name):
                    reject(f"algorithm.selection.{name}", value, "0, where individuals meet different others")

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether individuals drive."""
        from jaxgp.contracts import Driver

        return isinstance(cast.actor, Driver) and algorithm.kind != "groups"

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse what the simulation does not measure or have, and rollouts that are all alike; raises UsageError."""
        names = [one.name for one in cast.game.quantities]
        named = {"quantity": self.quantity, "progress": self.progress, "adjoint.grows": self.adjoint.grows}
        for name, value in named.items():
            if value not in (None, *names):
                reject(f"fitness.{name}", value, ", ".join(names))
        learns = self.learning(cast)
        if self.share is not None and not self.rivals:
            reject("fitness.share", self.share, "null where fitness.rivals names nobody: there is nobody to share with")
        if not self.scale:
            reject("fitness.scale", self.scale, "a number above 0, or below 0 where less is better")
        random = cast.actor.random or any(hand.driver.random for crew in self.crews(cast) for _, hand in crew)
        if self.rollouts > 1 and cast.game.starts != "drawn" and not (cast.game.chance or random):
            why = f"without chance all rollouts of {cast.spec.name} are alike"
            reject("fitness.rollouts", self.rollouts, f"1; {why}")
        if "coplay" in self.phases and cast.game.seats != 2:
            reject("fitness.phases", self.phases, f"[rivals]; {cast.spec.name} has {cast.game.seats} seats, not two")
        number = self._number(cast)
        if self.drawn is not None and self.drawn > number:
            why = f"fitness.instances has {number} for training" if self.instances else "fitness.instances names none"
            reject("fitness.drawn", self.drawn, f"null, or a whole number from 1 to {number}; {why}")
        if learns is not None:
            self._check_growth(cast, cast.game.quantities[learns.grows].name)  # last, since it compiles

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness, with a referee where generations cannot be compared."""
        from jaxgp.fitness.among.opposition import DrawnRivals, Population
        from jaxgp.fitness.phases import Phased
        from jaxgp.fitness.refereed import Refereed

        del config, seated
        whole = self._by(cast)
        if not self.refereed:
            return whole
        parts = []
        for phase in self.phases:
            if phase == "coplay":
                parts.append(self._by(cast, Population(self.games), 2 * self.games))
            elif self.rivals_drawn is None:
                parts.append(whole)
            else:
                rivals = tuple(crew[0][1] for crew in self.crews(cast))
                drawn = DrawnRivals(rivals, self.rivals_drawn, self.drawn_by == "individual")
                parts.append(self._by(cast, drawn, self.rivals_drawn))
        own = parts[0] if len(parts) == 1 else Phased(tuple(parts), self.phase_generations, self.phase_stagnation)
        return Refereed(own, whole, self.measured)

    def learning(self, cast: "Cast") -> "Adjoint | None":
        """Return what drivers learn by; None: nothing. Raises UsageError."""
        from jaxgp.fitness.rollout import number_of
        from jaxgp.fitness.taught.adjoint import Adjoint
        from jaxgp.players.driver import ProgramDriver

        asked = self.adjoint
        if not asked.rollouts:
            return None
        if not isinstance(cast.actor, ProgramDriver):
            why = "programs whose values are controls learn from rollouts, and no others"
            reject("fitness.adjoint.rollouts", asked.rollouts, "0", why)
        if self.rivals:
            why = "individuals learn from rollouts in which they drive all seats, and fitness.rivals drive the others"
            reject("fitness.adjoint.rollouts", asked.rollouts, "0", why)
        grows = asked.grows or self.progress or cast.game.quantities[0].name
        progress = None if self.progress is None else number_of(cast.game, self.progress)
        places = self._instances(cast)
        return Adjoint(cast.game, cast.actor, number_of(cast.game, grows), asked, places, progress, self.patience)

    def _check_growth(self, cast: "Cast", grows: str) -> None:
        """Refuse to learn from a quantity that has no derivative; raises UsageError."""
        from jaxgp.fitness.taught.adjoint import changing

        names = changing(cast.game)
        if grows not in names:
            given = self.adjoint.grows or "null"
            why = f"{grows} has no derivative by the numbers of a state"
            reject("fitness.adjoint.grows", given, f"{', '.join(names) or 'no quantity of this simulation'}; {why}")

    def _by(self, cast: "Cast", opposition: "Opposition | None" = None, met: int = 0) -> "RolloutFitness":
        """Return the fitness from rollouts with the crews, or with so many others whom individuals meet."""
        from jaxgp.fitness.rollout import RolloutFitness, Shares

        crews, value = () if opposition is not None else self.crews(cast), self.value(cast)
        if met and isinstance(value, Shares):
            value = replace(value, crews=met)
        return RolloutFitness(
            cast.game,
            cast.actor,
            value,
            self.rollouts,
            self.over,
            self.scale,
            self.parsimony,
            self.minimum,
            self._instances(cast),
            self.drawn,
            tuple(tuple(hand for _, hand in crew) for crew in crews),
            self.progress,
            self.patience,
            self.lanes,
            opposition,
            () if self.refereed or len(crews) < 2 or not isinstance(value, Shares) else tuple(self.rivals),
            learning=self.learning(cast),
        )

    def value(self, cast: "Cast") -> "str | Value":
        """Return the name of the quantity, or a function of all that is measured; see `RolloutFitness.quantity`."""
        from jaxgp.fitness.rollout import Shares, number_of

        name = self.quantity or str(cast.game.quantities[0].name)
        if self.share is None:
            return name
        return Shares(number_of(cast.game, name), self.share, len(self.rivals))

    def crews(self, cast: "Cast") -> "Sequence[Sequence[tuple[str, Hand]]]":
        """Return who drives the other seats: each rival all of them; raises UsageError."""
        from jaxgp.players.driver import fixed_driver

        others, accepted = cast.game.seats - 1, ", ".join(cast.spec.strategies) or "none; it has no strategies"
        if self.rivals and not others:
            reject("fitness.rivals", self.rivals, f"[]; {cast.spec.name} has one seat")
        crews = []
        for name in self.rivals:
            if name not in cast.spec.strategies:
                reject("fitness.rivals", name, accepted)
            try:
                crews.append([(name, fixed_driver(cast.spec, cast.game, name))] * others)
            except UsageError:
                raise
            except ValueError as error:
                raise rejection("fitness.rivals", name, accepted, str(error)) from error
        return crews

    def _instances(self, cast: "Cast") -> "contracts.States | None":
        """Return the instances [N] that evolution may see, in the order of their lists; raises UsageError."""
        from jaxgp.fitness.rollout import instances

        return instances("fitness.instances", self.instances, cast).states if self.instances else None

    def _number(self, cast: "Cast") -> int:
        import jax

        found = self._instances(cast)
        return 1 if found is None else len(jax.tree.leaves(found)[0])

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        aim = "great" if self.scale > 0 else "small"
        return f"drive in {game} so that {self.quantity or 'its first quantity'} is as {aim} as possible"

    def rows(self, config: "Config") -> Rows:
        """Return the formula, where rollouts take place, who else drives, and what stops them."""
        del config
        said = self.quantity or "the first quantity of the simulation"
        if self.share is not None:
            said = f"the share of {said} against each rival, with {self.share:g} added to what is its own"
        many = self.rollouts > 1 or len(self.instances) > 1 or len(self.rivals) > 1
        rows = [("fitness", self.formula(f"{self.over} over {self._many()} of {said}" if many else said))]
        if self.instances:
            drawn = "" if self.drawn is None else f"; {self.drawn} of them drawn for each generation"
            rows.append(("instances", ", ".join(self.instances) + drawn))
        if self.rivals:
            drawn = "" if self.rivals_drawn is None else f"; {self.rivals_drawn} drawn for each {self.drawn_by}"
            rows.append(("rivals", ", ".join(self.rivals) + drawn))
        if "coplay" in self.phases:
            rows.append(("coevolution", self._coevolution()))
        if self.refereed:
            rows.append((f"{self.fittest()} of each generation measured by", "rollouts against all rivals"))
        if self.progress is not None:
            rows.append(("rollouts stopped", f"after {self.patience} steps in which {self.progress} does not grow"))
        if self.adjoint.rollouts:
            one, grows = self.adjoint, self.adjoint.grows or self.progress or "the first quantity"
            own = f"{one.rollouts} rollout{'' if one.rollouts == 1 else 's'} of each individual"
            taught = f"up to {one.steps} steps of {own}, so that {grows} grows"
            rows.append(("tuning by adjoints", f"{taught}; gamma {one.discount:g}, reach {one.reach:g}"))
        if self.candidates or self.population_again:
            who = "all individuals of the last generation" if self.population_again else f"{self.candidates} candidates"
            rows.append(("champion", f"the best of {who} in {self.final_rounds} times as many new rollouts"))
        return rows

    def _coevolution(self) -> str:
        """Say in words when individuals meet others of the population, and how often."""
        said = f"{self.games} rollout{'' if self.games == 1 else 's'} from each seat against others of the population"
        ends = []
        if self.phase_generations is not None:
            ends.append(f"after {self.phase_generations} generations against the rivals")
        if self.phase_stagnation is not None:
            ends.append(f"after {self.phase_stagnation} in which the mean fitness has not risen")
        return ", ".join([said, *(["; or ".join(ends)] if ends else [])])

    def _many(self) -> str:
        """Say in words how many rollouts there are."""
        said = f"{self.rollouts} rollout{'' if self.rollouts == 1 else 's'}"
        if self.instances:
            said += " in each instance"
        return said + (" against each rival" if self.rivals else "")
