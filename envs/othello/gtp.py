"""How engines that speak the Go Text Protocol play Othello; tried with gtp-rhino 0.16.1.

They count rows from the top, as `render` does (in Go row 1 is at the bottom), so squares have the same names. They
score ended games as tournaments do, with the empty squares for the winner. So results are taken from the rules, never
from an engine.
"""

from functools import partial

from envs.othello.render import SEATS, action_name, parse_action
from envs.othello.rules import Othello
from jaxgp.games.notation import Dialect

PACKAGES = {"gtp-rhino": "the package grhino of Debian and Ubuntu: apt-get install grhino"}


def dialect(game: Othello) -> Dialect:
    """Return how engines speak of this board."""
    return Dialect(
        setup=("set_game Othello", f"boardsize {game.size}"),
        colours=(SEATS[0].lower(), SEATS[1].lower()),
        vertex=partial(action_name, game),
        action=partial(parse_action, game),
        packages=PACKAGES,
    )
