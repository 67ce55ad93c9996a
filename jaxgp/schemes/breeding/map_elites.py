"""MAP-Elites: an archive keeps the fittest individual of each cell; parents are drawn uniformly among its individuals.

A cell holds individuals that are alike by some descriptors. So individuals compete with those of their own cell alone,
and the archive shows how good the best of each are. It wants a fitness whose values mean the same in every generation.

Source: J.-B. Mouret and J. Clune, "Illuminating search spaces by mapping elites" (2015), arXiv:1504.04909.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
from flax import struct
from jax import Array

from jaxgp.arrays import comparable, take
from jaxgp.checks.values import check_parts
from jaxgp.contracts import Metrics
from jaxgp.errors import reject
from jaxgp.evolution.generational import BREED, Elitist
from jaxgp.fitness.evaluation import Evaluation, child
from jaxgp.genotypes import programs
from jaxgp.genotypes.language import sizes
from jaxgp.genotypes.programs import Programs
from jaxgp.operators import variation
from jaxgp.schemes.map_elites import MapElitesOptions

Descriptor = Callable[[Programs, Evaluation], Array]
"""(individuals [P, T, L], what the fitness says of them) -> float32[P], from 0 to 1; more counts as 1, less as 0."""


@struct.dataclass
class Archive:
    """The fittest individual of each of C cells."""

    genomes: Programs  # [C, T, L]
    fitness: Array  # float32[C]; -inf: the cell is empty


@dataclass(frozen=True)
class Elites(Elitist):
    """Children of individuals of the archive, which every generation enters.

    Attributes:
        primitives: function and terminal set.
        options: of the archive, and of creation, crossover and mutation. There are no elites but those of the archive.
        descriptors: of your own, in place of those that `options.axes` names: each gives float32[P], from 0 to 1.
    """

    options: MapElitesOptions
    descriptors: tuple[Descriptor, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parts(self, options=MapElitesOptions)
        if not isinstance(self.descriptors, tuple) or not all(map(callable, self.descriptors)):
            reject("descriptors", self.descriptors, "a tuple of functions (population, evaluation) -> float32[P]")

    @property
    def _described(self) -> Sequence[Descriptor]:
        """What tells cells apart, an axis each."""
        known = {"size": self._size, "symbols": self._symbols, "balance": self._balance}
        return self.descriptors or [known[axis] for axis in self.options.axes]

    def init(self) -> Archive:
        """Return empty cells."""
        cells = self.options.bins ** len(self._described)
        genomes = programs.empty((cells, self.primitives.num_trees), self.options.capacity)
        return Archive(genomes, jnp.full(cells, -jnp.inf))

    def breed(
        self, key: Array, population: Programs, result: Evaluation, memory: Archive
    ) -> tuple[Programs, Archive, Metrics]:
        """Let a population [P, T, L] enter the archive; return children of individuals drawn from it."""
        draw_key, breed_key = jax.random.split(child(key, BREED))
        archive = enter(memory, population, comparable(result.fitness), self.cells(population, result))
        filled = archive.fitness > -jnp.inf
        number = filled.sum(dtype=jnp.int32)
        drawn = jax.random.randint(draw_key, (self.population,), 0, jnp.maximum(number, 1))
        parents = take(archive.genomes, jnp.argsort(~filled, stable=True)[drawn])
        # The parents are drawn already, so that each of them is as good as any other.
        alike = jnp.ones(self.population)
        offspring, bred = variation.breed(breed_key, self.primitives, replace(self.options, elites=0), parents, alike)
        mean = jnp.where(filled, archive.fitness, 0.0).sum() / jnp.maximum(number, 1)
        return offspring, archive, {**bred, "archive_filled": number, "archive_fitness": mean}

    def cells(self, population: Programs, result: Evaluation) -> Array:
        """Return int32[P]: the cell of each individual, by its descriptors."""
        bins, cell = self.options.bins, jnp.zeros(len(result.fitness), jnp.int32)
        for descriptor in self._described:
            share = jnp.nan_to_num(descriptor(population, result), nan=0.0, posinf=1.0, neginf=0.0)
            cell = cell * bins + jnp.clip((share * bins).astype(jnp.int32), 0, bins - 1)
        return cell

    def _size(self, population: Programs, result: Evaluation) -> Array:
        """Return float32[P]: the logarithm of the number of nodes, as a share of that of the greatest."""
        del result
        most = self.options.capacity * self.primitives.num_trees
        return jnp.log(sizes(population).astype(jnp.float32)) / jnp.log(float(max(most, 2)))

    def _symbols(self, population: Programs, result: Evaluation) -> Array:
        """Return float32[P]: how many primitives an individual uses, as a share of all."""
        del result
        live = jnp.arange(population.capacity) < population.length[..., None]
        names = jnp.arange(len(self.primitives.primitives))
        used = ((population.opcode[..., None] == names) & live[..., None]).any((1, 2))
        return (used.sum(1) - 1) / len(names)

    def _balance(self, population: Programs, result: Evaluation) -> Array:
        """Return float32[P]: the share of the points that an individual has from the first seat; 1/2 without any."""
        del population
        first, both = result.points[:, 0], result.points.sum(1)
        alone = result.points.shape[1] == 1
        return jnp.where((both > 0) & (not alone), first / jnp.where(both > 0, both, 1.0), 0.5)


def enter(archive: Archive, population: Programs, fitness: Array, cells: Array) -> Archive:
    """Put individuals into their cells, where they are fitter than who is there; of equals the first one.

    Args:
        archive: of C cells.
        population: [P, T, L].
        fitness: float32[P]; who has -inf does not enter.
        cells: int32[P], from 0 to C - 1.
    """
    count = len(archive.fitness)
    best = jnp.full(count, -jnp.inf).at[cells].max(fitness)
    wins = (fitness == best[cells]) & (fitness > archive.fitness[cells])
    winner = jnp.full(count, len(fitness)).at[cells].min(jnp.where(wins, jnp.arange(len(fitness)), len(fitness)))
    enters = winner < len(fitness)
    chosen = take(population, jnp.minimum(winner, len(fitness) - 1))

    def put(old: Array, new: Array) -> Array:
        return jnp.where(enters.reshape(-1, *[1] * (old.ndim - 1)), new, old)

    return Archive(jax.tree.map(put, archive.genomes, chosen), jnp.where(enters, best, archive.fitness))
