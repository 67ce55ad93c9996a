"""Genomes that search problems: programs that make moves, and trees or weights that guide a complete search."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.contracts import Plans, Problem, Prover, States
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.machine.machine import Machine
from jaxgp.interpreter.machine.plan import FramePlan, most_frames, plan_frames
from jaxgp.search import cores
from jaxgp.search.proofs.claims import Claims
from jaxgp.search.proofs.guided import Guided, GuidedNumbers, LazyWeighted, Order, WeightedFew
from jaxgp.search.proofs.lazy import PARTS, Hopeless
from jaxgp.search.proofs.programs import ProgramClaims, ProgramSearch, View


@dataclass(frozen=True)
class ProgramProver(Prover[FramePlan]):
    """A `Prover`: a program makes moves, and says what each first move is worth.

    Attributes:
        primitives: the language.
        problem: the rules.
        view: what programs see of a board.
        deepest: the most moves that a program makes on a line, whatever a problem allows.
        told: whether programs know how many moves a problem allows, and may make no more.
        stops: whether a first move that wins by force is the last that is tried.
        frames: the most frames of a program that is run.
        entries: of the table in which a search keeps what the tree in itself was worth, a power of two; 0: no table.
        limit: the most nodes of a search.
        lanes: pairs of a program and a problem that run side by side.
        narrow: the fewest of them.
    """

    proves: ClassVar[bool] = False

    primitives: PrimitiveSet
    problem: Problem[Any]
    view: View
    deepest: int = 5
    told: bool = True
    stops: bool = False
    frames: int = 48
    entries: int = 0
    limit: int = 2_000_000
    lanes: int = 256
    narrow: int = 64

    def prepare(self, programs: Programs) -> FramePlan:
        """Cut programs [P, 1, L] into pure nodes and frames."""
        return plan_frames(self.primitives, jax.tree.map(lambda x: x[:, 0], programs))

    def prove(self, plans: FramePlan, whose: Array, states: States, limits: Array) -> ProgramClaims:
        """Run programs `whose` (int32[Q]) on problems [Q]; see `jaxgp.contracts.Prover`."""
        return cores.search(self.searching(plans), states, limits, jnp.int32(len(limits)), plans, whose)

    def need(self, program: Programs) -> int:
        """Return how many frames one program, [1, L], needs."""
        plans = self.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], program))
        return int(most_frames(plans, self.deepest)[0])

    def searching(self, plans: FramePlan, traced: int = 0) -> ProgramSearch:
        """Return the search for plans of this capacity, which writes down so many moves."""
        machine = Machine(
            self.primitives,
            self.deepest,
            self.frames,
            plans.code.shape[-1],
            self.problem.most_choices,
            self.stops,
            self.entries,
            len(self.problem.key(self.problem.init(jax.random.key(0)))) if self.entries else 0,
        )
        return ProgramSearch(self.problem, machine, self.view, self.told, self.lanes, self.narrow, traced)


@dataclass(frozen=True)
class _Complete(Prover[Plans]):
    """A `Prover` whose individuals guide a complete search; what it claims is proved.

    Attributes:
        primitives: the language.
        problem: the rules.
        view: what individuals see of a board.
        deepest: the most moves of the solver.
        told: whether searches know how many moves a problem allows, or deepen from 1.
        limit: the most nodes of a search.
        entries: entries of the table of each search, a power of two.
        lanes: searches that run side by side.
    """

    proves: ClassVar[bool] = True

    primitives: PrimitiveSet
    problem: Problem[Any]
    view: View
    deepest: int = 5
    told: bool = True
    limit: int = 2_000_000
    entries: int = 1024
    lanes: int = 64

    @property
    def settings(self) -> dict[str, Any]:
        """What every search of individuals is made with."""
        return {
            "told": self.told,
            "deepest": self.deepest,
            "entries": self.entries,
            "lanes": self.lanes,
            "narrow": self.lanes,
            "view": self.view,
        }


@dataclass(frozen=True)
class GuideProver(_Complete[FramePlan]):
    """Trees guide the search.

    Attributes:
        within: the search: depth first, told n or deepening, with two trees, which order moves (`deepening`); by proof
            numbers, with a third one, which gives first numbers (`proof`).
        equal: how moves of the solver are ordered, depth first.
    """

    within: Literal["deepening", "proof"] = "deepening"
    equal: Order = "list"

    def prepare(self, programs: Programs) -> FramePlan:
        """Plan all trees of programs [P, T, L], [T P]."""
        return plan_frames(self.primitives, jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), programs))

    def prove(self, plans: FramePlan, whose: Array, states: States, limits: Array) -> Claims:
        """Search problems [Q] for individuals `whose` (int32[Q]); see `jaxgp.contracts.Prover`."""
        shared = {**self.settings, "primitives": self.primitives}
        search: Guided | GuidedNumbers = GuidedNumbers(self.problem, **shared)
        if self.within == "deepening":
            search = Guided(self.problem, equal=self.equal, **shared)
        return cores.search(search, states, limits, jnp.int32(len(limits)), plans, whose)


@dataclass(frozen=True)
class WeightsProver(_Complete[Array]):
    """Weights, whole numbers of parts in their order, guide the search.

    Attributes:
        within: the search: `few`, whose order weights of what is seen after moves correct, or `lazy`, to whose own
            weights they are added.
        hopeless: see `jaxgp.search.proofs.lazy.LazyNumbers`.
        moved: see `jaxgp.search.proofs.guided.LazyWeighted`.
        replied: the same.
    """

    within: Literal["few", "lazy"] = "few"
    hopeless: Hopeless | None = None
    moved: tuple[tuple[int, int], ...] = ()
    replied: tuple[tuple[int, int], ...] = ()

    def prepare(self, programs: Programs) -> Array:
        """Return the weights of individuals [P, F, L] in parts, int32[P, F]."""
        return jnp.round(programs.value[:, :, 0] * PARTS).astype(jnp.int32)

    def prove(self, plans: Array, whose: Array, states: States, limits: Array) -> Claims:
        """Search problems [Q] for individuals `whose` (int32[Q]); see `jaxgp.contracts.Prover`."""
        search: WeightedFew | LazyWeighted = WeightedFew(self.problem, **self.settings)
        if self.within != "few":
            search = LazyWeighted(
                self.problem, hopeless=self.hopeless, moved=self.moved, replied=self.replied, **self.settings
            )
        return cores.search(search, states, limits, jnp.int32(len(limits)), plans, whose)
