"""Search the opening of a board of Walls ply by ply deeper, within a given time.

python scripts/studies/walls_deepen.py
python scripts/studies/walls_deepen.py size=7 seconds=600

It prints a line for each depth. A value equal to the number of squares is a won game, its negative a lost one. Any
other value is the best difference of bricks that is guaranteed after that number of plies. No depth is begun once the
time is used up.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxgp.config import arguments
from jaxgp.options import MAX_SECONDS, option
from studies import checks

if TYPE_CHECKING:
    from jaxgp.seats.deepening import Thought

LIMIT = 40
TAIL = 3


@dataclass
class Options:
    """Which board, and how long."""

    size: int = option(5, "side of the board", low=3, high=checks.LARGEST, test=checks.side, accepted=checks.SIDE)
    seconds: float = option(120.0, "after which no further depth is begun", low=0, high=MAX_SECONDS, unit="seconds")


class _TimeUp(Exception):  # noqa: N818 - nothing has gone wrong
    pass


def task(options: Options) -> int:
    """Check, then search the opening."""
    import jax

    from envs.walls.opponents import decided, majority
    from envs.walls.rules import Walls
    from jaxgp.search.alphabeta import AlphaBeta
    from jaxgp.seats.deepening import Deepening

    game = Walls(options.size)
    search = AlphaBeta(majority(game), lambda state: decided(game, state), max_depth=LIMIT, tail=TAIL, lanes=1)
    start = time.perf_counter()

    def show(thought: "Thought") -> None:
        passed = time.perf_counter() - start
        print(said(thought, passed), flush=True)
        if passed > options.seconds:
            raise _TimeUp

    try:
        Deepening(search, certain=game.area).think(game.init(jax.random.key(0)), show)
    except _TimeUp:
        print("Time is up.")
    return 0


def said(thought: "Thought", seconds: float) -> str:
    """Return a depth as a line."""
    result = ", proved" if thought.decided else ""
    return f"{thought.depth} plies: value {thought.value:g}{result}, {thought.nodes} nodes, {seconds:.1f} s"


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
