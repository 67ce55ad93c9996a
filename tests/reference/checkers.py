"""Checkers and minimax in plain Python, written from the rules: the oracle of the game and of its search.

Pieces are a dictionary from squares (column, row), counted from a1, to `b` and `w` for men, `B` and `W` for kings. A
move is (from, to), a step or one jump.
"""

from collections.abc import Mapping
from typing import NamedTuple

Square = tuple[int, int]
Move = tuple[Square, Square]
FORWARD = {"b": 1, "w": -1}


class Position(NamedTuple):
    n: int
    pieces: Mapping[Square, str]
    seat: int = 0
    held: Square | None = None
    quiet: int = 0
    limit: int = 40  # plies without a capture; 0: none
    lose: bool = False


def start(n: int = 8, rows: int = 3, limit: int = 40, lose: bool = False) -> Position:
    dark = [(x, y) for y in range(n) for x in range(n) if (x + y) % 2 == 0]
    black = {square: "b" for square in dark if square[1] < rows}
    white = {square: "w" for square in dark if square[1] >= n - rows}
    return Position(n, black | white, 0, None, 0, limit, lose)


def ways(piece: str) -> list[tuple[int, int]]:
    """The directions in which a piece moves."""
    return [(x, y) for y in (-1, 1) for x in (-1, 1) if piece.isupper() or y == FORWARD[piece]]


def reached(position: Position, square: Square, far: int) -> list[Square]:
    """Empty squares that a piece reaches by a step (1), or by a jump (2) over a piece of the opponent."""
    n, pieces, enemy, found = position.n, position.pieces, "wb"[position.seat], []
    for dx, dy in ways(pieces[square]):
        near, to = (square[0] + dx, square[1] + dy), (square[0] + far * dx, square[1] + far * dy)
        inside = 0 <= to[0] < n and 0 <= to[1] < n
        if inside and to not in pieces and (far == 1 or pieces.get(near, "").lower() == enemy):
            found.append(to)
    return found


def drawn(position: Position) -> bool:
    return 0 < position.limit <= position.quiet


def moves(position: Position) -> list[Move]:
    if drawn(position):
        return []
    own = [square for square, piece in position.pieces.items() if piece.lower() == "bw"[position.seat]]
    jumps = [(square, to) for square in own for to in reached(position, square, 2)]
    if position.held is not None:
        return [move for move in jumps if move[0] == position.held]
    return jumps or [(square, to) for square in own for to in reached(position, square, 1)]


def play(position: Position, move: Move) -> Position:
    (x, y), (to_x, to_y) = move
    jump = abs(to_y - y) == 2
    pieces = dict(position.pieces)
    piece = pieces.pop((x, y))
    if jump:
        del pieces[(x + to_x) // 2, (y + to_y) // 2]
    crowned = piece.islower() and to_y == (position.n - 1 if piece == "b" else 0)
    pieces[to_x, to_y] = piece.upper() if crowned else piece
    after = position._replace(pieces=pieces, held=None, quiet=0 if jump or not position.limit else position.quiet + 1)
    if jump and not crowned and reached(after, (to_x, to_y), 2):
        return after._replace(held=(to_x, to_y))
    return after._replace(seat=1 - position.seat)


def over(position: Position) -> bool:
    return not moves(position)


def result(position: Position) -> int:
    """1, 0 or -1 for seat 0, of an ended game."""
    if drawn(position):
        return 0
    wins = position.seat if position.lose else 1 - position.seat
    return 1 - 2 * wins


def turns(position: Position) -> list[Position]:
    """Positions after each whole turn, one for each path."""
    found = []
    for move in moves(position):
        after = play(position, move)
        found += [after] if after.held is None else turns(after)
    return found


def perft(position: Position, depth: int) -> int:
    """Lines of `depth` turns."""
    after = turns(position)
    return len(after) if depth == 1 else sum(perft(one, depth - 1) for one in after)


def worth(position: Position, king: float = 1.5) -> float:
    """Men and kings of seat 0 less those of seat 1; of an ended game a thousand for the winner."""
    if over(position):
        return 1000 * result(position)
    values = {"b": 1, "w": -1, "B": king, "W": -king}
    return sum(values[piece] for piece in position.pieces.values())


def mobility(position: Position) -> float:
    """Moves of seat 0 less those of seat 1, each as if it were to move; of an ended game a thousand for the winner."""
    if over(position):
        return 1000 * result(position)
    other = position._replace(seat=1 - position.seat, held=None)
    lead = len(moves(position)) - len(moves(other))
    return lead if position.seat == 0 else -lead


def value(position: Position, depth: int, worth) -> float:
    """Plain minimax over every line of `depth` moves, as seat 0 sees it."""
    legal = moves(position)
    if depth == 0 or not legal:
        return worth(position)
    return (max, min)[position.seat](value(play(position, move), depth - 1, worth) for move in legal)


def move_values(position: Position, depth: int, worth) -> dict[Move, float]:
    """Value of each legal move, as the mover sees it."""
    sign = 1 - 2 * position.seat
    return {move: sign * value(play(position, move), depth - 1, worth) for move in moves(position)}


def action(n: int, move: Move) -> int:
    """The number that the engine gives to a move: steps, then jumps; by direction; by square."""
    (x, y), (to_x, to_y) = move
    kind = 4 * (abs(to_y - y) == 2) + 2 * (to_y < y) + (to_x > x)
    return kind * (n * n // 2) + y * (n // 2) + x // 2
