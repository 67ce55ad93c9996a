"""Fixed players of chess: programs written by hand, and the one tree that the source prints.

`master` is a strategy of our own, since that of the source is not printed; its text gives a reason for each rule.
`gpec190` is that of figure 5.1 of M. Sipper, "Evolved to Win" (2011): its tree for positions with more material is
that of the source, word by word; the other two are not printed, and are those of `master`.
"""

from functools import cache
from pathlib import Path

from envs.chess.language import Options
from envs.chess.rules import Chess
from jaxgp.spec import Strategy

NAMES = ("master", "gpec190")
FOLDER = Path(__file__).parent


def strategy(name: str, game: Chess) -> Strategy:
    """Return a fixed player."""
    del game
    return Strategy("move", Options(), text(name), ("trees", "phase", "erc"))


@cache
def text(name: str) -> str:
    """Return the program of a fixed player."""
    rows = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    written = " ".join(row.strip() for row in rows if not row.startswith("#"))
    if name == "gpec190":
        master = trees(text("master"))
        return f"(PROGRAM {written} {' '.join(master[1:])})"
    return written.strip()


def trees(program: str) -> list[str]:
    """Return the texts of the trees of a program."""
    inner = program.strip()[len("(PROGRAM") : -1].strip()
    found, depth, start = [], 0, 0
    for place, sign in enumerate(inner):
        depth += (sign == "(") - (sign == ")")
        if sign == ")" and depth == 0:
            found.append(inner[start : place + 1].strip())
            start = place + 1
    return found
