"""From plain values, as files and command lines give them, to dataclasses of options. Needs only Python."""

import dataclasses
import difflib
import typing
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from jaxgp.checks.unions import of_kind
from jaxgp.config import quoting
from jaxgp.errors import UsageError, reject, rejection, show
from jaxgp.options import Option, list_options, make_unchecked, members

Name = TypeVar("Name")
Schema = TypeVar("Schema")
MISSING = "???"
"""OmegaConf's mark of a value that has yet to be given."""


def plain(schema: type) -> dict[str, object]:
    """Return a schema's defaults as plain values; a section with variants is left empty.

    Hydra composes with these: every option exists, so that a misspelt one is refused, while `make_options` checks the
    types of all values in one place.
    """
    return {**dataclasses.asdict(schema()), **{name: {} for name in variants(schema)}}


def variants(schema: type) -> dict[str, dict[str, type]]:
    """Return the sections whose options depend on their `kind`, by name: the dataclass of each kind, default first."""
    sections = {one.name: one.sections for one in list_options(schema)}
    return {name: by_kind(found) for name, found in sections.items() if len(found) > 1}


def by_kind(union: Iterable[Any]) -> dict[str, type]:
    """Return the dataclasses of a union by their kinds."""
    return {str(member.kind): member for member in union}


def entries_of(one: Option) -> type | None:
    """Return the type of a section's freely named entries, a dataclass or object; None for any other option."""
    (kind,) = one.kinds if len(one.kinds) == 1 else (None,)
    if typing.get_origin(kind) is not dict:
        return None
    entry = typing.get_args(kind)[1]
    return entry if isinstance(entry, type) and dataclasses.is_dataclass(entry) else object


def make_options(
    schema: type[Schema], values: Mapping[Name, object], prefix: str = "", complete: bool = True
) -> Schema:
    """Return a dataclass of options with these values.

    Args:
        schema: the dataclass.
        values: plain values by name; sections are mappings.
        prefix: what stands before the names, in messages.
        complete: whether every option must be given; if not, missing ones have their defaults. Freely named entries,
            such as the members of a panel, and sections with variants may always leave options out.

    Raises:
        UsageError: an unknown option, a missing one, or a value of the wrong type. Choices and limits are not checked
            here, but by `jaxgp.options.check`.
    """
    found = {one.name: one for one in list_options(schema)}
    for name in found if complete else ():
        if name not in values:
            raise UsageError(f"~{prefix}{name}: an option cannot be removed; set it instead: {prefix}{name}=VALUE")
    made: dict[str, object] = {}
    for key, value in values.items():
        one = found.get(str(key))
        if one is None:
            raise find_renamed(schema, prefix, str(key), value) or unknown(f"{prefix}{key}", found)
        made[one.name] = _value(one, value, prefix + one.name, complete)
    return make_unchecked(schema, made)


def make_entries(kind: type[Schema], values: Mapping[Name, object], prefix: str = "") -> dict[str, Schema]:
    """Return the freely named entries of a section, each a dataclass of this kind.

    An entry's missing options have their defaults.

    Raises:
        UsageError: see `make_options`; also an entry that is not a section.
    """
    made: dict[str, Schema] = {}
    for key, entry in values.items():
        name = f"{prefix}{key}"
        if not isinstance(entry, Mapping):
            reject(name, entry, below(kind))
        sections: list[Any] = list(members(kind))
        made[str(key)] = make_options(_chosen(sections, entry, name), entry, name + ".", complete=False)
    return made


def _value(one: Option, value: object, name: str, complete: bool) -> object:
    """Return the value of an option, of its type; raises UsageError."""
    sections, entries = one.sections, entries_of(one)
    if value is None and one.nullable:
        return None
    if (sections or entries) and not isinstance(value, Mapping):
        reject(name, value, say_accepted(one))
    if sections:
        assert isinstance(value, Mapping)
        chosen = _chosen(sections, value, name)
        if len(sections) > 1:
            _of_others(sections, chosen, value, name)
        return make_options(chosen, value, name + ".", complete and len(sections) == 1)
    if entries:
        assert isinstance(value, Mapping)
        return dict(value) if entries is object else make_entries(entries, value, name + ".")
    if value == MISSING or (isinstance(value, list | tuple) and MISSING in value):
        reject(name, value, f"{say_accepted(one)}; {MISSING} stands for a value that is missing")
    try:
        return _many(one, value) if one.many else _single(one.kinds, value)
    except (ValueError, OverflowError):
        reject(name, value, say_accepted(one))


def _chosen(sections: list[type], value: Mapping[str, object], name: str) -> type:
    """Return the dataclass that a section's `kind` chooses; by default the first."""
    if len(sections) == 1:
        return sections[0]
    kinds = by_kind(sections)
    kind = value.get("kind", next(iter(kinds)))
    return of_kind(f"{name}.kind", kind, kinds, getattr(sections[0], "former", {}))


def _of_others(sections: list[type], chosen: type, value: Mapping[str, object], name: str) -> None:
    """Refuse an option that another kind of a section has, but not the chosen one; raises UsageError."""
    own = [one.name for one in list_options(chosen)]
    for key in (key for key in value if key not in own):
        others = [str(vars(kind)["kind"]) for kind in sections if any(one.name == key for one in list_options(kind))]
        if others:
            kind = f"unknown option with {name}.kind={vars(chosen)['kind']}; it is one of {', '.join(others)}"
            accepted = ", ".join(own)
            raise UsageError(f"{name}.{key}: {kind}; accepted: {accepted}", f"{name}.{key}", accepted=accepted)


