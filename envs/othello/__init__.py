"""Othello, also called Reversi, on boards of even size."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.othello.rules import Othello
    from jaxgp.spec import Spec


def spec() -> "Spec[Othello]":
    """Return the game; this imports it."""
    from envs.othello import gtp, opponents, render, roles
    from envs.othello.rules import Othello
    from jaxgp.spec import Spec

    return Spec(
        Othello,
        drawing=render,
        roles=(roles.MOVE, roles.LEAF),
        evaluators=opponents.evaluators,
        typed=render.TYPED,
        dialect=gtp.dialect,
    )
