"""Games that were played, in files: as an animated picture, as text, and as moves that can be played again.

A file of moves holds the game's key: the name of its generator and its words. The opening and all chance in the game
follow from the key (`jaxgp.seats.moves`), so a game that is played again has the same opening and the same dice. Files
of the first version hold no key; they are games without chance.
"""

import html
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp import files, reading
from jaxgp.config.games import game_of
from jaxgp.contracts import Game, Position
from jaxgp.errors import RunError, UsageError, reason, reject, show
from jaxgp.files import Json
from jaxgp.games.outside import Games
from jaxgp.host.animation import animate
from jaxgp.host.replay import frames, pictures
from jaxgp.printable import one_line
from jaxgp.seats.moves import Move, Stepper, announcement, game_key, verdict
from jaxgp.spec import Spec

FORMAT = "jaxgp game"
FORMAT_VERSION = 2
WITHOUT_CHANCE = 1
"""The version of files that hold no key."""
SUFFIXES = (".svg", ".txt", ".json")
BELOW = "The same game for programs, as in a file of JSON:"
"""The line of a text below which the game is written as JSON."""
WITHIN = re.compile(r"<metadata>\s*(\{.*?\})\s*</metadata>", re.DOTALL)
"""Where an animated picture holds the game."""
SCHEMES = "<style>svg:root{color-scheme:light dark}</style>"
"""The canvas of a picture that a browser shows by itself is dark where the browser asks for dark colours."""
LARGEST_HEAD = 1000
"""Characters within which a picture says that it is one."""
ACCEPTED = "accepted: a game that was saved"


@dataclass(frozen=True)
class PlayedGame:
    """A game that was played, finished or not.

    Attributes:
        stepper: the rules, and the chance of this game.
        spec: the game, for its pictures and words.
        names: of the players, by seat; one or two.
        moves: the opening, then every move; at least the opening.
    """

    stepper: Stepper
    spec: Spec
    names: tuple[str, ...]
    moves: Sequence[Move]

    @property
    def game(self) -> Game:
        """The rules."""
        return self.stepper.rules


def targets(option: str, name: str, suffixes: Sequence[str] = SUFFIXES, further: Iterable[str] = ()) -> list[Path]:
    """Return the files that a name stands for: itself if it has one of the endings, else one file for each ending.

    Files with one of the `further` endings are written only where their names have it.

    Raises:
        UsageError: no file can be written there.
    """
    path = files.user_path(option, name)
    if not path.name or path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        reject(option, name, "the name of a file, in a directory that exists and can be written to")
    found = (
        [path] if path.suffix in (*suffixes, *further) else [path.with_name(path.name + suffix) for suffix in suffixes]
    )
    for one in found:
        if one.exists() and not one.is_file():  # a device, whose place a file would take
            reject(option, name, f"the name of a file; {one.name} is none")
    return found


def write(paths: Sequence[Path], played: PlayedGame) -> None:
    """Write a game to files, each in the notation that its ending asks for; raises RunError."""
    notations: dict[str, Callable[[PlayedGame], str]] = {".svg": animation, ".txt": transcript, ".json": record}
    for path in paths:
        form = notations.get(path.suffix)
        write_text(path, foreign(path, played) if form is None else form(played))


def write_position(path: Path, played: PlayedGame) -> None:
    """Write the picture of the last position; raises RunError."""
    write_text(path, alone(pictures(played.spec, played.game, played.moves)[-1]) + "\n")


def foreign(path: Path, played: PlayedGame) -> str | bytes:
    """Return the game in the format of other programs that the ending of a file names; raises RunError."""
    form = played.spec.notation.formats[path.suffix]
    moves = [move for move in played.moves if move.action is not None]
    actions = [move.action for move in moves if move.action is not None]
    states = [move.state for move in (played.moves[0], *moves)]
    try:
        return form.write(played.game, played.names, states, actions)
    except ValueError as error:
        raise RunError(f"{path}: cannot be written: {error}") from error


def write_text(path: Path, content: str | bytes) -> None:
    """Write a file that was asked for; raises RunError."""
    try:
        files.write(path, lambda file: file.write(content.encode() if isinstance(content, str) else content))
    except OSError as error:
        raise RunError(f"{path}: cannot be written ({reason(error)})") from error


