"""Sets of squares, and rays and jumps of all directions at once.

Squares are numbered from a1 (0), b1 (1) to h8 (63). A set is two words. What is done in eight directions is done on two
stacks of four sets: steps up the board (right, up and left, up, up and right), and the opposite ones in the same order.
So a line through a square, an *orientation*, has one place from 0 to 3 in both.

All work is elementwise on whole stacks [4, ...], of any further axes, which is fast on batches that come last.
"""

from collections.abc import Callable
from functools import reduce

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

UP = np.array([1, 7, 8, 9], np.uint32)
"""Squares by which a step of each orientation goes up; the same number down."""
JUMPS = np.array([6, 10, 15, 17], np.uint32)
"""Squares by which a knight jumps up."""
STRAIGHT = (0, 2)
"""The orientations of rooks."""
ALL = np.uint32(0xFFFFFFFF)
_COLUMN = 0x01010101


@struct.dataclass
class Set:
    """Squares: bit i % 32 of a word is square i. Both words have one shape, that of a stack or of a batch."""

    low: Array  # uint32[...]: squares below 32
    high: Array  # uint32[...]

    def __and__(self, other: "Set") -> "Set":
        return Set(self.low & other.low, self.high & other.high)

    def __or__(self, other: "Set") -> "Set":
        return Set(self.low | other.low, self.high | other.high)

    def __invert__(self) -> "Set":
        return Set(~self.low, ~self.high)

    def where(self, condition: Array) -> "Set":
        """Return the set where a condition (bool[...]) holds, and none elsewhere."""
        none = np.uint32(0)
        return Set(jnp.where(condition, self.low, none), jnp.where(condition, self.high, none))

    @property
    def some(self) -> Array:
        """bool[...]: whether there is a square in the set."""
        return (self.low | self.high) != 0

    @property
    def count(self) -> Array:
        """int32[...]: squares in the set."""
        return (lax.population_count(self.low) + lax.population_count(self.high)).astype(jnp.int32)

    @property
    def first(self) -> Array:
        """int32[...]: the lowest square; 64 if there is none."""
        return jnp.where(self.low != 0, _lowest(self.low), 32 + _lowest(self.high))

    def __getitem__(self, index: object) -> "Set":
        return Set(self.low[index], self.high[index])


@struct.dataclass
class Star:
    """Sets by direction; a stack has four, [4, ...]."""

    up: Set
    down: Set

    def __and__(self, other: "Star") -> "Star":
        return Star(self.up & other.up, self.down & other.down)

    def __or__(self, other: "Star") -> "Star":
        return Star(self.up | other.up, self.down | other.down)

    def __invert__(self) -> "Star":
        return Star(~self.up, ~self.down)

    def within(self, squares: Set) -> "Star":
        """Return what lies on some squares."""
        return Star(self.up & squares, self.down & squares)

    def at(self, place: int) -> "Star":
        """Return one item of the axis behind the directions."""
        return Star(self.up[:, place], self.down[:, place])

    @property
    def union(self) -> Set:
        """The squares of all directions."""
        return unite(self.up | self.down)

    @property
    def opposite(self) -> "Star":
        """The sets of the opposite directions."""
        return Star(self.down, self.up)


def _lowest(word: Array) -> Array:
    """Return int32[...]: the lowest bit of a word; 32 if it is 0."""
    return lax.population_count(~word & (word - np.uint32(1))).astype(jnp.int32)


def unite(stack: Set) -> Set:
    """Return the union of a stack of sets."""
    return reduce(Set.__or__, [stack[n] for n in range(4)])


def stack(sets: list[Set], axis: int = 0) -> Set:
    """Return sets as a stack."""
    return Set(
        jnp.stack(jnp.broadcast_arrays(*(each.low for each in sets)), axis),
        jnp.stack(jnp.broadcast_arrays(*(each.high for each in sets)), axis),
    )


