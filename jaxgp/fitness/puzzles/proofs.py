"""Fitness on problems whose answer is a tree: which first move a search chooses, and how few moves it makes for that.

    fitness = sum over problems of correctness * 2^n * boards

n is how many moves of its own a problem gives the solver. Correctness is 1 for a first move that wins by force; other
moves may have a share of it, by `Problem.credit`. Boards are the nodes of the reference search, divided by those of the
individual. A search is truncated at a multiple of the nodes of the reference search; its choice counts all the same.

The formula of the source has no bound for boards, and multiplies partial credit by it as well. So a program that makes
hardly a move wins. Here only right moves have the factor, and it is bounded, unless the formula is wanted as printed.
By logarithms they have log2(1 + the factor) instead: then half as many nodes count alike for all searches.

A program that values first moves by what stands on the board is right more often than one that begins to search.
Where claims count, a right move that the search claims to win has correctness 1, a wrong one that it claims has -1, and
others have half their credit, or none in the later stage.

Source: M. Sipper, "Evolved to Win" (2011), section 6.3.4.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import comparable, count_distinct, leaders, take
from jaxgp.bits import extend
from jaxgp.contracts import Prover, States
from jaxgp.fitness.evaluation import MEASURE, Absolute, Evaluation, Standing, check_worth, child, worth
from jaxgp.genotypes.language import Genome, Language, language_of, sizes
from jaxgp.printable import brief
from jaxgp.search.proofs.programs import ProgramClaims

LATER = 0.75
"""The share of problems that the best individual solves from which on the later stage begins."""
SHORT = 2
"""Problems of so many moves count without boards before the later stage."""


@struct.dataclass
class Proofs:
    """What individuals did on problems, of any batch shape."""

    right: Array  # bool[...]: a first move that wins by force was chosen
    claimed: Array  # bool[...]: the search says that its move wins by force
    credit: Array  # float32[...]
    nodes: Array  # int32[...]
    chosen: Array  # int32[...]
    truncated: Array  # bool[...]


@struct.dataclass
class ProofStage:
    """What is carried from generation to generation, and how the fittest of this one stand."""

    later: Array  # bool[]: correctness is 0 or 1, and boards count for all n
    best: Array  # int32[]
    fitness: Array  # float32[], as of the later stage, from all problems
    points: Array  # float32[1]
    metrics: dict[str, Array]


@dataclass(frozen=True, eq=False)
class ProofFitness(Absolute[ProofStage]):
    """See above; fitness = max(minimum, scale * the sum - parsimony * size).

    The fittest of a generation are measured on all problems, as in the later stage; the best of them stands. This is a
    second round of one loop, since a search takes long to compile.

    Attributes:
        prover: searches for each individual.
        states: [N], the problems.
        lengths: int[N], their n.
        winning: int32[N, K], the first moves that win by force, then -1; None: where the prover proves what it claims,
            its claims are right, and others get no credit.
        reference: int32[N], the nodes of the reference search.
        each: problems of each n that a generation draws.
        measured: how many of the fittest are measured on all problems.
        boards: see above.
        most: the most that boards count where they are capped.
        factor: a search is truncated at so many times the nodes of the reference search.
        limit: the most nodes of a search, whatever the reference search took.
        claims: whether claims count, see above.
        staged: whether there is a later stage; else all generations have the first one.
        strict: whether all generations have the later one.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
    """

    prover: Prover
    states: States
    lengths: np.ndarray
    winning: np.ndarray | None
    reference: np.ndarray
    each: int = 5
    measured: int = 1
    boards: Literal["capped", "logarithm", "printed"] = "capped"
    most: float = 8.0
    factor: float = 1.5
    limit: int = 10_000
    claims: bool = False
    staged: bool = True
    strict: bool = False
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

    @cached_property
    def each_length(self) -> list[int]:
        """The n that there are."""
        return [int(n) for n in np.unique(self.lengths)]

    def init(self, key: Array) -> ProofStage:
        """Return the first stage."""
        del key
        names = ("standing_solved", "standing_nodes", *(f"standing_solved_{n}" for n in self.each_length))
        none = {name: jnp.float32(0) for name in names}
        return ProofStage(jnp.bool_(self.strict), jnp.int32(0), jnp.float32(0), jnp.zeros(1), none)

    def draw(self, key: Array) -> Array:
        """Return int32[B]: the problems that a generation draws, as many of each n; long searches come first."""
        drawn = []
        for n in self.each_length:
            own = np.flatnonzero(self.lengths == n)
            mixed = jax.random.permutation(jax.random.fold_in(key, np.uint32(n)), jnp.asarray(own, jnp.int32))
            drawn.append(mixed[: self.each])
        which = jnp.concatenate(drawn)
        return which[jnp.argsort(-jnp.asarray(self.reference)[which])]

    def evaluate(self, key: Array, population: Genome, memory: ProofStage) -> tuple[Evaluation, ProofStage]:
        """Measure a population [P, ...] on the problems that this generation draws, and the fittest on all."""
        which, size = self.draw(child(key, MEASURE)), sizes(population).astype(jnp.float32)
        count, drawn, pool = len(size), len(which), len(self.lengths)
        leader, plans = leaders(population), self.prover.prepare(population)
        every = np.argsort(-self.reference, kind="stable")
        queue = max(count * drawn, self.measured * pool)
        terms = self.scale, self.parsimony, self.minimum

        def fill(x: Array, beyond: int) -> Array:
            return jnp.full(queue, beyond, jnp.int32).at[: len(x)].set(x)

        own = jnp.tile(jnp.arange(count), drawn)
        # Of those that are equal the first searches; a search that may make no move makes none.
        leads = leader[own] == own
        at = fill(jnp.repeat(which, count), 0), fill(jnp.repeat(jnp.asarray(every), self.measured), 0)

        def of_round(best: Array, number: Array) -> tuple[Array, tuple[Proofs, Array]]:
            first = number == 0
            problem = jnp.where(first, at[0], at[1])
            whose = jnp.where(first, fill(own, 0), fill(jnp.tile(best, pool), 0))
            searches = (
                jnp.where(first, fill(leads.astype(jnp.int32), 0), fill(jnp.ones(self.measured * pool, jnp.int32), 0))
                != 0
            )
            found, idle = self.search(plans, whose, problem, searches)
            mine = self._first(found, drawn, leader)
            worths = worth(self.points(mine, which, memory.later).sum(1), size, *terms)
            best = jnp.where(first, lax.top_k(comparable(worths), self.measured)[1], best)
            return best, (found, idle)

        start = jnp.zeros(self.measured, jnp.int32)
        best, (both, idle) = lax.scan(of_round, start, jnp.arange(2))
        found = self._first(jax.tree.map(lambda x: x[0], both), drawn, leader)
        points = self.points(found, which, memory.later)
        behaviour = jnp.zeros((count, 2), jnp.uint32)
        for number in range(drawn):
            behaviour = extend(extend(behaviour, found.chosen[:, number]), found.nodes[:, number])
        fittest = best[0]
        metrics = {
            "evaluations": jnp.int32(count * drawn + self.measured * pool),
            "nodes": both.nodes.astype(jnp.float32).sum(),
            "solved": self._solved(found).mean(),
            "best_solved": self._solved(found)[fittest].mean(),
            "truncated": found.truncated.mean(),
            "idle": idle[0],
            "later": memory.later,
            "unique_behaviours": count_distinct(behaviour),
        }
        result = Evaluation(
            worth(points.sum(1), size, *terms),
            points.sum(1)[:, None],
            metrics,
            worth(points.T * drawn, size, *terms),
            behaviour=behaviour,
        )
        # The source says it of the best individuals; a generation decides for the next one.
        later = memory.later | (self.staged & (self._solved(found)[fittest].mean() >= LATER))
        measured = jax.tree.map(lambda x: x[1, : self.measured * pool].reshape(pool, self.measured).T, both)
        return result, self._stand(measured, every, best, size, later)

    @staticmethod
    def _first(found: Proofs, drawn: int, leader: Array) -> Proofs:
        """Return what P individuals did in the first round, [P, B], from results [Q]."""
        count = len(leader)
        return jax.tree.map(lambda x: x[: drawn * count].reshape(drawn, count).T[leader], found)

    def _stand(self, found: Proofs, every: np.ndarray, best: Array, size: Array, later: Array) -> ProofStage:
        """Return the stage, and how the best of those stand that were measured, [measured, N]."""
        points = self.points(found, jnp.asarray(every), jnp.bool_(True)).sum(1)
        fitness = worth(points, size[best], self.scale, self.parsimony, self.minimum)
        first = jnp.argmax(comparable(fitness))
        right, nodes = self._solved(found)[first], found.nodes[first].astype(jnp.float32)
        metrics = {
            "standing_solved": right.mean(),
            "standing_nodes": nodes.sum() / np.float32(self.reference.sum()),
            **{f"standing_solved_{n}": right[self.lengths[every] == n].mean() for n in self.each_length},
        }
        return ProofStage(later, best[first], fitness[first], points[first][None], metrics)

    def standing(
        self, key: Array, result: Evaluation, population: Genome, memory: ProofStage
    ) -> tuple[Standing, ProofStage]:
        """Return the best of the fittest by all problems, as `evaluate` has found it."""
        del key, result, population
        metrics = {**memory.metrics, "best_standing": memory.fitness}
        return Standing(memory.best, memory.fitness, memory.points, jnp.bool_(False), metrics), memory

    def search(self, plans: Any, whose: Array, at: Array, searches: Array) -> tuple[Proofs, Array]:
        """Search problems `at` (int32[Q]) for individuals; return also float32[], the share of lanes without work."""
        reference = jnp.asarray(self.reference)[at]
        most = jnp.minimum(jnp.ceil(self.factor * reference), self.limit).astype(jnp.int32)
        states = take(jax.tree.map(jnp.asarray, self.states), at)
        found = self.prover.prove(plans, whose, states, jnp.where(searches, most, 0))
        right = found.solved
        credit = right.astype(jnp.float32)
        if self.winning is not None:
            keys = jnp.asarray(self.winning)[at]
            near = jax.vmap(jax.vmap(self.prover.problem.credit, (None, 0)))(found.chosen, keys)
            credit = jnp.where((keys >= 0) & (found.chosen >= 0)[:, None], near, 0.0).max(1)
            right = ((keys == found.chosen[:, None]) & (keys >= 0)).any(1)
        idle = jnp.float32(0)
        if isinstance(found, ProgramClaims):
            lanes = getattr(self.prover, "lanes", 1)
            idle = 1 - found.boards.sum() / jnp.maximum(found.iterations * lanes, 1)
        return Proofs(right, found.solved, credit, found.nodes, found.chosen, found.truncated), idle

    def _solved(self, found: Proofs) -> Array:
        """Return bool[...]: a right first move was chosen, and claimed to win where claims count."""
        return found.right & found.claimed if self.claims else found.right

    def points(self, found: Proofs, which: Array, later: Array) -> Array:
        """Return float32[..., B]: what each problem (int32[B]) adds to the fitness."""
        n, reference = jnp.asarray(self.lengths)[which], jnp.asarray(self.reference)[which].astype(jnp.float32)
        ratio = reference / jnp.maximum(found.nodes, 1)
        counts = later | (n > SHORT)
        correct = jnp.where(later, found.right.astype(jnp.float32), found.credit)
        whole = found.right
        if self.claims:
            whole = found.claimed
            correct = jnp.where(whole, jnp.where(found.right, 1.0, -1.0), jnp.where(later, 0.0, correct / 2))
        if self.boards == "capped":
            ratio = jnp.where(whole, jnp.minimum(ratio, self.most), 1.0)
        elif self.boards == "logarithm":
            ratio = jnp.where(whole, jnp.log2(1 + ratio), 1.0)
        return correct * 2.0**n * jnp.where(counts, ratio, 1.0)