def animation(played: PlayedGame) -> str:
    """Return the game as an animated SVG."""
    names = dict(enumerate(played.names))
    made = animate(frames(played.spec, played.game, played.moves, names), played.names)
    return alone(made, f"<metadata>{html.escape(record(played), quote=False)}</metadata>")


def alone(picture: str, more: str = "") -> str:
    """Return a picture, SVG, for a file of its own: dark where a browser asks for it, with `more` at its beginning."""
    opened = picture.index(">") + 1
    return f"{picture[:opened]}{SCHEMES}{more}{picture[opened:]}"


def transcript(played: PlayedGame) -> str:
    """Return all boards and moves as text.

    Below them is the game as `record` writes it, and its moves in the game's own notation, if it has one for them
    alone.
    """
    game, drawing, notation = played.game, played.spec.drawing, played.spec.notation
    lines = [" against ".join(played.names), "", drawing.text(game, played.moves[0].state), ""]
    for number, move in enumerate(played.moves[1:], 1):
        said = announcement(game, notation, move, played.names[move.seat])
        lines += [f"{number}. {said}", "", drawing.text(game, move.state), ""]
    last = played.moves[-1].state
    ended = verdict(game, last, played.names, played.spec.table.ending) if bool(last.terminated) else "Unfinished."
    written, actions = played.spec.notation.written, [move.action for move in played.moves[1:]]
    listed = "" if written is None else "\n" + written(game, [action for action in actions if action is not None])
    return "\n".join([*lines, ended]) + f"\n\n{BELOW}\n{record(played)}{listed}"


