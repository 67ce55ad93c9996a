"""Walls, the game of two players who lay bricks behind them as they walk."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.walls.rules import Walls
    from jaxgp.spec import Spec


def spec() -> "Spec[Walls]":
    """Return the game; this imports it."""
    from envs.walls import opponents, render, roles, strategies
    from envs.walls.rules import Walls
    from jaxgp.games.notation import Notation
    from jaxgp.spec import Fixed, Pointing, Searches, Spec, Table

    return Spec(
        Walls,
        drawing=render,
        roles=(roles.RULES,),
        notation=Notation(render.action_name, render.parse_action),
        searches=Searches(lambda game: opponents.EVALUATORS, certainty=opponents.certainty),
        fixed=Fixed(strategies.STRATEGIES, strategies.strategy),
        table=Table(
            render.TYPED,
            rules=render.RULES,
            colours=render.COLOURS,
            pointing=Pointing(render.places, render.spots),
        ),
    )
