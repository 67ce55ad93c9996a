"""How genomes solve FreeCell: by what a search does first."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from jax import Array

from envs.freecell.heuristics import hsdh, view
from envs.freecell.policies import Heuristics, Rising, policy_set, seen, weight_set, weighted
from envs.freecell.rules import FreeCell
from jaxgp import options as declarations
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.options import MAX_COUNT, option, power_of_two
from jaxgp.players.solver import ByWeights, ProgramSolver
from jaxgp.search import cores
from jaxgp.search.puzzles.bestfirst import BestFirst, By
from jaxgp.search.puzzles.children import Node, Order, of_state
from jaxgp.search.puzzles.deepening import Solutions
from jaxgp.search.puzzles.staged import Staged, Variant
from jaxgp.spec import Role

LANES = 64
"""Searches in progress at the same time, with the room of `KEPT` positions in all."""
KEPT = 2**20
MAX_ROOM = 2**20
MAX_DEPTH = 5000
VARIANTS: dict[str, Variant] = {"staged": "papers", "heineman": "heineman"}
REFERENCE = of_state(hsdh)
"""The order of the reference search: HSDH, the heuristic of Heineman's program as the source has it."""


@dataclass(frozen=True)
class Search:
    """How genomes search. The reference search is the same one by HSDH."""

    search: Literal["greedy", "astar", "staged", "heineman"] = option(
        "greedy",
        "best-first search by value (greedy) or by moves and value (astar), which keep all positions; or staged "
        "deepening as in the papers (staged) or in Heineman's program (heineman)",
    )
    heuristics: Heuristics = option(
        "book", "which heuristics have weights: the nine of the book, or also HeinemanScore and Disorder (more)"
    )
    rising: Rising = option(
        "flipped", "a heuristic h that rises towards the goal counts as 1 - h (flipped), or as h (as_is)"
    )
    room: int = option(
        16_384,
        "greedy and astar: positions that a search can keep; it gives up where it meets more",
        low=4,
        high=MAX_ROOM,
        test=power_of_two,
        accepted=f"a power of two from 4 to {MAX_ROOM}",
    )
    k: int = option(6, "staged deepening: how far local searches go", low=1, high=20)
    visited: int = option(
        200_000, "staged deepening: positions at which the set of positions met is emptied", low=1, high=10_000_000
    )
    queue: int = option(256, "staged deepening: boards in the queue", low=1, high=MAX_ROOM)
    deepest: int = option(1000, "the most moves of a solution", low=1, high=MAX_DEPTH)
    limit: int = option(10_000, "nodes at which a search gives up", low=1, high=MAX_COUNT)

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.search in VARIANTS:
            declarations.bound(self, "deepest", prefix, low=self.k + 1)


def _solver(game: FreeCell, options: Search, language: PrimitiveSet) -> ProgramSolver:
    def look(node: Node) -> Array:
        return seen(view(game, options, node), options.heuristics, options.rising)

    def guided(order: Order | None) -> cores.Search[Solutions]:
        return _search(game, options)(REFERENCE if order is None else order)

    valued = ByWeights(language, look, len(weighted(options.heuristics)))
    return ProgramSolver(valued, game, guided(None), "HSDH", guided, options.limit)


def _search(game: FreeCell, options: Search) -> Callable[[Order], cores.Search[Solutions]]:
    """Return what makes a search of an order."""
    if options.search in VARIANTS:
        lanes = max(1, min(LANES, 4 * KEPT // options.visited))
        return lambda order: Staged(
            game,
            options.deepest,
            order,
            VARIANTS[options.search],
            options.k,
            options.visited,
            options.queue,
            lanes=lanes,
            narrow=min(8, lanes),
        )
    lanes, by = max(1, min(LANES, KEPT // options.room)), _BY[options.search]
    return lambda order: BestFirst(game, options.deepest, options.room, lanes, lanes, order, by)


_BY: dict[str, By] = {"greedy": "value", "astar": "cost"}


def weights(game: FreeCell, options: Search) -> tuple[PrimitiveSet, ProgramSolver]:
    """Return the set that vectors of weights are written in, and how they search."""
    language = weight_set(options.heuristics)
    return language, _solver(game, options, language)


def policy(game: FreeCell, options: Search) -> tuple[PrimitiveSet, ProgramSolver]:
    """Return the set that policies are written in, and how they search."""
    language = policy_set(options.heuristics)
    return language, _solver(game, options, language)


WEIGHTS = Role("weights", "weights of heuristics order the positions of a search", "program", Search, weights)
POLICY = Role("policy", "five rules and a default choose weights of heuristics", "program", Search, policy)
