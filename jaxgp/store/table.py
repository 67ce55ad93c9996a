"""Tables that runs and evaluations add rows to: CSV with fixed columns, safe against crashes and second writers."""

import codecs
import csv
import errno
import fcntl
import io
import math
import mmap
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from jaxgp import files, reading
from jaxgp.errors import UsageError, reason, reject, rejection
from jaxgp.printable import one_line

PATIENCE, MOMENT, PAUSE = 60.0, 1.0, 0.05
"""Seconds that are waited for a table that another process has locked, until that is said, and between two tries."""
Cells = dict[str, str]
"""A row as it was read: the text of each cell by its column."""


class CSVTable:
    """A CSV file in UTF-8: a header, then one line for each row. Several processes may add rows at the same time.

    A file of an older version may lack the newest columns. Their cells are read as empty, and the file stays without
    them: rows that are added leave them out.

    Attributes:
        path: the file; it need not exist.
        columns: its header.
        newest: how many of the last columns a file may lack.
    """

    def __init__(self, path: Path, columns: Iterable[str], newest: int = 0) -> None:
        self.path = path
        self.columns = tuple(columns)
        self.newest = newest

    def check(self, option: str) -> None:
        """Check before anything is computed that rows can be added; writes nothing.

        Args:
            option: what named the file, for messages.

        Raises:
            UsageError: the file is no table with these columns, or cannot be written.
        """
        try:
            for _ in self.rows():
                pass
        except UsageError as error:
            accepted = f"a new file, or a table with the columns of this command ({error.why})"
            raise rejection(option, self.path, accepted) from error
        place = next(place for place in (self.path, *self.path.absolute().parents) if place.exists())
        if not os.access(place, os.W_OK) or (place != self.path and not place.is_dir()):
            reject(option, self.path, f"a file that can be written; {place} cannot")

    def read(self) -> list[Cells]:
        """Return the rows, as `rows` does; raises UsageError."""
        return list(self.rows())

    def rows(self) -> Iterator[Cells]:
        """Yield the rows, oldest first; a torn last line is left out. A missing file has no rows.

        Raises:
            UsageError: the file cannot be read, has other columns, or a line that is not a row of it.
        """
        try:
            reading.check_file(self.path)
            with self.path.open("rb") as file:
                yield from self.parsed(file)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._damaged(f"cannot be read ({reason(error)})") from error

    def parsed(self, lines: IO[bytes]) -> Iterator[Cells]:
        """Yield the rows in the content of a file without a torn last line; raises UsageError."""
        there = self._check_head(lines.readline())
        rest = dict.fromkeys(self.columns[there:], "")
        for number, line in enumerate(lines, 2):
            if not line.endswith(b"\n"):
                return
            try:
                cells = next(csv.reader([reading.decode(line).removesuffix("\n")], strict=True), [])
                yield dict(zip(self.columns[:there], cells, strict=True)) | rest
            except (ValueError, csv.Error) as error:
                raise self._damaged(f"line {number} is not a row of the table ({error})") from error

    def _check_head(self, line: bytes) -> int:
        """Return how many columns a file has whose first line is this, the header or a torn part of it.

        Raises:
            UsageError: it is neither.
        """
        whole = len(self.columns)
        line = line.removeprefix(codecs.BOM_UTF8)
        line = line[:-2] + b"\n" if line.endswith(b"\r\n") else line  # of a file that a spreadsheet has saved
        for count in {whole, whole - self.newest}:
            if line == self._line(self.columns[:count]).encode():
                return count
        if line.endswith(b"\n") or not self._line(self.columns).encode().startswith(line):
            raise self._damaged(f"its columns are not {','.join(self.columns)}")
        return whole

    def _damaged(self, why: str) -> UsageError:
        """Return the error that says why the file is not this table."""
        return UsageError(f"{self.path}: {why}", why=why)

    def line(self, row: Mapping[str, object]) -> str:
        """Return a row as the line that the file gets, without its end; every column must be in the row."""
        return self._line(_cell(row[name]) for name in self.columns).rstrip("\n")

    @staticmethod
    def _line(cells: Iterable[str]) -> str:
        written = io.StringIO()
        csv.writer(written, lineterminator="\n").writerow(cells)
        return written.getvalue()

    def append(
        self, row: Mapping[str, object], unless: Sequence[str] = (), warn: Callable[[str], object] = lambda _: None
    ) -> bool:
        """Add a row, which is durable when this returns, under a lock and by a single write.

        Args:
            row: a value for each column.
            unless: columns; if a row of the file has the same values in all of them, nothing is added.
            warn: told that a torn last line, which a killed process has left, was removed.

        Returns:
            Whether the row was added.

        Raises:
            OSError: it could not be written; the file ends with the row before.
            UsageError: the file has other columns, or is damaged.
        """
        with self._locked(warn) as file:
            cells = {name: _cell(row[name]) for name in self.columns}
            for old in self.parsed(io.BytesIO(file.read())):
                if unless and all(old[name] == cells[name] for name in unless):
                    return False
            self._add(file, [row], warn)
        return True

    def extend(self, rows: Sequence[Mapping[str, object]], warn: Callable[[str], object] = lambda _: None) -> None:
        """Add rows as `append` does, all by one write; the rows that the file has are not read.

        A process that is killed meanwhile leaves the first few of them, and perhaps a torn line.

        Raises:
            OSError: they could not be written; the file ends with the row before.
            UsageError: the file has other columns.
        """
        with self._locked(warn) as file:
            self._add(file, rows, warn)

    def _add(self, file: IO[bytes], rows: Sequence[Mapping[str, object]], warn: Callable[[str], object]) -> None:
        """Write rows below the last whole line of a locked file; see `extend`."""
        size, end, count = file.seek(0, os.SEEK_END), 0, len(self.columns)
        if size:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                count = self._check_head(content.readline())
                end = content.rfind(b"\n", 0) + 1  # by default it begins where `readline` ended
        if end < size:
            file.truncate(end)
            warn(f"{self.path}: its last line was torn, and is removed")
        head = "" if end else self._line(self.columns)
        lines = (self._line(_cell(row[name]) for name in self.columns[:count]) for row in rows)
        _write(file, "".join((head, *lines)).encode(), end)
        if not end:
            files.sync_directory(self.path.parent)

    def keep(self, rows: Sequence[Mapping[str, object]], say: Callable[[str], object], option: str = "table") -> None:
        """Add rows; those that cannot be written are printed, also where a stop ends the waiting for the file.

        Args:
            rows: a value for each column of each.
            say: told why they cannot be written, and of a torn last line.
            option: what named the file, for messages.
        """
        try:
            self.extend(rows, say)
        except (OSError, UsageError, KeyboardInterrupt) as error:
            why = reason(error) if isinstance(error, OSError) else str(error) or "stopped"
            printed = "the row is" if len(rows) == 1 else f"{len(rows)} rows are"
            say(f"{option}={self.path}: cannot be written ({why}); {printed} printed")
            print(*map(self.line, rows), sep="\n")
            if isinstance(error, KeyboardInterrupt):
                raise

    def _locked(self, say: Callable[[str], object]) -> IO[bytes]:
        """Open the file for adding to it, and wait until no other process does, for `PATIENCE` seconds at most.

        Raises:
            OSError: it cannot be opened, or another process has locked it all the time.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        reading.check_file(self.path)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK, 0o666)
        file = os.fdopen(descriptor, "r+b", buffering=0)
        begin, told = time.monotonic(), False
        try:
            while not _lock(file):
                waited = time.monotonic() - begin
                if waited > PATIENCE:
                    raise OSError(errno.EAGAIN, f"another process has had it locked for {PATIENCE:g} s")
                if waited > MOMENT and not told:
                    say(f"{self.path}: another process has it locked; waiting for {PATIENCE:g} s at most")
                    told = True
                time.sleep(PAUSE)
        except BaseException:
            file.close()
            raise
        return file


def _lock(file: IO[bytes]) -> bool:
    """Lock a file for this process, unless another one has locked it; raises OSError."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write(file: IO[bytes], lines: bytes, end: int) -> None:
    """Write at the end of a file, whose size is `end`; what fails leaves no part of the lines. Raises OSError."""
    try:
        if file.write(lines) != len(lines):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            file.truncate(end)
        raise


def _cell(value: object) -> str:
    """Write a value: numbers with ten digits, nothing for None and nan, text on one line."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.10g}" if isinstance(value, float) else one_line(value)
