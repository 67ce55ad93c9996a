"""The players of a league: turns words on the command line into players of one game, in brackets."""

import glob
import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.contracts import Driver, Player
from jaxgp.errors import UsageError, reason, reject, rejection
from jaxgp.files import user_path
from jaxgp.games.casting import Cast
from jaxgp.games.outside import Games
from jaxgp.genotypes.language import Genome, Language
from jaxgp.measure import champions
from jaxgp.measure.champions import Loaded
from jaxgp.options import list_options
from jaxgp.players.driver import fixed_driver
from jaxgp.players.panel import strategist
from jaxgp.players.searches import evaluators
from jaxgp.printable import one_line
from jaxgp.reading import whole_number
from jaxgp.seats.kinds.strategy import StrategyOptions
from jaxgp.seats.options import FORMER, PlayerOptions, parse_player, spellings
from jaxgp.store import champion
from jaxgp.store.champion import ChampionError
from jaxgp.store.directory import RunDirectory

FILES = "run directories, folders of such, champion files, FILE.jsonl#SEED, patterns with *, ? or [0-4]"
MOST = 200
"""The most players of a league; with more, the ratings alone would take minutes."""


@dataclass(frozen=True)
class GenomeActor:
    """How a genome plays.

    Attributes:
        team: equal for genomes that one device program can play side by side.
        player: the player of the team; of a simulation its driver.
        language: what the genome is written in; None if it is the only one of its team.
        genome: one individual.
    """

    team: str
    player: Player | Driver
    language: Language | None
    genome: Genome


@dataclass(frozen=True)
class Member:
    """One player of a league.

    Attributes:
        name: differs from all other players' names.
        bracket: the bracket that it belongs to.
        source: the word or the file that named it.
        identity: equal for players that make the same moves, or draw them in the same way.
        plays: a genome, or the options of another player.
        fitness: fitness of a champion in its own run; None for any other player.
        chance: whether chance takes part in the game, or draws the moves of a player that is no genome.
    """

    name: str
    bracket: str
    source: str
    identity: str
    plays: GenomeActor | PlayerOptions
    fitness: float | None = None
    chance: bool = False

    @property
    def random(self) -> bool:
        """Whether its games have chance in them: in its moves, or in the game itself."""
        return self.chance or (isinstance(self.plays, GenomeActor) and self.plays.player.random)


def read(
    brackets: Mapping[str, object],
    games: Games,
    ties: str,
    evaluator: str | None,
    game: Mapping[str, object] | None = None,
) -> tuple[Cast, list[Member]]:
    """Find and load the players of all brackets.

    Args:
        brackets: by name, the word or list of words on the command line.
        games: where games come from.
        ties: ties of searches, `first` or `random`.
        evaluator: evaluator of searches; None: the first of the game's evaluators.
        game: the name and settings that the game must have; missing ones are not checked.

    Returns:
        The game of the first champion, else the one that is asked for, and the players, bracket by bracket.

    Raises:
        UsageError: a bracket without players, a champion of another game, a player named twice, neither a champion nor
            the name of a game, or fewer than 2 or more than `MOST` players.
    """
    named = {name: _words(f"brackets.{name}", value) for name, value in brackets.items()}
    if not named:
        raise UsageError("brackets: who plays? Write brackets.NAME=[...] with run directories; --help tells more")
    found = [(name, word) for name, words in named.items() for word in _expanded(f"brackets.{name}", words)]
    if not 2 <= len(found) <= MOST:
        reject("brackets", f"{len(found)} {'player' if len(found) == 1 else 'players'}", f"2 to {MOST} players in all")
    files = [Path(os.path.realpath(word)) for _, word in found if isinstance(word, Path)]
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise UsageError(f"brackets: {twice} is named twice; each player can be in one bracket once")
    game = game or {}
    loaded = {w: champions.load(str(w), games, f"brackets.{b}", game) for b, w in found if isinstance(w, Path)}
    for bracket, word in found:
        if isinstance(word, Path):
            _same_game(f"brackets.{bracket}", next(iter(loaded.values())), loaded[word])
    cast, labels = next((one.cast for one in loaded.values()), None) or _empty(game, games), _labels(loaded)
    if evaluator is not None:
        evaluators(cast.spec, cast.game, evaluator)
    made = [
        _champion(bracket, labels[word], loaded[word])
        if isinstance(word, Path)
        else _other(bracket, word, cast, ties, evaluator)
        for bracket, word in found
    ]
    chance = cast.game.chance or (cast.simulated and cast.game.starts == "drawn")
    return cast, [replace(one, chance=chance or one.chance) for one in _distinct(list(map(_shown, made)))]


