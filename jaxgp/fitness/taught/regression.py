"""Regression: programs are to have given values at given points."""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
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


class Points(NamedTuple):
    """Points, and the values that programs should have there."""

    inputs: Array  # float32[F, B]
    outputs: Array  # float32[B]


@dataclass(frozen=True, eq=False)
class RegressionFitness(Absolute[Points], Differentiable[Points]):
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
        if self.primitives.num_trees > 1:
            reject("primitives", self.primitives.name, "a set whose individuals are one tree")

    @property
    def language(self) -> Language:
        """What the individuals are written in."""
        return self.primitives

    def init(self, key: Array) -> Points:
        """Return the points; nothing is drawn from the key."""
        del key
        return Points(jnp.asarray(self.inputs, jnp.float32), jnp.asarray(self.outputs, jnp.float32))

    def evaluate(self, key: Array, population: Programs, memory: Points) -> tuple[Evaluation, Points]:
        """Measure a population [P, 1, L] at all points. Nothing is drawn from the key."""
        del key
        one = jax.tree.map(lambda x: x[:, 0], population)
        values = evaluate_programs(self.primitives, one, memory.inputs)
        error = jax.vmap(self.loss, (0, None))(values, memory.outputs)
        error = jnp.where(jnp.isnan(error), jnp.inf, error)
        fitness = worth(-error, sizes(population).astype(jnp.float32), parsimony=self.parsimony)
        return Evaluation(fitness, -error[:, None], {"evaluations": jnp.int32(len(error))}), memory

    def examples(self, key: Array, memory: Points) -> Examples:
        """Return all points, in one block."""
        del key
        return Examples(memory.inputs[None], jnp.zeros((1, len(memory.outputs)), jnp.int32), memory.outputs[None])

    def loss(self, values: Array, known: Any) -> Array:
        """Return float32[], the mean squared error of values at points, float32[B]; `known` is what they should be."""
        return jnp.square(values - known).mean()
