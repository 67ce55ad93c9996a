"""Fitness of two populations that evolve against each other: solvers, and problems, which are sets of instances.

In every generation each solver meets some problems, drawn at random, and searches their instances. What all solvers did
since the problems last changed says how hard each problem is.

Source: D. Hillis, "Co-evolving parasites improve simulated evolution as an optimization procedure", Physica D 42
(1990); as in M. Sipper, "Evolved to Win" (2011), section 11.2.4: the fitness of a problem is the mean number of nodes
that its instances cost those who met it, as a multiple of the nodes of the reference search; an instance that nobody
solved counts with a number of its own.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.fitness.evaluation import MEASURE, Absolute, Evaluation, child
from jaxgp.fitness.puzzles.suite import SuiteFitness, SuiteResults
from jaxgp.genotypes.language import Genome, sizes
from jaxgp.genotypes.programs import Programs
from jaxgp.operators.selection import different
from jaxgp.printable import brief


@struct.dataclass
class Meetings:
    """What solvers did with problems: Q of them, of K instances each."""

    instances: Array  # int32[Q, K]
    nodes: Array  # float32[Q, K]: of all searches since the problems changed
    solved: Array  # bool[Q, K]: whether any of them found a solution
    searches: Array  # int32[Q]: solvers that met the problem
    reference: Array  # int32[N]: nodes of the reference search


def instances_of(problems: Programs) -> Array:
    """Return int32[Q, K]: the instances of problems, individuals of K constants."""
    return problems.value[:, :, 0].astype(jnp.int32)


def fresh(instances: Array, reference: Array) -> Meetings:
    """Return problems (int32[Q, K]) that nobody has met."""
    none = jnp.zeros(instances.shape, jnp.float32)
    return Meetings(instances, none, none > 0, jnp.zeros(len(instances), jnp.int32), reference)


@dataclass(frozen=True, eq=False)
class SolverFitness(Absolute[Meetings]):
    """The score of solvers on the instances of problems that each of them meets.

    Attributes:
        suite: the instances, and how searches are scored.
        met: how many problems each solver meets, all of them different.
    """

    suite: SuiteFitness
    met: int

    seats: ClassVar[int] = 1

    __repr__ = brief

    def init(self, key: Array) -> Meetings:
        """Return no problems, and the nodes of the reference search."""
        return fresh(jnp.zeros((0, 0), jnp.int32), self.suite.init(key))

    def in_chunks(self, chunk: int | None) -> "SolverFitness":
        """Return the fitness for which this many solvers search at a time."""
        return replace(self, suite=self.suite.in_chunks(chunk))

    def evaluate(self, key: Array, population: Genome, memory: Meetings) -> tuple[Evaluation, Meetings]:
        """Measure solvers [P, ...]."""
        solvers, (problems, size) = len(sizes(population)), memory.instances.shape
        drawn = different(child(key, MEASURE), problems, self.met, solvers)
        which = memory.instances[drawn].reshape(solvers, -1)
        result, found = self.suite.judged(population, which, memory.reference)
        return result, _remembered(memory, drawn, found, size)


def _remembered(memory: Meetings, drawn: Array, found: SuiteResults, size: int) -> Meetings:
    """Add the searches of P solvers on problems `drawn` (int32[P, M]) to those remembered."""
    shape = (*drawn.shape, size)
    return memory.replace(  # type: ignore[attr-defined]
        nodes=memory.nodes.at[drawn].add(found.nodes.reshape(shape).astype(jnp.float32)),
        solved=memory.solved.at[drawn].max(found.solved.reshape(shape)),
        searches=memory.searches.at[drawn].add(1),
    )


@dataclass(frozen=True, eq=False)
class ProblemFitness(Absolute[Meetings]):
    """How many nodes problems cost solvers, as a multiple of those of the reference search.

    Problems that nobody has met get the mean of the others.

    Attributes:
        unsolved: nodes that an instance counts with if nobody who met it solved it; None: those that were visited.
    """

    unsolved: int | None = None

    seats: ClassVar[int] = 1

    __repr__ = brief

    def init(self, key: Array) -> Meetings:
        """Return the memory, which the solvers fill."""
        del key
        return fresh(jnp.zeros((0, 0), jnp.int32), jnp.zeros(0, jnp.int32))

    def evaluate(self, key: Array, population: Programs, memory: Meetings) -> tuple[Evaluation, Meetings]:
        """Measure problems [Q, K, 1] by what solvers did with them."""
        del key, population
        nodes = memory.nodes / jnp.maximum(memory.searches, 1)[:, None]
        if self.unsolved is not None:
            nodes = jnp.where(memory.solved, nodes, float(self.unsolved))
        hardness = nodes.mean(1) / jnp.maximum(memory.reference[memory.instances].mean(1), 1)
        met = memory.searches > 0
        mean = jnp.where(met, hardness, 0).sum() / jnp.maximum(met.sum(), 1)
        fitness = jnp.where(met, hardness, mean)
        metrics = {"solved": memory.solved.mean(), "met": met.mean()}
        return Evaluation(fitness, fitness[:, None], metrics), memory
