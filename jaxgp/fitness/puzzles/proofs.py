"""Fitness on problems whose answer is a tree: which first move a search chooses, and how few moves it makes for that.

    fitness = sum over problems of correctness * 2^n * boards

n is how many moves of its own a problem gives the solver. Correctness is 1 for a first move that wins by force; other
moves may have a share of it, by `Problem.credit`. Boards are the nodes of the reference search, divided by those of the
individual. A search is truncated at a multiple of the nodes of the reference search; its choice counts all the same.

The formula of the source has no bound for boards, and multiplies partial credit by it as well. So a program that makes
hardly a move wins. Here only right moves have the factor, and it is bounded, unless the formula is wanted as printed.

Source: M. Sipper, "Evolved to Win" (2011), section 6.3.4.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import comparable, count_distinct, leaders, take
from jaxgp.bits import extend
from jaxgp.contracts import Prover, States
from jaxgp.fitness.evaluation import Absolute, Evaluation, check_worth, child, worth
from jaxgp.genotypes.language import Genome, Language, language_of, sizes
from jaxgp.printable import brief

DRAW = 0
"""The child of a generation's key that problems are drawn with."""
LATER = 0.75
"""The share of problems that the best individual solves from which on the later stage begins."""
SHORT = 2
"""Problems of so many moves count without boards before the later stage."""
MOST = 8.0
"""The most that boards count where they are capped."""


@struct.dataclass
class Proofs:
    """What P individuals did on B problems each."""

    right: Array  # bool[P, B]: a first move that wins by force was chosen
    credit: Array  # float32[P, B]
    nodes: Array  # int32[P, B]
    chosen: Array  # int32[P, B]
    truncated: Array  # bool[P, B]
    idle: Array  # float32[]: the share of lanes that had nothing to do


