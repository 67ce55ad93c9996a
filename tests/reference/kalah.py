"""Kalah and minimax in plain Python, written for reading: the oracle of the rules and of the search.

A position is `(board, mover)`: `board[seat]` is a tuple of the seat's pits, from its left, and, last, its store. Stones
are sown one by one, as on a table, and every variant is a plain `if`.
"""

from functools import cache
from typing import NamedTuple

Side = tuple[int, ...]
Position = tuple[tuple[Side, Side], int]


class Rules(NamedTuple):
    """The choices that variants of Kalah differ in; the meaning of each is that of the game's setting."""

    capture: str = "opposite"  # opposite | always | never
    extra_turn: bool = True
    ends: str = "either"  # either | mover
    remaining: str = "owner"  # owner | opponent | nobody


STANDARD = Rules()
UNKNOWN = 10**6
"""More than any lead."""


def start(pits: int = 6, stones: int = 4) -> Position:
    side = (stones,) * pits + (0,)
    return (side, side), 0


def ended(position: Position, rules: Rules = STANDARD) -> bool:
    board, mover = position
    if rules.ends == "mover":
        return not any(board[mover][:-1])
    return any(not any(side[:-1]) for side in board)


def moves(position: Position, rules: Rules = STANDARD) -> list[int]:
    board, mover = position
    return [] if ended(position, rules) else [pit for pit, stones in enumerate(board[mover][:-1]) if stones]


@cache
def play(position: Position, pit: int, rules: Rules = STANDARD) -> Position:
    """Sow one pit; once the game has ended, the pits are empty and what they held is credited."""
    board, mover = [list(side) for side in position[0]], position[1]
    side, cell, hand = mover, pit, board[mover][pit]
    store = len(board[0]) - 1
    board[side][cell] = 0
    while hand:
        cell += 1
        if cell > store or (cell == store and side != mover):  # past a side, or over the opponent's store
            side, cell = 1 - side, 0
        board[side][cell] += 1
        hand -= 1
    if rules.capture != "never" and side == mover and cell < store and board[mover][cell] == 1:
        opposite = board[1 - mover][store - 1 - cell]
        if opposite or rules.capture == "always":
            board[mover][store] += 1 + opposite
            board[mover][cell] = board[1 - mover][store - 1 - cell] = 0
    again = rules.extra_turn and side == mover and cell == store
    after = (tuple(board[0]), tuple(board[1])), mover if again else 1 - mover
    return (settled(after[0], rules), after[1]) if ended(after, rules) else after


def settled(board: tuple[Side, Side], rules: Rules) -> tuple[Side, Side]:
    """The board after the end, all pits empty."""
    left = [sum(side[:-1]) for side in board]
    if rules.remaining == "opponent":
        left.reverse()
    if rules.remaining == "nobody":
        left = [0, 0]
    nothing = (0,) * (len(board[0]) - 1)
    return (*nothing, board[0][-1] + left[0]), (*nothing, board[1][-1] + left[1])


def lead(position: Position) -> int:
    """Store difference, as seat 0 sees it."""
    return position[0][0][-1] - position[0][1][-1]


@cache
def value(position: Position, depth: int) -> int:
    """Plain minimax over every line of `depth` actions, as seat 0 sees it."""
    legal = moves(position)
    if depth == 0 or not legal:
        return lead(position)
    return (max, min)[position[1]](value(play(position, pit), depth - 1) for pit in legal)


def move_values(position: Position, depth: int) -> dict[int, int]:
    """Value of each legal move, as the mover sees it."""
    sign = 1 - 2 * position[1]
    return {pit: sign * value(play(position, pit), depth - 1) for pit in moves(position)}


def solve(position: Position, rules: Rules = STANDARD) -> int:
    """Final lead of the side to move under best play: alpha-beta to the end of the game.

    Stones that are in a store never come back, so what can still be won depends on the pits alone: positions that
    differ in their stores only are searched once.
    """
    bounds: dict[tuple[Side, Side], tuple[int, int]] = {}

    def gain(own: Side, other: Side, low: int, high: int) -> int:
        """How much the lead of the side to move will still grow, exact if between `low` and `high`, else a bound."""
        least, most = bounds.get((own, other), (-UNKNOWN, UNKNOWN))
        if least >= high or least == most:
            return least
        if most <= low:
            return most
        here: Position = ((*own, 0), (*other, 0)), 0
        best = -UNKNOWN
        for pit in reversed(moves(here, rules)):
            (mine, theirs), mover = play.__wrapped__(here, pit, rules)
            now, alpha = mine[-1] - theirs[-1], max(low, best)
            if any(mine[:-1]) or any(theirs[:-1]):
                if mover == 0:
                    now += gain(mine[:-1], theirs[:-1], alpha - now, high - now)
                else:
                    now -= gain(theirs[:-1], mine[:-1], now - high, now - alpha)
            best = max(best, now)
            if best >= high:
                break
        least, most = bounds.get((own, other), (-UNKNOWN, UNKNOWN))
        bounds[own, other] = max(least, best) if best > low else least, min(most, best) if best < high else most
        return best

    board, mover = position
    sign = 1 if mover == 0 else -1
    return sign * lead(position) + gain(board[mover][:-1], board[1 - mover][:-1], -UNKNOWN, UNKNOWN)
