"""Othello, also called Reversi, on boards of even size."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.othello.rules import Othello
    from jaxgp.spec import Spec


def spec() -> "Spec[Othello]":
    """Return the game; this imports it."""
    from envs.othello import gtp, notation, opponents, render, roles
    from envs.othello.rules import Othello
    from jaxgp.games.notation import Notation
    from jaxgp.spec import Pointing, Searches, Spec, Table

    return Spec(
        Othello,
        drawing=render,
        roles=(roles.MOVE, roles.LEAF),
        notation=Notation(
            render.action_name,
            render.parse_action,
            notation.read_game,
            written=notation.transcript,
            formats=notation.FORMATS,
        ),
        searches=Searches(opponents.evaluators),
        table=Table(
            render.TYPED, rules=render.RULES, pointing=Pointing(render.places, render.spots), colours=render.COLOURS
        ),
        dialect=gtp.dialect,
        longest=lambda game: 2 * (game.size**2 - 4),  # a disc on each square, and as many passes
    )
