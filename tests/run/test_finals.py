"""The best few of a run play again on new games, and one of them is named champion."""

import json
import os
import signal
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.evolution.candidates import enter, nobody, settle
from jaxgp.evolution.state import BestSoFar
from jaxgp.run import outcome
from jaxgp.store.checkpoint import available
from tests.run.conduct_toy import rows, start
from tests.run.toy_experiment import ToyExperiment, config, constants

MOST = 3


def measured(value, fitness, generation):
    return BestSoFar(
        constants(jnp.float32(value)), jnp.float32(fitness), jnp.zeros(2, jnp.float32), jnp.int32(generation)
    )


def entered(*met):
    """Enter individuals, each as (its constant, fitness), generation by generation."""
    kept = nobody(measured(0, -jnp.inf, -1), MOST)
    for generation, (value, fitness) in enumerate(met):
        kept = compiled_enter(kept, measured(value, fitness, generation))
    return kept


compiled_enter = jax.jit(enter)


@jax.jit
def entered_from(kept, population, best, generation):
    """Enter one of a population, by its place."""
    genome = jax.tree.map(lambda x: x[best], population)
    return enter(kept, BestSoFar(genome, genome.value[0, 0], jnp.zeros(2, jnp.float32), generation))


def found(kept):
    one = kept.individuals
    names = zip(one.genome.value[:, 0, 0].tolist(), one.generation.tolist(), strict=True)
    return sorted(name for name in names if name[1] >= 0)


def test_the_best_are_kept_and_each_genome_once():
    assert found(entered((5, 1.0))) == [(5, 0)]
    assert found(entered((5, 1.0), (5, 9.0), (6, 1.0))) == [(5, 0), (6, 2)]
    assert found(entered((1, 4.0), (2, 2.0), (3, 3.0), (4, 2.0), (5, 9.0))) == [(1, 0), (3, 2), (5, 4)]


def test_a_genome_of_zeros_is_not_taken_for_an_empty_place():
    assert found(entered((0, 1.0))) == [(0, 0)]


@pytest.mark.thorough
def test_new_games_alone_name_the_champion_and_ties_go_to_the_earlier():
    kept = entered((1, 9.0), (2, 2.0))
    assert not kept.settled
    again, best = settle(kept, jnp.array([0.25, 0.5, 99.0]), jnp.arange(6.0).reshape(3, 2))
    assert (float(best.genome.value[0, 0]), float(best.fitness), best.points.tolist()) == (2, 0.5, [2, 3])
    assert np.isnan(again.final).tolist() == [False, False, True]
    assert again.settled
    assert float(settle(kept, jnp.array([0.5, 0.5, 9.0]), jnp.zeros((3, 2)))[1].genome.value[0, 0]) == 1


class Again(ToyExperiment):
    """In new games the fitness is the distance from a hundred, so the worst of the candidates is the champion."""

    def __init__(self, config, interrupt=lambda generation: None, between=lambda number: None):
        super().__init__(config, interrupt)
        self._between = between

    def init(self, key):
        state = super().init(key)
        return state.replace(candidates=nobody(state.champion, MOST))

    def compiled(self, state):
        bare = state.replace(candidates=None)
        program = super().compiled(bare)

        def step(state):
            best = max(zip(state.population.value[:, 0, 0].tolist(), range(99), strict=False))[1]
            after, metrics = program(state.replace(candidates=None))
            kept = entered_from(state.candidates, state.population, best, state.generation)
            return after.replace(candidates=kept), metrics

        step.memory_analysis = program.memory_analysis
        return step

    def compiled_again(self, state):
        def again(state, number):
            self._between(int(number))
            values = state.candidates.individuals.genome.value[:, 0, 0]
            return 100 - values + number, jnp.stack([values, values], 1)

        again.memory_analysis = lambda: None
        return again


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(outcome, "write", lambda run: [])


def champion(path):
    return json.loads((path / "champion.json").read_text())


def candidates(path):
    return json.loads((path / "candidates.json").read_text())


def short(**changes):
    made = config()
    return replace(made, fitness=replace(made.fitness, final_rounds=3, **changes))


def run(path, resumed=False, **hooks):
    return start(path, Again(short(), **hooks), short(), resumed)


@pytest.mark.thorough
def test_the_champion_is_the_best_of_the_candidates_in_new_games(tmp_path):
    assert run(tmp_path / "run") == 0
    one, all_ = champion(tmp_path / "run"), candidates(tmp_path / "run")
    assert len(all_) == MOST
    assert [entry["fitness"] for entry in all_] == sorted((e["fitness"] for e in all_), reverse=True)
    assert one == {name: value for name, value in all_[0].items() if name != "fitness_in_generation"}
    assert all(e["fitness"] == 101 - e["fitness_in_generation"] for e in all_), "the mean of three rounds"


def test_a_finished_run_does_not_play_them_twice(tmp_path):
    assert run(tmp_path / "run") == 0
    before = champion(tmp_path / "run")
    assert run(tmp_path / "run", resumed=True, between=lambda number: pytest.fail("they played again")) == 0
    assert champion(tmp_path / "run") == before


@pytest.mark.few(1)
@pytest.mark.parametrize("at", [0, 2])
def test_a_run_that_is_stopped_in_between_plays_them_when_it_is_resumed(tmp_path, capsys, at):
    def stop(number):
        if number == at:
            os.kill(os.getpid(), signal.SIGTERM)

    assert run(tmp_path / "whole") == 0
    if at < 2:
        with pytest.raises(SystemExit):
            run(tmp_path / "run", between=stop)
        assert "Go on with" in capsys.readouterr().out
        assert not (tmp_path / "run" / "candidates.json").exists()
    else:
        run(tmp_path / "run", between=stop)
    assert run(tmp_path / "run", resumed=True) == 0
    assert candidates(tmp_path / "run") == candidates(tmp_path / "whole")
    assert champion(tmp_path / "run") == champion(tmp_path / "whole")
    assert len(rows(tmp_path / "run")) == 7


@pytest.mark.thorough
def test_after_more_generations_the_candidates_play_once_more(tmp_path):
    assert run(tmp_path / "run") == 0
    assert available(tmp_path / "run" / "checkpoints")[0][0] == 7
    longer, played = short(), []
    longer.algorithm.generations = 9
    assert start(tmp_path / "run", Again(longer, between=played.append), longer, True) == 0
    assert played == [0, 1, 2]
    assert len(rows(tmp_path / "run")) == 9
    assert champion(tmp_path / "run")["text"] == candidates(tmp_path / "run")[0]["text"]
