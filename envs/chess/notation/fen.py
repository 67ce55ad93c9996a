"""Endgames by their names, KQRKQR, and positions in FEN.

Source of FEN: S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), section 16.1.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jaxgp import reading
from jaxgp.errors import reason
from jaxgp.files import user_path
from jaxgp.printable import show_typed

KINDS = "KQRBN"
MOST, EACH = 8, 4
"""Men on the board, and of a side."""
ENDGAME = re.compile(r"(K[QRBN]+)(K[QRBN]*)")
ACCEPTED = (
    f"two kings, the first with 1 to {EACH - 1} of Q, R, B, N, the other with up to {EACH - 1}, as in KQRKQR;"
    " of several endgames a list, as in KRKR,KQKQ"
)
LARGEST = 2**20
"""Bytes of the largest file of positions that is read."""
SHAPE = "eight ranks, the side to move, - and -, as in 8/8/6K1/8/2r1k3/R7/7q/3Q4 w - - 0 1"


class Placed(NamedTuple):
    """A position. Squares are numbered from a1, row by row; kinds by their place in `KINDS`."""

    white: tuple[tuple[int, int], ...]  # kind and square of each man; the king comes first
    black: tuple[tuple[int, int], ...]
    first: bool  # whether white moves
    clock: int  # plies since the last capture


def kinds_of(endgame: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the kinds of the men of white and black, the king first, then in the order of their value.

    Raises:
        ValueError: not an endgame that can be played; the message says what is accepted.
    """
    found = ENDGAME.fullmatch(endgame.strip())
    if found is None or max(map(len, found.groups())) > EACH:
        raise ValueError(ACCEPTED)
    white, black = (tuple(sorted(map(KINDS.index, side))) for side in found.groups())
    return white, black


def parse(text: str) -> Placed:
    """Read a position.

    Raises:
        ValueError: it is none, or not one that can be played; the message says why, and what is accepted.
    """
    words = text.split()
    if not 2 <= len(words) <= 6 or words[1] not in ("w", "b"):
        raise ValueError(f"accepted: {SHAPE}")
    castling, passing, clock = [*words[2:5], *("-", "-", "0")[len(words[2:5]) :]]  # what is left out at the end
    if castling != "-":
        raise ValueError(f"castling rights {show_typed(castling)}; accepted: -, nobody castles in an endgame")
    if passing != "-":
        raise ValueError(f"a square for capturing en passant, {show_typed(passing)}; accepted: -, there are no pawns")
    if not re.fullmatch("0*[0-9]{1,2}", clock):
        raise ValueError(f"{show_typed(clock)} plies since the last capture; accepted: 0 to 99")
    sides: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    ranks = words[0].split("/")
    if len(ranks) != 8:
        raise ValueError(f"{len(ranks)} ranks; accepted: {SHAPE}")
    for row, rank in zip(range(7, -1, -1), ranks, strict=True):
        column = 0
        for sign in rank:
            if sign in "12345678":
                column += int(sign)
                continue
            if sign in "pP":
                raise ValueError(f"a pawn; accepted: men of {', '.join(KINDS)}")
            if sign.upper() not in KINDS:
                raise ValueError(f"{show_typed(sign)} is no man; accepted: men of {', '.join(KINDS)}")
            sides[sign.isupper()].append((KINDS.index(sign.upper()), 8 * row + column))
            column += 1
        if column != 8:
            raise ValueError(f"{show_typed(rank)} has {column} squares; accepted: 8 in each rank")
    white, black = (tuple(sorted(sides[colour])) for colour in (True, False))
    for name, side in (("white", white), ("black", black)):
        kings = sum(kind == 0 for kind, _ in side)
        if kings != 1:
            raise ValueError(f"{kings} kings of {name}; accepted: one of each side")
        if len(side) > EACH:
            raise ValueError(f"{len(side)} men of {name}; accepted: at most {EACH} of each side, {MOST} together")
    placed = Placed(white, black, words[1] == "w", int(clock[-2:]))
    _check_kings(placed)
    return placed


def _check_kings(placed: Placed) -> None:
    """Refuse a position in which the side to move could take the king; raises ValueError."""
    mover, waiting = (placed.white, placed.black) if placed.first else (placed.black, placed.white)
    occupied = {square for _, square in (*mover, *waiting)}
    king = waiting[0][1]
    for kind, square in mover:
        right, up = king % 8 - square % 8, king // 8 - square // 8
        far, near = max(abs(right), abs(up)), min(abs(right), abs(up))
        if kind == 0 and far == 1:
            raise ValueError("the kings stand side by side; accepted: at least one square between them")
        free = all(square + n * (right // far) + 8 * n * (up // far) not in occupied for n in range(1, far))
        straight, diagonal = near == 0 and kind in (1, 2), near == far and kind in (1, 3)
        if ((straight or diagonal) and free) or (kind == 4 and (near, far) == (1, 2)):
            raise ValueError("the side that waits is in check; accepted: positions in which the side to move may be")


def written(placed: Placed, number: int = 1) -> str:
    """Write a position, with the number of its move."""
    signs = [[""] * 8 for _ in range(8)]
    for colour, side in ((str.upper, placed.white), (str.lower, placed.black)):
        for kind, square in side:
            signs[square // 8][square % 8] = colour(KINDS[kind])
    ranks = []
    for row in signs[::-1]:
        gaps = re.sub("1+", lambda ones: str(len(ones[0])), "".join(sign or "1" for sign in row))
        ranks.append(gaps)
    return f"{'/'.join(ranks)} {'w' if placed.first else 'b'} - - {placed.clock} {number}"


@cache
def read_positions(text: str, name: str = "game.fen") -> tuple[Placed, ...]:
    """Return the positions that a setting names: one in FEN, or those of a file, one on a line.

    Raises:
        ValueError: there is none, or one of them cannot be played; the message says why, and what is accepted.
    """
    if "/" in text and len(text.split()) > 1:
        return (parse(text),)
    path = Path(user_path(name, text))
    if not path.exists():
        raise ValueError(f"accepted: a position in FEN, or a file of them; {SHAPE}")
    try:
        rows = reading.read_text(path, LARGEST).splitlines()
    except OSError as error:
        raise ValueError(f"{reason(error)}; accepted: a file with a position in FEN on each line") from error
    found = []
    for number, row in enumerate(rows, 1):
        if row.strip() and not row.startswith("#"):
            try:
                found.append(parse(row))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
    if not found:
        raise ValueError("the file has no position; accepted: one in FEN on each line")
    return tuple(found)
