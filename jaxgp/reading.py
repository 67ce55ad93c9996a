"""Reads files within bounds, so that none takes the memory, the time or the stack of a process. Nothing runs code.

Text comes from programs of all systems: with a mark of its byte order or without, in UTF-8, UTF-16 or an older encoding
of western Europe, its lines ended by any of the three ends that are in use. All readers get it as if it were UTF-8 and
its lines ended by line feeds.
"""

import codecs
import errno
import json
import math
import re
from pathlib import Path
from typing import Any

from jaxgp.errors import remark

LARGEST = 256 * 2**20
"""Bytes of the largest file of JSON or text that is read: the games of a league of 4,000 players."""
LARGEST_YAML = 2**18
"""Bytes of the largest YAML file that is read; the longest configuration has 6,000."""
DEEPEST = 64
"""Levels of lists and objects within each other that are read; the deepest file of the project has 7."""
MOST_NODES = 50_000
"""Values in a YAML file, each alias counted with all that it stands for."""
DIGITS = 18
"""Digits of a whole number in text, unless less is said: those of all numbers that have 63 bits at most."""
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
"""Bytes at the start of a text that say how it is encoded."""
OLDER = "cp1252"
"""The encoding of text that is not in UTF-8: Latin-1, with the quotes and dashes that Windows added to it."""
CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd]")
"""Characters that no text in an older encoding has: bytes with one of them are no text."""


def read_text(path: Path, most: int = LARGEST) -> str:
    """Return the text of a file; one that is not in UTF-8 is remarked on, on standard error.

    Args:
        path: the file. Devices and pipes are refused: reading them may never end.
        most: bytes that are accepted.

    Raises:
        OSError: it cannot be read.
        ValueError: it is larger, or no text.
    """
    return text_of(path, read_bytes(path, most))


def text_of(path: Path, content: bytes) -> str:
    """Return the content of a file as text, as `read_text` does."""
    text = decode(content)
    if is_older(content):
        remark(f"{path}: not in UTF-8; read as Latin-1")
    return text


def read_bytes(path: Path, most: int = LARGEST) -> bytes:
    """Return the content of a file; raises OSError, and ValueError for one that is larger than `most` bytes."""
    check_file(path)
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"larger than {most} bytes")
    return content


def decode(content: bytes) -> str:
    """Return bytes as text whose lines end with line feeds, without marks of the byte order and of the end.

    Raises:
        ValueError: they are no text.
    """
    content = content.removesuffix(b"\x1a")  # with which DOS ended files
    mark = next((mark for mark in MARKS if content.startswith(mark)), b"")
    try:
        text = content[len(mark) :].decode(MARKS.get(mark, "utf-8"))
    except UnicodeDecodeError as error:
        text = "\0" if mark else content.decode(OLDER, "replace")
        if CONTROL.search(text):
            raise ValueError("not text in UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_older(content: bytes) -> bool:
    """Return whether a text is in an older encoding than UTF-8."""
    if content.startswith(tuple(MARKS)):
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def check_file(path: Path, most: int = LARGEST) -> None:
    """Refuse a device, a pipe, a directory and a file that is too large; raises OSError.

    What is not there is not refused.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is a directory" if path.is_dir() else "it is no regular file")
    if path.exists() and path.stat().st_size > most:
        raise OSError(errno.EFBIG, f"larger than {most} bytes")


def read_json(path: Path) -> Any:
    """Return the value in a JSON file; raises OSError, and ValueError as `parse_json` does."""
    return parse_json(read_text(path))


def parse_json(text: str | bytes) -> Any:
    """Return the value that JSON text holds. Every number in it is finite, every whole number has 64 bits at most.

    Raises:
        ValueError: it is not JSON, is nested too deeply, has a number that is none of these, or what is no text.
    """
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_whole)
        deep = _depth(value) > DEEPEST
        if not deep:
            json.dumps(value, ensure_ascii=False).encode()  # fails for half of a pair of surrogates, which is no text
    except RecursionError:
        deep = True
    if deep:
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    return value


def whole_number(text: str, digits: int = DIGITS, signed: bool = False) -> int | None:
    """Return the whole number that a text is, or None: Python reads more, and raises an error for very long ones.

    Args:
        text: what was typed, or stands in a file.
        digits: how many it may have, from 0 to 9 each.
        signed: whether a minus may stand before them.
    """
    return int(text) if re.fullmatch(f"{'-?' if signed else ''}[0-9]{{1,{digits}}}", text) else None


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def _finite(word: str) -> float:
    value = float(word)
    return value if math.isfinite(value) else _no_number(_short(word))


def _whole(word: str) -> int:
    if len(word) > len(str(-(2**63))) or not -(2**63) <= int(word) < 2**64:
        raise ValueError(f"{_short(word)} has more than 64 bits")
    return int(word)


def _short(word: str) -> str:
    return word if len(word) <= 24 else word[:21] + "..."


def _depth(value: object) -> int:
    """Return how many lists and objects are within each other at most; a loop, since recursion has a limit."""
    depth, level = 0, [value]
    while inner := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        level = [item for one in inner for item in (one.values() if isinstance(one, dict) else one)]
    return depth


def read_yaml(path: Path, older: bool = True) -> Any:
    """Return the value in a YAML file. References such as `${name}` stay text: files refer to nothing outside them.

    Args:
        path: the file.
        older: whether it may be in an older encoding than UTF-8; False for files that this project writes.

    Raises:
        OSError: it cannot be read.
        ValueError: it is in an older encoding, no YAML of plain values, too large, or too much once its aliases are
            written out.
    """
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    content = read_bytes(path, LARGEST_YAML)
    if not older and is_older(content):
        raise ValueError("not text in UTF-8, in which runs write it")
    text = text_of(path, content)
    try:
        _check_yaml(text)
        return OmegaConf.to_container(OmegaConf.create(text))
    except AssertionError as error:
        raise ValueError("neither a list nor options with values") from error
    except (YAMLError, OmegaConfBaseException, TypeError, AttributeError) as error:
        raise ValueError(" ".join(str(error).split()) or type(error).__name__) from error


def _check_yaml(text: str) -> None:
    """Refuse YAML that is nested deeply, or small only because of aliases; raises ValueError and YAMLError."""
    import yaml

    open_: list[tuple[str | None, int]] = []  # of each list or object that is not closed: its anchor, values before it
    sizes: dict[str, int] = {}
    size = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_.pop()
            sizes |= {anchor: size - before} if anchor is not None else {}
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise ValueError(f"the alias {_short(event.anchor)} stands for nothing before it")
            size += sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            size += 1
            sizes |= {event.anchor: 1} if event.anchor is not None else {}
        elif isinstance(event, yaml.CollectionStartEvent):
            open_.append((event.anchor, size))
            size += 1
        if len(open_) > DEEPEST:
            raise ValueError(f"nested deeper than {DEEPEST} levels")
        if size > MOST_NODES:
            raise ValueError(f"more than {MOST_NODES} values, aliases written out")
