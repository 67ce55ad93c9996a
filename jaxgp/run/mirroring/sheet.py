"""metrics.csv: the record as a table, for spreadsheets and data frames. An empty cell is a value that is no number."""

from typing import IO

from jaxgp import files
from jaxgp.run.loop import Run
from jaxgp.run.mirroring.copies import Copy, flat
from jaxgp.store.record import Row


class Sheet(Copy):
    """Follows a run in metrics.csv, a line a generation."""

    what = "metrics.csv"

    def __init__(self, run: Run) -> None:
        self._columns: list[str] = []
        self._file: IO[bytes] | None = None
        super().__init__(run)

    def begin(self) -> None:
        """Write the table of all rows; without rows there is none."""
        self.close()
        rows = [flat(row) for row in self.run.rows]
        self._columns = list(dict.fromkeys(name for row in rows for name in row))
        path = self.run.directory.sheet
        if not rows:
            path.unlink(missing_ok=True)
            return
        files.write_text(path, files.csv_text([dict.fromkeys(self._columns, "") | row for row in rows]))
        self._file = path.open("ab", buffering=0)

    def append(self, row: Row) -> None:
        """Write a line; a row of other columns, or a file that was removed or replaced, makes the table anew."""
        cells = flat(row)
        lost = self._file is not None and not files.leads_to(self.run.directory.sheet, self._file.fileno())
        if self._file is None or lost or list(cells) != self._columns:
            self.begin()
            return
        _, line = files.csv_text([cells]).split("\n", 1)
        if self._file.write(line.encode()) != len(line):
            raise OSError("the disk is full")

    def close(self) -> None:
        """Close the table."""
        if self._file is not None:
            self._file.close()
            self._file = None
