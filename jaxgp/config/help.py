"""What `--help` prints, from the declarations of options."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from jaxgp.config import typed
from jaxgp.errors import show
from jaxgp.options import Option, declared

INDENT = " " * 6


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
            yield f"{INDENT}of its own: {', '.join(f'{one.name}.{other}' for other in inside)}"
        elif typed.entries_of(one):
            known = isinstance(value, dict) and "name" in value
            yield f"  {one.name}={show(value['name'])}" if known else f"  {one.name}.OPTION=VALUE"
            yield INDENT + one.limits.says
        else:
            yield from _lines(one.name, value, one)


def options_of(values: object, prefix: str = "", stand: Mapping[str, object] | None = None) -> Iterator[str]:
    """Yield two lines for each option of a dataclass and of those within it: the name with its value, and the meaning.

    Args:
        values: an instance.
        prefix: what stands before the names.
        stand: for sections that may hold any options, dataclasses that declare them.
    """
    stand = stand or {}
    for one in declared(values):
        value, name = getattr(values, one.name), prefix + one.name
        entries = typed.entries_of(one)
        if name in stand:
            yield from options_of(stand[name], name + ".")
        elif dataclasses.is_dataclass(value):
            yield from options_of(value, name + ".")
        elif entries is not None and entries is not object:
            yield f"  {name}.NAME.OPTION=VALUE"
            yield INDENT + one.limits.says + ": " + (", ".join(value) or "none")
        elif entries is object:
            yield from (f"  {name}.{key}={written(entry)}" for key, entry in value.items())
        else:
            yield from _lines(name, value, one)


def _lines(name: str, value: object, one: Option) -> Iterator[str]:
    yield f"  {name}={written(value)}"
    if meaning(one):
        yield INDENT + meaning(one)


def meaning(one: Option) -> str:
    """Return what an option means, and what it takes where that does not go without saying."""
    limits = one.limits
    said = [limits.says] if limits.says else []
    if one.choices:
        said.append(" | ".join((*one.choices, "null") if one.nullable else one.choices))
    elif limits.low is not None or limits.high is not None or limits.accepted:
        said.append(one.accepted)
    return ": ".join(said)


def written(value: object) -> str:
    """Write a value as the command line takes it, however long it is."""
    if isinstance(value, list | tuple):
        return f"[{','.join(map(written, value))}]"
    return str(value) if isinstance(value, str) else show(value)


def describe_composed(
    usage: str, config: object, groups: Mapping[str, Iterable[str]], stand: Mapping[str, object] | None = None
) -> str:
    """Return the help of a command whose options are composed from files.

    Args:
        usage: what stands first.
        config: the composed options.
        groups: of config files, and the choices that each has.
        stand: for sections that may hold any options, dataclasses that declare them.
    """
    choices = [f"  {group}: {', '.join(choices)}" for group, choices in groups.items()]
    options = ["Options (option=value), with the values that these groups and options give them:"]
    return "\n".join(
        [usage.strip(), "", "Groups (group=choice):", *choices, "", *options, *options_of(config, stand=stand)]
    )
