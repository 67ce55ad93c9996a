"""Complete searches that genomes guide. Whatever they say, every claim is proved by construction.

`Guided` is the search `few` of `jaxgp.search.proofs.depth`, with the values of trees where that has the number of
replies: forcing moves alone to the whole depth first, on the last move as well, with an exact table. One tree orders
the moves of the solver, another those of the other side.

Moves are valued on the boards after them, so they are made, and counted, to be sorted; then they are visited, those of
the greatest value first. Moves of equal value keep the order of the list, or those of the solver are ordered by their
number of replies, or this number is taken from their values: then trees that say nothing leave `few` as it is. Where a
tree reads no board, and replies do not count, no move is made for it.

`GuidedNumbers` is the search `dfpn_replies` of `jaxgp.search.proofs.numbers`. The same two trees say which of the moves
comes first on which the numbers say equally to go on. What a third tree says of a new board is added to its first proof
number or, where it is negative, to its first disproof number, without the sign. Trees that say nothing leave
`dfpn_replies` as it is.

`LazyWeighted` is the search `lazy` of `jaxgp.search.proofs.lazy`, whose weights an individual corrects; it has further
ones for what is seen of a board. Weights of 0 leave `lazy` as it is.

`WeightedFew` is `few` as well. From the number of replies to a move of the solver it takes the sum of what is seen
after the move, each with a weight. Weights of 0 leave `few` as it is, and none of them makes a move more than `few`
does to sort moves.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.machine.frames import MATE
from jaxgp.interpreter.machine.machine import Machine
from jaxgp.interpreter.machine.plan import FramePlan
from jaxgp.search.lookahead import Contexts
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.depth import DepthFirst
from jaxgp.search.proofs.lanes import DepthLane
from jaxgp.search.proofs.lazy import PARTS, Exponents, LazyNumbers
from jaxgp.search.proofs.native.generate import Sort
from jaxgp.search.proofs.numbers import NumberedLane, ProofNumbers
from jaxgp.search.proofs.programs import View
from jaxgp.search.proofs.roots import RootSearch

STEPS, COARSE = 1000, 4
"""Values are told apart that differ by one divided by so many; the second, where the number of replies counts too."""
MOST = 255
"""Replies that are told apart."""
FARTHEST = 1 << 19
"""The most parts, either way, that moves are told apart by."""
Order = Literal["list", "replies", "less"]
"""Of the solver's moves: by value, then as in the list or by the number of replies, or by value less that number."""


@dataclass(frozen=True, eq=False)
class _Individuals(RootSearch):
    """Individuals that guide a search, before that search among the bases.

    Attributes:
        view: what they see of a board after a move.
        plans: of the individuals; given with the roots, as is
        whose: int32[Q], the individual of each root.
    """

    view: View | None = None
    plans: Any = None
    whose: Array | None = None

    def search(
        self,
        states: States,
        limit: Array,
        count: Array | None = None,
        contexts: Contexts = (),
        whose: Array | None = None,
    ) -> Claims:
        """Search roots [Q] for individuals `whose` of plans `contexts`; see `RootSearch.search`."""
        guided = replace(self, plans=contexts, whose=whose)
        return super(_Individuals, guided).search(states, limit, count)

    def own_weights(self, root: Array) -> Array:
        """Return int32[W]: the weights of the individual that searches a root, where plans are int32[P, W]."""
        assert self.plans is not None
        assert self.whose is not None
        own: Array = self.plans[self.whose[root]]
        return own


@dataclass(frozen=True, eq=False)
class _Trees(_Individuals):
    """Trees as guided searches read them: plans are a `FramePlan`, and what they see is followed by the moves left.

    Attributes:
        primitives: the language of the trees; none of its functions makes moves.
    """

    primitives: PrimitiveSet | None = None

    def tree(self, root: Array, number: Array | int) -> Array:
        """Return int32[]: the place of a tree of the individual that searches a root."""
        assert self.primitives is not None
        assert self.whose is not None
        return len(self.primitives.roots) * self.whose[root] + number

    def values(self, trees: Array, before: States, action: Array, after: States, seen: Any, left: Array) -> Array:
        """Return float32[K]: what trees (int32[K]) say of the board after a move."""
        assert self.plans is not None
        assert self.view is not None
        assert self.primitives is not None
        plans: FramePlan = self.plans
        machine = Machine(self.primitives, 1, 1, plans.code.shape[-1], 1)
        wanted = jnp.ones(64, bool)
        features = jnp.append(self.view(before, action, after, seen, wanted).astype(jnp.float32), left)
        rows = jnp.broadcast_to(features, (len(trees), len(features)))
        values = machine.evaluate_pure(plans, trees, rows, plans.steps.max())
        roots = plans.root[trees].astype(jnp.int32)
        return jnp.clip(jnp.take_along_axis(values, roots[:, None], 1)[:, 0], -MATE, MATE)


