"""Fitness of programs that guide a search, and a whole run of it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.morpion.saved import new_crosses
from jaxgp.analysis import champions
from jaxgp.experiment import schema
from jaxgp.experiment.assemble import assemble
from jaxgp.fitness.guided import behaviour
from jaxgp.genotypes.text import parse_program
from tests.experiment.conduct_toy import rows, start


@pytest.fixture(scope="module")
def experiment():
    algorithm = schema.Algorithm(
        population=4,
        generations=2,
        elites=1,
        capacity=32,
        creation=schema.Creation(method="ramped", min_depth=1, max_depth=3),
        selection=schema.Selection(method="tournament", tournament_size=2),
    )
    config = schema.Config(
        game={"name": "morpion"},
        program={"guide": True, "iterations": 3, "searches": 2},
        algorithm=algorithm,
        fitness=schema.Fitness(parsimony=0.5),
        logger=schema.Logger(mode="disabled"),
        compilation_cache=None,
    )
    return assemble(config, envs)


def test_fitness_is_the_mean_score_less_the_price_of_size(experiment):
    fitness = experiment.ring.fitness
    texts = ("AGE", "(ADD (MUL -1.0 LAST) AGE)")
    made = [parse_program(experiment.language, text, 32) for text in texts]
    genomes = jax.tree.map(lambda *x: jnp.stack(x), *made)

    @jax.jit
    def both(genomes):
        line = fitness.guide.search(jax.random.key(1), fitness.guide.prepare(genomes))
        return fitness.evaluate(jax.random.key(1), genomes, ()), line

    (result, memory), line = both(genomes)
    scores = np.asarray(line.score).reshape(2, 2)
    assert memory == ()
    assert result.points.tolist() == scores.mean(1, keepdims=True).tolist()
    assert result.fitness.tolist() == (scores.mean(1) - 0.5 * np.array([1, 5])).tolist()
    assert result.metrics["best_score"] == scores.max()
    assert result.metrics["ended"] == 4
    assert result.metrics["crowded"] == 0


def test_biases_that_differ_by_a_constant_are_the_same_behaviour():
    one = np.random.default_rng(0).normal(size=(3, 50)).astype(np.float32)
    one[1] = one[0] + 2.5
    first, shifted, other = np.asarray(behaviour(jnp.asarray(one))).tolist()
    assert first == shifted != other


@pytest.mark.slow
def test_a_whole_run_leaves_a_champion_and_its_game(experiment, tmp_path):
    assert start(tmp_path / "run", experiment, experiment.config) == 0
    assert [row["generation"] for row in rows(tmp_path / "run")] == [0, 1]
    page = (tmp_path / "run" / "report.html").read_text()
    assert "best of 2 guided searches plays" in page
    loaded = champions.load(str(tmp_path / "run"), envs)
    played = new_crosses(envs.make("morpion"), [action for action, _ in loaded.table.player.record(loaded.genome)])
    assert len(played) >= 20
