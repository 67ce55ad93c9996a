"""One run of a method on a task: champions after given numbers of evaluations, and what they are worth in new games."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.config.schema import Config
from jaxgp.evolution.state import EvolutionState
from jaxgp.games.outside import Games
from jaxgp.genotypes.language import sizes
from jaxgp.run.assemble import Experiment, assemble

PARTS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
"""The shares of the budget after which the champion is measured."""
NEW = 2**31
"""What the keys of new games are folded with; no generation of a run has such a number."""


@dataclass(frozen=True)
class Found:
    """A champion of a run.

    Attributes:
        evaluations: of individuals that the run had made.
        score: what the champion is worth in new games.
        size: its nodes.
        generation: in which it was found.
        cpu_seconds: of the run so far, without compiling and without measuring champions.
    """

    evaluations: int
    score: float
    size: int
    generation: int
    cpu_seconds: float


def stops(budget: int, population: int) -> list[int]:
    """Return the generations after which the champion is measured, in ascending order, at least one."""
    return sorted({max(1, round(part * budget / population)) for part in PARTS})


class Measure:
    """Measures champions of a task in new games; it is compiled once for all methods whose genomes have one shape."""

    def __init__(self, config: Config, games: Games) -> None:
        """Take the configuration of a task with the fitness that measures."""
        experiment = assemble(replace(config, algorithm=replace(config.algorithm, chunk=None)), games)
        self._fitness = experiment.ring.fitness

    @cached_property
    def _score(self) -> Any:
        def score(champions: Any) -> Array:
            key = jax.random.fold_in(jax.random.key(0), NEW)
            memory = self._fitness.init(jax.random.fold_in(key, 1))
            return self._fitness.evaluate(key, champions, memory)[0].fitness

        return jax.jit(score)

    def scores(self, champions: Sequence[Any]) -> list[float]:
        """Return what each champion is worth. Those of the n-th stop of all runs meet the same games."""
        return [float(one) for one in self._score(jax.tree.map(lambda *leaves: jnp.stack(leaves), *champions))]


class Runs:
    """The runs of a method on a task: one compiled generation serves all seeds."""

    def __init__(self, config: Config, games: Games, budget: int, measure: Measure) -> None:
        self._experiment: Experiment = assemble(config, games)
        self._stops = stops(budget, config.algorithm.population)
        self._population = config.algorithm.population
        self._measure = measure

    @cached_property
    def _step(self) -> Any:
        return self._experiment.compiled(jax.eval_shape(self._experiment.init, jax.random.key(0)))

    def run(self, seed: int) -> list[Found]:
        """Return the champions of a run, one for each stop."""
        state: EvolutionState = self._experiment.init(jax.random.key(seed))
        step = self._step  # compiled before time is taken
        spent, champions, rows = 0.0, [], []
        for generation in range(1, self._stops[-1] + 1):
            begin = time.process_time()
            state, _ = jax.block_until_ready(step(state))
            spent += time.process_time() - begin
            if generation in self._stops:
                champions.append(state.champion)
                rows.append((generation, spent))
        scores = self._measure.scores([one.genome for one in champions])
        return [
            Found(done * self._population, score, size(one.genome), int(one.generation), round(cpu, 3))
            for (done, cpu), one, score in zip(rows, champions, scores, strict=True)
        ]


def size(genome: Any) -> int:
    """Return the nodes of one individual."""
    return int(sizes(jax.tree.map(lambda leaf: leaf[None], genome))[0])
