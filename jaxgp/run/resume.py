"""Decides whether a command starts a new run or resumes an old one. Writes nothing and does not import JAX."""

import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxgp.config import validate
from jaxgp.config.compose import word
from jaxgp.config.quoting import pasted, unquoted
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError, show
from jaxgp.files import user_path
from jaxgp.store import runs
from jaxgp.store.directory import RunDirectory
from jaxgp.store.table import Table

if TYPE_CHECKING:
    from jaxgp.spec import Games

CHANGEABLE = (
    "logger",
    "checkpoint_every",
    "keep_checkpoints",
    "cores",
    "devices",
    "compilation_cache",
    "title",
    "table",
)
"""Options that may change when a run is resumed; `algorithm.generations` may be raised as well."""
GENERATIONS = "algorithm.generations"
AUTO = "auto"


@dataclass(frozen=True)
class Plan:
    """What to run and where.

    Attributes:
        config: every option.
        directory: of the run.
        resumed: whether the directory holds the run already.
        command: what a person typed, as it can be pasted into a shell; the directory of a new run is left out.
    """

    config: Config
    directory: Path
    resumed: bool
    command: str = ""


def complete(overrides: Sequence[str], games: "Games") -> list[str]:
    """Let options name the game of the run that they resume, so that the others are read as options of that game."""
    keys = [_key(override) for override in overrides]
    if "resume" not in keys or "game" in keys or "experiment" in keys:
        return list(overrides)
    named = overrides[keys.index("resume")].partition("=")[2]
    try:
        name = RunDirectory(user_path("resume", unquoted(named))).read_config().game.get("name")
    except UsageError:
        return list(overrides)  # there is no such run, or there are several; `plan` says what is wrong
    return [f"game={name}", *overrides] if name in games.available() else list(overrides)


def plan(config: Config, overrides: Sequence[str], directory: Path, games: "Games") -> Plan:
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
    if config.resume is None or (config.resume == AUTO and not RunDirectory(directory).holds_run()):
        if RunDirectory(directory).holds_run():
            again = pasted("resume", directory)
            raise UsageError(f"hydra.run.dir={directory}: already holds a run; go on with it by {again}")
        return _checked(Plan(validate.check(config, games), directory, False, command(overrides, games)))
    if config.resume != AUTO:
        directory = user_path("resume", config.resume).absolute()
    try:
        saved = RunDirectory(directory).read_config()
    except UsageError as error:
        raise UsageError(f"resume: {error}; accepted: a run directory, or {AUTO}") from error
    merged = _merge(saved, _filled(config, games), overrides)
    return _checked(Plan(validate.check(merged, games), directory, True, command(overrides, games)))


def _checked(plan: Plan) -> Plan:
    """Return a plan whose run can add its row to the table; raises UsageError for another plan."""
    if plan.config.table is not None:
        Table(user_path("table", plan.config.table), runs.COLUMNS).check("table")
    return plan


def command(overrides: Sequence[str], games: "Games") -> str:
    """Return the options of a command line as a command for a shell."""
    folder = getattr(games, "folder", None)  # of a game outside the project, whose name the options have
    places = {f"game={folder.name}": pasted("game", folder)} if folder is not None else {}
    return " ".join(["python scripts/train.py", *(places.get(one) or word(Config, one) for one in overrides)])


def _filled(config: Config, games: "Games") -> Config:
    """Return the options of the command line as a run would save them, or unchanged if they are not valid alone."""
    try:
        return validate.check(config, games)
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
    return merged


def _take(merged: Config, given: Config, key: str) -> None:
    """Copy an option that may change from `given` to `merged`, by its name on the command line."""
    if key == GENERATIONS:
        merged.algorithm.generations = given.algorithm.generations
    section, _, name = key.partition(".")
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
    return option.split(".")[0] in CHANGEABLE


def _flat(values: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested options by their dotted names."""
    if is_dataclass(values) and not isinstance(values, type):
        values = asdict(values)
    if not isinstance(values, dict):
        return {prefix: values}
    flat: dict[str, Any] = {}
    for key, value in values.items():
        flat |= _flat(value, f"{prefix}.{key}" if prefix else str(key))
    return flat
