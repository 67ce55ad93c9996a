"""Programs outside the project, each in a process of its own. Nothing here waits beyond a time or keeps more than so
many bytes, and nothing is left of a program that is closed, nor of what it has started.
"""

import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from jaxgp.printable import printable
from jaxgp.processes import descendants

FAREWELL = 1.0
"""Seconds that a program has to end after it was asked to."""
LINE, ANSWER = 2**16, 2**20
"""Bytes that a line and a whole answer of a program may have."""
CHUNK = 2**13
"""Bytes that are read at once; as many are kept of what a program writes on its standard error."""

_running: set[int] = set()
"""The processes that run."""
_before: set[int] = set()
"""The sessions of processes that there were before the first of them."""


class ProcessError(RuntimeError):
    """What went wrong between a program and us, in words."""


class ChildProcess:
    """A running program. Call `close`, or use it in a with statement.

    What it writes and nobody reads stays in its pipe, where it has to wait.

    Args:
        words: the path of the program, and its options.
        farewell: what asks it to end, beside the end of its input.
        folder: where it runs; None: here.
        environment: its variables; None: those of this process.
        called: what messages call it.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self,
        words: Sequence[str],
        farewell: bytes = b"",
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        called: str = "the program",
    ) -> None:
        self.called = called
        descendants.adopt()
        if not _running:
            _before.clear()
            _before.update(descendants.sessions())
        # In a process session of its own, so that Ctrl-C reaches this process alone, which then closes the program.
        process = subprocess.Popen(
            words,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd=folder,
            env=environment,
        )
        _running.add(process.pid)
        self.close = weakref.finalize(self, _stop, process, farewell)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        self._open = {self._stdout, self._stderr}
        self._heard = bytearray()
        self._complaints = b""
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def forget(self) -> None:
        """Drop what the program has said so far."""
        self._heard.clear()
        self._count = 0
        with suppress(BlockingIOError):
            while got := os.read(self._stdout.fileno(), CHUNK):
                self._counted(len(got))
        self._count = 0

    def send(self, data: bytes, until: float) -> None:
        """Send bytes; raises TimeoutError, or ProcessError where the program has ended."""
        try:
            while data:
                data = self._move(until, data)
        except TimeoutError:
            raise
        except OSError as error:
            raise self.ended() from error

    def line(self, until: float) -> str:
        """Return the next line of the program, without blanks around it and fit to be shown.

        Raises:
            TimeoutError: there is none in time.
            ProcessError: the program has ended, or says too much.
        """
        while (end := self._heard.find(b"\n")) < 0:
            if len(self._heard) > LINE:
                break
            if self._stdout not in self._open:
                raise self.ended()
            self._move(until)
        if not 0 <= end <= LINE:
            raise ProcessError(f"answered a line of more than {LINE // 1024} KiB")
        found = self._heard[:end].replace(b"\r", b"").decode("utf-8", "replace")
        del self._heard[: end + 1]
        if time.monotonic() > until:  # lines that keep arriving are no answer either
            raise TimeoutError
        return printable(found).strip()

    def _move(self, until: float, data: bytes = b"") -> bytes:
        """Wait until a pipe is ready, then send and receive; return what is still to be sent. Raises TimeoutError."""
        if (left := until - time.monotonic()) <= 0:
            raise TimeoutError
        with selectors.PollSelector() as pipes:
            for pipe in self._open:
                pipes.register(pipe, selectors.EVENT_READ)
            if data:
                pipes.register(self._stdin, selectors.EVENT_WRITE)
            ready = [key.fileobj for key, _ in pipes.select(left)]
        with suppress(BlockingIOError):
            if self._stderr in ready:
                self._complaints = (self._complaints + self._heard_from(self._stderr))[-CHUNK:]
            if self._stdout in ready:
                self._heard += (got := self._heard_from(self._stdout))
                self._counted(len(got))
            if self._stdin in ready:
                data = data[os.write(self._stdin.fileno(), data) :]
        return data

    def _heard_from(self, pipe: IO[bytes]) -> bytes:
        got = os.read(pipe.fileno(), CHUNK)
        if not got:
            self._open.discard(pipe)
        return got

    def _counted(self, size: int) -> None:
        self._count += size
        if self._count > ANSWER:
            raise ProcessError(f"answered more than {ANSWER // 1024} KiB")

    def ended(self) -> ProcessError:
        """Return the error that says how the program has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        until = time.monotonic() + FAREWELL / 4
        with suppress(OSError, ValueError, ProcessError):
            while self._stderr in self._open:
                self._move(until)
        code = self._process.returncode
        said = printable(self._complaints.decode("utf-8", "replace")).strip()
        words = f", saying {quoted(said.splitlines()[-1])}" if said else ""
        how = "has stopped answering" if code is None else f"has ended with exit code {code}"
        return ProcessError(f"{self.called} {how}{words}")


def _stop(process: "subprocess.Popen[bytes]", farewell: bytes) -> None:
    """Ask a program to end; end whatever is left of it and of what it has started."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with suppress(OSError, ValueError):
        process.stdin.write(farewell)
    process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(FAREWELL)
    # Its process group holds everything that it has started; the group's number is the program's process number.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(FAREWELL)
    _running.discard(process.pid)
    if not _running:  # what has left its group is in another session, and nobody knows of which program it is
        descendants.end(_before)
    process.stdout.close()
    process.stderr.close()


def quoted(text: str) -> str:
    """Return the beginning of what a program said, for a message."""
    return f'"{text[:60]}"'
