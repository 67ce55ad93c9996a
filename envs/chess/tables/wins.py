"""Which positions White wins: the results of endgames of up to six men, without the moves that it takes.

A set has a bit for each place, as in `retrograde`: an array uint64[10, X, Y, 64, Z] of words. Its axes are the
places of the white king, the squares of the other men of White, of the black king and of the first other man of
Black; the bits are those of the last one. X or Z is 1 where a side has one man beside its king. Where both sides
have the same men, what White wins is all there is to know: the board with the colours changed tells the rest.

Two sets change from round to round. `lost` has the places where Black is to move and loses, and those where White
has just taken a man and Black loses without it. `safe` has the places where White is to move and does not win, and
those where Black has just taken a man and White does not win without it. White wins where a move leads to `lost`;
Black loses where none leads to `safe`. Men of one side move in slices of a set which no other slice can see, so a
round looks only at slices where something has changed. A set of six men takes 1.3 GB.

Source: the rounds are those of K. Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9 (3), 1986.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np

from envs.chess.geometry import KING, SQUARES
from envs.chess.tables.places import CHOSEN, MATE, NUMBER, TRIANGLE, TURNED, Pair
from envs.chess.tables.retrograde import ALL, NONE, WORD, Values, into_set, packed, steps, turn_words

Sets = tuple[np.ndarray, np.ndarray]
"""uint64[10, X, Y, 64, Z]: where White is to move and wins, and where Black is to move and loses."""
Task = TypeVar("Task")
Done = TypeVar("Done")
X, Y, K, Z, LAST, W = range(6)
"""The men: those of the axes of a part [X, Y, 64, Z] of a set, the one of the bits, and the white king."""
EVERY = np.arange(SQUARES)
BITS = WORD.type(1) << EVERY.astype(WORD)
"""A square as a word."""


class State(NamedTuple):
    """What the rounds have found so far; it can be kept, and gone on from."""

    number: int  # of rounds that are done
    safe: np.ndarray  # uint64[10, X, Y, 64, Z]: see above
    lost: np.ndarray  # the same
    still: np.ndarray  # the same: where Black is to move, has a move, and is not known to lose
    fresh: np.ndarray  # bool[10, 64, Z]: where `lost` has grown in the last round, by the squares of Black


class Slice:
    """A part of a set: which squares its men have."""

    def __init__(self, squares: Mapping[int, np.ndarray | int]) -> None:
        """Take the squares of men but the last one: a number, or an array that broadcasts to the part."""
        self.squares = squares

    def same(self, a: int, b: int) -> np.ndarray:
        """Return where two men stand on one square."""
        if LAST in (a, b):
            return np.asarray(BITS[self.squares[a if b == LAST else b]])
        return np.where(self.squares[a] == self.squares[b], ALL, NONE)

    def free(self, man: int) -> np.ndarray:
        """Return where no other man stands on the square of one."""
        return reduce(np.bitwise_and, [~self.same(man, other) for other in (*self.squares, LAST) if other != man])

    def apart(self) -> np.ndarray:
        """Return where no two men stand on one square."""
        return reduce(np.bitwise_and, [~self.same(a, b) for a, b in combinations((*self.squares, LAST), 2)])


class WinAnalysis:
    """The rounds of one endgame."""

    def __init__(self, pair: Pair, smaller: Callable[[Pair], Values]) -> None:
        """Prepare an endgame.

        Args:
            pair: the men of White and of Black, one or two of each beside the king.
            smaller: gives the values of an endgame that a capture leads to. Their signs are results.
        """
        self.pair, self.smaller = pair, smaller
        white, black = (army[1:] for army in pair)
        self.white = dict(zip((X, Y)[-len(white) :], white, strict=True))
        self.black = dict(zip((Z, LAST)[-len(black) :], black, strict=True))
        self.shape = (SQUARES if X in self.white else 1, SQUARES, SQUARES, SQUARES if Z in self.black else 1)

    def begin(self) -> State:
        """Return the state before the first round."""
        safe = self._legal_of_white()
        still = safe.copy()
        self._add_captures(still, 1, lambda values: values <= MATE)
        self._replace_by_moves(still)
        lost = self._taking(1)
        self._replace_by_moves(lost)
        for slot, part in enumerate(self._parts()):
            legal = part.apart() & ~lost[slot]
            lost[slot] = legal & ~still[slot] & ~safe[slot]  # no move, and White could take the king
            still[slot] &= legal
        self._add_captures(lost, 0, lambda values: values < 0)
        self._add_captures(safe, 1, lambda values: values <= 0)
        return State(0, safe, lost, still, (lost != NONE).any((1, 2)))

    def go_on(self, state: State) -> State:
        """Return the state after a round, in the arrays of the one before; where nothing is fresh it is the last."""
        number, safe, lost, still, fresh = state
        grown = np.zeros((len(TRIANGLE), *self.shape[:2]), bool)
        for (slot, _), won in share(lambda task: self._win(*task, safe, lost, fresh), self._kings()):
            grown[slot] |= won
        fresh = np.zeros_like(fresh)
        tasks = [(slot, x) for slot, x in self._slices() if grown[slot, x].any()]
        for (slot, _), losses in share(lambda task: self._lose(*task, grown[task], safe, lost, still), tasks):
            fresh[slot] |= losses
        return State(number + 1, safe, lost, still, fresh)

    def finish(self, state: State) -> Sets:
        """Return the sets of a state that is the end, in its arrays."""
        won = self._legal_of_white()
        for slot, part in enumerate(self._parts()):
            won[slot] &= ~state.safe[slot]
            state.lost[slot] &= part.apart()
        return won, state.lost

    def _win(self, slot: int, king: int, safe: np.ndarray, lost: np.ndarray, fresh: np.ndarray) -> np.ndarray:
        """Take from `safe` what White wins, the kings being there, by moves to what is fresh; return bool[X, Y]."""
        z = EVERY if Z in self.black else np.zeros(1, int)
        x = EVERY if X in self.white else np.zeros(1, int)
        by_king = []
        for to, number in _beside(slot):
            turned = TURNED[number]
            by_king.append((to, number, fresh[to, turned[king]][turned if z.size > 1 else z]))
        some = np.flatnonzero(reduce(np.logical_or, [seen for _, _, seen in by_king], fresh[slot, king]))
        if not some.size:
            return np.zeros(self.shape[:2], bool)
        part = self._slice({X: EVERY[:, None, None], Y: EVERY[:, None], K: king, Z: some, W: TRIANGLE[slot]})
        goal = np.ascontiguousarray(lost[slot][:, :, king, some])
        found = np.zeros_like(goal)
        for man, kind in self.white.items():
            into_set(goal, found, np.broadcast_to(part.free(man), goal.shape), steps(kind), man)
        for to, number, seen in by_king:
            if seen.any():
                turned = TURNED[number]
                first, second, third = (turned if axis.size > 1 else axis for axis in (x, EVERY, z))
                there = lost[to][:, :, turned[king]][np.ix_(first, second, third[some])]
                found |= turn_words(there, number)
        found &= part.apart()
        found &= safe[slot][:, :, king, some]
        safe[slot][:, :, king, some] &= ~found
        return (found != NONE).any(-1)

    def _lose(
        self, slot: int, x: int, some: np.ndarray, safe: np.ndarray, lost: np.ndarray, still: np.ndarray
    ) -> np.ndarray:
        """Add to `lost` what Black loses since White wins more, its men on `some` squares (bool[Y]); bool[64, Z]."""
        y = np.flatnonzero(some)
        losses = still[slot, x, y] & ~self._moves(slot, x, y, safe[slot, x, y])
        still[slot, x, y] &= ~losses
        lost[slot, x, y] |= losses
        return (losses != NONE).any(0)

    def _moves(self, slot: int, x: int, y: np.ndarray, goal: np.ndarray) -> np.ndarray:
        """Return from which places of a slice [n, 64, Z], with n squares of Y, Black has a move into a goal."""
        goal = np.ascontiguousarray(goal.transpose(2, 1, 0))  # the axis along which nothing moves is the last
        found = np.zeros_like(goal)
        part = self._slice({X: x, Y: y, K: EVERY[:, None], Z: EVERY[:, None, None], W: TRIANGLE[slot]})
        into_set(goal, found, None, steps(KING), 1)
        for man, kind in self.black.items():
            go = np.broadcast_to(part.free(man), goal.shape)
            into_set(goal, found, go, steps(kind), None if man == LAST else 0)
        return found.transpose(2, 1, 0)

    def _replace_by_moves(self, goal: np.ndarray) -> None:
        """Put in place of a goal the places from which Black has a move into it."""
        for (slot, x), found in share(lambda task: self._moves(*task, EVERY, goal[task]), self._slices()):
            goal[slot, x] = found

    def _legal_of_white(self) -> np.ndarray:
        """Return where White is to move and cannot take the king of Black."""
        legal = self._set(Slice.apart)
        everywhere = np.ones((len(TRIANGLE), *self.shape[2:]), bool)
        taking = self._taking(0)
        for _ in share(lambda task: self._win(*task, legal, taking, everywhere), self._kings()):
            pass
        return legal

    def _taking(self, mover: int) -> np.ndarray:
        """Return where a man of the mover stands on the square of the other king."""
        king, men = ((K, (W, *self.white)), (W, (K, *self.black)))[mover]
        return self._set(lambda part: reduce(np.bitwise_or, [part.same(man, king) for man in men]))

    def _set(self, of: Callable[[Slice], np.ndarray]) -> np.ndarray:
        """Return a set, made place by place of the white king."""
        whole = np.empty((len(TRIANGLE), *self.shape), WORD)
        for slot, part in enumerate(self._parts()):
            whole[slot] = of(part)
        return whole

    def _add_captures(self, goal: np.ndarray, mover: int, accepts: Callable[[np.ndarray], np.ndarray]) -> None:
        """Add to a set the places where the mover has just taken a man, if the value without it is accepted."""
        takers, taken = ((W, *self.white), self.black) if mover == 0 else ((K, *self.black), self.white)
        for place, man in enumerate(taken, 1):
            left = tuple(a[:place] + a[place + 1 :] if side != mover else a for side, a in enumerate(self.pair))
            values = self.smaller((left[0], left[1]))[1 - mover]
            shape = tuple(1 if axis == man else size for axis, size in enumerate(self.shape))
            for slot, part in enumerate(self._parts()):
                accepted = accepts(values[slot])
                words = accepted.reshape(shape) if man == LAST else packed(accepted.reshape(*shape, SQUARES))
                on = reduce(np.bitwise_or, [part.same(taker, man) for taker in takers])
                goal[slot] |= on & (np.where(words, ALL, NONE) if man == LAST else words)

    def _slice(self, squares: Mapping[int, np.ndarray | int]) -> Slice:
        """Return a slice with those men that there are."""
        missing = {X} - self.white.keys() | {Z} - self.black.keys()
        return Slice({man: square for man, square in squares.items() if man not in missing})

    def _parts(self) -> Iterator[Slice]:
        """Yield the slices [X, Y, 64, Z] of all places of the white king."""
        x, y, k, z = (EVERY.reshape(-1, *[1] * n) for n in (3, 2, 1, 0))
        for king in TRIANGLE:
            yield self._slice({X: x, Y: y, K: k, Z: z, W: king})

    def _kings(self) -> list[tuple[int, int]]:
        """Return the places of both kings, by which the moves of White are divided."""
        return [(slot, king) for slot in range(len(TRIANGLE)) for king in range(SQUARES)]

    def _slices(self) -> list[tuple[int, int]]:
        """Return the places of the white king and the first man of two, by which the moves of Black are divided."""
        return [(slot, x) for slot in range(len(TRIANGLE)) for x in range(self.shape[X])]


def _beside(slot: int) -> set[tuple[int, int]]:
    """Return where the white king may go: the place, and which symmetry brings it there."""
    king = int(TRIANGLE[slot])
    beside = ((king % 8 + right, king // 8 + up) for right, up in steps(KING))
    squares = [x + 8 * y for x, y in beside if 0 <= x < 8 and 0 <= y < 8]
    return {(int(NUMBER[to]), int(CHOSEN[to])) for to in squares}


def share(work: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[tuple[Task, Done]]:
    """Yield each task and what has come of it; cores share them."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from zip(tasks, pool.map(work, tasks), strict=True)
