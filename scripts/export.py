"""Write the champion of a run in another notation.

python scripts/export.py run=outputs/DIR format=python output=player.py
python scripts/export.py run=outputs/DIR format=dot output=program.svg      drawn by Graphviz
"""

from dataclasses import dataclass
from pathlib import Path

import envs
from jaxgp.config import arguments
from jaxgp.config.arguments import option
from jaxgp.errors import RunError, UsageError, reason, reject

FORMATS = ("text", "sexpr", "python", "latex", "dot", "game", "svg")
OF_RULES = ("text",)
OF_ONE = ("text", "sexpr", "dot", "game", "svg")
"""In a game for one, where a champion plays but a single game: that game as text, and as a picture."""


@dataclass
class Options:
    """What to write, and where."""

    run: str | None = option(None, "a run directory with a champion.json, or such a file")
    format: str = option(
        "text", "notation; rules have only text; game and svg: the game of a champion that plays alone", FORMATS
    )
    output: str | None = option(
        None, "file to write; null: standard output; format=dot as .svg, .png or .pdf is drawn by Graphviz"
    )


def task(options: Options) -> int:
    """Load, write."""
    if options.run is None:
        raise UsageError("run: which champion? Write run=DIR, a run directory")
    from jaxgp.export import graphviz
    from jaxgp.measure import champions

    target = Path(options.output).expanduser() if options.output else None
    picture = target.suffix[1:] if target and options.format == "dot" else ""
    if picture in graphviz.PICTURES and not graphviz.installed():
        other = "a file that ends in .dot; to draw it, Graphviz has to be installed (its program dot is not found)"
        reject("output", options.output, other)
    text = render(champions.load(options.run, envs), options.format)
    if target is None:
        print(text, end="")
        return 0
    try:
        target.write_bytes(graphviz.draw(text, picture) if picture in graphviz.PICTURES else text.encode())
    except OSError as error:
        raise RunError(f"output={options.output}: cannot be written ({reason(error)})") from error
    return 0


def render(loaded: "champions.Loaded", notation: str) -> str:  # type: ignore[name-defined]  # noqa: F821
    """Write a champion in one of the formats."""
    from jaxgp.export import export
    from jaxgp.players.guided import Guide
    from jaxgp.players.walk import Walker

    content = loaded.content
    title = f"Champion of generation {content.generation}, seed {content.seed}, {content.size} {content.unit}"
    if content.unit == "rules":
        if notation not in OF_RULES:
            reject("format", notation, f"{', '.join(OF_RULES)}, for a champion made of rules")
        return f"; {title}\n{content.text}\n"
    primitives, program = loaded.cast.language, loaded.genome
    # What a walker's program says is an order of moves, what a guide's says is an expression.
    player = loaded.cast.actor
    accepted: tuple[str, ...]
    if isinstance(player, Walker):
        accepted = OF_ONE
    elif isinstance(player, Guide):
        accepted = (*OF_ONE, "latex")
    else:
        accepted = tuple(name for name in FORMATS if name not in ("game", "svg"))
    if notation not in accepted:
        reject("format", notation, f"{', '.join(accepted)}, for a champion of {loaded.cast.game.name}")
    if notation in ("game", "svg"):
        return played(loaded, notation)
    if notation in ("text", "sexpr"):
        return export.sexpr(primitives, program)
    if notation == "dot":
        return export.dot(primitives, program, title)
    if notation == "latex":
        return export.latex(primitives, program, "b")
    role = loaded.cast.role
    assert role is not None
    assert role.python is not None
    equations = export.python(primitives, program, role.features)
    return role.python(loaded.cast.game, loaded.cast.options, equations, f"{title}.")


def played(loaded: "champions.Loaded", notation: str) -> str:  # type: ignore[name-defined]  # noqa: F821
    """Write the game of a champion that plays alone: `game`, its moves and what made them; `svg`, a picture."""
    cast = loaded.cast
    moves, notation = cast.actor.record(loaded.genome), cast.spec.notation
    actions = [action for action, _ in moves]
    if notation == "svg":
        return notation.picture(cast.game, actions, None) + "\n"
    reasons = [cast.actor.reason(loaded.genome, node) for _, node in moves]
    return notation.describe(cast.game, actions, reasons)


if __name__ == "__main__":
    raise SystemExit(arguments.main(Options, task, __doc__))
