"""An experiment that takes no time: each generation a random fitness, the greater the larger the population."""

import jax
import jax.numpy as jnp

from jaxgp.evolution.state import BestSoFar, EvolutionState
from tests.run import toy_experiment as toy


def measured(key, generation, population):
    """The fitness of a generation."""
    return jnp.sqrt(jnp.float32(population)) + jax.random.normal(jax.random.fold_in(key, generation))


class Quick:
    """No game and no genomes: a champion is a constant of the toy language."""

    language = toy.PRIMITIVES

    def __init__(self, config):
        self.population = config.algorithm.population

    def init(self, key):
        nobody = BestSoFar(toy.constants(jnp.zeros(())), jnp.float32(-jnp.inf), jnp.zeros(2), jnp.int32(-1))
        return EvolutionState(jnp.int32(0), key, (), (), (), nobody, jnp.bool_(False))

    def step(self, state):
        fitness = measured(state.key, state.generation, self.population)
        better = fitness > state.champion.fitness
        found = state.champion.replace(fitness=fitness, points=fitness / jnp.array([2, 4]), generation=state.generation)
        champion = jax.tree.map(lambda new, old: jnp.where(better, new, old), found, state.champion)
        metrics = {"generation": state.generation, "best_fitness": fitness, "best_points": 3 * fitness / 4}
        following = state.replace(generation=state.generation + 1, champion=champion)
        return following, metrics | {"best_size": jnp.int32(1)}
