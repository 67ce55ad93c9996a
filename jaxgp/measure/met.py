"""Which seeds a champion has met: that of its run, and those of the games that it was measured by.

Games of a run and games of a measurement have chance of their own, also where their seeds are equal. Two measurements
with one seed, and one panel, play the same games.
"""

from pathlib import Path
from typing import NamedTuple

from jaxgp import reading
from jaxgp.measure import games
from jaxgp.measure.champions import Loaded


class Met(NamedTuple):
    """Seeds that a champion has met.

    Attributes:
        run: of its evolution.
        measured: of earlier games that measured it, in ascending order.
    """

    run: int
    measured: tuple[int, ...]

    def text(self, seed: int) -> str:
        """Say which seeds it has met before games with another one are counted."""
        earlier = ", ".join(map(str, self.measured)) or "none"
        again = f"; seed {seed} is one of them, so these may be the same games" if seed in self.measured else ""
        return f"seeds that the champion has met: {self.run} in its run, {earlier} in earlier measurements{again}"


def met(loaded: Loaded, figures: Path, table: Path | None = None) -> Met:
    """Return the seeds that a champion has met.

    Args:
        loaded: the champion.
        figures: the file of an earlier evaluation, which need not exist; a damaged one says nothing.
        table: a table of games, whose rows of this champion count as well.

    Raises:
        UsageError: the table is damaged.
    """
    try:
        content = reading.read_json(figures)
    except (OSError, ValueError):
        content = {}
    content = content if isinstance(content, dict) else {}
    earlier = content.get("met", {}) if isinstance(content.get("met", {}), dict) else {}
    found = {*_whole(earlier.get("measured")), *_whole([content.get("seed")])}
    name = loaded.text.split(" depth=")[0]
    for row in games.table(table).rows() if table is not None else ():
        if row["player"].split(" depth=")[0] == name:
            found |= {int(row["seed"])} if row["seed"].isdigit() else set()
    return Met(loaded.content.seed, tuple(sorted(found)))


def _whole(values: object) -> list[int]:
    return [one for one in values if isinstance(one, int)] if isinstance(values, list) else []
