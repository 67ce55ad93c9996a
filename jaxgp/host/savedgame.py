"""Games that were played, in files: as an animated picture, as text, and as moves that can be played again.

A file of moves holds the game's key: the name of its generator and its words. The opening and all chance in the game
follow from the key (`jaxgp.seats.moves`), so a game that is played again has the same opening and the same dice. Files
of the first version hold no key; they are games without chance.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
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
from jaxgp.host.animation import animate
from jaxgp.host.replay import frames, pictures
from jaxgp.printable import one_line
from jaxgp.seats.moves import Move, Stepper, announcement, game_key, verdict
from jaxgp.spec import Games, Notation, Spec

FORMAT = "jaxgp game"
FORMAT_VERSION = 2
WITHOUT_CHANCE = 1
"""The version of files that hold no key."""
SUFFIXES = (".svg", ".txt", ".json")
ACCEPTED = "accepted: a game that was saved as JSON"


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


def targets(option: str, name: str, suffixes: Sequence[str] = SUFFIXES) -> list[Path]:
    """Return the files that a name stands for: itself if it has one of the endings, else one file for each ending.

    Raises:
        UsageError: no file can be written there.
    """
    path = files.user_path(option, name)
    if not path.name or path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        reject(option, name, "the name of a file, in a directory that exists and can be written to")
    found = [path] if path.suffix in suffixes else [path.with_name(path.name + suffix) for suffix in suffixes]
    for one in found:
        if one.exists() and not one.is_file():  # a device, whose place a file would take
            reject(option, name, f"the name of a file; {one.name} is none")
    return found


def write(paths: Sequence[Path], played: PlayedGame) -> None:
    """Write a game to files, each in the notation that its ending asks for; raises RunError."""
    notations: dict[str, Callable[[PlayedGame], str]] = {".svg": animation, ".txt": transcript, ".json": record}
    for path in paths:
        write_text(path, notations[path.suffix](played))


def write_position(path: Path, played: PlayedGame) -> None:
    """Write the picture of the last position; raises RunError."""
    write_text(path, pictures(played.spec, played.game, played.moves)[-1] + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file that was asked for; raises RunError."""
    try:
        files.write_text(path, text)
    except OSError as error:
        raise RunError(f"{path}: cannot be written ({reason(error)})") from error


def animation(played: PlayedGame) -> str:
    """Return the game as an animated SVG."""
    names = dict(enumerate(played.names))
    return animate(frames(played.spec, played.game, played.moves, names), played.names)


def transcript(played: PlayedGame) -> str:
    """Return all boards and moves as text, then the moves in the game's own notation, if it has one for them alone."""
    game, drawing, notation = played.game, played.spec.drawing, played.spec.notation
    lines = [" against ".join(played.names), "", drawing.text(game, played.moves[0].state), ""]
    for number, move in enumerate(played.moves[1:], 1):
        said = announcement(game, notation, move, played.names[move.seat])
        lines += [f"{number}. {said}", "", drawing.text(game, move.state), ""]
    last = played.moves[-1].state
    ended = verdict(game, last, played.names, played.spec.table.ending) if bool(last.terminated) else "Unfinished."
    written, actions = played.spec.notation.written, [move.action for move in played.moves[1:]]
    listed = "" if written is None else "\n" + written(game, [action for action in actions if action is not None])
    return "\n".join([*lines, ended]) + "\n" + listed


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


def read(name: str, games: Games, asked: Json | None = None) -> PlayedGame:
    """Read a game and play it again, every move checked.

    What is not JSON is read in the game's own notation, if `asked` names a game that has one.

    Args:
        name: of the file.
        games: where games come from.
        asked: the name and settings that the game must have; missing ones are not checked.

    Raises:
        UsageError: the file cannot be read, is of another game, or has a move that cannot be played.
    """
    text = read_text(name)
    if not text.lstrip().startswith("{") and asked and "name" in asked:
        return _noted(name, text, games, asked)
    content = _content(name, text)
    settings = content["game"]
    try:
        spec, game = game_of(settings, games)
    except (UsageError, TypeError) as error:
        raise UsageError(f"replay={name}: {error}") from error
    wanted = game.seats
    if len(content["players"]) != wanted:
        raise UsageError(f"replay={name}: players: accepted: the {'name of one' if wanted == 1 else 'names of two'}")
    agree(asked or {}, game, f"replay={name}")
    if content["rules"] != game.version:
        other = show(content["rules"])
        reject("replay", name, f"games under version {game.version} of the rules; this one is of {other}")
    stepper = Stepper(game, _key(name, content, game))
    moves = _moves(name, stepper, spec.notation, content["moves"])
    _check_end(name, content, game, moves[-1].state)
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


