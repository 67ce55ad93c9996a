"""A sweep as one thing: its runs by setting, their learning curves, and tests between settings.

A setting is what distinguishes runs beside their seeds: the options of their commands that not all runs share. A sweep
can be reported while its runs go on; what has not come to its end is named, with the line that goes on with it.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import pandas

from jaxgp import files
from jaxgp.config.quoting import trains
from jaxgp.errors import UsageError, reason, reject
from jaxgp.printable import printable
from jaxgp.report import document
from jaxgp.report.document import Document, DocumentTable, FoldedText, Part, Picture
from jaxgp.report.markup import Link, cell
from jaxgp.report.progress import is_measured
from jaxgp.statistics.comparison import Comparison, compare_all
from jaxgp.statistics.intervals import student
from jaxgp.store.directory import RunDirectory
from jaxgp.study import figures, member, results, study_report
from jaxgp.study.design import RESPONSES
from jaxgp.study.member import SweepRun

ALIKE = "all runs"
"""The setting where runs differ in nothing but their seeds."""
APART = (
    "seed",
    "hydra",
    "resume",
    "logger",
    "metric",
    "table",
    "title",
    "checkpoint_every",
    "keep_checkpoints",
    "cores",
)
"""Options that make no setting: what they change is not what a run computes, or only its random numbers."""

FEWEST = 3
"""Runs from which a mean has an interval; that of two is wider than any scale that shows them."""


@dataclass(frozen=True)
class Sweep:
    """The runs of a folder by setting, in the order of their directories; `settings` is not empty."""

    folder: Path
    settings: Mapping[str, Sequence[SweepRun]]

    @property
    def members(self) -> list[SweepRun]:
        return list(chain.from_iterable(self.settings.values()))


def load(option: str, folder: Path) -> Sweep:
    """Read all runs below a folder.

    Args:
        option: what named the folder, for messages.
        folder: of a sweep; its runs may lie deeper.

    Raises:
        UsageError: it holds no runs, is a run itself, or a run in it cannot be read.
    """
    if not folder.is_dir() or RunDirectory(folder).holds_run():
        reject(option, folder, "the folder of a sweep, which has run directories in it")
    found = [member.load(run) for run in results.run_directories(folder)]
    if not found:
        reject(option, folder, "a folder with run directories in it, which have a config.yaml")
    return Sweep(folder, by_setting(found))


def by_setting(members: Sequence[SweepRun]) -> dict[str, list[SweepRun]]:
    """Group runs by what their commands set differently.

    Runs of one command line whose options differ all the same, as after a change of a default, are told apart by a
    digest of these options.
    """
    said = [[word for word in one.words if not _is_apart(word)] for one in members]
    shared = set[str](said[0]).intersection(*said) if said else set[str]()
    names = [" ".join(word for word in words if word not in shared) or ALIKE for words in said]
    digests = [results.digest(one.config) for one in members]
    kinds = {name: {key for other, key in zip(names, digests, strict=True) if other == name} for name in names}
    found: dict[str, list[SweepRun]] = {}
    for one, name, key in zip(members, names, digests, strict=True):
        found.setdefault(name if len(kinds[name]) == 1 else f"{name} ({_short(key)})", []).append(one)
    return found


def _short(key: str) -> str:
    """Return a digest of options by its first digits, and the number of generations, which `results.digest` appends."""
    digits, _, generations = key.rpartition("-")
    return f"{digits[:6]}-{generations}"


def _is_apart(word: str) -> bool:
    name = word.partition("=")[0]
    return name.partition(".")[0] in APART


def frame(sweep: Sweep) -> pandas.DataFrame:
    """Return the table of a sweep: a row for each run, also for one that has not come to its end."""
    rows = [
        {
            "run": str(one.path.relative_to(sweep.folder)),
            "setting": setting,
            "seed": one.config.seed,
            "state": one.state,
            "planned": one.config.algorithm.generations,
            **one.figures,
            "champion": "" if one.champion is None else " ".join(one.champion.text.split()),
        }
        for setting, members in sweep.settings.items()
        for one in members
    ]
    return pandas.DataFrame(rows, columns=["run", "setting", "seed", "state", "planned", *RESPONSES, "champion"])


def compare_settings(sweep: Sweep, measure: str, seed: int) -> list[Comparison]:
    """Compare every two settings by their finished runs; settings with fewer than two of these are left out."""
    groups = {
        setting: values
        for setting, members in sweep.settings.items()
        if len(values := collect_finished(members, measure)) > 1
    }
    return compare_all(measure, groups, seed)


def collect_finished(members: Sequence[SweepRun], measure: str) -> list[float]:
    """Return what was measured in the runs that are complete and have it."""
    values = (one.figures[measure] for one in members if one.finished)
    return [float(value) for value in values if value is not None]


def curves(members: Sequence[SweepRun]) -> dict[int, list[float]]:
    """Return the fitness of the best of each generation in all runs that have come so far."""
    found: dict[int, list[float]] = {}
    for row in chain.from_iterable(one.rows for one in members):
        value = row.get("best_standing" if is_measured(row) else "best_fitness")
        if isinstance(value, int | float):
            found.setdefault(row["generation"], []).append(value)
    return dict(sorted(found.items()))


def report(sweep: Sweep, measure: str = "fitness", seed: int = 0) -> tuple[Document, list[str]]:
    """Return the page of a sweep, and the lines for the terminal.

    Args:
        sweep: what was found.
        measure: by which settings are compared, one of RESPONSES.
        seed: of the bootstrap.

    """
    tests = compare_settings(sweep, measure, seed)
    summary = [_setting(name, members, measure) for name, members in sweep.settings.items()]
    said = study_report.sentences(tests)
    left = [one for one in sweep.members if not one.finished]
    drawn = {name: found for name, members in _lines(sweep).items() if (found := curves(members))}
    parts: list[Part] = [
        f"Of {measure}, the mean of the finished runs and its 95 % interval by Student's t, from {FEWEST} runs on.",
        DocumentTable(summary),
    ]
    if drawn:
        caption = f"fitness of the best of each generation: means with 95 % intervals, from {FEWEST} runs on"
        parts.append(Picture("curves", caption, partial(figures.curves, drawn)))
    sections: list[tuple[str, Sequence[Part]]] = [("Settings", parts)]
    if tests:
        sections += study_report.of_comparisons("", tests, [], {}, means=False).sections
    sections.append(("Runs", [DocumentTable(_rows(sweep))]))
    if left:
        sections.append(("Not finished", [DocumentTable([_left(one) for one in left])]))
    sections.append(("Champions", [_champion(name, members) for name, members in sweep.settings.items()]))
    facts = [("runs", str(len(sweep.members))), ("settings", str(len(summary))), ("finished", str(_ended(sweep)))]
    lines = (
        [_line(row, measure) for row in summary] + said + [f"not finished: {_left(one)['to go on']}" for one in left]
    )
    return Document(_title(sweep.folder.name), facts, sections), lines


def _title(name: str) -> str:
    return name.capitalize() if "sweep" in name.lower() else f"Sweep {name}"


def _lines(sweep: Sweep) -> dict[str, Sequence[SweepRun]]:
    """Return the runs that share a curve: those of a setting, or each run where a setting has too few."""
    found: dict[str, Sequence[SweepRun]] = {}
    for name, members in sweep.settings.items():
        alone = {f"{name}, seed {one.config.seed}": [one] for one in members}
        found |= alone if len(members) < FEWEST and len(alone) == len(members) else {name: members}
    return found


def save(sweep: Sweep, folder: Path, made: Document) -> None:
    """Write report.html, report.md, figures and results.csv; raises OSError."""
    document.save(folder, made)
    results.save_csv(folder, frame(sweep))


def conclude(folder: Path, tell: Callable[[str], None], warn: Callable[[str], None]) -> None:
    """Report a sweep that has just ended, in its own folder; what hinders it is a warning and changes nothing else."""
    try:
        sweep = load("hydra.sweep.dir", folder)
        made, lines = report(sweep, sweep.members[0].config.metric)
        save(sweep, folder, made)
    except (UsageError, OSError) as error:
        why = f"{error.filename or folder}: {reason(error)}" if isinstance(error, OSError) else error
        warn(f"warning: the sweep has no report: {why}")
        return
    for line in (*lines, f"Sweep: {folder / document.HTML}"):
        tell(printable(line))


def _ended(sweep: Sweep) -> int:
    return sum(one.finished for one in sweep.members)


def _rows(sweep: Sweep) -> list[dict[str, object]]:
    """Return the table of a sweep for its page, where the name of a run leads to the run's own page."""
    table = frame(sweep).drop(columns="champion").to_dict("records")
    rows = [{str(name): _known(value) for name, value in row.items()} for row in table]
    for row, one in zip(rows, sweep.members, strict=True):
        if (page := RunDirectory(one.path).report).is_file():
            row["run"] = Link(str(row["run"]), str(page.relative_to(sweep.folder)))
    return rows


