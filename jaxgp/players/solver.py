"""Programs that order the nodes of a search: each search has one program, and what it values least goes first."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Puzzle, States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs, Top, whole
from jaxgp.interpreter.evaluate import Features, evaluate, evaluate_owned
from jaxgp.interpreter.plan import Plan, plan
from jaxgp.search import cores
from jaxgp.search.chance import unused_key
from jaxgp.search.puzzles.children import Node, Order
from jaxgp.search.puzzles.deepening import Deepening, Solutions


@dataclass(frozen=True)
class ProgramSolver:
    """A `Solver`: a search that goes first where a program's values are lowest, beside blind iterative deepening.

    Attributes:
        primitives: the set that the programs are written in.
        game: the rules.
        view: a child -> float32[F], what a program sees of it.
        blindly: blind iterative deepening.
        guided: an order -> the search of a program; None -> the same search without one.
        limit: the most nodes that a search visits.
        top: what stands above the trees of an individual; None: it has one tree.
    """

    primitives: PrimitiveSet
    game: Puzzle
    view: Callable[[Node], Features]
    blindly: Deepening
    guided: Callable[[Order | None], cores.Search[Solutions]]
    limit: int
    top: Top | None = None

    def prepare(self, programs: Programs) -> Plan:
        """Derive the evaluation order of programs [P, T, L], once for all their searches."""
        return plan(self.primitives, jax.vmap(lambda trees: whole(self.primitives, trees, self.top))(programs))

    def values(self, plans: Plan, whose: Array, nodes: Node, needed: Array) -> Array:
        """Return float32[B]: values of nodes [B] by the programs `whose`; an `Order`."""
        return evaluate_owned(self.primitives, plans, whose, jax.vmap(self.view, out_axes=-1)(nodes), needed)

    def solve(self, plans: Plan, whose: Array, states: States, limits: Array) -> Solutions:
        """Search for solutions of instances [Q], each for the program `whose`, of at most `limits` nodes (int32[Q])."""
        return cores.search(self.guided(self.values), states, limits, jnp.int32(len(limits)), plans, whose)

    def blind(self, states: States, limits: Array) -> Solutions:
        """Search in the order of actions."""
        return cores.search(self.blindly, states, limits, jnp.int32(len(limits)))

    @property
    def differs(self) -> bool:
        """Whether a program's search differs from the blind one in more than what it does first."""
        return self.guided(None) != self.blindly

    def unguided(self, states: States, limits: Array) -> Solutions:
        """Search as for a program, without one."""
        return cores.search(self.guided(None), states, limits, jnp.int32(len(limits)))

    def fired(self, program: Programs, nodes: Node) -> Array:
        """Return int32[B]: which rule of one individual, [T, L], fires for nodes [B], the first whose condition holds.

        A rule is a condition and a value. R, the number of rules, stands for the default value.
        """
        conditions = np.array([rule[0] for rule in self.primitives.rules])
        trees = jax.tree.map(lambda x: x[conditions], program)
        seen = jax.vmap(self.view, out_axes=-1)(nodes)
        held = evaluate(self.primitives, plan(self.primitives, trees), seen) != 0
        return jnp.where(held.any(0), held.argmax(0), len(conditions)).astype(jnp.int32)

    def record(self, program: Programs) -> list[tuple[int, int]]:
        """Return the solution that one program, [T, L], finds from the opening, each move with node 0; empty: none."""
        found = self._alone(jax.tree.map(lambda x: jnp.asarray(x)[None], program))
        return [(int(action), 0) for action in found.moves[0, : max(0, int(found.length[0]))]]

    def reason(self, program: Programs, node: int) -> str:
        """Say what made a move."""
        del program, node
        return "the search"

    @cached_property
    def _alone(self) -> Callable[[Programs], Solutions]:
        """Compile: one program, [1, T, L] -> what it finds from the opening."""

        def solve(programs: Programs) -> Solutions:
            states = jax.tree.map(lambda x: jnp.asarray(x)[None], self.game.init(unused_key()))
            whose, limits = jnp.zeros(1, jnp.int32), jnp.full(1, self.limit, jnp.int32)
            return self.solve(self.prepare(programs), whose, states, limits)

        return jax.jit(solve)
