"""What one evaluation says about a population, what most kinds of fitness have in common, and the simplest kind."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array
from jax.sharding import Mesh

from jaxgp.arrays import comparable
from jaxgp.checks.values import real
from jaxgp.contracts import Differentiable, Memory, Metrics, Player, Scheme
from jaxgp.errors import reject
from jaxgp.genotypes.language import Genome, Language, language_of
from jaxgp.options import MAX_FITNESS, MAX_WEIGHT
from jaxgp.printable import brief

if TYPE_CHECKING:
    from jaxgp.evolution.state import BestSoFar

CHILDREN = 5
MEASURE = 0
"""The child of a generation's key that measuring takes: games, rollouts, the draw of instances, or a function."""


@struct.dataclass
class Evaluation:
    """What a fitness says about each of P individuals.

    Fields that a fitness does not provide are None.
    """

    fitness: Array  # float32[P]
    points: Array  # float32[P, S] by seat, or [P, 1] of all seats: what the fitness is made of
    metrics: dict[str, Array]
    cases: Array | None = None  # float32[K, P]: the fitness as if all games went like those of one case
    results: Array | None = None  # float32[P, O, 2]: mean result by opponent and seat; 1 win, 1/2 draw, 0 loss
    behaviour: Array | None = None  # uint32[P, W]: equal for individuals that made exactly the same moves in all games
    parents: Array | None = None  # int32[K]: parents that the fitness itself chose; None: selection chooses them
    benchmark: "Evaluation | None" = None  # of the same individuals against a fixed panel; None: not measured

    @property
    def fittest(self) -> Array:
        """int32[]: the individual with the highest fitness, the first of equals."""
        return jnp.argmax(comparable(self.fitness)).astype(jnp.int32)

    def of(self, index: Array) -> "Evaluation":
        """Return the evaluation of some individuals, int32[K]; the metrics remain those of all."""
        by_individual = jax.tree.map(lambda x: x[index], (self.fitness, self.points, self.results, self.behaviour))
        fitness, points, results, behaviour = by_individual
        cases = None if self.cases is None else self.cases[:, index]
        benchmark = None if self.benchmark is None else self.benchmark.of(index)
        return Evaluation(fitness, points, self.metrics, cases, results, behaviour, None, benchmark)


class Standing(NamedTuple):
    """How the best individual of a generation stands, by a measure that generations share.

    Attributes:
        best: int32[], its index in the population.
        fitness: float32[], by that measure.
        points: float32[S], what the fitness is made of, by seat.
        reached: bool[], whether it meets the aim of the run, which then is finished.
        metrics: of this measurement; they replace metrics of the same name in the evaluation.
    """

    best: Array
    fitness: Array
    points: Array
    reached: Array
    metrics: Metrics


class Absolute(ABC, Generic[Memory]):
    """Base of every fitness. By default the fittest individual is the best.

    Where values of two generations cannot be compared, put a `jaxgp.fitness.refereed.Refereed` around it.
    A fitness of your own needs three members: `seats`, how many entries `points` have; `init(key)`, what it carries
    from generation to generation; and `evaluate(key, population, memory)`, an `Evaluation` and the memory that follows.
    """

    @property
    def language(self) -> Language | None:
        """What the individuals that it measures are written in; None: anything."""
        return None

    @property
    def differentiable(self) -> Differentiable[Memory] | None:
        """What individuals can learn by, with the memory of this fitness; None: it has no loss with a gradient."""
        return self if isinstance(self, Differentiable) else None

    def check(self, scheme: Scheme) -> None:
        """Refuse a scheme whose individuals cannot be measured; raises UsageError."""
        bred = language_of(scheme)
        mine = self.language
        if mine is not None and bred is not None and (mine.name, mine.version) != (bred.name, bred.version):
            reject("scheme", bred.name, f"a scheme that breeds what the fitness measures, {mine.name} {mine.version}")

    @property
    @abstractmethod
    def seats(self) -> int:
        """S, entries of points."""

    @abstractmethod
    def init(self, key: Array) -> Memory:
        """Return the memory at the start; it is carried from generation to generation."""

    def keys(self, key: Array) -> tuple[Array, Array]:
        """Return the keys that a referee and this fitness begin with, of one typed key[]."""
        referee, own = jax.random.split(key)
        return referee, own

    def standing(self, key: Array, result: Evaluation, population: Genome, memory: Memory) -> tuple[Standing, Memory]:
        """Return the fittest individual of the evaluation, and the memory unchanged."""
        del key, population
        best = result.fittest
        return Standing(best, result.fitness[best], result.points[best], jnp.bool_(False), {}), memory

    def again(self, key: Array, genomes: Genome, memory: Memory) -> tuple[Array, Array]:
        """Return float32[K] fitness and float32[K, S] points of individuals [K, ...] in another evaluation."""
        found, _ = self.evaluate(key, genomes, memory)
        return found.fitness, found.points

    @abstractmethod
    def evaluate(self, key: Array, population: Genome, memory: Memory) -> tuple[Evaluation, Memory]:
        """Measure a population; see `jaxgp.contracts.Fitness`."""

    def improves(self, standing: Standing, best: Genome, champion: "BestSoFar") -> Array:
        """Return bool[]: more fitness than the champion has; of equals the earlier one stays."""
        del best
        return standing.fitness > champion.fitness

    def observe(self, memory: Memory, best: Genome, improved: Array) -> Memory:
        """Return the memory unchanged."""
        del best, improved
        return memory

    def improve(self, key: Array, population: Genome, result: Evaluation, memory: Memory) -> tuple[Genome, Evaluation]:
        """Return the population and its evaluation unchanged: nobody learns."""
        del key, memory
        return population, result

    def rivals(self, memory: Memory) -> tuple[object, ...]:
        """Return no memories: there are no opponents."""
        del memory
        return ()

    def in_chunks(self, chunk: int | None) -> "Absolute[Memory] | None":
        """Return None: all individuals are measured together."""
        del chunk
        return None

    def shared(self, mesh: Mesh | None) -> "Absolute[Memory] | None":
        """Return None: one device measures all individuals."""
        del mesh
        return None