def _empty(game: Mapping[str, object], games: Games) -> Cast:
    """Return the game of a league without champions.

    Raises:
        UsageError: none is named, or it is a game for one.
    """
    if "name" not in game:
        why = "no champion among the players, whose game would be played"
        raise UsageError(f"brackets: {why}; accepted: {describe_members()}, with one champion or more, or game=NAME")
    cast = cast_of(Config(game=dict(game)), games)
    if cast.game.seats != 2:
        reject("game", cast.game.name, f"a game for two; this one is for {_seats(cast)}")
    return cast


def _seats(cast: Cast) -> str:
    return "one" if cast.game.seats == 1 else str(cast.game.seats)


def _shown(member: Member) -> Member:
    """Return a player with names that are fit to be shown: they are of files, and of the command line."""
    name, bracket, source = map(one_line, (member.name, member.bracket, member.source))
    return replace(member, name=name, bracket=bracket, source=source)


def _words(option: str, value: object) -> list[str]:
    words = value if isinstance(value, list) else [value]
    if not words or not all(isinstance(word, str) and word for word in words):
        reject(option, value, f"a list of one or more of: {describe_members()}")
    return [str(word) for word in words]


def _expanded(option: str, words: Sequence[str]) -> list[str | Path]:
    """Replace words other than those that name players by champion files."""
    found: list[str | Path] = []
    for word in words:
        named = word.partition(":")[0] in {*_fixed(), *FORMER} and not Path(word).exists()
        found += [word] if named else champion_files(option, [word])
    return found


def _fixed() -> dict[str, type[PlayerOptions]]:
    """Return the kinds of players that are named by a word, not by a file."""
    return {name: kind for name, kind in PlayerOptions.kinds.all().items() if kind.fixed}


def describe_members() -> str:
    """Say in words what a member can be."""
    return ", ".join([FILES, *(word for word in spellings(PlayerOptions) if word.partition(":")[0] in _fixed())])


def champion_files(option: str, words: Sequence[str]) -> list[Path]:
    """Replace words by champion files; raises UsageError.

    A pattern stands for its matches, a folder for the runs in it, a file of lines for all of its champions.
    """
    found: list[Path] = []
    for word in words:
        given = str(user_path(option, word))
        # A folder may have brackets in its name; where it is there, it is meant.
        pattern = re.search(r"[*?[]", given) and not Path(given).exists()
        paths = sorted(glob.glob(given), key=_natural) if pattern else [given]
        if not paths:
            reject(option, word, "a pattern that matches runs or champion files; it matches nothing")
        found += [file for path in paths for file in _files(option, Path(path))]
    return found


def _files(option: str, path: Path) -> list[Path]:
    if not path.is_dir():
        try:
            return champion.members(path)
        except ChampionError as error:
            raise UsageError(f"{option}={path}: {error}") from error
    if RunDirectory(path).champion.is_file():
        return [RunDirectory(path).champion]
    try:
        below = sorted(path.rglob(RunDirectory(path).champion.name), key=_natural)
    except OSError as error:
        reject(option, path, f"a folder in which every directory can be read ({error.filename}: {reason(error)})")
    if not below:
        reject(option, path, "a run with a champion, or a folder of such; there is none in it")
    return below


def _natural(path: str | Path) -> list[tuple[int, str]]:
    """Return a sort key by which seed9 comes before seed10."""
    parts = ((whole_number(part), part) for part in re.split(r"(\d+)", str(path)))
    return [(-1, part) if number is None else (number, "") for number, part in parts]


