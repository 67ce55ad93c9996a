"""The run directory: its paths, its lock, its configuration and the status of the run. Does not import JAX."""

import datetime
import errno
import fcntl
import hashlib
import importlib.metadata
import itertools
import json
import os
import platform
import stat
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO

from omegaconf import OmegaConf

import jaxgp
from jaxgp import files, reading
from jaxgp.config import typed
from jaxgp.config.schema import Config
from jaxgp.errors import RunError, UsageError, reason, show
from jaxgp.options import departures, with_own

PACKAGES = ("jax", "jaxlib", "flax", "numpy", "hydra-core", "omegaconf", "wandb")
MOST_CHANGES = 10
"""Differences between two environments that are told."""
LOCK = ".lock"
COMPLETE = "complete"
"""The state of a run that has come to its end."""
UNRELATED = (
    "logger",
    "resume",
    "metric",
    "title",
    "table",
    "checkpoint_every",
    "keep_checkpoints",
    "cores",
    "devices",
    "compilation_cache",
)
"""Options that do not change what a run computes."""


class RunDirectory:
    """Paths of one run, and the small files that describe it."""

    def __init__(self, path: Path) -> None:
        self._lock: IO[str] | None = None
        self._folder = -1
        self._place(path)

    def _place(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.yaml"
        self.record = path / "metrics.jsonl"
        self.checkpoints = path / "checkpoints"
        self.champion = path / "champion.json"
        self.candidates = path / "candidates.json"
        self.plots = path / "plots"
        self.report = path / "report.html"
        self.environment = path / "environment.json"
        self.status = path / "status.json"
        self.tracking = path / "wandb_id.txt"
        self.wandb = path / "wandb"
        self.sheet = path / "metrics.csv"
        self.events = path / "tensorboard"

    def holds_run(self) -> bool:
        """Whether a run was started here."""
        return self.config.is_file()

    def was_begun(self) -> bool:
        """Whether a process has worked here, which begins by locking the directory."""
        return any(path.exists() for path in (self.path / LOCK, self.status, self.environment, self.record))

    def remains(self) -> Path | None:
        """Return what a run without its config.yaml has left here, if there is anything."""
        return next((path for path in (self.record, self.checkpoints, self.champion) if os.path.lexists(path)), None)

    def lock(self) -> None:
        """Keep other processes from writing here, until `unlock` or the end of this process.

        Raises:
            UsageError: another process holds the lock, or the directory cannot be written to.
        """
        try:
            self._lock = _lock_file(self.path / LOCK)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._folder = os.open(self.path, os.O_RDONLY)
        except BlockingIOError as error:
            raise UsageError(f"{self.path}: another process is running this run") from error
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written to ({reason(error)})") from error

    def follow(self) -> bool:
        """Find the directory again if it was renamed since `lock`; return whether it was.

        Raises:
            RunError: it was removed, or this operating system does not say where it is now.
        """
        if files.leads_to(self.path, self._folder):
            return False
        with suppress(OSError):
            there = Path(os.readlink(f"/proc/self/fd/{self._folder}"))
            if files.leads_to(there, self._folder):
                self._place(there)
                return True
        raise RunError(f"{self.path}: the run directory is gone; it was renamed or removed while the run went on")

    def restore(self, config: Config) -> list[Path]:
        """Put back what the run cannot go on without: its lock, and its configuration; return what was missing.

        Raises:
            RunError: another process has locked the directory meanwhile, or a file cannot be written.
        """
        missing = []
        try:
            if self._lock is not None and not files.leads_to(self.path / LOCK, self._lock.fileno()):
                before, self._lock = self._lock, _lock_file(self.path / LOCK)
                before.close()
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                missing.append(self.path / LOCK)
            if not self.holds_run():
                self.write_config(config)
                missing.append(self.config)
        except BlockingIOError as error:
            raise RunError(f"{self.path}: its lock was removed, and another process is running this run") from error
        except OSError as error:
            raise RunError(f"{self.path}: {reason(error)}") from error
        return missing

    def unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1

    def discard(self) -> None:
        """Remove the directory again if no run was started in it."""
        with suppress(OSError):
            if not self.holds_run():
                (self.path / LOCK).unlink(missing_ok=True)
                self.path.rmdir()

    def read_config(self) -> Config:
        """Read the configuration of the run; options that are newer than the run have their defaults.

        So have those that no file may set: where code is loaded from, and what is written or called outside the run.

        Raises:
            UsageError: this is no run directory, or its config.yaml is not a configuration.
        """
        if not self.path.is_dir():
            raise UsageError(f"{self.path}: no such run directory")
        if not self.holds_run():
            raise UsageError(f"{self.path}: not a run directory (it has no config.yaml)")
        try:
            values = reading.read_yaml(self.config, older=False)
        except OSError as error:
            raise UsageError(f"{self.config}: cannot be read ({reason(error)})") from error
        except ValueError as error:
            raise UsageError(f"{self.config}: cannot be read ({error})") from error
        if not isinstance(values, dict) or "game" not in values:
            raise UsageError(f"{self.config}: not a configuration")
        if not isinstance(fitness := values.get("fitness", {}), dict) or (fitness and "kind" not in fitness):
            why = "of a version whose fitness had no kind; its champion can be played and measured"
            raise UsageError(f"{self.config}: {why}, but not its run")
        try:
            return with_own(typed.make_options(Config, values, complete=False), Config())
        except UsageError as error:
            named = error.option.endswith(".kind") and isinstance(error.value, str) and error.value.isidentifier()
            # A file never names a folder from which code is loaded.
            option = f"{'++' if error.option.count('.') > 1 else ''}{error.option}"
            also = f"; of a kind outside the project type its folder as well: {option}=path/to/{error.value}"
            text = f"{self.config}: {error}{also if named else ''}"
            raise UsageError(text, error.option, error.value, error.accepted, error.why) from error

    def write_config(self, config: Config) -> None:
        """Write the configuration, with every default in it; raises OSError."""
        files.write_text(self.config, OmegaConf.to_yaml(OmegaConf.create(asdict(config) | {"resume": None})))

    def write_status(self, state: str, generation: int, generations: int, ending: str | None = None) -> None:
        """Write the state of the run: `running`, `interrupted`, `failed` or `complete`. Raises OSError.

        `ending` says what has ended its evolution; None: nothing yet. The machine is named: a lock is seen there alone.

        A run that was killed outright still says `running`; its checkpoint says how far it came.
        """
        now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
        status = {"state": state, "generation": generation, "generations": generations, "updated": now}
        status |= {"host": platform.node()}
        files.write_json(self.status, status if ending is None else status | {"ending": ending})

    def read_status(self) -> dict[str, object]:
        """Return what `write_status` wrote last; empty if that cannot be read."""
        with suppress(OSError, ValueError):
            status = reading.read_json(self.status)
            if isinstance(status, dict):
                return status
        return {}

    def saved(self) -> int | None:
        """Return the generations that were done at the newest checkpoint; None if the status does not say."""
        generation = self.read_status().get("generation")
        return generation if type(generation) is int else None

    def set_record_aside(self) -> Path | None:
        """Rename the record to a name that is free, and return that; None if there are no rows. Raises OSError."""
        if not self.record.is_file() or self.record.stat().st_size == 0:
            return None
        names = (self.record.with_name(f"{self.record.stem}_{number}.jsonl") for number in itertools.count(1))
        free = next(path for path in names if not path.exists())
        self.record.rename(free)
        return free


def _lock_file(path: Path) -> IO[str]:
    """Open a file for a lock, and leave what it holds: a link would lead to somebody's file, a pipe would block.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, f"{path.name} is no regular file")
    return os.fdopen(descriptor, "r+")


def digest(config: Config) -> str:
    """Return 16 hexadecimal digits of all options that change what a generation computes.

    Options with their defaults are left out, so a run of an earlier version, which lacks some, keeps its digest.
    """
    values = {name: value for name, value in departures(config).items() if name not in UNRELATED}
    algorithm = departures(config.algorithm) | {"generations": 0}
    values["algorithm"] = {name: value for name, value in algorithm.items() if name != "chunk"}
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def narrow(config: Config, saved: Config) -> Config:
    """Return options without those of the game and of the role that a saved configuration lacks.

    They are of a later version than the run, which so is what it would be with their defaults.
    """
    game = {name: value for name, value in config.game.items() if name in saved.game}
    program = {name: value for name, value in config.program.items() if name in saved.program}
    return replace(config, game=game, program=program)


def environment(
    device: str, commands: Sequence[str] = (), settings: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Describe the software and the machine, without names of people or hosts, and the commands that made a run.

    Args:
        device: what computes.
        commands: as they were typed.
        settings: of JAX and XLA, those that change what is computed.
    """
    versions = {}
    for package in PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            versions[package] = importlib.metadata.version(package)
    return {
        "jaxgp": jaxgp.__version__,
        "revision": revision(Path(jaxgp.__file__).parents[1]),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "device": device,
        "packages": versions,
        "settings": dict(settings or {}),
        "commands": list(commands),
    }


def changes(before: object, now: Mapping[str, object]) -> list[str]:
    """Say what of an environment that was read from a file changes what is computed; what it lacks is left out."""
    found = []
    for part in ("device", "packages", "settings"):
        old, new = (_named(part, one.get(part)) if isinstance(one, Mapping) else {} for one in (before, now))
        names = [name for name in {**old, **new} if part != "packages" or name in ("jax", "jaxlib")]
        found += [
            f"{show(name)} was {show(old.get(name))} and is {show(new.get(name))}"
            for name in names
            if old and old.get(name) != new.get(name)
        ]
    return found[:MOST_CHANGES]


def _named(name: str, part: object) -> Mapping[str, object]:
    """Return the entries of a part of an environment; one value is an entry of that name."""
    return part if isinstance(part, Mapping) else {} if part is None else {name: part}


def revision(checkout: Path) -> str | None:
    """Return the git revision of a checkout, with `-dirty` if files were changed since; None for anything else."""
    git = ["git", f"--git-dir={checkout / '.git'}", f"--work-tree={checkout}"]
    with suppress(OSError, subprocess.SubprocessError):
        asked = [*git, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=True)
        return done.stdout.strip()
    return None
