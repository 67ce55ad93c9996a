"""Kalah and minimax in plain Python, written for reading: the oracle of the search tests.

A position is `(board, mover)`: `board[seat]` is a tuple of the seat's pits and, last, its store.
"""

from functools import cache

Position = tuple[tuple[tuple[int, ...], tuple[int, ...]], int]


def moves(position: Position) -> list[int]:
    board, mover = position
    return [] if ended(position) else [pit for pit, stones in enumerate(board[mover][:-1]) if stones]


def ended(position: Position) -> bool:
    return any(not any(side[:-1]) for side in position[0])


@cache
def play(position: Position, pit: int) -> Position:
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
    if side == mover and cell < store and board[mover][cell] == 1 and board[1 - mover][store - 1 - cell]:
        board[mover][store] += 1 + board[1 - mover][store - 1 - cell]
        board[mover][cell] = board[1 - mover][store - 1 - cell] = 0
    again = side == mover and cell == store
    if not any(board[0][:-1]) or not any(board[1][:-1]):
        board = [[0] * store + [sum(row)] for row in board]
    return (tuple(board[0]), tuple(board[1])), mover if again else 1 - mover


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
