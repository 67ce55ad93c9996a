"""Kalah and alpha-beta in plain Python, written to be fast: what one would write without JAX.

A board is a list of 14 cells: seat 0 has the pits 0 to 5 and the store 6, seat 1 the pits 7 to 12 and the store 13.
Rules as in `envs/mancala/rules.py`: extra turns, captures of a non-empty opposite pit, an end when either side is
empty, and then stones left go to the owner of their pit.
"""

from operator import itemgetter

START = (4, 4, 4, 4, 4, 4, 0) * 2
STORE = (6, 13)
PITS = (range(0, 6), range(7, 13))
_INFINITE = 1000
_AGAIN = 100
"""Extra turns are tried before everything else."""


def _routes() -> list[list[tuple[int, ...]]]:
    """Tabulate the cells that the stones of each pit fall into: routes[pit][stones]."""
    table = []
    for pit in range(14):
        ring = [cell for cell in range(14) if cell != STORE[pit < 7]]
        at = ring.index(pit)
        order = ring[at + 1 :] + ring[: at + 1]
        table.append([tuple(order[k % 13] for k in range(stones)) for stones in range(49)])
    return table


_ROUTES = _routes()


def play(board: list[int], pit: int) -> tuple[list[int], bool, bool]:
    """Sow one pit of its owner; return the new board, whether the owner moves again, and whether the game is over."""
    store = 6 if pit < 7 else 13
    after = board[:]
    route = _ROUTES[pit][after[pit]]
    after[pit] = 0
    for cell in route:
        after[cell] += 1
    last = route[-1]
    if after[last] == 1 and store - 6 <= last < store and after[12 - last]:
        after[store] += after[12 - last] + 1
        after[last] = after[12 - last] = 0
    if any(after[0:6]) and any(after[7:13]):
        return after, last == store, False
    first, second = after[6] + sum(after[0:6]), after[13] + sum(after[7:13])
    return [0, 0, 0, 0, 0, 0, first, 0, 0, 0, 0, 0, 0, second], last == store, True


class AlphaBeta:
    """Fixed-depth alpha-beta on the difference of the stores; `nodes` counts the positions that were generated."""

    def __init__(self) -> None:
        self.nodes = 0

    def value(self, board: list[int], mover: int, depth: int, low: int, high: int) -> int:
        """Return the value for the mover, exact if between `low` and `high` and else a bound; depth is at least 1."""
        own, other = STORE[mover], STORE[1 - mover]
        options = []
        for pit in PITS[mover]:
            if board[pit]:
                after, again, over = play(board, pit)
                lead = after[own] - after[other]
                if depth == 1 and lead >= high:
                    self.nodes += len(options) + 1
                    return lead
                options.append((lead + _AGAIN if again else lead, lead, after, again, over))
        self.nodes += len(options)
        if depth == 1:
            return max(option[1] for option in options)
        options.sort(key=itemgetter(0), reverse=True)
        best = -_INFINITE
        for _, lead, after, again, over in options:
            if over:
                value = lead
            elif again:
                value = self.value(after, mover, depth - 1, low, high)
            else:
                value = -self.value(after, 1 - mover, depth - 1, -high, -low)
            if value > best:
                best = value
                if value > low:
                    low = value
                    if value >= high:
                        break
        return best

    def best_move(self, board: list[int], depth: int) -> tuple[int, int]:
        """Return the lowest-numbered best pit of seat 0, which moves, and its value."""
        options = []
        for pit in PITS[0]:
            if board[pit]:
                after, again, over = play(board, pit)
                lead = after[6] - after[13]
                options.append((lead + _AGAIN if again else lead, pit, lead, after, again, over))
        self.nodes += len(options)
        options.sort(key=itemgetter(0), reverse=True)
        best, chosen = -_INFINITE, 6
        for _, pit, lead, after, again, over in options:
            # An equal value counts only where it comes from a lower pit than the best so far.
            low = best - (pit < chosen)
            if over or depth == 1:
                value = lead
            elif again:
                value = self.value(after, 0, depth - 1, low, _INFINITE)
            else:
                value = -self.value(after, 1, depth - 1, -_INFINITE, -low)
            if value > low:
                best, chosen = value, pit
        return chosen, best
