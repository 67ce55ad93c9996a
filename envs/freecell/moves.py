"""The numbers of moves. A move takes cards from the top of a pile to another pile, as one action.

Piles are numbered: cascades 0 to 7, cells 8 to 11, and the foundations, which are one target, 12. Actions come in the
order in which Heineman's program generates moves, since a blind search tries actions in ascending order:

    cell to foundation, cascade to foundation, cell to cascade, cascade to cascade (1 to 13 cards), cascade to cell
"""

import numpy as np

from envs.freecell.cards import CARDS, CASCADES, CELLS, RANKS

HOME = CASCADES + CELLS
"""The foundations, as a target."""
COUNTS = len(RANKS)
"""Cards that a move takes at most: a run from king to ace."""

_cascades, _cells = range(CASCADES), range(CASCADES, HOME)
GROUPS = (
    [(cell, HOME, 1) for cell in _cells],
    [(cascade, HOME, 1) for cascade in _cascades],
    [(cell, cascade, 1) for cell in _cells for cascade in _cascades],
    [(source, target, count) for source in _cascades for target in _cascades for count in range(1, COUNTS + 1)],
    [(cascade, cell, 1) for cascade in _cascades for cell in _cells],
)
ACTIONS = [move for group in GROUPS for move in group]
"""Source, target and number of cards of each action. Moves from a cascade to itself are there, and never legal."""
STARTS = np.cumsum([0, *map(len, GROUPS)])
"""The first action of each group, and the number of actions."""
TABLE = np.array(ACTIONS, np.int8)
NUMBERS = {move: number for number, move in enumerate(ACTIONS)}
"""The action of each source, target and number of cards."""
FIRST_OF_GROUPS = np.concatenate(
    [
        np.arange(STARTS[3]),
        STARTS[3] + COUNTS * np.arange(CASCADES**2),
        STARTS[4] + CELLS * np.arange(CASCADES),
    ]
).astype(np.int32)
"""Actions by their numbers of cards, and by their cells, are one group: the first action of each of 116 groups."""


def _most(strict: bool) -> int:
    """Return a bound on the legal moves of a position.

    With n cascades that have cards, v that have none and e free cells there are at most: 4 moves to the foundations; 2
    onto each top card, since two cards fit on it; with v > 0 one from each cell to an empty cascade, and from each
    cascade as many as cards move together, but not its bottom card; with e > 0 one from each cascade to a cell.
    """
    found = 0
    for n in range(CASCADES + 1):
        for e in range(CELLS + 1):
            v = CASCADES - n
            together = e + v if strict else (e + 1) * 2 ** max(v - 1, 0)
            left = CARDS - (CELLS - e) - n
            spread = (CELLS - e) + min(n * together, left) if v else 0
            found = max(found, 4 + 2 * n + spread + (n if e else 0))
    return found


MOST_MOVES = {"full": _most(strict=False), "strict": _most(strict=True)}
"""Legal moves of a position at most, by the rule of supermoves: 68 and 60."""
