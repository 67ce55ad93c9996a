"""Evolution of vectors of numbers by a normal distribution that adapts: CMA-ES with a diagonal covariance matrix.

Sources: N. Hansen, "The CMA Evolution Strategy: A Tutorial" (2016), for the update and its constants; R. Ros and
N. Hansen, "A Simple Modification in CMA-ES Achieving Linear Time and Space Complexity" (2008), for the diagonal matrix,
which learns (N + 2) / 3 times as fast. Weights of the worse half of a sample are 0.

An individual has one constant in each of its trees, of a domain from `low` to `high`. The distribution is over x, where
a constant is low + (high - low) / (1 + exp(-x)); so no constant ever leaves its domain, and each individual says what
its x is. The first individual of each generation is the mean of the distribution: it is measured as all are, and may
become the champion, but the update does not count it as drawn.
"""

from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import comparable, count_unique
from jaxgp.checks.values import check_parts
from jaxgp.evolution.generational import BREED, Metrics, size_metrics
from jaxgp.evolution.options import CMAOptions
from jaxgp.fitness.evaluation import Evaluation, child
from jaxgp.genotypes.primitives import Floats, PrimitiveSet
from jaxgp.genotypes.programs import Programs

FARTHEST = 12.0
"""|x| at most: beyond it constants are hardly told apart in float32."""


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


def fits(primitives: PrimitiveSet) -> bool:
    """Whether the individuals of a set are vectors of numbers: each tree is a constant with bounds, and only that."""
    return not primitives.functions and all(_domain(primitives, root) is not None for root in primitives.roots)


def _domain(primitives: PrimitiveSet, root: str) -> Floats | None:
    """Return the domain of the only primitive that a tree can be, if it is a constant with bounds."""
    there = [one.domain for one in primitives.terminals if one.returns == root]
    return there[0] if len(there) == 1 and isinstance(there[0], Floats) else None


@dataclass(frozen=True)
class SeparableCMA:
    """A `Scheme`: individuals are drawn from a distribution, which moves towards the best of them.

    Attributes:
        primitives: of vectors of numbers; see `fits`.
        options: how many individuals, and where the distribution begins.

    Raises:
        ValueError: individuals of another form.
    """

    primitives: PrimitiveSet
    options: CMAOptions

    def __post_init__(self) -> None:
        check_parts(self, primitives=PrimitiveSet, options=CMAOptions)
        if not fits(self.primitives):
            raise ValueError(f"{self.primitives.name}: accepted: sets whose trees are single constants with bounds")

    @property
    def population(self) -> int:
        """P: the mean, and those that are drawn."""
        return self.options.population

    @property
    def kept(self) -> int:
        """None of a population stays in the next one."""
        return 0

    @cached_property
    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """float32[N] each: the least constant of each tree, and the width of its domain."""
        domains = [_domain(self.primitives, root) for root in self.primitives.roots]
        low, high = np.array([(one.low, one.high) for one in domains if one is not None], np.float32).T
        return low, high - low

    @cached_property
    def _opcodes(self) -> np.ndarray:
        """int16[N]: the constant of each tree."""
        returned = [one.returns for one in self.primitives.primitives]
        return np.array([returned.index(root) for root in self.primitives.roots], np.int16)

    def init(self) -> Distribution:
        """Return the distribution of the first generation."""
        zeros = jnp.zeros(self.primitives.num_trees, jnp.float32)
        start = self.options.start
        mean = zeros + np.float32(np.log(start / (1 - start)))
        return Distribution(mean, jnp.float32(self.options.step), zeros + 1, zeros, zeros, jnp.int32(0))

    def create(self, key: Array, count: int) -> Programs:
        """Return individuals [count, N, 1] of the first distribution, the first one its mean."""
        return self._drawn(key, self.init(), count)

    def _drawn(self, key: Array, about: Distribution, count: int) -> Programs:
        """Return individuals of a distribution, the first one its mean."""
        normal = jax.random.normal(key, (count, self.primitives.num_trees)).at[0].set(0.0)
        return self.individuals(about.mean + about.step * jnp.sqrt(about.variances) * normal)

    def individuals(self, x: Array) -> Programs:
        """Return individuals [P, N, 1], given x, float32[P, N]."""
        low, width = self._bounds
        value = low + width * jax.nn.sigmoid(jnp.clip(x, -FARTHEST, FARTHEST))
        one = jnp.ones((*x.shape, 1), jnp.int16)
        return Programs(one * self._opcodes[:, None], value[..., None], one, jnp.ones(x.shape, jnp.int32))

    def vectors(self, population: Programs) -> Array:
        """Return x, float32[P, N], given individuals [P, N, 1]."""
        low, width = self._bounds
        share = (population.value[..., 0] - low) / width
        least = np.float32(1 / (1 + np.exp(FARTHEST)))
        share = jnp.clip(share, least, 1 - least)
        return jnp.log(share) - jnp.log1p(-share)

    def breed(
        self, key: Array, population: Programs, result: Evaluation, memory: Distribution
    ) -> tuple[Programs, Distribution, Metrics]:
        """Return the next population [P, N, 1], of the distribution that has moved towards the fittest of this one."""
        moved = self.updated(memory, self.vectors(population)[1:], result.fitness[1:])
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
