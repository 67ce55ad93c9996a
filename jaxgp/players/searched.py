"""Programs as leaf evaluators of a search: each root of alpha-beta belongs to one program, which values its leaves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp import options
from jaxgp.arrays import suited
from jaxgp.checks import values
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs, Top, whole
from jaxgp.interpreter.calls import Features
from jaxgp.interpreter.evaluate import evaluate_owned
from jaxgp.interpreter.plan import Plan, plan
from jaxgp.printable import brief
from jaxgp.search import cores
from jaxgp.search.alphabeta import AlphaBeta
from jaxgp.search.lookahead import Twin

State = Any

WON = np.float32(3e38)
"""Value of an ended game to its winner, above all values of programs."""
MOST = np.float32(1e38)
"""Values of programs are clipped to +-MOST; NaN becomes -MOST."""
LANES, CPU_LANES = 4096, 128
"""Searches in progress at the same time, on a GPU and on a CPU, in whose cache the leaves of more do not stay.

Measured on an EPYC with 1 MiB of L2 cache for each core (100 programs of 57 nodes, 2,500 positions; Othello and Kalah
four plies, checkers three): 64 to 256 lanes are alike, and 512 take 1.2, 1.1 and 1.0 times as long."""


@dataclass(frozen=True)
class SearchedPlayer:
    """Plays the lowest-numbered best move of a search whose leaves a program values; ended games count by result.

    Searched one ply deep it is greedy: the move to the position with the highest value.

    Attributes:
        primitives: the set that the programs are written in.
        game: the rules.
        view: state -> float32[F], or packed, what a program sees of a position.
        depth: plies.
        mover: whether a program values a position for the side to move; otherwise for the other side.
        tail: last plies, searched full width.
        lanes: searches in progress at the same time, those of all programs together; None: as many as suit the device.
        top: what stands above the trees of an individual; None: it has one tree.
        twin: the same game in a form that is faster to search; `view` gets its states.
    """

    primitives: PrimitiveSet
    game: Any
    view: Callable[[State], Features]
    depth: int
    mover: bool = True
    tail: int = 1
    lanes: int | None = None
    top: Top | None = None
    twin: Twin | None = None

    random: ClassVar[bool] = False

    __repr__ = brief

    def __post_init__(self) -> None:
        values.whole("depth", self.depth, 1, options.DEEPEST)
        values.whole("tail", self.tail, 1)
        if self.lanes is not None:
            values.whole("lanes", self.lanes, 1, options.MAX_LANES, or_null=True)

    def prepare(self, programs: Programs) -> Plan:
        """Derive the evaluation order of programs [P, T, L], once for all their games."""
        return plan(self.primitives, jax.vmap(lambda trees: whole(self.primitives, trees, self.top))(programs))

    def count(self, plans: Plan) -> int:
        """Return P."""
        return plans.steps.shape[0]

    def look(self, state: State) -> Array:
        """Return bool[A], the moves that a search tries from one state."""
        return self.game.legal_actions(state)

    def evaluate_leaves(self, plans: Plan, whose: Array, states: State, needed: Array) -> Array:
        """Return float32[B]: values of states [B] for the side to move, by the programs `whose` (int32[B]).

        The first `needed` (int32[]) entries of `whose` ascend. The values of the others are unspecified.
        """
        seen = jax.vmap(self.view, out_axes=1)(states)
        values = evaluate_owned(self.primitives, plans, whose, seen, needed)
        values = jnp.where(jnp.isnan(values), -MOST, jnp.clip(values, -MOST, MOST))
        result = jax.vmap(lambda state: state.returns[state.to_move])(states)
        return jnp.where(states.terminated, WON * result, values if self.mover else -values)

    def search(self) -> AlphaBeta:
        """Return the search that all programs share."""
        lanes = self.lanes or suited(CPU_LANES, LANES)
        return AlphaBeta(
            self.game,
            None,
            self.depth,
            min(self.tail, self.depth),
            lanes,
            lanes // 4,
            twin=self.twin,
            leaf_evaluator=self.evaluate_leaves,
        )

    def act(self, plans: Plan, states: State, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M, 1] moves and bool[P, M], all True, for the states [P, M] of P programs.

        Only the moves in `active` (bool[P, M], None: all) states need be right. Where there is only one move, nothing
        is searched.
        """
        del bits
        shape = states.to_move.shape
        legal = jax.vmap(jax.vmap(self.game.legal_actions))(states).reshape(-1, self.game.num_actions)
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
        wanted = (legal.sum(-1) > 1) & ~flat.terminated
        wanted = wanted if active is None else wanted & active.reshape(-1)
        depth, whose = jnp.full(len(wanted), self.depth, jnp.int32), jnp.arange(len(wanted)) // shape[1]
        searched = cores.search_some(self.search(), flat, depth, wanted, plans, whose).values.argmax(-1)
        moves = jnp.where(wanted, searched, legal.argmax(-1)).astype(jnp.int32)
        return moves.reshape(*shape, 1), jnp.ones(shape, bool)
