"""Fitness from decisions whose best moves a teacher knows: the share of them in which an individual plays one.

Programs value what they see of the outcomes of moves, and what they see depends on no program. So all that is seen in
a stock of decisions is looked at once, before the first generation, and a generation costs its programs alone.

Other decisions should name the champion: the referee is such a fitness with a stock of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

from jaxgp.arrays import comparable, take
from jaxgp.contracts import Player, States
from jaxgp.fitness.evaluation import MEASURE, Evaluation, OfPlayer, child, worth
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.interpreter.calls import Features
from jaxgp.players.taught import Learns, Lessons, Outcomes
from jaxgp.printable import brief

TOGETHER = 8192
"""Outcomes that are looked at together."""


class Seen(NamedTuple):
    """What programs see of decisions, D of them, with up to W moves to choose from."""

    features: Features  # float32[D, F, W], or packed
    tree: Array  # int8[D, W]: which tree values each outcome; the number of trees where there is no such move
    best: Array  # bool[D, W]: whether the teacher values no other move of the decision more


@dataclass(frozen=True, eq=False)
class DecisionFitness(OfPlayer[Seen]):
    """fitness = max(minimum, scale * share of decisions - parsimony * size).

    The memory is what is seen of the stock of decisions.

    Attributes:
        player: how an individual plays.
        teach: (key, count) -> that many decisions, judged.
        stock: how many there are.
        drawn: how many of them a generation draws, the same ones for all individuals; None: all.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
    """

    player: Player
    teach: Callable[[Array, int], Lessons]
    stock: int
    drawn: int | None = None
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None

    seats: ClassVar[int] = 1

    __repr__ = brief

    def init(self, key: Array) -> Seen:
        """Return what is seen of the stock, which may take a while."""
        return look(self.player, self.teach(key, self.stock))

    def evaluate(self, key: Array, population: Genome, memory: Seen) -> tuple[Evaluation, Seen]:
        """Let a population [P, ...] choose in the decisions that this generation draws."""
        if self.drawn is None:
            return self.measure(key, population, memory)
        drawn = take(memory, jax.random.permutation(child(key, MEASURE), self.stock)[: self.drawn])
        return self._judged(population, drawn), memory

    def measure(self, key: Array, population: Genome, memory: Seen) -> tuple[Evaluation, Seen]:
        """Let individuals [P, ...] choose in the whole stock, as a referee does. Nothing is drawn from the key."""
        del key
        return self._judged(population, memory), memory

    def _judged(self, population: Genome, seen: Seen) -> Evaluation:
        """Evaluate individuals [P, ...] by these decisions."""
        found = shares(self.player, population, seen)
        size = sizes(population).astype(jnp.float32) if self.parsimony else jnp.float32(0)
        mean = found.mean(1)
        terms = self.scale, self.parsimony, self.minimum
        fitness = worth(mean, size, *terms)
        best = mean[jnp.argmax(comparable(fitness))]
        metrics = {"evaluations": jnp.int32(found.size), "agreed": mean.mean(), "standing_agreed": best}
        return Evaluation(fitness, mean[:, None], metrics, worth(found.T, size, *terms))


def look(player: Player, lessons: Lessons) -> Seen:
    """Return what programs see of decisions [D]."""
    assert isinstance(player, Learns)
    there = lessons.values > -jnp.inf
    (count, width), flat = there.shape, jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), lessons.outcomes)
    block = min(TOGETHER, count * width)
    place = jnp.arange(-(-count * width // block) * block, dtype=jnp.int32) % (count * width)

    def some(place: Array) -> tuple[Features, Array]:
        return _looks(player, take(lessons.states, place // width), take(flat, place))

    features, tree = lax.map(some, place.reshape(-1, block))  # [blocks, F, block], [blocks, block]
    # One decision beside the other: features of each, then its moves.
    features = jax.tree.map(lambda x: jnp.moveaxis(x, -2, 0).reshape(x.shape[-2], -1)[:, : count * width], features)
    features = jax.tree.map(lambda x: jnp.moveaxis(x.reshape(-1, count, width), 0, 1), features)
    tree = tree.reshape(-1)[: count * width].reshape(count, width)
    best = there & (lessons.values == lessons.values.max(1, keepdims=True))
    return Seen(features, jnp.where(there, tree, player.primitives.num_trees).astype(jnp.int8), best)


@partial(jax.jit, static_argnums=0)  # traced once for all stocks
def _looks(player: Learns, states: States, outcomes: Outcomes) -> tuple[Features, Array]:
    """Return what a player sees of outcomes [B] of states [B]; see `Learns.looks`."""
    return player.looks(states, outcomes)


def shares(player: Player, population: Genome, seen: Seen) -> Array:
    """Return float32[P, D]: the chance that individuals [P, ...] choose a best move, among moves they value alike."""
    assert isinstance(player, Learns)
    shape = seen.best.shape
    features = jax.tree.map(lambda x: jnp.moveaxis(x, 1, 0).reshape(x.shape[1], -1), seen.features)
    plans = player.prepare(population)
    values = player.judge(plans, features, seen.tree.reshape(-1).astype(jnp.int32))
    there = seen.tree < player.primitives.num_trees

    def one(found: Array) -> Array:
        found = jnp.where(there, found.reshape(shape), -jnp.inf)
        chosen = there & (found == found.max(1, keepdims=True))
        return (chosen & seen.best).sum(1) / chosen.sum(1)

    return lax.map(one, values)


def chance(player: Player, seen: Seen) -> Array:
    """Return float32[D]: the chance that a random move of each decision is a best one."""
    assert isinstance(player, Learns)
    return seen.best.sum(1) / (seen.tree < player.primitives.num_trees).sum(1)
