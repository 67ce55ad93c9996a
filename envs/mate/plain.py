"""Chess in plain Python, for checking proofs: it shares nothing with the rules that searches play by.

A position is 120 cells, 10 a row, with a border, and what else there is to know. Moves are tried, and refused where the
own king can then be taken. Moves are called as in e2e4 and e7e8q.
"""

from collections.abc import Mapping
from typing import NamedTuple

from envs.chess.board import fen

ROOK, BISHOP = (1, -1, 10, -10), (9, 11, -9, -11)
KNIGHT = (8, 12, 19, 21, -8, -12, -19, -21)
WAYS = {"n": KNIGHT, "b": BISHOP, "r": ROOK, "q": ROOK + BISHOP, "k": ROOK + BISHOP}


class Position(NamedTuple):
    """A position; capital letters are white men."""

    cells: str  # 120 characters: " " the border, "." an empty square
    white: bool  # to move
    castling: str
    passing: int  # the cell behind a pawn that has just passed; 0: none


def start(text: str) -> Position:
    """Read a position in FEN; raises ValueError."""
    fen.parse(text)  # refuses what cannot be played
    words = [*text.split(), "-", "-", "-"]
    rows = ["".join("." * int(c) if c.isdigit() else c for c in row) for row in words[0].split("/")]
    cells = " " * 20 + "".join(f" {row} " for row in rows) + " " * 20
    castling = "".join(c for c in words[2] if _at_home(cells, c))
    return Position(cells, words[1] == "w", castling, 0 if words[3] == "-" else cell_of(words[3]))


def _at_home(cells: str, right: str) -> bool:
    if right not in "KQkq":
        return False
    row = "1" if right.isupper() else "8"
    king, rook = ("K", "R") if right.isupper() else ("k", "r")
    return cells[cell_of("e" + row)] == king and cells[cell_of(("h" if right in "Kk" else "a") + row)] == rook


def cell_of(name: str) -> int:
    """Return the cell of a square, as of e4; of a move that of the square where it begins."""
    return 21 + "abcdefgh".index(name[0]) + 10 * (8 - int(name[1]))


def _name(cell: int) -> str:
    return "abcdefgh"[cell % 10 - 1] + str(10 - cell // 10)


def _theirs(cell: str, white: bool) -> bool:
    return cell.islower() if white else cell.isupper()


def _attacked(cells: str, square: int, by_white: bool) -> bool:
    """Return whether a side attacks a square."""
    case = str.upper if by_white else str.lower
    behind = 10 if by_white else -10
    if any(cells[square + behind + side] == case("p") for side in (-1, 1)):
        return True
    for kind, ways in WAYS.items():
        for way in ways:
            at = square + way
            while kind in "brq" and cells[at] == ".":
                at += way
            if cells[at] == case(kind):
                return True
    return False


def checked(position: Position) -> bool:
    """Return whether the side to move is in check."""
    king = position.cells.index("K" if position.white else "k")
    return _attacked(position.cells, king, not position.white)


def won(position: Position) -> bool:
    """Return whether the side to move is mated."""
    return checked(position) and not moves(position)


def moves(position: Position) -> Mapping[str, Position]:
    """Return the positions after all legal moves, by the names of the moves."""
    found = {}
    for origin, goal, new in _pseudo(position):
        after = _play(position, origin, goal, new)
        king = after.cells.index("K" if position.white else "k")
        if not _attacked(after.cells, king, not position.white):
            found[_name(origin) + _name(goal) + new] = after
    return found


def _pseudo(position: Position) -> list[tuple[int, int, str]]:
    cells, white, castling, passing = position
    found = []
    for origin, man in enumerate(cells):
        if man in " ." or man.isupper() != white:
            continue
        if man in "Pp":
            up = -10 if white else 10
            goals = []
            if cells[origin + up] == ".":
                goals.append(origin + up)
                if origin // 10 == (8 if white else 3) and cells[origin + 2 * up] == ".":
                    goals.append(origin + 2 * up)
            for goal in (origin + up - 1, origin + up + 1):
                if _theirs(cells[goal], white) or (goal == passing and passing):
                    goals.append(goal)
            last = 2 if white else 9
            found += [(origin, goal, new) for goal in goals for new in ("qrbn" if goal // 10 == last else ("",))]
            continue
        for way in WAYS[man.lower()]:
            goal = origin + way
            while cells[goal] == ".":
                found.append((origin, goal, ""))
                if man in "NnKk":
                    break
                goal += way
            else:
                if _theirs(cells[goal], white):
                    found.append((origin, goal, ""))
    home = cell_of("e1" if white else "e8")
    for right, empty, safe, goal in (("k", (1, 2), (0, 1, 2), 2), ("q", (-1, -2, -3), (0, -1, -2), -2)):
        may = (right.upper() if white else right) in castling and all(cells[home + step] == "." for step in empty)
        if may and not any(_attacked(cells, home + step, not white) for step in safe):
            found.append((home, home + goal, ""))
    return found


def _play(position: Position, origin: int, goal: int, new: str) -> Position:
    cells, man = list(position.cells), position.cells[origin]
    cells[origin], cells[goal] = ".", (new.upper() if position.white else new) or man
    passed = 0
    if man in "Pp":
        if goal == position.passing:
            cells[goal + (10 if position.white else -10)] = "."
        if abs(goal - origin) == 20:
            passed = (goal + origin) // 2
    if man in "Kk" and abs(goal - origin) == 2:
        rook = origin + (3 if goal > origin else -4)
        cells[(goal + origin) // 2], cells[rook] = cells[rook], "."
    gone = {"K": "KQ", "k": "kq"}.get(man, "")
    for corner, right in (("h1", "K"), ("a1", "Q"), ("h8", "k"), ("a8", "q")):
        if cell_of(corner) in (origin, goal):
            gone += right
    return Position("".join(cells), not position.white, "".join(c for c in position.castling if c not in gone), passed)
