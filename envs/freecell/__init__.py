"""FreeCell: a patience with all cards face up; a puzzle for one player."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.freecell.rules import FreeCell
    from jaxgp.spec import Spec


def spec() -> "Spec[FreeCell]":
    """Return the game; this imports it."""
    from envs.freecell import notation, plain, render, roles, solver, suites
    from envs.freecell.rules import FreeCell
    from jaxgp.games.notation import Notation
    from jaxgp.spec import Fixed, Pointing, Spec, Suites, Table

    return Spec(
        FreeCell,
        drawing=render,
        roles=(roles.WEIGHTS, roles.POLICY),
        notation=Notation(notation.action_name, notation.parse_action, notation.read_game, written=notation.write_game),
        fixed=Fixed(tuple(suites.WEIGHED), suites.strategy),
        instances=Suites("deal", suites.names, suites.instances, plain.prove),
        table=Table(
            render.TYPED,
            notation.turn,
            rules=render.RULES,
            pointing=Pointing(render.places, render.spots),
            colours=render.COLOURS,
            hints=solver.hints,
            ending=render.ending,
        ),
    )
