"""Checkers: American checkers and lose checkers, on boards of even size."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.checkers.rules import Checkers
    from jaxgp.spec import Spec


def spec() -> "Spec[Checkers]":
    """Return the game; this imports it."""
    from envs.checkers import notation, opponents, render, roles, turns
    from envs.checkers.rules import Checkers
    from jaxgp.games.notation import Notation
    from jaxgp.spec import Pointing, Searches, Spec, Table

    return Spec(
        Checkers,
        drawing=render,
        roles=(roles.LEAF,),
        notation=Notation(
            render.action_name,
            render.parse_action,
            notation.read_game,
            written=notation.written,
            formats=notation.FORMATS,
        ),
        searches=Searches(opponents.evaluators, certainty=opponents.certainty),
        table=Table(
            turns.TYPED,
            turns.read_turn,
            rules=render.RULES,
            pointing=Pointing(render.places, render.spots),
            colours=render.COLOURS,
        ),
        vet=notation.vet,
    )
