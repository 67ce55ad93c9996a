"""Stopping a run from outside: the first signal asks, the second one insists."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

from jaxgp.terminal import SHOW_CURSOR

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)


class Stop:
    """Within this context, the first of `SIGNALS` sets `requested`; the second ends the process at once.

    Attributes:
        compiling: whether a program compiles, so that the run can stop at once.

    After the run has been saved, `pass_on` gives the signal to the handler that was installed before, such as that of a
    cluster launcher that requeues the job. Outside the main thread Python allows no handlers, so none is installed.
    """

    def __init__(self, notify: Callable[[str], None] = lambda message: None) -> None:
        self.signal: signal.Signals | None = None
        self.compiling = False
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
            self._before = {number: signal.signal(number, self._handle) for number in SIGNALS}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.signal is not None:
            if os.isatty(1):
                os.write(1, SHOW_CURSOR)  # a live display hides it
            os._exit(128 + number)
        self.signal = signal.Signals(number)
        again = "; press Ctrl-C again to stop at once" if self.signal == signal.SIGINT else ""
        then = f"stopping after this generation{again}"
        if self.compiling:
            then = "stopping at once, since nothing is lost: the program still compiles"
        with suppress(RuntimeError):  # the signal came in the middle of another write to the same stream
            self._notify(f"{self.signal.name}: {then}")

    def pass_on(self) -> None:
        """Give the signal to the previous handler, if that is a function; call this after `__exit__`."""
        if self.signal is None:
            return
        handler = self._before.get(self.signal)
        if callable(handler) and handler is not signal.default_int_handler:
            handler(int(self.signal), None)
