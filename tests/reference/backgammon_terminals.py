"""What programs see of a position of backgammon, in plain Python, roll by roll and man by man.

A position is two lists of 26 numbers: the men of a side on its own points; 0 counts men borne off, 25 the bar.
"""

from itertools import product

ROLLS = list(product(range(1, 7), repeat=2))
DIFFERENT = sorted({tuple(sorted(roll)) for roll in ROLLS})


def orders(roll):
    """The ways in which one man may use a roll: sequences of steps."""
    a, b = roll
    return [[a] * 4] if a == b else [[a, b], [b, a]]


def landings(start, roll, blocked):
    """The points that one man can land on, moving down from `start`; it may stop after each step."""
    found = set()
    for steps in orders(roll):
        at = start
        for step in steps:
            at -= step
            if at < 1 or at in blocked:
                break
            found.add(at)
    return found


def hit_probability(own, other):
    """The sum over single men of the share of the 36 rolls by which a man of the other side reaches them."""
    blocked = {25 - point for point in range(1, 25) if own[point] >= 2}
    blots = [25 - point for point in range(1, 25) if own[point] == 1]
    men = [point for point in range(1, 26) if other[point] > 0]
    hits = sum(any(blot in landings(man, roll, blocked) for man in men) for blot in blots for roll in ROLLS)
    return hits / 36


def escapes(blocking):
    """The different rolls by which a man gets out of the home of the side that blocks, over open places and the bar."""
    blocked = {25 - point for point in range(1, 25) if blocking[point] >= 2}
    places = [place for place in range(19, 26) if place not in blocked]
    return sum(any(at <= 18 for at in landings(place, roll, blocked)) for place in places for roll in DIFFERENT) / 131


def place(side, number, enemy):
    """Men of a side at a place that the player numbers 0, its bar, to 25, its men borne off."""
    if number in (0, 25):
        return side[25 - number]
    return side[number] if enemy else side[25 - number]


def queries(own, other, number):
    """The answers about one place, by name."""
    mine, theirs = place(own, number, False), place(other, number, True)
    return {
        "Player-Exposed": int(mine == 1),
        "Player-Blocked": int(mine >= 2),
        "Player-Tower": mine - 2 if mine >= 3 else 0,
        "Enemy-Exposed": int(theirs == 1),
        "Enemy-Blocked": int(theirs >= 2),
        "Player-Position": mine,
    }


def general(own, other):
    """The terminals about the whole board, by name."""
    return {
        "Player-Pip": sum(point * men for point, men in enumerate(own)) / 167,
        "Enemy-Pip": sum(point * men for point, men in enumerate(other)) / 167,
        "Total-Hit-Prob": hit_probability(own, other),
        "Player-Escape": escapes(other),
        "Enemy-Escape": escapes(own),
    }
