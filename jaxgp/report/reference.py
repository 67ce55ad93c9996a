"""A page of all options, from their declarations: tables of names, defaults, what is accepted, and meanings."""

import dataclasses
from collections.abc import Iterator, Mapping

from jaxgp.config import typed
from jaxgp.config.help import written
from jaxgp.config.launching.options import LAUNCHERS
from jaxgp.config.schema import Config
from jaxgp.options import Option, declared
from jaxgp.spec import Games

HEADER = ("| option | default | accepted | meaning |", "|---|---|---|---|")


def page(games: Games, commands: Mapping[str, type]) -> str:
    """Return the page as Markdown.

    Args:
        games: whose rules and roles have options.
        commands: dataclasses of the options of the small commands, by the name of the script.
    """
    lines = [
        "# Options",
        "",
        "`python scripts/document.py` writes this page from the declarations of the options. Defaults are those of the",
        "declarations; the files below `conf/` choose others, and `python scripts/train.py --help` shows those of a",
        "command line.",
        "",
        "## scripts/train.py",
    ]
    for title, says, rows in _sections(Config(), ""):
        lines += ["", f"### {title}", "", says, "", *rows]
    for name, launcher in LAUNCHERS.items():
        rows = _table(_flat(launcher(), "hydra.launcher."))
        lines += ["", f"### hydra/launcher={name}", "", _first_line(launcher), "", *rows]
    for name in games.available():
        lines += ["", f"## game={name}", "", *_game(games, name)]
    for script, schema in commands.items():
        lines += ["", f"## {script}", "", _first_line(schema), "", *_table(_flat(schema(), ""))]
    return "\n".join(lines) + "\n"


def _sections(config: Config, prefix: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield heading, text and table of each section of a run's options, then of the options outside sections."""
    rest = []
    for one in declared(config):
        members = typed.sections_of(one)
        for member in members:
            title = f"{one.name}.kind={member().kind}" if len(members) > 1 else one.name
            yield title, _first_line(member), _table(_flat(member(), f"{one.name}."))
            for inner in declared(member):
                entry = typed.entries_of(inner)
                if entry not in (None, object) and inner.name == "opponents":
                    assert entry is not None
                    name = f"{one.name}.{inner.name}.NAME"
                    for kind in typed.members(entry):
                        title = name if kind is entry else f"{name}.kind={kind().kind}"
                        yield title, _first_line(kind), _table(_flat(kind(), name + "."))
        if not members and typed.entries_of(one) is None:
            rest.append((one.name, getattr(config, one.name), one))
    yield "the run", "Options of a run outside sections.", _table(iter(rest))


def _game(games: Games, name: str) -> Iterator[str]:
    spec = games.spec(name)
    rules = spec.make()
    yield from _table(_flat(rules, "game."))
    about = {"evaluators of searches": tuple(spec.evaluators(rules)), "strategies": spec.strategies}
    for what, names in about.items():
        if names:
            yield from ("", f"Its {what}: {', '.join(f'`{one}`' for one in names)}.")
    for role in spec.roles:
        yield from ("", f"### program.role={role.name}, of game={name}", "", f"{role.says.capitalize()}.", "")
        yield from _table(_flat(role.options(), "program."))


def _flat(values: object, prefix: str) -> Iterator[tuple[str, object, Option]]:
    """Yield name, default and declaration of the options of a dataclass and of those within it."""
    for one in declared(values):
        value, members = getattr(values, one.name), typed.sections_of(one)
        if len(members) > 1:
            kinds = f"{', '.join(typed.by_kind(members))}; --help has the options of each"
            says = one._replace(kinds=(str,), limits=one.limits._replace(accepted=kinds))
            yield f"{prefix}{one.name}", getattr(value, "kind", None), says
        elif dataclasses.is_dataclass(value):
            yield from _flat(value, f"{prefix}{one.name}.")
        else:
            yield f"{prefix}{one.name}", value, one


def _table(rows: Iterator[tuple[str, object, Option]]) -> list[str]:
    cells = ((f"`{name}`", _default(value), typed.accepted(one), one.limits.says) for name, value, one in rows)
    return [*HEADER, *(f"| {' | '.join(map(_cell, row))} |" for row in cells)]


def _default(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("name", "")
    return f"`{written(value)}`" if written(value) else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _first_line(schema: type) -> str:
    return (schema.__doc__ or "").strip().splitlines()[0]
