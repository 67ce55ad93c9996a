"""Write the champion of a run in another notation.

python scripts/export.py run=outputs/DIR format=python output=player.py
python scripts/export.py run=outputs/DIR format=dot output=program.svg      drawn by Graphviz
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import envs
from jaxgp import files
from jaxgp.config import arguments, help
from jaxgp.config.games import OF_CHAMPIONS, resolve_game
from jaxgp.errors import RunError, UsageError, reason, reject
from jaxgp.files import user_path
from jaxgp.options import option
from jaxgp.printable import printable

if TYPE_CHECKING:
    from jaxgp.measure.champions import Loaded

CONFIG_DIR = Path(__file__).resolve().parents[1] / "conf"
FORMATS = ("text", "sexpr", "python", "latex", "dot", "game", "svg")
"""Those that come first in messages; a game may have others."""


@dataclass
class Options:
    """What to write, and where."""

    run: str | None = option(None, "a run directory with a champion.json, such a file, or FILE.jsonl#SEED", path=True)
    game: dict[str, Any] = option({"name": None}, OF_CHAMPIONS)
    format: str = option(
        "text",
        f"notation: {', '.join(FORMATS)}, or one of the game's own; rules have only text; game and svg: the game of a "
        "champion that plays alone",
        test=str.isidentifier,
        accepted=f"{', '.join(FORMATS)}, or a notation of the champion's game",
    )
    name: str | None = option(
        None, "what the program is called, in notations of a game in which it has a name, such as PACKAGE.CLASS of Java"
    )
    output: str | None = option(
        None, "file to write; null: standard output; format=dot as .svg, .png or .pdf is drawn by Graphviz", path=True
    )


def about(options: Options) -> list[str]:
    """Return what `--help` says of the game that is named beside it."""
    return help.of_game(options.game, envs, CONFIG_DIR)


def task(options: Options) -> int:
    """Load, write."""
    if options.run is None:
        raise UsageError("run: which champion? Write run=DIR, a run directory")
    from jaxgp.export import graphviz
    from jaxgp.measure import champions

    target = user_path("output", options.output) if options.output else None
    if target is not None and target.exists() and not target.is_file():
        reject("output", options.output, "the name of a file")
    picture = target.suffix[1:] if target and options.format == "dot" else ""
    if picture in graphviz.PICTURES and not graphviz.is_installed():
        other = "a file that ends in .dot; to draw it, Graphviz has to be installed (its program dot is not found)"
        reject("output", options.output, other)
    found, wanted = resolve_game(options.game, envs, CONFIG_DIR)
    loaded = champions.load(options.run, found, asked=wanted)
    if target is not None:
        champions.keep_champion(loaded, "output", options.output, [target])
    text = render(loaded, options.format, options.name)
    if target is None:
        print(text, end="")
        return 0
    try:
        content = graphviz.draw(text, picture) if picture in graphviz.PICTURES else text.encode()
        files.write(target, lambda file: file.write(content))
    except OSError as error:
        raise RunError(f"output={options.output}: cannot be written ({reason(error)})") from error
    return 0


def render(loaded: "Loaded", notation: str, name: str | None = None) -> str:
    """Write a champion in one of the formats; raises UsageError for a format or a name that it does not have."""
    from jaxgp.export.export import ExportError
    from jaxgp.report.waiting import waiting

    found = writers(loaded, name)
    known = sorted(found, key=lambda name: FORMATS.index(name) if name in FORMATS else len(FORMATS))
    what = "made of rules" if loaded.content.unit == "rules" else f"of {loaded.cast.game.name}"
    if notation not in found:
        reject("format", notation, f"{', '.join(known)}, for a champion {what}")
    named = loaded.cast.role.named
    if name is not None and notation not in named:
        reject("name", name, f"null, since programs have no name in format={notation}")
    try:
        with waiting("Compiling the champion"):
            return found[notation]()
    except (ExportError, ImportError) as error:  # a game may bring its own writer, and load it when it is needed
        known.remove(notation)
        reject("format", notation, f"{', '.join(known)}, for a champion {what} ({error})")


def writers(loaded: "Loaded", program_name: str | None = None) -> dict[str, Callable[[], str]]:
    """Return what writes a champion, by the formats that it can be written in."""
    from jaxgp.contracts import Alone
    from jaxgp.export import export
    from jaxgp.genotypes.primitives import PrimitiveSet
    from jaxgp.players.alone.walk import Walker

    content, cast, program = loaded.content, loaded.cast, loaded.genome
    title = f"Champion of generation {content.generation}, seed {content.seed}, {content.size} {content.unit}"
    if not isinstance(cast.language, PrimitiveSet):
        return {"text": lambda: f"; {title}\n{printable(content.text)}\n"}
    found = dict.fromkeys(("text", "sexpr"), partial(export.sexpr, cast.language, program))
    found["dot"] = partial(export.dot, cast.language, program, title)
    if not isinstance(cast.actor, Walker):  # its programs put moves in an order, and are no expressions
        found["latex"] = partial(export.latex, cast.language, program, "b")
    written = export.Written(cast.language, program, cast.role.features, program_name)
    for name, write in cast.role.exports.items():
        found[name] = partial(write, cast.game, cast.options, written, f"{title}.")
    if isinstance(cast.actor, Alone) and cast.spec.notation.describe is not None:
        found["game"] = partial(describe_game, loaded)
    if isinstance(cast.actor, Alone) and cast.spec.notation.picture is not None:
        found["svg"] = partial(picture, loaded)
    return found


def describe_game(loaded: "Loaded") -> str:
    """Write the game of a champion that plays alone: its moves, and the leaf that made each."""
    cast = loaded.cast
    moves = cast.actor.record(loaded.genome)
    reasons = [cast.actor.reason(loaded.genome, node) for _, node in moves]
    return cast.spec.notation.describe(cast.game, [action for action, _ in moves], reasons)


def picture(loaded: "Loaded") -> str:
    """Draw the game of a champion that plays alone."""
    cast = loaded.cast
    actions = [action for action, _ in cast.actor.record(loaded.genome)]
    return cast.spec.notation.picture(cast.game, actions, None) + "\n"


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__, about=about))
