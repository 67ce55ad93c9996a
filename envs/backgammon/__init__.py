"""Backgammon without a doubling cube, and hypergammon."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.backgammon.rules import Backgammon
    from jaxgp.spec import Spec


def spec() -> "Spec[Backgammon]":
    """Return the game; this imports it."""
    from envs.backgammon import lessons, render, roles, strategies, turns
    from envs.backgammon.rules import Backgammon
    from jaxgp.spec import Spec

    return Spec(
        Backgammon,
        drawing=render,
        roles=(roles.TURN,),
        strategies=tuple(strategies.PLAYERS),
        strategy=strategies.strategy,
        teachers=lessons.TEACHERS,
        lessons=lessons.lessons,
        typed=turns.TYPED,
        turn=turns.read_turn,
    )
