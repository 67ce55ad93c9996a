"""RARS, the Robot Auto Racing Simulator: programs drive cars on tracks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.rars.rules import Rars
    from jaxgp.spec import Spec


def spec() -> "Spec[Rars]":
    """Return the simulation; this imports it."""
    from envs.rars import render, roles, strategies, tracks
    from envs.rars.paths.roles import FOLLOW, PATH
    from envs.rars.rules import Rars
    from jaxgp.games.notation import Showing
    from jaxgp.spec import Fixed, Spec, Suites

    return Spec(
        Rars,
        drawing=render,
        roles=(roles.DRIVE, FOLLOW, PATH),
        fixed=Fixed(strategies.NAMES, strategies.make),
        instances=Suites("track", tracks.lists, tracks.load),
        showing=Showing(render.lines, render.picture),
    )
