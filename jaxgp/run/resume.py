"""Decides whether a command starts a new run or resumes an old one. Writes nothing and does not import JAX."""

import copy
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from jaxgp.config import places, validate
from jaxgp.config.compose import as_typed, word
from jaxgp.config.quoting import quote_for_shell, trains, unquote
from jaxgp.config.schema import Config, LoggerOptions
from jaxgp.errors import UsageError, reject, show
from jaxgp.files import user_path
from jaxgp.options import MAX_SEED, own, with_own
from jaxgp.reading import whole_number
from jaxgp.store import initial, runs
from jaxgp.store.directory import COMPLETE, UNRELATED, RunDirectory, digest
from jaxgp.store.table import CSVTable

if TYPE_CHECKING:
    from jaxgp.games.outside import Games

CHANGEABLE = tuple(name for name in UNRELATED if name != "resume")
"""Options that may change when a run is resumed, beside `CHUNK`; `GENERATIONS` may be raised as well."""
MAX_RUNS = 1000
"""The most runs in one program."""
GENERATIONS, CHUNK = "algorithm.generations", "algorithm.chunk"
AUTO = "auto"


@dataclass(frozen=True)
class RunPlan:
    """What to run and where.

    Attributes:
        config: every option.
        directory: of the run.
        resumed: whether the directory holds the run already.
        command: what a person typed, as it can be pasted into a shell; the directory of a new run is left out.
        members: the plans of several runs that one program computes. They differ in their seeds; if all of them leave
            out primitives, these may differ too. Then `config` is that of the first one with the devices of all, and
            the run directories are in `directory`.
        reported: whether plots and a report are written at the end.
    """

    config: Config
    directory: Path
    resumed: bool
    command: str = ""
    members: tuple["RunPlan", ...] = ()
    reported: bool = True

    @property
    def runs(self) -> tuple["RunPlan", ...]:
        """The plan of each run."""
        return self.members or (self,)


def complete(overrides: Sequence[str], games: "Games") -> list[str]:
    """Add the game of the resumed run to the options, so that the others are read as options of that game."""
    keys = [_key(override) for override in overrides]
    if "resume" not in keys or "game" in keys or "experiment" in keys:
        return list(overrides)
    named = overrides[keys.index("resume")].partition("=")[2]
    try:
        folder = user_path("resume", unquote(named))
        name = RunDirectory(next(iter(_members(folder).values()), folder)).read_config().game.get("name")
    except UsageError:
        return list(overrides)  # there is no such run, or there are several; `plan` says what is wrong
    return [f"game={name}", *overrides] if name in games.available() else list(overrides)


def plan(config: Config, overrides: Sequence[str], directory: Path, games: "Games") -> RunPlan:
    """Check the options and decide between a new run and an old one.

    Args:
        config: as composed from the config tree and the command line.
        overrides: the options of the command line, as typed.
        directory: hydra.run.dir, where a new run goes.
        games: where games come from.

    Raises:
        UsageError: a wrong option, a directory without a run to resume, a directory that already holds a run, or
            options that contradict the run to resume.
    """
    if config.resume not in (None, AUTO):
        directory = user_path("resume", config.resume).absolute()
    numbers = _seeds(config, overrides, directory)
    return (
        _several(config, numbers, overrides, directory, games) if numbers else _one(config, overrides, directory, games)
    )


def is_finished(plan: RunPlan) -> bool:
    """Return whether every run of a plan has come to its end, as its directory says."""
    return all(_is_complete(one) for one in plan.runs)


def is_idle(plan: RunPlan) -> bool:
    """Return whether a plan has nothing to do at all, not even a report or the row of a table to write."""
    reported = all(RunDirectory(one.directory).report.is_file() for one in plan.runs)
    return reported and plan.config.table is None and is_finished(plan)


def _is_complete(plan: RunPlan) -> bool:
    status = RunDirectory(plan.directory).read_status()
    reached = status.get("generations")
    return status.get("state") == COMPLETE and reached == plan.config.algorithm.generations


