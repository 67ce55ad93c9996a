"""Fitness in a game for one: the score of the game that a program plays, and a price on its size."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.fitness.panel import Evaluation
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.operators.sharing import groups
from jaxgp.players.walk import Walker


@dataclass(frozen=True, kw_only=True)
class Alone:
    """fitness = max(minimum, scale * points - parsimony * size); what fitness without opponents has in common.

    It takes the place of `PanelFitness`. Nobody learns, so nothing is carried from generation to generation.

    Attributes:
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
    """

    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None

    opponents: tuple[()] = ()
    seats: int = 1

    def init(self, keys: Array) -> tuple[()]:
        """Return what is carried: nothing."""
        del keys
        return ()

    def observe(self, memories: tuple[()], best: Genome, improved: Any) -> tuple[()]:
        """Learn nothing from the best individual."""
        del best, improved
        return memories

    def standing(
        self, key: Array, result: Evaluation, population: Genome, memories: tuple[()]
    ) -> tuple[Array, Array, Array, tuple[()]]:
        """Return the fittest (int32[]), its fitness (float32[]) and points (float32[1]), which are known already."""
        del key, population
        best = result.fittest
        return best, result.fitness[best], result.points[best], memories

    def evaluation(self, population: Genome, points: Array, conduct: Array, metrics: dict[str, Array]) -> Evaluation:
        """Make the fitness of a population of their points.

        Args:
            population: [P, 1, L].
            points: float32[P, 1].
            conduct: uint32[P, 2], hashes that are equal for those who do the same.
            metrics: more of them.
        """
        fitness = self.scale * points[:, 0] - self.parsimony * sizes(population).astype(jnp.float32)
        fitness = fitness if self.minimum is None else jnp.maximum(fitness, self.minimum)
        count = len(fitness)
        common = {"evaluations": jnp.int32(count), "unique_behaviours": groups(conduct)[0][-1] + 1}
        none = jnp.zeros((0, count), jnp.float32)
        return Evaluation(fitness, points, none, jnp.zeros((count, 0, 1)), conduct, common | metrics)


@dataclass(frozen=True)
class SoloFitness(Alone):
    """The points are the score of the one game that a program plays.

    Attributes:
        walker: plays the game.
    """

    walker: Walker

    def evaluate(self, key: Array, population: Genome, memories: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Play the game of each of a population [P, 1, L]."""
        del key
        played = self.walker.play(self.walker.prepare(population))
        points = jax.vmap(self.walker.game.score)(played.states)[:, :1]
        metrics = {
            "plies": played.plies.sum(dtype=jnp.int32),
            "ended": played.states.terminated.sum(dtype=jnp.int32),
        }
        return self.evaluation(population, points, played.conduct, metrics), memories
