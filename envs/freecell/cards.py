"""Cards, the numbered deals of Microsoft FreeCell, and positions as text.

A card is a number, 4 * rank + suit: ranks from ace, 0, to king, 12; suits in the order clubs, diamonds, hearts, spades.
It is written as rank and suit, as in AC, TD or KS; the ten may also be 10D.

A position is written by rows, which end with a line or a slash. A row is a cascade from its bottom card to its top
card, the one that can move. A row without cards is written as -. There are eight of them. Rows before them may say what
is on the foundations and in the cells. This is also the notation of fc-solve:

    Foundations: C-A H-2
    Freecells: 9S KD
    JD 2D 9H JC 5D 7H 7C 5S
    ...
"""

import re
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from jax import Array

RANKS, SUITS = "A23456789TJQK", "CDHS"
CARDS = len(RANKS) * len(SUITS)
CASCADES, CELLS = 8, 4
ROWS = 19
"""Cards of a cascade at most: seven that were dealt, the last of them a king, and twelve on it."""
DEALS = 1_000_000
"""Deals that have a number here, as in Microsoft FreeCell; the generator of higher numbers differs between programs."""
FIRST = 32_000
"""Those of its first version."""
UNSOLVABLE = (11_982, 146_692, 186_216, 455_889, 495_505, 512_118, 517_776, 781_948)
"""The deals that have no solution. Source: S. Fish, "Freecell Solver", https://fc-solve.shlomifish.org."""
NUMBER = re.compile(r"\s*#?\s*([0-9]{1,9})\s*")
"""The number of a deal as text, as in 617 or #617."""
LARGEST = 2**12
"""Characters of the longest text that is read as a position."""
ACCEPTED = f"the number of a deal from 1 to {DEALS}, or 8 cascades, as in JD KD 2S/2D KC 5H/..., - for an empty one"


@dataclass(frozen=True)
class Layout:
    """A position; cards are numbers.

    Attributes:
        cascades: eight, each from its bottom card to its top card.
        cells: the cards in cells, at most four.
        foundations: how many cards are on the foundation of each suit.
    """

    cascades: tuple[tuple[int, ...], ...]
    cells: tuple[int, ...] = ()
    foundations: tuple[int, ...] = (0, 0, 0, 0)


