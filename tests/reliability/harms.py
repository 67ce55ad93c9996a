"""What accidents and enemies put in the place of a file: by name, functions that harm a path."""

import io
import json
import os
import pickle
import shutil
import struct
import zipfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

CANARY = "canary"
"""A file that appears in the working directory if code from a file has run."""
COMMAND = f"touch {CANARY}"
BOMB = 2**31
"""Bytes that a compressed file of two megabytes claims to hold, and holds."""

Harm = Callable[[Path], object]


class Payload:
    """An object whose pickle runs a command when it is read."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (COMMAND,)


# In the place of any file


def gone(path: Path) -> None:
    """Remove what is there."""
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)


def folder(path: Path) -> None:
    gone(path)
    (path / "inside").mkdir(parents=True)


def fifo(path: Path) -> None:
    gone(path)
    os.mkfifo(path)


def link(path: Path, to: str) -> None:
    gone(path)
    path.symlink_to(to)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: max(path.stat().st_size // 2 - 3, 1)])


def put(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def inserted(path: Path, content: bytes) -> None:
    """Insert bytes in the middle of the file."""
    old = path.read_bytes()
    path.write_bytes(old[: len(old) // 2] + content + old[len(old) // 2 :])


ANY: dict[str, Harm] = {
    "missing": gone,
    "directory": folder,
    "fifo": fifo,
    "link to itself": lambda path: link(path, path.name),
    "link to nothing": lambda path: link(path, "nowhere"),
    "link to zeros without end": lambda path: link(path, "/dev/zero"),
    "empty": partial(put, content=b""),
    "cut off": cut,
    "one line of 5 MB": partial(put, content=b"x" * 5_000_000),
    "no UTF-8": partial(inserted, content=b"\xff\xfe\x80"),
    "NUL": partial(inserted, content=b"\0\0\0"),
    "unreadable": lambda path: path.chmod(0),  # root reads it all the same
    "control characters": partial(put, content=b"\x1b[2J\r\x07\x08error: no\nTraceback\n"),
}

# JSON, and lines of it

JSON: dict[str, Harm] = {
    "deep": partial(put, content=b"[" * 100_000 + b"]" * 100_000 + b"\n"),
    "deep objects": partial(put, content=b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"\n"),
    "NaN": partial(put, content=b"NaN\n"),
    "a list": partial(put, content=b"[1, 2]\n"),
    "a number of many digits": partial(put, content=b"9" * 100_000 + b"\n"),
    "half a surrogate": partial(put, content=b'{"format": "\\ud800"}\n'),
    "python": partial(put, content=b"__import__('os').system('" + COMMAND.encode() + b"')\n"),
}


def row_changed(path: Path, key: str, value: object) -> None:
    """Change a value in the second row of a record."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[1][key] = value
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


LINES: dict[str, Harm] = {
    "a row without its last byte": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "a row twice": lambda path: path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(True)[-1]),
    "a generation that is text": partial(row_changed, key="generation", value="one"),
    "a generation that is true": partial(row_changed, key="generation", value=True),
    "a generation without end": partial(row_changed, key="generation", value=10**400),
    "a value that is NaN": partial(row_changed, key="best_fitness", value=float("nan")),
    "a value that is text": partial(row_changed, key="best_fitness", value="high"),
    "times that are text": partial(row_changed, key="elapsed", value="long"),
    "a million empty lines": lambda path: path.write_bytes(path.read_bytes() + b"\n" * 1_000_000),
    "a torn row of 5 MB": lambda path: path.write_bytes(path.read_bytes() + b'{"generation": ' + b"1" * 5_000_000),
}

# YAML

BILLION = "\n".join(
    ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]", *(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10))]
)


