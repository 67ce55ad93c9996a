"""Random whole numbers whose order no library chooses.

NumPy promises that the words of a bit generator stay what they are, and not what `Generator` makes of them. So the
numbers are made of the words here: by the rejection of D. Lemire, "Fast random integer generation in an interval", ACM
Transactions on Modeling and Computer Simulation 29, 2019, which makes them exactly uniform.
"""

from collections.abc import Sequence

import numpy as np

WORD = 2**32
BLOCK = 512
"""Words that are drawn at a time, at least."""


class Draws:
    """A stream of random numbers, from the halves of the words of PCG64, the lower half of each first.

    Args:
        seed: what it is seeded with, one number or several.
    """

    def __init__(self, seed: int | Sequence[int]) -> None:
        self._words = np.random.PCG64(seed)
        self._halves = np.zeros(0, np.uint64)
        self._place = 0

    def one(self, bound: int) -> int:
        """Return a uniform number from 0 to below a bound of at most 2**32; a bound of 1 uses up nothing."""
        while bound > 1:
            product = int(self._next(1)[0]) * bound
            if product % WORD >= (WORD - bound) % bound:
                return product // WORD
        return 0

    def below(self, bound: int, shape: tuple[int, ...]) -> np.ndarray:
        """Return int64[shape]: what as many calls of `one` return."""
        found, done = np.zeros(shape, np.int64).ravel(), 0
        while bound > 1 and done < len(found):
            product = self._next(len(found) - done) * np.uint64(bound)
            kept = product[product % WORD >= (WORD - bound) % bound] // WORD
            found[done : done + len(kept)] = kept
            done += len(kept)
        return found.reshape(shape)

    def choose(self, items: np.ndarray, count: int) -> np.ndarray:
        """Return `count` of the items, [N], without replacement, in random order.

        They are drawn by the algorithm of R. Floyd in J. Bentley, "Programming pearls: a sample of brilliance",
        Communications of the ACM 30, 1987, and then shuffled.
        """
        chosen: list[int] = []
        for last in range(len(items) - count, len(items)):
            drawn = self.one(last + 1)
            chosen.append(last if drawn in chosen else drawn)
        for place in range(count - 1, 0, -1):
            other = self.one(place + 1)
            chosen[place], chosen[other] = chosen[other], chosen[place]
        return np.asarray(items)[chosen]

    def _next(self, count: int) -> np.ndarray:
        """Return the next halves, uint64[count]."""
        if (missing := self._place + count - len(self._halves)) > 0:
            words = self._words.random_raw(max(BLOCK, (missing + 1) // 2))
            halves = np.stack([words % WORD, words // WORD], 1).ravel()
            self._halves, self._place = np.concatenate([self._halves[self._place :], halves]), 0
        self._place += count
        return self._halves[self._place - count : self._place]
