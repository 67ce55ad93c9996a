"""Options of the small commands: `option=value` as everywhere, typed by a dataclass, without Hydra's config tree.

A field's metadata, made by `option`, holds what `--help` says and the values it takes. A field of type `dict`, or of a
dataclass, is a section: `game.pits=5` sets one entry, and `game=mancala` is short for `game.name=mancala`.
"""

import copy
import dataclasses
import os
import sys
import typing
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from jaxgp.config import typed as options
from jaxgp.errors import RunError, UsageError, reject, show

Schema = TypeVar("Schema")


def option(default: Any, says: str, choices: Sequence[str] = ()) -> Any:
    """Declare a field: its default, what it means, and the values it takes if they can be listed."""
    metadata = {"says": says, "choices": tuple(choices)}
    if isinstance(default, dict | list) or dataclasses.is_dataclass(default):
        return dataclasses.field(default_factory=lambda: copy.copy(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def parse(schema: type[Schema], arguments: Sequence[str]) -> Schema:
    """Read `option=value` arguments.

    Raises:
        UsageError: an unknown option, a value of the wrong type or not among the choices, or an option given twice.
    """
    config = OmegaConf.create(options.plain(schema))
    assert isinstance(config, DictConfig)
    seen: set[str] = set()
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or not name:
            raise UsageError(f"{show(argument)}: not an option; write option=value")
        if _type(schema, name) is _Section:
            name += ".name"
        if name in seen:
            raise UsageError(f"{show(argument)}: {name} is given twice")
        seen.add(name)
        _set(schema, config, name, value)
    made = options.typed(schema, config)
    _choices(made)
    return made


def _choices(made: Any, prefix: str = "") -> None:
    """Refuse values that are not among the choices of their fields."""
    for field in dataclasses.fields(made):
        value, choices = getattr(made, field.name), field.metadata.get("choices")
        if dataclasses.is_dataclass(value):
            _choices(value, field.name + ".")
        elif choices and value is not None and value not in choices:
            reject((prefix + field.name).removesuffix(".name"), value, ", ".join(choices))


class _Section:
    """Stands for a field that holds options of its own."""


def _type(schema: Any, name: str) -> Any:
    """Return the type of an option, of an entry of a section too; None if there is none, or it may be anything."""
    section, _, entry = name.partition(".")
    kind = typing.get_type_hints(schema).get(section)
    if entry:
        return _type(kind, entry) if dataclasses.is_dataclass(kind) else None
    return _Section if typing.get_origin(kind) is dict or dataclasses.is_dataclass(kind) else kind


def _set(schema: type, config: DictConfig, name: str, text: str) -> None:
    section, _, entry = name.partition(".")
    if section not in config or (entry and _type(schema, section) is not _Section):
        raise options.unknown(schema, section if section not in config else name)
    kind = _type(schema, name)
    if kind in (str, str | None):
        OmegaConf.update(config, name, None if text == "null" and kind is not str else text)
        return
    try:
        value = OmegaConf.select(OmegaConf.from_dotlist([f"value={text}"]), "value")
        OmegaConf.update(config, name, value)
    except (OmegaConfBaseException, YAMLError, ValueError) as error:
        raise UsageError(f"{name}={show(text)}: cannot be read; quote special characters") from error


def describe(schema: type, usage: str) -> str:
    """Return what `--help` prints: the usage, and every option with its default and meaning."""
    lines = [usage.strip(), "", "Options (option=value):"]
    for field in dataclasses.fields(schema):
        default, factory = field.default, typing.cast(Any, field.default_factory)
        if default is dataclasses.MISSING:
            default = factory()
        choices = field.metadata.get("choices")
        if dataclasses.is_dataclass(default):
            own = {entry.name: entry.metadata for entry in dataclasses.fields(default)}
            choices = own["name"].get("choices")
            default = {"name": getattr(default, "name")}  # noqa: B009 - a section has one; its class is not known here
        if isinstance(default, dict):
            named = f"{field.name}={show(default['name'])}" if "name" in default else f"{field.name}.OPTION=VALUE"
        else:
            named = f"{field.name}={show(default)}"
        lines.append(f"  {named}")
        lines.append(f"      {field.metadata.get('says', '')}{': ' + ' | '.join(choices) if choices else ''}")
    return "\n".join(lines)


def main(
    schema: type[Schema], task: Callable[[Schema], int], usage: str, arguments: Sequence[str] | None = None
) -> int:
    """Run a command; return its exit code: 2 for wrong options, 1 where it fails, each with one line on stderr."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if any(argument in ("-h", "--help") for argument in arguments):
            print(describe(schema, usage), flush=True)
            return 0
        code = task(parse(schema, arguments))
        sys.stdout.flush()
        return code
    except (UsageError, RunError) as error:
        print("error: " + " ".join(str(error).split()), file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # Whoever read the output has enough of it; keep Python from complaining again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