def _many(one: Option, value: object) -> object:
    """Return a list of values, or a tuple; raises ValueError."""
    values = value if isinstance(value, list | tuple) else None
    if values is None and one.many is tuple:
        values = [quoting.read(item) for item in str(value).split(",")]
    if values is None:
        raise ValueError(f"{value} is no list")
    return one.many(_single(one.items, item) for item in values)  # type: ignore[misc]


def _single(kinds: tuple[object, ...], value: object) -> object:
    """Return a value of one of these types; raises ValueError."""
    if Any in kinds:
        return value
    if str in kinds:
        if isinstance(value, Mapping | list | None):
            raise ValueError(f"{value} is no text")
        return value if isinstance(value, str) else show(value)
    read = quoting.read(value) if isinstance(value, str) else value
    if bool in kinds and isinstance(read, bool):
        return read
    if isinstance(read, int) and not isinstance(read, bool) and (int in kinds or float in kinds):
        return read if int in kinds else float(read)
    if isinstance(read, float) and float in kinds:
        return read
    raise ValueError(f"{value} is of another type")


def say_accepted(one: Option) -> str:
    """Say in words what an option takes: a value, or options below it."""
    sections, entries = one.sections, entries_of(one)
    if sections or entries:
        return below(sections[0] if len(sections) == 1 else object)
    return one.accepted


def below(schema: type) -> str:
    """Say in words that a section is set by its options."""
    sections = [kind for kind in members(schema) if dataclasses.is_dataclass(kind)]
    names = list(dict.fromkeys(one.name for kind in sections for one in list_options(kind)))
    return f"options below it: {', '.join(names)}" if names else "options below it"


def find_renamed(schema: type, prefix: str, name: str, value: object) -> UsageError | None:
    """Return the error for an option that had this name in earlier versions; None if there was none.

    A schema may say in `renamed` what options are called now, with {} for the value; nested names have dots.
    """
    known: dict[str, str] = getattr(schema, "renamed", {})
    while isinstance(value, Mapping) and value and name not in known:
        inner, value = next(iter(value.items()))
        name = f"{name}.{inner}"
    if name not in known:
        return None
    return rejection(prefix + name, value, f"{known[name].format(show(value))}, as it is called now")


def unknown(option: str, names: Iterable[str]) -> UsageError:
    """Return the error for an option that is not among those of its section, with the nearest one that is."""
    parent, _, name = option.rpartition(".")
    names = list(names)
    if not names:
        return UsageError(f"{option}: unknown option", option)
    near = difflib.get_close_matches(name, names, 1, 0.5)
    hint = f"did you mean {parent + '.' if parent else ''}{near[0]}? " if near else ""
    accepted = ", ".join(names)
    return UsageError(f"{option}: unknown option; {hint}accepted: {accepted}", option, accepted=accepted)


def kinds(schema: type, option: str) -> tuple[object, ...]:
    """Return the types that an option may have, by its dotted name; empty if there is no such option."""
    found: tuple[object, ...] = (schema,)
    for part in option.split(".") if option else []:
        entries = [typing.get_args(kind)[1] for kind in found if typing.get_origin(kind) is dict]
        inside = [member for kind in entries for member in members(kind)]
        sections = [kind for kind in found if dataclasses.is_dataclass(kind)]
        named = [one for kind in sections for one in list_options(kind) if one.name == part]
        found = (*inside, *(kind for one in named for kind in one.kinds))
    return found


def is_option(schema: type, option: str) -> bool:
    """Return whether a dotted name is that of an option that always exists: it is none of a freely named entry."""
    parts = option.split(".")
    above = [kinds(schema, ".".join(parts[:number])) for number in range(1, len(parts))]
    free = any(typing.get_origin(kind) is dict or kind is dict for found in above for kind in found)
    parent = [kind for kind in kinds(schema, ".".join(parts[:-1])) if dataclasses.is_dataclass(kind)]
    return not free and any(one.name == parts[-1] for kind in parent for one in list_options(kind))


def is_text(schema: type, option: str, written: str = "") -> bool:
    """Return whether an option, by its dotted name, is any text or a path.

    Where one kind of a section has a list under the name of another's text, what is `written` with a bracket is a list.
    """
    parent, _, name = option.rpartition(".")
    sections = [kind for kind in kinds(schema, parent) if isinstance(kind, type) and dataclasses.is_dataclass(kind)]
    found = [one for kind in sections for one in list_options(kind) if one.name == name]
    single = [one for one in found if one.many is None]
    if len(single) < len(found) and written.startswith("["):
        return False
    return bool(single) and all(str in one.kinds and not one.choices for one in single)


def names_of_kind(schema: type, section: str, kind: str, whole: bool = False) -> list[str]:
    """Return the names of the options of one kind of an entry, such as a player, or of a whole section.

    The list is empty where the entry has no such kind.
    """
    found = by_kind(member for member in kinds(schema, section) if whole or hasattr(member, "former"))
    return [one.name for one in list_options(found[kind])] if kind in found else []


def names(schema: type, section: str) -> list[str]:
    """Return the names of the options of a section, of all its variants; empty where any name is allowed."""
    sections = [kind for kind in kinds(schema, section) if dataclasses.is_dataclass(kind)]
    return list(dict.fromkeys(one.name for kind in sections for one in list_options(kind)))
