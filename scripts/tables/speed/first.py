"""The table of docs/performance.md on first generations, made from docs/data/first_generations.csv."""

from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from tables.shared.data import Data, Makers, by

AIMS = {"no": 30.0, "yes": 8.0}
"""Seconds by the clock, by whether the run found its programs compiled."""


def first(data: Data) -> str:
    """Return a line for each game; of its measurements the last counts."""
    lines = []
    for (game, _), rows in sorted(by(data["first_generations"], "game", "options").items()):
        last = {row["compiled"]: row for row in rows}
        cells = [
            cell
            for compiled in AIMS
            for cell in (f"{float(last[compiled]['cpu_seconds']):.0f}", _clock(last[compiled]))
        ]
        lines.append([game, *cells, last["no"]["load"]])
    head = ["`game=`", "cold, CPU-seconds", "by the clock", "warm, CPU-seconds", "by the clock", "load average"]
    return table(head, lines)


def _clock(row: Cells) -> str:
    seconds = float(row["seconds"])
    return f"{seconds:.0f}{'' if seconds <= AIMS[row['compiled']] else ': missed'}"


TABLES: Makers = {"first_generations": first}
