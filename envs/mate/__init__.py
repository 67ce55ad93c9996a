"""Mate in n: problems of chess whose answer is a tree."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.mate.rules import Mate
    from jaxgp.spec import Spec


def spec() -> "Spec[Mate]":
    """Return the game; this imports it."""
    from envs.mate import notation, picture, plain, render, replay, roles, suites
    from envs.mate.rules import Mate
    from jaxgp.spec import Proving, Spec, Suites, Table

    return Spec(
        Mate,
        drawing=render,
        roles=(roles.GUIDE, roles.SEARCH, roles.WEIGHTS),
        instances=Suites("problem", suites.names, suites.instances),
        table=Table(notation.TYPED, rules=render.RULES, colours=render.COLOURS),
        proving=Proving(
            plain=plain,
            text=notation.text_of,
            name=notation.name_of,
            action=notation.action_of,
            written=notation.san,
            typed=notation.read_move,
            accepted=notation.TYPED,
            files={".svg": picture.svg, ".html": replay.page, ".pgn": replay.pgn},
        ),
    )