def record(played: PlayedGame) -> str:
    """Return the moves as JSON; `null` forfeits the game."""
    game, last = played.game, played.moves[-1].state
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "game": settings_of(game),
        "rules": game.version,
        "chance": chance_of(played.stepper.key),
        "players": list(played.names),
        "finished": bool(last.terminated),
        "score": np.asarray(game.score(last)).tolist(),
        "moves": [
            None if move.action is None else played.spec.notation.action_name(game, move.action)
            for move in played.moves[1:]
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def chance_of(key: Array) -> Json:
    """Return the name of a key's generator, and its words."""
    return {"generator": str(jax.random.key_impl(key)), "key": jax.random.key_data(key).tolist()}


TYPES: Json = {
    "game": dict,
    "rules": str,
    "players": list,
    "finished": bool,
    "score": list,
    "moves": list,
}


LARGEST = 2**24
"""Bytes of the largest file that is read; a game of 100,000 moves has 700,000."""
Tell = Callable[[int, int], object]
"""(moves that were played again, moves in all)"""


def read(
    name: str,
    games: Games,
    asked: Json | None = None,
    option: str = "replay",
    tell: Tell = lambda done, of: None,
) -> PlayedGame:
    """Read a game and play it again, every move checked.

    Files of all three endings hold the game as JSON. Others are read in the notations of the game that `asked` names.

    Args:
        name: of the file; FILE#N is the N-th game of a file of several.
        games: where games come from.
        asked: the name and settings that the game must have; missing ones are not checked.
        option: that named the file, for messages.
        tell: told how far it is.

    Raises:
        UsageError: the file cannot be read, is of another game, has more moves than the game can have, or one that
            cannot be played.
    """
    return _read(f"{option}={name}", *locate(option, name), games, asked or {}, tell)


def _read(where: str, path: Path, number: int | None, games: Games, asked: Json, tell: Tell) -> PlayedGame:
    """Read a game; `where` names the option and the file in messages."""
    raw = read_raw(where, path)
    content = _own(raw)
    if content is None and "name" in asked:
        return _noted(where, path, raw, number, games, asked, tell)
    if content is None:
        raise _no_record(where, raw)
    if number is not None:
        raise UsageError(f"{where}: accepted: {path.name} without #{number}; it holds one game")
    _check_record(where, content)
    settings = content["game"]
    try:
        spec, game = game_of(settings, games)
    except (UsageError, TypeError) as error:
        raise UsageError(f"{where}: {error}") from error
    wanted = game.seats
    if len(content["players"]) != wanted:
        raise UsageError(f"{where}: players: accepted: the {'name of one' if wanted == 1 else 'names of two'}")
    agree(asked, game, where)
    if content["rules"] != game.version:
        accepted = f"games under version {game.version} of the rules; this one is of {show(content['rules'])}"
        raise UsageError(f"{where}: accepted: {accepted}")
    stepper = Stepper(game, _key(where, content, game))
    moves = _moves(where, stepper, spec, content["moves"], tell)
    _check_end(where, content, game, moves[-1].state)
    return PlayedGame(stepper, spec, tuple(map(one_line, content["players"])), moves)


def agree(asked: Mapping[str, object], game: Game, where: str) -> None:
    """Refuse a name or settings of the rules that a game does not have; raises UsageError.

    Args:
        asked: a name under `name`, and settings; missing ones are not checked.
        game: the rules of the game.
        where: what holds the game, for the message, as in `replay=FILE`.
    """
    has = settings_of(game)
    for key, value in asked.items():
        if key not in has or has[key] != value:
            there = show(has[key]) if key in has else "none"
            raise UsageError(f"game.{key}={show(value)}: {where} is a game with game.{key}={there}; leave it out")


def settings_of(game: Any) -> Json:
    """Return the name and the settings of a game's rules."""
    return {"name": game.name} | asdict(game)


def _noted(
    where: str, path: Path, raw: bytes, number: int | None, games: Games, settings: Json, tell: Tell
) -> PlayedGame:
    """Read a game in a notation of its own, which says nothing of chance."""
    spec, game = game_of(settings, games)
    notation = spec.notation
    form = notation.formats.get(path.suffix.lower())
    try:
        if form is not None and form.read is not None:
            found = form.read(game, raw, number)
        elif notation.parse is None or game.chance:
            raise UsageError(f"{where}: not JSON; {ACCEPTED}, {game.name} has no other notation")
        else:
            found = notation.parse(game, _text(where, path, raw), number)
        agree(settings, found.rules, where)
        spec.vet(found.rules)
        stepper = Stepper(found.rules, game_key(0))
        moves = _retraced(where, stepper, spec, found.actions, tell)
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error
    names = ("Player",) if game.seats == 1 else ("First player", "Second player")
    given = [one_line(given) or name for given, name in zip(found.players or names, names, strict=True)]
    return PlayedGame(stepper, spec, tuple(given), moves)


def locate(option: str, name: str) -> tuple[Path, int | None]:
    """Return a file, and the number that follows its name after a #, unless a file has the whole name."""
    path = files.user_path(option, name)
    file, _, written = path.name.rpartition("#")
    number = reading.whole_number(written, 9)
    if file and number is not None and not path.exists():
        return path.with_name(file), number
    return path, None


def read_raw(where: str, path: Path) -> bytes:
    """Return the content of a saved game or rollout; raises UsageError."""
    try:
        return reading.read_bytes(path, LARGEST)
    except OSError as error:
        raise UsageError(f"{where}: cannot be read ({reason(error)}); {ACCEPTED}") from error
    except ValueError as error:
        raise UsageError(f"{where}: {error}; {ACCEPTED}") from error


def _text(where: str, path: Path, raw: bytes) -> str:
    try:
        return reading.text_of(path, raw)
    except ValueError as error:
        raise UsageError(f"{where}: {error}; {ACCEPTED}") from error


def _own(raw: bytes) -> Json | None:
    """Return the record that a file holds, wherever in it; None: it holds none."""
    try:
        text = reading.decode(raw)
        drawn = WITHIN.search(text) if "<svg" in text[:LARGEST_HEAD] else None
        written = html.unescape(drawn[1]) if drawn else text.rpartition(f"\n{BELOW}\n")[2].strip().partition("\n\n")[0]
        content = reading.parse_json(written) if written.lstrip().startswith("{") else None
    except ValueError:
        return None
    return content if isinstance(content, dict) and content.get("format") == FORMAT else None


def _no_record(where: str, raw: bytes) -> UsageError:
    """Return the error that says why a file holds no record."""
    try:
        reading.parse_json(reading.decode(raw))
        why = f'has no "format": "{FORMAT}"'
    except ValueError as error:
        why = f"not JSON ({error})"
    return UsageError(f"{where}: {why}; {ACCEPTED}, or with game=NAME one in that game's own notation")


def check_fields(where: str, content: Json, versions: Sequence[int], types: Mapping[str, type]) -> None:
    """Refuse a record of an unknown version, or whose fields are missing or of other types; raises UsageError."""
    version = content.get("format_version")
    if type(version) is not int or version not in versions:  # true equals 1
        accepted = ", ".join(map(str, versions))
        raise UsageError(f"{where}: format_version {show(version)} is not known here; accepted: {accepted}")
    for key, kind in types.items():
        if not isinstance(content.get(key), kind):
            raise UsageError(f"{where}: {key} is missing, or not a {kind.__name__}")


def _check_record(where: str, content: Json) -> None:
    """Refuse what is no record of a game; raises UsageError."""
    check_fields(where, content, (WITHOUT_CHANCE, FORMAT_VERSION), TYPES)
    if not all(isinstance(one, str) for one in content["players"]):
        raise UsageError(f"{where}: players: accepted: names")


def _key(where: str, content: Json, game: Game) -> Array:
    """Read the key of a game; a file of the first version has none, and is accepted for a game without chance."""
    if content["format_version"] == WITHOUT_CHANCE:
        if game.chance:
            raise UsageError(f"{where}: holds no chance, but chance takes part in {game.name}; {ACCEPTED}")
        return game_key(0)
    return read_chance(where, content.get("chance"))


def read_chance(where: str, chance: Any) -> Array:
    """Return the key that a file holds, as `chance_of` writes it; raises UsageError."""
    try:
        words = chance["key"]
        if not all(type(word) is int and 0 <= word < 2**32 for word in words):
            raise ValueError("not words of 32 bits")
        key: Array = jax.random.wrap_key_data(jnp.asarray(np.asarray(words, np.uint32)), impl=chance["generator"])
        assert key.shape == ()
    except (KeyError, TypeError, ValueError, OverflowError, AssertionError) as error:
        accepted = "the name of a generator of JAX, and the words of a key"
        raise UsageError(f"{where}: chance: {show(chance)}: accepted: {accepted}") from error
    return key


def _moves(where: str, stepper: Stepper, spec: Spec, words: Sequence[object], tell: Tell) -> list[Move]:
    """Read the names of moves, and play them."""
    _check_length(where, spec, stepper, words)
    actions: list[int | None] = []
    for number, word in enumerate(words, 1):
        if word is not None and not isinstance(word, str):
            raise UsageError(f"{where}: move {number}: {show(word)} is not the name of a move")
        try:
            actions.append(None if word is None else spec.notation.parse_action(stepper.rules, word))
        except ValueError as error:
            raise UsageError(f"{where}: move {number}: {error}") from error
    try:
        return _retraced(where, stepper, spec, actions, tell)
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from error


def _retraced(where: str, stepper: Stepper, spec: Spec, actions: Sequence[int | None], tell: Tell) -> list[Move]:
    """Play moves again; raises ValueError."""
    _check_length(where, spec, stepper, actions)
    moves: list[Move] = []
    for move in stepper.retrace(actions):
        tell(len(moves), len(actions))
        moves.append(move)
    return moves


def _check_length(where: str, spec: Spec, stepper: Stepper, moves: Sequence[object]) -> None:
    """Refuse more moves than the game can have, before any of them is played; raises UsageError."""
    most = spec.longest(stepper.rules)
    if len(moves) > most:
        accepted = f"games of up to {most} moves; this one has {len(moves)}, and {spec.name} never has so many"
        raise UsageError(f"{where}: accepted: {accepted}")


def _check_end(where: str, content: Json, game: Game, last: Position) -> None:
    """Refuse a record whose moves do not lead to the result that it states: a move is missing or was changed."""
    score, finished = np.asarray(game.score(last)).tolist(), bool(last.terminated)
    # Files of the first version have two numbers for a game for one.
    said = content["score"][: game.seats] if content["format_version"] == WITHOUT_CHANCE else content["score"]
    if (said, content["finished"]) != (score, finished):
        lead = " to ".join(f"{points:g}" for points in score)
        raise UsageError(
            f"{where}: its moves lead to {lead}, {'finished' if finished else 'unfinished'}, "
            f"but it says {show(content['score'])}, finished={show(content['finished'])}"
        )
