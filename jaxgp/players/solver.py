"""Genomes that order the nodes of a search: each search has one genome, and what it values least goes first.

`ByProgram` values a node by a program. `ByWeights` values it by a sum of weighted heuristics, whose weights are those
of the first rule of the genome whose condition holds. `ProgramSolver` searches by such values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.contracts import Plans, Puzzle, Solver, States
from jaxgp.genotypes.primitives import BOOL, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs, Top, whole
from jaxgp.interpreter.calls import Features
from jaxgp.interpreter.evaluate import evaluate, evaluate_owned
from jaxgp.interpreter.plan import Plan, plan
from jaxgp.search import cores
from jaxgp.search.chance import unused_key
from jaxgp.search.puzzles.bestfirst import BestFirst
from jaxgp.search.puzzles.children import Child, Order
from jaxgp.search.puzzles.solutions import Solutions

View = Callable[[Child], Features]
"""A node -> float32[F], what genomes see of it."""
RULE_NUMBER = "rule number"
"""The type of the functions that find the rule that fires, which no slot of a tree accepts."""
FINDERS = (
    Primitive("FIRST", RULE_NUMBER, (BOOL,), lambda held: jnp.where(held, 0.0, 1.0)),
    Primitive("NEXT", RULE_NUMBER, (BOOL, RULE_NUMBER), lambda held, rest: jnp.where(held, 0.0, rest + 1)),
)
"""Functions that a set with rules of weights has to have: the number of the first condition that holds."""


class Valued(Protocol[Plans]):
    """How genomes value nodes."""

    @property
    def primitives(self) -> PrimitiveSet:
        """The set that they are written in."""

    @property
    def view(self) -> View:
        """What they see of a node."""

    def prepare(self, programs: Programs) -> Plans:
        """Derive what individuals [P, T, L] need, once for all their searches."""

    def values(self, plans: Plans, whose: Array, nodes: Child, needed: Array) -> Array:
        """Return float32[B], values of nodes [B] for the individuals `whose`; this is an `Order`."""

    def told(self, trees: Sequence[str]) -> str:
        """Say what a rule, or the default, values nodes by; `trees` are those of its value, printed."""


@dataclass(frozen=True)
class ByProgram:
    """The value of a node is that of a program.

    Attributes:
        primitives: the set that programs are written in.
        view: what they see.
        top: what stands above the trees of an individual; None: it has one tree.
    """

    primitives: PrimitiveSet
    view: View
    top: Top | None = None

    def prepare(self, programs: Programs) -> Plan:
        """See `Valued`."""
        return plan(self.primitives, jax.vmap(lambda trees: whole(self.primitives, trees, self.top))(programs))

    def values(self, plans: Plan, whose: Array, nodes: Child, needed: Array) -> Array:
        """See `Valued`."""
        return evaluate_owned(self.primitives, plans, whose, jax.vmap(self.view, out_axes=-1)(nodes), needed)

    def told(self, trees: Sequence[str]) -> str:
        """See `Valued`."""
        return " ".join(trees)


def conditions_of(primitives: PrimitiveSet) -> np.ndarray:
    """Return int[R]: the trees that are the conditions of rules."""
    return np.array([rule[0] for rule in primitives.rules], int)


@struct.dataclass
class Weights:
    """Individuals of rules of weights, prepared."""

    conditions: Plan | None  # [P], the number of the rule that fires; None: there are no rules
    prices: Array  # float32[P, R + 1, H]: weights, in steps of the grid for one of what each heuristic counts


@dataclass(frozen=True)
class ByWeights:
    """The value of a node is the sum of H heuristics, each times a weight.

    An individual has R rules of a condition and H weights each, and H weights for nodes for which no condition holds:
    R * (1 + H) + H trees in this order. Weights are single constants.

    Values are the same on every device. XLA contracts a product and a sum to one operation that rounds once where the
    device has such an operation, whatever stands between them but arithmetic. So each product is rounded to a whole
    number of steps of a grid, and these are added as integers.

    Attributes:
        primitives: the set that individuals are written in; if R > 0, it has `FINDERS`.
        view: what they see. The first H entries are what the heuristics count, for which low is good.
        units: H numbers: a heuristic is its count divided by its unit.
        grid: how many steps make 1, a power of two; a sum has to stay below 2^31 steps.
    """

    primitives: PrimitiveSet
    view: Callable[[Child], Array]
    units: tuple[float, ...]
    grid: int

    def prepare(self, programs: Programs) -> Weights:
        """See `Valued`."""
        count, rules = len(programs.length), len(self.primitives.rules)
        at = conditions_of(self.primitives)
        others = np.delete(np.arange(self.primitives.num_trees), at)
        weights = programs.value[:, others, 0].reshape(count, rules + 1, len(self.units))
        prices = weights * (self.grid / np.array(self.units)).astype(np.float32)
        if not rules:
            return Weights(None, prices)
        top: Top = (*range(rules), "FIRST", *("NEXT",) * (rules - 1))
        conditions = jax.tree.map(lambda field: field[:, at], programs)
        joined = jax.vmap(lambda trees: whole(self.primitives, trees, top))(conditions)
        return Weights(plan(self.primitives, joined), prices)

    def values(self, plans: Weights, whose: Array, nodes: Child, needed: Array) -> Array:
        """See `Valued`."""
        seen = jax.vmap(self.view, out_axes=-1)(nodes)
        if plans.conditions is None:
            prices = plans.prices[whose, 0]
        else:
            rule = evaluate_owned(self.primitives, plans.conditions, whose, seen, needed)
            last = plans.prices.shape[1] - 1
            prices = plans.prices[whose, jnp.clip(rule, 0, last).astype(jnp.int32)]
        steps = jnp.zeros(len(whose), jnp.int32)
        for number in range(len(self.units)):
            steps += jnp.round(prices[:, number] * seen[number]).astype(jnp.int32)
        return steps.astype(jnp.float32) * np.float32(1 / self.grid)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the heuristics."""
        return self.primitives.roots[-len(self.units) :]

    def told(self, trees: Sequence[str]) -> str:
        """See `Valued`: the sum, the greatest weights first, without those of 0."""
        weights = sorted(zip(map(float, trees), self.names, strict=True), key=lambda one: -one[0])
        return " + ".join(f"{weight:.2g} {name}" for weight, name in weights if weight) or "0"

    def without(self, program: Programs) -> dict[str, Programs]:
        """Return one individual, [T, L], with all weights of a heuristic set to 0, by the name of the heuristic."""
        roots = np.array(self.primitives.roots)
        value = jnp.asarray(program.value)
        return {
            name: Programs(program.opcode, value.at[roots == name].set(0.0), program.size, program.length)
            for name in self.names
        }


