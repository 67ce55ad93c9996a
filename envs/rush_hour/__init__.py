"""Rush Hour: vehicles slide along their lines until one can leave the board; a puzzle for one player."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.rush_hour.rules import RushHour
    from jaxgp.spec import Spec


def spec() -> "Spec[RushHour]":
    """Return the game; this imports it."""
    from envs.rush_hour import exact, plain, render, roles, suites
    from envs.rush_hour.rules import RushHour
    from jaxgp.spec import Spec

    return Spec(
        RushHour,
        drawing=render,
        roles=(roles.POLICY, roles.HEURISTIC),
        strategies=tuple(suites.STRATEGIES),
        strategy=suites.strategy,
        typed=render.TYPED,
        hints=exact.hints,
        ending=render.ending,
        vet=exact.vet,
        instance="board",
        suites=suites.names,
        instances=suites.instances,
        prove=plain.prove,
    )