def _one(config: Config, overrides: Sequence[str], directory: Path, games: "Games") -> RunPlan:
    """Plan one run in its directory; raises as `plan` does."""
    if config.resume is None or (config.resume == AUTO and not RunDirectory(directory).holds_run()):
        if RunDirectory(directory).holds_run():
            again = quote_for_shell("resume", directory)
            raise UsageError(f"hydra.run.dir={directory}: already holds a run; go on with it by {again}")
        config = _grouped(config, places.sweep(), "sweep")
        return _checked(
            RunPlan(validate.check(initial.with_texts(config), games), directory, False, command(overrides, games))
        )
    try:
        saved = RunDirectory(directory).read_config()
    except UsageError as error:
        accepted = "" if error.accepted else f"; accepted: a run directory, or {AUTO}"
        raise UsageError(f"resume: {error}{accepted}") from error
    merged = _merge(saved, _filled(config, games), overrides)
    try:
        whole = validate.check(merged, games)
    except UsageError as error:
        if not error.option or any(_covers(override, error.option) for override in overrides):
            raise
        text = f"{RunDirectory(directory).config}: {error}"
        raise UsageError(text, error.option, error.value, error.accepted, error.why) from error
    return _checked(RunPlan(whole, directory, True, command(overrides, games)))


def _grouped(config: Config, folder: Path | None, kind: str) -> Config:
    """Let a new run of several be found together with the others, where its record is mirrored, also when resumed."""
    if folder is None:
        return config
    # The time of a day names no sweep without the day.
    name = f"{folder.parent.name}/{folder.name}" if re.fullmatch(r"[\d-]+(_\d+)?", folder.name) else folder.name
    logger = config.logger
    grouped = replace(logger, group=logger.group or name, job_type=logger.job_type or kind)
    return replace(config, logger=grouped)


def _seeds(config: Config, overrides: Sequence[str], directory: Path) -> Sequence[int]:
    """Return the seeds of several runs, as asked for, or as they are in a folder to go on with; else none.

    Raises:
        UsageError: `seeds` is wrong, or contradicts another option.
    """
    if config.seeds is None:
        return list(_members(directory)) if config.resume is not None else []
    accepted = f"FIRST-LAST, as in 0-9, up to {MAX_RUNS} whole numbers from 0 to {MAX_SEED}"
    first, dash, last = config.seeds.partition("-")
    low, high = whole_number(first), whole_number(last)
    if not dash or low is None or high is None or not low <= high <= MAX_SEED:
        reject("seeds", config.seeds, accepted)
    numbers = range(low, high + 1)
    if len(numbers) > MAX_RUNS:
        reject("seeds", config.seeds, accepted)
    if "seed" in map(_key, overrides):
        reject("seed", config.seed, "nothing beside seeds")
    if RunDirectory(directory).holds_run():
        raise UsageError(f"seeds={config.seeds}: {directory} holds a run of one seed; accepted: another folder")
    return numbers


def _members(directory: Path) -> dict[int, Path]:
    """Return the run directories of several seeds in a folder by their seeds, in order."""
    named = ((whole_number(path.parent.name), path.parent) for path in directory.glob("*/config.yaml"))
    return dict(sorted((seed, path) for seed, path in named if seed is not None))


def _several(
    config: Config, numbers: Sequence[int], overrides: Sequence[str], directory: Path, games: "Games"
) -> RunPlan:
    """Plan runs of several seeds in one program; raises as `plan` does."""
    if config.resume is None and any(RunDirectory(directory / str(number)).holds_run() for number in numbers):
        again = quote_for_shell("resume", directory)
        raise UsageError(f"hydra.run.dir={directory}: already holds runs of these seeds; go on with them by {again}")
    asked = config.devices
    if asked.processes > 1:
        reject("devices.processes", asked.processes, "1 with seeds")
    most = len(numbers) if config.algorithm.islands.count == 1 else 1
    if asked.count > most:
        reject("devices.count", asked.count, f"a whole number from 1 to {most}, with seeds")
    alone = replace(config, devices=replace(asked, count=1), seeds=None, resume=AUTO if config.resume else None)
    alone = _grouped(alone, directory, "seeds")
    words = [word for word in overrides if _key(word) not in ("seeds", "devices.count")]
    members = tuple(
        _one(replace(alone, seed=number), [*words, f"seed={number}"], directory / str(number), games)
        for number in numbers
    )
    if len({digest(replace(one.config, seed=0)) for one in members}) > 1:
        raise UsageError(
            f"{directory}: its runs differ in more than their seeds; accepted: resume=RUN_DIR, one at a time"
        )
    first = replace(members[0].config, devices=asked)
    return RunPlan(first, directory, any(one.resumed for one in members), command(overrides, games), members)


