"""Retrograde analysis of an endgame, on sets of positions.

A set has a bit for each place of a table: an array uint64[10, 64, ..] of words, whose bits are the squares of the last
man. There is one operation, `Analysis.leads`: from which places has a side a move into a set. It gives all else: places
that are no position, as the king could be taken; mates; positions won in one move more, from which a move leads to a
lost one; positions lost, from which no move leads to one that is not won. A man that slides goes through its ray from
the far end, row by row, and bit by bit where its squares are those of the words.

Source: K. Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9 (3), 1986, for the analysis by rounds.
"""

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import reduce

import numpy as np

from envs.chess.geometry import KING, ROOK, SQUARES, STEPS
from envs.chess.tables.places import CHOSEN, FLIPS, ILLEGAL, MATE, NUMBER, TRIANGLE, TURNED, Pair, shape_of

Values = tuple[np.ndarray, np.ndarray]
"""int8[10, 64, ..] with white to move, and with black to move."""
WORD = np.dtype("<u8")
NONE, ALL = WORD.type(0), WORD.type(2**64 - 1)
SWAPS = tuple(
    tuple(map(WORD.type, by)) for by in ((28, 0x0F0F0F0F00000000), (14, 0x3333000033330000), (7, 0x5500550055005500))
)
"""By these exchanges of its bits rows and columns of a word change places: how far, and which bits."""
MIRRORS = tuple(
    tuple(map(WORD.type, by)) for by in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F))
)
"""By these the columns of a word are mirrored."""


def build(pair: Pair, smaller: Callable[[Pair], Values]) -> Values:
    """Return the values of an endgame; `smaller` gives those of the endgames that a capture leads to."""
    analysis = Analysis(pair, smaller)
    found = tuple(np.where(unpacked(legal), np.int8(0), np.int8(ILLEGAL)) for legal in analysis.legal)
    for winner in range(2):
        analysis.solve(winner, found)
    return found[0], found[1]


