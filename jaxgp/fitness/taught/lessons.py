"""Fitness from decisions that a teacher has judged, without games.

A lesson is a position, what each of its moves leads to, and how much the teacher values each of these outcomes. An
individual chooses a move in every lesson. What it loses is the value of the best move less the value of its own choice.
Among moves that an individual values alike each is chosen with the same probability, so it loses the mean.

A generation draws its lessons from a stock, the same ones for all individuals. A game between two individuals says one
bit after some sixty decisions, and dice have the larger part in it. A lesson says how good one decision is.

Such fitness is what the teacher thinks, so a referee should measure the fittest in games.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.arrays import comparable, take
from jaxgp.contracts import Differentiable, Plans, Player
from jaxgp.fitness.evaluation import MEASURE, Absolute, Evaluation, child, worth
from jaxgp.fitness.taught.learning import learn_terms, sample
from jaxgp.fitness.taught.options import LearningOptions
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.interpreter.nodes import unpack_features
from jaxgp.interpreter.reverse.gradients import Examples
from jaxgp.players.taught import Learns, Lessons, LessonStock, Values
from jaxgp.printable import brief

LEARN = 3
"""The child of a generation's key that learning takes."""
HIGHEST, LEAST = 1e9, 1e-12
"""Values of programs are clipped for the loss, so that their squares are numbers; a spread is no less than the root."""
BLOCK = 16
"""Lessons of a block of examples, by which individuals are tuned."""
SHARPNESS = 8.0
"""A move is chosen with a probability in proportion to exp(SHARPNESS * value), where values differ within a lesson by 1
on average, so that the scale of a program does not matter."""
TOLERATED = 1.5
"""A generation has few lessons, and the fittest are the luckiest in them. So learning is undone only where it has
clearly failed."""


class Judged(NamedTuple):
    """What a teacher says of the moves of a block of lessons, side by side."""

    lesson: Array  # int32[B]: BLOCK where the place is empty
    value: Array  # float32[B]


