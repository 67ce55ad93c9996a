"""Fitness on instances of a puzzle: how many nodes a search saves when an individual orders its moves.

The score on an instance is 1 - nodes / nodes of blind search, and 0 where no solution is found. A search stops where
blind search was done, or at a multiple of that, since there is nothing left to save; and at a limit that keeps hopeless
searches short.

Every generation draws new instances, the same ones for all individuals, so fitness values of two generations cannot be
compared. So other instances, which are never drawn, measure the fittest of every generation. The champion of a run is
the best of these.

Source: M. Sipper, "Evolved to Win" (2011), section 10.2.4: "For each solved board we assigned to the individual a score
equal to the percentage of nodes reduced, compared with searching with no heuristics. For unsolved boards the score was
0. Scores were averaged over 10 randomly selected boards from the training set."
"""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import comparable, count_distinct, leaders, take
from jaxgp.bits import extend
from jaxgp.contracts import Solver, Standing, States
from jaxgp.fitness.evaluation import Absolute, Evaluation, child, worth
from jaxgp.genotypes.language import Genome, sizes

DRAW = 0
"""The child of a generation's key that instances are drawn with."""


@struct.dataclass
class Searched:
    """What P individuals did on B instances."""

    share: Array  # float32[P, B]: nodes as a share of those of blind search, at least 1 where unsolved
    nodes: Array  # int32[P, B]
    solved: Array  # bool[P, B]

    @property
    def saved(self) -> Array:
        """float32[P, B]: share of the nodes of blind search that was saved, 0 where unsolved."""
        return jnp.maximum(1 - self.share, 0.0)


@dataclass(frozen=True, eq=False)
class SuiteFitness(Absolute[Array]):
    """fitness = max(minimum, scale * mean share of nodes saved - parsimony * size).

    The memory is int32[N + V]: the nodes of blind search for each instance, at most the limit of the solver. They are
    found once, before the first generation.

    Attributes:
        solver: searches for each individual.
        training: [N], the instances that generations draw from.
        validation: [V], the instances that measure the fittest of each generation.
        boards: instances that a generation draws.
        factor: nodes that an individual may visit, as a multiple of those of blind search.
        limit: nodes that an individual may visit, whatever blind search took.
        measured: how many of the fittest are measured by the validation instances.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
    """

    solver: Solver
    training: States
    validation: States
    boards: int
    factor: float = 1.0
    limit: int = 10_000
    measured: int = 1
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None

    seats: ClassVar[int] = 1

    def init(self, key: Array) -> Array:
        """Return the nodes of blind search for all instances, which may take a while."""
        del key
        every = jax.tree.map(
            lambda *x: jnp.concatenate([jnp.asarray(part) for part in x]), self.training, self.validation
        )
        limits = jnp.full(_number(every), self.solver.limit, jnp.int32)
        return self.solver.blind(every, limits).nodes

    def evaluate(self, key: Array, population: Genome, memory: Array) -> tuple[Evaluation, Array]:
        """Measure a population [P, ...] on the instances that this generation draws."""
        drawn = jax.random.permutation(child(key, DRAW), _number(self.training))[: self.boards]
        found = self.search(population, take(jax.tree.map(jnp.asarray, self.training), drawn), memory[drawn])
        fitness, points = self._fitness(found, population)
        behaviour = jnp.zeros((len(fitness), 2), jnp.uint32)
        for nodes in found.nodes.T:
            behaviour = extend(behaviour, nodes)
        best = jnp.argmax(comparable(fitness))
        metrics = {
            "evaluations": jnp.int32(found.nodes.size),
            "nodes": found.nodes.astype(jnp.float32).sum(),
            "solved": found.solved.mean(),
            "saved": found.saved.mean(),
            "best_solved": found.solved[best].mean(),
            "unique_behaviours": count_distinct(behaviour),
        }
        cases = worth(found.saved.T, sizes(population), self.scale, self.parsimony, self.minimum)
        return Evaluation(fitness, points, metrics, cases, behaviour=behaviour), memory

    def search(self, population: Genome, states: States, blind: Array) -> Searched:
        """Search all instances [B] for all individuals [P, ...]; `blind` is int32[B], the nodes of blind search.

        Individuals that are equal search alike, so the first of them searches for all.
        """
        count, boards, leader = len(sizes(population)), len(blind), leaders(population)
        # The hardest instances come first in the queue, so that no long search begins when the others are done.
        hardest = jnp.argsort(-blind)
        which, whose = jnp.repeat(hardest, count), jnp.tile(jnp.arange(count, dtype=jnp.int32), boards)
        # One more node than blind search visits: the last one is visited at the limit, and not looked at.
        most = jnp.ceil(self.factor * blind.astype(jnp.float32)).astype(jnp.int32) + 1
        limits = jnp.minimum(most, self.limit)
        limit = jnp.where(leader[whose] == whose, limits[which], 1)  # a search of one node ends as it begins
        roots = take(jax.tree.map(jnp.asarray, states), which)
        found = self.solver.solve(self.solver.prepare(population), whose, roots, limit)

        def in_order(x: Array) -> Array:
            """Return the results by individual and instance, [P, B]."""
            return x.reshape(boards, count)[jnp.argsort(hardest)].T[leader]

        nodes, solved = in_order(found.nodes), in_order(found.solved)
        share = nodes.astype(jnp.float32) / jnp.maximum(blind, 1)
        share = jnp.where(solved, share, jnp.maximum(share, 1.0))  # giving up early is no merit
        return Searched(share, nodes, solved)

    def standing(self, key: Array, result: Evaluation, population: Genome, memory: Array) -> tuple[Standing, Array]:
        """Measure the fittest of a population on the validation instances; the best by this measure stands."""
        del key
        fittest = lax.top_k(comparable(result.fitness), self.measured)[1]
        measured = take(population, fittest)
        found = self.search(measured, self.validation, memory[_number(self.training) :])
        fitness, points = self._fitness(found, measured)
        best = jnp.argmax(comparable(fitness)).astype(jnp.int32)
        metrics = {
            "evaluations": result.metrics["evaluations"] + jnp.int32(found.nodes.size),
            "nodes": result.metrics["nodes"] + found.nodes.astype(jnp.float32).sum(),
            "best_standing": fitness[best],
            "standing_solved": found.solved[best].mean(),
            "standing_nodes": found.share[best].mean(),
        }
        return Standing(fittest[best], fitness[best], points[best], jnp.bool_(False), metrics), memory

    def again(self, key: Array, genomes: Genome, memory: Array) -> tuple[Array, Array]:
        """Return float32[K] fitness and float32[K, 1] points of individuals [K, ...] on the validation instances."""
        del key
        return self._fitness(self.search(genomes, self.validation, memory[_number(self.training) :]), genomes)

    def _fitness(self, found: Searched, population: Genome) -> tuple[Array, Array]:
        points = found.saved.mean(1)
        size = sizes(population).astype(jnp.float32)
        return worth(points, size, self.scale, self.parsimony, self.minimum), points[:, None]


def apart(number: int, validation: int) -> np.ndarray:
    """Return bool[N]: which of a number of instances are set apart for validation, spread evenly over their order."""
    chosen = np.zeros(number, bool)
    chosen[((np.arange(validation) + 0.5) * number / max(validation, 1)).astype(int)] = True
    return chosen


def _number(states: States) -> int:
    return len(jax.tree.leaves(states)[0])
