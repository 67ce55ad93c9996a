"""A search that goes one ply deeper at a time, for as long as it has to and may: iterative deepening.

Nodes are worth what the evaluator says of them. For Walls that is the pair of bricks of both sides, <4, 2>, compared
by its difference; a pair with more than half of the squares on one side is the end of the game, so that nothing below
it is searched (`envs.walls.opponents.majority` and its evaluator `decided`). After "Final Project", COEN 352, Fall
2016: the tree is built "incrementally, adding one/several levels at a time and only when necessary".
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Position
from jaxgp.errors import reject
from jaxgp.host.agents import Agent
from jaxgp.host.seats import plies
from jaxgp.players.searches import searches
from jaxgp.search.alphabeta import AlphaBeta, best_moves
from jaxgp.spec import Rules, Spec


class Thought(NamedTuple):
    """What a search came to.

    Attributes:
        move: the lowest-numbered best move of the deepest search.
        best: every move proved as good; with `ties="first"` there may be more.
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
class Deepening:
    """Searches to 1, 2, 3 ... plies, from `search.tail` plies on, until one of these holds:

    - the value is that of a result that cannot change any more. The shallowest such depth is the shortest way to the
      win, so a player that deepens does not put it off;
    - `single` and only one move is best: a deeper tree is built only when there is no single recommendation;
    - the searches so far have visited `nodes` nodes: the last one may go beyond the budget, and no other is begun;
    - the depth is `search.max_depth`.

    Attributes:
        search: gives the depth limit. With `ties="all"` every best move is proved, which `single` needs.
        nodes: budget, at least 1; None for no limit.
        certain: absolute value from which on a result is certain; None if the evaluator has no such values.
        single: whether to stop at a single best move.

    Raises:
        ValueError: a budget below 1, or `single` where a search proves the first best move only.
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

    def think(self, state: Position, watch: Callable[[Thought], object] | None = None) -> Thought:
        """Search a position whose game goes on; on the host.

        Args:
            state: unbatched.
            watch: called after each search, with what is known then.

        Raises:
            ValueError: the game has ended.
        """
        if bool(state.terminated):
            raise ValueError("the game has ended: there is no move to find")
        nodes = 0
        for depth in range(self.search.tail, self.search.max_depth + 1):
            values, visited = _to_depth(self.search)(state, jnp.int32(depth))
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
    spec: Spec[Rules],
    game: Rules,
    evaluator: str | None,
    depth: int,
    ties: str,
    tail: int,
    nodes: int | None = None,
    single: bool = False,
) -> Deepening:
    """Return a search of a game that goes deeper ply by ply, and ends where a result is certain.

    Args:
        spec: the game.
        game: its rules.
        evaluator: one of its evaluators; None: the first.
        depth: the most plies.
        ties: `first` or `random`.
        tail: last plies that are searched full width.
        nodes: see `Deepening`.
        single: see `Deepening`.

    Raises:
        ValueError: an unknown evaluator, several of them, a budget of nodes below 1, or `single` with ties `first`.
    """
    search, *more = searches(spec, game, evaluator, depth, ties, tail, lanes=1)
    if more:
        reject("evaluator", evaluator, ", ".join(spec.evaluators(game)))
    found = spec.certainty(game, evaluator or next(iter(spec.evaluators(game))))
    if found is None:
        return Deepening(search, nodes, single=single)
    ended, value = found
    return Deepening(replace(search, game=ended), nodes, certain=value, single=single)


@cache
def _to_depth(search: AlphaBeta) -> Callable[[Position, Array], tuple[Array, Array]]:
    """Return (state, int32[]) -> float32[A], int32[]: values and nodes of a search; compiled once for all depths."""

    def to_depth(state: Position, depth: Array) -> tuple[Array, Array]:
        found = search.search(jax.tree.map(lambda x: x[None], state), depth[None], jnp.int32(1))
        return found.values[0], found.nodes[0]

    return jax.jit(to_depth)


def deepening_agent(player: Deepening) -> Agent:
    """Play what a deepening search recommends: the first best move, or with `ties="all"` any with equal probability."""

    def choose(state: Position, bits: np.uint32) -> int:
        thought = player.think(state)
        return thought.best[int(bits) % len(thought.best)] if player.search.ties == "all" else thought.move

    until = ["until one move is best"] * player.single + [f"{player.nodes} nodes"] * (player.nodes is not None)
    return Agent(", ".join(["deepening", *until, plies(player.search.max_depth)]), choose)
