"""Two populations that evolve against each other: the ring of the solvers has that of the problems in its memory.

The solvers are the population of the run. The problems, sets of instances, are a population of their own, which changes
every few generations of the solvers. `jaxgp.fitness.puzzles.meetings` says what the two measure.
"""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array
from jax.sharding import Mesh

from jaxgp.checks.values import whole
from jaxgp.contracts import Fitness, Metrics, Scheme
from jaxgp.evolution.ring import OnePopulation, Outcome, Ring
from jaxgp.evolution.state import EvolutionState
from jaxgp.fitness.puzzles.meetings import Meetings, fresh, instances_of
from jaxgp.fitness.refereed import Memories
from jaxgp.genotypes.primitives import Integers, Primitive, PrimitiveSet


@struct.dataclass
class Opposed:
    """The memory of a pair."""

    solvers: Memories  # of the fitness of the solvers; its own part is what they did since the problems changed
    problems: EvolutionState  # the other population; its memory is this part, and None here

    @property
    def met(self) -> Meetings:
        """What the solvers did since the problems changed."""
        met: Meetings = self.solvers.own
        return met


@dataclass(frozen=True)
class Pair(OnePopulation):
    """A cycle of evaluation, selection and variation of solvers, and now and then of the problems that they meet.

    Metrics of the problems have names that begin with `problems_`.

    Attributes:
        solvers: the ring of solvers; its fitness is a `SolverFitness` with a referee.
        problems: the ring of problems; its fitness is a `ProblemFitness`.
        every: generations of solvers from one change of the problems to the next.
    """

    solvers: Ring
    problems: Ring
    every: int

    def __post_init__(self) -> None:
        whole("every", self.every, 1)

    def __repr__(self) -> str:
        return f"Pair({self.solvers}, {self.problems})"

    @property
    def fitness(self) -> Fitness:
        """That of the solvers."""
        return self.solvers.fitness

    @property
    def scheme(self) -> Scheme:
        """That of the solvers."""
        return self.solvers.scheme

    def measured_by(self, fitness: Fitness) -> "Pair":
        """Return the pair with another fitness of the solvers."""
        return replace(self, solvers=self.solvers.measured_by(fitness))

    def shared(self, together: int | None, mesh: Mesh | None) -> "Pair":
        """Return the pair: it has no parts."""
        del together, mesh
        return self

    def init(self, key: Array) -> EvolutionState:
        """Return the state before generation 0: random solvers, random problems, nothing measured."""
        solvers_key, problems_key = jax.random.split(key)
        return self._opposed(self.solvers.init(solvers_key), self.problems.init(problems_key))

    def begin(self, run_key: Array, create_key: Array, memory_key: Array) -> EvolutionState:
        """Return the state before generation 0; see `Ring.begin`."""
        solvers_key, problems_key = jax.random.split(create_key)
        return self._opposed(self.solvers.begin(run_key, solvers_key, memory_key), self.problems.init(problems_key))

    def _opposed(self, solvers: EvolutionState, problems: EvolutionState) -> EvolutionState:
        met = fresh(instances_of(problems.population), solvers.memory.own.reference)
        return _with_memory(solvers, Opposed(solvers.memory.replace(own=met), _with_memory(problems, None)))

    def again(self, state: EvolutionState, number: Array) -> tuple[Array, Array]:
        """Let the candidates, who are solvers, play another round of new games; see `Ring.again`."""
        return self.solvers.again(_with_memory(state, state.memory.solvers), number)

    def cycle(self, state: EvolutionState) -> tuple[EvolutionState, Metrics, Outcome]:
        """Measure the waiting generation of solvers and breed the next; every few generations that of problems, too."""
        following, metrics, outcome = self.solvers.cycle(_with_memory(state, state.memory.solvers))
        met, before = following.memory.own, state.memory.problems
        bred, of_problems = self.problems.step(_with_memory(before, met))
        bred = _with_memory(bred, None)
        later = bred, fresh(instances_of(bred.population), met.reference)
        changes = (state.generation + 1) % self.every == 0
        problems, met = jax.tree.map(lambda new, old: jnp.where(changes, new, old), later, (before, met))
        memory = Opposed(following.memory.replace(own=met), problems)
        named = {f"problems_{name}": of_problems[name] for name in METRICS}
        return _with_memory(following, memory), {**metrics, **named}, outcome


METRICS = ("best_fitness", "mean_fitness", "solved", "met", "unique_programs")
"""Of the problems, those that a record has."""


def problem_set(instances: int, size: int) -> PrimitiveSet:
    """Return the set that problems are written in: `size` numbers of instances, below `instances`.

    Nothing keeps an instance from being in a problem twice.
    """
    number = Primitive("instance", domain=Integers(0, instances - 1))
    return PrimitiveSet(f"problems-{instances}-{size}", (number,), (), (number.returns,) * size)


def _with_memory(state: EvolutionState, memory: object) -> EvolutionState:
    changed: EvolutionState = state.replace(memory=memory)  # type: ignore[attr-defined]
    return changed
