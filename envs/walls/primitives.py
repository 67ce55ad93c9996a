"""What the rules of a strategy can say: the squares around the player, and three moves."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jax import Array

from envs.walls.rules import State, Walls
from envs.walls.view import OTHER, OWN, SYMBOLS, neighbourhood
from jaxgp.genotypes.rulelists import RuleLanguage, Symmetry

Matching = Literal["strict", "symmetric"]

ACTIONS = ("try-forward", "turn-left", "turn-right")
"""By number, as in `rules.py`; the first is what a player does for whom no rule is valid."""


@dataclass(frozen=True)
class Settings:
    """How a rule list sees the board.

    Attributes:
        mask: rows and columns of the neighbourhood, an odd number from 3 to the size of the board; None: 3, and 5 on
            boards of 7 squares or more.
        matching: `strict`: rules are applied as they are written, north at the top. `symmetric`: the neighbourhood is
            turned until the player faces north, and every rule holds for its mirror image too, with the turns swapped.

    Raises:
        ValueError: an unknown choice, or a mask without a centre.
    """

    mask: int | None = None
    matching: Matching = "symmetric"

    def __post_init__(self) -> None:
        if self.matching not in get_args(Matching):
            raise ValueError(f"program.matching={self.matching}: accepted: {', '.join(get_args(Matching))}")
        whole = isinstance(self.mask, int) and not isinstance(self.mask, bool)
        if self.mask is not None and (not whole or self.mask < 3 or self.mask % 2 == 0):
            raise ValueError(
                f"program.mask={self.mask}: accepted: an odd number from 3 to the size of the board, or null"
            )

    @property
    def symmetric(self) -> bool:
        return self.matching == "symmetric"


def mask_size(game: Walls, settings: Settings) -> int:
    """Return how many rows and columns a player sees."""
    if settings.mask is not None:
        return settings.mask
    return 3 if game.size < 7 else 5


def rule_language(game: Walls, settings: Settings) -> RuleLanguage:
    """Return what rules can say: one condition for every square of the mask; the centre's is the own heading.

    Raises:
        ValueError: the mask is larger than the board.
    """
    size = mask_size(game, settings)
    if size > game.size:
        raise ValueError(f"program.mask={size}: accepted: an odd number from 3 to {game.size}, the size of the board")
    around, centre = tuple(range(OWN)), tuple(range(OWN, len(SYMBOLS)))
    mirrored = np.arange(size * size).reshape(size, size)[:, ::-1].ravel()
    symbols = np.arange(len(SYMBOLS))
    for first in (OTHER, OWN):  # north, east, south, west: a mirror swaps east and west
        symbols[[first + 1, first + 3]] = first + 3, first + 1
    return RuleLanguage(
        name=f"walls-{settings.matching}",
        shape=(size, size),
        symbols=SYMBOLS,
        accepts=tuple(centre if cell == size * size // 2 else around for cell in range(size * size)),
        actions=ACTIONS,
        symmetries=(Symmetry(tuple(mirrored.tolist()), tuple(symbols.tolist()), (0, 2, 1)),),
    )


def view(game: Walls, settings: Settings, state: State) -> Array:
    """Return int8[mask * mask]: what the player to move sees, as codes of the language."""
    return neighbourhood(game, state, mask_size(game, settings), settings.symmetric)
