"""A population measured in chunks is measured as all at once, bit for bit, in games of chance too."""

from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.arrays import in_chunks
from jaxgp.evolution.islands import Islands
from jaxgp.evolution.options import MigrationOptions
from jaxgp.evolution.pair import Pair
from jaxgp.evolution.ring import Ring
from jaxgp.evolution.seeds import Seeds
from jaxgp.fitness.panel import PanelFitness
from jaxgp.players.panel import RandomOpponent
from jaxgp.players.search import SearchOpponent
from jaxgp.search.alphabeta import AlphaBeta
from tests.envs.replays import FAST
from tests.fitness.test_matches import NIM, Lottery
from tests.fitness.test_suite import fitness as suite
from tests.fitness.test_suite import individuals
from tests.fitness.test_tournament import round_robin
from tests.fitness.walls_table import board, population
from tests.run.toy_experiment import constants

POPULATION = 12
WORK = ("searches", "table_hit_rate")
"""Metrics of what opponents searched, which their tables spare."""


@dataclass(frozen=True)
class Lots(Lottery):
    """Moves are drawn, by a number that the genome holds too."""

    def prepare(self, genomes):
        return genomes.value[:, 0, 0].astype(jnp.uint32)

    def act(self, plans, states, bits, active=None):
        return super().act(plans, states, bits + plans[:, None], active)


SEARCH = AlphaBeta(NIM, lambda state: -jnp.float32(state.cells.sum() % 3 == 1), 2, tail=1, lanes=4, ties="all")
OPPONENTS = SearchOpponent(SEARCH, 2, table_size=2, games=3), RandomOpponent(NIM, games=1)
PANEL = PanelFitness(NIM, Lots(), OPPONENTS, (1.0, 0.3), "result", 1.7, 0.1, 0.3)


@pytest.fixture(scope="module")
def measured():
    """The evaluation of a population, all at once and in chunks."""

    genomes, memory = constants(jnp.arange(POPULATION, dtype=jnp.float32)), PANEL.init(jax.random.key(4))

    def measure(chunk):
        run = jax.jit(lambda *given: PANEL.in_chunks(chunk).evaluate(*given)[0])
        return jax.device_get(run(jax.random.key(3), genomes, memory))

    return {chunk: measure(chunk) for chunk in (None, 4)}


@pytest.mark.slow
def test_games_against_a_panel_are_the_same_in_chunks(measured):
    """Individuals have the random draws of their place in the population, and searched replies may be forgotten."""
    whole, parts = measured[None], measured[4]
    assert len(np.unique(whole.behaviour, axis=0)) > POPULATION // 2, "games that are all alike would prove nothing"
    assert whole.metrics.keys() == parts.metrics.keys()
    for name in set(whole.metrics) - set(WORK):
        np.testing.assert_array_equal(whole.metrics[name], parts.metrics[name], err_msg=name)
    bits = lambda one: jax.tree.map(lambda x: x.view(np.uint32), replace(one, metrics={}))  # noqa: E731
    jax.tree.map(np.testing.assert_array_equal, bits(whole), bits(parts))
    assert parts.metrics["searches"] >= whole.metrics["searches"] > 0


def test_a_chunk_that_divides_no_population_is_the_largest_divisor_below():
    """Those whom a generation measures apart, such as its fittest, may be few."""
    for most, size in ((5, 4), (12, 12), (100, 12), (1, 1), (None, 12)):
        total, found = in_chunks(lambda n, x: (n + 1, x * len(x)), 0, np.arange(1, 13), most)
        assert (int(total), found.tolist()) == (12 // size, [size * x for x in range(1, 13)])


@pytest.mark.slow
def test_tournaments_of_groups_are_the_same_in_chunks():
    at = board(3, "strict")
    lists = population(at, 20)
    whole, parts = (
        jax.jit(partial(round_robin, chunk=chunk), static_argnums=(1, 2, 4, 5), compiler_options=FAST)(
            jax.random.key(0), at.game, at.actor, lists, 5, 1000
        )
        for chunk in (None, 10)
    )
    jax.tree.map(np.testing.assert_array_equal, whole, parts)
    assert len(set(np.asarray(whole.points).tolist())) > 2


@pytest.mark.thorough
def test_searches_of_puzzles_are_the_same_in_chunks_also_for_equal_individuals():
    genomes = individuals(5, 3, 5, 8, 3, 9)
    key = jax.random.key(1)
    memory = suite().init(key)
    found = [jax.jit(suite(chunk=chunk).evaluate, compiler_options=FAST)(key, genomes, memory) for chunk in (None, 2)]
    jax.tree.map(np.testing.assert_array_equal, *found)


def test_every_kind_of_ring_passes_the_number_on_to_its_fitness():
    ring = Ring(PANEL, scheme=SimpleNamespace(breed=None, population=4))
    pair, islands = Pair(ring, ring, every=1), Islands(ring, MigrationOptions(count=2))
    for kind in (ring, pair, islands, Seeds(islands)):
        assert kind.fitness.chunk is None
        assert kind.measured_by(kind.fitness.in_chunks(3)).fitness.chunk == 3
