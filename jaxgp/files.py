"""Writes files atomically: a reader, or the next start after a crash, never sees half of one."""

import contextlib
import csv
import errno
import importlib.util
import io
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from jaxgp.errors import RunError, UsageError, reason, reject

Json = dict[str, Any]
"""What JSON calls an object."""
PART = ".part"
"""Ending of a file that is being written; one that is left over belongs to a killed process."""
ENDING = "_search.json" + PART
"""The longest ending that a file beside another one gets."""


def write(path: Path, content: Callable[[BinaryIO], object]) -> None:
    """Write a file atomically and durably: to a temporary name, synchronised, renamed, directory synchronised.

    Args:
        path: the file; an old one stays whole until the new one is complete.
        content: writes to the open binary file.

    Raises:
        OSError: it could not be written, with the file's name; an old file is untouched and the temporary one is gone.
    """
    part = path.with_name(path.name + PART)
    part.unlink(missing_ok=True)  # of a killed process; a link there would lead to another file
    try:
        with part.open("xb") as file:
            content(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(error, OSError):  # a full disk gives no name
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    sync_directory(path.parent)


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8, atomically; raises OSError."""
    write(path, lambda file: file.write(text.encode()))


def save_text(option: str, path: Path, text: str) -> None:
    """Write text to the file that an option named; raises RunError, which names the option."""
    try:
        write_text(path, text)
    except OSError as error:
        raise RunError(f"{option}={path}: cannot be written ({reason(error)})") from error


def csv_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows as CSV, at least one; the columns are those of the first."""
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def check_writable(option: str, path: Path) -> None:
    """Check that a file can be written, before hours of computing; raises UsageError, which names the option."""
    try:
        if path.exists() and not path.is_file():
            raise OSError(errno.EINVAL, "it is a directory" if path.is_dir() else "it is not a file")
        probe = path.with_name(f"{path.name}.{os.getpid()}")  # others may check the same file now
        write(probe, lambda file: file.write(b""))
        probe.unlink()
    except OSError as error:
        raise UsageError(f"{option}={path}: cannot be written ({reason(error)})") from error


def write_json(path: Path, value: object) -> None:
    """Write readable JSON, atomically; raises OSError, and ValueError for a number that JSON lacks (nan, inf)."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def make_directory(folder: Path, option: str) -> Path:
    """Make a directory and check that files can be written there, before hours of computing; return it.

    Raises:
        UsageError: no file can be written there; the message names the option that chose the directory.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UsageError(f"{option}={folder}: cannot be written to ({reason(error)})") from error
    return folder


def sync_directory(folder: Path) -> None:
    """Make renames in a folder durable, where the file system can."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some network file systems cannot synchronise a directory
    finally:
        os.close(descriptor)


def leads_to(path: Path, descriptor: int) -> bool:
    """Return whether a path leads to the file or directory that is open."""
    with contextlib.suppress(OSError):
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    return False


def short(path: Path) -> Path:
    """Return a path relative to the working directory where that is shorter."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def user_path(option: str, text: str) -> Path:
    """Return the path that a person wrote; ~ and ~NAME stand for home directories.

    Raises:
        UsageError: nothing, an unknown NAME, or a path at which no file can be; the message names the option.
    """
    accepted = "a path"
    try:
        path = Path(text).expanduser()
        for below in (f"{path}{ENDING}", path / ENDING):  # what is written there has names of its own
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                os.stat(below)
        if text:
            return path
    except RuntimeError:
        accepted += "; nobody of this name has a home directory here"
    except OSError as error:
        accepted += f" ({reason(error)})"
    except ValueError:
        accepted += " without the character NUL"
    reject(option, text, accepted)


def import_package(name: str, file: Path) -> ModuleType:
    """Import a package from its file, so that its own modules can be imported relative to it."""
    known = sys.modules.get(name)
    if known is not None and known.__file__ == str(file):
        return known
    located = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[str(file.parent)])
    assert located is not None
    assert located.loader is not None
    module = importlib.util.module_from_spec(located)
    sys.modules[name] = module
    located.loader.exec_module(module)
    return module
