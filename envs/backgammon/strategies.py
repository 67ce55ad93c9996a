"""The fixed players of backgammon."""

from collections.abc import Callable, Mapping

from envs.backgammon import network, pubeval
from envs.backgammon.rules import Backgammon
from jaxgp.errors import reject
from jaxgp.spec import Choice

PLAYERS: Mapping[str, Callable[[Backgammon], Choice]] = {"pubeval": pubeval.player, "network": network.player}
"""By name, the default first; each raises UsageError for rules that it is not made for."""


def strategy(name: str, game: Backgammon) -> Choice:
    """Return a fixed player.

    Raises:
        UsageError: no such strategy, or rules that it is not made for.
    """
    if name not in PLAYERS:
        reject("strategy", name, ", ".join(PLAYERS))
    return PLAYERS[name](game)
