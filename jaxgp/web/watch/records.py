"""Records of runs that may still grow: only what is new is read, by offset. No JAX."""

import json
import math
import re
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from jaxgp import files
from jaxgp.store.record import LONGEST

MOST = 2**26
"""Bytes of a record that are read; 10,000 generations have 5 million."""
MOST_COLUMNS = 500
"""Metrics of a record that are read; runs have some dozens."""
MOST_PARTS = 64
"""Numbers of a metric that is a list, such as one of each island."""
LARGEST = 1e100
"""Numbers beyond it are not drawn."""
PART = re.compile(r" \d+$")
"""The end of the name of a column that is one number of a list."""
PIECE = 1000
"""Lines of a piece of CSV."""
KEPT = 200
"""Records that are kept in memory."""


class RecordTail:
    """The rows of one record, by columns of numbers, as far as they have been read.

    Attributes:
        columns: by the name of a metric; a value that is missing or no number is NaN. `generation` is always there. The
            numbers of a metric that is a list are columns NAME 1, NAME 2 and so on.
        restarts: how often the file was written anew since it was read first, as by a run that is resumed.
        back: the generation that the record went back to when that happened last; None: it never did.
        note: what is to be said of the record; empty: nothing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._where = (0, 0)  # inode, offset
        self.columns: dict[str, array[float]] = {}
        self.restarts = 0
        self.back: int | None = None
        self.note = ""
        self._last = -1.0

    def __len__(self) -> int:
        return len(self.columns.get("generation", ()))

    def read(self) -> None:
        """Read what is new; a file that cannot be read has no more rows."""
        with self._lock:
            self._read()

    def _read(self) -> None:
        try:
            if self._path.is_symlink() or not self._path.is_file():
                return
            with self._path.open("rb") as file:
                found = self._path.stat()
                inode, offset = self._where
                if inode != found.st_ino or found.st_size < offset:
                    offset = 0
                    if len(self):
                        self.restarts += 1
                        self._last = self.columns["generation"][-1]
                    self.columns = {}
                file.seek(offset)
                line = b""
                while offset < MOST and (line := file.readline(LONGEST)).endswith(b"\n"):
                    offset += len(line)
                    self._add(line)
                self._where = (found.st_ino, offset)
        except OSError:
            return
        self.note = ""
        if offset >= MOST:
            self.note = f"The record is larger than {MOST >> 20} MiB; its end is not shown."
        elif len(line) == LONGEST:
            self.note = f"The record has a line of more than {LONGEST >> 20} MiB; what follows it is not shown."
        if self.restarts and len(self) and self.columns["generation"][-1] < self._last:
            self.back, self._last = int(self.columns["generation"][-1]), -1.0

    def _add(self, line: bytes) -> None:
        """Add the row in a line; a line that is no row is left out."""
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(row, dict) or type(row.get("generation")) is not int or abs(row["generation"]) > 2**53:
            return
        count = len(self)
        for name, value in _parted(row):
            column = self.columns.get(name)
            if type(value) not in (int, float) or (column is None and len(self.columns) >= MOST_COLUMNS):
                continue
            if column is None:
                column = self.columns[name] = array("d", [math.nan]) * count
            if len(column) == count:
                column.append(float(value) if abs(value) < LARGEST else math.nan)
        for column in self.columns.values():
            if len(column) == count:
                column.append(math.nan)

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics of which the record has at least one number, but the generation."""
        found = (
            name for name, column in self.columns.items() if name != "generation" and not all(map(math.isnan, column))
        )
        return sorted({PART.sub("", name) for name in found})

    def parts(self, metric: str) -> list[str]:
        """Return the columns of a metric: itself, or one for each number of a list."""
        if metric in self.columns:
            return [metric]
        return [name for name in (f"{metric} {n}" for n in range(1, MOST_PARTS + 1)) if name in self.columns]

    def pairs(self, metric: str, factor: float = 1.0) -> tuple[Sequence[float], Sequence[float]]:
        """Return generations, and the values of a metric, both without those that are missing."""
        found = self.columns.get(metric, ())
        kept = [(x, y * factor) for x, y in zip(self.columns.get("generation", ()), found, strict=False) if y == y]
        return [x for x, _ in kept], [y for _, y in kept]


def _parted(row: Mapping[str, object]) -> Iterator[tuple[str, Any]]:
    """Yield names and values; those of a list one by one."""
    for name, value in row.items():
        if isinstance(value, list):
            yield from ((f"{name} {n}", one) for n, one in enumerate(value[:MOST_PARTS], 1))
        else:
            yield name, value


class Records:
    """The records that were asked for, those of late."""

    def __init__(self) -> None:
        self._tails: OrderedDict[Path, RecordTail] = OrderedDict()
        self._lock = Lock()

    def get(self, path: Path) -> RecordTail:
        """Return a record, with all that it has now."""
        with self._lock:
            tail = self._tails.setdefault(path, RecordTail(path))
            self._tails.move_to_end(path)
            while len(self._tails) > KEPT:
                self._tails.popitem(last=False)
        tail.read()
        return tail


def csv_pieces(tails: Mapping[str, RecordTail], metrics: Sequence[str]) -> Iterator[str]:
    """Yield CSV in pieces, a line for each generation of each run; empty cells are missing."""
    names = ("run", "generation", *metrics)
    yield ",".join(names) + "\n"
    for name, tail in tails.items():
        columns = [tail.columns.get(metric) for metric in metrics]
        rows = tail.columns.get("generation", ())
        for first in range(0, len(rows), PIECE):
            lines: list[dict[str, object]] = []
            for place in range(first, min(first + PIECE, len(rows))):
                cells = ["" if one is None or math.isnan(one[place]) else one[place] for one in columns]
                lines.append(dict(zip(names, (name, int(rows[place]), *cells), strict=True)))
            yield files.csv_text(lines).partition("\n")[2]
