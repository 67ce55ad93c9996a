"""The runs below some folders, as a list: their statuses and last lines are read, never whole records. No JAX.

A request names a run by its number in this list. No path from a request is ever joined, and no link is followed.
"""

import os
import platform
import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from jaxgp import files, reading
from jaxgp.config import quoting
from jaxgp.store.directory import COMPLETE, LOCK, RunDirectory

REPORT = "report.html"
DEEPEST = 8
"""Folders within each other that are searched."""
MOST = 50_000
"""Folders that are searched."""
LARGEST = 2**22
"""Bytes of the largest file of a run that is read whole."""
LAST = 2**16
"""Bytes at the end of a record in which its last line is looked for."""
QUIET = 600.0
"""Seconds without a line after which a run of another machine that says it is running counts as interrupted."""
SOON = 1.0
"""Seconds within which a list is not made anew."""
OWN = (
    "checkpoints",
    "plots",
    "wandb",
    "tensorboard",
    "figures",
    "anatomy",
    "__pycache__",
    "site-packages",
    "node_modules",
)
"""Folders of runs in which there are no others."""
SORTS = ("game", "title", "seed", "state", "best", "generation", "updated")


@dataclass(frozen=True)
class RunEntry:
    """One line of the list.

    Attributes:
        number: by which requests name it.
        path: the run directory, or the champion file.
        facts: what its files said when they were read last; see `_facts`.
        root: the folder that was searched; None: it was named.
    """

    number: int
    path: Path
    facts: dict[str, Any]
    root: Path | None = None

    @property
    def name(self) -> str:
        """What commands call it: its path from here."""
        return str(files.short(self.path))

    @property
    def label(self) -> str:
        """What the list calls it: its path within the folder that was searched."""
        if self.root is None or self.path == self.root:
            return self.name
        return str(self.path.relative_to(self.root))

    @property
    def directory(self) -> RunDirectory:
        return RunDirectory(self.path)

    @property
    def is_run(self) -> bool:
        return self.path.is_dir()

    @property
    def resume(self) -> str:
        """The command that goes on with the run; empty where there is nothing to go on with."""
        if self.facts["state"] not in ("interrupted", "failed"):
            return ""
        return f"python scripts/train.py {quoting.quote_for_shell('resume', self.name)}"

    @cached_property
    def has_champion(self) -> bool:
        return not self.is_run or self.directory.champion.is_file()

    @cached_property
    def has_report(self) -> bool:
        path = self.path / REPORT
        return self.is_run and path.is_file() and not path.is_symlink()


class Runs:
    """The runs below folders, and single ones.

    Args:
        folders: searched for runs, also in their folders.
        single: run directories and champion files; they come first.
    """

    def __init__(self, folders: Sequence[Path], single: Sequence[Path] = ()) -> None:
        self._folders, self._single = folders, single
        self._numbers: dict[Path, int] = {}
        self._known: dict[Path, tuple[object, dict[str, Any]]] = {}
        self._listed: list[RunEntry] = []
        self._pages: list[Path] = []
        self._at = -SOON
        self._lock = threading.RLock()

    def all(self) -> list[RunEntry]:
        """Return all runs that there are now, in the order in which they were found first."""
        with self._lock:
            return self._all()

    def _all(self) -> list[RunEntry]:
        if time.monotonic() - self._at < SOON:
            return self._listed
        locked = _locked()
        found, pages = list(self._single), []
        for path, names in _folders(self._folders):
            if {"champion.json", "metrics.jsonl"} & names or {"config.yaml", "status.json"} <= names:
                found.append(path)
            elif REPORT in names:
                pages.append(path / REPORT)
        listed = [self._entry(path, locked) for path in dict.fromkeys(found) if os.path.lexists(file_of(path))]
        self._listed, self._pages = sorted(listed, key=lambda one: one.number), sorted(pages)
        self._at = time.monotonic()
        return self._listed

    @property
    def pages(self) -> list[Path]:
        """Reports of sweeps, leagues and studies; requests name them by their places."""
        self.all()
        return self._pages

    def find(self, number: int) -> RunEntry | None:
        """Return the run with a number; None: there is none."""
        with self._lock:
            if number >= len(self._numbers):
                self._all()
            known = {own: path for path, own in self._numbers.items()}.get(number)
            there = known is not None and os.path.lexists(file_of(known))
            return self._entry(known, _locked()) if known is not None and there else None

    def _entry(self, path: Path, locked: set[int] | None) -> RunEntry:
        number = self._numbers.setdefault(path, len(self._numbers))
        directory = RunDirectory(path)
        watched = (directory.status, directory.record, directory.champion, file_of(path))
        stamp = tuple(_stamp(one) for one in watched)
        before = self._known.get(path)
        if before is None or before[0] != stamp:
            self._known[path] = before = stamp, _facts(path)
        facts = before[1]
        if facts["state"] == "running" and _left(path, facts, locked):
            facts = facts | {"state": "interrupted"}
        return RunEntry(number, path, facts, next((one for one in self._folders if path.is_relative_to(one)), None))


