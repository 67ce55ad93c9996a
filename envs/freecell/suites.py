"""Suites of deals for genomes that order the positions of a search, and fixed orders to compare with."""

import re
from collections import Counter
from functools import lru_cache

import numpy as np

from envs.freecell import roles
from envs.freecell.cards import DEALS, FIRST
from envs.freecell.heuristics import HEURISTICS, MORE
from envs.freecell.rules import FreeCell
from envs.freecell.states import positions
from jaxgp.errors import reject
from jaxgp.spec import Instances, Strategy

ALL = "MS"
"""The deals of the first version."""
EVERY = 32
"""Multiples of it, 1,000 deals of the first version, are for training; the source draws as many at random. So are all
deals of later versions, which nobody reports on."""
RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
ACCEPTED = (
    f"{ALL}, deals 1 to {FIRST}; or as many numbers from 1 to {DEALS} and ranges of them, such as 1-100 or 1-9,617"
)

WEIGHED = {
    "Heineman": {"HeinemanScore": 1.0},
    "HighestHomeCard": {"HighestHomeCard": 1.0},
    "DifferenceHome": {"DifferenceHome": 1.0},
    # Section 11.3 of the source, "one of our best solvers".
    "GA-FreeCell": {
        "NumCardsNotAtFoundations": 0.09,
        "HSDH": 0.01,
        "DifferenceFromTop": 0.77,
        "LowestHomeCard": 0.01,
        "HighestHomeCard": 0.08,
        "NumberWellPlaced": 0.01,
        "DifferenceHome": 0.01,
        "SumOfBottomCards": 0.02,
    },
}
"""Fixed orders by name: the weights that are not 0. The source reports on the last three, and on HSDH."""


def names(game: FreeCell) -> tuple[str, ...]:
    """Return the suite of the deals of the first version."""
    del game
    return (ALL,)


def instances(game: FreeCell, name: str, option: str) -> Instances:
    """Return the deals of the first version, or some numbered ones; `option` named them, for messages.

    Deals are in the order in which they are named. Those for training are the multiples of `EVERY` and the deals above
    `FIRST`.

    Raises:
        UsageError: what is neither the suite nor numbers of deals.
    """
    del game
    return _prepared(tuple(range(1, FIRST + 1)) if name == ALL else _numbers(name, option))


def _numbers(name: str, option: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in name.split(","):
        read = RANGE.fullmatch(part.strip())
        if read is None:
            reject(option, name, ACCEPTED)
        first = int(read[1])
        last = int(read[2] or first)
        if not 1 <= first <= last <= DEALS:
            reject(option, name, f"{ACCEPTED}; {part.strip()} is none of them")
        if len(found) + last - first >= FIRST:
            reject(option, name, ACCEPTED)
        found.extend(range(first, last + 1))
    twice, count = Counter(found).most_common(1)[0]
    if count > 1:
        reject(option, name, f"each deal once; {twice} is there twice")
    return tuple(found)


@lru_cache(maxsize=4)
def _prepared(numbers: tuple[int, ...]) -> Instances:
    test = np.array([number <= FIRST and number % EVERY != 0 for number in numbers])
    return Instances(tuple(map(str, numbers)), positions(numbers), test)


def strategy(name: str, game: FreeCell) -> Strategy:
    """Return a fixed order; raises ValueError for an unknown name."""
    del game
    if name not in WEIGHED:
        raise ValueError(f"accepted: {', '.join(WEIGHED)}")
    given = WEIGHED[name]
    text = " ".join(f"{given.get(one.name, 0):g}" for one in (*HEURISTICS, *MORE))
    return Strategy(
        roles.WEIGHTS.name, roles.SolverOptions(heuristics="more"), f"(PROGRAM {text})", ("heuristics", "rising")
    )
