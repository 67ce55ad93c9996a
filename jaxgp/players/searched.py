"""Programs as evaluators of the leaves of a search: alpha-beta whose rows of roots are judged by a program each."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.evaluate import Features, in_turn, narrowing
from jaxgp.interpreter.plan import Plan, plan
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.lookahead import each, taken

State = Any

WON = np.float32(3e38)
"""What an ended game is worth to its winner: more than any program can say."""
MOST = np.float32(1e38)
"""Values of programs are cut off here; one that is no number is as bad as can be."""
LEAST = 16
"""Searches of a program at the same time: it values leaves faster the more of them it is shown at once."""


@dataclass(frozen=True)
class SearchedPlayer:
    """Plays the lowest-numbered best move of a search whose leaves a program values; ended games count by result.

    Searched one ply deep it is greedy: the move to the position with the highest value.

    Attributes:
        primitives: the set that the programs are written in; one tree.
        game: the rules.
        view: state -> float32[F], or packed, what a program sees of a position.
        depth: plies.
        mover: whether a program says what a position is worth to the side to move; otherwise, to the side before.
        tail: last plies, searched full width.
        lanes: searches in progress at the same time, those of all programs together; at least LEAST of each.
    """

    primitives: PrimitiveSet
    game: Any
    view: Callable[[State], Features]
    depth: int
    mover: bool = True
    tail: int = 1
    lanes: int = 256

    def prepare(self, programs: Programs) -> Plan:
        """Derive the evaluation order of programs [P, 1, L], once for all their games."""
        return plan(self.primitives, jax.tree.map(lambda x: x[:, 0], programs))

    def count(self, plans: Plan) -> int:
        """Return P."""
        return plans.steps.shape[0]

    def judge(self, plans: Plan, states: State, needed: Array) -> Array:
        """Return float32[P, B]: what P programs say of states [P, B], as the side to move sees it.

        Programs that say nothing that is needed (bool[P, B]) are not asked.
        """
        plans = plans.replace(steps=jnp.where(needed.any(1), plans.steps, 0))  # type: ignore[attr-defined]
        seen = jax.vmap(jax.vmap(self.view, out_axes=1))(states)
        values = lax.platform_dependent(
            plans, seen, cpu=partial(in_turn, self.primitives), default=partial(narrowing, self.primitives)
        )
        values = jnp.where(jnp.isnan(values), -MOST, jnp.clip(values, -MOST, MOST))
        result = each(lambda state: state.returns[state.to_move])(states)
        return jnp.where(states.terminated, WON * result, values if self.mover else -values)

    def search(self, programs: int) -> AlphaBeta:
        """Return the search of so many programs side by side."""
        rows = max(LEAST, self.lanes // programs)
        tail = min(self.tail, self.depth)
        # Lanes of few rows are worth narrowing; those of many rows have little to wait for.
        return AlphaBeta(self.game, None, self.depth, tail, rows, max(16, self.lanes // 4), judge=self.judge)

    def act(self, plans: Plan, states: State, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M] moves and bool[P, M], all True, for the states [P, M] of P programs.

        Only the moves in `active` (bool[P, M], None: all) states need be right. Where there is only one move, nothing
        is searched.
        """
        legal = each(self.game.legal_actions)(states)
        wanted = (legal.sum(-1) > 1) & ~states.terminated
        wanted = wanted if active is None else wanted & active
        first = jnp.argsort(~wanted, axis=1, stable=True)
        depth = jnp.full(wanted.shape, self.depth, jnp.int32)
        queue = taken(states, first)
        found = self.search(len(wanted)).search_rows(plans, queue, depth, wanted.sum(1, dtype=jnp.int32))
        searched = taken(found.values.argmax(-1).astype(jnp.int32), jnp.argsort(first, axis=1))
        moves = jnp.where(wanted, searched, legal.argmax(-1).astype(jnp.int32))
        return moves, jnp.ones(wanted.shape, bool)
