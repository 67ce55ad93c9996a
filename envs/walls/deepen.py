"""How deep the opening of a board is proved within a time: a search of ever more plies.

    python -m envs.walls.deepen [size [seconds]]

It prints a line for each depth. A value of the number of squares is a won game, minus it a lost one; any other one is
the best guaranteed difference of bricks after so many plies. No depth is begun once the time is used up.
"""

import sys
import time

from envs.walls.opponents import decided, majority
from envs.walls.rules import Walls
from jaxgp.host.deepening import Deepening, Thought
from jaxgp.search.alphabeta import AlphaBeta

LIMIT = 40
TAIL = 3


class _TimeUp(Exception):  # noqa: N818 - nothing has gone wrong
    pass


def main(size: int = 5, seconds: int = 120) -> None:
    """Search the opening."""
    game = Walls(size)
    search = AlphaBeta(majority(game), lambda state: decided(game, state), max_depth=LIMIT, tail=TAIL, lanes=1)
    start = time.perf_counter()

    def show(thought: Thought) -> None:
        passed = time.perf_counter() - start
        result = ", proved" if thought.decided else ""
        print(
            f"{thought.depth} plies: value {thought.value:g}{result}, {thought.nodes} nodes, {passed:.1f} s", flush=True
        )
        if passed > seconds:
            raise _TimeUp

    try:
        Deepening(search, certain=game.area).think(game.init(), show)
    except _TimeUp:
        print("Time is up.")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
