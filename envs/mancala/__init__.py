"""Kalah, the mancala game of two rows of pits and two stores."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.mancala.rules import Mancala
    from jaxgp.spec import Spec


def spec() -> "Spec[Mancala]":
    """Return the game; this imports it."""
    from envs.mancala import opponents, render, roles
    from envs.mancala.rules import Mancala
    from jaxgp.games.notation import Notation
    from jaxgp.spec import Pointing, Searches, Spec, Table

    return Spec(
        Mancala,
        drawing=render,
        roles=(roles.PROGRAM, roles.LEAF),
        notation=Notation(render.action_name, render.parse_action),
        searches=Searches(lambda game: opponents.EVALUATORS, opponents.search_twin),
        table=Table(rules=render.RULES, pointing=Pointing(render.places, render.spots)),
    )
