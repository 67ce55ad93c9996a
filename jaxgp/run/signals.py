"""Stopping a run from outside: the first signal asks, the second one insists."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

from jaxgp.terminal import SHOW_CURSOR, Interrupts

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
AFTER_GENERATION = "stopping after this generation"
AT_ONCE = "stopping at once, since nothing is lost: the program still compiles"
AFTER_REPORT = "stopping once the report is written"


class Stop:
    """Within this context, the first of `SIGNALS` sets `requested`; the second ends the process at once.

    Attributes:
        then: what happens after the first one, in words.

    After the run has been saved, `pass_on` gives the signal to the handler that was installed before, such as that of a
    cluster launcher that requeues the job. Outside the main thread Python allows no handlers, so none is installed.
    """

    def __init__(self, notify: Callable[[str], None] = lambda message: None) -> None:
        self.signal: signal.Signals | None = None
        self.then = AFTER_GENERATION
        self._notify = notify
        self._before: dict[signal.Signals, Any] = {}

    @property
    def requested(self) -> bool:
        return self.signal is not None

    @property
    def exit_code(self) -> int:
        """128 + the number of the signal, as shells report it."""
        return 128 + int(self.signal or 0)

    def __enter__(self) -> "Stop":
        if threading.current_thread() is threading.main_thread():
            self._woken = signal.set_wakeup_fd(-1)  # of `Interrupts` around it, which would hear the first as a second
            self._before = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        if self._before:
            signal.set_wakeup_fd(self._woken)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.signal is not None:
            if os.isatty(1):
                os.write(1, SHOW_CURSOR)  # a live display hides it
            os._exit(128 + number)
        self.signal = signal.Signals(number)
        again = "; press Ctrl-C again to stop at once"
        again = again if self.signal == signal.SIGINT and self.then != AT_ONCE else ""
        with suppress(RuntimeError):  # the signal came in the middle of another write to the same stream
            self._notify(f"{self.signal.name}: {self.then}{again}")

    def pass_on(self) -> None:
        """Give the signal to the previous handler, such as a launcher's; call this after `__exit__`.

        Those of Python and of a command, which would raise KeyboardInterrupt, are left alone: the exit code tells it.
        """
        if self.signal is None:
            return
        handler = self._before.get(self.signal)
        own = isinstance(getattr(handler, "__self__", None), Interrupts)
        if callable(handler) and handler is not signal.default_int_handler and not own:
            handler(int(self.signal), None)
