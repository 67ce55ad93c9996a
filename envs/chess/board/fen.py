"""Positions in FEN and moves in UCI, on the host.

Source of FEN: S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), section 16.1.
"""

import jax
import numpy as np

from envs.chess.board.position import (
    BLACK,
    HOME,
    ITS_LONG,
    ITS_SHORT,
    KING,
    LETTERS,
    MOVE,
    OWN_LONG,
    OWN_SHORT,
    PASSING,
    PAWN,
    PROMOTIONS,
    ROOK,
    Board,
)
from envs.chess.geometry import square_name
from jaxgp.printable import show_typed

SHAPE = (
    "eight ranks, the side to move, castling, a square in passing, as in "
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
)


def parse(text: str) -> Board:
    """Read a position, as NumPy arrays; counters of moves are not read.

    Rights to castle without a king and a rook at home are dropped, and so is a pawn that none stands beside to take.

    Raises:
        ValueError: it is none, or none that can be played; the message says why, and what is accepted.
    """
    words = text.split()
    if not 2 <= len(words) <= 6 or words[1] not in ("w", "b"):
        raise ValueError(f"{show_typed(text)} is no position; accepted: {SHAPE}")
    castling, passing = [*words[2:4], "-", "-"][:2] if len(words) > 2 else ("-", "-")
    cells = _cells(words[0])
    black = words[1] == "b"
    _check_castling(castling)
    if black:
        cells = cells[::-1]
    men = np.array(
        [(LETTERS.index(cell.lower()), (cell.islower() == black) and cell != ".") for row in cells for cell in row]
    )
    kinds, own = men[:, 0], men[:, 1].astype(bool)
    for side, whose in ((own, "moves"), (~own, "does not move")):
        count = ((kinds == KING) & side).sum()
        if count != 1:
            raise ValueError(f"the side that {whose} has {count} kings; accepted: one each")
    edge = kinds.reshape(8, 8)[[0, 7]]
    if (edge == PAWN).any():
        raise ValueError("a pawn stands on the first or the last rank; accepted: ranks 2 to 7")
    rest = black << BLACK
    for letter, right, king, rook in (
        ("k" if black else "K", OWN_SHORT, HOME, 7),
        ("q" if black else "Q", OWN_LONG, HOME, 0),
        ("K" if black else "k", ITS_SHORT, HOME + 56, 63),
        ("Q" if black else "q", ITS_LONG, HOME + 56, 56),
    ):
        mine = right in (OWN_SHORT, OWN_LONG)
        home = kinds[king] == KING and kinds[rook] == ROOK and own[king] == mine and own[rook] == mine
        rest |= right if letter in castling and home else 0
    rest |= _passing(passing, kinds, own, black) << PASSING
    words32 = [(kinds >> n & 1).astype(bool) for n in range(3)] + [own]
    weights = np.uint64(1) << np.arange(32, dtype=np.uint64)
    planes = np.array([[(bits[h : h + 32] * weights).sum() for h in (0, 32)] for bits in words32], np.uint32)
    board = Board(planes, np.uint32(rest))  # type: ignore[arg-type]
    if _attacked(kinds, own):
        raise ValueError("the side that does not move is in check; accepted: positions that can arise")
    return board


def _cells(text: str) -> list[str]:
    """Return the ranks from the first to the eighth, 8 characters each."""
    rows = text.split("/")
    if len(rows) != 8:
        raise ValueError(f"there are {len(rows)} ranks; accepted: {SHAPE}")
    cells = []
    for number, row in zip(range(8, 0, -1), rows, strict=True):
        if not row or any(letter not in "12345678kqrbnpKQRBNP" for letter in row):
            raise ValueError(f"rank {number} is {show_typed(row)}; accepted: digits and letters of KQRBNPkqrbnp")
        line = "".join("." * int(letter) if letter.isdigit() else letter for letter in row)
        if len(line) != 8:
            raise ValueError(f"rank {number} has {len(line)} squares; accepted: 8")
        cells.append(line)
    return cells[::-1]


def _check_castling(text: str) -> None:
    if text != "-" and (set(text) - set("KQkq") or len(set(text)) != len(text)):
        raise ValueError(f"castling {show_typed(text)}; accepted: - or letters of KQkq")


def _passing(text: str, kinds: np.ndarray, own: np.ndarray, black: bool) -> int:
    """Return 1 + the column of a pawn that can be taken in passing; 0 if there is none."""
    if text == "-":
        return 0
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] != ("3" if black else "6"):
        raise ValueError(f"square in passing {show_typed(text)}; accepted: - or a square of rank {3 if black else 6}")
    column = "abcdefgh".index(text[0])
    pawn = 32 + column
    if kinds[pawn] != PAWN or own[pawn] or kinds[pawn + 8] or kinds[pawn + 16]:
        raise ValueError(f"no pawn has just passed {text}; accepted: - or a square that one has passed")
    beside = [pawn + step for step, fits in ((-1, column > 0), (1, column < 7)) if fits]
    return column + 1 if any(kinds[square] == PAWN and own[square] for square in beside) else 0


