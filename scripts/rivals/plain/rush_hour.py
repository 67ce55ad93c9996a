"""The program in `rush_hour.cpp`, compiled when it is first asked."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from rivals.plain.compiled import build

SOURCE = Path(__file__).with_suffix(".cpp")


def program() -> str | None:
    """Return the path of the compiled program; None where there is no compiler."""
    return build(SOURCE)


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
