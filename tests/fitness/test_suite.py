"""Fitness on instances of a puzzle, with a solver whose nodes are a formula: difficulty * distance of two numbers."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import struct

from jaxgp.contracts import Solver
from jaxgp.errors import UsageError
from jaxgp.evolution.ring import Ring
from jaxgp.fitness.puzzles.suite import SuiteFitness, apart
from jaxgp.fitness.refereed import Refereed
from jaxgp.genotypes.primitives import Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.text import arrays_of
from jaxgp.kinds.suite import SuiteFitnessOptions
from tests.operators.operator_cases import assert_distribution

NUMBERS = PrimitiveSet("numbers", (Primitive("n", domain=Integers(0, 9)),), ())
LIMIT = 60


@struct.dataclass
class Instance:
    difficulty: jax.Array  # int32[]
    answer: jax.Array  # int32[]: an individual that is this number solves it with one node for each difficulty


@struct.dataclass
class Found:
    solved: jax.Array
    nodes: jax.Array
    length: jax.Array
    expanded: jax.Array
    moves: jax.Array


@dataclass(frozen=True)
class Formula(Solver):
    """nodes = difficulty * (1 + distance of individual and answer); blind search: 5 * difficulty. Half are expanded."""

    limit: int = LIMIT
    game: object = None

    def prepare(self, programs):
        return programs.value[:, 0, 0].astype(jnp.int32)

    def solve(self, plans, whose, states, limits):
        return self._found(states.difficulty * (1 + abs(plans[whose] - states.answer)), limits)

    reference = "blind"

    def baseline(self, states, limits):
        return self._found(5 * states.difficulty, limits)

    counts_expanded = True
    differs = False
    unguided = baseline

    def _found(self, nodes, limits):
        solved = nodes < limits
        none, nodes = jnp.full(len(nodes), -1), jnp.minimum(nodes, limits)
        return Found(solved, nodes, jnp.where(solved, 1, none), nodes // 2, none[:, None])

    def record(self, genome):
        return []

    def reason(self, genome, node):
        return ""


def instances(*pairs):
    return Instance(*(np.array(column, np.int32) for column in zip(*pairs, strict=True)))


def individuals(*numbers):
    one = [arrays_of([[(0, float(number), 1)]], 1) for number in numbers]
    return jax.tree.map(lambda *x: jnp.asarray(np.stack(x)), *one)


TRAINING = instances((10, 3), (4, 3), (20, 3))
VALIDATION = instances((2, 5), (3, 5))


def fitness(instances=TRAINING, **options):
    return SuiteFitness(Formula(), instances, **{"boards": 3, "limit": LIMIT, **options})


def refereed(measured=1, first=0):
    return Refereed(fitness(), fitness(VALIDATION), measured, first)


def test_the_stand_in_is_a_solver():
    assert isinstance(Formula(), Solver)


def test_blind_search_is_measured_once_up_to_the_limit():
    assert jax.jit(fitness().init)(jax.random.key(0)).tolist() == [
        50,
        20,
        60,
    ]  # 100 nodes of the third: it is not solved


def test_the_reference_search_may_give_up_early_and_count_with_more_nodes():
    """Blind search takes 5 nodes for each difficulty: 10 and 50. It gives up at 20, where a deal counts with 100."""
    some = instances((2, 3), (10, 3))
    early = fitness(some, reference=20, unsolved=100)
    assert jax.jit(early.init)(jax.random.key(0)).tolist() == [10, 100]


def test_without_a_reference_search_every_instance_counts_alike():
    some = instances((2, 3), (10, 3))
    assert fitness(some, reference=0, unsolved=100).init(jax.random.key(0)).tolist() == [100, 100]
    with pytest.raises(UsageError, match="unsolved=null: accepted: a whole number from 1 with reference=0"):
        fitness(some, reference=0)
    with pytest.raises(UsageError, match=r"fitness\.unsolved=null: accepted: a whole number from 1 with"):
        SuiteFitnessOptions(reference=0).laws("fitness.")


def test_scores_are_shares_of_nodes_saved_and_zero_where_unsolved():
    one = fitness()
    population = individuals(3, 5, 6, 8)
    found = jax.jit(one.search)(population, jax.jit(one.init)(jax.random.key(0)))
    # Distances 0, 2, 3, 5. The third instance takes 20, 60, 80 and 120 nodes; at 60 nothing is solved.
    assert np.allclose(found.score, [[0.8, 0.8, 2 / 3], [0.4, 0.4, 0], [0.2, 0.2, 0], [0, 0, 0]])
    assert found.solved.tolist() == [[True, True, True], [True, True, False], [True, True, False], [False] * 3]
    assert found.nodes.tolist() == [[10, 4, 20], [30, 12, 60], [40, 16, 60], [51, 21, 60]]
    result, _ = jax.jit(one.evaluate)(jax.random.key(1), population, jax.jit(one.init)(jax.random.key(0)))
    assert np.allclose(result.fitness, np.asarray(found.score).mean(1))
    assert result.points.shape == (4, 1)
    assert result.cases.shape == (3, 4)
    assert np.isclose(result.metrics["solved"], 7 / 12)
    assert np.isclose(result.metrics["best_solved"], 1)


def test_scores_may_be_shares_of_the_logarithm_of_nodes():
    """Difficulty 2, blind search 10 nodes: an individual at distance 0 takes 2, one at distance 1 takes 4."""
    own = fitness(instances((2, 3)), score="log", factor=2.0)
    found = jax.jit(own.search)(individuals(3, 4, 8), jnp.array([10]))
    np.testing.assert_allclose(found.score[:, 0], [1 - np.log10(2), 1 - np.log10(4), 0], atol=1e-6)


def test_the_mean_of_scores_by_ratio_is_the_logarithm_of_a_geometric_mean():
    """Blind search takes 10, 5 and 20 nodes for difficulties 2, 1 and 4; the individual 2, 2 and 12."""
    own = fitness(instances((2, 3), (1, 4), (4, 5)), score="ratio", boards=3)
    result, _ = jax.jit(own.evaluate)(jax.random.key(0), individuals(3), jnp.array([10, 5, 20]))
    np.testing.assert_allclose(np.exp(-result.fitness), [(2 / 10 * 2 / 5 * 12 / 20) ** (1 / 3)], rtol=1e-6)


def test_a_score_that_there_is_not_is_refused():
    with pytest.raises(UsageError, match="score=ratios: accepted: share, log, ratio"):
        fitness(score="ratios")


@pytest.mark.thorough
def test_the_first_of_equal_individuals_searches_for_all():
    limits = {}

    class Counted(Formula):
        def solve(self, plans, whose, states, found):
            jax.debug.callback(note, whose, states.difficulty, found)
            return Formula.solve(self, plans, whose, states, found)

    def note(whose, difficulty, found):
        limits.update(zip(zip(whose.tolist(), difficulty.tolist(), strict=True), found.tolist(), strict=True))

    one = SuiteFitness(Counted(), TRAINING, boards=3, limit=LIMIT)
    blind = jax.jit(one.init)(jax.random.key(0))
    search = jax.jit(one.search)
    alone = search(individuals(5, 3), blind)
    found = search(individuals(5, 3, 5, 5), blind)
    assert jax.tree.all(jax.tree.map(lambda x, y: (x == y[np.array([0, 1, 0, 0])]).all(), found, alone))
    jax.effects_barrier()
    assert [limits[number, 10] for number in range(4)] == [51, 51, 1, 1]


@pytest.mark.thorough
def test_an_individual_may_visit_a_multiple_of_the_nodes_of_blind_search():
    memory = jax.jit(fitness().init)(jax.random.key(0))
    few = jax.jit(fitness(factor=0.5).search)(individuals(5), memory)
    assert few.nodes.tolist() == [[26, 11, 31]]  # of 30, 12 and 60
    short = jax.jit(fitness(limit=20).search)(individuals(5), memory)
    assert short.nodes.tolist() == [[20, 12, 20]]
    many = jax.jit(fitness(factor=2.0).search)(individuals(8), memory)
    assert many.solved.tolist() == [[False, True, False]]  # 60, 24 and 120 nodes; no search has more than 59
    assert many.score.tolist() == [[0, 0, 0]]


def test_nodes_expanded_are_the_cost_by_choice_and_limits_are_of_nodes():
    """An individual at 5 takes 30, 12 and 60 nodes; of the last instance's 60 only 59 are allowed."""
    one = fitness(by_expanded=True, factor=0.01)
    memory = jax.jit(one.init)(jax.random.key(0))
    assert memory.tolist() == [25, 10, 30]
    found = jax.jit(one.search)(individuals(5), memory)
    assert found.nodes.tolist() == [[30, 12, 60]]
    assert np.allclose(found.score, [[0.4, 0.4, 0.0]])  # 15 of 25, 6 of 10


