"""Evolution of vectors of numbers by a normal distribution that adapts: CMA-ES with a diagonal covariance matrix.

Sources: N. Hansen, "The CMA Evolution Strategy: A Tutorial" (2016), for the update and its constants; R. Ros and
N. Hansen, "A Simple Modification in CMA-ES Achieving Linear Time and Space Complexity" (2008), for the diagonal matrix,
which learns (N + 2) / 3 times as fast. Weights of the worse half of a sample are 0.

The distribution is over x, N numbers: of individuals whose trees are single constants, or all real numbers of one
program, whose form stays. `jaxgp.genotypes.vectors` says how individuals stand for x, so each says what its x is. The
first individual of each generation is the mean of the distribution: it is measured as all are, and may become the
champion, but the update does not count it as drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import comparable, count_unique
from jaxgp.checks.values import check_parts
from jaxgp.contracts import Metrics
from jaxgp.evolution.generational import BREED, size_metrics
from jaxgp.fitness.evaluation import Evaluation, child
from jaxgp.genotypes.language import parse
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.vectors import Coding, Leaves, Numbers, fits
from jaxgp.schemes.cma import CMAOptions


@struct.dataclass
class Distribution:
    """Where individuals are drawn from, N numbers each, and how the distribution has moved."""

    mean: Array  # float32[N]
    step: Array  # float32[]: the size of steps, sigma
    variances: Array  # float32[N]: the diagonal of the covariance matrix
    path: Array  # float32[N]: of the mean, in the units of the variances
    step_path: Array  # float32[N]: of the mean, in standard deviations
    updates: Array  # int32[]


@dataclass(frozen=True)
class Constants:
    """Numbers of the tutorial's table 1, for N dimensions and a sample of lambda."""

    weights: np.ndarray  # float32[lambda], by rank, the best first
    effective: float  # mu_eff
    step_rate: float  # c_sigma
    damping: float  # d_sigma
    path_rate: float  # c_c
    one_rate: float  # c_1
    ranks_rate: float  # c_mu
    length: float  # of a standard normal vector, on average

    @classmethod
    def of(cls, dimensions: int, sample: int) -> "Constants":
        """Return them; the last two rates are those of a diagonal matrix."""
        parents, n = sample // 2, dimensions
        raw = np.log((sample + 1) / 2) - np.log(np.arange(1, sample + 1))
        raw[parents:] = 0
        weights = raw / raw.sum()
        effective = float(1 / (weights**2).sum())
        step_rate = (effective + 2) / (n + effective + 5)
        one = 2 / ((n + 1.3) ** 2 + effective)
        ranks = min(1 - one, 2 * (effective - 2 + 1 / effective) / ((n + 2) ** 2 + effective))
        faster = (n + 2) / 3
        one = min(1.0, one * faster)
        return cls(
            weights=weights.astype(np.float32),
            effective=effective,
            step_rate=step_rate,
            damping=1 + 2 * max(0.0, float(np.sqrt((effective - 1) / (n + 1))) - 1) + step_rate,
            path_rate=(4 + effective / n) / (n + 4 + 2 * effective / n),
            one_rate=one,
            ranks_rate=min(1 - one, ranks * faster),
            length=float(np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))),
        )