class Memoryless(Absolute[tuple[()]]):
    """Base of a fitness that carries nothing from generation to generation."""

    def init(self, key: Array) -> tuple[()]:
        """Return the memory, which is empty."""
        del key
        return ()


class OfPlayer(Absolute[Memory]):
    """Base of a fitness for which a player chooses moves, as individuals say.

    Attributes:
        player: how an individual plays.
        learning: what individuals learn their numbers by, before they are measured; None: they do not.
    """

    player: Player
    learning: Differentiable[Any] | None = None

    @property
    def language(self) -> Language | None:
        """What the player's individuals are written in."""
        return language_of(self.player)

    @property
    def differentiable(self) -> Differentiable[Any] | None:
        """What individuals can learn by."""
        return self.learning


@dataclass(frozen=True)
class FunctionFitness(Memoryless):
    """The value of one function of the population, for anything that is not a game; greater is better.

    Attributes:
        function: (key, population [P, ...]) -> float32[P], or an `Evaluation`, which may have cases and behaviour too.
            The key is for fitness with chance in it. It is traced, so it computes with JAX. Where it cannot, use
            `jax.pure_callback`, or a loop of your own with `jaxgp.AskTell`.
    """

    function: Callable[[Array, Genome], "Array | Evaluation"]

    seats: ClassVar[int] = 1

    __repr__ = brief

    def __post_init__(self) -> None:
        if not callable(self.function):
            reject("function", self.function, "a function (key, population [P, ...]) -> float32[P]")

    def evaluate(self, key: Array, population: Genome, memory: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Measure a population [P, ...]."""
        count = len(jax.tree.leaves(population)[0])
        found = self.function(child(key, MEASURE), population)
        fitness = jnp.asarray(found.fitness if isinstance(found, Evaluation) else found).astype(jnp.float32)
        if fitness.shape != (count,):
            reject(
                "function", f"float32{list(fitness.shape)}", f"a function that returns float32[{count}], the fitness"
            )
        counted = {"evaluations": jnp.int32(len(fitness))}
        if isinstance(found, Evaluation):
            return replace(found, fitness=fitness, metrics=counted | dict(found.metrics)), memory
        return Evaluation(fitness, fitness[:, None], counted), memory

    def measure(self, key: Array, population: Genome, memory: tuple[()]) -> tuple[Evaluation, tuple[()]]:
        """Measure individuals [P, ...] as a referee, by the same function."""
        return self.evaluate(key, population, memory)


def worth(
    points: Array, size: Array, scale: float = 1.0, parsimony: float = 0.0, minimum: float | None = None
) -> Array:
    """Return max(minimum, scale * points - parsimony * size); float32[P] points and sizes, None is no minimum."""
    value = scale * points - parsimony * size
    return value if minimum is None else jnp.maximum(value, minimum)


def child(key: Array, number: int) -> Array:
    """Return child `number` of a generation's key; `jaxgp.evolution.ring` lists who uses which child."""
    return jax.random.split(key, CHILDREN)[number]


def check_worth(scale: float, parsimony: float, minimum: float | None) -> None:
    """Refuse what `worth` cannot take; raises UsageError."""
    real("scale", scale, 0, MAX_WEIGHT, above=True)
    real("parsimony", parsimony, 0, MAX_WEIGHT)
    if minimum is not None:
        real("minimum", minimum, -MAX_FITNESS, MAX_FITNESS, or_null=True)
