"""Problems: the list of moves of the toy problem, take the last stone in n."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.spec import lacks
from tests.fixtures.last_stone import HEAPS, LastStone

GAME = LastStone()


def positions():
    heaps = np.array(list(itertools.product(range(4), repeat=HEAPS)), np.int8)
    return jax.vmap(GAME.position, (0, None))(jnp.asarray(heaps), 3)


def test_a_problem_keeps_its_contract():
    assert lacks(LastStone) == {}


def test_the_list_read_by_places_is_the_list_read_one_after_the_other():
    states = positions()
    looks = jax.vmap(GAME.look)(states)
    action = jnp.full(len(looks.count), -1)
    for place in range(GAME.most_choices + 1):
        action = jax.vmap(GAME.following)(looks, action)
        chosen = jax.vmap(GAME.choice, (0, None))(states, place)
        listed = np.asarray(looks.count) > place
        np.testing.assert_array_equal(np.asarray(action)[listed], np.asarray(chosen)[listed])
        assert (np.asarray(action)[np.asarray(looks.count) == place] == -1).all()
