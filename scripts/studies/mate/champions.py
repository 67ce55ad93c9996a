"""Champions of runs on problems that no evolution sees: a row for each run and n, as in docs/data/mate_searching.csv.

    python scripts/studies/mate/champions.py run=outputs/DIR name=mate_book limit=10000 save=rows.csv

`run` is a run, or a folder of runs, as `seeds=0-4` makes one. Plain C++ makes the moves, but for the searches lazy and
flights.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import json
from dataclasses import dataclass

from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.measure import champions
from jaxgp.measure.proving import table
from jaxgp.options import MAX_COUNT, option
from studies.chess.shared import rows
from studies.mate.programs import Games

COLUMNS = ("run", "seed", "generations", "generation", "limit", "n", "problems", "solved", "proved", "claimed", "nodes")


@dataclass
class Options:
    """Which runs, and how far their champions search."""

    run: str | None = option(None, "the run, or a folder of runs", path=True)
    name: str = option("", "what the rows call them; by default the title of each run")
    suite: str | None = option(None, "the problems, a suite or a file; null: the set report")
    limit: int = option(10_000, "nodes of a search at most", low=218, high=MAX_COUNT)
    save: str | None = option(None, "a file of rows, to which these are added", path=True)


def measured(path: Path, options: Options) -> list[list[str]]:
    """Return the rows of a run."""
    loaded = champions.load(str(path), Games())
    told = json.loads((path / "champion.json").read_text(encoding="utf-8"))
    records = (path / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    about = (options.name or told["title"], told["seed"], len(records), told["generation"], options.limit)
    return [
        [*map(str, about), *(str(row[name]) for name in COLUMNS[5:]), told["text"]]
        for row in table.measure(loaded, options.suite, options.limit, "test")
    ]


def task(options: Options) -> int:
    """Search, and write the rows."""
    if options.run is None:
        reject("run", None, "a run, or a folder of runs")
    found = sorted(path.parent for path in files.user_path("run", options.run).rglob("champion.json"))
    if not found:
        reject("run", options.run, "a run that has a champion, or a folder of such runs")
    lines = [line for path in found for line in measured(path, options)]
    rows.report((*COLUMNS, "text"), lines, files.user_path("save", options.save) if options.save else None)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
