"""Rows of studies of chess: printed as CSV, and added to a file."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from jaxgp import files


def report(columns: Sequence[str], rows: Iterable[Sequence[str]], path: Path | None) -> None:
    """Print a table with its head, and add its rows to a file if one is named; raises RunError."""
    head, text = ",".join(columns) + "\n", lines(rows)
    print(head + text, end="")
    if path is not None:
        add(path, head, text)


def lines(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def add(path: Path, head: str, text: str) -> None:
    """Write lines of CSV at the end of a file, which begins with the head; raises RunError."""
    before = path.read_text("utf-8") if path.exists() else head
    files.save_text("save", path, before + text)
