"""Backgammon in plain Python: all plays of a roll by trying every order of the dice, slow and without shortcuts.

A side is a tuple of 26 counts from its own view: 0 borne off, 1 to 24 its points, 25 the bar.
"""


def start():
    side = [0] * 26
    side[24], side[13], side[8], side[6] = 2, 5, 3, 5
    return tuple(side)


def moved(own, other, point, die):
    own, other, to = list(own), list(other), max(point - die, 0)
    own[point] -= 1
    own[to] += 1
    if to and other[25 - to] == 1:
        other[25 - to] = 0
        other[25] += 1
    return tuple(own), tuple(other)


def allowed(own, other, point, die):
    """Whether a man may move by one die, whatever becomes of the others."""
    if not own[point] or (own[25] and point != 25):
        return False
    if point > die:
        return other[25 - (point - die)] < 2
    at_home = not any(own[7:])
    return at_home and (point == die or not any(own[point + 1 :]))


def plays(own, other, dice):
    """Yield all sequences of (point, die) that cannot go on, each with the sides after it."""
    stuck = True
    for die in set(dice):
        rest = list(dice)
        rest.remove(die)
        for point in range(1, 26):
            if allowed(own, other, point, die):
                stuck = False
                for moves, sides in plays(*moved(own, other, point, die), rest):
                    yield ((point, die), *moves), sides
    if stuck:
        yield (), (own, other)


def legal(own, other, dice):
    """Return the plays of a turn: of the most moves, and of one move by the larger die where there is one."""
    found = list(plays(own, other, dice))
    most = max(len(moves) for moves, _ in found)
    found = [play for play in found if len(play[0]) == most]
    if most == 1 and len(dice) == 2:
        larger = [play for play in found if play[0][0][1] == max(dice)]
        found = larger or found
    return found


def turns(own, other, dice):
    """Return the set of the sides after all legal turns; `dice` has a double four times, or what is left of it."""
    return {sides for _, sides in legal(own, other, dice)}


def first_moves(own, other, dice):
    """Return (distance, point) of all moves that begin a legal turn; bearing off has the distance of its point."""
    return {(min(die, point), point) for moves, _ in legal(own, other, dice) if moves for point, die in moves[:1]}


def points(loser):
    """Return what the winner gets: 1, 2 for a gammon, 3 for a backgammon."""
    if loser[0]:
        return 1
    return 3 if any(loser[19:]) else 2
