"""Weights & Biases as a mirror of the record. A failure or a hang of it is a warning, never the end of a run."""

import json
import os
import queue
import re
import secrets
import signal
import string
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO

from jaxgp import files, reading
from jaxgp.config.schema import Config
from jaxgp.run.mirroring import mirror
from jaxgp.store.directory import RunDirectory
from jaxgp.store.record import Row

INIT_TIMEOUT = 30
"""Seconds that an online run may take to reach the server."""
FINISH_TIMEOUT = {"offline": 30.0, "online": 90.0}
"""Seconds that W&B may take at the end of a run, by mode."""
MOST_WAITING = 10_000
"""Rows that W&B may lag behind."""
COMMAND = (sys.executable, "-P", str(Path(mirror.__file__)))
"""Starts the process that speaks with W&B; -P keeps the modules beside the file from being taken for others."""


class Tracker:
    """Follows a run. In mode `disabled` it does nothing and starts nothing.

    W&B lives in a process of its own (`mirror`), so nothing that it does, or waits for, keeps the run.

    Args:
        config: configuration of the run; `logger` says how to track.
        directory: the run directory; W&B's files go below it, and the id by which a resumed run continues.
        warn: told once, when W&B first fails; after that nothing more is sent.
    """

    def __init__(self, config: Config, directory: RunDirectory, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._mode = config.logger.mode
        self._process: subprocess.Popen[str] | None = None
        self._waiting: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._failures: queue.Queue[str] = queue.Queue()
        if self._mode == "disabled":
            return
        try:
            message = _start(config, directory)
            self._process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                start_new_session=True,  # Ctrl-C in a terminal is for the run, which then ends its mirror
            )
        except OSError as error:
            self._give_up(str(error))
            return
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        for work, stream in ((self._send, self._process.stdin), (self._listen, self._process.stdout)):
            threading.Thread(target=work, args=(stream,), daemon=True).start()
        self._put("start", message)

    def update(self, row: Row) -> None:
        """Send one row."""
        if self._process is not None and not self._failed():
            self._put("row", row)

    def finish(self, summary: Mapping[str, object], exit_code: int = 0) -> None:
        """Send the summary and end, within a limit of time; safe to call twice."""
        if self._process is None or self._failed():
            return
        self._put("end", {"summary": dict(summary), "exit_code": exit_code})
        limit = FINISH_TIMEOUT[self._mode]
        try:
            if self._process is not None and self._process.wait(limit):
                self._give_up(self._failures.get(timeout=1))
        except subprocess.TimeoutExpired:
            self._give_up(f"no answer within {limit:g} s; `wandb sync` sends what lies in the run directory")
        except queue.Empty:
            self._give_up("its process has ended")
        self._process = None
        self._stop_sending()

    def _put(self, kind: str, content: Mapping[str, object]) -> None:
        try:
            self._waiting.put_nowait(json.dumps([kind, content]) + "\n")
        except queue.Full:
            self._give_up(f"it lags {MOST_WAITING} rows behind")

    def _failed(self) -> bool:
        """Whether the other process has said that it failed; that is told here."""
        with suppress(queue.Empty):
            self._give_up(self._failures.get_nowait())
        return self._process is None

    def _give_up(self, why: str) -> None:
        """Say why nothing more is sent, and end the other process."""
        process, self._process = self._process, None
        self._stop_sending()
        if process is not None:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._warn(f"Weights & Biases is off: {why}")

    def _stop_sending(self) -> None:
        with suppress(queue.Full):
            self._waiting.put_nowait(None)

    def _send(self, stream: IO[str]) -> None:
        """Hand messages over, as fast as the other process takes them."""
        with suppress(OSError, ValueError), stream:
            while (message := self._waiting.get()) is not None:
                stream.write(message)
                stream.flush()

    def _listen(self, stream: IO[str]) -> None:
        with suppress(OSError, ValueError), stream:
            for line in stream:
                self._failures.put(line.strip()[:200])


def _start(config: Config, directory: RunDirectory) -> dict[str, object]:
    """Return the first message: arguments of `wandb.init`; raises OSError."""
    logger = config.logger
    return {
        "mode": logger.mode,
        "project": logger.project,
        "entity": logger.entity,
        "group": logger.group,
        "tags": logger.tags,
        "name": config.title or None,
        "id": _identity(directory.tracking),
        "resume": "allow",
        "dir": str(directory.path),
        "config": asdict(config),
        "settings": {
            "console": "off",
            "init_timeout": INIT_TIMEOUT,
            "quiet": True,
            "silent": True,
            "x_stats_pid": os.getpid(),
        },
    }


def _identity(path: Path) -> str:
    """Return the id of this run, made at its first start and kept beside it; raises OSError."""
    if path.is_file():
        with suppress(ValueError):
            name = reading.read_text(path, most=100).strip()
            if re.fullmatch(r"[\w-]+", name, re.ASCII):
                return name
    name = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(8))
    files.write_text(path, name + "\n")
    return name
