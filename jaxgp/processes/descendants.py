"""Ends all that a program outside has started, also what has left its process group and its session. Needs only Python.

A process whose parent has ended becomes a child of the nearest ancestor that asked for it, a subreaper, or of process
1. This process asks for it (Linux, PR_SET_CHILD_SUBREAPER), so nothing that an engine starts gets out of its
descendants. Sessions are inherited by all but those that begin another one. So the descendants of an engine are those
whose sessions began after it. Where there is no `/proc`, as on macOS, only process groups are ended.
"""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PR_SET_CHILD_SUBREAPER = 36
ROUNDS, PAUSE = 20, 0.02
"""How often what is left is ended, since it may start more meanwhile, and seconds between."""


class Process(NamedTuple):
    """A process, as `/proc` tells of it."""

    parent: int
    session: int


def adopt() -> None:
    """Let orphans among the descendants of this process become its children."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def sessions() -> set[int]:
    """Return the sessions of this process and of its descendants."""
    return {one.session for one in _descendants().values()} | {os.getsid(0)}


def end(kept: set[int]) -> None:
    """End all descendants of this process that are in none of these sessions."""
    for number in range(ROUNDS):
        found = {process: one for process, one in _descendants().items() if one.session not in kept}
        if not found:
            return
        for process, one in found.items():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
            if one.parent == os.getpid():  # one that was adopted; nobody else waits for it
                with suppress(ChildProcessError):
                    os.waitpid(process, os.WNOHANG)
        if number:
            time.sleep(PAUSE)


def _descendants() -> dict[int, Process]:
    """Return the descendants of this process; none where the system does not tell."""
    all_ = {int(path.name): one for path in _numbered() if (one := _read(path / "stat")) is not None}
    found, level = dict[int, Process](), {os.getpid()}
    while level:
        level = {process for process, one in all_.items() if one.parent in level} - found.keys()
        found |= {process: all_[process] for process in level}
    return found


def _numbered() -> list[Path]:
    with suppress(OSError):
        return [path for path in Path("/proc").iterdir() if path.name.isdigit()]
    return []


def _read(path: Path) -> Process | None:
    """Read what follows the name of a process, which may hold anything; None: it is gone."""
    with suppress(OSError, ValueError, IndexError):
        _, parent, _, session = path.read_bytes().rpartition(b")")[2].split()[:4]
        return Process(int(parent), int(session))
    return None
