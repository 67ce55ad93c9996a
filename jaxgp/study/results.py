"""Results of many runs as a tidy table: a row for each run, a column for each thing set or measured.

`results.jsonl` gains a durable line when a run ends. `results.csv` has the same rows, sorted, for other programs.
"""

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas

from jaxgp import files, reading
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError, reason
from jaxgp.store import champion, directory, record
from jaxgp.store.directory import RunDirectory
from jaxgp.store.record import Row
from jaxgp.study import member
from jaxgp.study.design import COLUMNS, MAX_TRIALS, RESPONSES, Design, Trial

TrialConfig = tuple[Trial, Config]
"""A run, and its configuration."""

JSONL, CSV, PARQUET = "results.jsonl", "results.csv", "results.parquet"
KEY = "trial"


def row(trial: Trial, design: Design, measured: Mapping[str, float | int | None]) -> Row:
    """Return a trial's line of the table."""
    factors = dict(zip((factor.name for factor in design.factors), trial.cell.levels, strict=True))
    place = {"trial": trial.number, "order": trial.order, "group": trial.cell.group, **factors}
    return {**place, "replicate": trial.replicate, "seed": trial.seed, **measured}


def table(rows: Iterable[Row], factors: Sequence[str]) -> pandas.DataFrame:
    """Return the rows in standard order."""
    measured = len(COLUMNS) - len(RESPONSES)
    columns = [*COLUMNS[:3], *factors, *COLUMNS[3:measured], *RESPONSES]
    return pandas.DataFrame(list(rows), columns=columns).sort_values(KEY, ignore_index=True)


def save_csv(folder: Path, frame: pandas.DataFrame) -> None:
    """Write the table as CSV, atomically; raises OSError."""
    files.write_text(folder / CSV, frame.to_csv(index=False, lineterminator="\n"))


def check_parquet() -> None:
    """Check that Parquet can be written; raises UsageError."""
    if importlib.util.find_spec("pyarrow") is None:
        raise UsageError("parquet=true: needs pyarrow, which is not installed; pip install 'jaxgp[parquet]' brings it")


def save_parquet(folder: Path, frame: pandas.DataFrame) -> None:
    """Write the table as Parquet, atomically; raises OSError."""
    files.write(folder / PARQUET, lambda file: file.write(frame.to_parquet(index=False, engine="pyarrow")))


def load(path: Path) -> pandas.DataFrame:
    """Read a table: CSV, Parquet, the lines of `results.jsonl`, or a folder with one of them.

    Raises:
        UsageError: there is none, or it cannot be read.
    """
    if path.is_dir():
        path = next((path / name for name in (JSONL, CSV, PARQUET) if (path / name).is_file()), path / CSV)
    if path.suffix == ".jsonl":
        rows = record.read(path, KEY)
        if not rows:
            raise UsageError(f"table={path}: holds no results")
        return pandas.DataFrame(rows).sort_values(KEY, ignore_index=True)
    if path.suffix == ".parquet":
        check_parquet()
    try:
        reading.check_file(path)
        frame = pandas.read_parquet(path) if path.suffix == ".parquet" else pandas.read_csv(path)
    except OSError as error:
        raise UsageError(f"table={path}: cannot be read ({reason(error)})") from error
    except ValueError as error:
        raise UsageError(f"table={path}: not a table ({str(error).splitlines()[0]})") from error
    if not 1 <= len(frame) <= MAX_TRIALS:
        raise UsageError(f"table={path}: {len(frame)} results; accepted: 1 to {MAX_TRIALS}")
    return frame


def run_directories(folder: Path) -> list[RunDirectory]:
    """Return the runs in a folder and in the folders below it; raises UsageError if one of these cannot be read.

    Folders that are named by numbers are in the order of these. A config.yaml alone is that of some other program.
    """
    try:
        found = [RunDirectory(path.parent) for path in sorted(folder.rglob("config.yaml"), key=_numbered)]
        return [run for run in found if run.holds_run() and run.was_begun()]
    except OSError as error:
        raise UsageError(f"{error.filename or folder}: cannot be searched for runs ({reason(error)})") from error


def _numbered(path: Path) -> list[tuple[bool, int, str]]:
    numbers = ((reading.whole_number(part), part) for part in path.parts)
    return [(number is None, number or 0, part) for number, part in numbers]


def read_run(run: RunDirectory, option: str) -> dict[str, float | int | None]:
    """Return the summary of a finished run.

    Raises:
        UsageError: the run is not finished, or its champion is missing; `option` named the run, for the message.
    """
    state = run.read_status().get("state", "unknown")
    rows = record.read(run.record)
    if state != "complete" or not rows:
        raise UsageError(f"{option}: {run.path} has not come to its end (state {state}); resume or remove it")
    try:
        return member.summary(rows, champion.read(run.champion).generation)
    except ValueError as error:
        raise UsageError(f"{option}: {run.path}: {error}") from error


def digest(config: Config) -> str:
    """Return a digest of all options that change what a run computes, except its seed."""
    return f"{directory.digest(replace(config, seed=0))}-{config.algorithm.generations}"


def gather(folder: Path, trials: Sequence[TrialConfig], design: Design) -> list[Row]:
    """Make the table from runs that `scripts/train.py` made, on this machine or on others.

    A run is matched with a cell by its options; replicates of a cell are told apart by their seeds.

    Raises:
        UsageError: a run is missing, belongs to no cell or is not finished.
    """
    waiting: dict[str, list[Trial]] = {}
    for trial, config in sorted(trials, key=lambda pair: pair[0].number):
        waiting.setdefault(digest(config), []).append(trial)
    found = [(run, run.read_config()) for run in run_directories(folder)]
    rows, seen = [], set()
    for run, config in sorted(found, key=lambda pair: pair[1].seed):
        key = digest(config)
        if (key, config.seed) in seen:
            raise UsageError(f"runs={folder}: {run.path} repeats a run with seed {config.seed}")
        seen.add((key, config.seed))
        if not waiting.get(key):
            why = "more runs of its cell than replicates" if key in waiting else "options of no cell of the design"
            raise UsageError(f"runs={folder}: {run.path} has {why}")
        made = row(waiting[key].pop(0), design, read_run(run, f"runs={folder}"))
        rows.append(made | {"seed": config.seed, "order": None})
    missing = sum(len(trials) for trials in waiting.values())
    if missing:
        raise UsageError(f"runs={folder}: {missing} of the design's {design.size} runs are missing")
    return rows
