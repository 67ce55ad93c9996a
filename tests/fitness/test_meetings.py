"""Two populations: solvers, and sets of instances that they meet, with the solver whose nodes are a formula."""

import itertools
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.errors import UsageError
from jaxgp.evolution.generational import Generational
from jaxgp.evolution.options import GPOptions
from jaxgp.evolution.pair import Pair, problem_set
from jaxgp.evolution.ring import Ring
from jaxgp.fitness.puzzles.meetings import Meetings, ProblemFitness, SolverFitness, fresh, instances_of
from jaxgp.fitness.puzzles.suite import SuiteFitness
from jaxgp.fitness.refereed import Refereed
from jaxgp.kinds.suite import ProblemsOptions, SuiteFitnessOptions
from jaxgp.operators.options import CreationOptions, CrossoverOptions, MutationOptions
from jaxgp.options import check
from tests.fitness.test_suite import LIMIT, NUMBERS, TRAINING, VALIDATION, Formula, individuals
from tests.operators.operator_cases import assert_distribution, quick

# Nodes of the reference search: 50, 20, 60. Those of a number n: difficulty (10, 4, 20) times 1 + |n - 3|.
SUITE = SuiteFitness(Formula(), TRAINING, boards=4, limit=LIMIT)
SETS = jnp.array([[0, 0], [1, 1], [1, 2]], jnp.int32)


def met(searches, nodes, solved):
    return Meetings(SETS, *(jnp.array(x) for x in (nodes, solved, searches)), jnp.array([50, 20, 60]))


@pytest.mark.thorough
def test_each_solver_is_scored_on_the_sets_that_it_meets():
    fitness = SolverFitness(SUITE, met=3)
    memory = fresh(SETS, SUITE.init(jax.random.key(0)))
    evaluate = jax.jit(fitness.evaluate)
    result, after = evaluate(jax.random.key(1), individuals(3, 6), memory)
    # Of 3: 10, 10, 4, 4, 4, 20 nodes; saved 0.8, 0.8, 0.8, 0.8, 0.8, 2/3. Of 6: 40, 40, 16, 16, 16 and 60, not solved.
    assert np.allclose(result.fitness, [(5 * 0.8 + 2 / 3) / 6, 5 * 0.2 / 6])
    assert after.searches.tolist() == [2, 2, 2]
    assert after.nodes.tolist() == [[50, 50], [20, 20], [20, 80]]
    assert after.solved.tolist() == [[True, True], [True, True], [True, True]]
    _, later = evaluate(jax.random.key(2), individuals(3, 3), after)
    assert later.searches.tolist() == [4, 4, 4]
    assert later.nodes.tolist() == [[70, 70], [28, 28], [28, 120]]


def test_solvers_meet_different_sets_all_equally_often():
    fitness = SolverFitness(SUITE, met=2)
    memory = fresh(SETS, SUITE.init(jax.random.key(0)))
    population = individuals(3, 4)
    draw = quick(jax.vmap(lambda key: fitness.evaluate(key, population, memory)[1].searches))
    searches = np.asarray(draw(jax.random.split(jax.random.key(3), 30_000)))
    assert (searches.sum(1) == 4).all()
    assert searches.max() == 2
    assert_distribution(searches.sum(0), np.ones(3))


@pytest.mark.thorough
def test_hardness_is_mean_nodes_as_a_multiple_of_those_of_the_reference_search():
    memory = met([2, 4, 1], [[50, 150], [8, 8], [30, 60]], [[True, True], [True, False], [True, True]])
    result, _ = ProblemFitness().evaluate(jax.random.key(0), None, memory)
    # Means of 25 and 75 over 50; of 2 and 2 over 20; of 30 and 60 over 20 and 60.
    assert np.allclose(result.fitness, [1.0, 0.1, 90 / 80])
    result, _ = ProblemFitness(unsolved=1000).evaluate(jax.random.key(0), None, memory)
    assert np.allclose(result.fitness, [1.0, (2 + 1000) / 40, 90 / 80])
    assert np.isclose(result.metrics["solved"], 5 / 6)


def test_a_set_that_nobody_met_is_worth_the_mean_of_the_others():
    memory = met([2, 0, 1], [[50, 150], [0, 0], [30, 60]], [[True, True], [False, False], [True, True]])
    result, _ = jax.jit(ProblemFitness(unsolved=1000).evaluate)(jax.random.key(0), None, memory)
    assert np.allclose(result.fitness, [1.0, (1.0 + 90 / 80) / 2, 90 / 80])


