"""Text from outside, such as names in files and answers of engines, made fit to be shown."""

import dataclasses
import re
from numbers import Number

UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What steers a terminal, changes the order in which text is read, or may not stand in XML 1.0: control characters but
tab and line feed, line separators, marks of direction, halves of surrogate pairs, and what is no character."""
INSTEAD = "\ufffd"
"""The sign of Unicode for a character that cannot be shown."""


def printable(text: str) -> str:
    """Return text with a visible sign for each character that is not fit to be shown; lines stay lines."""
    return UNFIT.sub(INSTEAD, text.replace("\r\n", "\n"))


def one_line(text: object) -> str:
    """Return text as one line that is fit to be shown, such as a name."""
    return " ".join(printable(str(text)).split())


def show_typed(text: str) -> str:
    """Return the beginning of what a person typed, for a message."""
    return f'"{text.strip()[:40]}"' if text.strip() else "an empty line"


def docstring(text: str) -> str:
    """Return text as one line that can stand in a docstring of a module that is written."""
    return one_line(text).replace("\\", "\\\\").replace('"', "'")


def plies(depth: int) -> str:
    """Write a depth in plies."""
    return f"{depth} {'ply' if depth == 1 else 'plies'}"


def brief(value: object) -> str:
    """Write a dataclass in a line: the fields that differ from their defaults, with long values by their types alone.

    A class takes it as its `__repr__`.
    """
    told = []
    for field in dataclasses.fields(value):  # type: ignore[arg-type]
        made = field.default_factory
        default = field.default if made is dataclasses.MISSING else made()
        text = _inner(getattr(value, field.name))
        if default is dataclasses.MISSING or text != _inner(default):
            told.append(f"{field.name}={text}")
    return f"{type(value).__name__}({', '.join(told)})"


SHORT = 60
"""Characters of a value within another one that is still written out."""


def _inner(entry: object) -> str:
    """Write what a field holds: numbers and words as they are, a sequence by its parts, anything else by its type."""
    if isinstance(entry, Number) and not isinstance(entry, bool | int | float):  # one of NumPy
        return str(entry)
    if entry is None or isinstance(entry, bool | int | float | str):
        return repr(entry)
    if isinstance(entry, tuple | list):
        return f"[{', '.join(map(_inner, entry))}]"
    if isinstance(entry, dict):
        return f"{{{', '.join(f'{key}: {_inner(one)}' for key, one in entry.items())}}}"
    short = brief(entry) if dataclasses.is_dataclass(entry) and not isinstance(entry, type) else ""
    return short if 0 < len(short) <= SHORT else getattr(entry, "__name__", type(entry).__name__)
