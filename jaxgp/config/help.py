"""What `--help` prints, from the declarations of options."""

import dataclasses
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from jaxgp import options
from jaxgp.config import typed
from jaxgp.config.games import cast_of, game_of, resolve_game
from jaxgp.config.schema import Config
from jaxgp.errors import show
from jaxgp.options import Option, list_options

if TYPE_CHECKING:
    from jaxgp.contracts import Game
    from jaxgp.games.outside import Games
    from jaxgp.spec import Spec

INDENT = " " * 6
WIDTH = 120


def describe(schema: type, usage: str) -> str:
    """Return the help of a small command: the usage, and every option with its default and meaning."""
    return "\n".join([usage.strip(), "", "Options (option=value):", *_small(schema())])


def _small(values: object) -> Iterator[str]:
    """Yield the lines of each option, then those of the kinds of a section that has several."""
    unions: list[Option] = []
    for one in list_options(values):
        value = getattr(values, one.name)
        if one.sections:
            yield f"  {one.name}={getattr(value, 'kind', 'null')}"
            yield from wrap_text(f"{one.limits.says} [{' | '.join(typed.by_kind(one.sections))}]")
            unions.append(one)
        elif typed.entries_of(one):
            known = isinstance(value, dict) and "name" in value
            yield f"  {one.name}={show(value['name'])}" if known else f"  {one.name}.OPTION=VALUE"
            yield from wrap_text(one.limits.says)
        else:
            yield from _lines(one.name, value, one)
    if unions:
        name = unions[-1].name
        yield from ("", f"Options of a kind, as in {name}=KIND {name}.OPTION=VALUE:")
        yield from _of_kinds(unions[-1].sections, name + ".")


def _of_kinds(members: Iterable[object], prefix: str, known: Iterable[str] = ()) -> Iterator[str]:
    """Yield the options of each kind of a union but those that are `known`; `prefix` stands before their names."""
    for member in members:
        first, *own = (one for one in list_options(member) if one.name not in known)
        yield f"  {prefix}kind={first.default}"
        yield from wrap_text(first.limits.says)
        for one in own:
            yield from (f"  {line}" for line in _lines(prefix + one.name, one.default, one))


def options_of(values: object, prefix: str = "") -> Iterator[str]:
    """Yield two lines for each option of a dataclass and of those within it: the name with its value, and the meaning.

    In a section of freely named entries, the options of one entry are listed once, under NAME, with their defaults.
    """
    listed: dict[type, str] = {}
    for one in list_options(values):
        value, name = getattr(values, one.name), prefix + one.name
        entry = typed.entries_of(one)
        if dataclasses.is_dataclass(value):
            yield from options_of(value, name + ".")
        elif entry is None:
            yield from _lines(name, value, one)
        else:
            yield f"  {name}.NAME.OPTION=VALUE"
            yield f"{INDENT}{one.limits.says}: {', '.join(value) or 'none'}"
            if entry in listed:
                yield f"{INDENT}with the options of {listed[entry]}"
            else:
                listed[entry] = f"{name}.NAME"
                yield from _of_entries(entry, f"{name}.NAME.")


def _of_entries(entry: type, prefix: str) -> Iterator[str]:
    """Yield the options of freely named entries: those of all kinds, then those of each kind."""
    members = options.members(entry)
    if len(members) == 1:
        yield from options_of(entry(), prefix)
        return
    common = [one for one in list_options(entry) if one.name != "kind"]
    for one in common:
        yield from _lines(prefix + one.name, one.default, one)
    yield from _of_kinds(members, prefix, [one.name for one in common])


def _lines(name: str, value: object, one: Option) -> Iterator[str]:
    yield f"  {name}={write_value(value)}"
    yield from wrap_text(meaning(one))


def wrap_text(text: str, indent: str = INDENT) -> list[str]:
    """Break a text into lines of a page's width."""
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def meaning(one: Option) -> str:
    """Return the meaning of an option, with its choices, limits or format in brackets if it declares any."""
    limits = one.limits
    takes = ""
    if one.choices:
        takes = " | ".join((*one.choices, "null") if one.nullable else one.choices)
    elif limits.low is not None or limits.high is not None or limits.accepted:
        takes = one.accepted
    return f"{limits.says} [{takes}]".strip() if takes else limits.says


def write_value(value: object) -> str:
    """Write a value as the command line takes it, in full length."""
    if isinstance(value, list | tuple):
        return f"[{','.join(map(write_value, value))}]"
    return str(value) if isinstance(value, str) else show(value)


def describe_run(usage: str, config: Config, groups: Mapping[str, Iterable[str]], games: "Games") -> str:
    """Return the help of a command whose options are composed from files; it imports the game, and so JAX.

    Args:
        usage: the first lines.
        config: the composed options.
        groups: the groups of config files, with the choices of each.
        games: where games come from.

    Raises:
        UsageError: there is no such game, or no such role in it.
    """
    lines = [usage.strip(), "", "Groups (group=choice):"]
    for group, choices in groups.items():
        lines += [f"  {group}", *wrap_text(", ".join(choices))]
    lines += [
        "",
        "Options (option=value), with the values that these groups and options give them",
        *_game(config, games),
    ]
    rest: list[str] = []
    for one in list_options(config):
        value = getattr(config, one.name)
        if one.sections:
            lines += ["", f"{one.name}: {one.limits.says}", *options_of(value, one.name + ".")]
        elif typed.entries_of(one) is None:
            rest += _lines(one.name, value, one)
    return "\n".join([*lines, "", "the run", *rest])


def of_game(game: Mapping[str, object], games: "Games", folder: Path) -> list[str]:
    """Return the lines of a small command's help on the game named beside `--help`; see `games.resolve_game`.

    Raises:
        UsageError: there is no such game, or its rules do not accept the settings.
    """
    games, settings = resolve_game(game, games, folder)
    return list(of_rules(*game_of(settings, games))) if "name" in settings else []


def of_rules(spec: "Spec", game: "Game") -> Iterator[str]:
    """Yield the settings of the rules, and the names that opponents may use."""
    yield from ("", f"game: the rules of {spec.name}", *options_of(game, "game."))
    if spec.evaluators(game):
        yield f"  evaluators of searches: {', '.join(spec.evaluators(game))}"
    if spec.strategies:
        yield f"  strategies: {', '.join(spec.strategies)}"
    if spec.suites(game):
        yield f"  suites of instances: {', '.join(spec.suites(game))}"


def _game(config: Config, games: "Games") -> Iterator[str]:
    """Yield the settings of the game, the options of the role, and the names that opponents may use."""
    cast = cast_of(config, games, config.algorithm.genotype)
    spec = cast.spec
    yield from of_rules(spec, cast.game)
    yield from ("", "program: how genomes play it")
    if cast.role is not None:
        yield f"  program.role={cast.role.name}"
        yield from (f"{INDENT}{role.name}: {role.says}" for role in spec.roles)
        yield from options_of(cast.options, "program.")