class Analysis:
    """What does not change from round to round, and the rounds."""

    def __init__(self, pair: Pair, smaller: Callable[[Pair], Values]) -> None:
        self.pair = pair
        self.white, self.count = len(pair[0]), len(pair[0]) + len(pair[1])
        self.kings = (0, self.white)
        self.axes = (range(self.white), range(self.white, self.count))
        self.shape = shape_of(pair)[:-1]
        self.taken = tuple(self._captures(side, smaller) for side in range(2))
        self.passes = {axis: self._free(axis) for axes in self.axes for axis in axes if axis not in self.kings}
        apart = self._apart(range(self.count))
        self.legal = []
        for mover in range(2):
            takes = reduce(np.bitwise_or, [self._same(axis, self.kings[1 - mover]) for axis in self.axes[mover]])
            self.legal.append(apart & ~self.leads(np.broadcast_to(takes, self.shape), mover))
        self.checked = [apart & ~legal for legal in reversed(self.legal)]

    def solve(self, winner: int, found: tuple[np.ndarray, ...]) -> None:
        """Write the wins of a side, and the losses of the other one, into the values; in as many rounds as moves."""
        loser = 1 - winner
        moves = self.leads(self._into(self.legal[winner], loser, MATE), loser)
        won, lost = np.zeros(self.shape, WORD), self.legal[loser] & self.checked[loser] & ~moves
        stuck = ~self.legal[loser] | ~moves
        write(found[loser], lost, -MATE)
        captured = [values for _, values in (*self.taken[winner], *self.taken[loser])]
        last = max((MATE - abs(int(v)) for x in captured for v in np.unique(x) if 0 < abs(int(v)) <= MATE), default=0)
        for number in itertools.count(1):
            goal = self._into(lost, winner, number - 1 - MATE)
            wins = self.legal[winner] & self.leads(goal, winner) & ~won
            won |= wins
            goal = self._into(self.legal[winner] & ~won, loser, MATE - number - 1)
            losses = ~(stuck | self.leads(goal, loser) | lost)
            lost |= losses
            write(found[winner], wins, MATE - number)
            write(found[loser], losses, number - MATE)
            if number > last and not wins.any() and not losses.any():
                return

    def leads(self, goal: np.ndarray, mover: int) -> np.ndarray:
        """Return from which places a side has a move that ends in a set; it may leave its king attacked."""
        found = self._white_king(goal) if mover == 0 else np.zeros(self.shape, WORD)

        def part(slot: int) -> None:
            for axis, kind in zip(self.axes[mover], self.pair[mover], strict=True):
                if axis:
                    go = None if kind == KING else self.passes[axis][slot]
                    into_set(goal[slot], found[slot], go, steps(kind), None if axis == self.count - 1 else axis - 1)

        with ThreadPoolExecutor(os.cpu_count()) as pool:  # parts are apart, but for moves of the white king
            list(pool.map(part, range(len(TRIANGLE))))
        return found

    def _white_king(self, goal: np.ndarray) -> np.ndarray:
        """Return `leads` of the white king, which goes to a place of another part of the table, and may turn all."""
        found = np.zeros(self.shape, WORD)
        turned: dict[tuple[int, int], np.ndarray] = {}
        for slot, king in enumerate(TRIANGLE.tolist()):
            for right, up in STEPS.tolist():
                if not (0 <= king % 8 + right < 8 and 0 <= king // 8 + up < 8):
                    continue
                to = king + right + 8 * up
                at = int(NUMBER[to]), int(CHOSEN[to])
                if at not in turned:
                    turned[at] = turn(goal[at[0]], at[1])
                found[slot] |= turned[at]
        return found

    def _into(self, quiet: np.ndarray, mover: int, most: int) -> np.ndarray:
        """Return a set with the places where a side has just taken a man, the value without it being `most` at most."""
        goal = quiet.copy()
        for meets, values in self.taken[mover]:
            goal |= meets & packed(values <= most)
        return goal

    def _captures(self, mover: int, smaller: Callable[[Pair], Values]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return for each man that a side may take: where one of its own stands on it, and the values without it."""
        found = []
        side = 1 - mover
        for place in range(1, len(self.pair[side])):
            axis = self.axes[side][place]
            left = tuple(a[:place] + a[place + 1 :] if s == side else a for s, a in enumerate(self.pair))
            on = reduce(np.bitwise_or, [self._same(axis, other) for other in self.axes[mover]])
            meets = on & self._apart([n for n in range(self.count) if n != axis])
            values = np.expand_dims(smaller((left[0], left[1]))[side], axis)
            found.append((meets, values))
        return found

    def _free(self, axis: int) -> np.ndarray:
        """Return where a man may go on from a square, since no other one is there."""
        free = reduce(np.bitwise_and, [~self._same(axis, n) for n in range(self.count) if n != axis])
        return np.broadcast_to(free, self.shape)

    def _apart(self, axes: range | list[int]) -> np.ndarray:
        """Return where no two of some men stand on one square."""
        pairs = itertools.combinations(axes, 2)
        return reduce(np.bitwise_and, [~self._same(a, b) for a, b in pairs], np.full(self.shape, ALL))

    def _same(self, a: int, b: int) -> np.ndarray:
        """Return where two men stand on one square; the shape broadcasts to that of a set."""
        a, b = sorted((a, b))
        if b == self.count - 1:
            return np.left_shift(WORD.type(1), self._squares(a).astype(WORD))
        return np.where(self._squares(a) == self._squares(b), ALL, NONE)

    def _squares(self, axis: int) -> np.ndarray:
        squares = np.arange(SQUARES) if axis else TRIANGLE
        return squares.reshape(-1, *[1] * (self.count - 2 - axis))


def steps(kind: int) -> list[tuple[int, int]]:
    """Return the directions of a man: how far to the right and up."""
    return [(right, up) for right, up in STEPS.tolist() if kind != ROOK or not (right and up)]


def into_set(
    goal: np.ndarray, found: np.ndarray, go: np.ndarray | None, directions: list[tuple[int, int]], axis: int | None
) -> None:
    """Add to a part of a set the places from which a man moves into a goal.

    Args:
        goal: the part of the set where moves end; a man of the own side is on none of these squares.
        found: to which places are added.
        go: where a man that slides may go on from a square; None: it goes one step.
        directions: in which it moves.
        axis: that of its squares; None: those of the words.
    """
    if axis is None:
        for right, up in directions:
            found |= shifted(goal, right, up) if go is None else slide_words(right, up, goal, go)
    else:
        into, found, *free = (_rows(axis, x) for x in (goal, found, *(() if go is None else (go,))))
        for right, up in directions:
            slide(right, up, into, found, *free) if free else step(right, up, into, found)


def _rows(axis: int, part: np.ndarray) -> np.ndarray:
    """Return a view [8, 8, ..] of a part [64, ..] of a set: the rows and columns of a man come first."""
    split = part.reshape(*part.shape[:axis], 8, 8, *part.shape[axis + 1 :])
    return np.moveaxis(split, (axis, axis + 1), (0, 1))


def _from(right: int, up: int) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return two parts of a board [8, 8]: the squares from which a step stays on it, and those where it ends."""
    ends = {0: (slice(0, 8), slice(0, 8)), 1: (slice(0, 7), slice(1, 8)), -1: (slice(1, 8), slice(0, 7))}
    return (ends[up][0], ends[right][0]), (ends[up][1], ends[right][1])


def step(right: int, up: int, into: np.ndarray, found: np.ndarray) -> None:
    """Add to a set of squares [8, 8, ..] those that are a step from a set."""
    here, there = _from(right, up)
    found[here] |= into[there]


def slide(right: int, up: int, into: np.ndarray, found: np.ndarray, go: np.ndarray) -> None:
    """Add to a set of squares [8, 8, ..] those from which a man slides into a set, through others."""
    if not up:
        into, found, go = (x.swapaxes(0, 1) for x in (into, found, go))
        right, up = 0, right
    passed = into.copy()
    (_, here), (_, there) = _from(right, up)
    for row in range(6, -1, -1) if up > 0 else range(1, 8):
        passed[row, here] |= go[row, here] & passed[row + up, there]
    step(right, up, passed, found)


def shifted(words: np.ndarray, right: int, up: int) -> np.ndarray:
    """Return words of the squares that are so many columns and rows from those of words."""
    columns = np.arange(SQUARES) % 8 + right
    inside = WORD.type(sum(1 << square for square in range(SQUARES) if 0 <= columns[square] < 8))
    by = right + 8 * up
    return (words >> WORD.type(by) if by > 0 else words << WORD.type(-by)) & inside


def slide_words(right: int, up: int, words: np.ndarray, go: np.ndarray) -> np.ndarray:
    """Return words of the squares from which a man slides into a set, through others: one step, two, and four."""
    passed = words.copy()
    for n in (1, 2, 4):
        passed |= go & shifted(passed, n * right, n * up)
        go = go & shifted(go, n * right, n * up)
    return shifted(passed, right, up)


def turn(part: np.ndarray, number: int) -> np.ndarray:
    """Return a part [64, ..] of a set with the board turned by a symmetry: its men are where they were before it."""
    for axis in range(part.ndim):
        part = part.take(TURNED[number], axis)
    return turn_words(part, number)


def turn_words(words: np.ndarray, number: int) -> np.ndarray:
    """Return words of the squares that a symmetry brings to those of words."""
    flip_x, flip_y, swap = FLIPS[number]
    if swap:
        for by, mask in SWAPS:
            words = words ^ (differ := mask & (words ^ (words << by))) ^ (differ >> by)
    if flip_x:
        for by, mask in MIRRORS:
            words = ((words >> by) & mask) | ((words & mask) << by)
    return words.byteswap() if flip_y else words


def packed(places: np.ndarray) -> np.ndarray:
    """Return a set of places, bool[.., 64]; all of a word where a table has no last man, bool[.., 1]."""
    if places.shape[-1] == 1:
        return np.where(places[..., 0], ALL, NONE)
    return np.packbits(places, -1, bitorder="little").view(WORD)[..., 0]


def unpacked(words: np.ndarray) -> np.ndarray:
    """Return the places of a set, bool[.., 64]."""
    return np.unpackbits(np.ascontiguousarray(words)[..., None].view(np.uint8), axis=-1, bitorder="little").view(bool)


def write(values: np.ndarray, words: np.ndarray, value: int) -> None:
    """Set the values of the places of a set."""
    some = np.flatnonzero(words)
    rows = values.reshape(-1, SQUARES)
    rows[some] = np.where(unpacked(words.reshape(-1)[some]), np.int8(value), rows[some])
