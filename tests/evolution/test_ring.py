"""One generation, and many: reproducible, elitist, compiled once."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest

import envs
import jaxgp
from jaxgp.arrays import count_unique
from jaxgp.run.assemble import assemble
from tests.evolution.test_tuning import WORDS
from tests.fitness.mancala_table import config, kalah, population
from tests.genotypes.program_cases import problems


@pytest.fixture(scope="module")
def kalah_run():
    """One deterministic opponent, as in the published experiments."""
    made = assemble(config(fixed={"kind": "program", "count": 1}), envs)
    return made, made.cast.language


def regression():
    """Programs of two variables that are to be their product, which compiles in a third of the time."""
    seen = np.random.default_rng(0).uniform(-1, 1, (2, 32)).astype(np.float32)
    options = jaxgp.GPOptions(population=16, capacity=32, creation=jaxgp.CreationOptions(max_depth=3))
    ring = jaxgp.Ring(jaxgp.RegressionFitness(WORDS, seen, seen[0] * seen[1]), jaxgp.Generational(WORDS, options))
    return SimpleNamespace(init=jax.jit(ring.init), step=jax.jit(ring.step)), WORDS


@pytest.fixture(scope="module", params=["regression", pytest.param("kalah_run", marks=pytest.mark.thorough)])
def made(request):
    """An experiment and its language."""
    return regression() if request.param == "regression" else request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def experiment(made):
    return made[0]


def run(experiment, seed, generations):
    state, lines = experiment.init(jax.random.key(seed)), []
    for _ in range(generations):
        state, metrics = experiment.step(state)
        lines.append({name: float(value) for name, value in metrics.items()})
    return state, lines


def equal(a, b):
    plain = lambda x: jax.random.key_data(x) if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key) else x  # noqa: E731
    return jax.tree.all(jax.tree.map(lambda x, y: np.array_equal(plain(x), plain(y)), a, b))


def test_the_same_seed_gives_the_same_run_and_another_seed_another(experiment):
    (a, lines_a), (b, lines_b), (c, _) = run(experiment, 3, 4), run(experiment, 3, 4), run(experiment, 4, 4)
    assert str(lines_a) == str(lines_b)
    assert equal(a, b)
    assert not equal(a.population, c.population)


def test_one_compiled_step_serves_every_generation(experiment):
    run(experiment, 0, 3)
    assert experiment.step._cache_size() == 1


def test_the_best_never_gets_worse_under_elitism(experiment):
    _, lines = run(experiment, 0, 8)
    best = [line["best_fitness"] for line in lines]
    assert best == sorted(best)


@pytest.mark.thorough
def test_points_are_those_of_both_seats(kalah_run):
    _, (line,) = run(kalah_run[0], 0, 1)
    assert line["best_points"] == line["best_points_first"] + line["best_points_second"]
    assert line["evaluations"] == 16 * 2


def test_the_champion_is_the_best_seen_and_ties_go_to_the_earlier(made):
    experiment, language = made
    state, lines = run(experiment, 1, 8)
    best = [line["best_fitness"] for line in lines]
    assert float(state.champion.fitness) == max(best)
    assert int(state.champion.generation) == best.index(max(best))
    assert problems(language, jax.tree.map(lambda x: np.asarray(x)[0], state.champion.genome), 0) == []


def test_metrics_have_the_promised_names(experiment):
    _, (line,) = run(experiment, 0, 1)
    promised = "generation best_fitness mean_fitness best_size mean_size unique_programs rejected_offspring evaluations"
    assert set(promised.split()) <= set(line)


@pytest.mark.slow
def test_fitness_is_a_hundred_times_the_points_minus_the_price_of_the_nodes_and_at_least_one(kalah_run):
    experiment, _ = kalah_run
    made = config(chance={"kind": "random", "games": 1})
    made.fitness.scale, made.fitness.parsimony, made.fitness.minimum = 100.0, 250.0, 1.0
    state = experiment.init(jax.random.key(0))
    evaluate = jax.jit(assemble(made, envs).ring.fitness.evaluate)
    result, _ = jax.device_get(evaluate(jax.random.key(1), state.population, ((),)))
    nodes = np.asarray(state.population.length).sum(-1)
    assert (result.fitness == np.maximum(100 * result.points.sum(-1) - 250 * nodes, 1)).all()
    assert (result.fitness == 1).any()
    assert (result.fitness > 1).any()


@pytest.mark.thorough
def test_unique_programs_are_counted_by_their_nodes():
    programs = population(kalah(), 300, capacity=32)
    rows = {
        (*map(int, op), *map(float, value))
        for op, value in zip(programs.opcode[:, 0], programs.value[:, 0], strict=True)
    }
    count = jax.jit(count_unique)
    assert int(count(programs)) == len(rows) < 300
    one = jax.tree.map(lambda x: x[:1], programs)
    assert int(count(one)) == 1
