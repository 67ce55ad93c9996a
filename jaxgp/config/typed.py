"""From Hydra's configuration to the typed one, with every mistake put into one line."""

import dataclasses
import difflib
import types
import typing
from collections.abc import Sequence
from typing import Any, TypeVar

from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigKeyError, GrammarParseError, InterpolationResolutionError, OmegaConfBaseException

from jaxgp.errors import UsageError, reject, rejected, show

Schema = TypeVar("Schema")


def plain(schema: type) -> dict[str, Any]:
    """Return a schema's defaults without its types; a section with variants is left empty.

    Hydra composes with these: every option exists, so that a misspelt one is refused, while `typed` checks the types
    of all values in one place.
    """
    empty = OmegaConf.create({name: {} for name in variants(schema)})
    defaults = OmegaConf.to_container(OmegaConf.structured(narrowed(schema, empty)))
    assert isinstance(defaults, dict)
    return {str(key): {} if key in empty else value for key, value in defaults.items()}


def variants(schema: type) -> dict[str, dict[str, type]]:
    """Return the sections whose options depend on their `kind`, by name: the dataclass of each kind, default first."""
    hints = typing.get_type_hints(schema).items()
    return {name: {one.kind: one for one in _members(hint)} for name, hint in hints if _members(hint)}


def _members(hint: Any) -> list[Any]:
    """Return the dataclasses of a union of several; nothing for any other type."""
    found = [member for member in typing.get_args(hint) if dataclasses.is_dataclass(member)]
    return found if len(found) > 1 else []


def narrowed(schema: type[Schema], config: DictConfig) -> type[Schema]:
    """Return the schema with the one dataclass that the configuration chooses for each section with variants.

    Raises:
        UsageError: an unknown kind.
    """
    chosen = []
    for name, kinds in variants(schema).items():
        section = config.get(name)
        kind = section.get("kind") if isinstance(section, DictConfig) else None
        if kind is not None and kind not in kinds:
            reject(f"{name}.kind", kind, ", ".join(kinds))
        variant = kinds[kind or next(iter(kinds))]
        chosen.append((name, variant, dataclasses.field(default_factory=variant)))
    if not chosen:
        return schema
    return dataclasses.make_dataclass(schema.__name__, chosen, bases=(schema,))


def typed(schema: type[Schema], config: DictConfig) -> Schema:
    """Turn a composed configuration into the schema's dataclass.

    Raises:
        UsageError: an unknown option (also one that was added with `+`), or a value of the wrong type.
    """
    schema = narrowed(schema, config)
    _check_sections(schema, config)
    try:
        resolved = OmegaConf.create(OmegaConf.to_container(config, resolve=True))
        made = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(schema), resolved))
    except OmegaConfBaseException as error:
        raise _mistyped(schema, config, error) from error
    assert isinstance(made, schema)
    return made


def _check_sections(schema: Any, config: Any, prefix: str = "") -> None:
    """Refuse options that were deleted with `~`, whose default would silently come back, and sections that are none."""
    for name, kind in typing.get_type_hints(schema).items():
        option = prefix + name
        if name not in config:
            raise UsageError(f"~{option}: an option cannot be removed; set it instead: {option}=VALUE")
        if not (dataclasses.is_dataclass(kind) or typing.get_origin(kind) is dict):
            continue
        section = config[name]
        if not isinstance(section, DictConfig):
            reject(option, section, describe(schema, name))
        if dataclasses.is_dataclass(kind):
            _check_sections(kind, section, option + ".")


def _mistyped(schema: type, config: DictConfig, error: OmegaConfBaseException) -> UsageError:
    option = str(error.full_key or error.key or "")
    if isinstance(error, InterpolationResolutionError | GrammarParseError):
        return UsageError(f"{option}: {_first_line(error)}")
    if isinstance(error, ConfigKeyError | AttributeError):
        return unknown(schema, option)
    if option:
        return rejected(option, OmegaConf.select(config, option), describe(schema, option))
    return UsageError(_first_line(error))


