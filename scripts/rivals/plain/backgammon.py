"""Backgammon and Pubeval in plain Python, written to be fast: what one would write without JAX.

A side is a tuple of 26 counts by its own points: 0 for men borne off, 1 to 24, 25 for the bar. Rules and weights as in
`envs/backgammon`.
"""

import random
from collections.abc import Iterable, Sequence

OFF, BAR, MEN = 0, 25, 15
START = tuple({24: 2, 13: 5, 8: 3, 6: 5}.get(point, 0) for point in range(26))
Side = tuple[int, ...]
Men = tuple[Side, Side]
"""The side to move, and the other one by its own points."""


def move_man(own: Side, other: Side, point: int, die: int) -> Men:
    """Move a man from a point by a die."""
    to = point - die if point > die else OFF
    men = list(own)
    men[point] -= 1
    men[to] += 1
    if to and other[BAR - to] == 1:
        enemy = list(other)
        enemy[BAR - to] = 0
        enemy[BAR] += 1
        other = tuple(enemy)
    return tuple(men), other


def sources(own: Side, other: Side, die: int, highest: int = BAR) -> list[int]:
    """Return the points, none above `highest`, from which a man may move by a die."""
    if own[BAR]:
        return [BAR] if highest == BAR and other[die] < 2 else []
    found = [point for point in range(die + 1, min(highest, 24) + 1) if own[point] and other[BAR - point + die] < 2]
    if not any(own[7:]):
        last = max(point for point in range(7) if own[point])
        point = die if last >= die else last
        if own[point] and OFF < point <= highest:
            found.append(point)
    return found


def by_doubles(own: Side, other: Side, die: int) -> set[Men]:
    """Return the men of both sides after all plays of four equal dice; men move from the rearmost point on."""
    plays = [(own, other, BAR)]
    for _ in range(4):
        further = [
            (*move_man(a, b, point, die), point)
            for a, b, highest in plays
            if a[OFF] < MEN
            for point in sources(a, b, die, highest)
        ]
        if not further:
            break
        plays = further
    return {(a, b) for a, b, _ in plays}


def turns(own: Side, other: Side, dice: tuple[int, int]) -> set[Men]:
    """Return the men of both sides after all legal turns, each once; `dice` has the larger one first."""
    larger, smaller = dice
    if larger == smaller:
        return by_doubles(own, other, larger)
    once = {die: [move_man(own, other, point, die) for point in sources(own, other, die)] for die in dice}
    both = {
        move_man(*men, point, then)
        for die, then in ((larger, smaller), (smaller, larger))
        for men in once[die]
        if men[0][OFF] < MEN
        for point in sources(*men, then)
    }
    return both or set(once[larger] or once[smaller]) or {(own, other)}


def racing(own: Side, other: Side) -> bool:
    """Return whether the sides have passed each other."""
    rear, their_rear = (max(point for point in range(26) if side[point]) for side in (own, other))
    return rear + their_rear < BAR


class Pubeval:
    """Plays the turn of the highest value.

    Args:
        weights: 2 x 122, for contact and for races, as `envs.backgammon.pubeval.weights` returns them.
    """

    def __init__(self, weights: Iterable[Sequence[float]]) -> None:
        self._tables = [_tables(row) for row in weights]

    def value(self, race: bool, own: Side, other: Side) -> float:
        """Return the value of a position after a turn; `race` is of the position before it."""
        mine, theirs = self._tables[race]
        return sum(map(_at, mine, own)) + sum(map(_at, theirs, other))

    def best(self, own: Side, other: Side, dice: tuple[int, int]) -> Men:
        """Return the men of both sides after the best turn."""
        mine, theirs = self._tables[racing(own, other)]
        against: dict[Side, float] = {}
        best, found = float("-inf"), (own, other)
        for men in turns(own, other, dice):
            if men[0][OFF] == MEN:
                return men
            if men[1] not in against:
                against[men[1]] = sum(map(_at, theirs, men[1]))
            value = sum(map(_at, mine, men[0])) + against[men[1]]
            if value > best:
                best, found = value, men
        return found

    def play(self, rng: random.Random) -> int:
        """Play a game against itself; return the points of the winner."""
        own = other = START
        roll = _roll(rng)
        while roll[0] == roll[1]:
            roll = _roll(rng)
        while True:
            own, other = self.best(own, other, roll)
            if own[OFF] == MEN:
                return points(other)
            own, other, roll = other, own, _roll(rng)


def points(loser: Side) -> int:
    """Return what the winner gets: 1, 2 for a gammon, 3 for a backgammon."""
    if loser[OFF]:
        return 1
    return 3 if any(loser[19:]) else 2


def _roll(rng: random.Random) -> tuple[int, int]:
    one, two = int(6 * rng.random()) + 1, int(6 * rng.random()) + 1
    return (one, two) if one > two else (two, one)


def _at(table: list[float], count: int) -> float:
    return table[count]


def _tables(weights: Sequence[float]) -> tuple[list[list[float]], list[list[float]]]:
    """Tabulate what so many men on a point add to the value: of the own men, and of the other side's."""
    mine = [[0.0] * (MEN + 1) for _ in range(26)]
    theirs = [[0.0] * (MEN + 1) for _ in range(26)]
    for point in range(1, BAR):
        first = 5 * (24 - point)
        blot, one, two, three, more = weights[first : first + 5]
        theirs[BAR - point][1] = blot
        mine[point][1], mine[point][2], mine[point][3] = one, two, two + three
        for men in range(4, MEN + 1):
            mine[point][men] = two + more * (men - 3) / 2
    for men in range(MEN + 1):
        theirs[BAR][men] = weights[120] * men / 2
        mine[OFF][men] = weights[121] * men / MEN
    return mine, theirs
