"""Processes that think, as the server sees them: started when they are needed, kept warm, ended by their own pid.

What XLA computes cannot be interrupted in a thread. So each opponent has a process: to stop it is to end it.
"""

import json
import multiprocessing
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from jaxgp.errors import RunError
from jaxgp.terminal import Stopped

Question = dict[str, Any]
"""What a process is asked, as JSON: see `jaxgp.web.play.worker`."""
Tell = Callable[[str], object]
"""Is told what goes on, such as "thinking, 2 s"."""

COMPILING = 300.0
"""Seconds that the first answer of a player may take beside those for thinking."""
LARGEST = 2**22
"""Bytes of an answer."""
TICK = 0.02
"""Seconds between two looks at a process that thinks."""
FAREWELL = 2.0
"""Seconds that a process has to end."""


@dataclass(eq=False)
class WorkerProcess:
    """A process that thinks.

    Attributes:
        process: ends with this process, or when its pipe is closed.
        pipe: takes questions, gives answers.
        known: the players that it has compiled.
        game: that it plays.
        busy: whether it was asked something.
        used: when it was asked last, by the monotonic clock.
    """

    process: SpawnProcess
    pipe: Connection
    game: str
    known: set[str] = field(default_factory=set)
    busy: bool = True
    used: float = 0.0


class Thinkers:
    """A few processes that think.

    Args:
        target: what runs in a process, a function of a module; it is given the other end of the pipe.
        workers: the most processes.
        thinking: seconds that an answer may take.
        idle: seconds after which a process that nobody asks is ended.
    """

    def __init__(self, target: Callable[[Connection], object], workers: int, thinking: float, idle: float) -> None:
        self._target, self._most, self._thinking, self._idle = target, workers, thinking, idle
        self._workers: list[WorkerProcess] = []
        self._free = threading.Condition()
        self._closed = threading.Event()
        threading.Thread(target=self._reap, daemon=True).start()

    def ask(self, question: Question, stopped: threading.Event, tell: Tell) -> dict[str, Any]:
        """Return the answer to a question.

        Args:
            question: see `jaxgp.web.play.worker`.
            stopped: set from outside to give up; the process is ended then.
            tell: told what goes on.

        Raises:
            Stopped: it was given up.
            RunError: it took too long, or the process has failed; the message says so.
        """
        asked = {name: question[name] for name in ("game", "program", "run")}
        game, key = json.dumps(asked, sort_keys=True), json.dumps([question["what"], question["player"], asked])
        worker = self._take(game, key, stopped, tell)
        first = key not in worker.known
        limit, began = self._thinking + COMPILING * first, time.monotonic()
        answered = False
        try:
            worker.pipe.send_bytes(json.dumps(question).encode())
            while not worker.pipe.poll(TICK):
                seconds = time.monotonic() - began
                if seconds >= 1:
                    tell(f"{'compiling' if first else 'thinking'}, {seconds:.0f} s")
                if stopped.is_set():
                    raise Stopped
                if seconds > limit:
                    raise RunError(f"no answer within {limit:.0f} s; the option thinking says how long it may take")
            answer: dict[str, Any] = json.loads(worker.pipe.recv_bytes(LARGEST))
            answered = True
        except (EOFError, OSError) as error:
            raise RunError("the process that thinks has ended; ask again") from error
        finally:
            self._release(worker, key if answered else None)
        if "error" in answer:
            raise RunError(answer["error"])
        return answer

    def _take(self, game: str, key: str, stopped: threading.Event, tell: Tell) -> WorkerProcess:
        """Return a process that is free: one that knows the player or the game, or a new one."""
        waited = False
        with self._free:
            while not self._closed.is_set() and not stopped.is_set():
                idle = sorted((one for one in self._workers if not one.busy), key=lambda one: one.used)
                fit = [one for one in idle if key in one.known] or (
                    [one for one in idle if one.game == game] if len(self._workers) >= self._most else []
                )
                if not fit and len(self._workers) >= self._most and idle:
                    self._end(idle[0])
                if not fit and len(self._workers) < self._most:
                    fit = [self._start(game)]
                if fit:
                    fit[0].busy = True
                    return fit[0]
                if not waited:
                    tell("waiting for a process that is free")
                waited = True
                self._free.wait(0.2)
        raise Stopped

    def _start(self, game: str) -> WorkerProcess:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=self._target, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        started = WorkerProcess(process, ours, game)
        self._workers.append(started)
        return started

    def _release(self, worker: WorkerProcess, key: str | None) -> None:
        """Keep a process that has answered; end one that has not."""
        with self._free:
            if key is None:
                self._end(worker)
            else:
                worker.known.add(key)
                worker.busy, worker.used = False, time.monotonic()
            self._free.notify_all()

    def _end(self, worker: WorkerProcess) -> None:
        if worker in self._workers:
            self._workers.remove(worker)
        worker.pipe.close()
        worker.process.kill()
        worker.process.join(FAREWELL)

    def _reap(self) -> None:
        """End processes that nobody asks any more."""
        while not self._closed.wait(min(1.0, self._idle)):
            with self._free:
                for one in [one for one in self._workers if not one.busy]:
                    if time.monotonic() - one.used > self._idle:
                        self._end(one)

    def close(self) -> None:
        """End all processes."""
        self._closed.set()
        with self._free:
            for one in list(self._workers):
                self._end(one)
            self._free.notify_all()

    @property
    def pids(self) -> list[int]:
        """The processes that there are."""
        with self._free:
            return [one.process.pid for one in self._workers if one.process.pid]

    @property
    def told(self) -> str:
        """How many processes there are, and the memory of each, in words."""
        sizes = [f"{_resident(pid) / 2**20:.0f} MiB" for pid in self.pids]
        held = f", with {', '.join(sizes)} of memory" if sizes else ""
        return f"{len(sizes)} of {self._most} processes that think are running{held}."


def _resident(pid: int) -> int:
    """Return the bytes of memory that a process holds; 0 where the operating system does not say."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096
    return 0