def unknown(schema: type, option: str) -> UsageError:
    """Return the error for an option that the schema lacks, with the nearest one that exists."""
    parent, _, name = option.rpartition(".")
    names = _names(_type_of(schema, parent))
    if not names:
        return UsageError(f"{option}: unknown option")
    if name in names:  # members of a panel need not name all of their options, and Hydra knows only the named ones
        return UsageError(f"{option}: not set yet; with a plus sign it is added: +{option}=VALUE")
    near = difflib.get_close_matches(name, names, 1, 0.5)
    hint = f"did you mean {parent + '.' if parent else ''}{near[0]}? " if near else ""
    return UsageError(f"{option}: unknown option; {hint}accepted: {', '.join(names)}")


def opened(schema: type, override: str) -> str:
    """Let Hydra pass options that are only checked later: a game's settings, and those of sections with variants."""
    parent, _, name = override.split("=")[0].rpartition(".")
    free = _type_of(schema, parent) == dict[str, Any] or parent.split(".")[0] in variants(schema)
    return "++" + override if free and name and not override.startswith(("+", "~")) else override


def describe(schema: type, option: str) -> str:
    """Say in words what type of value an option takes."""
    kind = _type_of(schema, option)
    nullable = False
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        members = typing.get_args(kind)
        nullable = type(None) in members
        kind = next(member for member in members if member is not type(None))
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    if kind in words:
        said = words[kind]
    elif typing.get_origin(kind) is list:
        said = "a list, as in [a,b]"
    else:
        names = _names(kind)
        said = f"options below it: {', '.join(names)}" if names else "options below it"
    return said + (", or null" if nullable else "")


def _type_of(schema: Any, option: str) -> Any:
    """Return the type of an option by its dotted name, or None if there is none."""
    kind = schema
    for part in option.split(".") if option else []:
        if typing.get_origin(kind) is dict:
            kind = typing.get_args(kind)[1]
        elif dataclasses.is_dataclass(kind):
            kind = typing.get_type_hints(kind).get(part)
        else:
            return None
    return kind


def _names(kind: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def composition_error(schema: type, error: Exception, overrides: Sequence[str]) -> UsageError:
    """Put an error of Hydra's composition into one line that names the option and what is accepted."""
    if isinstance(error, MissingConfigException):
        return _unknown_choice(error)
    if isinstance(error, OverrideParseException):
        return UsageError(f"{show(error.override)}: not an option; write option=value (quote special characters)")
    cause = error.__cause__
    if isinstance(cause, OmegaConfBaseException):
        option = str(cause.full_key or cause.key or "")
        if isinstance(cause, ConfigKeyError | AttributeError):
            if option.split(".")[0] == "hydra":
                return UsageError(f"{option}: unknown option of Hydra; accepted: those that --cfg hydra shows")
            return _not_in_config(schema, option)
        return UsageError(f"{option}: {_first_line(cause)}" if option else _first_line(cause))
    text = _first_line(error)
    if text.startswith(("Ambiguous value", "Sweep parameters")):
        given = next((item for item in overrides if item in text), text)
        return UsageError(f"{given}: several values need -m (one run each); a list is written [a,b]")
    if text.startswith("Multiple values for"):
        return UsageError(f"{text.split('.')[0]}; write it without the +")
    if text.startswith("Config group override"):
        groups = (item for item in overrides if not item.startswith("hydra") and _is_section(schema, item))
        return UsageError(f"{next(groups, 'a group')}: accepted: the name of one choice; --help lists them")
    return UsageError(text)


def _is_section(schema: type, override: str) -> bool:
    kind = _type_of(schema, override.split("=")[0].strip("+~"))
    return kind is None or bool(_names(kind) or _members(kind)) or typing.get_origin(kind) is dict


def _unknown_choice(error: MissingConfigException) -> UsageError:
    group, _, choice = str(error.missing_cfg_file or "").rpartition("/")
    options = ", ".join(sorted(error.options or ()))
    if group and options:
        return UsageError(f"{group}={choice}: unknown choice; accepted: {options}")
    return UsageError(_first_line(error))


def _not_in_config(schema: type, option: str) -> UsageError:
    parent, _, _ = option.rpartition(".")
    kind = _type_of(schema, parent)
    if typing.get_origin(kind) is dict:
        return UsageError(f"{option}: there is none; to add it, write options as +{option}.OPTION=VALUE")
    return unknown(schema, option)


COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException, ValueError, OSError)
"""What composing a configuration may raise for a mistake of the user."""
