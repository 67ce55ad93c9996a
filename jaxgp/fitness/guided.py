"""Fitness of programs that guide a nested search: the mean score of a few short searches, and a price on their size."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.fitness.panel import Evaluation
from jaxgp.fitness.solo import Alone
from jaxgp.genotypes.language import Genome
from jaxgp.operators.sharing import groups
from jaxgp.players.guided import Guide
from jaxgp.players.signature import extend


@dataclass(frozen=True, eq=False)
class GuidedFitness(Alone):
    """The points are the mean score of the searches of a program.

    Every generation searches anew, so the same program is measured better and worse. Programs of one generation that
    guide alike share the mean of all their searches, so copies of a program do not each try their luck.

    Attributes:
        guide: searches.
    """

    guide: Guide

    def evaluate(self, key: Array, population: Genome, memories: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Search for each of a population [P, 1, L]."""
        biases = self.guide.prepare(population)
        line, count = self.guide.search(key, biases), len(biases)
        conduct = behaviour(biases, self.guide.shared)
        ranked, order = groups(conduct)
        group = jnp.zeros(count, jnp.int32).at[order].set(ranked)
        means = line.score.reshape(count, -1).mean(1)
        sums = jnp.zeros((count, 2)).at[group].add(jnp.stack([means, jnp.ones(count)], 1))
        points = (sums[:, 0] / sums[:, 1])[group, None]
        metrics = {
            "plies": line.length.sum(dtype=jnp.int32),
            "ended": (line.length < self.guide.nested.longest).sum(dtype=jnp.int32),
            "best_score": line.score.max(),
            "crowded": line.overflow.sum(dtype=jnp.int32),
        }
        return self.evaluation(population, points, conduct, metrics), memories


def behaviour(biases: Array, shared: int) -> Array:
    """Return uint32[P, 2], hashes of what biases (float32[P, K]) make of the options of a position.

    Adding the same to all of them changes nothing, be it in all positions or in those of one of `shared` classes.
    """
    table = biases.reshape(len(biases), -1, shared)
    # Rounded, since a constant that is added and taken off again leaves traces.
    steps = jnp.round((table - table[:, :1]) * 1024).astype(jnp.int32).reshape(biases.shape)
    odd = np.random.default_rng(0).integers(0, 2**31, biases.shape[1], np.uint32) * 2 + 1
    total = (steps.astype(jnp.uint32) * odd).sum(1, dtype=jnp.uint32)
    return jax.vmap(lambda x: extend(jnp.zeros(2, jnp.uint32), x))(total.astype(jnp.int32))
