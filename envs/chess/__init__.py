"""Chess endgames of kings, queens and rooks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envs.chess.rules import Chess
    from jaxgp.spec import Spec


def spec() -> "Spec[Chess]":
    """Return the game; this imports it."""
    from envs.chess import hints, lessons, render, roles, starts, strategies
    from envs.chess.notation import moves, pgn, uci
    from envs.chess.rules import Chess
    from envs.chess.tables import process
    from jaxgp.games.notation import Notation
    from jaxgp.spec import Exercise, Fixed, Pointing, Spec, Table, Teachers

    return Spec(
        Chess,
        drawing=render,
        roles=(roles.MOVE, roles.LEAF, roles.SUM),
        notation=Notation(render.action_name, render.parse_action, pgn.read_game, formats=pgn.FORMATS),
        fixed=Fixed(
            strategies.NAMES,
            strategies.strategy,
            Teachers(lessons.TEACHERS, lessons.lessons, lessons.others, hints.judge, process.process),
        ),
        table=Table(
            moves.TYPED,
            moves.read_turn,
            rules=render.RULES,
            pointing=Pointing(render.places, render.spots),
            colours=render.COLOURS,
            hints=hints.hints,
            remarks=hints.remarks,
            exercises={
                name: Exercise({"endgame": name, "start": "won"}, strategies.TABLE) for name in ("KQK", "KRK", "KQKR")
            },
        ),
        dialect=uci.positions,
        vet=starts.vet,
    )