def arrange(entries: Iterable[RunEntry], words: str = "", sort: str = "", down: bool = False) -> list[RunEntry]:
    """Return the runs in which all words occur, sorted by one of `SORTS`; those without a value come last."""
    wanted = words.lower().split()
    kept = [one for one in entries if all(word in _text(one) for word in wanted)]
    if sort not in SORTS:
        return kept
    valued = [one for one in kept if one.facts[sort] is not None]
    valued.sort(key=lambda one: one.facts[sort], reverse=down)
    return valued + [one for one in kept if one.facts[sort] is None]


def _text(one: RunEntry) -> str:
    return (
        " ".join(str(one.facts[name]) for name in ("game", "title", "seed", "state")).lower() + " " + one.name.lower()
    )


def _folders(roots: Sequence[Path]) -> Iterator[tuple[Path, set[str]]]:
    """Yield the folders below roots, each with the names of its files; links are not followed."""
    open_ = [(root, 0) for root in reversed(roots)]
    searched = 0
    while open_ and searched < MOST:
        folder, depth = open_.pop()
        searched += 1
        names: set[str] = set()
        below = []
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink():
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and entry.name not in OWN:
                        below.append(Path(entry.path))
                else:
                    names.add(entry.name)
        yield folder, names
        if depth < DEEPEST:
            open_ += [(one, depth + 1) for one in sorted(below, reverse=True)]


def _stamp(path: Path) -> tuple[int, int, int] | None:
    with suppress(OSError):
        found = path.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino
    return None


def _inode(path: Path) -> set[int]:
    with suppress(OSError):
        return {path.stat().st_ino}
    return set()


def _left(path: Path, facts: Mapping[str, Any], locked: set[int] | None) -> bool:
    """Whether no process works on a run that says it is running: a process here locks it; of others only lines tell."""
    if locked is not None and _inode(path / LOCK) & locked:
        return False
    here = locked is not None and facts["host"] == platform.node()
    return here or time.time() - facts["updated"] > QUIET


def _locked() -> set[int] | None:
    """Return the files that processes of this machine have locked, by their inodes; None: the machine does not say.

    Nothing is locked by asking.
    """
    with suppress(OSError):
        return {
            int(found) for found in re.findall(r"(?:FLOCK|POSIX) .*? \w+:\w+:(\d+) ", Path("/proc/locks").read_text())
        }
    return None


def read_small(path: Path) -> Any:
    """Return the value of a small file of JSON; None where there is none, or none that can be read."""
    with suppress(OSError, ValueError):
        if not path.is_symlink():
            return reading.parse_json(reading.decode(reading.read_bytes(path, LARGEST)))
    return None


def _facts(path: Path) -> dict[str, Any]:
    """Return what the files of a run say: `SORTS`, `generations`, `elapsed`, `host` and `ending`; None: nothing."""
    directory = RunDirectory(path)
    alone = not path.is_dir()
    champion = _mapping(read_champion(path) if alone else read_small(directory.champion))
    status = {} if alone else _mapping(read_small(directory.status))
    row = {} if alone else last_row(directory.record)
    config = champion if champion else _mapping(_config(directory))
    updated = _time(status.get("updated")) or max((_changed(one) for one in (directory.record, path)), default=0.0)
    state = status.get("state")
    return {
        "game": _word(_mapping(config.get("game")).get("name")),
        "title": _word(config.get("title")),
        "seed": _number(config.get("seed")),
        "state": _word(state) or ("champion" if alone or not row else "running"),
        "best": _number(champion.get("fitness", row.get("best_fitness"))),
        "generation": _done(row, status),
        "generations": _number(status.get("generations")),
        "elapsed": _number(row.get("elapsed")),
        "updated": updated,
        "host": _word(status.get("host")),
        "ending": _word(status.get("ending")) if state == COMPLETE else "",
    }


def _done(row: dict[str, Any], status: dict[str, Any]) -> int | None:
    """Return the generations that are done: those of the record, or of the last checkpoint."""
    last = _number(row.get("generation"))
    return int(last) + 1 if last is not None else _number(status.get("generation"))


def file_of(path: Path) -> Path:
    """Return the file or folder that a path leads to: FILE for FILE#SEED."""
    name, mark, _ = path.name.rpartition("#")
    return path.with_name(name) if mark and not path.exists() else path


def read_champion(path: Path) -> Any:
    """Return the content of a champion file, unchecked; of FILE.jsonl#SEED the line of that seed."""
    if path.is_file():
        return read_small(path)
    seed = path.name.rpartition("#")[2]
    with suppress(OSError, ValueError):
        lines = reading.read_text(file_of(path), 16 * LARGEST).splitlines()
        return next((one for one in map(reading.parse_json, lines) if str(_mapping(one).get("seed")) == seed), None)
    return None


def last_row(path: Path) -> dict[str, Any]:
    """Return the last whole line of a record; empty where there is none."""
    with suppress(OSError, ValueError):
        if path.is_symlink() or not path.is_file():
            return {}
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - LAST))
            lines = file.read(LAST).split(b"\n")[:-1]
        return _mapping(reading.parse_json(lines[-1])) if lines else {}
    return {}


def _config(directory: RunDirectory) -> Any:
    with suppress(OSError, ValueError):
        if not directory.config.is_symlink():
            return reading.read_yaml(directory.config)
    return None


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str:
    return value[:200] if isinstance(value, str) else ""


def _number(value: object) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _time(value: object) -> float:
    with suppress(ValueError, TypeError, OverflowError):
        return datetime.fromisoformat(str(value)).timestamp()
    return 0.0


def _changed(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0
