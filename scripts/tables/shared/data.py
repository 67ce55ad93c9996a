"""The rows of docs/data that tables are made from, and the usual ways to make a table of rows.

A table is one function of the data, `Data -> str`, the Markdown. The data are a mapping from the name of a file,
without its ending, to its rows; a file is read when it is first asked for.
"""

import csv
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from jaxgp import reading
from jaxgp.errors import UsageError
from jaxgp.report.generated import table
from jaxgp.store.table import Cells


class Data(Mapping[str, Sequence[Cells]]):
    """The rows of the tables of a folder: NAME.csv, or NAME.csv.gz, which gzip has compressed."""

    __hash__ = object.__hash__

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: dict[str, list[Cells]] = {}

    def __getitem__(self, name: str) -> list[Cells]:
        if name not in self._read:
            plain, packed = (self.path / f"{name}.csv{ending}" for ending in ("", ".gz"))
            self._read[name] = list(rows(plain if plain.exists() else packed))
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


Makers = Mapping[str, Callable[[Data], str]]
"""Tables by the name of the part of a document."""


def rows(path: Path) -> Iterator[Cells]:
    """Yield the rows of a CSV file, compressed by gzip if its name ends so; raises UsageError."""
    try:
        reading.check_file(path)
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8", newline="") as file:
            lines = csv.reader(file, strict=True)
            head = next(lines)
            for line in lines:
                yield dict(zip(head, line, strict=True))
    except (OSError, EOFError, StopIteration, ValueError, csv.Error, zlib.error) as error:
        raise UsageError(f"{path}: cannot be read ({error})") from error


def guard(makers: Makers, data: Data) -> dict[str, Callable[[], str]]:
    """Return what makes each table of a document; rows that do not fit raise UsageError."""

    def made(name: str, maker: Callable[[Data], str]) -> str:
        try:
            return maker(data)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise UsageError(
                f"{data.path}: {name}: rows are missing, or a cell is not what it should be ({error!r})"
            ) from error

    return {name: partial(made, name, maker) for name, maker in makers.items()}


def by(rows: Iterable[Cells], *names: str) -> dict[tuple[str, ...], list[Cells]]:
    """Return rows by some of their cells, in the order of the file."""
    found: dict[tuple[str, ...], list[Cells]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def listing(rows: Iterable[Cells], columns: Mapping[str, Callable[[Cells], str] | str]) -> str:
    """Return a table with a line for each row.

    Args:
        rows: of a file.
        columns: heads, and how a row becomes a cell: a function, or a format such as "{least} to {most}".
    """
    ways = [way.format_map if isinstance(way, str) else way for way in columns.values()]
    return table(list(columns), [[way(row) for way in ways] for row in rows])


def cross(
    rows: Iterable[Cells],
    lines: Mapping[str, str],
    across: str,
    columns: Mapping[str, str],
    cell: Callable[[Cells], str],
) -> str:
    """Return a table whose columns are the values of one cell; of rows with the same place the last counts.

    Args:
        rows: of a file.
        lines: the first columns: heads, and the cells that tell lines apart.
        across: the cell that tells columns apart.
        columns: values of this cell, and the heads of their columns.
        cell: what stands there; empty where no row belongs.
    """
    made = []
    for names, group in by(rows, *lines.values()).items():
        found = {row[across]: cell(row) for row in group}
        made.append([*names, *(found.get(value, "") for value in columns)])
    return table([*lines, *columns.values()], made)
