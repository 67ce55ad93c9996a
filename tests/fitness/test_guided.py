"""Fitness of programs that guide a search, and a whole run of it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.morpion.notation.saved import new_crosses
from jaxgp.config import schema
from jaxgp.evolution.options import GPOptions
from jaxgp.genotypes.text import parse_program
from jaxgp.kinds.solo import SoloFitnessOptions
from jaxgp.measure import champions
from jaxgp.operators.options import CreationOptions, SelectionOptions
from jaxgp.players.alone.guided import behaviour
from jaxgp.run.assemble import assemble
from tests.run.conduct_toy import rows, start


@pytest.fixture(scope="module")
def experiment():
    algorithm = GPOptions(
        population=4,
        generations=2,
        elites=1,
        capacity=32,
        creation=CreationOptions(method="ramped", min_depth=1, max_depth=3),
        selection=SelectionOptions(method="tournament", tournament_size=2),
    )
    config = schema.Config(
        game={"name": "morpion"},
        program={"role": "guide", "iterations": 3, "searches": 2},
        algorithm=algorithm,
        fitness=SoloFitnessOptions(parsimony=0.5),
        logger=schema.LoggerOptions(mode="disabled"),
        compilation_cache=None,
    )
    return assemble(config, envs)


def test_fitness_is_the_mean_score_of_all_that_guide_alike_less_the_price_of_size(experiment, monkeypatch):
    fitness, lines = experiment.ring.fitness, []
    search = type(fitness.soloist).search
    monkeypatch.setattr(type(fitness.soloist), "search", lambda *args: lines.append(search(*args)) or lines[-1])
    texts = ("STAGE", "(ADD (MUL -1.0 LAST) AGE)", "3.0")
    genomes = jax.tree.map(lambda *x: jnp.stack(x), *(parse_program(experiment.language, text, 32) for text in texts))

    @jax.jit
    def both(genomes):
        return fitness.evaluate(jax.random.key(1), genomes, ()), lines[-1].score

    (result, memory), scores = both(genomes)
    one, other, same = np.asarray(scores).reshape(3, 2).mean(1)
    assert len({one, other, same}) == 3, "scores that tell"
    assert memory == ()
    # STAGE is the same for all options of a position, as a constant is.
    wanted = np.array([(one + same) / 2, other, (one + same) / 2])
    np.testing.assert_allclose(result.points[:, 0], wanted)
    np.testing.assert_allclose(result.fitness, wanted - 0.5 * np.array([1, 5, 1]))
    metrics = {name: float(value) for name, value in result.metrics.items()}
    assert metrics["best_score"] == scores.max()
    assert (metrics["ended"], metrics["crowded"], metrics["unique_behaviours"]) == (6, 0, 2)


@pytest.mark.thorough
def test_biases_that_differ_by_a_constant_are_the_same_behaviour():
    one = np.random.default_rng(0).normal(size=(3, 50)).astype(np.float32)
    one[1] = one[0] + 2.5
    first, shifted, other = np.asarray(behaviour(jnp.asarray(one), 1)).tolist()
    assert first == shifted != other
    one[2] = one[0] + np.tile(np.arange(5), 10)
    first, _, other = np.asarray(behaviour(jnp.asarray(one), 1)).tolist()
    assert first != other
    first, _, other = np.asarray(behaviour(jnp.asarray(one), 5)).tolist()
    assert first == other


@pytest.mark.slow
def test_a_whole_run_leaves_a_champion_and_its_game(experiment, tmp_path):
    assert start(tmp_path / "run", experiment, experiment.config) == 0
    assert [row["generation"] for row in rows(tmp_path / "run")] == [0, 1]
    page = (tmp_path / "run" / "report.html").read_text()
    assert "best of 2 guided searches plays" in page
    loaded = champions.load(str(tmp_path / "run"), envs)
    played = new_crosses(envs.make("morpion"), [action for action, _ in loaded.cast.actor.record(loaded.genome)])
    assert len(played) >= 20
