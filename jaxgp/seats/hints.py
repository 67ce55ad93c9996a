"""What answers a person who asks for a hint: the game itself, a search, or the game's first strategy."""

from collections.abc import Callable

from jaxgp.games.casting import Cast
from jaxgp.seats.agents import Hint
from jaxgp.seats.kinds.search import SearchOptions
from jaxgp.seats.kinds.strategy import StrategyOptions

DEPTH = 8
"""Plies of a search for a hint."""


def adviser(cast: Cast, evaluator: str | None = None) -> Callable[[], Hint] | None:
    """Return what makes the answers to requests for hints; None: nobody gives any in this game.

    Args:
        cast: the game.
        evaluator: of a search; None: the game's first.
    """
    spec = cast.spec
    answer = spec.table.hints(cast.game) if spec.table.hints is not None else None
    if answer is not None:
        return lambda: lambda state, bits: answer(state)
    search, strategy = SearchOptions(depth=DEPTH, evaluator=evaluator), StrategyOptions()
    if not search.unfit(cast):
        return lambda: search.hints(cast)
    if spec.fixed is None or strategy.unfit(cast):
        return None

    def make() -> Hint:
        agent = strategy.agent("opponent", cast)
        return lambda state, bits: (agent.choose(state, bits), f"{agent.name} plays it")

    return make
