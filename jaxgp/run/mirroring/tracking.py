"""Weights & Biases as a mirror of the record. A failure or a hang of it is a warning, never the end of a run."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from jaxgp.errors import reason
from jaxgp.printable import one_line
from jaxgp.run.loop import End, Run
from jaxgp.run.mirroring import messages, mirror
from jaxgp.store.record import Row

FINISH_TIMEOUT = {"offline": 30.0, "online": 90.0}
"""Seconds that W&B may take at the end of a run, by mode."""
MOST_WAITING = 10_000
"""Messages that W&B may lag behind; each has a row."""
COMMAND = (sys.executable, "-P", str(Path(mirror.__file__)))
"""Starts the process that speaks with W&B; -P keeps the modules beside the file from being taken for others."""


class Tracker:
    """Follows a run.

    W&B lives in a process of its own (`mirror`), so nothing that it does, or waits for, keeps the run.

    Args:
        run: its configuration says how to track it, and its warnings when W&B first fails; after that nothing more is
            sent. W&B's files go below its directory, and the id by which a resumed run continues.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._process: subprocess.Popen[str] | None = None
        self._waiting: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._failures: queue.Queue[str] = queue.Queue()
        try:
            first = messages.start(run)
            rows = messages.rows_before(run)
            self._process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=messages.CHECKOUT,  # W&B takes its settings, and so its server, from files where it is started
                encoding="utf-8",
                # Files of artifacts wait in the run directory to be sent, not in a folder of W&B's own.
                env={"WANDB_DATA_DIR": str(run.directory.wandb.absolute()), **os.environ},
                start_new_session=True,  # Ctrl-C in a terminal is for the run, which then ends its mirror
            )
        except OSError as error:
            self._give_up(f"{error.filename}: {reason(error)}" if error.filename else reason(error))
            return
        except Exception as error:  # anything: the run needs no mirror
            self._give_up(one_line(error))
            return
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        for work, stream in ((self._send, self._process.stdin), (self._listen, self._process.stdout)):
            threading.Thread(target=work, args=(stream,), daemon=True).start()
        self._put("start", first)
        if rows:
            self._put("rows", rows)

    def update(self, row: Row) -> None:
        """Send one row."""
        if self._process is not None and not self._failed():
            self._put("rows", [row])

    def finish(self, end: End) -> None:
        """Send what the run has led to, within a limit of time; safe to call twice."""
        if self._process is None or self._failed():
            return
        try:
            self._put("end", messages.end(self._run, end))
        except Exception as error:  # anything: the record is safe already
            self._give_up(one_line(error))
            return
        limit = FINISH_TIMEOUT[messages.mode(self._run)]
        try:
            if self._process is not None and self._process.wait(limit):
                self._give_up(self._failures.get(timeout=1))
        except subprocess.TimeoutExpired:
            self._give_up(f"no answer within {limit:g} s; `wandb sync` sends what lies in the run directory")
        except queue.Empty:
            self._give_up("its process has ended")
        self._process = None
        self._stop_sending()

    def _put(self, kind: str, content: object) -> None:
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
        self._run.warn(f"Weights & Biases is off: {why}")

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
