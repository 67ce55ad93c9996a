"""One generation: games, fitness, selection, variation. A pure function of the state, so one device program.

Generation g uses `fold_in(key, g)` and nothing else that is random: a run that is resumed is the run that went on.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.evolution.state import Champion, EvolutionState
from jaxgp.fitness.coevolution import CoevolutionFitness
from jaxgp.fitness.guided import GuidedFitness
from jaxgp.fitness.panel import PanelFitness
from jaxgp.fitness.solo import SoloFitness
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.operators import sharing
from jaxgp.operators.creation import create
from jaxgp.operators.variation import breed

Metrics = dict[str, Array]


@dataclass(frozen=True)
class Ring:
    """Generational GP.

    Attributes:
        primitives: function and terminal set.
        algorithm: the options, as in `jaxgp.config.Algorithm`.
        fitness: what the population is measured by.
    """

    primitives: PrimitiveSet
    algorithm: Any
    fitness: PanelFitness | SoloFitness | GuidedFitness | CoevolutionFitness

    def init(self, key: Array) -> EvolutionState:
        """Return the state before generation 0: a random population [P, T, L], nobody measured."""
        run_key, create_key, memory_key = jax.random.split(key, 3)
        options = self.algorithm
        population = create(create_key, self.primitives, options.creation, options.population, options.capacity)
        nobody = Champion(
            genome=jax.tree.map(lambda x: x[0], population),
            fitness=jnp.float32(-jnp.inf),
            points=jnp.zeros(self.fitness.seats, jnp.float32),
            generation=jnp.int32(-1),
        )
        memory = self.fitness.init(jax.random.split(memory_key, len(self.fitness.opponents)))
        visits = sharing.init(options.selection.sharing_memory)
        return EvolutionState(jnp.int32(0), run_key, population, memory, visits, nobody, jnp.bool_(False))

    def step(self, state: EvolutionState) -> tuple[EvolutionState, Metrics]:
        """Measure the waiting generation and breed the next."""
        play_key, breed_key = jax.random.split(jax.random.fold_in(state.key, state.generation))
        result, memory = self.fitness.evaluate(play_key, state.population, state.memory)
        measure_key = jax.random.fold_in(play_key, 1)
        best, standing, points, memory = self.fitness.standing(measure_key, result, state.population, memory)
        program = jax.tree.map(lambda x: x[best], state.population)
        improved = standing > state.champion.fitness
        challenger = Champion(program, standing, points, state.generation)
        champion = jax.tree.map(lambda a, b: jnp.where(improved, a, b), challenger, state.champion)
        memory = self.fitness.observe(memory, program, improved)
        options = self.algorithm.selection
        visits, counts = sharing.count(state.visits, result.behaviour, options.sharing_memory)
        merits = jnp.concatenate([result.fitness[None], result.cases]) if options.by_case else result.fitness[None]
        shared = sharing.share(merits, counts, options.power, options.sharing)
        offspring, bred = breed(breed_key, self.primitives, self.algorithm, state.population, result.fitness, shared)
        nodes = state.population.length.sum(-1)
        by_seat = {"best_points_first": points[0], "best_points_second": points[-1]}
        metrics = {
            "generation": state.generation,
            "best_fitness": result.fitness[result.fittest],
            "mean_fitness": result.fitness.mean(),
            "best_points": points.sum(),
            **({"best_standing": standing} if isinstance(self.fitness, CoevolutionFitness) else {}),
            **(by_seat if self.fitness.seats == 2 else {}),
            "mean_points": result.points.sum(-1).mean(),
            "best_size": nodes[best],
            "mean_size": nodes.mean(dtype=jnp.float32),
            "max_size": nodes.max(),
            "unique_programs": count_unique(state.population),
            **bred,
            **result.metrics,
        }
        waiting = EvolutionState(state.generation + 1, state.key, offspring, memory, visits, champion, state.finished)
        return waiting, metrics


def count_unique(population: Programs) -> Array:
    """Return int32[]: distinct individuals among [P, T, L], by two 32-bit hashes of all their nodes.

    Two of 65,536 different individuals share both hashes with a probability of about 1e-10.
    """
    shape = population.opcode.shape
    odd = np.random.default_rng(0).integers(0, 2**31, (4, *shape[1:]), np.uint32) * 2 + 1
    value = jax.lax.bitcast_convert_type(population.value, jnp.uint32)
    code = population.opcode.astype(jnp.uint32) + 1

    def digest(a: np.ndarray, b: np.ndarray) -> Array:
        # Multiplying and folding the high half down lets every bit of a constant count.
        word = code * a + (value ^ (value >> 15)) * b
        word = (word ^ (word >> 16)) * jnp.uint32(0x85EBCA6B)
        live = population.size > 0
        return jnp.where(live, (word ^ (word >> 13)) * a, 0).sum((-2, -1), dtype=jnp.uint32)

    group, _ = sharing.groups(jnp.stack([digest(odd[0], odd[1]), digest(odd[2], odd[3])], 1))
    return group[-1] + 1
