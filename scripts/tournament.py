"""Leagues of champions: rounds of games against opponents drawn by lot, until one is left; ratings from all games.

python scripts/tournament.py brackets.gp=outputs/sweep                      all runs in a folder, in one bracket
python scripts/tournament.py brackets.a=[outputs/x,outputs/y] brackets.b=outputs/z* brackets.others=[random,search:4]
python scripts/tournament.py brackets.a=FOLDER brackets.b=FOLDER mode=all   each way to draw opponents
python scripts/tournament.py ... threshold=0.5 seed=1                       other leagues; no game is played again
python scripts/tournament.py game=lose_checkers brackets.a=[random,search:2,search:4]     no champion among them

A member is a run directory, a folder of such, a champion file, a pattern with * or ?, random, search:DEPTH or
strategy:NAME. All players play one game for two under one set of rules: those of the champions, whose genomes may
differ, or game=NAME. In a simulation for two who has the higher score wins, and the report says what was measured.
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import envs
from jaxgp import files
from jaxgp.config import arguments, help
from jaxgp.config.games import OF_CHAMPIONS, resolve_game
from jaxgp.errors import RunError, UsageError, reason, reject, require
from jaxgp.options import MAX_CORES, MAX_SEED, option

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.league.crosstable import CrossTable
    from jaxgp.league.league_report import LeagueOutcome
    from jaxgp.league.members import Member

CONFIG_DIR = Path(__file__).resolve().parents[1] / "conf"
MODES = ("anyone", "own", "others")
ALL = "all"


@dataclass
class Options:
    """The players, the rules of a league, and the number of leagues."""

    brackets: dict[str, Any] = option({}, "NAME=MEMBER or NAME=[MEMBERS]: the players of a bracket")
    game: dict[str, Any] = option({"name": None}, f"{OF_CHAMPIONS}; a league without champions needs one")
    mode: str = option("anyone", "where opponents come from: everywhere, the own bracket, the others", (*MODES, ALL))
    leagues: int = option(100, "how many leagues, each with a schedule of its own", low=1, high=10_000)
    opponents: int = option(
        5, "drawn for each player in a round, each met from both seats; all, if fewer are left", low=1, high=1000
    )
    threshold: float = option(
        0.6,
        "a player stays if it wins more than this share of its games in a round",
        low=0,
        high=1,
        test=lambda share: share < 1,
        accepted="a number from 0 to less than 1",
    )
    draws: str = option("none", "what a drawn game counts: no win, or half of one", ("none", "half"))
    rounds: int = option(
        100, "the most rounds of a league; it ends earlier when one player is left", low=1, high=10_000
    )
    games: int = option(
        20, "games of an ordered pair of players with chance in their moves; others play one", low=1, high=1000
    )
    ties: str = option("first", "among equally good moves a search plays", ("first", "random"))
    evaluator: str | None = option(None, "what searches value positions by; null: the first of the game's evaluators")
    seed: int = option(0, "of the schedules and of the bootstrap", low=0, high=MAX_SEED)
    games_seed: int = option(0, "of random moves and random ties", low=0, high=MAX_SEED)
    table: str | None = option(None, "file in which games are kept; null: crosstable.json in output", path=True)
    cores: int | None = option(None, "of a CPU that share searches; null: all of them, up to 8", low=1, high=MAX_CORES)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    output: str = option("outputs/league", "directory for results", path=True)


def about(options: Options) -> list[str]:
    """Return what `--help` says of the game that is named beside it."""
    return help.of_game(options.game, envs, CONFIG_DIR)


def task(options: Options) -> int:
    """Check, play what is not in the table, hold the leagues, rate, write."""
    require("scripts/tournament.py", ("statsmodels",), "study")
    from jaxgp.league import battles, crosstable, league_report, members
    from jaxgp.report import document
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.search import cores

    cores.use(options.cores)
    use_compilation_cache(options.compilation_cache)
    source, wanted = resolve_game(options.game, envs, CONFIG_DIR)
    cast, playing = members.read(options.brackets, source, options.ties, options.evaluator, wanted)
    check_brackets(options, [member.bracket for member in playing])
    folder, file = places(options)
    games = crosstable.read(file, playing, options.games, options.games_seed)
    missing = games is None or bool((games.games != crosstable.plan_games(playing, options.games)).any())
    prepare(folder, file if missing else None)

    def keep(table: "CrossTable") -> None:
        try:
            crosstable.save(file, table, playing, options.games, options.games_seed)
        except OSError as error:  # the games go on, and the next ones are kept with these
            arguments.say(f"{file} not written ({reason(error)})")

    if games is not None and not missing:
        arguments.say(f"All games are in {file}")
    elif cast.simulated:
        games = battles.fight(cast, playing, options.games, options.games_seed, arguments.say)
        keep(games)
    else:
        games = crosstable.play(cast, playing, options.games, options.games_seed, arguments.say, games, keep)
    found = outcome(options, cast, playing, games)
    try:
        files.write_json(folder / "league.json", league_report.as_json(found, asdict(options)))
        about = [("leagues", str(options.leagues)), ("seed", str(options.seed))]
        document.save(folder, league_report.document(found, f"A league of {cast.game.name}", about))
    except OSError as error:
        raise RunError(f"output={folder}: cannot be written ({reason(error)})") from error
    finally:  # also where there is no room for the files
        print(league_report.text(found))
    print(f"Written to {folder}: report.html, report.md, league.json, figures; games in {file}")
    return 0


def modes(options: Options) -> tuple[str, ...]:
    """Return the ways to draw opponents that are asked for."""
    return MODES if options.mode == ALL else (options.mode,)


def places(options: Options) -> tuple[Path, Path]:
    """Return the directory for results, and the file in which games are kept."""
    folder = files.user_path("output", options.output)
    return folder, files.user_path("table", options.table) if options.table else folder / "crosstable.json"


def prepare(folder: Path, table: Path | None) -> None:
    """Make the directory, and check that files can be written, before hours are spent on games.

    Args:
        folder: for results.
        table: file for the games, if they are still to be played.

    Raises:
        UsageError: they cannot be written; directories that were made are removed again.
    """
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"output={folder}: cannot be written ({reason(error)})") from error
    try:
        files.check_writable("output", folder / "league.json")
        if table is not None:
            files.check_writable("table", table)
    except UsageError:
        for place in made:
            place.rmdir()
        raise


def outcome(options: Options, cast: "Cast", playing: "Sequence[Member]", games: "CrossTable") -> "LeagueOutcome":
    """Hold the leagues, and rate the players."""
    from jaxgp.league import league, league_report, ratings

    brackets = [member.bracket for member in playing]
    rules = league.LeagueRules(
        threshold=options.threshold,
        opponents=options.opponents,
        draw=0.5 if options.draws == "half" else 0.0,
        rounds=options.rounds,
    )
    rated = ratings.fit(games)
    fitness, rating = [member.fitness for member in playing], [one.value for one in rated.players]
    return league_report.LeagueOutcome(
        playing,
        games,
        rated,
        ratings.correlations(fitness, rating, brackets, options.seed),
        {mode: league.season(games, brackets, mode, rules, options.leagues, options.seed) for mode in modes(options)},
        rules,
        {"name": cast.game.name} | asdict(cast.game),
        tuple(one.name for one in cast.game.quantities) if cast.simulated else (),
    )


def check_brackets(options: Options, brackets: Sequence[str]) -> None:
    """Refuse ways to draw opponents that would find none; raises UsageError."""
    if "others" in modes(options) and len(set(brackets)) < 2:
        reject("mode", options.mode, f"anyone or own, as there is one bracket only ({brackets[0]})")
    if "own" in modes(options):
        alone = next((name for name in brackets if brackets.count(name) == 1), None)
        if alone is not None:
            reject("mode", options.mode, f"anyone or others, as bracket {alone} has one player only")


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__, about=about))
