"""The table of docs/experiments.md on seeds in one program, made from docs/data/seeds_timed.csv.

Its rows are what `scripts/studies/seeds.py` prints.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from jaxgp.report.generated import table
from jaxgp.store.table import Cells, Table

COLUMNS = {
    "game": "the game",
    "population": "individuals of a run",
    "generations": "generations of a run",
    "seeds": "runs",
    "cores": "CPU cores of the machine",
    "processes_seconds": "by the clock, a process for each run, as many at a time as there are cores",
    "processes_gib": "the most memory of these processes together, GiB",
    "program_seconds": "by the clock, all runs in one program",
    "program_gib": "the most memory of that process, GiB",
    "equal": "runs whose records are equal both ways",
    "command": "the command",
}
"""The columns and what is in them."""
NAMES = {"mancala": "Mancala, {population} programs", "walls": "Walls, {population} rule lists"}


def line(row: Cells) -> list[str]:
    """Return a row as a line of the table."""
    individuals = NAMES[row["game"]].format(population=f"{int(row['population']):,}")
    ways = [f"{row[f'{way}_seconds']} s, {row[f'{way}_gib']} GiB" for way in ("processes", "program")]
    return [f"{individuals}, {row['generations']} generations", *ways, f"{row['equal']} of {row['seeds']}"]


def timed(rows: Sequence[Cells]) -> str:
    """Return both ways beside each other."""
    head = ["ten processes, 2 at a time", "one program, `devices.count=2`", "equal records"]
    return table(["10 seeds, 2 cores", *head], list(map(line, rows)))


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes the table, by its name in the document; raises UsageError for damaged data."""
    return {"seeds_timed": partial(timed, Table(folder / "seeds_timed.csv", COLUMNS).read())}
