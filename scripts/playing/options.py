"""The options of `play.py`."""

from dataclasses import dataclass
from typing import Any, ClassVar

from jaxgp.config.arguments import option
from jaxgp.options import MAX_COUNT, MAX_SEED, list_options
from jaxgp.seats.options import PlayerOptions, player

DEFAULT_GAME = "mancala"


@dataclass(kw_only=True)
class PlayersOptions:
    """Who plays, and which game."""

    run: str | None = option(
        None,
        "a run directory with a champion.json, such a file, or FILE.jsonl#SEED; sets game and program too",
        path=True,
    )
    game: dict[str, Any] = option(  # noqa: RUF009
        {"name": None},
        "a game, as files below conf/game name them, or its folder; settings of its rules are game.OPTION=VALUE; "
        f"null: the game of run or replay, else {DEFAULT_GAME}",
    )
    program: dict[str, Any] = option({}, "how programs see the board and move, as in the game's file below conf/game")  # noqa: RUF009
    player: PlayerOptions = option(player("human"), "who plays in `seat`")  # noqa: RUF009
    opponent: PlayerOptions | None = option(  # noqa: RUF009
        None, "who plays the other seat; null: champion if there is a run, else search, or random in games of chance"
    )
    seat: str = option("first", "which seat `player` has", ("first", "second"))
    beside: list[str] = option(  # noqa: RUF009
        [],
        "simulations: strategies, runs and champion files that drive from the same start, in the same picture; of a "
        "replay, other files that it shows",
    )


@dataclass(kw_only=True)
class Options(PlayersOptions):
    """The players, the game, and what is kept of it."""

    problem: str | None = option(None, "of a game of problems: the position, in its own words, as game.problem")
    teach: bool = option(False, "of a game of problems: whether you are to solve it; what refutes a try is told")
    limit: int = option(2_000_000, "of a game of problems: nodes of a search", low=1, high=MAX_COUNT)
    seed: int = option(0, "of chance in the game, of random moves and of random ties", low=0, high=MAX_SEED)
    hints: bool = option(False, "whether the game says what each move of a person did, where it knows it")
    lesson: str | None = option(
        None, "an exercise of the game, which you are to win against its best defence, with hints; null: none"
    )
    save: str | None = option(
        None,
        "write what was played to FILE.svg, an animated picture, FILE.txt and FILE.json; with an ending only that one, "
        "or a format of other programs that the page of the game names",
        path=True,
    )
    picture: str | None = option(None, "write a picture of the last position to this SVG file", path=True)
    replay: str | None = option(
        None,
        "a saved FILE, or with game=NAME a FILE in a notation of that game; FILE#N: the N-th game of it: show its "
        "moves, do not play",
        path=True,
    )
    resume: str | None = option(None, "a FILE as for replay: play on from where it ends", path=True)
    move: int | None = option(
        None,
        "of a replay, or of a game to go on from: the last move that counts; of a rollout the one step that is shown; "
        "null: all",
        low=0,
        high=MAX_COUNT,
    )

    renamed: ClassVar[dict[str, str]] = {
        **{
            name: f"opponent.{name}={{0}} or player.{name}={{0}}"
            for name in ("depth", "ties", "evaluator", "nodes", "single", "expression", "command", "timeout")
        },
        "strategy": "opponent=strategy:{0} or player=strategy:{0}",
        "rules": "opponent=program:{0} or player=program:{0}",
    }


OF_PLAYERS = [one.name for one in list_options(PlayersOptions) if one.name not in ("game", "beside")]
"""Options that choose players; a replay refuses them."""