def yaml_option(path: Path, option: str, written: str) -> None:
    """Write another value of an option at the top of a configuration."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith(f"{option}:")]
    path.write_text("\n".join([f"{option}: {written}", *lines, ""]))


YAML: dict[str, Harm] = {
    "aliases that multiply": lambda path: path.write_text(BILLION + "\n" + path.read_text()),
    "aliases that multiply, alone": lambda path: path.write_text(BILLION + "\n"),
    "merge keys that multiply": lambda path: path.write_text(
        "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10))
    ),
    "a call": lambda path: path.write_text(f"seed: !!python/object/apply:os.system ['{COMMAND}']\n"),
    "a new object": lambda path: path.write_text(
        f"a: !!python/object/new:os.system ['{COMMAND}']\n" + path.read_text()
    ),
    "a module": lambda path: path.write_text("a: !!python/module:antigravity\n" + path.read_text()),
    "deep": lambda path: path.write_text("a: " + "[" * 20_000 + "]" * 20_000 + "\n"),
    "deep sections": lambda path: path.write_text("".join(" " * n + "a:\n" for n in range(2_000))),
    "a loop of interpolations": partial(yaml_option, option="compilation_cache", written="${compilation_cache}"),
    "an interpolation of nothing": partial(yaml_option, option="compilation_cache", written="${nope.nope}"),
    "an interpolation of the environment": partial(yaml_option, option="seed", written="${oc.env:HOME}"),
    "a resolver that calls": partial(
        yaml_option, option="compilation_cache", written="${oc.create:{_target_:os.system}}"
    ),
    "an alias of itself": lambda path: path.write_text("a: &a [*a]\n" + path.read_text()),
    "a number of many digits": partial(yaml_option, option="seed", written="9" * 10_000),
    "a date": partial(yaml_option, option="seed", written="2020-01-01"),
    "bytes": partial(yaml_option, option="checkpoint_every", written="!!binary aGk="),
    "keys of other types": lambda path: path.write_text("[1, 2]: 3\nnull: 4\n1.5: 6\n" + path.read_text()),
    "two documents": lambda path: path.write_text(path.read_text() + "---\na: 1\n"),
    "a key twice": lambda path: path.write_text(path.read_text() + "seed: 1\nseed: 2\n"),
    "NaN": partial(yaml_option, option="seed", written=".nan"),
    "a list": lambda path: path.write_text("- 1\n- 2\n"),
    "text": lambda path: path.write_text("hello\n"),
}

# Checkpoints


def npy(array: Any, shape: tuple[int, ...] | None = None) -> bytes:
    """Return an array as a file .npy, whose header may claim another shape."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    data = file.getvalue()
    if shape is None:
        return data
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data[-16:]


def zipped(path: Path, entries: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def entries_changed(path: Path, change: Callable[[str, bytes], tuple[str, bytes]], only: int | None = None) -> None:
    """Write an archive with its entries changed, or only the one of this number."""
    with zipfile.ZipFile(path) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    zipped(path, dict(change(*one) if only in (None, n) else one for n, one in enumerate(entries)))


@cache
def bomb() -> bytes:
    """Return an archive of one entry of zeros that is a thousand times as long as the archive."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("__configuration__.npy", "w", force_zip64=True) as entry,
    ):
        entry.write(npy(np.zeros(1, np.float32), (BOMB // 4,))[:128])
        for _ in range(BOMB // 2**24):
            entry.write(bytes(2**24))
    return file.getvalue()


NPZ: dict[str, Harm] = {
    "an array that is no archive": lambda path: path.write_bytes(npy(np.arange(9.0))),
    "a pickle": lambda path: path.write_bytes(pickle.dumps(Payload())),
    "an array that is a pickle": lambda path: path.write_bytes(npy(np.array([Payload()], object))),
    "an archive of pickles": partial(entries_changed, change=lambda n, _: (n, npy(np.array([Payload()], object)))),
    "one pickle in it": partial(entries_changed, change=lambda n, _: (n, npy(np.array([Payload()], object))), only=0),
    "a header of 1e12 numbers": partial(
        entries_changed, change=lambda n, _: (n, npy(np.zeros(4, np.float32), (10**12,))), only=0
    ),
    "a header alone of 1e12 numbers": lambda path: path.write_bytes(npy(np.zeros(4, np.float32), (10**12,))),
    "a header of a negative shape": partial(
        entries_changed, change=lambda n, _: (n, npy(np.zeros(4, np.float32), (-4,))), only=0
    ),
    "a header that is code": partial(
        entries_changed, change=lambda n, b: (n, b.replace(b"False,", b"__imp,", 1)), only=0
    ),
    "an archive that unpacks to 2 GiB": lambda path: path.write_bytes(bomb()),
    "an entry less": partial(entries_changed, change=lambda n, b: ("__configuration__.npy", b), only=1),
    "an entry of another shape": partial(
        entries_changed, change=lambda n, b: (n, npy(np.zeros((3, 3), np.float32))), only=0
    ),
    "entries that climb out": partial(entries_changed, change=lambda n, b: ("../../" + n, b)),
    "entries that are text": partial(entries_changed, change=lambda n, b: (n, b"hello")),
    "an empty archive": partial(zipped, entries={}),
    "flipped bits": lambda path: path.write_bytes(
        bytes(byte ^ (255 if n % 97 == 50 else 0) for n, byte in enumerate(path.read_bytes()))
    ),
}

# Values in a file of JSON

VALUES: tuple[object, ...] = (
    None, True, -1, 0, 10**12, 10**400, -2.5, float("nan"), float("inf"), "", "x" * 100_000, "a\nb\x1b[31m\rc",
    "../../outside", "/etc/passwd", "os", [], [[]], {}, {"name": "x"}, "(" * 100_000, "\ud800",
)  # fmt: skip


def places(value: object, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of all values within a value of JSON."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in items:
        yield (*at, key)
        yield from places(inside, (*at, key))


def changed(path: Path, at: tuple[str | int, ...], value: object) -> None:
    """Write a file of JSON with another value at a place."""
    content = inside = json.loads(path.read_text())
    for key in at[:-1]:
        inside = inside[key]
    inside[at[-1]] = value
    path.write_text(json.dumps(content))
