"""Checkers and alpha-beta in plain Python, written to be fast: what one would write without JAX.

A set of squares is one integer. After A. Samuel, "Some studies in machine learning using the game of checkers" (1959),
an unused bit follows every second row of four, so that each direction is one shift, and a piece that leaves the board
comes to an unused bit. Rules as in `envs/checkers/rules.py` on 8 x 8 squares: one move is one step or one jump.
"""

from typing import NamedTuple

WON = 2000
"""What an ended game is worth to its winner, in half men, as everything is counted here."""
MAN, KING = 2, 3
QUIET = 40
"""Moves without a capture after which a game is drawn."""
_SHIFTS = (4, 5)


def bit(row: int, place: int) -> int:
    """Return the set of the dark square at a place of a row, both counted from a1."""
    return 1 << 4 * row + (row + 1) // 2 + place


_BOARD = sum(bit(row, place) for row in range(8) for place in range(4))
_LAST = tuple(sum(bit(row, place) for place in range(4)) for row in (7, 0))


class Position(NamedTuple):
    """A position: sets of squares, the seat to move, the plies without a capture, and the lead of the side to move."""

    own: int
    other: int
    kings: int
    held: int
    seat: int
    quiet: int
    lead: int


def moves(position: Position) -> list[tuple[int, int, int]]:
    """Return the legal moves: the squares where each begins, of the captured piece, and where it ends."""
    own, other, kings, held, seat, _, _ = position
    movers, free = held or own, _BOARD & ~(own | other)
    up, down = (movers, movers & kings) if seat == 0 else (movers & kings, movers)
    found = []
    for shift in _SHIFTS:
        left = up & other >> shift & free >> 2 * shift
        while left:
            start = left & -left
            found.append((start, start << shift, start << 2 * shift))
            left ^= start
        left = down & other << shift & free << 2 * shift
        while left:
            start = left & -left
            found.append((start, start >> shift, start >> 2 * shift))
            left ^= start
    if found or held:
        return found
    for shift in _SHIFTS:
        left = up & free >> shift
        while left:
            start = left & -left
            found.append((start, 0, start << shift))
            left ^= start
        left = down & free << shift
        while left:
            start = left & -left
            found.append((start, 0, start >> shift))
            left ^= start
    return found


def is_blocked(position: Position) -> bool:
    """Whether the side to move has no move, and no piece that has to go on capturing."""
    own, other, kings, _, seat, _, _ = position
    free = _BOARD & ~(own | other)
    up, down = (own, own & kings) if seat == 0 else (own & kings, own)
    for shift in _SHIFTS:
        if up & free >> shift or down & free << shift:
            return False
        if up & other >> shift & free >> 2 * shift or down & other << shift & free << 2 * shift:
            return False
    return True


def play(position: Position, move: tuple[int, int, int]) -> Position:
    """Return the position after a legal move."""
    own, other, kings, _, seat, quiet, lead = position
    start, taken, end = move
    own ^= start | end
    crowned = False
    if kings & start:
        kings ^= start | end
    elif end & _LAST[seat]:
        crowned = True
        kings |= end
        lead += KING - MAN
    if not taken:
        return Position(other, own, kings, 0, 1 - seat, quiet + 1, -lead)
    lead += KING if kings & taken else MAN
    other ^= taken
    kings &= ~taken
    on = Position(own, other, kings, end, seat, 0, lead)
    if not crowned and moves(on):
        return on
    return Position(other, own, kings, 0, 1 - seat, 0, -lead)


class AlphaBeta:
    """Fixed-depth alpha-beta on material, a king counting one and a half; `nodes` counts positions."""

    def __init__(self) -> None:
        self.nodes = 0

    def value(self, position: Position, depth: int, low: int = -WON, high: int = WON) -> int:
        """Return the value for the side to move in half men, exact if between `low` and `high` and else a bound."""
        self.nodes += 1
        if position.quiet >= QUIET:
            return 0
        if depth == 0:
            return -WON if not position.held and is_blocked(position) else position.lead
        legal = moves(position)
        if not legal:
            return -WON
        best = -WON
        for move in legal:
            after = play(position, move)
            if after.seat == position.seat:
                value = self.value(after, depth - 1, low, high)
            else:
                value = -self.value(after, depth - 1, -high, -low)
            if value > best:
                best = value
                if value > low:
                    low = value
                    if value >= high:
                        break
        return best