def of(squares: int) -> Set:
    """Return a set given by an integer, bit i for square i, as constants."""
    return Set(np.uint32(squares & 0xFFFFFFFF), np.uint32(squares >> 32))  # type: ignore[arg-type]


def at(square: Array) -> Set:
    """Return the set of one square (int32[...]); none if it is below 0 or above 63."""
    bit = jnp.uint32(1) << (square & 31).astype(jnp.uint32)
    none = np.uint32(0)
    return Set(jnp.where(square >> 5 == 0, bit, none), jnp.where(square >> 5 == 1, bit, none))


def below(square: Array) -> Set:
    """Return the squares below one (int32[...], from 0 to 64)."""
    bit = at(square)
    low, high = bit.low - np.uint32(1), bit.high - np.uint32(1)
    none, last = np.uint32(0), square >= 64
    return Set(
        jnp.where(square < 32, low, ALL),
        jnp.where(last, ALL, jnp.where(square < 32, none, high)),
    )


def columns(letters: str) -> int:
    """Return the squares of some columns, as an integer."""
    return sum(_COLUMN * 0x100000001 << "abcdefgh".index(letter) for letter in letters)


def _landing(forbidden: tuple[str, ...]) -> Set:
    """Return a stack of the squares where steps end that do not cross the edge."""
    numbers = [(1 << 64) - 1 - columns(letters) for letters in forbidden]
    words = [np.array([number >> shift & 0xFFFFFFFF for number in numbers], np.uint32) for shift in (0, 32)]
    return Set(*words)  # type: ignore[arg-type]


STEPS = Star(_landing(("a", "h", "", "a")), _landing(("h", "a", "", "h")))
LEAPS = Star(_landing(("gh", "ab", "h", "a")), _landing(("ab", "gh", "a", "h")))


def lead(values: np.ndarray, like: Array) -> np.ndarray:
    """Return values [4] that broadcast against a stack."""
    return values.reshape(-1, *[1] * (like.ndim - 1))


def _rise(sets: Set, by: np.ndarray) -> Set:
    """Return a stack of sets moved up by fewer than 32 squares, whatever the edges."""
    return Set(sets.low << by, sets.high << by | sets.low >> (np.uint32(32) - by))


def _fall(sets: Set, by: np.ndarray) -> Set:
    """Return a stack of sets moved down by fewer than 32 squares, whatever the edges."""
    return Set(sets.low >> by | sets.high << (np.uint32(32) - by), sets.high >> by)


def _one_way(
    move: Callable[[Set, np.ndarray], Set], sets: Set, by: np.ndarray, landing: Set, free: Set | None = None
) -> Set:
    """Return the squares that are reached in one step of each direction, or across free squares."""
    once, land = lead(by, sets.low), Set(lead(landing.low, sets.low), lead(landing.high, sets.low))  # type: ignore[arg-type]
    if free is not None:
        open_, twice = free & land, 2 * once
        sets = sets | (move(sets, once) & open_)
        both = open_ & move(open_, once)
        for _ in range(3):
            sets = sets | (move(sets, twice) & both)
    return move(sets, once) & land


def step(sets: Star) -> Star:
    """Return the squares one step from some squares, by direction, [4, ...]."""
    return Star(_one_way(_rise, sets.up, UP, STEPS.up), _one_way(_fall, sets.down, UP, STEPS.down))


def jump(squares: Star) -> Star:
    """Return the squares a knight's jump from some squares, by direction, [4, ...]."""
    return Star(_one_way(_rise, squares.up, JUMPS, LEAPS.up), _one_way(_fall, squares.down, JUMPS, LEAPS.down))


def rays(starts: Star, free: Set) -> Star:
    """Return the squares that are reached from some squares, by direction: across free squares, and the next one.

    Args:
        starts: by direction, [4, ...].
        free: squares that can be crossed; it broadcasts against a stack.
    """
    return Star(_one_way(_rise, starts.up, UP, STEPS.up, free), _one_way(_fall, starts.down, UP, STEPS.down, free))