@dataclass(frozen=True, eq=False)
class Guided(_Trees, DepthFirst):
    """A depth-first search for programs, with two trees of each individual.

    Attributes:
        equal: how moves of the solver are ordered.
    """

    equal: Order = "list"

    @property
    def rows(self) -> int:
        """Return F: all levels are sorted."""
        return 2 * self._most

    def row(self, level: Array) -> Array:
        """Return int32[]: the level itself."""
        return jnp.minimum(level, self.rows - 1)

    def sees(self, lane: DepthLane, level: Array) -> Array:
        """Return bool[]: whether moves are sorted by what is after them, which are not the solver's last one."""
        assert self.plans is not None
        tree, own = self.tree(lane.root, level % 2), level % 2 == 0
        reads = self.plans.reads[tree, self.plans.root[tree].astype(jnp.int32)]
        return jnp.where(own, (reads | (self.equal != "list")) & (lane.depth - level // 2 > 1), reads)

    def code(self, lane: DepthLane, before: States, action: Array, after: States, seen: Any) -> Array:
        """Return int32[]: the lower, the greater the value of a tree on the board after a move."""
        left = (lane.depth - lane.level // 2 - 1).astype(jnp.float32)
        [value] = self.values(self.tree(lane.root, lane.level % 2)[None], before, action, after, seen, left)
        if self.equal == "list":
            return jnp.round((MATE - value) * STEPS).astype(jnp.int32)
        replies = jnp.where(lane.level % 2 == 0, jnp.minimum(seen.count, MOST), 0)
        if self.equal == "less":
            return jnp.round((MATE - value + replies) * COARSE).astype(jnp.int32)
        return jnp.round((MATE - value) * COARSE).astype(jnp.int32) * (MOST + 1) + replies


@dataclass(frozen=True, eq=False)
class GuidedNumbers(_Trees, ProofNumbers):
    """A search by proof numbers for programs, with three trees of each individual."""

    def first(self, lane: NumberedLane, before: States, action: Array, after: States, seen: Any) -> tuple[Array, Array]:
        """Return int32[2], the first numbers of a board, and int32[]: moves with the lowest come first."""
        numbers, _ = ProofNumbers.first(self, lane, before, action, after, seen)
        trees = jnp.stack([self.tree(lane.root, before.to_move), self.tree(lane.root, 2)])
        left = self.problem.left(after).astype(jnp.float32)
        order, says = self.values(trees, before, action, after, seen, left)
        more = jnp.round(jnp.stack([jnp.maximum(says, 0), jnp.maximum(-says, 0)])).astype(jnp.int32)
        return numbers + more, jnp.round((MATE - order) * STEPS).astype(jnp.int32)


@dataclass(frozen=True, eq=False)
class WeightedFew(_Individuals, DepthFirst):
    """The search `few`, with weights of what is seen after a move of the solver.

    Plans are weights in parts, int32[P, F], of whole numbers, the first F of those that are seen.
    """

    @property
    def sort(self) -> Sort:
        """The number of replies less the weighted sum."""
        assert self.view is not None
        return WeighedReplies(self.view)

    @property
    def contexts(self) -> tuple[Contexts, Array | None]:
        """The weights of all individuals."""
        return self.plans, self.whose


@dataclass(frozen=True)
class WeighedReplies:
    """What `WeightedFew` sorts moves by.

    Attributes:
        view: what is seen of a board after a move.
    """

    view: View

    def __call__(self, contexts: Any, before: States, action: Array, after: States, seen: Any) -> Array:
        """Return int32[]: the number of replies less the sum of what is seen, by weights int32[1, F], moved above 0."""
        own: Array = contexts[0]
        shown = self.view(before, action, after, seen, jnp.arange(64) < len(own))[: len(own)]
        total = (own * jnp.round(shown).astype(jnp.int32)).sum()
        return FARTHEST + jnp.clip(PARTS * seen.count - total, -FARTHEST, FARTHEST)


@dataclass(frozen=True, eq=False)
class LazyWeighted(_Individuals, LazyNumbers):
    """The search `lazy`, with weights of an individual added to its own, and of what is seen of a board.

    Plans are weights in parts, int32[P, W + 2 F + 2 G]: first those of `Exponents`; then of what is seen where the
    other side is to move, in the proof number and in the disproof number; then the same where the solver is to move.

    Attributes:
        moved: the F features seen where the other side is to move, and what is taken from each, about its mean.
        replied: the same of G features where the solver is to move.
    """

    moved: tuple[tuple[int, int], ...] = ()
    replied: tuple[tuple[int, int], ...] = ()

    def weighed(self, lane: NumberedLane) -> Array:
        """Return int32[W]: the sum of both."""
        return super().weighed(lane) + self.own_weights(lane.root)[: len(Exponents._fields)]

    def more(self, lane: NumberedLane, before: States, action: Array, after: States, seen: Any) -> Array:
        """Return int32[2]: the sums of what is seen, each with its weight."""
        assert self.view is not None
        wanted = jnp.isin(jnp.arange(64), jnp.array([feature for feature, _ in (*self.moved, *self.replied)]))
        shown = jnp.round(self.view(before, action, after, seen, wanted)).astype(jnp.int32)
        begin = len(Exponents._fields)
        end = begin + 2 * len(self.moved)

        def weigh(weights: Array, features: tuple[tuple[int, int], ...]) -> Array:
            places, usual = np.array(features).T
            return (weights.reshape(2, -1) * (shown[places] - usual)).sum(1)

        own = self.own_weights(lane.root)
        theirs, mine = weigh(own[begin:end], self.moved), weigh(own[end:], self.replied)
        return jnp.where(after.to_move == 0, mine, theirs)
