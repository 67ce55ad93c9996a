"""Fixed players of chess: programs written by hand, the one tree that the source prints, and the tables.

`master` is a strategy of our own, since that of the source is not printed; its text gives a reason for each rule.
`five_terms` is a shorter one, the sum of five terms as near as the language comes to it.
`gpec190` is that of figure 5.1 of M. Sipper, "Evolved to Win" (2011): its tree for positions with more material is
that of the source, word by word; the other two are not printed, and are those of `master`. `table` plays what the
tables of up to four men say: the shortest mate, or the longest defence.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jax.numpy as jnp
from jax import Array

from envs.chess.hints import judge
from envs.chess.language import Options
from envs.chess.rules import Chess, State
from jaxgp.bits import pick
from jaxgp.spec import Choice, Strategy

WRITTEN = ("master", "gpec190", "five_terms")
"""Those that are programs."""
TABLE = "table"
NAMES = (*WRITTEN, TABLE)
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class ByTable:
    """Plays one of the moves that the tables value most, by lot; that is the best defence where the game is lost."""

    game: Chess

    def __call__(self, state: State, bits: Array) -> Array:
        """Return int32[], a legal action."""
        worth = judge(self.game)
        assert worth is not None
        values, places = worth(state), jnp.arange(self.game.most_choices)
        values = jnp.where(places < self.game.choices(state), values, -jnp.inf)
        return self.game.choice(state, pick(values == values.max(), bits))


def strategy(name: str, game: Chess) -> Strategy | Choice:
    """Return a fixed player; raises ValueError for `table` without tables."""
    if name == TABLE:
        if judge(game) is None:
            raise ValueError("there are tables of up to four kings, queens and rooks alone")
        return ByTable(game)
    return Strategy("move", Options(), text(name), ("trees", "phase", "erc"))


@cache
def text(name: str) -> str:
    """Return the program of a fixed player; a file of one tree has the first, or all three alike."""
    rows = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    written = " ".join(row.strip() for row in rows if not row.startswith("#")).strip()
    if written.startswith("(PROGRAM"):
        return written
    others = trees(text("master"))[1:] if name == "gpec190" else [written] * 2
    return f"(PROGRAM {written} {' '.join(others)})"


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