def _noted(name: str, text: str, games: Games, settings: Json) -> PlayedGame:
    """Read a game in its own notation, which says nothing of settings, players and chance."""
    spec, game = game_of(settings, games)
    if spec.notation.parse is None or game.chance:
        raise UsageError(f"replay={name}: not JSON; {ACCEPTED}, {game.name} has no other notation")
    stepper = Stepper(game, game_key(0))
    try:
        moves = list(stepper.retrace(spec.notation.parse(game, text)))
    except ValueError as error:
        raise UsageError(f"replay={name}: {error}") from error
    names = ("Player",) if game.seats == 1 else ("First player", "Second player")
    return PlayedGame(stepper, spec, names, moves)


def read_text(name: str) -> str:
    """Return the text of a saved game or rollout; raises UsageError."""
    try:
        return reading.read_text(files.user_path("replay", name))
    except OSError as error:
        raise UsageError(f"replay={name}: cannot be read ({reason(error)}); {ACCEPTED}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"replay={name}: not text in UTF-8; {ACCEPTED}") from error
    except ValueError as error:
        raise UsageError(f"replay={name}: {error}; {ACCEPTED}") from error


def _content(name: str, text: str) -> Json:
    try:
        content = reading.parse_json(text)
    except ValueError as error:
        also = "or with game=NAME one in that game's own notation"
        raise UsageError(f"replay={name}: not JSON ({error}); {ACCEPTED}, {also}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UsageError(f'replay={name}: has no "format": "{FORMAT}"; {ACCEPTED}')
    version, known = content.get("format_version"), (WITHOUT_CHANCE, FORMAT_VERSION)
    if version not in known:
        accepted = ", ".join(map(str, known))
        raise UsageError(f"replay={name}: format_version {show(version)} is not known here; accepted: {accepted}")
    for key, kind in TYPES.items():
        if not isinstance(content.get(key), kind):
            raise UsageError(f"replay={name}: {key} is missing, or not a {kind.__name__}")
    if not all(isinstance(one, str) for one in content["players"]):
        raise UsageError(f"replay={name}: players: accepted: names")
    return content


def _key(name: str, content: Json, game: Game) -> Array:
    """Read the key of a game; a file of the first version has none, and is accepted for a game without chance."""
    if content["format_version"] == WITHOUT_CHANCE:
        if game.chance:
            raise UsageError(f"replay={name}: holds no chance, but chance takes part in {game.name}; {ACCEPTED}")
        return game_key(0)
    return read_chance(name, content.get("chance"))


def read_chance(name: str, chance: Any) -> Array:
    """Return the key that a file holds, as `chance_of` writes it; raises UsageError."""
    try:
        words = jnp.asarray(np.asarray(chance["key"], np.uint32))
        key: Array = jax.random.wrap_key_data(words, impl=chance["generator"])
        assert key.shape == ()
    except (KeyError, TypeError, ValueError, OverflowError, AssertionError) as error:
        accepted = "the name of a generator of JAX, and the words of a key"
        raise UsageError(f"replay={name}: chance: {show(chance)}: accepted: {accepted}") from error
    return key


def _moves(name: str, stepper: Stepper, notation: Notation, words: Sequence[object]) -> list[Move]:
    """Read the names of moves, and play them."""
    actions: list[int | None] = []
    for number, word in enumerate(words, 1):
        if word is not None and not isinstance(word, str):
            raise UsageError(f"replay={name}: move {number}: {show(word)} is not the name of a move")
        try:
            actions.append(None if word is None else notation.parse_action(stepper.rules, word))
        except ValueError as error:
            raise UsageError(f"replay={name}: move {number}: {error}") from error
    try:
        return list(stepper.retrace(actions))
    except ValueError as error:
        raise UsageError(f"replay={name}: {error}") from error


def _check_end(name: str, content: Json, game: Game, last: Position) -> None:
    """Refuse a record whose moves do not lead to the result that it states: a move is missing or was changed."""
    score, finished = np.asarray(game.score(last)).tolist(), bool(last.terminated)
    # Files of the first version have two numbers for a game for one.
    said = content["score"][: game.seats] if content["format_version"] == WITHOUT_CHANCE else content["score"]
    if (said, content["finished"]) != (score, finished):
        lead = " to ".join(f"{points:g}" for points in score)
        raise UsageError(
            f"replay={name}: its moves lead to {lead}, {'finished' if finished else 'unfinished'}, "
            f"but it says {show(content['score'])}, finished={show(content['finished'])}"
        )
