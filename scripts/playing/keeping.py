"""What is kept of a game: up to which move, and the files that it is written to."""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from jaxgp.errors import UsageError, reject
from jaxgp.host import console
from playing.options import Options

if TYPE_CHECKING:
    from jaxgp.contracts import Game
    from jaxgp.host.savedgame import PlayedGame
    from jaxgp.spec import Spec


def upto(options: Options, played: "PlayedGame") -> "PlayedGame":
    """Return a game up to the last move that counts; raises UsageError for one that it does not have."""
    last = len(played.moves) - 1
    if options.move is None:
        return played
    if not 0 <= options.move <= last:
        reject(
            "move", options.move, f"a whole number from 0 to {last}, the moves of {options.replay or options.resume}"
        )
    return replace(played, moves=played.moves[: options.move + 1])


def kept_files(options: Options, formats: Iterable[str] = ()) -> dict[str, list[Path]]:
    """Return the files of `save` and of `picture`, where formats of other programs have these endings.

    Raises:
        UsageError: one of them cannot be written, or both options name one.
    """
    from jaxgp.host import savedgame

    saved = savedgame.targets("save", options.save, further=formats) if options.save else []
    pictures = savedgame.targets("picture", options.picture, (".svg",)) if options.picture else []
    if set(map(os.path.realpath, saved)) & set(map(os.path.realpath, pictures)):
        reject("picture", options.picture, f"another file than those of save={options.save}")
    return {"save": saved, "picture": pictures}


def check_files(options: Options) -> None:
    """Check the files of `save` and of `picture` as far as they are known before the game is; raises UsageError."""
    ending = Path(options.save or "").suffix  # perhaps that of a format
    kept_files(options, [ending] if ending else [])


def keeper(options: Options, spec: "Spec", game: "Game") -> Callable[["PlayedGame"], None]:
    """Return what writes the files that were asked for; raises UsageError where none can be written."""
    from jaxgp.host import savedgame

    formats = spec.notation.formats
    files, pictures = kept_files(options, formats).values()
    for form in (formats[path.suffix] for path in files if path.suffix in formats):
        try:
            form.check(game)
        except ValueError as error:
            raise UsageError(f"save={options.save}: {error}") from error

    def keep(played: "PlayedGame") -> None:
        savedgame.write(files, played)
        for path in pictures:
            savedgame.write_position(path, played)
        for path in [*files, *pictures]:
            console.say(f"Written: {path}")

    return keep
