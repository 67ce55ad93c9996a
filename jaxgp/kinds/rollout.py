"""Fitness in a simulation: what is measured at the end of the rollouts that an individual drives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.errors import UsageError, reject, rejection
from jaxgp.kinds import AnyAlgorithm, CandidatesFitnessOptions, Rows, Seated
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_POPULATION, MAX_WEIGHT, option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.fitness.rollout import Value
    from jaxgp.games.casting import Cast
    from jaxgp.spec import Hand


@dataclass
class RolloutFitnessOptions(CandidatesFitnessOptions):
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

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether individuals drive."""
        from jaxgp.contracts import Driver

        return isinstance(cast.actor, Driver) and algorithm.kind != "groups"

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse what the simulation does not measure or have, and rollouts that are all alike; raises UsageError."""
        names = [one.name for one in cast.game.quantities]
        for name in ("quantity", "progress"):
            if getattr(self, name) not in (None, *names):
                reject(f"fitness.{name}", getattr(self, name), ", ".join(names))
        if self.share is not None and not self.rivals:
            reject("fitness.share", self.share, "null where fitness.rivals names nobody: there is nobody to share with")
        if not self.scale:
            reject("fitness.scale", self.scale, "a number above 0, or below 0 where less is better")
        random = cast.actor.random or any(hand.driver.random for crew in self.crews(cast) for _, hand in crew)
        if self.rollouts > 1 and cast.game.starts != "drawn" and not (cast.game.chance or random):
            why = f"without chance all rollouts of {cast.spec.name} are alike"
            reject("fitness.rollouts", self.rollouts, f"1; {why}")
        number = self._number(cast)
        if self.drawn is not None and self.drawn > number:
            why = f"fitness.instances has {number} for training" if self.instances else "fitness.instances names none"
            reject("fitness.drawn", self.drawn, f"null, or a whole number from 1 to {number}; {why}")

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness."""
        from jaxgp.fitness.rollout import RolloutFitness

        del config, seated
        return RolloutFitness(
            cast.game,
            cast.actor,
            self.value(cast),
            self.rollouts,
            self.over,
            self.scale,
            self.parsimony,
            self.minimum,
            self._instances(cast),
            self.drawn,
            tuple(tuple(hand for _, hand in crew) for crew in self.crews(cast)),
            self.progress,
            self.patience,
            self.lanes,
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
            rows.append(("rivals", ", ".join(self.rivals)))
        if self.progress is not None:
            rows.append(("rollouts stopped", f"after {self.patience} steps in which {self.progress} does not grow"))
        if self.candidates or self.population_again:
            who = "all individuals of the last generation" if self.population_again else f"{self.candidates} candidates"
            rows.append(("champion", f"the best of {who} in {self.final_rounds} times as many new rollouts"))
        return rows

    def _many(self) -> str:
        """Say in words how many rollouts there are."""
        said = f"{self.rollouts} rollout{'' if self.rollouts == 1 else 's'}"
        if self.instances:
            said += " in each instance"
        return said + (" against each rival" if self.rivals else "")