def test_a_generation_draws_instances_uniformly_without_replacement_for_all_individuals():
    one = fitness(boards=2)
    memory, population = jax.jit(one.init)(jax.random.key(0)), individuals(3, 6)
    draw = jax.jit(jax.vmap(lambda key: one.evaluate(key, population, memory)[0].points[:, 0]))
    points = np.asarray(draw(jax.random.split(jax.random.key(2), 30_000)))
    saved = np.array([[0.8, 0.8, 2 / 3], [0.2, 0.2, 0]])
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    means = saved[:, pairs].mean(2).T  # of both individuals, by pair; two pairs are alike
    assert_distribution([np.isclose(points, mean).all(1).sum() for mean in means[:2]], [1, 2])


@pytest.mark.thorough
def test_the_best_stands_by_instances_that_are_never_drawn():
    one = refereed(measured=2)
    memory, population = jax.jit(one.init)(jax.random.key(0)), individuals(9, 4, 3, 7)
    result, _ = jax.jit(one.evaluate)(jax.random.key(0), population, memory)
    assert int(result.fittest) == 2
    standing, _ = jax.jit(one.standing)(jax.random.key(0), result, population, memory)
    assert int(standing.best) == 1  # 4 is second in training, and closer to 5
    assert np.isclose(standing.fitness, 0.6)
    assert np.isclose(standing.metrics["standing_nodes"], 0.4)
    again, points = jax.jit(one.again)(jax.random.key(1), individuals(4, 5), memory)
    assert np.allclose(again, [0.6, 0.8])
    assert np.allclose(points[:, 0], again)


