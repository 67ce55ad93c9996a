"""What programs see of a node of a search: the nine heuristics of the source, more of them, and advisors.

Source: Sipper, "Evolved to Win", tables 11.1 and 11.4; Heineman's score as his program computes it. A card has the
values 1, ace, to 13, king. The bottom card of a cascade is the first one that was dealt there, its top card the one
that can move. `tests/reference/freecell.py` computes the same from names of cards.

The book leaves these points open:

- DifferenceFromTop: the mean of the top cards is taken over the cascades that have cards. Where there is none the value
  is 0. A foundation without cards counts as 0 in the other mean.
- SumOfBottomCards: an empty cascade counts as 0.
- NumberWellPlaced: a cascade of one card is well placed; an empty one has no cards.
- LastCardMoved, of several cards that move together: the lowest one in the pile, which has the highest value.
- NumberOfSiblings and NumberOfChildren count legal moves. A move and the one that differs by the choice among free
  cells, or among empty cascades, are one.
- IsMoveToSortedPile: the target is a cascade, and all its cards are in sequence after the move. It is so for an empty
  one.
- Advisors of the last move are false, and 0, at the root.
- PhaseByX is 0 where g + X is 0, and a value of X below 0 counts as 0.
- The numbers by which heuristics are divided. Those here are in `FEATURES`.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.freecell.cards import CARDS, CASCADES, CELLS, RANKS, ROWS, fits
from envs.freecell.moves import HOME, TABLE
from envs.freecell.rules import FreeCell
from envs.freecell.states import EMPTY, SUITS, State, run_lengths, top_cards
from jaxgp.search.puzzles.children import Child


@dataclass(frozen=True)
class Feature:
    """One number that programs see.

    Attributes:
        name: what the tables of the source call it.
        says: what it is, in a few words.
        truth: whether it is 0 or 1.
        heuristic: whether it is one that a weight can stand before.
        rises: of a heuristic, whether it grows towards the goal; the others fall. The source gives all of them weights
            from 0 to 1 and says nothing of signs. SumOfBottomCards falls as kings come to the bottom of cascades, but
            rises as cascades become empty.
        most: what it is divided by to be 1 at most; a greater number counts as 1. Those of HSDH, of Heineman's score
            and of the counts of moves were the greatest in 1,228,800 positions of random walks from 2,048 deals, half
            of them with automatic play, rounded up. That of g is close to the mean length of solutions of HSD with
            HSDH in the source.
        parts: of a heuristic, into how many parts 1 is divided so that it is a whole number of them.
    """

    name: str
    says: str
    truth: bool = False
    heuristic: bool = False
    rises: bool = False
    most: float = 1.0
    parts: int = 1


HEURISTICS = (
    Feature("HSDH", "cards on the next cards of the foundations; twice that without room", heuristic=True, most=100),
    Feature("NumberWellPlaced", "cards of cascades that are in sequence", heuristic=True, rises=True, most=CARDS),
    Feature("NumCardsNotAtFoundations", "cards that are not on the foundations", heuristic=True, most=CARDS),
    Feature("FreeCells", "empty cells and empty cascades", heuristic=True, rises=True, most=HOME),
    Feature(
        "DifferenceFromTop",
        "mean top card of cascades less mean top card of foundations",
        heuristic=True,
        most=13,
        parts=math.lcm(*range(1, CASCADES + 1)),
    ),
    Feature("LowestHomeCard", "13 less the lowest foundation", heuristic=True, most=13),
    Feature("HighestHomeCard", "the highest foundation", heuristic=True, rises=True, most=13),
    Feature("DifferenceHome", "the highest foundation less the lowest one", heuristic=True, most=13),
    Feature("SumOfBottomCards", "100 less the bottom cards of cascades", heuristic=True, most=100),
)
ADVISORS = (
    Feature("IsMoveToFreecell", "the last move went to a cell", truth=True),
    Feature("IsMoveToCascade", "the last move went to a cascade", truth=True),
    Feature("IsMoveToFoundation", "the last move went to a foundation", truth=True),
    Feature("IsMoveToSortedPile", "the last move went to a cascade that is in sequence", truth=True),
    Feature("LastCardMoved", "the value of the last card moved", most=13),
    Feature("NumberOfSiblings", "legal moves of the position before", most=40),
    Feature("NumberOfChildren", "legal moves of the position", most=40),
    Feature("DifficultyLevel", "where the deal stands among those of its set, by difficulty"),
    *(Feature(f"PhaseBy{one.name}", f"g / (g + {one.name})") for one in HEURISTICS),
    Feature("g", "moves from the root", most=250),
)
MORE = (
    Feature("HeinemanScore", "HSDH, and 26 less the next values of the foundations", heuristic=True, most=120),
    Feature("Disorder", "cards of cascades that lie on a card that they do not fit", heuristic=True, most=44),
)
"""Heuristics that the source does not have."""
FEATURES = (*HEURISTICS, *MORE, *ADVISORS)
"""The heuristics of table 11.1, two more, and the advisors of table 11.4, in their order."""
BY_NAME = {one.name: one for one in FEATURES}
COUNTS = (
    *(BY_NAME[name] for name in ("NumCardsNotAtFoundations", "Disorder", "NumberWellPlaced")),
    *(BY_NAME[name] for name in ("HighestHomeCard", "DifferenceHome")),
    Feature("OnNext", "cards on the next cards of the foundations", heuristic=True, most=100),
    Feature("CardsInCells", "cards in cells", heuristic=True, most=CELLS),
    Feature("EmptyCascades", "empty cascades", heuristic=True, rises=True, most=CASCADES),
    Feature("NoVacancy", "no cell and no cascade is empty", truth=True, heuristic=True),
    Feature("OneVacancy", "one cell or cascade at most is empty", truth=True, heuristic=True),
    Feature("KingsAtBottom", "kings at the bottom of cascades", heuristic=True, rises=True, most=CASCADES),
    Feature("Covering", "cards of cascades that lie above a card of a lower rank", heuristic=True, most=44),
    Feature("Breaks", "cards that are counted by both Covering and Disorder", heuristic=True, most=44),
    Feature("Moves", "moves from the root", heuristic=True, most=250),
)
"""Heuristics in cards, places and moves, which are not divided: a weight is the price of one of them.

