"""FreeCell: a patience with all cards face up; a puzzle for one player."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.freecell.rules import FreeCell
    from jaxgp.spec import Spec


def spec() -> "Spec[FreeCell]":
    """Return the game; this imports it."""
    from envs.freecell import notation, plain, render, roles, solver, suites
    from envs.freecell.rules import FreeCell
    from jaxgp.spec import Notation, Spec

    return Spec(
        FreeCell,
        drawing=render,
        roles=(roles.WEIGHTS, roles.POLICY),
        strategies=tuple(suites.WEIGHED),
        strategy=suites.strategy,
        typed=render.TYPED,
        turn=notation.turn,
        notation=Notation(notation.parse_game, written=notation.written),
        hints=solver.hints,
        ending=render.ending,
        instance="deal",
        suites=suites.names,
        instances=suites.instances,
        prove=plain.prove,
    )
