"""The console at which people play: lines that they type, boards that they see. Rich is asked for colours alone."""

import os
import re
import select
import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from jaxgp.printable import show_typed

if TYPE_CHECKING:
    import numpy as np

    from jaxgp.contracts import Position
    from jaxgp.seats.agents import Agent

EMPTY = " .*"
"""Letters of squares on which nothing stands."""


def guard_typing(agent: "Agent") -> "Agent":
    """Return a player during whose thoughts no move can be typed; an unfinished line is kept."""

    def choose(state: "Position", bits: "np.uint32") -> int | None:
        action = agent.choose(state, bits)
        refuse_typed()
        return action

    return replace(agent, choose=choose)


def refuse_typed() -> None:
    """Say of whole lines that were typed before anybody was asked that they do not count.

    A line without its end is kept, and so are all lines that come from a file or a pipe.
    """
    if not sys.stdin.isatty():
        return
    typed = b""
    while select.select([sys.stdin], [], [], 0)[0] and (piece := os.read(sys.stdin.fileno(), 4096)):
        typed += piece
    for line in typed.decode(errors="replace").splitlines():
        say(f"{show_typed(line)} was typed before you were asked; it does not count.")


def ask(prompt: str) -> str:
    """Read a line. The prompt is for people; it is left out where lines come from a file."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401 - keys of the line, and lines that were typed before

        *lines, last = prompt.split("\n")
        for line in lines:
            say(line)
        return input(last)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def drawer(colours: Mapping[str, str]) -> Callable[[str, str], None]:
    """Return what prints a position, given also the position before: a terminal shows in reverse what has changed."""
    if not sys.stdout.isatty():
        return lambda now, before: say(f"\n{now}\n")
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True)

    def draw(now: str, before: str) -> None:
        shown = Text(now)
        for pattern, style in colours.items():
            shown.highlight_regex(pattern, style)
        for at in changed_cells(now, before):
            shown.stylize("reverse", at, at + 1)
        console.print("", shown, "", sep="\n")
        sys.stdout.flush()

    return draw


def changed_cells(now: str, before: str) -> list[int]:
    """Return the places in the text of a position that a move has changed; words below the board are left out."""
    found, start = [], 0
    lines, old = now.split("\n"), before.split("\n")
    board = max((n for n, line in enumerate(lines) if not re.search(r"[a-z]{3}", line)), default=-1)
    for number, line in enumerate(lines):
        if number <= board and len(old) == len(lines) and len(old[number]) == len(line):
            found += [start + at for at, letter in enumerate(line) if letter != old[number][at] and letter not in EMPTY]
        start += len(line) + 1
    return found


def say(text: str) -> None:
    """Print at once, also into a pipe; lines that are too long for a terminal are broken between words."""
    if sys.stdout.isatty():
        wide = shutil.get_terminal_size().columns
        text = "\n".join(line if len(line) <= wide else textwrap.fill(line, wide) for line in text.split("\n"))
    print(text, flush=True)
