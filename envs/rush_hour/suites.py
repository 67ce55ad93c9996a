"""Suites of boards for programs that order the moves of a search, and the fixed orders that they are compared with."""

from functools import lru_cache

import numpy as np

from envs.rush_hour import boards, exact, roles
from envs.rush_hour.rules import RushHour
from jaxgp.errors import UsageError, reject
from jaxgp.spec import Instances, Strategy

ALL = "ALL"
"""All boards of a size that come with the game."""

HANDCRAFTED = """(PROGRAM
(<= BlockersLowerBound/max 0.2) BlockersLowerBound
(AND IsReleasingMove IsReleasingMove) (+ BlockersLowerBound 1)
(AND IsMoveToSecluded IsMoveToSecluded) (+ BlockersLowerBound 1)
(<= GoalDistance/max 0.25) (+ BlockersLowerBound 2)
(>= NumberOfSiblings 0.3) (+ BlockersLowerBound 2)
(+ BlockersLowerBound 3))"""
"""The policy written by hand."""

STRATEGIES = {
    "H1": (roles.HEURISTIC.name, "BlockersLowerBound"),
    "H2": (roles.HEURISTIC.name, "GoalDistance"),
    "H3": (roles.HEURISTIC.name, "Hybrid"),
    "Hc": (roles.POLICY.name, HANDCRAFTED),
}
"""The fixed orders by name, as table 10.2 of the source calls them: role and text."""


def names(game: RushHour) -> tuple[str, ...]:
    """Return the lists of boards of this size, by the letters that the names of their boards begin with."""
    return tuple(name for name in boards.LISTS if boards.read_shipped(name)[0].size == game.size)


def instances(game: RushHour, name: str, option: str) -> Instances:
    """Return a suite: a list that comes with the game, or a file of boards; `option` named it, for messages.

    Raises:
        UsageError: there is no such suite; a line of the file is no board; a board of it has no solution; or one has
            another size.
    """
    known = names(game)
    if known and name == ALL:
        found = [board for one in known for board in boards.read_shipped(one)]
    elif name in known:
        found = boards.read_shipped(name)
    elif name.isalnum():
        reject(option, name, f"{''.join(f'{one}, ' for one in (*known, ALL) if known)}or a file of boards")
    else:
        found = boards.read_file(name, option)
    try:
        prepared = _prepared(game, tuple(found))
    except ValueError as error:
        raise UsageError(f"{option}={name}: {error}") from error
    for board in found:
        if not (name in (*known, ALL) or exact.solvable(board)):
            raise UsageError(f"{option}={name}: {board.name}: no solution; accepted: boards that can be solved")
    return prepared


@lru_cache(maxsize=8)
def _prepared(game: RushHour, chosen: tuple[boards.Board, ...]) -> Instances:
    states = game.positions(chosen)
    test = np.array([board.split == "test" for board in chosen])
    return Instances(tuple(board.name for board in chosen), states, test)


def strategy(name: str, game: RushHour) -> Strategy:
    """Return a fixed order; raises ValueError for an unknown name."""
    del game
    if name not in STRATEGIES:
        raise ValueError(f"accepted: {', '.join(STRATEGIES)}")
    role, text = STRATEGIES[name]
    options = roles.HeuristicOptions() if role == roles.HEURISTIC.name else roles.SolverOptions()
    return Strategy(role, options, text)
