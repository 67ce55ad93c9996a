"""MAP-Elites: who enters the archive, whose children come next, and a run of it."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from jaxgp.config import validate
from jaxgp.errors import UsageError
from jaxgp.fitness.evaluation import Evaluation
from jaxgp.options import check
from jaxgp.run.assemble import assemble
from jaxgp.schemes.breeding.map_elites import Archive, Elites, enter
from jaxgp.schemes.map_elites import MapElitesOptions
from jaxgp.seats.options import opponent
from tests.fitness.coplay_table import CREATION
from tests.run.toy_experiment import PRIMITIVES, config, constants

NONE = -jnp.inf
OPTIONS = MapElitesOptions(population=64, elites=0, capacity=4, axes=["balance"], bins=4)


def archived(*fitness):
    return Archive(constants(100 + jnp.arange(float(len(fitness)))), jnp.array(fitness))


def test_the_fittest_of_a_cell_enters_if_it_is_fitter_than_who_is_there():
    after = jax.jit(enter)(
        archived(5.0, 1.0, NONE, NONE),
        constants(np.arange(6.0)),
        np.array([4.0, 2.0, 3.0, 3.0, NONE, 1.0], np.float32),
        np.array([0, 1, 1, 1, 2, 3]),
    )
    assert after.fitness.tolist() == [5, 3, NONE, 1]
    assert np.asarray(after.genomes.value)[:, 0, 0].tolist() == [100, 2, 102, 5]  # of equals the first


@pytest.mark.thorough
def test_descriptors_are_shares_of_their_axes():
    scheme = Elites(PRIMITIVES, replace(OPTIONS, axes=["size", "symbols", "balance"]))
    one = constants(jnp.zeros(4))
    points = jnp.array([[0.0, 0.0], [1.0, 3.0], [3.0, 1.0], [2.0, 0.0]])
    cells = scheme.cells(one, Evaluation(points.sum(1), points, {}))
    assert cells.tolist() == [2, 1, 3, 3]  # one node and one symbol each
    alone = scheme.cells(one, Evaluation(points[:, 1], points[:, 1:], {}))
    assert alone.tolist() == [2] * 4


def test_descriptors_of_ones_own_tell_cells_apart():
    scheme = Elites(PRIMITIVES, OPTIONS, descriptors=(lambda population, result: result.fitness / 10,))
    fitness = jnp.array([0.0, 2.4, 2.5, 9.9, 10.0, 99.0, -1.0, jnp.nan])
    cells = scheme.cells(constants(jnp.zeros(8)), Evaluation(fitness, fitness[:, None], {}))
    assert cells.tolist() == [0, 0, 1, 3, 3, 3, 0, 0]
    assert scheme.init().fitness.shape == (4,)
    with pytest.raises(UsageError, match=r"descriptors=.*: accepted: a tuple of functions"):
        Elites(PRIMITIVES, OPTIONS, descriptors="size")


@pytest.mark.thorough
def test_parents_are_drawn_uniformly_from_the_cells_that_are_filled():
    copying = replace(OPTIONS, crossover=replace(OPTIONS.crossover, probability=0.0))
    copying = replace(copying, mutation=replace(copying.mutation, probability=0.0))
    scheme = Elites(PRIMITIVES, copying)
    nobody = Evaluation(jnp.full(64, NONE), jnp.zeros((64, 2)), {})
    memory = archived(5.0, NONE, 0.1, NONE)
    breed = jax.jit(jax.vmap(lambda key: scheme.breed(key, constants(jnp.zeros(64)), nobody, memory)))
    children, _, metrics = breed(jax.random.split(jax.random.key(0), 50))
    values, counts = np.unique(children.value[..., 0, 0], return_counts=True)
    assert values.tolist() == [100, 102]
    assert abs(counts[0] - 1600) < 4 * 50  # 3200 draws; the standard deviation is 28
    assert set(metrics["archive_filled"].tolist()) == {2}


@pytest.mark.slow
def test_any_game_is_evolved_by_it_and_cells_only_get_fitter():
    asked = config()
    asked.game, asked.fitness.max_plies = {"name": "mancala", "pits": 2, "stones": 2}, 40
    asked.fitness.opponents = {"anyone": opponent("random")}
    asked = replace(asked, algorithm=MapElitesOptions(population=16, capacity=16, creation=CREATION, bins=4))
    ring = assemble(validate.check(asked, envs), envs).ring
    step, state = jax.jit(ring.step), jax.jit(ring.init)(jax.random.key(0))
    before = state.carried.fitness
    for _ in range(4):
        state, metrics = step(state)
        assert (state.carried.fitness >= before).all()
        before = state.carried.fitness
    assert 1 < metrics["archive_filled"] == (before > NONE).sum() <= 16
    assert float(state.champion.fitness) == float(before.max())
    filled = before > NONE
    assert (state.carried.genomes.length[filled] > 0).all()


@pytest.mark.parametrize("axes", [[], ["size", "size"], ["colour"]])
def test_axes_are_those_that_there_are_each_once(axes):
    wrong = MapElitesOptions()
    wrong.axes = axes
    with pytest.raises(UsageError, match=r"^algorithm\.axes=\[.*: accepted: one or more of size, symbols, balance"):
        check(wrong, "algorithm.")


@pytest.mark.parametrize("method", ["one_way", "one_or_two_way"])
def test_crossover_that_asks_who_is_fitter_is_refused_where_parents_are_not_compared(method):
    wrong = MapElitesOptions()
    wrong.crossover.method = method
    said = r"accepted: one_child, two_children with algorithm\.kind=map_elites, which compares no parents"
    with pytest.raises(UsageError, match=rf"^algorithm\.crossover\.method={method}: {said}"):
        check(wrong, "algorithm.")
