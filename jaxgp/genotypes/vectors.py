"""Individuals as vectors of numbers: how a method that moves x, N numbers, writes programs and reads them back."""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.genotypes.primitives import Floats, PrimitiveSet
from jaxgp.genotypes.programs import Programs

FARTHEST = 12.0
"""|x| at most on the logistic scale: beyond it constants are hardly told apart in float32."""


class Coding(Protocol):
    """Which programs stand for which vectors."""

    @property
    def start(self) -> np.ndarray:
        """float32[N]: x of the first mean."""

    def individuals(self, x: Array) -> Programs:
        """Return individuals [P, T, L], given x, float32[P, N]."""

    def vectors(self, population: Programs) -> Array:
        """Return x, float32[P, N], given individuals [P, T, L]."""


def fits(primitives: PrimitiveSet) -> bool:
    """Whether the individuals of a set are vectors of numbers: each tree is a constant with bounds, and only that."""
    return not primitives.functions and all(_domain(primitives, root) is not None for root in primitives.roots)


def _domain(primitives: PrimitiveSet, root: str) -> Floats | None:
    """Return the domain of the only primitive that a tree can be, if it is a constant with bounds."""
    there = [one.domain for one in primitives.terminals if one.returns == root]
    return there[0] if len(there) == 1 and isinstance(there[0], Floats) else None


@dataclass(frozen=True)
class Leaves:
    """A `Coding` of individuals [P, N, 1] with one constant in each tree, of a domain from `low` to `high`.

    A constant is low + (high - low) / (1 + exp(-x)), so none ever leaves its domain.

    Attributes:
        primitives: of vectors of numbers; see `fits`.
        share: of the way from `low` to `high`, where the mean begins.
    """

    primitives: PrimitiveSet
    share: float

    @cached_property
    def start(self) -> np.ndarray:
        """float32[N]: x of the share."""
        return np.full(self.primitives.num_trees, np.log(self.share / (1 - self.share)), np.float32)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """float32[N] each: the least constant of each tree, and the width of its domain."""
        domains = [_domain(self.primitives, root) for root in self.primitives.roots]
        low, high = np.array([(one.low, one.high) for one in domains if one is not None], np.float32).T
        return low, high - low

    @cached_property
    def _opcodes(self) -> np.ndarray:
        """int16[N]: the constant of each tree."""
        returned = [one.returns for one in self.primitives.primitives]
        return np.array([returned.index(root) for root in self.primitives.roots], np.int16)

    def individuals(self, x: Array) -> Programs:
        """Return individuals [P, N, 1]."""
        low, width = self.bounds
        value = low + width * jax.nn.sigmoid(jnp.clip(x, -FARTHEST, FARTHEST))
        one = jnp.ones((*x.shape, 1), jnp.int16)
        return Programs(one * self._opcodes[:, None], value[..., None], one, jnp.ones(x.shape, jnp.int32))

    def vectors(self, population: Programs) -> Array:
        """Return x of individuals [P, N, 1]."""
        low, width = self.bounds
        share = (population.value[..., 0] - low) / width
        least = np.float32(1 / (1 + np.exp(FARTHEST)))
        share = jnp.clip(share, least, 1 - least)
        return jnp.log(share) - jnp.log1p(-share)


@dataclass(frozen=True, eq=False)
class Numbers:
    """A `Coding` of the real numbers of one program, whose form stays: constants with bounds, and factors.

    A number is v + w x, where v is that of the program. w is the width of the domain of a constant, and of a factor
    its magnitude, at least 1, as for mutation. A constant that would leave its domain stays at the bound.

    Attributes:
        primitives: the set that the program is written in.
        program: NumPy arrays, [T, L].

    Raises:
        ValueError: the program has no real number.
    """

    primitives: PrimitiveSet
    program: Programs

    def __post_init__(self) -> None:
        if not len(self._at):
            raise ValueError("the program has no real numbers")

    @cached_property
    def _at(self) -> np.ndarray:
        """int32[N]: where the numbers are, among T x L."""
        program = self.program
        there = self.primitives.tunable[program.opcode] & (program.size > 0)
        return np.flatnonzero(there).astype(np.int32)

    @cached_property
    def _limits(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """float32[N] each: v, w, and the least and the greatest value."""
        codes, values = (np.ravel(one)[self._at] for one in (self.program.opcode, self.program.value))
        low, high = (bound[codes] for bound in self.primitives.bounds)
        width = np.where(np.isfinite(high), high - low, np.maximum(1, np.abs(values)))
        return values, width.astype(np.float32), np.minimum(low, values), np.maximum(high, values)

    @cached_property
    def start(self) -> np.ndarray:
        """float32[N]: the program itself, 0."""
        return np.zeros(len(self._at), np.float32)

    def individuals(self, x: Array) -> Programs:
        """Return individuals [P, T, L] of the form of the program."""
        value, width, low, high = self._limits
        moved = jnp.clip(value + width * x, low, high)
        form, count = self.program, len(x)
        values = jnp.tile(jnp.ravel(jnp.asarray(form.value)), (count, 1)).at[:, self._at].set(moved)
        alike = jax.tree.map(lambda one: jnp.broadcast_to(jnp.asarray(one), (count, *np.shape(one))), form)
        return Programs(alike.opcode, values.reshape(alike.value.shape), alike.size, alike.length)

    def vectors(self, population: Programs) -> Array:
        """Return x of individuals [P, T, L]."""
        value, width, _, _ = self._limits
        return (population.value.reshape(len(population.value), -1)[:, self._at] - value) / width
