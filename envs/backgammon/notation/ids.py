"""Positions of backgammon as identifiers: XGID, and the position ID of GNU Backgammon, with its match ID or alone.

    XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10
    4HPwATDgc/ABMA:cAkAAAAAAAAA

XGID has the men of both sides on 26 places: the bar of O, the points 1 to 24 as X numbers them, and the bar of X; X in
capitals. Cube, owner, whose turn (1 is X, -1 is O), dice (00: to be rolled), score and match follow. X is the player
that comes first here.

A position ID is 80 bits in base64: of the opponent of who is on roll, then of who is, and of each of its points from 1
to 24 and its bar, as many ones as there are men, and a zero. A match ID has dice, and who is on roll; player 1 of GNU
Backgammon comes first here. The cube, the score and the match are not read: games here have none.

Sources: "XGID", manual of eXtreme Gammon; "A technical description of the Position ID" and "of the Match ID", manual of
GNU Backgammon.
"""

import base64
import binascii
import re
from collections.abc import Sequence
from typing import NamedTuple

POINTS, BAR = 24, 25
XGID = re.compile(r"\s*(?:XGID\s*=\s*)?([-A-Oa-o]{26})(?::(.*))?\s*", re.IGNORECASE | re.DOTALL)
GNUBG = re.compile(r"\s*(?:GNUBGID\s+)?([A-Za-z0-9+/]{14})={0,2}(?::([A-Za-z0-9+/]{12}))?\s*")
ACCEPTED = "an XGID, or a position ID of GNU Backgammon with its match ID or alone"
FIRST, SECOND = 1, -1
MATCH_BITS = {"on roll": (6, 1), "state": (8, 3), "doubled": (12, 1), "first die": (15, 3), "second die": (18, 3)}
"""Where some of the numbers of a match ID begin, and their bits."""


class Placed(NamedTuple):
    """A position at the beginning of a turn."""

    own: tuple[int, ...]  # 26: men of the side on roll: borne off, on its points 1 to 24, on the bar
    other: tuple[int, ...]  # 26: of the other side, by its own points
    seat: int  # who is on roll
    dice: tuple[int, int] | None  # the larger one first; None: they are to be rolled


def parse(text: str, men: int) -> Placed:
    """Read a position in which each side has a number of men.

    Raises:
        ValueError: it is none; the message says why, and what is accepted.
    """
    found = XGID.fullmatch(text)
    if found is not None:
        return _from_xgid(found[1], (found[2] or "").split(":"), men)
    found = GNUBG.fullmatch(text)
    if found is not None:
        return _from_gnubg(found[1], found[2], men)
    raise ValueError(f"accepted: {ACCEPTED}")


def xgid(placed: Placed) -> str:
    """Write a position as an XGID of a game for money with the cube in the middle."""
    first, second = (placed.own, placed.other) if placed.seat == 0 else (placed.other, placed.own)
    places = ["-"] * (POINTS + 2)
    for side, letter in ((first, "A"), (second, "a")):
        for point in range(1, BAR + 1):
            if side[point]:
                places[point if letter == "A" else BAR - point] = chr(ord(letter) + side[point] - 1)
    dice = "00" if placed.dice is None else "".join(map(str, placed.dice))
    return f"XGID={''.join(places)}:0:0:{FIRST if placed.seat == 0 else SECOND}:{dice}:0:0:0:0:10"


def gnubg_id(placed: Placed) -> str:
    """Write a position as the position ID and the match ID of GNU Backgammon."""
    bits = "".join("1" * side[point] + "0" for side in (placed.other, placed.own) for point in range(1, BAR + 1))
    first, second = placed.dice or (0, 0)
    values = {"on roll": 1 - placed.seat, "state": 1, "doubled": 0, "first die": first, "second die": second}
    match = 3 << 4 | (1 - placed.seat) << 11  # the cube is in the middle; who is on roll decides
    for name, value in values.items():
        match |= value << MATCH_BITS[name][0]
    position = int(bits[::-1], 2).to_bytes(10, "little")
    return f"{_in_base64(position)}:{_in_base64(match.to_bytes(9, 'little'))}"


def _in_base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii").rstrip("=")


def _from_xgid(places: str, fields: Sequence[str], men: int) -> Placed:
    first, second = [0] * (BAR + 1), [0] * (BAR + 1)
    for place, letter in enumerate(places):
        if letter.isupper():
            first[place] = ord(letter) - ord("A") + 1
        elif letter != "-":
            second[BAR - place] = ord(letter) - ord("a") + 1
    if first[0] or second[0]:
        raise ValueError(f"the bar of {'O' if first[0] else 'X'} has men of the other side; accepted: {ACCEPTED}")
    *_, turn, dice = [*fields, "", "", "", ""][:4]
    seat = {"": 0, str(FIRST): 0, str(SECOND): 1}.get(turn.strip())
    if seat is None:
        raise ValueError(f"XGID with turn {turn[:10]}; accepted: 1, X is on roll, and -1, O is")
    own, other = (first, second) if seat == 0 else (second, first)
    return _placed(own, other, seat, _dice(dice.strip() or "00"), men)


def _dice(text: str) -> tuple[int, int] | None:
    if text == "00":
        return None
    if not re.fullmatch("[1-6]{2}", text):
        raise ValueError(f"XGID with dice {text[:10]}; accepted: two dice, as in 31, or 00 before they are rolled")
    high, low = sorted(map(int, text), reverse=True)
    return high, low


def _from_gnubg(position: str, match: str | None, men: int) -> Placed:
    bits = _bits(position + "==", 80)
    sides, at = [], 0
    for _ in range(2):
        side = [0] * (BAR + 1)
        for point in range(1, BAR + 1):
            end = bits.find("0", at)
            if end < 0:
                raise ValueError(f"{position}: it has no {2 * BAR} places; accepted: {ACCEPTED}")
            side[point], at = end - at, end + 1
        sides.append(side)
    seat, dice = 0, None
    if match is not None:
        given = _bits(match, 72)
        values = {name: int(given[begin : begin + width][::-1], 2) for name, (begin, width) in MATCH_BITS.items()}
        if values["doubled"] or values["state"] > 1:
            raise ValueError(f"{match}: a double waits for an answer, or the game is over; accepted: games that go on")
        seat, rolled = 1 - values["on roll"], (values["first die"], values["second die"])
        dice = _dice("".join(map(str, rolled)))
    return _placed(sides[1], sides[0], seat, dice, men)


def _bits(text: str, count: int) -> str:
    """Return the bits of base64, the lowest one of each byte first; raises ValueError."""
    try:
        content = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"{text}: accepted: {ACCEPTED}") from error
    return f"{int.from_bytes(content, 'little'):0{count}b}"[::-1]


def _placed(own: list[int], other: list[int], seat: int, dice: tuple[int, int] | None, men: int) -> Placed:
    """Return a position with the men that are borne off; raises ValueError for one that cannot come up."""
    for side in (own, other):
        there = sum(side)
        if not 1 <= there <= men:
            raise ValueError(f"a side has {there} men on the board; accepted: 1 to {men}")
        side[0] = men - there
    both = next((point for point in range(1, BAR) if own[point] and other[BAR - point]), None)
    if both is not None:
        raise ValueError(f"point {both} has men of both sides; accepted: positions that can come up")
    return Placed(tuple(own), tuple(other), seat, dice)
