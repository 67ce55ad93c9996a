"""What mirrors that are files have in common: they begin with the rows that the record has, and hold nothing twice.

So it does not matter how the process before ended, and whether the run had this mirror then.
"""

from collections.abc import Callable

from jaxgp.errors import reason
from jaxgp.printable import one_line
from jaxgp.run.loop import End, Run
from jaxgp.store.record import Row


class Copy:
    """Follows a run in a file of its directory. What hinders it is told once; the end of the run tries once more.

    Args:
        run: says what is known so far.
    """

    what = "mirror"

    def __init__(self, run: Run) -> None:
        self.run = run
        self._told = False
        self._whole = self._tried(self.begin)

    def begin(self) -> None:
        """Let the file hold all rows that the run has so far, and no other ones; raises OSError."""
        raise NotImplementedError

    def append(self, row: Row) -> None:
        """Write a further row, which the run has already; raises OSError."""
        raise NotImplementedError

    def complete(self, end: End) -> None:
        """Write what only the end shows; raises OSError."""

    def close(self) -> None:
        """Let go of the file; called at any time, also twice. Raises OSError."""
        raise NotImplementedError

    def update(self, row: Row) -> None:
        """Write one row, unless an earlier one failed."""
        if self._whole:
            self._whole = self._tried(lambda: self.append(row))

    def finish(self, end: End) -> None:
        """Write the end, and what failed before."""
        if not self._whole:
            self._whole = self._tried(self.begin)
        if self._whole:
            self._tried(lambda: self.complete(end))
        self._tried(self.close)

    def _tried(self, action: Callable[[], None]) -> bool:
        """Whether an action succeeded."""
        try:
            action()
        except Exception as error:  # anything: the record is safe already
            if not self._told:
                why = reason(error) if isinstance(error, OSError) else one_line(error)
                self.run.warn(f"{self.what} not written ({why})")
            self._told = True
            return False
        return True


def flat(row: Row) -> dict[str, object]:
    """Return a row with a name for each number of a list, as in islands_best/0."""
    found: dict[str, object] = {}
    for name, value in row.items():
        found |= {f"{name}/{i}": each for i, each in enumerate(value)} if isinstance(value, list) else {name: value}
    return found
