"""The folder in which JAX keeps compiled programs between runs. All of them are removed by

    python -m jaxgp.store.compiled

JAX writes a program there once and never again, and removes none. So a program whose writing was cut short would be
refused with a warning in every run, and the folder would grow for ever. `tidy` removes what is cut short, and beyond
`LIMIT` what was not used for longest.
"""

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import zlib
from dataclasses import dataclass
from pathlib import Path

from jaxgp.config import arguments
from jaxgp.files import user_path
from jaxgp.options import option

LIMIT = 2**30
"""Bytes of compiled programs that are kept: a gibibyte. One game's are 5 to 20 MiB."""
CHECKED = ".checked"
"""An empty file, as old as the last look for programs that were cut short."""


@dataclass
class Options:
    """Which folder is emptied."""

    folder: str = option("~/.cache/jaxgp", "where compiled programs are kept", path=True)


def entries(folder: Path) -> list[Path]:
    """Return the files of compiled programs in a folder."""
    return [path for path in folder.glob("*-cache") if path.is_file()]


def tidy(folder: Path, limit: int = LIMIT) -> None:
    """Remove programs that were cut short, and beyond `limit` bytes those that were not used for longest.

    Only what was written since the last call is looked into. Another process may remove the same files.

    Raises:
        OSError: the folder cannot be read or written.
    """
    checked = folder / CHECKED
    since = checked.stat().st_mtime if checked.exists() else 0.0
    checked.touch()
    kept = []
    for path in entries(folder):
        try:
            about = path.stat()
            if about.st_mtime >= since and not is_whole(path.read_bytes()):
                path.unlink()
            else:
                kept.append((max(about.st_atime, about.st_mtime), about.st_size, path))
        except FileNotFoundError:
            continue
    size = sum(one[1] for one in kept)
    for _, bytes_, path in sorted(kept):
        if size <= limit:
            break
        path.unlink(missing_ok=True)
        size -= bytes_


def is_whole(program: bytes) -> bool:
    """Return whether a compressed program ends where it should; True if it is not compressed by zlib."""
    if program[:1] not in (b"x", b""):  # JAX takes another compression where it is installed, which is not looked into
        return True
    unpacked = zlib.decompressobj()
    try:
        unpacked.decompress(program)
    except zlib.error:
        return False
    return unpacked.eof


def empty(folder: Path) -> tuple[int, int]:
    """Remove all compiled programs from a folder; return how many there were, and their bytes. Nothing else is touched.

    Raises:
        OSError: a file cannot be removed.
    """
    found = entries(folder)
    size = sum(path.stat().st_size for path in found)
    for path in found:
        path.unlink(missing_ok=True)
    return len(found), size


def task(options: Options) -> int:
    """Empty the folder, say so, and return the exit code."""
    folder = user_path("folder", options.folder)
    number, size = empty(folder)
    print(f"{folder}: {number} compiled programs removed, {size / 2**20:.0f} MiB")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
