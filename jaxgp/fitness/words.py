"""Words for opponents, in tables of parameters. Importing this does not import JAX."""

from jaxgp.players.options import Opponent
from jaxgp.printable import plies

POINTS = ("score", "result", "share")
"""What points of a game can be; see `jaxgp.fitness.panel.PanelFitness`."""


def describe_opponent(opponent: Opponent) -> str:
    """Say in words who an opponent is."""
    plural = "" if opponent.count == 1 else "s"
    chosen = "first" if opponent.ties == "first" else "any"
    said = {
        "search": f"a search of {plies(opponent.depth)} ({chosen} of the best moves{_evaluator(opponent.evaluator)})",
        "random": "random moves",
        "programs": f"{opponent.count} random player{plural}",
        "champions": f"the last {opponent.count} champion{plural}",
        "strategy": f"the strategy {opponent.name}",
    }[opponent.kind]
    return said + (f", {opponent.games} games from each seat" if opponent.games > 1 else "")


def _evaluator(name: str | None) -> str:
    *others, last = (name or "").split("|")
    if others:
        return f", by {', '.join(others)} or {last}, drawn anew for every move"
    return f", by {last}" if last else ""
