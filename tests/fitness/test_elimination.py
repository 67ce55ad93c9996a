"""Single elimination: brackets, fitness by round, and matches whose better side is known."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.fitness.elimination import following


def test_winners_of_neighbours_meet_next():
    order = jnp.array([3, 1, 0, 2, 7, 6, 5, 4])
    beats = jnp.zeros(8, bool).at[jnp.array([1, 0, 6, 5])].set(True)
    assert following(order, beats, jnp.int32(8)).tolist() == [1, 0, 6, 5, 3, 2, 7, 4]


def test_those_who_lost_earlier_stay_behind():
    order = jnp.array([1, 0, 6, 5, 3, 2, 7, 4])
    beats = jnp.zeros(8, bool).at[jnp.array([0, 6])].set(True)
    assert following(order, beats, jnp.int32(4)).tolist() == [0, 6, 1, 5, 3, 2, 7, 4]
    last = following(jnp.array([0, 6, 1, 5, 3, 2, 7, 4]), jnp.zeros(8, bool).at[6].set(True), jnp.int32(2))
    assert last.tolist() == [6, 0, 1, 5, 3, 2, 7, 4]
