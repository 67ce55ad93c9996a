"""Carries out studies: runs, tables, models and comparisons, reports.

A study that was stopped or killed continues when it is started again with the same options and output.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas

from jaxgp import files
from jaxgp.errors import RunError, UsageError, reason, reject
from jaxgp.report import document
from jaxgp.run.patience import GivenUp, end_at_once
from jaxgp.run.signals import Stop
from jaxgp.statistics.comparison import Comparison, compare_all
from jaxgp.store import record
from jaxgp.store.directory import RunDirectory
from jaxgp.study import results, study_report
from jaxgp.study.design import Design, Numbers
from jaxgp.study.designs.model import fit_groups
from jaxgp.study.designs.planning import DESIGN, DesignPlan, commands, read_noted
from jaxgp.study.study_options import ComparisonOptions, DesignOptions, TunedOptions

COMMANDS, FOUND = "commands.txt", "found.json"
LARGEST = 1e100
"""The greatest value that is compared: squares and differences of such are finite."""

Say = Callable[[str], None]


def carry_out(plan: DesignPlan, options: DesignOptions | TunedOptions, say: Say) -> tuple[list[str], int]:
    """Run or gather the planned runs, write tables and report.

    Returns:
        The lines for the terminal, and the exit code: 128 + the number of a signal that came in the last run, else 0.

    Raises:
        UsageError: the output holds another design, or the runs to be gathered are not those of the design.
        RunError: something could not be written.
        SystemExit: stopped by a signal.
    """
    folder = plan.output
    lock = RunDirectory(folder)
    lock.lock()
    try:
        _note(plan)
        if options.plan:
            return [f"{plan.design.size} runs are planned.", "", f"Written to {folder}"], 0
        rows, about, code = _run(plan, options, say)
        frame = results.table(rows, [factor.name for factor in plan.design.factors])
        if options.parquet:
            results.save_parquet(folder, frame)
        return conclude(plan.design, frame, folder, about), code
    except OSError as error:
        raise RunError(f"output={folder}: {reason(error)}") from error
    finally:
        lock.unlock()


def _note(plan: DesignPlan) -> None:
    """Write the design, and commands for running it on other machines; refuse a folder with another design."""
    if (plan.output / DESIGN).is_file() and read_noted(plan.output, "output")[1] != plan.digest:
        reject("output", plan.output, "an empty directory, or the options of the design whose results it holds")
    files.write_json(plan.output / DESIGN, {"digest": plan.digest, "design": plan.design.as_dict()})
    files.write_text(plan.output / COMMANDS, "".join(f"{line}\n" for line in commands(plan)))


def _run(
    plan: DesignPlan, options: DesignOptions | TunedOptions, say: Say
) -> tuple[list[record.Row], list[tuple[str, str]], int]:
    """Return the rows, the facts about how they were made, and the exit code."""
    factors = [factor.name for factor in plan.design.factors]
    if isinstance(options, DesignOptions) and options.runs is not None:
        rows = results.gather(files.user_path("runs", options.runs), plan.pairs, plan.design)
        record.write(plan.output / results.JSONL, rows)
        frame = results.table(rows, factors)
        results.save_csv(plan.output, frame)
        return rows, study_report.times(0.0, 0, frame), 0
    from jaxgp.run.assemble import assemble
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.study import trials

    use_compilation_cache(plan.pairs[0][1].compilation_cache)
    bench = trials.Bench(plan.design, lambda config: assemble(config, plan.games), plan.output, options.batch, say)
    with Stop(say) as stop:
        try:
            rows, compiling = bench.run(plan.pairs, stop), False
        except GivenUp:
            rows, compiling = trials.read_finished(plan.output, plan.pairs), True
    if len(rows) < len(plan.pairs):
        say(f"Stopped after {len(rows)} of {len(plan.pairs)} runs; the same command goes on.")
        stop.pass_on()
        if compiling:
            end_at_once(stop.exit_code)
        raise SystemExit(stop.exit_code)
    times = study_report.times(bench.compile_seconds, bench.programs, results.table(rows, factors))
    return rows, times, stop.exit_code if stop.requested else 0


def conclude(design: Design, frame: pandas.DataFrame, folder: Path, about: Sequence[tuple[str, str]]) -> list[str]:
    """Analyse a complete table and write the report; return the lines for the terminal. Raises OSError."""
    if design.factors:
        found = fit_groups(frame, design)
        document.save(folder, study_report.of_design(design, frame, found, about))
        files.write_json(folder / FOUND, study_report.as_json(found, []))
        return [*study_report.lines(design, found), "", f"Written to {folder}"]
    measures = list(dict.fromkeys((design.response, "seconds")))
    groups = {str(name): rows for name, rows in frame.groupby("group", sort=False)}
    compared = compare_groups({name: groups[name] for name in design.groups}, measures, design.seed)
    facts = [("runs", str(len(frame))), *about]
    published = design.published.get("comparison") or {}
    return _save_comparison(folder, design.title or "Comparison", compared, facts, published)


def compare_groups(groups: Mapping[str, pandas.DataFrame], measures: Sequence[str], seed: int) -> list[Comparison]:
    """Compare every two groups by every measure; raises UsageError where there is nothing to compare."""
    try:
        return [
            one
            for measure in measures
            for one in compare_all(measure, {name: rows[measure].tolist() for name, rows in groups.items()}, seed)
        ]
    except (ValueError, TypeError) as error:
        raise UsageError(f"measures: {error}") from error


def _save_comparison(
    folder: Path,
    title: str,
    compared: Sequence[Comparison],
    facts: Sequence[tuple[str, str]],
    published: Numbers,
) -> list[str]:
    document.save(folder, study_report.of_comparisons(title, compared, facts, published))
    files.write_json(folder / FOUND, study_report.as_json({}, compared))
    return [*study_report.sentences(compared), "", f"Written to {folder}"]


def load_groups(options: ComparisonOptions) -> dict[str, pandas.DataFrame]:
    """Return the two groups of a comparison.

    Raises:
        UsageError: the first mistake.
    """
    if options.table is None:
        named = {"a": options.a, "b": options.b}
        for name, value in named.items():
            if value is None or not files.user_path(name, value).is_dir():
                reject(name, value, "a folder of run directories; or give table=FILE")
        tables = {str(value): _of_runs(name, files.user_path(name, str(value))) for name, value in named.items()}
    else:
        tables = _of_table(options)
    if len(tables) < 2:
        reject("b", options.b, "another group than a")
    for measure in options.measures:
        for name, frame in tables.items():
            if measure not in frame or not pandas.api.types.is_numeric_dtype(frame[measure]):
                numbers = [str(column) for column in frame.select_dtypes("number")]
                reject("measures", measure, f"columns of numbers, which are {', '.join(numbers)} in {name}")
            if not (frame[measure].abs() <= LARGEST)[frame[measure].notna()].all():
                reject("measures", measure, f"columns of finite numbers up to {LARGEST:g}; {name} has others")
    if not options.measures:
        reject("measures", "[]", "at least one column of numbers")
    return tables


def _of_runs(name: str, folder: Path) -> pandas.DataFrame:
    runs = results.run_directories(folder)
    if not runs:
        reject(name, folder, "a folder with run directories in it, which have a config.yaml")
    return pandas.DataFrame([results.read_run(run, f"{name}={folder}") for run in runs])


def _of_table(options: ComparisonOptions) -> dict[str, pandas.DataFrame]:
    frame = results.load(files.user_path("table", str(options.table)))
    if options.column not in frame:
        reject("column", options.column, ", ".join(map(str, frame.columns)))
    values = [str(value) for value in frame[options.column].unique()]
    wanted = [options.a, options.b] if (options.a, options.b) != (None, None) else values
    if wanted == values and len(values) != 2:
        reject("column", options.column, f"one with two values, or a and b of {', '.join(values)}")
    for name, value in zip(("a", "b"), wanted, strict=True):
        if value not in values:
            reject(name, value, f"{', '.join(values)}, the values of {options.column}")
    return {str(value): frame[frame[options.column].astype(str) == value] for value in wanted}


def conclude_comparison(options: ComparisonOptions, groups: Mapping[str, pandas.DataFrame], folder: Path) -> list[str]:
    """Compare two groups and write the report; return the lines for the terminal. Raises RunError."""
    compared = compare_groups(groups, options.measures, options.seed)
    facts = [(name, f"{len(frame)} runs") for name, frame in groups.items()]
    try:
        return _save_comparison(folder, f"{' and '.join(groups)}", compared, facts, {})
    except OSError as error:
        raise RunError(f"output={folder}: {reason(error)}") from error
