"""Morpion Solitaire: lines of five on a grid, one new cross each, for one player."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.morpion.rules import Morpion
    from jaxgp.spec import Spec


def spec() -> "Spec[Morpion]":
    """Return the game; this imports it."""
    from envs.morpion import hints, opponents, render, roles
    from envs.morpion.notation import records, saved
    from envs.morpion.rules import Morpion
    from jaxgp.games.notation import Notation
    from jaxgp.spec import Pointing, Solo, Spec, Table

    return Spec(
        Morpion,
        drawing=render,
        roles=(roles.WALK, roles.GUIDE),
        notation=Notation(
            render.action_name,
            render.parse_action,
            records.read_game,
            saved.describe,
            render.svg_game,
            lambda game, actions: saved.one_line(game, actions) + "\n",
            records.FORMATS,
        ),
        solo=Solo(opponents.list_lines, opponents.random_scores),
        table=Table(
            render.TYPED, rules=render.RULES, pointing=Pointing(render.places, render.spots), hints=hints.hints
        ),
        longest=lambda game: game.size**2,  # each move needs a point of its own
    )
