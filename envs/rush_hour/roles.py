"""How genomes solve Rush Hour: by what a search does first."""

from dataclasses import dataclass, replace
from typing import Literal

from jax import Array

from envs.rush_hour import heuristics, policies
from envs.rush_hour.rules import RushHour
from jaxgp import options as declarations
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.options import MAX_COUNT, option, power_of_two
from jaxgp.players.solver import ByProgram, ProgramSolver
from jaxgp.search.puzzles.bestfirst import BestFirst, By
from jaxgp.search.puzzles.children import Child, Order
from jaxgp.search.puzzles.deepening import Deepening
from jaxgp.spec import Role

LANES = 256
"""Searches in progress at the same time, also when few are left: a narrower loop would take as long to compile."""
KEEPING_LANES = 64
"""The same for searches that keep all positions, with the room of `KEPT` positions in all."""
KEPT = 2**21
MAX_DEPTH = 1000
MAX_SLOTS = 2**20


@dataclass(frozen=True)
class SolverOptions:
    """How programs search. Blind search is iterative deepening with the same options."""

    search: Literal["deepening", "astar", "greedy"] = option(
        "deepening",
        "iterative deepening; or best-first search that keeps all positions: by cost (astar), by value alone (greedy)",
    )
    first: int = option(20, "moves that the first round of a search looks ahead", low=1, high=MAX_DEPTH)
    grow: int = option(20, "by how many moves each round looks further than the one before", low=1, high=MAX_DEPTH)
    deepest: int = option(200, "moves that the last round looks ahead", low=1, high=MAX_DEPTH)
    bound: Literal["depth", "cost"] = option(
        "cost",
        "what a round of a program's search bounds: moves, as in blind search; or cost, moves and value, as IDA* does",
    )
    table: int = power_of_two(
        65_536, "positions that a search remembers, to look at none twice in a round; 0: none", low=0, high=MAX_SLOTS
    )
    room: int = power_of_two(
        32_768,
        "positions that an astar or greedy search can keep; it gives up where it meets more",
        low=4,
        high=MAX_SLOTS,
    )
    limit: int = option(100_000, "nodes at which a search gives up", low=1, high=MAX_COUNT)

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        declarations.bound(self, "deepest", prefix, low=self.first)


@dataclass(frozen=True)
class HeuristicOptions(SolverOptions):
    """What one tree is made of, and how the search goes."""

    terminals: Literal["all", "heuristics"] = option(
        "all", "what a program sees: all terminals of the book's table, or its three heuristics"
    )


def _solver(game: RushHour, options: SolverOptions, language: PrimitiveSet, policy: bool) -> ProgramSolver:
    blind = Deepening(game, options.first, options.grow, options.deepest, options.table, LANES, LANES)

    def view(node: Child) -> Array:
        seen = heuristics.view(game, options, node)
        return policies.shares(game, seen) if policy else seen

    def guided(order: Order | None) -> Deepening | BestFirst:
        if options.search == "deepening":
            return blind if order is None else replace(blind, order=order, bound=options.bound)
        lanes = max(1, min(KEEPING_LANES, KEPT // options.room))
        by: By = "cost" if options.search == "astar" else "value"
        return BestFirst(game, options.deepest, options.room, lanes, lanes, order, by)

    valued = ByProgram(language, view, policies.TOP if policy else None)
    return ProgramSolver(valued, game, blind, "blind", guided, options.limit)


def heuristic(game: RushHour, options: HeuristicOptions) -> tuple[PrimitiveSet, ProgramSolver]:
    """Return the set that heuristics are written in, and how they search."""
    language = policies.heuristic_set(options.terminals)
    return language, _solver(game, options, language, policy=False)


def policy(game: RushHour, options: SolverOptions) -> tuple[PrimitiveSet, ProgramSolver]:
    """Return the set that policies are written in, and how they search."""
    language = policies.policy_set()
    return language, _solver(game, options, language, policy=True)


POLICY = Role("policy", "five rules and a default value order the moves of a search", "program", SolverOptions, policy)
HEURISTIC = Role(
    "heuristic", "one tree of numbers orders the moves of a search", "program", HeuristicOptions, heuristic
)
