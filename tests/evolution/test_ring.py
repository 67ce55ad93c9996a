"""One generation, and many: reproducible, elitist, compiled once."""

import jax
import numpy as np
import pytest

import envs
from jaxgp.arrays import count_unique
from jaxgp.genotypes.programs import problems
from jaxgp.run.assemble import assemble
from tests.fitness.mancala_table import config, kalah, population


@pytest.fixture(scope="module")
def experiment():
    """One deterministic opponent, as in the published experiments."""
    return assemble(config(fixed={"kind": "program", "count": 1}), envs)


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


def test_the_best_never_gets_worse_under_elitism_against_a_deterministic_opponent(experiment):
    _, lines = run(experiment, 0, 8)
    best = [line["best_fitness"] for line in lines]
    assert best == sorted(best)
    assert lines[-1]["best_points"] == lines[-1]["best_points_first"] + lines[-1]["best_points_second"]


def test_the_champion_is_the_best_seen_and_ties_go_to_the_earlier(experiment):
    state, lines = run(experiment, 1, 8)
    best = [line["best_fitness"] for line in lines]
    assert float(state.champion.fitness) == max(best)
    assert int(state.champion.generation) == best.index(max(best))
    assert problems(experiment.cast.language, jax.tree.map(lambda x: np.asarray(x)[0], state.champion.genome), 0) == []


def test_metrics_have_the_promised_names(experiment):
    _, (line,) = run(experiment, 0, 1)
    promised = "generation best_fitness mean_fitness best_size mean_size unique_programs rejected_offspring evaluations"
    assert set(promised.split()) <= set(line)
    assert line["evaluations"] == 16 * 2


@pytest.mark.slow
def test_fitness_is_a_hundred_times_the_points_minus_the_price_of_the_nodes_and_at_least_one(experiment):
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
