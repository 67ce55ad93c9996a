"""Values as they are written on the command line: reading them, and quoting text for Hydra's grammar and for a shell.

They are numbers, true, false, null, text and lists. Needs only Python.
"""

import re
import shlex
import sys
from pathlib import Path

QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
"""A value that is quoted already."""
_PARTS = re.compile(rf"(?:{QUOTED.pattern}|[^,])+", re.DOTALL)
_FUNCTION = re.compile(r"(choice|range|interval|glob|shuffle|sort|tag|extend_list)\(")

TOO_LONG, SHORTER = "Exceeds the limit", "a number with fewer digits"
"""How Python's error begins for a whole number with too many digits to be read, and what is accepted in its place."""

Value = None | bool | int | float | str | list["Value"]

_WORDS: dict[str, Value] = {"null": None, "true": True, "false": False}
_WHOLE = re.compile(r"[-+]?\d+")
_REAL = re.compile(r"[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|inf|nan)")
_CLOSING = {"[": "]", "{": "}", "(": ")"}
_QUOTES = "\"'"


def read(text: str) -> Value:
    """Read a value. Text in quotes stays text; lists are written [a,b].

    Raises:
        ValueError: a bracket or a quote that is not closed, or a list in braces.
    """
    text = text.strip()
    if text[:1] in tuple(_QUOTES):
        return _unquoted(text)
    if text.startswith("["):
        inside = text[1:-1]
        if not text.endswith("]"):
            raise ValueError(f"{text}: a bracket is not closed")
        return [read(item) for item in _split(inside)] if inside.strip() else []
    if text.startswith("{"):
        raise ValueError(f"{text}: starts with a brace")
    _split(text)
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _REAL.fullmatch(text) else text


def unquote(written: str) -> str:
    """Return a typed text without its quotes, if it has any."""
    return _unquoted(written) if QUOTED.fullmatch(written) else written


def _unquoted(text: str) -> str:
    quote = text[0]
    if len(text) < 2 or text[-1] != quote or quote in text[1:-1].replace("\\" + quote, ""):
        raise ValueError(f"{text}: a quote is not closed")
    return text[1:-1].replace("\\" + quote, quote)


def _split(text: str) -> list[str]:
    """Split at the commas that are in no brackets and no quotes; raises ValueError where one is not closed."""
    items: list[str] = []
    open_: list[str] = []
    item = quote = ""
    for character in text:
        if quote:
            quote = "" if character == quote and not item.endswith("\\") else quote
        elif character in _QUOTES and (not item.strip() or item[-1] == "="):
            quote = character
        elif character in _CLOSING:
            open_.append(_CLOSING[character])
        elif open_ and character == open_[-1]:
            open_.pop()
        elif character == "," and not open_:
            items.append(item)
            item = ""
            continue
        item += character
    if open_ or quote:
        raise ValueError(f"{text}: {open_[-1] if open_ else quote} is missing")
    return [*items, item]


def quote(text: str) -> str:
    """Return the value that Hydra reads as this text; ${...} in it is still filled in."""
    escaped = re.sub(r"(\\*)'", r"\1\1\\'", text)
    return "'" + re.sub(r"(\\+)$", r"\1\1", escaped) + "'"


def literal(written: str) -> str:
    """Quote a typed text so that Hydra reads it literally; null and quoted texts stay."""
    return written if written == "null" or QUOTED.fullmatch(written) else quote(written)


def each(written: str) -> str:
    """Return the same for the values of a sweep, with commas between them; a function of Hydra stays as it is."""
    if _FUNCTION.match(written):
        return written
    return ",".join(literal(one.strip()) for one in _PARTS.findall(written)) or literal(written)


def trains(script: str = "") -> str:
    """Return how training is started here, to be typed again: as a module of the package, or by the `script`."""
    started = getattr(sys.modules["__main__"], "__spec__", None)
    module = started is not None and started.name == "jaxgp.train.__main__"
    return "python -m jaxgp.train" if module else f"python {script or 'scripts/train.py'}"


def quote_for_shell(option: str, value: object) -> str:
    """Return `option=value` as one word of a shell, from which a script reads exactly this text or path."""
    text = str(value)
    if isinstance(value, Path) and (text == "auto" or text.startswith("~")):  # words with a meaning of their own
        text = f"./{text}"
    if text == "null" or "${" in text or QUOTED.fullmatch(text):
        text = quote(text.replace("${", r"\${"))
    return shlex.quote(f"{option}={text}")