def _checked(plan: RunPlan) -> RunPlan:
    """Return a plan whose run can add its row to the table; raises UsageError for another plan."""
    if plan.config.table is not None:
        CSVTable(user_path("table", plan.config.table), runs.COLUMNS).check("table")
    return plan


def command(overrides: Sequence[str], games: "Games") -> str:
    """Return the options of a command line as a command for a shell."""
    folder = getattr(games, "folder", None)  # of a game outside the project, whose name the options have
    places = {f"game={folder.name}": quote_for_shell("game", folder)} if folder is not None else {}
    return " ".join([trains(), *(places.get(one) or word(Config, as_typed(one)) for one in overrides)])


def again(config: Config, folder: Path) -> str:
    """Return the options that go on with a run; of those that no file may set all that are no defaults are repeated."""
    given, usual = _flat(asdict(config)), _flat(asdict(Config()))
    words = [quote_for_shell("resume", folder)]
    for name in own(Config):
        if given[name] != usual[name]:
            words.append(f"{name}=null" if given[name] is None else quote_for_shell(name, given[name]))
    return " ".join(words)


def _filled(config: Config, games: "Games") -> Config:
    """Return the options of the command line as a run would save them, or unchanged if they are not valid alone."""
    try:
        return validate.check(initial.with_texts(config), games)
    except UsageError:
        return config


def _merge(saved: Config, given: Config, overrides: Sequence[str]) -> Config:
    """Return the saved options with the command line's changes; raises UsageError for one that may not change."""
    old, new = _flat(asdict(saved)), _flat(asdict(given))
    for option in sorted(old.keys() | new.keys()):
        if not any(_covers(override, option) for override in overrides) or _changeable(option):
            continue
        before, now = old.get(option), new.get(option)
        if option == GENERATIONS:
            least = saved.algorithm.generations
            if given.algorithm.generations < least:
                raise UsageError(f"{GENERATIONS}={now}: the run has {least}; accepted: {least} or more")
        elif option != "resume" and before != now:
            then = f"with {show(before)}" if option in old else "without it"
            raise UsageError(f"{option}={show(now)}: the run was started {then}; this cannot be changed")
    merged = copy.deepcopy(saved)
    for override in overrides:
        _take(merged, given, _key(override))
    return with_own(merged, given)


def _take(merged: Config, given: Config, key: str) -> None:
    """Copy an option that may change from `given` to `merged`, by its name on the command line."""
    section, _, name = key.partition(".")
    if key in (GENERATIONS, CHUNK):
        setattr(merged.algorithm, name, getattr(given.algorithm, name))
    if key == "logger":  # a file that sets the mode, and perhaps more; what else the run was started with stays
        chosen = {one: value for one, value in asdict(given.logger).items() if value != getattr(LoggerOptions(), one)}
        merged.logger = replace(merged.logger, **{"mode": given.logger.mode} | chosen)
        return
    if section in CHANGEABLE:
        source, target = (getattr(given, section), getattr(merged, section)) if name else (given, merged)
        name = name or section
        setattr(target, name, getattr(source, name))


def _key(override: str) -> str:
    return override.split("=")[0].lstrip("+~").split("@")[0]


def _covers(override: str, option: str) -> bool:
    """Whether an override sets an option: by its name, by the name of a section above it, or by an experiment."""
    key = _key(override)
    # Naming the game again sets its name alone, so it does not contradict settings that differ from the defaults.
    sections = {"experiment": ("game", "program", "algorithm", "fitness"), "game": ("game.name",)}.get(key, (key,))
    return any(option == section or option.startswith(section + ".") for section in sections)


def _changeable(option: str) -> bool:
    return option == CHUNK or option.split(".")[0] in CHANGEABLE


def _flat(values: object, prefix: str = "") -> dict[str, object]:
    """Return nested options by their dotted names."""
    if is_dataclass(values) and not isinstance(values, type):
        values = asdict(values)
    if not isinstance(values, dict):
        return {prefix: values}
    flat: dict[str, object] = {}
    for key, value in values.items():
        flat |= _flat(value, f"{prefix}.{key}" if prefix else str(key))
    return flat