def _attacked(kinds: np.ndarray, own: np.ndarray) -> bool:
    """Return whether the side to move attacks the other king."""
    king = int(np.flatnonzero((kinds == KING) & ~own)[0])
    x, y = king % 8, king // 8
    for dx in (-2, -1, 0, 1, 2):
        for dy in (-2, -1, 0, 1, 2):
            leap = abs(dx * dy) == 2
            if not (leap or max(abs(dx), abs(dy)) == 1):
                continue
            for far in range(1, 2 if leap else 8):
                a, b = x + far * dx, y + far * dy
                if not (0 <= a < 8 and 0 <= b < 8):
                    break
                letter = LETTERS[kinds[8 * b + a]]
                if letter == ".":
                    continue
                straight = dx == 0 or dy == 0
                hits = "n" if leap else ("qr" if straight else "qb") + ("k" if far == 1 else "")
                hits += "p" if far == 1 and not straight and not leap and dy == -1 else ""
                if own[8 * b + a] and letter in hits:
                    return True
                break
    return False


def cells(board: Board) -> tuple[list[str], bool]:
    """Return the 64 squares as white sees them, from a1, `.` or the letter of a man; and whether black moves."""
    planes = np.asarray(jax.device_get(board.planes))
    bits = (planes[:, :, None] >> np.arange(32, dtype=np.uint32) & 1).reshape(4, 64).astype(int)
    kinds, black = bits[0] + 2 * bits[1] + 4 * bits[2], bool(int(board.rest) >> BLACK & 1)
    found = [
        LETTERS[kind] if bool(own) == black else LETTERS[kind].upper() for kind, own in zip(kinds, bits[3], strict=True)
    ]
    return ([found[square ^ 56] for square in range(64)] if black else found), black


def text(board: Board) -> str:
    """Return a position in FEN."""
    men, black = cells(board)
    rows = []
    for row in range(7, -1, -1):
        line = "".join(men[8 * row : 8 * row + 8])
        for empty in range(8, 0, -1):
            line = line.replace("." * empty, str(empty))
        rows.append(line)
    rest = int(board.rest)
    letters = "kqKQ" if black else "KQkq"
    castling = "".join(letter for n, letter in enumerate(letters) if rest >> n & 1)
    castling = "".join(sorted(castling, key="KQkq".index))
    column = rest >> PASSING & 15
    passing = f"{'abcdefgh'[column - 1]}{3 if black else 6}" if column else "-"
    return f"{'/'.join(rows)} {'b' if black else 'w'} {castling or '-'} {passing} 0 1"


def uci(board: Board, action: int) -> str:
    """Return a move as in e7e8q."""
    men, black = cells(board)
    start, code = (action & MOVE) >> 6, action & 63
    seen = start ^ 56 if black else start
    end, new = code, ""
    if start >= 48 and men[seen].lower() == "p":
        end, new = start + 7 + (code >> 2), LETTERS[PROMOTIONS[code & 3]]
    return square_name(seen) + square_name(end ^ 56 if black else end) + new


def move(board: Board, name: str) -> int:
    """Return the move (12 bits) that UCI calls so, whether it is legal or not.

    Raises:
        ValueError: it is not the name of a move.
    """
    men, black = cells(board)
    ok = len(name) in (4, 5) and all(name[n] in "abcdefgh" and name[n + 1] in "12345678" for n in (0, 2))
    if not ok or name[4:] not in ("", *(LETTERS[kind] for kind in PROMOTIONS)):
        raise ValueError(f"{show_typed(name)} is not a move; accepted: as in e2e4 or e7e8q")
    start, end = (("abcdefgh".index(name[n]) + 8 * int(name[n + 1]) - 8) ^ (56 if black else 0) for n in (0, 2))
    pawn = men[start ^ 56 if black else start].lower() == "p"
    if pawn and start >= 48:
        places = [LETTERS[kind] for kind in PROMOTIONS]
        if end - start not in (7, 8, 9) or not name[4:]:
            raise ValueError(f"{show_typed(name)} is not a move; accepted: a pawn promotes, as in e7e8q")
        return 64 * start + 4 * (end - start - 7) + places.index(name[4])
    if name[4:]:
        raise ValueError(f"{show_typed(name)} is not a move; accepted: only a pawn on the seventh row promotes")
    return 64 * start + end
