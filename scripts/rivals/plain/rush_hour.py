"""The program in `rush_hour.cpp`, compiled when it is first asked."""

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".cpp")


@cache
def program() -> str | None:
    """Return the path of the compiled program; None where there is no compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    made = str(Path(_folder().name) / "rush_hour")
    subprocess.run([compiler, "-O2", "-std=c++17", "-o", made, str(SOURCE)], check=True, capture_output=True)
    return made


@cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    """Return a folder that is removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="jaxgp_rush_hour_")


def ask(compiled: str, words: Sequence[str], boards: Sequence[str]) -> list[str]:
    """Run the program on boards, cells row by row; return a line for each, and one with the seconds."""
    given = "".join(f"{cells}\n" for cells in boards)
    return subprocess.run(
        [compiled, *words], input=given, capture_output=True, text=True, check=True
    ).stdout.splitlines()


def breadth_first(boards: Sequence[str], limit: int) -> list[tuple[int, int]] | None:
    """Return the fewest moves of boards and the positions that were expanded; None where there is no compiler.

    Moves are -1 where there is no solution, or none within the limit of positions.
    """
    compiled = program()
    if compiled is None:
        return None
    *lines, _ = ask(compiled, ("breadth", str(limit)), boards)
    return [(int(moves), int(nodes)) for moves, nodes in map(str.split, lines)]
