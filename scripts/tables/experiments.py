"""The table of docs/experiments.md on seeds in one program, made from docs/data/seeds_timed.csv.

Its rows are what `scripts/studies/seeds.py` prints.
"""

from tables.shared.data import Data, Makers, listing

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
NAMES = {"mancala": "Mancala, {0:,} programs, {1} generations", "walls": "Walls, {0:,} rule lists, {1} generations"}


def timed(data: Data) -> str:
    """Return both ways beside each other."""
    columns = {
        "10 seeds, 2 cores": lambda row: NAMES[row["game"]].format(int(row["population"]), row["generations"]),
        "ten processes, 2 at a time": "{processes_seconds} s, {processes_gib} GiB",
        "one program, `devices.count=2`": "{program_seconds} s, {program_gib} GiB",
        "equal records": "{equal} of {seeds}",
    }
    return listing(data["seeds_timed"], columns)


TABLES: Makers = {"seeds_timed": timed}
