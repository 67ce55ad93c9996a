"""Where a command was started: signals that end it early, and output streams that may fail. Needs only Python."""

import importlib.util
import io
import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from types import FrameType, TracebackType
from typing import Any, NoReturn, TextIO, TypeVar

Result = TypeVar("Result")

SIGNALS = (signal.SIGINT, signal.SIGTERM)
SIGNALLED = 128
"""Exit codes above it say by which signal a command was stopped, as shells report it."""
LEAST = 2 * 2**30
"""Bytes of address space that JAX needs to start: 1.5e9 on 2 cores, and its threads need some more on others."""
X64 = "JAX_ENABLE_X64"
"""The variable by which JAX takes 64 bits for what nobody gives a type."""
SHOW_CURSOR = b"\x1b[?25h\n"
"""The escape sequence that shows the cursor of a terminal again."""
GPU = ("jax_cuda12_plugin", "jax_cuda13_plugin")
"""Packages by which JAX computes on a GPU of NVIDIA."""
GRAPHS = {"xla_gpu_enable_command_buffer": "+WHILE,+CONDITIONAL", "xla_gpu_graph_min_graph_size": "1"}
"""Flags of XLA by which a GPU goes through a loop by itself, and does not wait for the CPU in each iteration."""
MOMENT = 1.0
"""Seconds after a request to stop until the terminal says what delays it."""
STOPPING = b"stopping, once what compiles or computes lets go; the same signal again ends the command at once\n"
SOON = 0.01
"""Seconds after which an interrupt is raised again that came while something was called that cannot fail."""
TWICE = 0.2
"""Seconds within which a signal that comes again is one signal: some programs send it to a process and to its group."""


_usual: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
_begun: list[bool] = []  # not empty: work has begun


def graphs() -> None:
    """Let a GPU go through loops by itself (`GRAPHS`), if JAX has one; call this before the first computation.

    Flags that the user has set are left alone. What is computed is the same.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if any(importlib.util.find_spec(name) for name in GPU):
        unset = [f"--{flag}={value}" for flag, value in GRAPHS.items() if flag not in flags]
        os.environ["XLA_FLAGS"] = " ".join([*unset, flags]).strip()


def quiet() -> None:
    """Let `SIGNALS` `stop` the process, until `over`: nothing was computed yet that could be lost.

    Where the process may not have the address space that JAX needs, it ends with a line: JAX would abort it. Values
    have 32 bits here, whatever the environment asks for, so that the same command gives the same figures.
    """
    graphs()
    if os.environ.get(X64, "").lower() in ("1", "true", "t", "yes", "y", "on"):
        os.environ[X64] = "0"
        os.write(2, f"{X64} is not used here: all values have 32 bits\n".encode())
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST:
        said = f"error: ulimit -v {limit // 1024}: accepted: unlimited, or {LEAST // 1024} or more; JAX needs as much\n"
        os.write(2, said.encode())
        os._exit(1)
    for number, handler in _usual.items():
        if signal.getsignal(number) is handler:
            signal.signal(number, stop)


def over() -> None:
    """Let signals do what they usually do, if `quiet` changed that: work begins, which says how to go on with it."""
    _begun.append(True)
    for number, handler in _usual.items():
        if signal.getsignal(number) is stop:
            signal.signal(number, handler)


@contextmanager
def heard() -> Iterator[None]:
    """Within this context an interrupt from which Python went on is raised again.

    Python cannot fail while it collects garbage, say, so it goes on from a KeyboardInterrupt that comes then. Outside
    the main thread nothing is done, since no signal comes there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[signal.Signals, Any] = {}
    unraisable = sys.unraisablehook

    def swallowed(ignored: "sys.UnraisableHookArgs") -> None:
        if not issubclass(ignored.exc_type, KeyboardInterrupt):
            unraisable(ignored)
            return
        before.setdefault(signal.SIGALRM, signal.signal(signal.SIGALRM, signal.default_int_handler))
        signal.setitimer(signal.ITIMER_REAL, SOON)

    sys.unraisablehook = swallowed
    try:
        yield
    finally:
        sys.unraisablehook = unraisable
        if before:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before[signal.SIGALRM] or signal.SIG_DFL)


def early() -> bool:
    """Return whether nothing can have been computed: work has not begun, and JAX is not imported as a whole.

    An exception would not do then: compiled modules that it interrupts print tracebacks, or errors of their own.
    """
    jax = sys.modules.get("jax")
    return not _begun and (jax is None or jax.__spec__ is None or bool(vars(jax.__spec__).get("_initializing")))


def stop(number: int, frame: FrameType | None = None) -> None:
    """Say `stopped`, and end the process with 128 + the number of the signal; a handler of signals."""
    with suppress(OSError, ValueError, RuntimeError):
        sys.stdout.flush()
    os.write(2, b"stopped\n")
    os._exit(128 + number)


def leave(code: int) -> NoReturn:
    """End the process with an exit code; after a signal at once, once its output is written.

    What a stopped command has started may still compute in threads of XLA, and so may what was given up. Python's own
    end would take from them what they use, which now and then ends in a segmentation fault.
    """
    if code > SIGNALLED or any(thread.is_alive() for thread in _left):
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


