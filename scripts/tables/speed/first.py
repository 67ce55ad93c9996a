"""The table of docs/performance.md on first generations, made from docs/data/first_generations.csv."""

from collections.abc import Callable

from jaxgp.store.table import Cells
from tables.shared.data import Data, Makers, by, listing

AIM = 60.0
"""CPU-seconds."""


def first(data: Data) -> str:
    """Return a line for each game; of its measurements the last counts."""
    last = [rows[-1] for _, rows in sorted(by(data["first_generations"], "game", "options").items())]
    columns: dict[str, Callable[[Cells], str] | str] = {
        "`game=`": "{game}",
        "CPU-seconds": lambda row: (
            f"{float(row['cpu_seconds']):.0f}{'' if float(row['cpu_seconds']) <= AIM else ': missed'}"
        ),
        "seconds by the clock": lambda row: f"{float(row['seconds']):.0f}",
        "load average": "{load}",
    }
    return listing(last, columns)


TABLES: Makers = {"first_generations": first}
