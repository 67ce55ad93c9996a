"""Iterative deepening: a search that goes one ply deeper at a time, until a result is proved or a budget is spent.

After "Final Project", COEN 352, Fall 2016: the tree is built "incrementally, adding one/several levels at a time and
only when necessary". There a node holds the bricks of both sides, <4, 2>, compared by their difference. Nothing is
searched below a node in which one side has more than half of the squares. `Spec.certainty` describes such a game, and
the values that prove a result.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Position
from jaxgp.errors import reject
from jaxgp.players.searches import searches
from jaxgp.printable import plies
from jaxgp.search.alphabeta import AlphaBeta, best_moves
from jaxgp.seats.agents import Agent, search_root
from jaxgp.spec import Spec, Turns


class Thought(NamedTuple):
    """Result of a search.

    Attributes:
        move: the lowest-numbered best move of the deepest search.
        best: every move that the search proved best; with `ties="first"` it may miss some.
        value: of the best moves, for the side to move.
        depth: plies of the deepest search, which was finished.
        nodes: visited in all searches together.
        decided: whether the value proves the result, so that no deeper search can change it.
    """

    move: int
    best: tuple[int, ...]
    value: float
    depth: int
    nodes: int
    decided: bool


@dataclass(frozen=True)
class DeepeningSearch:
    """Searches to 1, 2, 3 ... plies, from `search.tail` plies on, until one of these holds:

    - the value proves the result. The first depth that proves a win is the length of the shortest win, so the player
      does not delay it;
    - `single`, and only one move is best: a deeper tree is built only when there is no single recommendation;
    - the searches so far have visited `nodes` nodes. The last search may exceed the budget; no other begins;
    - the depth is `search.max_depth`.

    Attributes:
        search: gives the depth limit. With `ties="all"` every best move is proved, which `single` needs.
        nodes: budget, at least 1; None for no limit.
        certain: values at least this far from 0 prove a result; None if the evaluator has no such values.
        single: whether to stop at a single best move.

    Raises:
        ValueError: a budget below 1, or `single` with a search that proves only the first best move.
    """

    search: AlphaBeta
    nodes: int | None = None
    certain: float | None = None
    single: bool = False

    def __post_init__(self) -> None:
        if self.nodes is not None and self.nodes < 1:
            raise ValueError(f"nodes={self.nodes}: accepted: a number from 1, or None for no limit")
        if self.single and self.search.ties != "all":
            raise ValueError(f'single=True, ties={self.search.ties}: accepted: single=True only with ties="all"')

    def think(
        self, state: Position, watch: Callable[[Thought], object] | None = None, bits: int | np.uint32 = 0
    ) -> Thought:
        """Search a position whose game goes on; on the host.

        Args:
            state: unbatched.
            watch: called after each search with its result.
            bits: uniform; what the values of a random evaluator are drawn from, the same for all depths.

        Raises:
            ValueError: the game has ended.
        """
        if bool(state.terminated):
            raise ValueError("the game has ended: there is no move to find")
        nodes = 0
        for depth in range(self.search.tail, self.search.max_depth + 1):
            values, visited = _to_depth(self.search)(state, jnp.int32(depth), jnp.uint32(bits))
            nodes += int(visited)
            value = float(values.max())
            best = tuple(np.flatnonzero(best_moves(values)).tolist())
            decided = self.certain is not None and abs(value) >= self.certain
            thought = Thought(best[0], best, value, depth, nodes, decided)
            if watch is not None:
                watch(thought)
            if decided or (self.single and len(best) == 1) or (self.nodes is not None and nodes >= self.nodes):
                break
        return thought


def deepening(
    spec: Spec[Turns],
    game: Turns,
    evaluator: str | None,
    depth: int,
    ties: str,
    tail: int,
    nodes: int | None = None,
    single: bool = False,
) -> DeepeningSearch:
    """Return a search of a game that goes deeper ply by ply, until a result is proved.

    Args:
        spec: the game.
        game: its rules.
        evaluator: one of its evaluators; None: the first.
        depth: the most plies.
        ties: `first` or `random`.
        tail: last plies that are searched full width.
        nodes: see `DeepeningSearch`.
        single: see `DeepeningSearch`.

    Raises:
        ValueError: an unknown evaluator, several of them, a budget of nodes below 1, or `single` with ties `first`.
    """
    search, *more = searches(spec, game, evaluator, depth, ties, tail, lanes=1)
    if more:
        reject("evaluator", evaluator, ", ".join(spec.evaluators(game)))
    assert spec.searches is not None  # it has the evaluator
    found = spec.searches.certainty(game, evaluator or next(iter(spec.evaluators(game))))
    if found is None:
        return DeepeningSearch(search, nodes, single=single)
    ended, value = found
    return DeepeningSearch(replace(search, game=ended), nodes, certain=value, single=single)


@cache
def _to_depth(search: AlphaBeta) -> Callable[[Position, Array, Array], tuple[Array, Array]]:
    """Compile (state, int32[] depth, uint32[] bits) -> float32[A], int32[]: values and nodes; once for all depths."""
    return jax.jit(partial(search_root, search))


def deepening_agent(player: DeepeningSearch) -> Agent:
    """Play a best move of a deepening search: the first one, or with `ties="all"` a uniformly random one."""

    def choose(state: Position, bits: np.uint32) -> int:
        thought = player.think(state, bits=bits)
        return thought.best[int(bits) % len(thought.best)] if player.search.ties == "all" else thought.move

    until = ["until one move is best"] * player.single + [f"{player.nodes} nodes"] * (player.nodes is not None)
    return Agent(", ".join(["deepening", *until, plies(player.search.max_depth)]), choose)