def _known(value: object) -> object:
    """Return a cell of a table; what was not measured is None."""
    return None if isinstance(value, float) and value != value else value


def _setting(name: str, members: Sequence[SweepRun], measure: str) -> dict[str, object]:
    values = collect_finished(members, measure)
    mean, low, high = student(values) if values else (None, None, None)
    interval = "" if low is None or len(values) < FEWEST else f"{cell(low)} to {cell(high)}"
    ended = f"{sum(one.finished for one in members)} of {len(members)}"
    best = max(values, default=None)
    return {"setting": name, "finished": ended, f"mean {measure}": mean, "95 % interval": interval, "greatest": best}


def _line(row: Mapping[str, object], measure: str) -> str:
    mean, interval = row[f"mean {measure}"], row["95 % interval"]
    figure = "" if mean is None else f"; {measure} {cell(mean)}" + (f" ({interval})" if interval else "")
    return f"{row['setting']}: {row['finished']} finished{figure}"


def _left(one: SweepRun) -> dict[str, object]:
    going = f"{trains()} {shlex.quote(f'resume={files.short(one.path)}')}"
    state = "running, or killed" if one.state == "running" else one.state
    progress = f"{len(one.rows)} of {one.config.algorithm.generations}"
    return {"run": one.path.name, "state": state, "generations": progress, "to go on": going}


def _champion(name: str, members: Sequence[SweepRun]) -> Part:
    known = [(one.champion.fitness or 0.0, one) for one in members if one.champion is not None]
    if not known:
        return f"{name}: no champion yet."
    _, best = max(known, key=lambda pair: pair[0])
    assert best.champion is not None
    return FoldedText(f"{name}, seed {best.config.seed}: {best.champion.measure}", best.champion.text)
