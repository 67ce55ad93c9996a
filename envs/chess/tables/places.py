"""What a table of an endgame is: its places, and what a byte of it says."""

import itertools

import numpy as np

from envs.chess.geometry import SQUARES

MATE = 126
ILLEGAL = 127

Army = tuple[int, ...]
"""The kinds of the men of a side, the king first, in order."""
Pair = tuple[Army, Army]


def _symmetries() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the symmetries of the board.

    Returns:
        int32[8, 64], squares under each turn and mirror; int32[64], which of them brings a king into the triangle;
        int32[64], its place there.
    """
    x, y = np.arange(SQUARES) % 8, np.arange(SQUARES) // 8
    maps = []
    for flip_x, flip_y, swap in FLIPS:
        u, v = (7 - x if flip_x else x), (7 - y if flip_y else y)
        maps.append(v + 8 * u if swap else u + 8 * v)
    turned = np.array(maps, np.int32)
    inside = [square for square in range(SQUARES) if square // 8 <= square % 8 <= 3]
    number = np.full(SQUARES, -1, np.int32)
    number[inside] = np.arange(len(inside))
    chosen = (number[turned] >= 0).argmax(0).astype(np.int32)
    return turned, chosen, number[turned[chosen, np.arange(SQUARES)]]


FLIPS = tuple(itertools.product((False, True), repeat=3))
"""The symmetries: whether columns are flipped, rows are, and then both are swapped."""
TURNED, CHOSEN, NUMBER = _symmetries()
TRIANGLE = np.array([square for square in range(SQUARES) if square // 8 <= square % 8 <= 3], np.int32)


def shape_of(pair: Pair) -> tuple[int, ...]:
    """Return the shape of the arrays of an endgame."""
    return (len(TRIANGLE), *[SQUARES] * (len(pair[0]) + len(pair[1]) - 1))