@dataclass(frozen=True)
class ProgramSolver(Solver[Plans]):
    """A `Solver`: a search that goes first where the values of a genome are lowest, beside a search without genomes.

    Attributes:
        valued: how genomes value nodes.
        game: the rules.
        baseline_search: the search that all others are compared with.
        reference: its name.
        guided: an order -> the search of a genome; None -> the same search without one.
        limit: the most nodes that a search visits.
    """

    valued: Valued[Plans]
    game: Puzzle
    baseline_search: cores.Search[Solutions]
    reference: str
    guided: Callable[[Order | None], cores.Search[Solutions]]
    limit: int

    @property
    def primitives(self) -> PrimitiveSet:
        """The set that genomes are written in."""
        return self.valued.primitives

    def prepare(self, programs: Programs) -> Plans:
        """Derive what individuals [P, T, L] need, once for all their searches."""
        return self.valued.prepare(programs)

    def solve(self, plans: Plans, whose: Array, states: States, limits: Array) -> Solutions:
        """Search for solutions of instances [Q], each for the genome `whose`, of at most `limits` nodes (int32[Q])."""
        return cores.search(self.guided(self.valued.values), states, limits, jnp.int32(len(limits)), plans, whose)

    def baseline(self, states: States, limits: Array) -> Solutions:
        """Search without genomes; all other searches are compared with this one."""
        return cores.search(self.baseline_search, states, limits, jnp.int32(len(limits)))

    @property
    def counts_expanded(self) -> bool:
        """Whether all searches count the nodes whose moves they list: best-first searches do."""
        return all(isinstance(search, BestFirst) for search in (self.guided(None), self.baseline_search))

    @property
    def differs(self) -> bool:
        """Whether the search of a genome differs from the baseline in more than what it does first."""
        return self.guided(None) != self.baseline_search

    def unguided(self, states: States, limits: Array) -> Solutions:
        """Search as for a genome, without one."""
        return cores.search(self.guided(None), states, limits, jnp.int32(len(limits)))

    def fired(self, program: Programs, nodes: Child) -> Array:
        """Return int32[B]: the first rule of an individual [T, L] whose condition holds, for nodes [B].

        A rule is a condition and a value. R, the number of rules, stands for the default value.
        """
        conditions = conditions_of(self.primitives)
        trees = jax.tree.map(lambda x: x[conditions], program)
        seen = jax.vmap(self.valued.view, out_axes=-1)(nodes)
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
