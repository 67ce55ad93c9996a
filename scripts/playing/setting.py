"""Which game is played, by whom, and whose champion is at the table."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import envs
from jaxgp.errors import UsageError, reject
from jaxgp.seats.options import PlayerOptions, player
from playing.keeping import kept_files
from playing.options import DEFAULT_GAME, Options

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.games.outside import Games
    from jaxgp.host.savedgame import PlayedGame
    from jaxgp.measure.champions import Loaded

CONFIG_DIR = Path(__file__).resolve().parents[2] / "conf"


def set_up(options: Options, begun: "PlayedGame | None" = None) -> "tuple[Cast, Loaded | None]":
    """Set up the game: that of the run, of the game to go on from, or the one the options name."""
    from jaxgp.config.games import cast_of
    from jaxgp.config.schema import Config
    from jaxgp.contracts import Solver
    from jaxgp.measure import champions

    games, game = choose_game(options)
    if begun is not None:
        from jaxgp.host.savedgame import settings_of

        game = settings_of(begun.game)
    if not options.run:
        return cast_of(Config(game={"name": DEFAULT_GAME} | game, program=options.program), games), None
    loaded = champions.load(options.run, games, asked=game)
    spare(options, loaded)
    if options.program and not isinstance(loaded.cast.actor, Solver):
        raise UsageError("program: the run has its own; leave it out where run is given")
    loaded = champions.with_program(loaded, options.program) if options.program else loaded
    return loaded.cast, loaded


def spare(options: Options, loaded: "Loaded") -> None:
    """Refuse to keep a game where a champion is read from; raises UsageError."""
    from jaxgp.measure import champions

    for name, targets in kept_files(options, loaded.cast.spec.notation.formats).items():
        champions.keep_champion(loaded, name, getattr(options, name), targets)


def choose_game(options: Options) -> "tuple[Games, dict[str, object]]":
    """Return where games come from, and the name and the settings that were asked of the game."""
    from jaxgp.config import games

    game = options.game if options.problem is None else {**options.game, "problem": options.problem}
    return games.resolve_game(game, envs, CONFIG_DIR)


def choose_opponent(options: Options, cast: "Cast") -> PlayerOptions:
    """Return the opponent; the usual one if none is asked for."""
    if options.opponent is not None:
        return options.opponent
    usual = player("champion") if options.run else player("search", ties="random")
    return player("random") if usual.unfit(cast) else usual


def check_run(options: Options, seats: dict[str, PlayerOptions]) -> None:
    """Refuse a champion without a run, and a run whose champion does not play; raises UsageError."""
    kinds = [seat.kind for seat in seats.values()]
    if "champion" in kinds and not options.run:
        raise UsageError(f"{list(seats)[kinds.index('champion')]}=champion: needs run=DIR as well")
    if options.run and "champion" not in kinds:
        alone = "player is not champion; add player=champion"
        nobody = alone if len(kinds) == 1 else "neither player nor opponent is champion"
        raise UsageError(f"run: given, but {nobody}")


def only_one(options: Options, game: str) -> None:
    """Refuse options of a second player in a game for one."""
    if options.opponent is not None:
        raise UsageError(f"opponent: {game} is a game for one; leave it out")
    if options.seat != "first":
        reject("seat", options.seat, f"first; {game} is a game for one")


def practise(options: Options, lesson: str) -> Options:
    """Return the options of a lesson; raises UsageError for one that the game does not have."""
    for name in ("run", "opponent", "resume"):
        if getattr(options, name) is not None:
            raise UsageError(f"{name}: a lesson has its own opponent and start; leave one of them out")
    games, game = choose_game(options)
    name = str(game.get("name") or DEFAULT_GAME)
    exercises = games.spec(name).table.exercises
    if lesson not in exercises:
        reject("lesson", lesson, ", ".join(exercises) if exercises else f"null; {name} has no lessons")
    one = exercises[lesson]
    settings = {**game, **one.settings, "name": name}
    return replace(options, game=settings, opponent=player("strategy", name=one.opponent), hints=True)
