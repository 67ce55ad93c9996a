"""metrics.jsonl, the record of a run: one JSON object a generation, on disk before the next one starts."""

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from jaxgp import files, reading
from jaxgp.errors import RunError, UsageError, reason

Row = dict[str, Any]
LONGEST = 2**20
"""Bytes of the longest line that is read; rows have a few hundred."""
TIMES = ("seconds", "elapsed")
"""Fields that are numbers in every row that has them."""


def clean(row: Mapping[str, object]) -> Row:
    """Turn metrics into what JSON can hold: Python numbers, lists of them; nan and infinities become null."""
    return {name: _value(value) for name, value in row.items()}


def _value(value: object) -> object:
    return [_number(one) for one in np.asarray(value)] if getattr(value, "ndim", 0) else _number(value)


def _number(value: object) -> object:
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read(path: Path, key: str = "generation") -> list[Row]:
    """Return the rows of a record, oldest first; a torn last line is left out. A missing file has no rows.

    Args:
        path: the file.
        key: a field that holds a whole number in every row.

    Raises:
        UsageError: it cannot be read, or a line before the last one is not a row.
    """
    rows = []
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: not a record, which is a file")
        with path.open("rb") as file:
            # The text after the last newline is empty, or a line torn by a crash: it is not part of the record.
            while (line := file.readline(LONGEST)).endswith(b"\n"):
                rows.append(_row(line, key))
            if len(line) == LONGEST:
                raise ValueError(f"longer than {LONGEST} bytes")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({reason(error)})") from error
    except ValueError as error:
        raise UsageError(f"{path}: line {len(rows) + 1} is not a row of metrics ({error})") from error
    return rows


def _row(line: bytes, key: str) -> Row:
    """Return the row in a line; raises ValueError."""
    row = reading.parse_json(line)
    if not isinstance(row, dict):
        raise ValueError("not an object")
    if type(row.get(key)) is not int:
        raise ValueError(f"{key} is not a whole number")
    for name in TIMES:
        if name in row and type(row[name]) not in (int, float):
            raise ValueError(f"{name} is not a number")
    return row


def cut(path: Path, generation: int) -> list[Row]:
    """Drop every row from `generation` on, and a torn last line; return the rows that stay.

    Raises:
        UsageError: the file is damaged or lacks an earlier generation; it is left as it was.
        RunError: it cannot be written.
    """
    rows = [row for row in read(path) if row["generation"] < generation]
    found = [row["generation"] for row in rows]
    if found != list(range(generation)):
        raise UsageError(f"{path}: has no row for every generation before {generation}, where the checkpoint goes on")
    untimed = next((row["generation"] for row in rows if "elapsed" not in row), None)
    if untimed is not None:
        raise UsageError(f"{path}: line {untimed + 1} is not a row of metrics (it lacks elapsed)")
    try:
        write(path, rows)
    except OSError as error:
        raise RunError(f"{path}: {reason(error)}") from error
    return rows


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write a whole record, atomically; raises OSError."""
    files.write_text(path, "".join(_line(row) for row in rows))


def _line(row: Row) -> str:
    return json.dumps(row, allow_nan=False) + "\n"


class Record:
    """Appends rows; each is durable when `append` returns.

    The file on disk may be removed or replaced meanwhile, by an editor say. It is then written anew before the next
    row, since what is written to the file that is open would be lost.

    Args:
        path: the file. Its owner may change it where the folder is renamed.
        rows: what the file holds; its owner adds each row after `append`.
        warn: told that the file was written anew.
    """

    def __init__(self, path: Path, rows: Sequence[Row], warn: Callable[[str], object]) -> None:
        self.path = path
        self._rows = rows
        self._warn = warn
        self._open()

    def _open(self) -> None:
        self._file = self.path.open("ab", buffering=0)
        self._end = self._file.seek(0, os.SEEK_END)

    def append(self, row: Row) -> None:
        """Add one row.

        Raises:
            RunError: it could not be written; the file ends with the row before.
        """
        line = _line(row).encode()
        try:
            self.restore()
            if self._file.write(line) != len(line):
                raise OSError("the disk is full")
            os.fsync(self._file.fileno())
        except OSError as error:
            self._undo()
            raise RunError(f"{self.path}: {reason(error)}") from error
        self._end += len(line)

    def restore(self) -> None:
        """Write the file anew where it is not the one that is open, or has another length; raises OSError."""
        if files.leads_to(self.path, self._file.fileno()) and os.fstat(self._file.fileno()).st_size == self._end:
            return
        write(self.path, self._rows)
        self._file.close()
        self._open()
        self._warn(f"{self.path} was removed or changed from outside; its {len(self._rows)} rows are written anew")

    def _undo(self) -> None:
        """Remove a half-written row; if this fails as well, the next start drops it as torn."""
        try:
            self._file.truncate(self._end)
        except OSError:
            return

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "Record":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()