The first five are in the source or in `MORE`; the others are not. OnNext is HSDH without its doubling.
"""


class Seen(NamedTuple):
    """What several heuristics look at."""

    tops: Array  # int8[8]: top cards, or EMPTY
    runs: Array  # int8[8]: cards in sequence at the top
    bottoms: Array  # int8[8]: bottom cards, or EMPTY


def view(game: FreeCell, options: object, node: Child, count: int = len(FEATURES)) -> Array:
    """Return float32[F]: the first `count` of the `FEATURES` of a node, as they are, in their order.

    The compiler drops what the others need, which it would not do if they were cut off afterwards.
    """
    del options
    state, seen = node.state, _seen(node.state)
    nine = _nine(state, seen)
    numbers = (
        *nine,
        heineman_score(state),
        disorder(state),
        *_last_move(node, seen),
        jnp.where(node.action < 0, 0, node.siblings),
        game.choices(state),
        state.level,
        *(phase(node.depth, one) for one in nine),
        node.depth,
    )
    return jnp.stack([jnp.asarray(number, jnp.float32) for number in numbers[:count]])


def shares(seen: Array) -> Array:
    """Return float32[..., F]: the first F features (float32[..., F]), each divided by its greatest value, at most 1.

    DifferenceFromTop and HeinemanScore can be below 0. Divided means multiplied by the reciprocal in float32, as XLA
    does anyway where it optimises.
    """
    greatest = np.array([one.most for one in FEATURES[: seen.shape[-1]]], np.float32)
    return jnp.minimum(seen * (1 / greatest), 1.0)


def heuristics(state: State) -> Array:
    """Return float32[9]: the heuristics of table 11.1, as they are, in their order."""
    return jnp.stack([jnp.asarray(one, jnp.float32) for one in _nine(state, _seen(state))])


def hsdh(state: State) -> Array:
    """Return int32[], HSDH: cards that lie on the next card of each foundation, summed over the foundations.

    A next card in a cell has none on it, and a foundation that is complete has no next card. The sum is doubled if no
    cell and no cascade is empty.
    """
    return on_next(state) * jnp.where(vacancies(state) == 0, 2, 1)


def on_next(state: State) -> Array:
    """Return int32[], OnNext: cards that lie on the next card of each foundation, summed over the foundations."""
    following = state.foundations * SUITS + np.arange(SUITS, dtype=np.int8)
    wanted = (state.cascades[:, :, None] == following).any(-1)
    return jnp.where(wanted, state.heights[:, None] - 1 - np.arange(ROWS, dtype=np.int8), 0).sum(dtype=jnp.int32)


def counts(node: Child) -> Array:
    """Return float32[14]: the numbers of `COUNTS` of a node, as they are, in their order."""
    state, seen = node.state, _seen(node.state)
    _, well, left, room, _, _, highest, difference, _ = _nine(state, seen)
    loose, covering, both = _disorders(state)
    numbers = (
        left,
        loose,
        well,
        highest,
        difference,
        on_next(state),
        (state.cells >= 0).sum(dtype=jnp.int32),
        (state.heights == 0).sum(dtype=jnp.int32),
        room == 0,
        room <= 1,
        (seen.bottoms >> 2 == len(RANKS) - 1).sum(dtype=jnp.int32),
        covering,
        both,
        node.depth,
    )
    return jnp.stack([jnp.asarray(number, jnp.float32) for number in numbers])


def _disorders(state: State) -> tuple[Array, Array, Array]:
    """Return int32[] each: Disorder, Covering, and how many cards are counted by both."""
    # Row by row: on a CPU that takes a tenth of the time of a cumulative minimum. The rank of no card is the lowest,
    # and nothing lies above it.
    lowest = state.cascades[:, 0] >> 2
    found = [jnp.zeros(CASCADES, jnp.int8)] * 3
    for row in range(1, ROWS):
        card = state.cascades[:, row]
        loose, covers = ~fits(card, state.cascades[:, row - 1]) & (card >= 0), lowest < card >> 2
        found = [total + one for total, one in zip(found, (loose, covers, loose & covers), strict=True)]
        lowest = jnp.minimum(lowest, card >> 2)
    loose, covers, both = (total.sum(dtype=jnp.int32) for total in found)
    return loose, covers, both


def heineman_score(state: State) -> Array:
    """Return int32[]: the score of Heineman's program; it is -30 at the goal, and lower is better.

    That is HSDH plus 26, less the values of the next card of each foundation, 14 for one that is complete.
    """
    return hsdh(state) + 26 - SUITS - state.foundations.sum(dtype=jnp.int32)


def disorder(state: State) -> Array:
    """Return int32[], Disorder: cards of cascades that lie on a card that they do not fit; 44 at most."""
    return _disorders(state)[0]


def vacancies(state: State) -> Array:
    """Return int32[], FreeCells: empty cells and empty cascades."""
    return (state.cells < 0).sum(dtype=jnp.int32) + (state.heights == 0).sum(dtype=jnp.int32)


def phase(depth: Array, value: Array) -> Array:
    """Return float32[]: g / (g + X), 0 where both are 0; X below 0 counts as 0."""
    both = depth + jnp.maximum(value, 0).astype(jnp.float32)
    return depth / jnp.where(both > 0, both, 1)


def _seen(state: State) -> Seen:
    return Seen(top_cards(state), run_lengths(state), state.cascades[:, 0])


def _nine(state: State, seen: Seen) -> tuple[Array, ...]:
    lowest, highest = state.foundations.min().astype(jnp.int32), state.foundations.max().astype(jnp.int32)
    home = state.foundations.sum(dtype=jnp.int32)
    piles = (state.heights > 0).sum(dtype=jnp.int32)
    mean = _values(seen.tops).sum(dtype=jnp.int32) / jnp.maximum(piles, 1)
    return (
        hsdh(state),
        jnp.where(seen.runs == state.heights, state.heights, 0).sum(dtype=jnp.int32),
        CARDS - home,
        vacancies(state),
        jnp.where(piles > 0, mean - home / SUITS, 0.0),
        len(RANKS) - lowest,
        highest,
        highest - lowest,
        100 - _values(seen.bottoms).sum(dtype=jnp.int32),
    )


def _values(card: Array) -> Array:
    """Return int8[...]: values of cards, 0 for EMPTY."""
    return jnp.where(card < 0, 0, (card >> 2) + 1)


def _last_move(node: Child, seen: Seen) -> tuple[Array, ...]:
    """Return the advisors of the last move: bool[] IsMoveToFreecell to IsMoveToSortedPile, and int8[] LastCardMoved."""
    source, target, count = jnp.asarray(TABLE)[jnp.maximum(node.action, 0)]
    moved = node.action >= 0
    rows, columns = np.arange(ROWS, dtype=np.int8), np.arange(CASCADES, dtype=np.int8)
    before = node.before
    begin = before.heights[:, None] - count
    taken = jnp.where((columns == source)[:, None] & (rows == begin), before.cascades, EMPTY).max()
    held = jnp.where(np.arange(CASCADES, HOME, dtype=np.int8) == source, before.cells, EMPTY).max()
    cascade = target < CASCADES
    ordered = ((seen.runs == node.state.heights) & (columns == target)).any()
    value = jnp.where(moved, _values(jnp.maximum(taken, held)), 0)
    kinds = ((target >= CASCADES) & (target < HOME), cascade, target == HOME, cascade & ordered)
    return *(one & moved for one in kinds), value
