"""A complete search that programs guide: one tree orders the moves of the solver, another those of the other side.

It is the search `few` of `jaxgp.search.proofs.depth`, with the values of a tree where that has the number of replies:
forcing moves alone to the whole depth first, on the last move as well, with an exact table. So every claim is proved by
construction, whatever the programs say; they decide how many nodes it takes.

Moves are valued on the boards after them, so they are made, and counted, to be sorted; then they are visited, those of
the greatest value first. Moves of equal value keep the order of the list. Where a tree reads no board, no move is made
for it, and moves are visited in the order of the list.
"""

from dataclasses import dataclass, replace
from typing import Any, cast

import jax.numpy as jnp
from jax import Array

from jaxgp.contracts import States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.frames import FramePlan
from jaxgp.interpreter.machine import MATE, Machine
from jaxgp.search.lookahead import Contexts
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.depth import DepthFirst, _Lane
from jaxgp.search.proofs.programs import View

STEPS = 1000
"""Values are told apart that differ by one divided by so many."""
TREES = 2


@dataclass(frozen=True, eq=False)
class Guided(DepthFirst):
    """A depth-first search for programs.

    Attributes:
        primitives: the language of the trees; none of its functions makes moves.
        view: what they see; the moves that the solver has left follow.
        plans: of the trees, [2 P], two of each individual; given with the roots, as is
        whose: int32[Q], the individual of each root.
    """

    primitives: PrimitiveSet | None = None
    view: View | None = None
    plans: FramePlan | None = None
    whose: Array | None = None

    def search(
        self,
        states: States,
        limit: Array,
        count: Array | None = None,
        contexts: Contexts = (),
        whose: Array | None = None,
    ) -> Claims:
        """Search roots [Q] for individuals `whose` of plans `contexts`; see `DepthFirst.search`."""
        return DepthFirst.search(replace(self, plans=cast(FramePlan, contexts), whose=whose), states, limit, count)

    @property
    def rows(self) -> int:
        """Return F: all levels are sorted."""
        return 2 * self._most

    def row(self, level: Array) -> Array:
        """Return int32[]: the level itself."""
        return jnp.minimum(level, self.rows - 1)

    def _tree(self, lane: _Lane, level: Array) -> Array:
        assert self.whose is not None
        return TREES * self.whose[lane.root] + level % 2

    def sees(self, lane: _Lane, level: Array) -> Array:
        """Return bool[]: whether a tree reads what is after the moves, which are not the solver's last one."""
        assert self.plans is not None
        tree = self._tree(lane, level)
        reads = self.plans.reads[tree, self.plans.root[tree].astype(jnp.int32)]
        return reads & ((level % 2 == 1) | (lane.depth - level // 2 > 1))

    def code(self, lane: _Lane, before: States, action: Array, after: States, seen: Any) -> Array:
        """Return int32[]: the lower, the greater the value of a tree on the board after a move."""
        assert self.plans is not None
        assert self.view is not None
        assert self.primitives is not None
        plans, tree = self.plans, self._tree(lane, lane.level)
        machine = Machine(self.primitives, 1, 1, plans.code.shape[-1], 1)
        left = (lane.depth - lane.level // 2 - 1).astype(jnp.float32)
        wanted = jnp.ones(64, bool)
        features = jnp.append(self.view(before, action, after, seen, wanted).astype(jnp.float32), left)
        values = machine.evaluate_pure(plans, tree[None], features[None], plans.steps.max())[0]
        value = jnp.clip(values[plans.root[tree].astype(jnp.int32)], -MATE, MATE)
        return jnp.round((MATE - value) * STEPS).astype(jnp.int32)
