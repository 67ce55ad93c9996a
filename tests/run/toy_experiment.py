"""A complete experiment in a few lines: one-node programs whose fitness is their constant plus a little chance."""

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array
from jax.stages import Compiled

from jaxgp.config import schema
from jaxgp.evolution.seeds import Seeds
from jaxgp.evolution.state import BestSoFar, EvolutionState
from jaxgp.genotypes import programs
from jaxgp.genotypes.primitives import FLOAT, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.host.replay import ReplayGame
from jaxgp.kinds.panel import PanelFitnessOptions
from jaxgp.seats.options import opponent

PRIMITIVES = PrimitiveSet(
    name="toy",
    terminals=(Primitive("INT", domain=Integers(0, 99)),),
    functions=(Primitive("ADD", args=(FLOAT, FLOAT), call=lambda a, b: a + b),),
)
CAPACITY = 4


def constants(values: Array) -> Programs:
    """Programs [..., 1, L] of one node each."""
    blank = programs.empty((*values.shape, 1), CAPACITY)
    return blank.replace(
        value=blank.value.at[..., 0, 0].set(values),
        size=blank.size.at[..., 0, 0].set(1),
        length=blank.length.at[..., 0].set(1),
    )


@partial(jax.jit, static_argnums=1)
def first(key: Array, population: int) -> EvolutionState:
    champion = BestSoFar(
        genome=constants(jnp.zeros(())),
        fitness=jnp.float32(-jnp.inf),
        points=jnp.zeros(2, jnp.float32),
        generation=jnp.int32(-1),
    )
    waiting = constants(jax.random.randint(key, (population,), 0, 10).astype(jnp.float32))
    memory = {"seen": jnp.zeros((3,), jnp.uint32), "nested": (champion, jax.random.split(key, 2))}
    return EvolutionState(jnp.int32(0), key, waiting, memory, jnp.zeros((2, 1)), champion, jnp.bool_(False))


@jax.jit
def advanced(state: EvolutionState) -> tuple[EvolutionState, dict[str, Array]]:
    key = jax.random.fold_in(state.key, state.generation)
    values = state.population.value[:, 0, 0]
    fitness = values + jax.random.uniform(key, values.shape)
    best = jnp.argmax(fitness)
    better = fitness[best] > state.champion.fitness
    found = BestSoFar(
        genome=jax.tree.map(lambda x: x[best], state.population),
        fitness=fitness[best],
        points=jnp.stack([values[best], values[best] / 2]),
        generation=state.generation,
    )
    champion = jax.tree.map(lambda new, old: jnp.where(better, new, old), found, state.champion)
    grown = jnp.minimum(values + jax.random.randint(key, values.shape, 0, 3), 99)
    memory = {**state.memory, "seen": state.memory["seen"] + 1}
    metrics = {
        "generation": state.generation,
        "best_fitness": fitness.max(),
        "mean_fitness": fitness.mean(),
        "best_points": values[best] * 1.5,
        "best_points_first": values[best],
        "best_points_second": values[best] / 2,
        "best_size": jnp.int32(1),
        "mean_size": jnp.float32(1),
        "max_size": jnp.int32(1),
        "unique_programs": jnp.int32(len(values)),
        "evaluations": jnp.int32(len(values)),
        "table_hit_rate": jnp.float32(jnp.nan),
    }
    waiting = constants(grown)
    return state.replace(generation=state.generation + 1, population=waiting, memory=memory, champion=champion), metrics


class Interrupted:
    """A compiled program; `interrupt` is called with the number of each generation before it is computed."""

    def __init__(self, program: Compiled, interrupt) -> None:
        self._program = program
        self._interrupt = interrupt
        self.memory_analysis = program.memory_analysis

    def __call__(self, state: EvolutionState) -> tuple[EvolutionState, dict[str, Array]]:
        self._interrupt(int(state.generation))
        return self._program(state)


class ToyExperiment:
    """`interrupt` is called with the number of each generation before it is computed."""

    def __init__(self, config: schema.Config, interrupt=lambda generation: None) -> None:
        self.language = PRIMITIVES
        self._population = config.algorithm.population
        self._interrupt = interrupt

    @property
    def chunks(self) -> list[int]:
        return [self._population]

    def init(self, key: Array) -> EvolutionState:
        return first(key, self._population)

    def begin(self, config: schema.Config) -> EvolutionState:
        return self.init(jax.random.key(config.seed))

    def compiled(self, state: EvolutionState) -> "Interrupted":
        return Interrupted(advanced.lower(state).compile(), self._interrupt)

    def compiled_together(self, states, together, mesh) -> Compiled:
        return jax.jit(Seeds(self, together=together, mesh=mesh).step).lower(list(states)).compile()

    def step(self, state: EvolutionState) -> tuple[EvolutionState, dict[str, Array]]:
        return advanced(state)

    def notations(self, state: EvolutionState) -> dict[str, str]:
        return {}

    def replay(self, state: EvolutionState, seed: int) -> list[ReplayGame]:
        svg = '<svg viewBox="0 0 10 10"><circle cx="5" cy="5" r="{}"/></svg>'
        frames = [(f"move {i} <&>", svg.format(i)) for i in range(4)]
        results = [{"opponent": "toy", "points": 3.0}, {"opponent": "toy", "points": 1.5}]
        return [
            ReplayGame("champion first", frames, results[0]),
            ReplayGame("champion second", frames[:2], results[1]),
        ]

    def closing(self, state: EvolutionState) -> str | None:
        return None


def config(**algorithm) -> schema.Config:
    """A valid configuration of a short run without W&B."""
    made = schema.Config(
        game={"name": "mancala", "pits": 2, "stones": 2},
        program={},
        fitness=PanelFitnessOptions(opponents={"minimax": opponent(depth=2)}),
        logger=schema.LoggerOptions(mode="disabled"),
        compilation_cache=None,
    )
    made.algorithm.population = 8
    made.algorithm.generations = 7
    made.checkpoint_every = 3
    for name, value in algorithm.items():
        setattr(made.algorithm, name, value)
    return made
