"""The loop of evolution alone: vectors of numbers by a diagonal CMA-ES, on a fitness that costs next to nothing.

evosax has the same algorithm (`Sep_CMA_ES`) on the same fitness. Both make all generations in one compiled loop.
"""

import functools
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.evolution.ring import Ring
from jaxgp.evolution.state import EvolutionState
from jaxgp.fitness.evaluation import FunctionFitness
from jaxgp.genotypes.primitives import FLOAT, Floats, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.schemes.breeding.cma import SeparableCMA
from jaxgp.schemes.cma import CMAOptions
from rivals.timing import Bench, Case, Job, compare, compile_function, measure

PART, NAME, UNIT, WHO = "strategies", "ask, evaluate, tell", "generations/s", "evosax"
FARTHEST = 5.12
"""Numbers lie between this and its negative."""
GENERATIONS = 100
"""In one compiled loop."""
BETTER = 0.5
"""What a run has to reach of the error of its first generation: the loop that is timed is one that works."""


def rastrigin(x: Array) -> Array:
    """Return float32[P]: L. A. Rastrigin's function of vectors [P, N]; least, 0, at 0."""
    return (x * x - 10 * jnp.cos(2 * np.float32(np.pi) * x) + 10).sum(-1)


def jobs(bench: Bench) -> Iterator[Job]:
    for population in bench.options.vectors:
        yield 1.0, functools.partial(loop, bench, population)


def ring_of(population: int, dimensions: int) -> Ring:
    """Return the evolution strategy on the function."""
    number = Primitive("number", domain=Floats(-FARTHEST, FARTHEST))
    words = PrimitiveSet("vectors", (number,), (), roots=(FLOAT,) * dimensions)

    def fitness(key: Array, programs: Programs) -> Array:
        del key
        return -rastrigin(programs.value[..., 0])

    return Ring(FunctionFitness(fitness), SeparableCMA(words, CMAOptions(population=population)))


def loop(bench: Bench, population: int, until: float) -> None:
    """Time whole generations here and in evosax."""
    options = bench.options
    ring, key = ring_of(population, options.dimensions), jax.random.key(options.seed)
    start = jax.jit(ring.init)(key)

    def generations(state: EvolutionState) -> tuple[EvolutionState, Array]:
        return lax.scan(lambda state, _: _told(*ring.step(state)), state, length=GENERATIONS)

    run, seconds = compile_function(generations, start)
    _check(-np.asarray(run(start)[1]))
    sizes = {"population": population, "dimensions": options.dimensions}
    theirs = compare(bench, WHO, PART, NAME, UNIT, sizes, lambda: evosax(population, options.dimensions, key))
    times = measure({NAME: Case(lambda: run(start), GENERATIONS), **theirs}, options.repeats, until)
    bench.report.ours(PART, NAME, UNIT, times[NAME], sizes, seconds)
    for who in theirs:
        more = {"who": who, "ours": times[NAME], "against": NAME}
        bench.report.rival(PART, NAME, UNIT, times[who], sizes, **more)


def _told(state: EvolutionState, metrics: dict[str, Array]) -> tuple[EvolutionState, Array]:
    return state, metrics["best_fitness"]


def _check(errors: np.ndarray) -> None:
    assert errors.min() < BETTER * errors[0], "the strategy does not find better vectors"


def evosax(population: int, dimensions: int, key: Array) -> dict[str, Case]:
    """Return the same number of generations by evosax."""
    from evosax.algorithms import Sep_CMA_ES

    strategy = Sep_CMA_ES(population_size=population, solution=jnp.zeros(dimensions))
    params = strategy.default_params
    start = strategy.init(key, jnp.full(dimensions, -FARTHEST / 2), params)

    def generation(state: object, key: Array) -> tuple[object, Array]:
        ask, tell = jax.random.split(key)
        vectors, state = strategy.ask(ask, state, params)
        errors = rastrigin(vectors)
        state, _ = strategy.tell(tell, vectors, errors, state, params)
        return state, errors.min()

    run, _ = compile_function(
        lambda state, key: lax.scan(generation, state, jax.random.split(key, GENERATIONS)), start, key
    )
    _check(np.asarray(run(start, key)[1]))
    return {WHO: Case(lambda: run(start, key), GENERATIONS)}
