"""Says what keeps a person waiting, such as compiling, once it takes longer than a moment. Imports no JAX."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from itertools import chain, repeat
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.text import Text

from jaxgp.config.arguments import say
from jaxgp.printable import one_line

if TYPE_CHECKING:
    import numpy as np

    from jaxgp.contracts import Position
    from jaxgp.seats.agents import Agent

MOMENT = 1.0
"""Seconds that nobody minds to wait for."""
EVERY = 60.0
"""Seconds between two lines about how far something is, where no terminal shows it all the time."""


def waiting(what: str) -> AbstractContextManager[None]:
    """Say on standard error what goes on within this context, if it takes longer than `MOMENT`.

    A terminal shows it with the seconds since the beginning, and no longer than it goes on. Elsewhere it is one line.

    Args:
        what: what goes on, such as "Compiling the games against minimax".
    """
    return _shown(lambda: what, None)


def following(how_far: Callable[[], str]) -> AbstractContextManager[None]:
    """Say on standard error how far something is within this context, if it takes longer than `MOMENT`.

    A terminal shows it as `waiting` does. Elsewhere it is a line every `EVERY` seconds.

    Args:
        how_far: says what goes on and how far it is; called by a thread of its own.
    """
    return _shown(how_far, EVERY)


@contextmanager
def _shown(what: Callable[[], str], every: float | None) -> Iterator[None]:
    over = threading.Event()
    # A thread of its own shows it: compiling keeps this one.
    shown = threading.Thread(target=_show, args=(what, over, time.monotonic(), MOMENT, every), daemon=True)
    shown.start()
    try:
        yield
    finally:
        over.set()
        shown.join()


def announce(agent: "Agent", first: str, then: str | None = None) -> "Agent":
    """Return a player that says what goes on while it chooses a move.

    Args:
        agent: the player.
        first: what goes on at its first move, such as "Compiling minimax".
        then: what goes on at its other moves; None: nothing is said of them.
    """
    words = chain([first], repeat(then))

    def choose(state: "Position", bits: "np.uint32") -> int | None:
        what = next(words)
        with nullcontext() if what is None else waiting(what):
            return agent.choose(state, bits)

    return replace(agent, choose=choose)


def _show(what: Callable[[], str], over: threading.Event, began: float, moment: float, every: float | None) -> None:
    """Show what goes on until it is over; without a terminal say it once, or at intervals if they are given."""
    if over.wait(moment):
        return
    console = Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        if every is None:
            say(f"{what()} ...")
        else:
            while not over.wait(every):
                say(what())
        return

    def status() -> Text:
        return Text(f"{one_line(what())} ... {time.monotonic() - began:.0f} s")

    # What can no longer be shown must not end what goes on.
    with (
        suppress(OSError, ValueError),
        Live(
            get_renderable=status,
            console=console,
            transient=True,
            refresh_per_second=2,
            redirect_stdout=False,
            redirect_stderr=False,
        ),
    ):
        over.wait()
