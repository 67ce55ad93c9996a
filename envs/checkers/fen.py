"""Positions of checkers as text, as PDN has them in [FEN ..]: who moves, then the pieces of both sides.

    B:W18,24,K27:B5,K12

Pieces are squares by number, in ranges too, or by name: 12, 1-12, c3. A K stands before a king. On boards of all sizes
numbers begin on the side of black and, as black sees it, go from right to left in each row.

Source: "Portable Draughts Notation", the tag FEN of PDN 3.0 (W. van der Wijk, F. Grochowski).
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

TEXT = re.compile(r'\s*"?\s*([BW])\s*:\s*([BW])([^:]*):\s*([BW])([^:]*?)\s*\.?\s*"?\s*', re.ASCII | re.IGNORECASE)
PIECE = re.compile(r"(K?)(?:(\d{1,3})(?:-(\d{1,3}))?|([A-P])(\d{1,2}))", re.ASCII | re.IGNORECASE)
ACCEPTED = "who moves, and the squares of white and black, as in B:W18,24,K27:B5,K12"


class Placed(NamedTuple):
    """A position. Dark squares are numbered row by row from a1."""

    first: bool  # whether the side that began the game, black, moves
    black: tuple[int, ...]
    white: tuple[int, ...]
    kings: tuple[int, ...]  # of both sides


def parse(text: str, size: int) -> Placed:
    """Read a position on a board of `size` x `size` squares.

    Raises:
        ValueError: it is none; the message says why, and what is accepted.
    """
    found = TEXT.fullmatch(text)
    if found is None or found[2].upper() == found[4].upper():
        raise ValueError(f"accepted: {ACCEPTED}")
    sides: dict[str, list[tuple[int, bool]]] = {found[2].upper(): [], found[4].upper(): []}
    for colour, words in ((found[2], found[3]), (found[4], found[5])):
        for word in filter(None, re.split(r"[,\s]+", words)):
            sides[colour.upper()] += _pieces(word, size)
    squares = [square for side in sides.values() for square, _ in side]
    twice = next((square for square in squares if squares.count(square) > 1), None)
    if twice is not None:
        raise ValueError(f"two pieces on {number(twice, size)}; accepted: one on each square")
    width = size // 2
    for colour, last in (("B", size - 1), ("W", 0)):
        crowned = next((one for one, king in sides[colour] if not king and one // width == last), None)
        if crowned is not None:
            raise ValueError(f"a man on {number(crowned, size)}, where it is crowned; accepted: a king there, with K")
    black, white = (tuple(sorted(square for square, _ in sides[colour])) for colour in "BW")
    kings = tuple(sorted(square for side in sides.values() for square, king in side if king))
    return Placed(found[1].upper() == "B", black, white, kings)


def written(placed: Placed, size: int) -> str:
    """Write a position, as `parse` reads it."""

    def side(squares: tuple[int, ...]) -> str:
        numbered = sorted((number(square, size), square in placed.kings) for square in squares)
        return ",".join("K" * king + str(one) for one, king in numbered)

    return f"{'B' if placed.first else 'W'}:W{side(placed.white)}:B{side(placed.black)}"


def number(square: int, size: int) -> int:
    """Return the number of a dark square (0 is a1), and back: numbers less one go the same way."""
    width = size // 2
    row, at = divmod(square, width)
    return row * width + width - at


def _pieces(word: str, size: int) -> Iterator[tuple[int, bool]]:
    """Yield the squares that a word names, each with whether a king stands there; raises ValueError."""
    found = PIECE.fullmatch(word)
    area = size * size // 2
    if found is None:
        raise ValueError(f'"{word[:20]}" is no piece; accepted: {ACCEPTED}')
    king, first, last, column, row = found.groups()
    if column is not None:
        across, up = ord(column.lower()) - ord("a"), int(row) - 1
        if not (across < size and 0 <= up < size and (across + up) % 2 == 0):
            raise ValueError(f"{word[:20]}: accepted: dark squares of {size} x {size}, as a1")
        yield up * (size // 2) + across // 2, bool(king)
        return
    ends = int(first), int(last or first)
    if not 1 <= ends[0] <= ends[1] <= area:
        raise ValueError(f"{word[:20]}: accepted: squares from 1 to {area}")
    for one in range(ends[0], ends[1] + 1):
        yield number(one - 1, size) - 1, bool(king)
