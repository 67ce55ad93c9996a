"""Othello and minimax in plain Python, written from the rules: the oracle of the game and of its search.

A position is `(discs, seat)`: a frozen dictionary from squares (column, row), counted from the top left, to the seat
whose disc lies there, and who is to move. Lines are walked square by square.
"""

from functools import cache
from types import MappingProxyType
from typing import NamedTuple

Square = tuple[int, int]
PASS = "pass"
RAYS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]


class Position(NamedTuple):
    n: int
    discs: MappingProxyType
    seat: int


def start(n: int = 8) -> Position:
    a, b = n // 2 - 1, n // 2
    return Position(n, MappingProxyType({(a, a): 1, (b, b): 1, (a, b): 0, (b, a): 0}), 0)


def flips(position: Position, square: Square, seat: int) -> list[Square]:
    """The discs that a disc of `seat` on a square turns over."""
    discs = position.discs
    if square in discs:
        return []
    found = []
    for dx, dy in RAYS:
        x, y, run = square[0] + dx, square[1] + dy, []
        while discs.get((x, y)) == 1 - seat:
            run.append((x, y))
            x, y = x + dx, y + dy
        if discs.get((x, y)) == seat:
            found += run
    return found


def placements(position: Position, seat: int) -> list[Square]:
    """Row by row from the top."""
    return [(x, y) for y in range(position.n) for x in range(position.n) if flips(position, (x, y), seat)]


def moves(position: Position) -> list:
    own = placements(position, position.seat)
    if own:
        return own
    return [PASS] if placements(position, 1 - position.seat) else []


def over(position: Position) -> bool:
    return not moves(position)


def play(position: Position, move) -> Position:
    n, discs, seat = position
    if move == PASS:
        return Position(n, discs, 1 - seat)
    changed = dict.fromkeys([*flips(position, move, seat), move], seat)
    return Position(n, MappingProxyType({**discs, **changed}), 1 - seat)


def count(position: Position, seat: int) -> int:
    return list(position.discs.values()).count(seat)


def lead(position: Position) -> int:
    """Difference in discs, as seat 0 sees it."""
    return count(position, 0) - count(position, 1)


def corner_lead(position: Position, bonus: int) -> int:
    """Difference in discs while the game goes on, each corner worth `bonus` more; the plain one after the end."""
    last = position.n - 1
    corners = [position.discs.get(square) for square in ((0, 0), (0, last), (last, 0), (last, last))]
    extra = bonus * (corners.count(0) - corners.count(1))
    return lead(position) + (0 if over(position) else extra)


def value(position: Position, depth: int, worth) -> float:
    """Plain minimax over every line of `depth` moves, passes among them, as seat 0 sees it."""
    legal = moves(position)
    if depth == 0 or not legal:
        return worth(position)
    return (max, min)[position.seat](value(play(position, move), depth - 1, worth) for move in legal)


def move_values(position: Position, depth: int, worth) -> dict:
    """Value of each legal move, as the mover sees it."""
    sign = 1 - 2 * position.seat
    return {move: sign * value(play(position, move), depth - 1, worth) for move in moves(position)}


@cache
def action(n: int, move) -> int:
    """The number that the engine gives to a move."""
    return n * n if move == PASS else move[1] * n + move[0]