def name(card: int) -> str:
    """Return the name of a card."""
    return RANKS[card // 4] + SUITS[card % 4]


Cards = TypeVar("Cards", int, np.ndarray, Array)
"""A card, or arrays of cards."""


def red(card: Cards) -> Cards:
    """Return integer[...], of the type of `card`, an array of NumPy or JAX: 1 for diamonds and hearts, else 0."""
    return (card ^ card >> 1) & 1


def fits(card: Cards, on: Cards) -> Cards:
    """Return bool[...]: whether cards may be laid on others (integer[...], arrays of NumPy or JAX).

    They have the other colour and are one rank lower. -8 is no card; it fits nowhere, and nothing fits on it.
    """
    return (on >> 2 == (card >> 2) + 1) & (red(card) != red(on))


def order_cards(numbers: np.ndarray) -> np.ndarray:
    """Return int8[N, 52]: the cards of deals in the order in which they are dealt, to cascades 1 to 8 in turn.

    Source: the generator of Microsoft FreeCell, a linear congruential one whose seed is the number of the deal. Each
    number that it draws picks a card from the deck, and the last card of the deck takes its place.

    Args:
        numbers: int[N], of deals from 1 to `DEALS`.
    """
    seed = np.asarray(numbers, np.int64)
    deck = np.tile(np.arange(CARDS, dtype=np.int8), (len(seed), 1))
    found, rows = np.empty_like(deck), np.arange(len(seed))
    for place in range(CARDS):
        left = CARDS - place
        seed = (214013 * seed + 2531011) % 2**31
        drawn = (seed >> 16) % left
        found[:, place] = deck[rows, drawn]
        deck[rows, drawn] = deck[:, left - 1]
    return found


def deal(number: int) -> Layout:
    """Return a numbered deal; raises ValueError for a number that there is not."""
    if not 1 <= number <= DEALS:
        raise ValueError(f"accepted: {ACCEPTED}")
    cards = order_cards(np.array([number]))[0].tolist()
    return Layout(tuple(tuple(cards[first::CASCADES]) for first in range(CASCADES)))


def find(of: int | str) -> Layout:
    """Return the position that a number or a text stands for; raises ValueError, which says what is accepted."""
    if isinstance(of, str):
        number = NUMBER.fullmatch(of)
        return parse(of) if number is None else deal(int(number[1]))
    return deal(of)


def parse(text: str) -> Layout:
    """Read a position.

    Raises:
        ValueError: it is no position that can come up; the message says why, and what is accepted.
    """
    if len(text) > LARGEST:
        raise ValueError(f"it has {len(text)} characters; accepted: {ACCEPTED}")
    rows = [row.strip() for row in re.split(r"[\n/]", text) if row.strip()]
    if len(text.split()) < 2:
        raise ValueError(f"accepted: {ACCEPTED}")
    cells: list[int] = []
    foundations = [0] * len(SUITS)
    cascades = []
    for row in rows:
        label, colon, rest = row.rpartition(":")
        words = rest.split()
        if label.strip().lower() == "foundations":
            foundations = _foundations(words)
        elif label.strip().lower() == "freecells":
            cells = [_card(word) for word in words if word != "-"]
        elif label.strip():
            raise ValueError(f'"{label.strip()[:20]}:" begins no row; accepted: Foundations:, Freecells: and cascades')
        else:
            cascades.append(() if (colon and not words) or words == ["-"] else tuple(map(_card, words)))
    found = Layout(tuple(cascades), tuple(cells), tuple(foundations))
    _check(found)
    return found


def write_layout(layout: Layout) -> str:
    """Return a position as text, by rows, as `parse` reads it."""
    rows = []
    if any(layout.foundations):
        tops = (f"{suit}-{RANKS[n - 1]}" for suit, n in zip(SUITS, layout.foundations, strict=True) if n)
        rows.append(f"Foundations: {' '.join(tops)}")
    if layout.cells:
        rows.append(f"Freecells: {' '.join(map(name, layout.cells))}")
    rows += [" ".join(map(name, cascade)) or "-" for cascade in layout.cascades]
    return "\n".join(rows)


def _card(word: str) -> int:
    upper = word.upper().replace("10", "T")
    if len(upper) != 2 or upper[0] not in RANKS or upper[1] not in SUITS:
        raise ValueError(f'"{word[:20]}" is no card; accepted: rank, A 2 to 9 T J Q K, and suit, C D H S, as in TD')
    return RANKS.index(upper[0]) * len(SUITS) + SUITS.index(upper[1])


def _foundations(words: list[str]) -> list[int]:
    """Read the top cards of foundations, as in H-2 C-A; 0 stands for none."""
    found = [0] * len(SUITS)
    for word in words:
        suit, _, rank = word.upper().replace("10", "T").partition("-")
        if len(suit) != 1 or suit not in SUITS or len(rank) != 1 or rank not in "0" + RANKS:
            raise ValueError(f'"{word[:20]}" is no foundation; accepted: suit and highest rank, as in H-2, or H-0')
        found[SUITS.index(suit)] = ("0" + RANKS).index(rank)
    return found


def _check(layout: Layout) -> None:
    """Refuse a position that cannot come up; raises ValueError."""
    if len(layout.cascades) != CASCADES:
        counted = f"{len(layout.cascades)} cascade{'s' * (len(layout.cascades) != 1)}"
        raise ValueError(f"it has {counted}; accepted: {ACCEPTED}")
    if len(layout.cells) > CELLS:
        raise ValueError(f"it has {len(layout.cells)} cards in cells; accepted: up to {CELLS}")
    home = [rank * 4 + suit for suit, count in enumerate(layout.foundations) for rank in range(count)]
    cards = [*home, *layout.cells, *(card for cascade in layout.cascades for card in cascade)]
    for card in range(CARDS):
        if cards.count(card) != 1:
            times = "twice" if card in cards else "missing"
            raise ValueError(f"{name(card)} is {times}; accepted: each of the {CARDS} cards once")
    for number, cascade in enumerate(layout.cascades, 1):
        tallest = max((row + card // 4 + 1 for row, card in enumerate(cascade)), default=0)
        if tallest > ROWS:
            raise ValueError(
                f"cascade {number} could grow to {tallest} cards; accepted: cascades that stay within {ROWS}"
            )
