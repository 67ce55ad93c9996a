"""What `--help` prints, from the declarations of options."""

import dataclasses
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from jaxgp.config import typed
from jaxgp.config.games import cast_of
from jaxgp.config.schema import GENOTYPES, Config
from jaxgp.errors import show
from jaxgp.options import Option, declared

if TYPE_CHECKING:
    from jaxgp.spec import Games

INDENT = " " * 6
WIDTH = 120


def describe(schema: type, usage: str) -> str:
    """Return the help of a small command: the usage, and every option with its default and meaning."""
    return "\n".join([usage.strip(), "", "Options (option=value):", *_small(schema())])


def _small(values: object) -> Iterator[str]:
    """Yield two lines for each option; of a section whose `name` can be set by its own name, only that."""
    for one in declared(values):
        value = getattr(values, one.name)
        if typed.sections_of(one):
            inside = {inner.name: inner for inner in declared(value)}
            name = inside.pop("name")
            yield from _lines(one.name, value.name, name._replace(limits=name.limits._replace(says=one.limits.says)))
            yield from wrapped(f"of its own: {', '.join(f'{one.name}.{other}' for other in inside)}")
        elif typed.entries_of(one):
            known = isinstance(value, dict) and "name" in value
            yield f"  {one.name}={show(value['name'])}" if known else f"  {one.name}.OPTION=VALUE"
            yield from wrapped(one.limits.says)
        else:
            yield from _lines(one.name, value, one)


def options_of(values: object, prefix: str = "") -> Iterator[str]:
    """Yield two lines for each option of a dataclass and of those within it: the name with its value, and the meaning.

    Of entries that may have any names the options are listed once, under NAME, with their defaults.
    """
    listed: dict[type, str] = {}
    for one in declared(values):
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
                yield from options_of(entry(), f"{name}.NAME.")


def _lines(name: str, value: object, one: Option) -> Iterator[str]:
    yield f"  {name}={written(value)}"
    yield from wrapped(meaning(one))


def wrapped(text: str, indent: str = INDENT) -> list[str]:
    """Break a text into lines of a page's width."""
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def meaning(one: Option) -> str:
    """Return what an option means, and in brackets what it takes, where that does not go without saying."""
    limits = one.limits
    takes = ""
    if one.choices:
        takes = " | ".join((*one.choices, "null") if one.nullable else one.choices)
    elif limits.low is not None or limits.high is not None or limits.accepted:
        takes = one.accepted
    return f"{limits.says} [{takes}]".strip() if takes else limits.says


def written(value: object) -> str:
    """Write a value as the command line takes it, however long it is."""
    if isinstance(value, list | tuple):
        return f"[{','.join(map(written, value))}]"
    return str(value) if isinstance(value, str) else show(value)


def describe_run(usage: str, config: Config, groups: Mapping[str, Iterable[str]], games: "Games") -> str:
    """Return the help of a command whose options are composed from files; it imports the game, and so JAX.

    Args:
        usage: what stands first.
        config: the composed options.
        groups: of config files, and the choices that each has.
        games: where games come from.

    Raises:
        UsageError: there is no such game, or no such role in it.
    """
    lines = [usage.strip(), "", "Groups (group=choice):"]
    for group, choices in groups.items():
        lines += [f"  {group}", *wrapped(", ".join(choices))]
    lines += [
        "",
        "Options (option=value), with the values that these groups and options give them",
        *_game(config, games),
    ]
    rest: list[str] = []
    for one in declared(config):
        value = getattr(config, one.name)
        if typed.sections_of(one):
            lines += ["", f"{one.name}: {one.limits.says}", *options_of(value, one.name + ".")]
        elif typed.entries_of(one) is None:
            rest += _lines(one.name, value, one)
    return "\n".join([*lines, "", "the run", *rest])


def _game(config: Config, games: "Games") -> Iterator[str]:
    """Yield what the game and the role have: settings, options, and what opponents may name."""
    cast = cast_of(config, games, GENOTYPES[config.algorithm.kind])
    spec = cast.spec
    yield from ("", f"game: the rules of {spec.name}", *options_of(cast.game, "game."))
    if spec.evaluators(cast.game):
        yield f"  evaluators of searches: {', '.join(spec.evaluators(cast.game))}"
    if spec.strategies:
        yield f"  strategies: {', '.join(spec.strategies)}"
    yield from ("", "program: how genomes play it")
    if cast.role is not None:
        yield f"  program.role={cast.role.name}"
        yield from (f"{INDENT}{role.name}: {role.says}" for role in spec.roles)
        yield from options_of(cast.options, "program.")
