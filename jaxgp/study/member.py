"""A run as one of many: its options, how far it has come, and what was measured in it. Does not import pandas."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean

from jaxgp import reading
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.report.progress import is_measured
from jaxgp.store import champion, record, runs
from jaxgp.store.directory import COMPLETE, RunDirectory
from jaxgp.store.record import Row


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep, which may still be going on.

    Attributes:
        path: its run directory.
        config: its options.
        words: the options in the command that began it.
        state: what its status says: running (or killed), interrupted, failed, complete or unknown.
        rows: its record so far.
        champion: the champion so far, if one was written.
    """

    path: Path
    config: Config
    words: tuple[str, ...]
    state: str
    rows: Sequence[Row]
    champion: champion.ChampionFile | None

    @property
    def finished(self) -> bool:
        return self.state == COMPLETE

    @cached_property
    def figures(self) -> dict[str, float | int | None]:
        """What `summary` measures; without a champion, or one that the record does not know yet, no figures."""
        generations = {row["generation"] for row in self.rows}
        found = -1 if self.champion is None else self.champion.generation
        return summary(self.rows, found if found in generations else -1)


def load(run: RunDirectory) -> SweepRun:
    """Read a run; raises UsageError."""
    try:
        about = reading.read_json(run.environment)
    except (OSError, ValueError):
        about = {}
    first = next(iter(runs.commands(about)), "")
    words = tuple(word.lstrip("+") for word in shlex.split(first) if "=" in word)
    try:
        best = champion.read(run.champion) if run.champion.is_file() else None
    except champion.ChampionError as error:
        raise UsageError(str(error)) from error
    state = str(run.read_status().get("state", "unknown"))
    return SweepRun(run.path, run.read_config(), words, state, record.read(run.record), best)


def score(folders: Sequence[Path], measure: str) -> float:
    """Return what was measured in runs, their mean; nan if it was not measured in all of them.

    Args:
        folders: run directories.
        measure: one of RESPONSES.

    Raises:
        UsageError: a run cannot be read.
    """
    found = [load(RunDirectory(folder)).figures[measure] for folder in folders]
    return fmean(float("nan") if value is None else value for value in found)


def summary(rows: Sequence[Row], found: int) -> dict[str, float | int | None]:
    """Return what was measured in a run, from the rows of its generations and the generation that found its champion.

    `fitness`, `points` (over all seats) and `size` are those of the champion, from the row of the generation that
    `found` it. They are None for `found` = -1, a run without a champion. The caller passes `found` because the fittest
    of a later generation need not replace the champion. `generations` is the number of rows, `seconds` their total
    time.

    Raises:
        ValueError: the rows lack that generation.
    """
    row = next((row for row in rows if row["generation"] == found), None)
    if row is None and found >= 0:
        raise ValueError(f"no row of generation {found}, which found the champion")
    row = row or {}
    return {
        "fitness": row.get("best_standing" if is_measured(row) else "best_fitness"),
        "points": row.get("best_points"),
        "size": row.get("best_size"),
        "found": row.get("generation"),
        "generations": len(rows),
        "seconds": round(sum(row["seconds"] for row in rows), 6),
    }
