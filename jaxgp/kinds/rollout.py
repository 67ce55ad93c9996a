"""Fitness in a simulation: what is measured at the end of the rollouts that an individual drives."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.errors import reject
from jaxgp.kinds import AnyAlgorithm, CandidatesFitnessOptions, Rows, Seated
from jaxgp.options import MAX_GAMES, MAX_WEIGHT, option

if TYPE_CHECKING:
    from jaxgp import contracts
    from jaxgp.config.schema import Config
    from jaxgp.spec import Cast


@dataclass
class RolloutFitnessOptions(CandidatesFitnessOptions):
    """fitness = max(minimum, scale * quantity - parsimony * size), over rollouts of a simulation."""

    kind: str = option("rollout", "what is measured at the end of rollouts of a simulation", ("rollout",))
    quantity: str | None = option(None, "what is measured, by its name in the simulation; null: its first quantity")
    rollouts: int = option(
        1, "rollouts in a generation, with the same starts and chance for all individuals", low=1, high=MAX_GAMES
    )
    over: str = option("mean", "what counts of the rollouts", ("mean", "median", "worst"))
    scale: float = option(
        1.0, "what the quantity is multiplied by; below 0: less of it is better", low=-MAX_WEIGHT, high=MAX_WEIGHT
    )

    def fits(self, algorithm: AnyAlgorithm, cast: "Cast") -> bool:
        """Return whether individuals drive."""
        from jaxgp.contracts import Driver

        return isinstance(cast.actor, Driver) and algorithm.kind != "groups"

    def check(self, config: "Config", cast: "Cast") -> None:
        """Refuse what the simulation does not measure, and rollouts that are all alike; raises UsageError."""
        names = [one.name for one in cast.game.quantities]
        if self.quantity not in (None, *names):
            reject("fitness.quantity", self.quantity, ", ".join(names))
        if not self.scale:
            reject("fitness.scale", self.scale, "a number above 0, or below 0 where less is better")
        if self.rollouts > 1 and cast.game.starts == "fixed" and not (cast.game.chance or cast.actor.random):
            why = f"without chance all rollouts of {cast.spec.name} are alike"
            reject("fitness.rollouts", self.rollouts, f"1; {why}")

    def make(self, config: "Config", cast: "Cast", seated: Seated) -> "contracts.Fitness":
        """Return the fitness."""
        from jaxgp.fitness.rollout import RolloutFitness

        del config, seated
        worth = self.scale, self.parsimony, self.minimum
        return RolloutFitness(cast.game, cast.actor, self.measured(cast), self.rollouts, self.over, *worth)

    def measured(self, cast: "Cast") -> str:
        """Return the name of the quantity."""
        return self.quantity or str(cast.game.quantities[0].name)

    def objective(self, game: str) -> str:
        """Say what individuals are to do."""
        return f"drive {game} for {'much' if self.scale > 0 else 'little'} {self.quantity or 'of its first quantity'}"

    def rows(self, config: "Config") -> Rows:
        """Return the formula."""
        over = "" if self.rollouts == 1 else f"{self.over} over {self.rollouts} rollouts of "
        return [("fitness", self.formula(over + (self.quantity or "the first quantity of the simulation")))]