@dataclass(frozen=True, eq=False)
class LessonFitness(Absolute[Lessons], Differentiable[Lessons]):
    """fitness = max(minimum, -scale * mean loss - parsimony * size).

    The memory is the stock of lessons.

    Attributes:
        player: how an individual plays.
        teach: (key, count) -> that many lessons.
        drawn: lessons of a generation.
        stock: how many there are to draw from.
        learning: how many of the fittest learn from lessons, and how; see `jaxgp.fitness.taught.learning`.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
        filed: lessons on the host in place of those that `teach` gives; the stock is the first ones of them.
        held: of the stock the first ones, by which all individuals of all generations are measured, and from which
            nobody learns; 0: they are measured by what their generation draws.
    """

    player: Player
    teach: Callable[[Array, int], Lessons]
    drawn: int
    stock: int
    learning: LearningOptions = field(default_factory=LearningOptions)
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None
    filed: LessonStock | None = None
    held: int = 0

    seats: ClassVar[int] = 2

    __repr__ = brief

    def init(self, key: Array) -> Lessons:
        """Return the stock of lessons, which may take a while; nothing, if they are on the host."""
        if self.filed is not None:
            return Lessons(*[jnp.zeros(0)] * 3)
        return self.teach(key, self.stock)

    def evaluate(self, key: Array, population: Genome, memory: Lessons) -> tuple[Evaluation, Lessons]:
        """Let a population [P, ...] choose in the lessons that this generation draws."""
        return self._judged(population, self._drawn(key, memory)), memory

    def _drawn(self, key: Array, memory: Lessons) -> Lessons:
        """Return the lessons that measure the generation with this key."""
        if self.held:
            return self._at(memory, jnp.arange(self.held, dtype=jnp.int32))
        return self._at(memory, self._places(child(key, MEASURE), self.drawn))

    def _places(self, key: Array, count: int) -> Array:
        """Draw the places of so many lessons of the stock, without those that are held back."""
        if self.filed is not None:  # of so many hardly one is drawn twice
            return jax.random.randint(key, (count,), self.held, self.stock)
        return self.held + jax.random.permutation(key, self.stock - self.held)[:count]

    def _at(self, memory: Lessons, places: Array) -> Lessons:
        """Return the lessons at places, int32[D]."""
        lessons: Lessons = take(memory, places) if self.filed is None else self.filed.take(places)
        return lessons

    def _judged(self, population: Genome, lessons: Lessons) -> Evaluation:
        """Evaluate individuals [P, ...] by these lessons."""
        assert isinstance(self.player, Values)
        lost, agreed = losses(self.player, self.player.prepare(population), lessons)
        size = sizes(population).astype(jnp.float32)
        mean = lost.mean(1)
        fitness = worth(-mean, size, self.scale, self.parsimony, self.minimum)
        metrics = {
            "evaluations": jnp.int32(lost.size),
            "lost": mean.mean(),
            "best_lost": mean[jnp.argmax(fitness)],
            "best_agreed": agreed.mean(1)[jnp.argmax(fitness)],
        }
        points = jnp.broadcast_to(-mean[:, None], (len(mean), self.seats))
        cases = worth(-lost.T, size, self.scale, self.parsimony, self.minimum)
        return Evaluation(fitness, points, metrics, cases)

    def examples(self, key: Array, population: Genome, memory: Lessons) -> Examples:
        """Return as many lessons as a generation draws, other ones, in blocks; each has room for its moves.

        Lessons that more than one tree values lie in the last blocks, so that the others need a single tree.
        """
        del population
        assert isinstance(self.player, Learns)
        player, trees, count = self.player, self.player.primitives.num_trees, -(-self.drawn // BLOCK) * BLOCK
        drawn = self._at(memory, self._places(key, self.drawn)[np.arange(count) % self.drawn])
        if trees > 1:
            tree = sample(player, drawn)
            most = jax.ops.segment_max(tree.tree, tree.lesson, tree.lessons)[: tree.lessons - 1]
            drawn = take(drawn, jnp.argsort(most, stable=True))
        blocks = jax.tree.map(lambda x: x.reshape(-1, BLOCK, *x.shape[1:]), drawn)

        def one(lessons: Lessons) -> Examples:
            found = sample(player, lessons)
            tree = jnp.where(found.lesson < BLOCK, found.tree, trees)
            return Examples(unpack_features(found.features), tree, Judged(found.lesson, found.value))

        return lax.map(one, blocks)

    def loss(self, values: Array, known: Judged) -> Array:
        """Return the mean loss of one who chooses moves of lessons by the exponentials of their values, float32[B].

        R. Sutton and A. Barto, "Reinforcement Learning" (2018), section 2.8, have such a choice and its gradient.
        """
        add_up = partial(jax.ops.segment_sum, segment_ids=known.lesson, num_segments=BLOCK + 1)
        there = known.lesson < BLOCK
        number = jnp.maximum(add_up(there.astype(jnp.float32)), 1.0)[known.lesson]
        values = jnp.where(there, jnp.clip(values, -HIGHEST, HIGHEST), 0.0)
        around = jnp.where(there, values - add_up(values)[known.lesson] / number, 0.0)
        spread = jnp.sqrt(jnp.square(around).sum() / jnp.maximum(there.sum(), 1) + LEAST)
        scaled = SHARPNESS * around / spread
        top = jax.ops.segment_max(lax.stop_gradient(scaled), known.lesson, BLOCK + 1)[known.lesson]
        chance = jnp.where(there, jnp.exp(jnp.where(there, scaled - top, 0.0)), 0.0)
        chosen = add_up(chance * known.value) / jnp.maximum(add_up(chance), LEAST)
        best = jax.ops.segment_max(jnp.where(there, known.value, -jnp.inf), known.lesson, BLOCK + 1)
        judged = add_up(there.astype(jnp.float32)) > 0
        judged = judged.at[BLOCK].set(False)
        return jnp.where(judged, best - chosen, 0.0).sum() / jnp.maximum(judged.sum(), 1)

    def improve(self, key: Array, population: Genome, result: Evaluation, memory: Lessons) -> tuple[Genome, Evaluation]:
        """Let the fittest learn, and take their own places again.

        An individual that then loses more than `TOLERATED` times as much, in the lessons of the generation, stays as it
        was. Of individuals with equal fitness, such as copies, one learns before the others do.
        """
        asked = self.learning
        if not asked.individuals:
            return population, result
        assert isinstance(self.player, Learns)
        draw_key, key_of_terms = jax.random.split(child(key, LEARN))
        lessons = sample(self.player, self._at(memory, self._places(draw_key, asked.lessons)))
        best = fittest(result.fitness, asked.individuals)
        keys = jax.random.split(key_of_terms, asked.individuals)
        primitives = self.player.primitives

        def learn(one: tuple[Array, Genome]) -> Genome:
            return learn_terms(one[0], primitives, one[1], lessons, asked.terms, asked.candidates, asked.most)

        after = lax.map(learn, (keys, take(population, best)))
        found = self._judged(after, self._drawn(key, memory))
        lost, before = -found.points.sum(1), -result.points[best].sum(1)
        kept = lost <= TOLERATED * before  # not where a value is no number
        at = jnp.where(kept, best, len(result.fitness))
        population = jax.tree.map(lambda x, new: x.at[at].set(new, mode="drop"), population, after)
        assert result.cases is not None
        assert found.cases is not None
        result = replace(
            result,
            fitness=result.fitness.at[at].set(found.fitness, mode="drop"),
            points=result.points.at[at].set(found.points, mode="drop"),
            cases=result.cases.at[:, at].set(found.cases, mode="drop"),
            metrics={**result.metrics, "learned": kept.sum(dtype=jnp.int32)},
        )
        return population, result


def fittest(fitness: Array, count: int) -> Array:
    """Return int32[count]: the indices of the fittest, by float32[P].

    Individuals with a fitness already listed come after all distinct ones; of equals the first comes first.
    """
    order = jnp.argsort(-comparable(fitness), stable=True)
    ranked = fitness[order]
    again = jnp.concatenate([jnp.zeros(1, bool), ranked[1:] == ranked[:-1]])
    return order[jnp.argsort(again, stable=True)][:count].astype(jnp.int32)


def losses(player: Values[Plans], plans: Plans, lessons: Lessons) -> tuple[Array, Array]:
    """Return (loss, chance of the best move), float32[P, D] each, of individuals in lessons [D].

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