def _labels(loaded: Mapping[Path, Loaded]) -> dict[Path, str]:
    """Name each champion by the title and the seed of its run, and by its place where that is not enough."""
    places = _places(list(loaded))
    titles = {
        file: f"{one.content.title}, seed {one.content.seed}" for file, one in loaded.items() if one.content.title
    }
    count = Counter(titles.values())
    named = {file: name if count[name] == 1 else f"{name} ({places[file]})" for file, name in titles.items()}
    return places | named


def _places(files: Sequence[Path]) -> dict[Path, str]:
    """Return the last folders of each champion, as many as make all of them different."""
    runs = {file: file.resolve().parent if file.name == "champion.json" else file.resolve() for file in files}
    length = 1
    while len({run.parts[-length:] for run in runs.values()}) < len(runs):
        length += 1
    return {file: "/".join(part for part in run.parts[-length:] if part != "/") for file, run in runs.items()}


def _same_game(option: str, home: Loaded, other: Loaded) -> None:
    """Refuse a champion that cannot sit at the first champion's board."""
    game, wanted = other.cast.game, home.cast.game
    if game.seats != 2:
        seats = _seats(other.cast)
        raise UsageError(f"{option}: {other.path} plays {game.name}, a game for {seats}; accepted: games for two")
    if game.name != wanted.name:
        raise UsageError(f"{option}: {other.path} plays {game.name}, but {home.path} {wanted.name}; accepted: one game")
    here, there = asdict(game), asdict(wanted)
    for name, value in here.items():
        if value != there[name]:
            raise UsageError(
                f"{option}: {other.path} plays with game.{name}={value}, but {home.path} with {there[name]}; "
                "accepted: one set of rules"
            )


def _champion(bracket: str, label: str, loaded: Loaded) -> Member:
    content, cast = loaded.content, loaded.cast
    team = f"{content.language['kind']} {json.dumps(cast.program, sort_keys=True)} {cast.language.version}"
    evolved = GenomeActor(team, cast.actor, cast.language, loaded.genome)
    identity = _digest(cast, team, content.text)
    return Member(label, bracket, str(loaded.path), identity, evolved, content.fitness)


def _other(bracket: str, word: str, cast: Cast, ties: str, evaluator: str | None) -> Member:
    """Make a player that is not a champion.

    Raises:
        UsageError: an unknown word, or something that the game does not have.
    """
    option = f"brackets.{bracket}"
    plays = parse_player(option, word, PlayerOptions)
    names = [one.name for one in list_options(plays)]
    shared: dict[str, Any] = {"ties": ties, "evaluator": evaluator}
    plays = replace(plays, **{name: value for name, value in shared.items() if name in names})
    try:
        plays.check(option, cast)
    except UsageError as error:
        raise rejection(option, word, error.accepted, error.why) if error.accepted else error from error
    plays = plays.named(cast)
    identity = _digest(cast, plays.text)
    if isinstance(plays, StrategyOptions):  # one device program plays its genome beside those of champions
        if cast.simulated:
            hand = fixed_driver(cast.spec, cast.game, plays.name)
            return Member(word, bracket, word, identity, GenomeActor(word, hand.driver, None, hand.genome))
        player, genome = strategist(cast.spec, cast.game, plays.name)
        return Member(word, bracket, word, identity, GenomeActor(word, player, None, genome))
    return Member(word, bracket, word, identity, plays, chance=plays.chance(cast))


def _digest(cast: Cast, *what: str) -> str:
    """Return a digest of a player and its rules, 16 hexadecimal digits."""
    text = json.dumps([cast.game.name, asdict(cast.game), *what], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _distinct(members: Sequence[Member]) -> list[Member]:
    """Return the members; raise UsageError if two have the same name."""
    for place, member in enumerate(members):
        if member.name in [other.name for other in members[:place]]:
            raise UsageError(f"brackets.{member.bracket}: {member.name} is named twice; each player can play once")
    return list(members)