@pytest.mark.thorough
def test_the_first_individuals_are_measured_beside_the_fittest():
    one = refereed(first=2)
    memory, population = jax.jit(one.init)(jax.random.key(0)), individuals(9, 4, 3, 7)
    result, _ = jax.jit(one.evaluate)(jax.random.key(0), population, memory)
    assert int(result.fittest) == 2
    standing, _ = jax.jit(one.standing)(jax.random.key(0), result, population, memory)
    assert int(standing.best) == 1  # 3 is the fittest, 9 and 4 are the first, and 4 is the closest to 5
    assert np.isclose(standing.fitness, 0.6)


@dataclass(frozen=True)
class Fixed:
    """A scheme that breeds the same individuals again."""

    numbers: tuple[int, ...]

    @property
    def population(self):
        return len(self.numbers)

    def init(self):
        return ()

    def create(self, key, count):
        return individuals(*self.numbers)

    def breed(self, key, population, result, memory):
        return population, memory, {}

    def describe(self, population, best):
        return {}


@pytest.mark.thorough
def test_a_generation_of_the_ring_names_a_champion():
    ring = Ring(Refereed(fitness(boards=2), fitness(VALIDATION)), Fixed((9, 4, 0)))
    state, metrics = jax.jit(ring.step)(jax.jit(ring.init)(jax.random.key(0)))
    assert float(state.champion.genome.value[0, 0]) == 4
    assert np.isclose(metrics["best_standing"], 0.6)
    assert np.isclose(metrics["best_points"], 0.6)
    assert metrics["evaluations"] == 8


@pytest.mark.parametrize(("number", "aside"), [(10, 3), (7, 7), (30, 1), (5, 4)])
def test_instances_are_set_apart_evenly(number, aside):
    chosen = np.flatnonzero(apart(number, aside))
    assert len(chosen) == aside
    gaps = np.diff(chosen)
    assert len(gaps) == 0 or gaps.max() - gaps.min() <= 1
