"""One run of a method on a task: champions after given numbers of evaluations, and what they are worth in new games."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.config.schema import Config
from jaxgp.evolution.state import BestSoFar, EvolutionState
from jaxgp.games.outside import Games
from jaxgp.genotypes.language import parse, sizes, to_text
from jaxgp.run.assemble import Experiment, assemble
from jaxgp.schemes.cma import CMAOptions

PARTS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1)
"""The shares of the budget after which the champion is measured."""
STEP = 0.05
"""Of the first individuals around the champion, in magnitudes of factors."""
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
    """The runs of a method on a task: one compiled generation serves all seeds.

    With `numbers`, individuals of a generation, the second half of the budget moves the numbers of the champion of the
    first half, by CMA-ES or as `moves` says. It is compiled for each program.
    """

    def __init__(
        self,
        config: Config,
        games: Games,
        budget: int,
        measure: Measure,
        numbers: int = 0,
        moves: type[CMAOptions] = CMAOptions,
    ) -> None:
        self._config, self._games, self._numbers, self._moves = config, games, numbers, moves
        self._population = config.algorithm.population
        self._stops = stops(budget, self._population)[: -1 if numbers else None]
        self._rest = budget - self._stops[-1] * self._population
        self._measure = measure

    @cached_property
    def _experiment(self) -> Experiment:
        return assemble(self._config, self._games)

    @cached_property
    def _step(self) -> Any:
        return self._experiment.compiled(jax.eval_shape(self._experiment.init, jax.random.key(0)))

    def run(self, seed: int) -> list[Found]:
        """Return the champions of a run, one for each stop."""
        met = list(_evolved(self._experiment, self._step, seed, self._stops))
        found = [(done * self._population, spent, one, int(one.generation)) for done, spent, one in met]
        if self._numbers:
            evaluations, before, champion, _ = found[-1]
            moving = self._moving(champion.genome)
            step = moving.compiled(jax.eval_shape(moving.init, jax.random.key(0)))
            generations = self._rest // self._numbers
            ((_, spent, one),) = _evolved(moving, step, seed, [generations])
            made = evaluations + generations * self._numbers
            moved = one.replace(genome=self._as_wide(one.genome, champion.genome))  # type: ignore[attr-defined]
            found.append((made, before + spent, moved, self._stops[-1] + int(one.generation)))
        scores = self._measure.scores([one.genome for _, _, one, _ in found])
        return [
            Found(evaluations, score, size(one.genome), generation, round(spent, 3))
            for (evaluations, spent, one, generation), score in zip(found, scores, strict=True)
        ]

    def _as_wide(self, genome: Any, other: Any) -> Any:
        """Return a program in arrays that hold as many nodes as those of another; CMA-ES leaves no room."""
        language = self._experiment.language
        return parse(language, to_text(language, jax.device_get(genome)), other.capacity)

    def _moving(self, genome: Any) -> Experiment:
        """Return the evolution of the numbers of a program."""
        text = to_text(self._experiment.language, jax.device_get(genome))
        algorithm = self._moves(population=self._numbers, initial=[text], step=STEP)
        return assemble(replace(self._config, algorithm=algorithm), self._games)


def _evolved(
    experiment: Experiment, step: Any, seed: int, stops: Sequence[int]
) -> Iterator[tuple[int, float, BestSoFar]]:
    """Yield (generations, CPU-seconds so far, champion) at each stop of a run; compiling takes none of them."""
    state: EvolutionState = experiment.init(jax.random.key(seed))
    spent = 0.0
    for generation in range(1, stops[-1] + 1):
        begin = time.process_time()
        state, _ = jax.block_until_ready(step(state))
        spent += time.process_time() - begin
        if generation in stops:
            yield generation, spent, state.champion


def size(genome: Any) -> int:
    """Return the nodes of one individual."""
    return int(sizes(jax.tree.map(lambda leaf: leaf[None], genome))[0])
