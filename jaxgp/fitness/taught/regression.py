"""Regression: programs are to have given values at given points."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.checks.values import check_parts
from jaxgp.contracts import Differentiable
from jaxgp.errors import reject
from jaxgp.fitness.evaluation import Absolute, Evaluation, check_worth, worth
from jaxgp.genotypes.language import Language, sizes
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.interpreter.reverse.gradients import Examples
from jaxgp.printable import brief

PLACES = 128
"""Points of a block. Rows of more fall out of the caches of a CPU: `scripts/studies/gradients/cost.py`."""


class Targets(NamedTuple):
    """Targets, and the values that programs should have there."""

    inputs: Array  # float32[F, B]
    outputs: Array  # float32[B]


class Weighted(NamedTuple):
    """What the loss asks of a block of B points."""

    output: Array  # float32[B]: the values that programs should have
    weight: Array  # float32[B]: of each squared error; 0 where there is no point


@dataclass(frozen=True, eq=False)
class RegressionFitness(Absolute[Targets], Differentiable[Targets]):
    """fitness = -mean squared error - parsimony * size; a value that is no number gives minus infinity.

    The memory is the points. So one compiled step serves other points, as many of them, in a state of their own.

    Attributes:
        primitives: the set that programs of one tree are written in.
        inputs: float32[F, B], the features of B points.
        outputs: float32[B], the values that programs should have there.
        parsimony: the price of a node.

    Raises:
        UsageError: points and values that do not belong together.
    """

    primitives: PrimitiveSet
    inputs: Array
    outputs: Array
    parsimony: float = 0.0

    seats: ClassVar[int] = 1

    __repr__ = brief

    def __post_init__(self) -> None:
        check_parts(self, primitives=PrimitiveSet)
        check_worth(1.0, self.parsimony, None)
        there = jnp.shape(self.outputs)
        if len(there) != 1 or not there[0]:
            reject("outputs", f"float32{list(there)}", "float32[B], the value at each of one or more points")
        if jnp.ndim(self.inputs) != 2 or jnp.shape(self.inputs)[1:] != there:
            reject("inputs", f"float32{list(jnp.shape(self.inputs))}", f"float32[F, {there[0]}], a column a point")
        for name in ("inputs", "outputs"):
            points = getattr(self, name)
            if not isinstance(points, jax.core.Tracer) and not np.isfinite(points).all():
                reject(name, "NaN or infinity", "finite numbers")
        if self.primitives.num_trees > 1:
            reject("primitives", self.primitives.name, "a set whose individuals are one tree")

    @property
    def language(self) -> Language:
        """What the individuals are written in."""
        return self.primitives

    def init(self, key: Array) -> Targets:
        """Return the points; nothing is drawn from the key."""
        del key
        return Targets(jnp.asarray(self.inputs, jnp.float32), jnp.asarray(self.outputs, jnp.float32))

    def evaluate(self, key: Array, population: Programs, memory: Targets) -> tuple[Evaluation, Targets]:
        """Measure a population [P, 1, L] at all points. Nothing is drawn from the key."""
        del key
        one = jax.tree.map(lambda x: x[:, 0], population)
        values = evaluate_programs(self.primitives, one, memory.inputs)
        error = jnp.square(values - memory.outputs).mean(-1)
        error = jnp.where(jnp.isnan(error), jnp.inf, error)
        fitness = worth(-error, sizes(population).astype(jnp.float32), parsimony=self.parsimony)
        return Evaluation(fitness, -error[:, None], {"evaluations": jnp.int32(len(error))}), memory

    def measure(self, key: Array, population: Programs, memory: Targets) -> tuple[Evaluation, Targets]:
        """Measure individuals [P, 1, L] as a referee, at all points."""
        return self.evaluate(key, population, memory)

    def examples(self, key: Array, population: Programs, memory: Targets) -> Examples:
        """Return all points, in blocks of up to `PLACES`; nothing is drawn from the key."""
        del key, population
        return in_blocks(memory)

    def loss(self, values: Array, known: Weighted) -> Array:
        """Return float32[], the weighted sum of the squared errors of values at points, float32[B]."""
        return (known.weight * jnp.square(values - known.output)).sum()


def in_blocks(points: Targets, places: int = PLACES) -> Examples:
    """Return points in K blocks, whose mean loss is the mean squared error; the last one may have empty places."""
    count = len(points.outputs)
    blocks = -(-count // places)
    width = -(-count // blocks)
    empty = blocks * width - count
    there = np.pad(np.ones(count, np.float32), (0, empty)).reshape(blocks, width)
    inputs = jnp.pad(points.inputs, ((0, 0), (0, empty))).reshape(-1, blocks, width)
    output = jnp.pad(points.outputs, (0, empty)).reshape(blocks, width)
    tree = jnp.asarray(there == 0, jnp.int32)  # no tree values what is empty
    return Examples(jnp.moveaxis(inputs, 1, 0), tree, Weighted(output, jnp.asarray(there) * blocks / count))
