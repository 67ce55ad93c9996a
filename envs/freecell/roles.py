"""How genomes solve FreeCell: weights of heuristics, or rules that choose among them, order the nodes of a search.

Source: M. Sipper, "Evolved to Win" (2011), sections 11.2.3 and 11.3, with the heuristics of table 11.1 and the advisors
of table 11.4.

    weights     w1 ... w9                                       the value of a node is the sum of weights * heuristics
    policy      IF Condition1 THEN w1 ... w9
                ...
                IF Condition5 THEN w1 ... w9
                ELSE w1 ... w9

Every heuristic is divided by its greatest value, and a greater number counts as 1. Low values go first. The heuristics
of `COUNTS`, which are not in the source, count cards, places and moves and are not divided.

The source leaves these points open:

- Signs. All weights lie in [0, 1), but some heuristics fall towards the goal and others rise. Here 1 - h stands for a
  heuristic h that rises. With `rising=as_is` it is h itself, as the formula of the source reads.
- In conditions all numbers are divided by their greatest values, and random constants lie in [0, 1).
- DifficultyLevel is 0 for a deal outside a set that has been sorted.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.freecell.heuristics import COUNTS, FEATURES, HEURISTICS, MORE, Feature, counts, hsdh, shares, view
from envs.freecell.rules import FreeCell, WholeRuns
from jaxgp import options as declarations
from jaxgp.genotypes.primitives import BOOL, Floats, Primitive, PrimitiveSet
from jaxgp.options import MAX_COUNT, option, power_of_two
from jaxgp.players.solver import FINDERS, ByWeights, ProgramSolver
from jaxgp.search import cores
from jaxgp.search.puzzles.bestfirst import BestFirst, By
from jaxgp.search.puzzles.children import Child, Order, of_state
from jaxgp.search.puzzles.solutions import Solutions
from jaxgp.search.puzzles.staged import Staged, Variant
from jaxgp.spec import Role

Heuristics = Literal["book", "more", "counts"]
Rising = Literal["flipped", "as_is"]

RULES = 5
SHARE = "share"
"""The type of a number from 0 to 1."""
UNIT = Floats(0.0, 1.0)
"""Constants are drawn from [0, 1)."""
LANES = 32
"""Searches in progress at the same time, with the room of `KEPT` positions in all."""
NARROW = 4
"""The fewest searches in progress at the same time, once no other waits."""
KEPT = 2**20
MAX_ROOM = 2**22
MAX_DEPTH = 5000
GRID, GRID_OF_COUNTS = 2**27, 2**18
"""Steps of 1 to which terms of a value are rounded. Weights are at most 1, so that a value is at most 11 where
heuristics are divided, and of counts at most `MAX_DEPTH`, moves, and 500 for the others."""
VARIANTS: dict[str, Variant] = {"staged": "papers", "heineman": "heineman"}
BY: dict[str, By] = {"greedy": "value", "astar": "cost"}
REFERENCE = of_state(hsdh)
"""The order of the reference search: HSDH, the heuristic of Heineman's program as the source has it."""


@dataclass(frozen=True)
class SolverOptions:
    """How genomes search. The reference search is the same one by HSDH."""

    search: Literal["greedy", "astar", "staged", "heineman"] = option(
        "greedy",
        "best-first search by value (greedy) or by moves and value (astar), which keep all positions; or staged "
        "deepening as in the papers (staged) or in Heineman's program (heineman)",
    )
    heuristics: Heuristics = option(
        "book",
        "which heuristics have weights: the nine of the book; also HeinemanScore and Disorder (more); or 14 that count "
        "cards, places and moves (counts)",
    )
    rising: Rising = option(
        "flipped", "a heuristic h that rises towards the goal counts as 1 - h (flipped), or as h (as_is)"
    )
    moves: Literal["all", "whole"] = option(
        "all",
        "the moves that a search tries: all; or whole: to a cell or an empty cascade only all cards together that lie "
        "in sequence at the top of a cascade",
    )
    room: int = power_of_two(
        16_384,
        "greedy and astar: positions that a search can keep; it gives up where it meets more",
        low=4,
        high=MAX_ROOM,
    )
    k: int = option(6, "staged deepening: how far local searches go", low=1, high=20)
    visited: int = option(
        200_000, "staged deepening: positions at which the set of visited positions is emptied", low=1, high=10_000_000
    )
    queue: int = option(256, "staged deepening: boards in the queue", low=1, high=MAX_ROOM)
    deepest: int = option(1000, "the most moves of a solution", low=1, high=MAX_DEPTH)
    limit: int = option(10_000, "nodes at which a search gives up", low=1, high=MAX_COUNT)

    def laws(self, prefix: str) -> None:
        """Check the conditions between options; raises UsageError."""
        if self.search in VARIANTS:
            declarations.bound(self, "deepest", prefix, low=self.k + 1)


def list_weighted(heuristics: Heuristics) -> tuple[Feature, ...]:
    """Return the heuristics that weights stand before."""
    return {"book": HEURISTICS, "more": HEURISTICS + MORE, "counts": COUNTS}[heuristics]


def view_numbers(numbers: Array, heuristics: Heuristics, rising: Rising) -> Array:
    """Return float32[H + F]: the weighted heuristics, for which low is good, in parts; then the features, divided.

    Args:
        numbers: float32[F], the first F features as they are, among them the weighted heuristics.
        heuristics: which of them have weights, H.
        rising: whether those that rise towards the goal are turned over.
    """
    turned, most = _turned(heuristics, rising), np.array(units(heuristics), np.float32)
    parts = np.array([one.parts for one in list_weighted(heuristics)], np.float32)
    costs = jnp.minimum(jnp.round(numbers[: len(parts)] * parts), most)
    return jnp.concatenate([jnp.where(turned, most - costs, costs), shares(numbers)])


