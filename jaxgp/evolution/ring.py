"""One generation: fitness, standing, variation. A pure function of the state, so one device program.

The key of generation g is `fold_in(key, g)`, its only source of randomness: a resumed run equals one that was never
stopped. Fitness and scheme get this key. Each draws from children of it (`jaxgp.fitness.evaluation.child`) that the
other does not use:

| child | panel, coevolution, solo, suite, function + `Generational` | groups + `Winners` |
|---|---|---|
| 0 | games, or instances; a child of it, the games of the fittest against the panel | order of the population |
| 1 | selection and variation | games of the groups |
| 2 | tuning: what is learned from, and who learns | random draws between equal winners |
| 3 | learning from lessons | games against the panel |
| 4 | | variation |
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, Self, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import Mesh, NamedSharding

from jaxgp import arrays
from jaxgp.arrays import WHOLE
from jaxgp.checks.values import whole
from jaxgp.contracts import Differentiable, Fitness, Genomes, Metrics, Scheme
from jaxgp.errors import reject
from jaxgp.evolution import candidates
from jaxgp.evolution.state import BestSoFar, EvolutionState
from jaxgp.evolution.tuning.tuner import Learner, Tunes
from jaxgp.fitness.evaluation import Absolute, Standing

Tree = TypeVar("Tree")

NEW_GAMES = np.uint32(2**32 - 1)
"""The `fold_in` number reserved for the final games of candidates; no generation reaches it."""


class Outcome(NamedTuple):
    """What one generation has shown, to be compared with others.

    Attributes:
        fitness: float32[P], of the population that was measured.
        standing: of its best individual; without metrics.
        challenger: this individual, with its fitness and points by the measure that generations share.
        measured: the population [P, ...] that has this fitness: it may have been tuned before, and have learned since.
        born: what its children inherit of it: the same, or what it was before it was tuned.
    """

    fitness: Array
    standing: Standing
    challenger: BestSoFar
    measured: Genomes
    born: Genomes


def stagnation(limit: int | None, generation: Array, champion: BestSoFar) -> tuple[Array, Metrics]:
    """Return whether a run ends after a generation (int32[]), since nobody has been better than its champion for long.

    Args:
        limit: generations without a better one; None: the run goes on, and there is no metric.
        generation: that was measured.
        champion: the best of it and of all before.
    """
    if limit is None:
        return jnp.bool_(False), {}
    stood = generation - champion.generation
    return stood >= limit, {"stagnation": stood}


class Evolution(Protocol):
    """What brings a state from one generation to the next: a ring, or rings made of rings.

    `Seeds` lacks `again`, `memory` and `place`; its `init` and `step` return lists, one state for each run.
    """

    @property
    def fitness(self) -> Fitness:
        """How good each individual is: of two populations those of the run, of islands those of one."""

    @property
    def scheme(self) -> Scheme:
        """How parents of these become children."""

    @property
    def mesh(self) -> Mesh | None:
        """The devices that share the work; None: one device has all."""

    def init(self, key: Array) -> EvolutionState:
        """Return the state before generation 0, not yet measured, for a typed key[]."""

    def step(self, state: EvolutionState) -> tuple[EvolutionState, Metrics]:
        """Measure the waiting generation and breed the next."""

    def measured_by(self, fitness: Fitness) -> "Evolution":
        """Return the same with another fitness."""

    def shared(self, together: int | None, mesh: Mesh | None) -> "Evolution":
        """Return the same, shared by the devices of a mesh.

        Args:
            together: how many parts of the work a device computes side by side; None: all that it has.
            mesh: with one axis, `PARTS`; None: one device has all. The parts of one population are its individuals,
                if its fitness can be shared; else the work is not shared.
        """

    def again(self, state: EvolutionState, number: Array) -> tuple[Array, Array]:
        """Let the candidates play another round of new games; see `Ring.again`."""

    def memory(self, state: EvolutionState) -> object:
        """Return the memory of the fitness: of the population of the run, or of the first island."""

    def place(self, state: EvolutionState) -> EvolutionState:
        """Return a state of `init`, or of a checkpoint, on the devices of the mesh."""


def put(tree: Tree, sharding: NamedSharding) -> Tree:
    """Put arrays that this process has on devices of all processes, which have the same."""

    def put_data(data: Array) -> Array:
        known = np.asarray(data)
        return jax.make_array_from_callback(known.shape, sharding, lambda index: known[index])

    def one(leaf: Array) -> Array:
        if not jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return put_data(leaf)
        return jax.random.wrap_key_data(put_data(jax.random.key_data(leaf)), impl=jax.random.key_impl(leaf))

    return jax.tree.map(one, tree)


@dataclass(frozen=True)
class ManyPopulations:
    """Base of what maps a ring over an axis of parts, islands or runs, each with a population of its own.

    Attributes:
        ring: of one part, on one device.
        together: how many parts a device computes side by side; None: all that it has.
        mesh: of devices that share the parts, with one axis, `PARTS`; None: one device has all.
    """

    ring: Evolution
    together: int | None = field(default=1, kw_only=True)
    mesh: Mesh | None = field(default=None, kw_only=True)

    @property
    def fitness(self) -> Fitness:
        """That of one part."""
        return self.ring.fitness

    @property
    def scheme(self) -> Scheme:
        """That of one part."""
        return self.ring.scheme

    def measured_by(self, fitness: Fitness) -> Self:
        """Return the same with another fitness."""
        return replace(self, ring=self.ring.measured_by(fitness))

    def shared(self, together: int | None, mesh: Mesh | None) -> Self:
        """Return the same, shared by the devices of a mesh; see the attributes."""
        return replace(self, together=together, mesh=mesh)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.ring})"


class OnePopulation(ABC):
    """Base of what evolves one population, so that each island can have one.

    Attributes:
        mesh: of devices that share the individuals, with one axis, `PARTS`; None: one device has all.
    """

    mesh: Mesh | None = None

    @abstractmethod
    def begin(self, run_key: Array, create_key: Array, memory_key: Array) -> EvolutionState:
        """Return the state before generation 0; see `Ring.begin`."""

    @abstractmethod
    def cycle(self, state: EvolutionState) -> "tuple[EvolutionState, Metrics, Outcome]":
        """Do what `step` does, and return also what the measured generation has shown."""

    def init(self, key: Array) -> EvolutionState:
        """Return the state before generation 0: a random population [P, ...], not yet measured."""
        return self.begin(*jax.random.split(key, 3))

    def step(self, state: EvolutionState) -> tuple[EvolutionState, Metrics]:
        """Measure the waiting generation and breed the next."""
        following, metrics, _ = self.cycle(state)
        if self.mesh is not None:  # every device has all, as it was given it
            following = lax.with_sharding_constraint(following, NamedSharding(self.mesh, WHOLE))
        return following, metrics

    def memory(self, state: EvolutionState) -> object:
        """Return the memory of the fitness."""
        return state.memory

    def place(self, state: EvolutionState) -> EvolutionState:
        """Return a state of `init`, or of a checkpoint, on the devices of the mesh."""
        return state if self.mesh is None else put(state, NamedSharding(self.mesh, WHOLE))


@dataclass(frozen=True)
class Ring(OnePopulation):
    """The cycle of evaluation, selection and variation.

    Attributes:
        fitness: how good each individual is.
        scheme: how parents become children.
        candidates: how many of the best individuals are kept, to name the champion in new games at the end; 0: none,
            the best measured one is the champion.
        last: whether instead all individuals of the last generation are kept.
        stagnation: generations without a better individual than all before after which the run is finished; None: it
            goes on.
        mesh: see `OnePopulation`; it is that of the fitness, too.
    """

    fitness: Fitness
    scheme: Scheme
    candidates: int = 0
    last: bool = False
    stagnation: int | None = None
    mesh: Mesh | None = None

    def __post_init__(self) -> None:
        for name, method in (("fitness", "evaluate"), ("scheme", "breed")):
            if not hasattr(part := getattr(self, name), method):
                reject(name, type(part).__name__, f"a value with a method {method}, as {name} values have")
        whole("candidates", self.candidates, 0)
        if self.stagnation is not None:
            whole("stagnation", self.stagnation, 1, or_null=True)
        if isinstance(self.fitness, Absolute):
            self.fitness.check(self.scheme)
        if self.tuner and self.loss is None:
            why = f"0; {type(self.fitness).__name__} has no loss with a gradient"
            reject("algorithm.tune.steps", self.tuner.options.steps, why)

    @property
    def tuner(self) -> Learner | None:
        """How individuals learn their numbers before they are measured; None: they do not."""
        return self.scheme.tuner if isinstance(self.scheme, Tunes) else None

    @property
    def loss(self) -> Differentiable | None:
        """What they learn by; None: the fitness has no loss with a gradient."""
        return self.fitness.differentiable if isinstance(self.fitness, Absolute) else None

    def __repr__(self) -> str:
        size = getattr(self.scheme, "population", "?")
        return f"Ring({type(self.fitness).__name__}, {type(self.scheme).__name__} of {size})"

    def measured_by(self, fitness: Fitness) -> "Ring":
        """Return the ring with another fitness."""
        return replace(self, fitness=fitness)

    def shared(self, together: int | None, mesh: Mesh | None) -> "Ring":
        """Return the ring whose individuals are shared by the devices of a mesh, if its fitness can be shared."""
        del together
        fitness = None if mesh is None else self.fitness.shared(mesh)
        return self if fitness is None else replace(self, fitness=fitness, mesh=mesh)

    def begin(self, run_key: Array, create_key: Array, memory_key: Array) -> EvolutionState:
        """Return the state before generation 0.

        Args:
            run_key: typed key[], the one source of randomness of all generations.
            create_key: typed key[], of the population.
            memory_key: typed key[], of what the fitness begins with, such as random opponents.
        """
        population = self.scheme.create(create_key, self.scheme.population)
        nobody = BestSoFar(
            genome=jax.tree.map(lambda x: x[0], population),
            fitness=jnp.float32(-jnp.inf),
            points=jnp.zeros(self.fitness.seats, jnp.float32),
            generation=jnp.int32(-1),
        )
        memory, carried = self.fitness.init(memory_key), self.scheme.init()
        places = self.scheme.population if self.last else self.candidates
        best = candidates.nobody(nobody, places) if places else None
        return EvolutionState(jnp.int32(0), run_key, population, memory, carried, nobody, jnp.bool_(False), best)

    def cycle(self, state: EvolutionState) -> tuple[EvolutionState, Metrics, Outcome]:
        """Do what `step` does, and return also what the measured generation has shown."""
        key = jax.random.fold_in(state.key, state.generation)
        population, born, tuned = self._tuned(key, state)
        measured = population
        result, memory = self.fitness.evaluate(key, population, state.memory)
        population, result = self.fitness.improve(key, population, result, memory)
        standing, memory = self.fitness.standing(key, result, population, memory)
        best = arrays.take(population, standing.best)
        improved = self.fitness.improves(standing, best, state.champion)
        challenger = BestSoFar(best, standing.fitness, standing.points, state.generation)
        champion = jax.tree.map(lambda a, b: jnp.where(improved, a, b), challenger, state.champion)
        memory = self.fitness.observe(memory, best, improved)
        parents = population if born is measured else born
        offspring, carried, bred = self.scheme.breed(key, parents, result, state.carried)
        ends, stood = stagnation(self.stagnation, state.generation, champion)
        by_seat = {"best_points_first": standing.points[0], "best_points_second": standing.points[-1]}
        metrics = {
            "generation": state.generation,
            "best_fitness": result.fitness[result.fittest],
            "mean_fitness": result.fitness.mean(),
            "best_points": standing.points.sum(),
            **(by_seat if self.fitness.seats == 2 else {}),
            "mean_points": result.points.sum(-1).mean(),
            **self.scheme.describe(population, standing.best),
            **bred,
            **tuned,
            **result.metrics,
            **standing.metrics,
            **stood,
        }
        finished = state.finished | standing.reached | ends
        kept = state.candidates
        if self.last:
            kept = candidates.generation(population, result.fitness, challenger)
        elif kept is not None:
            kept = candidates.enter(kept, challenger)
        following = EvolutionState(
            state.generation + 1, state.key, offspring, memory, carried, champion, finished, kept
        )
        outcome = Outcome(result.fitness, standing._replace(metrics={}), challenger, population, parents)
        return following, metrics, outcome

    def _tuned(self, key: Array, state: EvolutionState) -> tuple[Genomes, Genomes, Metrics]:
        """Return the population that is measured, what its children inherit of it, and metrics."""
        population, tuner, loss = state.population, self.tuner, self.loss
        if tuner is None or loss is None:
            return population, population, {}
        tuned, metrics = tuner.learn(key, population, loss, state.memory, state.generation)
        return tuned, population if tuner.options.reborn else tuned, metrics

    def again(self, state: EvolutionState, number: Array) -> tuple[Array, Array]:
        """Let the candidates play another round of new games.

        Args:
            state: with candidates, K of them.
            number: int32[], of the round; each has games of its own, which no generation has.

        Returns:
            float32[K] fitness; float32[K, S] points.
        """
        assert state.candidates is not None
        key = jax.random.fold_in(jax.random.fold_in(state.key, NEW_GAMES), number)
        # Candidates are too few to be shared.
        alone = self.fitness if self.mesh is None else self.fitness.shared(None)
        assert alone is not None
        return alone.again(key, state.candidates.individuals.genome, state.memory)