class Interrupts:
    """Within this context the first of `SIGNALS` raises KeyboardInterrupt; the second ends the process at once.

    Python tells the main thread of a signal when it next runs Python, which is late while a program compiles. So a
    thread of its own waits for the second one. Outside the main thread Python allows no handlers: nothing is done.

    Attributes:
        signal: the first one, once it has come.
    """

    def __init__(self) -> None:
        self.signal: signal.Signals | None = None
        self._before: dict[signal.Signals, Any] = {}

    @property
    def exit_code(self) -> int:
        """128 + the number of the signal, as shells report it."""
        return 128 + int(self.signal or signal.SIGINT)

    def __enter__(self) -> "Interrupts":
        # A command in the background of a shell ignores Ctrl-C, and goes on to do so.
        heeded = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        if heeded and threading.current_thread() is threading.main_thread():
            listening, self._told = os.pipe()
            os.set_blocking(self._told, False)
            self._woken = signal.set_wakeup_fd(self._told, warn_on_full_buffer=False)
            self._watcher = threading.Thread(target=_watch, args=(listening,), daemon=True)
            self._watcher.start()
            self._before = {number: signal.signal(number, self._handle) for number in heeded}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if not self._before:
            return
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        signal.set_wakeup_fd(self._woken)
        os.close(self._told)
        self._watcher.join()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if early():
            stop(number)
        if self.signal is None:
            self.signal = signal.Signals(number)
            raise KeyboardInterrupt(self.signal)


def _watch(listening: int) -> None:
    """End the process at the second of `SIGNALS` that is heard; return when nobody can tell of one any more.

    If the first one has not ended the command within `MOMENT`, say what keeps it.
    """
    first = 0.0
    with os.fdopen(listening, "rb", buffering=0) as numbers:
        while True:
            if first and not select.select([numbers], [], [], MOMENT)[0]:
                with suppress(OSError):
                    os.write(2, STOPPING)
            if not (told := numbers.read(1)):
                return
            if told[0] not in SIGNALS:
                continue
            if first and time.monotonic() - first > TWICE:
                if os.isatty(2):
                    os.write(2, SHOW_CURSOR)  # a live display hides it
                os._exit(128 + told[0])
            first = first or time.monotonic()


class Stopped(Exception):  # noqa: N818 - nothing has gone wrong
    """A person has stopped what a command would have gone on from."""


_left: list[threading.Thread] = []
"""Threads whose work was given up; they may still compute."""


def interruptible(work: Callable[[], Result]) -> Result:
    """Return what some work returns; Ctrl-C gives the work up, and the command goes on.

    The work has a thread of its own, since Python hears no signal while XLA computes. What was given up may go on to
    compute for a while; nothing waits for it. Outside the main thread the work is done as it is.

    Raises:
        Stopped: Ctrl-C was pressed.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    found: list[Result] = []
    failed: list[BaseException] = []
    over, stopped = threading.Event(), threading.Event()

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)
        over.set()

    working = threading.Thread(target=run, daemon=True)
    before, woken = signal.signal(signal.SIGINT, lambda *_: stopped.set()), signal.set_wakeup_fd(-1)
    try:
        working.start()
        while not over.wait(SOON) and not stopped.is_set():
            pass
    finally:
        signal.signal(signal.SIGINT, before)
        signal.set_wakeup_fd(woken)
    if failed:
        raise failed[0]
    if not found:
        _left.append(working)
        raise Stopped
    return found[0]


class Lenient(io.TextIOBase):
    """A stream that drops what it cannot write, so that nothing else is lost with it.

    Attributes:
        failure: why it could not write, if it could not.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.failure: OSError | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self._stream.errors

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        with self._noted():
            try:
                self._stream.write(text)
            except UnicodeEncodeError as error:  # not every terminal has every letter
                self._stream.write(text.encode(error.encoding, "backslashreplace").decode(error.encoding))
        return len(text)

    def flush(self) -> None:
        # Python flushes a wrapper that nothing refers to any more, and 3.13 complains where its stream is closed.
        if not self._stream.closed:
            with self._noted():
                self._stream.flush()

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Note the first failure."""
        try:
            yield
        except OSError as error:
            self.failure = self.failure or error

    def settle(self) -> OSError | None:
        """Write what is left, and let Python not try again at its end.

        Return why something could not be written; None also where the reader has closed the pipe, which is no failure.
        """
        self.flush()
        if self.failure is not None:
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._stream.fileno())
                os.close(nowhere)
        return None if isinstance(self.failure, BrokenPipeError) else self.failure


@contextmanager
def lenient() -> Iterator[tuple[Lenient, Lenient]]:
    """Within this context standard output and standard error are `Lenient`; they are returned.

    A stream that was closed before Python started is None there; a null device takes its place.
    """
    with open(os.devnull, "w") as nowhere:
        out, error = Lenient(sys.stdout or nowhere), Lenient(sys.stderr or nowhere)
        with redirect_stdout(out), redirect_stderr(error):
            yield out, error
