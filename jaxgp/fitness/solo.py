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


@dataclass(frozen=True)
class SoloFitness:
    """fitness = max(minimum, scale * score - parsimony * size); takes the place of `PanelFitness`.

    Attributes:
        walker: plays the game.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
    """

    walker: Walker
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None

    opponents: tuple[()] = ()
    seats: int = 1

    def init(self, keys: Array) -> tuple[()]:
        """Return what is carried from generation to generation: nothing."""
        del keys
        return ()

    def evaluate(self, key: Array, population: Genome, memories: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Play the game of each of a population [P, 1, L]; the points are float32[P, 1]."""
        del key
        played = self.walker.play(self.walker.prepare(population))
        points = jax.vmap(self.walker.game.score)(played.states)[:, :1]
        fitness = self.scale * points[:, 0] - self.parsimony * sizes(population).astype(jnp.float32)
        fitness = fitness if self.minimum is None else jnp.maximum(fitness, self.minimum)
        count = len(fitness)
        metrics = {
            "evaluations": jnp.int32(count),
            "plies": played.plies.sum(dtype=jnp.int32),
            "unique_behaviours": groups(played.conduct)[0][-1] + 1,
            "ended": played.states.terminated.sum(dtype=jnp.int32),
        }
        none = jnp.zeros((0, count), jnp.float32)
        return Evaluation(fitness, points, none, jnp.zeros((count, 0, 1)), played.conduct, metrics), memories

    def observe(self, memories: tuple[()], best: Genome, improved: Any) -> tuple[()]:
        """Nobody learns from the best individual."""
        del best, improved
        return memories
