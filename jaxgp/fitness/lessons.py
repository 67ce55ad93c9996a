"""Fitness from decisions that a teacher has judged, without games.

A lesson is a position, what each of its moves leads to, and how much the teacher values each of these outcomes. An
individual chooses a move in every lesson. What it loses is the value of the best move less the value of its own choice.
Among moves that an individual values alike each is chosen with the same probability, so it loses the mean.

A generation draws its lessons from a stock, the same ones for all individuals. A game between two individuals says one
bit after some sixty decisions, and dice have the larger part in it. A lesson says how good one decision is.

Such fitness is what the teacher thinks. So the fittest of every generation are measured in games against a fixed
panel, and the champion of a run is the best of these.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import take
from jaxgp.contracts import Lessons, Values
from jaxgp.fitness.among.coevolution import CoevolutionFitness
from jaxgp.fitness.evaluation import Evaluation, child, worth
from jaxgp.fitness.panel import PLAY, Memories
from jaxgp.genotypes.language import Genome, sizes


@dataclass(frozen=True, eq=False)
class LessonFitness(CoevolutionFitness):
    """fitness = max(minimum, -scale * mean loss - parsimony * size), by the numbers of the panel.

    The memory is that of the panel, and last the stock of lessons. `games` is 0, and there are no guides.

    Attributes:
        drawn: lessons of a generation.
        stock: how many there are to draw from.
        teach: (key, count) -> that many lessons.
    """

    drawn: int = 1
    stock: int = 1
    teach: Any = None

    def init(self, key: Array) -> Memories:
        """Return the memories of the panel, then the stock of lessons."""
        panel_key, teach_key = jax.random.split(key)
        return (*super().init(panel_key), self.teach(teach_key, self.stock))

    def evaluate(self, key: Array, population: Genome, memory: Memories) -> tuple[Evaluation, Memories]:
        """Let a population [P, ...] choose in the lessons that this generation draws."""
        drawn = jax.random.permutation(child(key, PLAY), self.stock)[: self.drawn]
        lessons = take(memory[-1], drawn)
        assert isinstance(self.player, Values)
        lost, agreed = losses(self.player, self.player.prepare(population), lessons)
        size, panel = sizes(population).astype(jnp.float32), self.panel
        mean = lost.mean(1)
        fitness = worth(-mean, size, panel.scale, panel.parsimony, panel.minimum)
        zero = jnp.int32(0)
        metrics = {
            "evaluations": jnp.int32(lost.size),
            "plies": zero,
            "searches": zero,
            "lost": mean.mean(),
            "best_lost": mean[jnp.argmax(fitness)],
            "best_agreed": agreed.mean(1)[jnp.argmax(fitness)],
        }
        points = jnp.broadcast_to(-mean[:, None], (len(mean), self.seats))
        cases = worth(-lost.T, size, panel.scale, panel.parsimony, panel.minimum)
        return Evaluation(fitness, points, metrics, cases), memory

    def observe(self, memory: Memories, best: Genome, improved: Array) -> Memories:
        """Show every opponent the generation's best individual."""
        *panel, stock = memory
        return (*super().observe(tuple(panel), best, improved), stock)


def losses(player: Values, plans: Any, lessons: Lessons) -> tuple[Array, Array]:
    """Return float32[P, D], what individuals lose in lessons [D]; and float32[P, D], how often they choose the best.

    Args:
        player: how individuals play.
        plans: of P individuals, from `player.prepare`.
        lessons: [D].
    """
    there = lessons.values > -jnp.inf
    worths = jnp.where(there, lessons.values, 0)
    best = lessons.values.max(1)
    are_best = there & (lessons.values == best[:, None])

    def one(found: Array) -> tuple[Array, Array]:
        found = jnp.where(there, found, -jnp.inf)
        chosen = found == found.max(1, keepdims=True)
        number = chosen.sum(1)
        return best - (chosen * worths).sum(1) / number, (chosen & are_best).sum(1) / number

    return jax.lax.map(one, player.values(plans, lessons.states, lessons.outcomes, there))
