"""Fitness on instances of a puzzle: how many nodes a search saves when an individual orders its moves.

The reference search of a puzzle is the one without individuals. The score on an instance is 1 - nodes / nodes of the
reference search. By choice it is 1 - log(nodes) / log(nodes of the reference search); or log(nodes of the reference
search / nodes), so that the mean is the logarithm of a geometric mean of ratios. It is 0 where no solution is found. A
search stops at a multiple of the nodes of the reference search, and at a limit that keeps hopeless searches short.

Every generation draws new instances, the same ones for all individuals, so fitness values of two generations cannot be
compared. A referee with other instances, all of which it uses, can measure the fittest of every generation.

Source: M. Sipper, "Evolved to Win" (2011), section 10.2.4: "For each solved board we assigned to the individual a score
equal to the percentage of nodes reduced, compared with searching with no heuristics. For unsolved boards the score was
0. Scores were averaged over 10 randomly selected boards from the training set." Section 11.2.3 adds a small score for
solutions that save nothing, and a number of nodes for what the reference search does not solve.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array
from jax.sharding import Mesh

from jaxgp.arrays import comparable, count_distinct, in_chunks, in_shares, leaders, take
from jaxgp.bits import extend
from jaxgp.checks.values import real, whole
from jaxgp.contracts import Scheme, Solver, States
from jaxgp.errors import reject
from jaxgp.fitness.evaluation import MEASURE, Absolute, Evaluation, check_worth, child, worth
from jaxgp.games.casting import Cast
from jaxgp.genotypes.language import Genome, Language, language_of, sizes
from jaxgp.printable import brief
from jaxgp.spec import Instances

SCORES = ("share", "log", "ratio")
"""What a solution may be worth: see `SuiteFitness.score`."""


@struct.dataclass
class SuiteResults:
    """What P individuals did on B instances each."""

    share: Array  # float32[P, B]: cost as a share of that of the reference search, at least 1 where unsolved
    nodes: Array  # int32[P, B]
    solved: Array  # bool[P, B]
    score: Array  # float32[P, B]: what the solution is worth; see `SuiteFitness.score`


@dataclass(frozen=True, eq=False)
class SuiteFitness(Absolute[Array]):
    """fitness = max(minimum, scale * mean score - parsimony * size).

    The memory is int32[N]: the cost of the reference search for each instance, found once, before the first
    generation. A cost is a number of nodes: those that a search visits, or those whose moves it lists.

    Attributes:
        solver: searches for each individual.
        instances: [N], those that generations draw from.
        boards: how many a generation draws; a referee uses all instances.
        factor: nodes that an individual may visit, as a multiple of the cost of the reference search; without meaning
            if nodes expanded are counted.
        limit: nodes that an individual may visit, whatever the reference search took.
        reference: nodes at which the reference search gives up; None: those of the solver; 0: there is no such search,
            and every instance counts with `unsolved`.
        unsolved: the cost of the reference search where it finds no solution; None: what it was.
        score: what a solution is worth: the share of the cost of the reference search that it saves; the share of its
            logarithm, `log`; or the logarithm of how many times it has less, `ratio`.
        by_expanded: whether nodes expanded are the cost, instead of nodes visited.
        partial: the score of a solution with as many nodes as the reference search has; it falls to 0 with twice as
            many. A solution that saves less than this share scores less, as in the source.
        scale: see above, as are `parsimony` and `minimum` (None: no bound).
        chunk: individuals that search at a time, at most; None: all. It changes nothing of the result.
        mesh: of devices that share the individuals; they change nothing of it either.
    """

    solver: Solver
    instances: States
    boards: int
    factor: float = 1.0
    limit: int = 10_000
    reference: int | None = None
    unsolved: int | None = None
    score: str = "share"
    by_expanded: bool = False
    partial: float = 0.0
    scale: float = 1.0
    parsimony: float = 0.0
    minimum: float | None = None
    chunk: int | None = None
    mesh: Mesh | None = None

    seats: ClassVar[int] = 1

    __repr__ = brief

    def __post_init__(self) -> None:
        if not hasattr(self.solver, "solve"):
            reject("solver", type(self.solver).__name__, "an actor that solves puzzles, such as that of a cast")
        whole("boards", self.boards, 1)
        real("factor", self.factor, 0, above=True)
        whole("limit", self.limit, 1)
        for name, least in (("reference", 0), ("unsolved", 1)):
            if (nodes := getattr(self, name)) is not None:
                whole(name, nodes, least, or_null=True)
        if self.reference == 0 and self.unsolved is None:
            reject("unsolved", None, "a whole number from 1 with reference=0")
        if self.score not in SCORES:
            reject("score", self.score, ", ".join(SCORES))
        real("partial", self.partial, 0, 1)
        check_worth(self.scale, self.parsimony, self.minimum)

    @property
    def language(self) -> Language | None:
        """What the solver's individuals are written in."""
        return language_of(self.solver)

    def check(self, scheme: Scheme) -> None:
        """Refuse a scheme whose individuals cannot be measured, or that has too few; raises UsageError."""
        super().check(scheme)
        whole("boards", self.boards, 1, self.number, "the training instances")

    @property
    def number(self) -> int:
        """N."""
        return len(jax.tree.leaves(self.instances)[0])

    def init(self, key: Array) -> Array:
        """Return the cost of the reference search for all instances, which may take a while."""
        del key
        if self.reference == 0:
            return jnp.full(self.number, self.unsolved or 0, jnp.int32)
        most = self.solver.limit if self.reference is None else self.reference
        instances = jax.tree.map(jnp.asarray, self.instances)
        found = self.solver.baseline(instances, jnp.full(self.number, most, jnp.int32))
        cost = found.expanded if self.by_expanded else found.nodes
        return cost if self.unsolved is None else jnp.where(found.solved, cost, self.unsolved)

    def in_chunks(self, chunk: int | None) -> "SuiteFitness":
        """Return the fitness for which this many individuals search at a time; see `chunk`."""
        return replace(self, chunk=chunk)

    def shared(self, mesh: Mesh | None) -> "SuiteFitness":
        """Return the fitness whose individuals are shared by the devices of a mesh."""
        return replace(self, mesh=mesh)

    def evaluate(self, key: Array, population: Genome, memory: Array) -> tuple[Evaluation, Array]:
        """Measure a population [P, ...] on the instances that this generation draws."""
        drawn = jax.random.permutation(child(key, MEASURE), self.number)[: self.boards]
        result, found = self.judged(population, jnp.tile(drawn, (len(sizes(population)), 1)), memory)
        # With the same instances for all, an instance is a case.
        cases = worth(found.score.T, sizes(population), self.scale, self.parsimony, self.minimum)
        return result.replace(cases=cases), memory  # type: ignore[attr-defined]

    def judged(self, population: Genome, which: Array, reference: Array) -> tuple[Evaluation, SuiteResults]:
        """Measure a population [P, ...] on instances `which`, int32[P, B]; see `init` for the reference."""
        found = self.search(population, reference, which)
        fitness, points = self._fitness(found, population)
        behaviour = jnp.zeros((len(fitness), 2), jnp.uint32)
        for number in range(which.shape[1]):
            behaviour = extend(extend(behaviour, which[:, number]), found.nodes[:, number])
        best = jnp.argmax(comparable(fitness))
        metrics = {
            "evaluations": jnp.int32(found.nodes.size),
            "nodes": found.nodes.astype(jnp.float32).sum(),
            "solved": found.solved.mean(),
            "saved": found.score.mean(),
            "best_solved": found.solved[best].mean(),
            "unique_behaviours": count_distinct(behaviour),
        }
        return Evaluation(fitness, points, metrics, behaviour=behaviour), found

    def search(self, population: Genome, reference: Array, which: Array | None = None) -> SuiteResults:
        """Search instances for individuals. Of those that are equal and have the same instances, the first searches.

        Args:
            population: [P, ...].
            reference: int32[N], the cost of the reference search.
            which: int32[P, B], the instances of each individual; None: all of them.
        """
        count, leader = len(sizes(population)), leaders((population, which))
        which = jnp.tile(jnp.arange(self.number), (count, 1)) if which is None else which
        leads = leader == jnp.arange(count)

        def some(reference: Array, part: tuple[Genome, Array, Array]) -> tuple[Array, tuple[Array, Array, Array]]:
            return reference, self._search(reference, *part)

        own = partial(in_chunks, some, most=self.chunk)
        _, found = in_shares(own, reference, (population, which, leads), self.mesh)
        nodes, solved, expanded = take(found, leader)
        cost = expanded if self.by_expanded else nodes
        share = cost.astype(jnp.float32) / jnp.maximum(reference[which], 1)
        share = jnp.where(solved, share, jnp.maximum(share, 1.0))  # giving up early is no merit
        excess = self.partial * jnp.maximum(2 - share, 0.0)
        score = jnp.where(share < 1, self._saved(share, reference[which]), jnp.where(solved, excess, 0.0))
        return SuiteResults(share, nodes, solved, score)

    def _saved(self, share: Array, reference: Array) -> Array:
        """Return float32[P, B]: the score of solutions that cost a share of the reference, below 1."""
        if self.score == "ratio":
            return -jnp.log(jnp.maximum(share, np.finfo(np.float32).tiny))
        return 1 - jnp.log(share * reference) / jnp.log(reference) if self.score == "log" else 1 - share

    def _search(self, reference: Array, population: Genome, which: Array, leads: Array) -> tuple[Array, Array, Array]:
        """Return int32[P, B] nodes, bool[P, B] solved and int32[P, B] nodes expanded.

        Those who do not lead (bool[P]) search nothing.
        """
        count = len(leads)
        # The hardest instances come first in the queue, so that no long search begins when the others are done.
        order = jnp.argsort(-reference[which.T.reshape(-1)])
        instance, whose = which.T.reshape(-1)[order], order % count
        # One more node than the reference visits: the last one is visited at the limit, and not looked at.
        most = self.limit if self.by_expanded else jnp.ceil(self.factor * reference[instance].astype(jnp.float32)) + 1
        # A search of one node ends as it begins.
        limit = jnp.where(leads[whose], jnp.minimum(most, self.limit).astype(jnp.int32), 1)
        roots = take(jax.tree.map(jnp.asarray, self.instances), instance)
        found = self.solver.solve(self.solver.prepare(population), whose, roots, limit)

        def in_order(x: Array) -> Array:
            """Return the results by individual and instance, [P, B]."""
            return x[jnp.argsort(order)].reshape(-1, count).T

        return in_order(found.nodes), in_order(found.solved), in_order(found.expanded)

    def measure(self, key: Array, population: Genome, memory: Array) -> tuple[Evaluation, Array]:
        """Measure individuals [P, ...] on all instances, as a referee does. Nothing is drawn from the key."""
        del key
        found = self.search(population, memory)
        fitness, points = self._fitness(found, population)
        best = jnp.argmax(comparable(fitness))
        metrics = {
            "evaluations": jnp.int32(found.nodes.size),
            "nodes": found.nodes.astype(jnp.float32).sum(),
            "standing_solved": found.solved[best].mean(),
            "standing_nodes": found.share[best].mean(),
        }
        return Evaluation(fitness, points, metrics), memory

    def _fitness(self, found: SuiteResults, population: Genome) -> tuple[Array, Array]:
        points = found.score.mean(1)
        size = sizes(population).astype(jnp.float32)
        return worth(points, size, self.scale, self.parsimony, self.minimum), points[:, None]


def apart(number: int, validation: int) -> np.ndarray:
    """Return bool[N]: which of a number of instances are set apart for validation, spread evenly over their order."""
    chosen = np.zeros(number, bool)
    chosen[((np.arange(validation) + 0.5) * number / max(validation, 1)).astype(int)] = True
    return chosen


def instances(option: str, name: str | None, cast: Cast) -> Instances:
    """Return a suite of a puzzle, by its name or as a file; None: the game's first suite.

    Raises:
        UsageError: there is none, or it cannot be used; the message names the option.
    """
    spec = cast.spec
    if spec.instances is None:
        reject(option, name, f"none; {spec.name} has no suites of instances")
    if name is not None and not name.strip():
        reject(option, name, "the name of a suite, or a file of instances")
    if name is None and not spec.suites(cast.game):
        reject(option, None, f"a file of instances; none come with {spec.name} for these settings")
    return spec.instances.load(cast.game, name or spec.suites(cast.game)[0], option)
