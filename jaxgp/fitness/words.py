"""Words for opponents, in tables of parameters. Importing this does not import JAX."""

from jaxgp.seats.options import OpponentOptions

COUNTED = ("result", "share")
"""What games of individuals among themselves may count."""
POINTS = ("score", "result", "share")
"""What points of a game can be; see `jaxgp.fitness.panel.PanelFitness`."""


def describe_opponent(opponent: OpponentOptions) -> str:
    """Say in words who an opponent is."""
    return opponent.says + (f", {opponent.games} games from each seat" if opponent.games > 1 else "")
