"""A referee beside a fitness: what each of them draws from."""

import jax
import jax.numpy as jnp

from jaxgp.fitness.evaluation import MEASURE, Absolute, Evaluation, child
from jaxgp.fitness.refereed import REFEREE, Refereed
from jaxgp.fitness.rollout import DRAW, MEET

KEY = jax.random.key(3)


class Lots(Absolute):
    """The fitness of everybody is a number that is drawn from the key."""

    seats = 1

    def init(self, key):
        return ()

    def evaluate(self, key, population, memory):
        fitness = jnp.full(len(population), jax.random.uniform(key))
        return Evaluation(fitness, fitness[:, None], {}), memory

    measure = evaluate


def test_a_referee_draws_from_no_key_that_the_fitness_splits_its_own_into():
    made, population = Refereed(Lots(), Lots()), jnp.zeros(4)
    result, memory = made.evaluate(KEY, population, made.init(KEY))
    standing, _ = made.standing(KEY, result, population, memory)
    parts = [part for count in (2, 3, 8) for part in jax.random.split(child(KEY, MEASURE), count)]
    assert float(standing.fitness) not in [float(jax.random.uniform(part)) for part in parts]


def test_a_number_that_is_reserved_beside_the_keys_of_games_has_one_use():
    assert len({int(number) for number in (DRAW, MEET, REFEREE)}) == 3
