"""Waiting for work that holds the interpreter's main thread for minutes: compiling, and computing a generation.

Python runs the handlers of signals in its main thread, between two instructions. A thread that compiles is within one
instruction all the time. So the work is done by another thread, while the main thread waits and hears signals.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, NoReturn, TypeVar

Result = TypeVar("Result")

TICK = 0.1
"""Seconds between two looks at whether to give up."""


class GivenUp(Exception):  # noqa: N818 - nothing has gone wrong
    """Nobody waits for the work any more. Its thread goes on until the process ends."""


class _Work(threading.Thread, Generic[Result]):
    """A thread that keeps what a function returns or raises."""

    def __init__(self, function: Callable[[], Result]) -> None:
        super().__init__(daemon=True)
        self._function = function
        self.done = threading.Event()
        self.result: list[Result] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result.append(self._function())
        except BaseException as error:  # raised again where the result is waited for
            self.error = error
        finally:
            self.done.set()


def wait_for(
    function: Callable[[], Result],
    give_up: Callable[[], bool] = lambda: False,
    tell: Callable[[float], object] = lambda seconds: None,
) -> Result:
    """Call a function in another thread, and return what it returns.

    Args:
        function: the work.
        give_up: asked every `TICK` seconds whether to go on without the result.
        tell: told every `TICK` seconds how many have passed.

    Raises:
        GivenUp: `give_up` said so. Only the end of the process ends the work, see `end_at_once`.
        BaseException: what the function raises.
    """
    work, begin = _Work(function), time.monotonic()
    work.start()
    while not work.done.wait(TICK):
        if give_up():
            raise GivenUp
        tell(time.monotonic() - begin)
    if work.error is not None:
        raise work.error
    return work.result[0]


def end_at_once(code: int) -> NoReturn:
    """End the process without waiting for the threads that still compile."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
