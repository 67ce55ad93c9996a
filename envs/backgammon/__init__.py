"""Backgammon without a doubling cube, and hypergammon."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.backgammon.rules import Backgammon
    from jaxgp.spec import Spec


def spec() -> "Spec[Backgammon]":
    """Return the game; this imports it."""
    from envs.backgammon import lessons, render, roles, strategies, turns
    from envs.backgammon.lessons import filed
    from envs.backgammon.notation import mat
    from envs.backgammon.rules import Backgammon
    from jaxgp.games.notation import Notation
    from jaxgp.spec import Fixed, Pointing, Spec, Table, Teachers

    teachers = Teachers(lessons.TEACHERS, lessons.lessons, filed=filed.read)
    return Spec(
        Backgammon,
        drawing=render,
        roles=(roles.TURN,),
        notation=Notation(render.action_name, render.parse_action, formats=mat.FORMATS),
        fixed=Fixed(tuple(strategies.PLAYERS), strategies.strategy, teachers),
        table=Table(
            turns.TYPED,
            turns.read_turn,
            rules=render.RULES,
            pointing=Pointing(render.places, render.spots),
            colours=render.COLOURS,
            hints=strategies.hints,
            rolled=render.rolled,
        ),
    )
