"""Lists and draws that the tests of the operators on rule lists share."""

import numpy as np

from jaxgp.genotypes import rulelists

CAPACITY = 7


def words(seed, count, number):
    return np.random.default_rng(seed).integers(0, 2**32, (count, number), np.uint32)


def numbered(length, capacity=CAPACITY):
    """A list whose rules can be told apart: rule r has all conditions r % 8, the centre don't care."""
    condition = np.repeat(np.arange(capacity) % 8, 9).reshape(capacity, 9)
    condition[:, 4] = -1
    return rulelists.trim(condition, np.arange(capacity) % 3, length)


def moved(rules, at, to):
    """Move one rule of a list."""
    rest = rules[:at] + rules[at + 1 :]
    return [*rest[:to], rules[at], *rest[to:]]
