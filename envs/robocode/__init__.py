"""Robocode: two robots fight in an arena, each driven by a program that sees the other one by its radar alone."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.robocode.rules import Robocode
    from jaxgp.spec import Spec


def spec() -> "Spec[Robocode]":
    """Return the simulation; this imports it."""
    from envs.robocode import render, roles
    from envs.robocode.bots.samples import NAMES
    from envs.robocode.real import original, traces
    from envs.robocode.rules import Robocode
    from jaxgp.games.notation import Showing
    from jaxgp.spec import Fixed, Spec

    return Spec(
        Robocode,
        drawing=render,
        roles=(roles.FIGHT,),
        fixed=Fixed(NAMES, roles.make),
        showing=Showing(render.lines, render.picture, traces.read),
        originals={"robocode": original.ORIGINAL},
    )