BREEDING = GPOptions(
    population=6,
    capacity=1,
    creation=CreationOptions(max_depth=1),
    crossover=CrossoverOptions(0.7, "two_children", subtree=0.0, one_point=1.0),
    mutation=MutationOptions(0.1, children=0.0, genes=1.0, exclusive=True),
)
SOLVERS = GPOptions(
    population=8,
    capacity=1,
    creation=CreationOptions(max_depth=1),
    crossover=CrossoverOptions(0.5),
    mutation=MutationOptions(0.3, children=0.0, constant=1.0),
)


PAIR = Pair(
    Ring(Refereed(SolverFitness(SUITE, met=2), replace(SUITE, instances=VALIDATION)), Generational(NUMBERS, SOLVERS)),
    Ring(ProblemFitness(LIMIT), Generational(problem_set(3, 2), BREEDING)),
    every=3,
)


@pytest.fixture(scope="module")
def history():
    """States and metrics of seven generations of a pair whose problems change every three."""
    step, state = jax.jit(PAIR.step), jax.jit(PAIR.init)(jax.random.key(5))
    states, rows = [state], []
    for _ in range(7):
        state, metrics = step(state)
        states.append(state)
        rows.append(metrics)
    return states, rows


def sets(state):
    return np.asarray(state.memory.met.instances)


@pytest.mark.thorough
def test_problems_change_every_few_generations_and_what_was_met_is_then_forgotten(history):
    states, _ = history
    changed = [not np.array_equal(sets(a), sets(b)) for a, b in itertools.pairwise(states)]
    assert changed == [False, False, True, False, False, True, False]
    assert [int(state.memory.met.searches.sum()) for state in states] == [0, 16, 32, 0, 16, 32, 0, 16]
    assert [int(state.memory.problems.generation) for state in states] == [0, 0, 0, 1, 1, 1, 2, 2]
    for state in states:
        assert np.array_equal(sets(state), instances_of(state.memory.problems.population))
        assert sets(state).min() >= 0
        assert sets(state).max() <= 2


@pytest.mark.thorough
def test_the_hardest_set_survives(history):
    states, rows = history

    @jax.jit
    def measured(state):
        """The meetings of the generation that is not counted yet are those of this one, too."""
        met = PAIR.solvers.step(state.replace(memory=state.memory.solvers))[0].memory.own
        return ProblemFitness(LIMIT).evaluate(jax.random.key(0), None, met)[0].fitness

    for last in (2, 5):
        hardness = measured(states[last])
        assert sets(states[last + 1])[0].tolist() == sets(states[last])[int(hardness.argmax())].tolist()
        assert rows[last]["problems_best_fitness"] == hardness.max() > hardness.min()


@pytest.mark.thorough
def test_the_record_has_both_populations_and_the_champion_is_the_solver_that_stands_best(history):
    states, rows = history
    assert {name for name in rows[0] if name.startswith("problems_")} == {
        "problems_best_fitness",
        "problems_mean_fitness",
        "problems_solved",
        "problems_met",
        "problems_unique_programs",
    }
    assert float(states[-1].champion.fitness) == max(float(row["best_standing"]) for row in rows)


def test_sizes_of_problems_are_refused_where_they_do_not_fit():
    check(SuiteFitnessOptions(boards=12, problems=ProblemsOptions(population=50)))
    with pytest.raises(UsageError, match=r"boards=13: accepted: a multiple of problems.met=2 from 4 on, such as 14"):
        check(SuiteFitnessOptions(boards=13, problems=ProblemsOptions(population=50)))
    with pytest.raises(
        UsageError, match=r"boards=2: accepted: a multiple of problems.met=2 from 4 on, such as 4; each"
    ):
        check(SuiteFitnessOptions(boards=2, problems=ProblemsOptions(population=50)))
    with pytest.raises(UsageError, match=r"problems.met=9: accepted: a whole number from 1 to 4"):
        check(SuiteFitnessOptions(boards=9, problems=ProblemsOptions(population=4, met=9)))
    with pytest.raises(UsageError, match=r"mutation=0.5: accepted: a number from 0 to 0.3, as crossover and it add up"):
        check(SuiteFitnessOptions(boards=12, problems=ProblemsOptions(population=4, mutation=0.5)))