@dataclass(frozen=True)
class SeparableCMA:
    """A `Scheme`: individuals are drawn from a distribution, which moves towards the best of them.

    Attributes:
        primitives: of vectors of numbers; see `fits`. With `options.initial`, the set of that program.
        options: how many individuals, and where the distribution begins.

    Raises:
        ValueError: individuals of another form, or a program that cannot be read or has no real numbers.
    """

    primitives: PrimitiveSet
    options: CMAOptions

    def __post_init__(self) -> None:
        check_parts(self, primitives=PrimitiveSet, options=CMAOptions)
        _ = self.coding  # refuses what it cannot write

    @property
    def population(self) -> int:
        """P: the mean, and those that are drawn."""
        return self.options.population

    @property
    def kept(self) -> int:
        """None of a population stays in the next one."""
        return 0

    @cached_property
    def coding(self) -> Coding:
        """Which individuals stand for which x."""
        if self.options.initial:
            return numbers_of(self.primitives, self.options.initial)
        if not fits(self.primitives):
            raise ValueError(f"{self.primitives.name}: accepted: sets whose trees are single constants with bounds")
        return Leaves(self.primitives, self.options.start)

    def init(self) -> Distribution:
        """Return the distribution of the first generation."""
        mean = jnp.asarray(self.coding.start)
        zeros = jnp.zeros_like(mean)
        return Distribution(mean, jnp.float32(self.options.step), zeros + 1, zeros, zeros, jnp.int32(0))

    def create(self, key: Array, count: int) -> Programs:
        """Return individuals [count, T, L] of the first distribution, the first one its mean."""
        return self._drawn(key, self.init(), count)

    def _drawn(self, key: Array, about: Distribution, count: int) -> Programs:
        """Return individuals of a distribution, the first one its mean."""
        normal = jax.random.normal(key, (count, len(about.mean))).at[0].set(0.0)
        return self.coding.individuals(about.mean + about.step * jnp.sqrt(about.variances) * normal)

    def breed(
        self, key: Array, population: Programs, result: Evaluation, memory: Distribution
    ) -> tuple[Programs, Distribution, Metrics]:
        """Return the next population [P, T, L], of the distribution that has moved towards the fittest of this one."""
        moved = self.updated(memory, self.coding.vectors(population)[1:], result.fitness[1:])
        offspring = self._drawn(child(key, BREED), moved, self.population)
        return offspring, moved, {"step": moved.step, "deviation": jnp.sqrt(moved.variances).mean() * moved.step}

    def updated(self, before: Distribution, drawn: Array, fitness: Array) -> Distribution:
        """Return the distribution after a sample.

        Args:
            before: where the sample was drawn.
            drawn: float32[lambda, N], its x.
            fitness: float32[lambda]; greater is better, NaN is worst.
        """
        count, n = drawn.shape
        use = Constants.of(n, count)
        steps = (drawn - before.mean) / before.step
        # The gather comes before the sum: equal numbers in equal order, so the sum is the same on any device.
        ranked = steps[jnp.argsort(-comparable(fitness), stable=True)]
        move = (use.weights[:, None] * ranked).sum(0)
        deviations = jnp.sqrt(before.variances)
        keep = 1 - use.step_rate
        step_path = keep * before.step_path + np.sqrt(use.step_rate * (2 - use.step_rate) * use.effective) * (
            move / deviations
        )
        length = jnp.sqrt((step_path**2).sum())
        updates = before.updates + 1
        # The path stands still where the mean goes far in one direction, so that variances do not grow too fast.
        expected = jnp.sqrt(1 - keep ** (2 * updates.astype(jnp.float32)))
        goes = length / expected < (1.4 + 2 / (n + 1)) * use.length
        path = (1 - use.path_rate) * before.path + jnp.where(
            goes, np.sqrt(use.path_rate * (2 - use.path_rate) * use.effective), 0.0
        ) * move
        lost = jnp.where(goes, 0.0, use.one_rate * use.path_rate * (2 - use.path_rate))
        variances = (
            (1 - use.one_rate - use.ranks_rate + lost) * before.variances
            + use.one_rate * path**2
            + use.ranks_rate * (use.weights[:, None] * ranked**2).sum(0)
        )
        step = before.step * jnp.exp(use.step_rate / use.damping * (length / use.length - 1))
        return Distribution(before.mean + before.step * move, step, variances, path, step_path, updates)

    def describe(self, population: Programs, best: Array) -> Metrics:
        """Return how many individuals are distinct, and the sizes of individuals, which are all alike."""
        return size_metrics(population, best) | {"unique_programs": count_unique(population)}


def numbers_of(primitives: PrimitiveSet, texts: Sequence[str]) -> Numbers:
    """Return the numbers of the one program of `algorithm.initial`; raises ValueError, in words for that option."""
    if len(texts) != 1:
        raise ValueError(f"one program, whose numbers move; these are {len(texts)}")
    program = parse(primitives, texts[0])
    most = int(program.length.max())
    cut = Programs(program.opcode[:, :most], program.value[:, :most], program.size[:, :most], program.length)
    return Numbers(primitives, cut)