@dataclass(frozen=True, eq=False)
class ProofFitness(Absolute[Array]):
    """See above; fitness = max(minimum, scale * the sum - parsimony * size).

    The memory is bool[]: whether the later stage has begun, in which correctness is 0 or 1, and boards count for all n.

    Attributes:
        prover: searches for each individual.
        states: [N], the problems.
        lengths: int[N], their n.
        winning: int32[N, K], the first moves that win by force, then -1; None: where the prover proves what it claims,
            its claims are right, and others get no credit.
        reference: int32[N], the nodes of the reference search.
        each: problems of each n that a generation draws; a referee uses all.
        boards: see above.
        factor: a search is truncated at so many times the nodes of the reference search.
        limit: the most nodes of a search, whatever the reference search took.
        staged: whether there is a later stage; else all generations have the first one.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
    """

    prover: Prover
    states: States
    lengths: np.ndarray
    winning: np.ndarray | None
    reference: np.ndarray
    each: int = 5
    boards: Literal["capped", "printed"] = "capped"
    factor: float = 1.5
    limit: int = 10_000
    staged: bool = True
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None

    seats: ClassVar[int] = 1

    __repr__ = brief

    def __post_init__(self) -> None:
        check_worth(self.scale, self.parsimony, self.minimum)

    @property
    def language(self) -> Language | None:
        """What the prover's individuals are written in."""
        return language_of(self.prover)

    def init(self, key: Array) -> Array:
        """Return the first stage."""
        del key
        return jnp.bool_(False)

    def draw(self, key: Array) -> Array:
        """Return int32[B]: the problems that a generation draws, as many of each n."""
        drawn = []
        for n in np.unique(self.lengths):
            own = np.flatnonzero(self.lengths == n)
            mixed = jax.random.permutation(jax.random.fold_in(key, np.uint32(n)), jnp.asarray(own, jnp.int32))
            drawn.append(mixed[: self.each])
        return jnp.concatenate(drawn)

    def evaluate(self, key: Array, population: Genome, memory: Array) -> tuple[Evaluation, Array]:
        """Measure a population [P, ...] on the problems that this generation draws."""
        which = self.draw(child(key, DRAW))
        found = self.search(population, which)
        points = self.points(found, which, memory)
        size = sizes(population).astype(jnp.float32)
        terms = self.scale, self.parsimony, self.minimum
        fitness = worth(points.sum(1), size, *terms)
        best = jnp.argmax(comparable(fitness))
        behaviour = jnp.zeros((len(fitness), 2), jnp.uint32)
        for number in range(len(which)):
            behaviour = extend(extend(behaviour, found.chosen[:, number]), found.nodes[:, number])
        metrics = {
            "evaluations": jnp.int32(found.nodes.size),
            "nodes": found.nodes.astype(jnp.float32).sum(),
            "solved": found.right.mean(),
            "best_solved": found.right[best].mean(),
            "truncated": found.truncated.mean(),
            "idle": found.idle,
            "later": memory,
            "unique_behaviours": count_distinct(behaviour),
        }
        # The source says it of the best individuals; a generation decides for the next one.
        later = memory | (self.staged & (found.right[best].mean() >= LATER))
        cases = worth(points.T * len(which), size, *terms)
        return Evaluation(fitness, points.sum(1)[:, None], metrics, cases, behaviour=behaviour), later

    def measure(self, key: Array, population: Genome, memory: Array) -> tuple[Evaluation, Array]:
        """Measure individuals [P, ...] on all problems, as in the later stage. Nothing is drawn from the key."""
        del key
        which = jnp.arange(len(self.lengths))
        found = self.search(population, which)
        points = self.points(found, which, jnp.bool_(True)).sum(1)
        fitness = worth(points, sizes(population).astype(jnp.float32), self.scale, self.parsimony, self.minimum)
        best = jnp.argmax(comparable(fitness))
        metrics = {
            "evaluations": jnp.int32(found.nodes.size),
            "nodes": found.nodes.astype(jnp.float32).sum(),
            "standing_solved": found.right[best].mean(),
            "standing_nodes": found.nodes[best].astype(jnp.float32).sum() / np.float32(self.reference.sum()),
        }
        for n in np.unique(self.lengths):
            metrics[f"standing_solved_{n}"] = found.right[best][self.lengths == n].mean()
        return Evaluation(fitness, points[:, None], metrics), memory

    def search(self, population: Genome, which: Array) -> Proofs:
        """Search problems (int32[B]) for individuals [P, ...]. Of those that are equal the first searches."""
        count, problem = len(sizes(population)), self.prover.problem
        leader = leaders(population)
        reference = jnp.asarray(self.reference)[which]
        # The hardest problems come first in the queue, so that no long search begins when the others are done.
        order = jnp.argsort(-reference)
        at = jnp.repeat(which[order], count)
        whose = jnp.tile(jnp.arange(count), len(which))
        most = jnp.minimum(jnp.ceil(self.factor * reference[order]), self.limit).astype(jnp.int32)
        limits = jnp.where(leader[whose] == whose, jnp.repeat(most, count), 0)
        states = take(jax.tree.map(jnp.asarray, self.states), at)
        found = self.prover.prove(self.prover.prepare(population), whose, states, limits)
        right = found.solved
        credit = right.astype(jnp.float32)
        if self.winning is not None:
            keys = jnp.asarray(self.winning)[at]
            near = jax.vmap(jax.vmap(problem.credit, (None, 0)))(found.chosen, keys)
            credit = jnp.where((keys >= 0) & (found.chosen >= 0)[:, None], near, 0.0).max(1)
            right = ((keys == found.chosen[:, None]) & (keys >= 0)).any(1)
        back = jnp.argsort(order)

        def sorted_out(x: Array) -> Array:
            """Return results by individual and problem, [P, B]."""
            return x.reshape(len(which), count)[back].T[leader]

        busy, steps = getattr(found, "boards", None), getattr(found, "iterations", None)
        idle = jnp.float32(jnp.nan)
        if busy is not None and steps is not None:
            idle = 1 - busy.sum() / jnp.maximum(steps * getattr(self.prover, "lanes", 1), 1)
        return Proofs(*map(sorted_out, (right, credit, found.nodes, found.chosen, found.truncated)), idle=idle)

    def points(self, found: Proofs, which: Array, later: Array) -> Array:
        """Return float32[P, B]: what each problem adds to the fitness."""
        n, reference = jnp.asarray(self.lengths)[which], jnp.asarray(self.reference)[which].astype(jnp.float32)
        ratio = reference / jnp.maximum(found.nodes, 1)
        counts = later | (n > SHORT)
        correct = jnp.where(later, found.right.astype(jnp.float32), found.credit)
        if self.boards == "capped":
            ratio = jnp.where(found.right, jnp.minimum(ratio, MOST), 1.0)
        return correct * 2.0**n * jnp.where(counts, ratio, 1.0)
