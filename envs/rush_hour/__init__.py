"""Rush Hour: vehicles slide along their lines until one can leave the board; a puzzle for one player."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.rush_hour.rules import RushHour
    from jaxgp.spec import Spec


def spec() -> "Spec[RushHour]":
    """Return the game; this imports it."""
    from envs.rush_hour import exact, plain, render, roles, suites
    from envs.rush_hour.rules import RushHour
    from jaxgp.games.notation import Notation
    from jaxgp.spec import Fixed, Pointing, Spec, Suites, Table

    return Spec(
        RushHour,
        drawing=render,
        roles=(roles.POLICY, roles.HEURISTIC),
        notation=Notation(render.action_name, render.parse_action, formats=exact.FORMATS),
        fixed=Fixed(tuple(suites.STRATEGIES), suites.strategy),
        instances=Suites("board", suites.names, suites.instances, plain.prove),
        table=Table(
            render.TYPED,
            rules=render.RULES,
            pointing=Pointing(render.places, render.spots),
            colours=render.COLOURS,
            hints=exact.hints,
            ending=render.ending,
        ),
        vet=exact.vet,
    )