def units(heuristics: Heuristics) -> tuple[float, ...]:
    """Return what the parts of each weighted heuristic are divided by, H numbers."""
    return tuple(1 if heuristics == "counts" else one.most * one.parts for one in list_weighted(heuristics))


def turn_counts(numbers: Array, rising: Rising) -> Array:
    """Return float32[14]: the heuristics of `COUNTS` (float32[14]), for which low is good."""
    most = np.array([one.most for one in COUNTS], np.float32)
    return jnp.where(_turned("counts", rising), most - numbers, numbers)


def _turned(heuristics: Heuristics, rising: Rising) -> np.ndarray:
    """Return bool[H]: which heuristics are turned over, so that low is good."""
    return np.array([one.rises and rising == "flipped" for one in list_weighted(heuristics)])


@lru_cache(maxsize=4)
def weight_set(heuristics: Heuristics, rising: Rising = "flipped") -> PrimitiveSet:
    """Return the set of vectors of weights: a tree for each weight, which is a constant."""
    own = list_weighted(heuristics)
    return PrimitiveSet(_name("weights", heuristics, rising), _weights(own), (), tuple(one.name for one in own))


@lru_cache(maxsize=4)
def policy_set(heuristics: Heuristics, rising: Rising = "flipped") -> PrimitiveSet:
    """Return the set of policies: `RULES` rules of a condition and weights, and weights for all other nodes."""
    own = list_weighted(heuristics)
    conditions = [
        Primitive(one.name, BOOL if one.truth else SHARE, feature=len(own) + at, latex=f"\\mathrm{{{{{one.name}}}}}")
        for at, one in enumerate(FEATURES)
    ]
    vector = tuple(one.name for one in own)
    return PrimitiveSet(
        name=_name("policy", heuristics, rising),
        terminals=(*conditions, Primitive("ERC", SHARE, domain=UNIT), *_weights(own)),
        functions=(
            Primitive("AND", BOOL, (BOOL, BOOL), lambda a, b: a & b, latex="({0} \\wedge {1})"),
            Primitive("OR", BOOL, (BOOL, BOOL), lambda a, b: a | b, latex="({0} \\vee {1})"),
            Primitive("<=", BOOL, (SHARE, SHARE), lambda a, b: a <= b, latex="({0} \\leq {1})"),
            Primitive(">=", BOOL, (SHARE, SHARE), lambda a, b: a >= b, latex="({0} \\geq {1})"),
            *FINDERS,
        ),
        roots=(BOOL, *vector) * RULES + vector,
        rules=tuple(tuple(range(rule * (1 + len(own)), (rule + 1) * (1 + len(own)))) for rule in range(RULES)),
    )


def _name(role: str, heuristics: Heuristics, rising: Rising) -> str:
    """Return the name of a set: weights mean something else where other heuristics are turned over."""
    return f"freecell-{role}-{heuristics}" + ("" if rising == "flipped" else f"-{rising}")


def _weights(own: tuple[Feature, ...]) -> tuple[Primitive, ...]:
    """Return a constant for each heuristic, of a type of its own, so that no weight takes the place of another's."""
    return tuple(Primitive(f"weight:{one.name}", one.name, domain=UNIT) for one in own)


def _solver(game: FreeCell, options: SolverOptions, language: PrimitiveSet) -> ProgramSolver:
    tried = game if options.moves == "all" else WholeRuns(game.deal, game.supermoves, game.autoplay)
    # Weights without conditions see nothing but the heuristics that they stand before.
    count = len(FEATURES) if language.rules else len(list_weighted(options.heuristics))

    def look(node: Child) -> Array:
        if options.heuristics != "counts":
            return view_numbers(view(tried, options, node, count), options.heuristics, options.rising)
        prices = turn_counts(counts(node), options.rising)
        return jnp.concatenate([prices, shares(view(tried, options, node))]) if language.rules else prices

    def guided(order: Order | None) -> cores.Search[Solutions]:
        return _search(tried, options, REFERENCE if order is None else order)

    grid = GRID_OF_COUNTS if options.heuristics == "counts" else GRID
    valued = ByWeights(language, look, units(options.heuristics), grid)
    return ProgramSolver(valued, game, guided(None), "HSDH", guided, options.limit)


def _search(game: FreeCell, options: SolverOptions, order: Order) -> cores.Search[Solutions]:
    """Return the search by an order."""
    if options.search in VARIANTS:
        variant, lanes = VARIANTS[options.search], max(1, min(LANES, 4 * KEPT // options.visited))
        sizes = options.k, options.visited, options.queue
        return Staged(game, options.deepest, order, variant, *sizes, lanes=lanes, narrow=min(8, lanes))
    lanes = max(1, min(LANES, KEPT // options.room))
    return BestFirst(game, options.deepest, options.room, lanes, min(NARROW, lanes), order, BY[options.search])


def weights(game: FreeCell, options: SolverOptions) -> tuple[PrimitiveSet, ProgramSolver]:
    """Return the set that vectors of weights are written in, and how they search."""
    language = weight_set(options.heuristics, options.rising)
    return language, _solver(game, options, language)


def policy(game: FreeCell, options: SolverOptions) -> tuple[PrimitiveSet, ProgramSolver]:
    """Return the set that policies are written in, and how they search."""
    language = policy_set(options.heuristics, options.rising)
    return language, _solver(game, options, language)


WEIGHTS = Role("weights", "weights of heuristics order the positions of a search", "program", SolverOptions, weights)
POLICY = Role("policy", "five rules and a default choose weights of heuristics", "program", SolverOptions, policy)
