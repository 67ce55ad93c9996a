"""Programs as evaluators without a search in games that list the moves themselves, by the value of what they lead to.

The game finds the move of the highest value for many positions at once, and asks for values as it goes. An individual
may have several trees, each for a phase of the game: the game says which of them values a position.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.arrays import take
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.evaluate import Features, evaluate_owned
from jaxgp.interpreter.plan import Plan, plan

State = Any
Outcome = Any
"""What a move leads to, in the form that the game chooses."""

Value = Callable[[Array, Outcome, Array], Array]
"""(int32[K] which states, ascending; outcomes [K]; int32[] how many of them count) -> float32[K]."""


@dataclass(frozen=True)
class ChosenPlayer:
    """Plays the move that leads to the highest value. The game decides among equal ones.

    Attributes:
        primitives: the set that the programs are written in, of T trees.
        view: outcome -> float32[F], or packed: what a program sees of it.
        tree: (state before the move, outcome) -> int32[], which of the trees values it.
        outcome: (state, int32[] number) -> what one of its moves leads to, to look at; any number names one.
        choose: (states [N], bool[N] which of them matter, value) -> int32[N], the moves.
    """

    primitives: PrimitiveSet
    view: Callable[[Outcome], Features]
    tree: Callable[[State, Outcome], Array]
    outcome: Callable[[State, Array], Outcome]
    choose: Callable[[State, Array, Value], Array]

    random: ClassVar[bool] = False
    """The game draws lots among equal moves, from what it has drawn already."""

    def prepare(self, programs: Programs) -> Plan:
        """Derive the evaluation order of programs [P, T, L], once for all their games: plans [P * T]."""
        return plan(
            self.primitives, jax.tree.map(lambda x: x.reshape(-1, x.shape[-1]) if x.ndim > 2 else x.ravel(), programs)
        )

    def count(self, plans: Plan) -> int:
        """Return P."""
        return plans.steps.shape[0] // self.primitives.num_trees

    def act(self, plans: Plan, states: State, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M] moves and bool[P, M], all True, for the states [P, M] of P programs.

        Only the moves in `active` (bool[P, M], None: all) states need be right; few of them take less time.
        """
        del bits
        shape = states.to_move.shape
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
        wanted = jnp.ones(shape, bool) if active is None else active

        def value(lanes: Array, outcomes: Outcome, needed: Array) -> Array:
            owner = lanes // shape[1] * self.primitives.num_trees + jax.vmap(self.tree)(take(flat, lanes), outcomes)
            # Those that count come first; each tree values its outcomes side by side.
            order = jnp.argsort(jnp.where(jnp.arange(len(owner)) < needed, owner, len(plans.steps)))
            seen = jax.vmap(self.view, out_axes=-1)(take(outcomes, order))
            found = evaluate_owned(self.primitives, plans, owner[order], seen, needed)
            return jnp.zeros_like(found).at[order].set(found)

        moves = self.choose(flat, wanted.reshape(-1), value)
        return moves.reshape(shape), jnp.ones(shape, bool)
