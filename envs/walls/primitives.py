"""What the rules of a strategy can say: the squares around the player, and three moves."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jax import Array

from envs.walls.rules import State, Walls
from envs.walls.view import OTHER, OWN, SYMBOLS, neighbourhood
from jaxgp.errors import reject
from jaxgp.genotypes.rulelists import RuleLanguage, Symmetry
from jaxgp.options import option

Matching = Literal["strict", "symmetric"]

ACTIONS = ("try-forward", "turn-left", "turn-right")
"""Actions by number, as in `rules.py`. The first is the default action, where no rule is valid."""

LEGEND = """The first rule acts whose conditions all hold; without one the player tries to go forward.
Rows of the squares around the player, from the top, stand between slashes; the player is at the centre.
-  anything    #  beyond the edge    0  empty    A  own brick    B  the opponent's brick
N E S W  the opponent and its heading; at the centre the player's own heading"""
"""How people read a rule of a report."""


@dataclass(frozen=True)
class Options:
    """How a rule list sees the board."""

    mask: int | None = option(
        None,
        "rows and columns of the neighbourhood that a player sees; null: 3, and 5 on boards of 7 squares or more",
        low=3,
        high=999,
        test=lambda mask: mask % 2 == 1,
        accepted="an odd number from 3 to the size of the board",
    )
    matching: Matching = option(
        "symmetric",
        "strict: rules are applied as they are written, north at the top; symmetric: the neighbourhood is turned until "
        "the player faces north, and every rule holds for its mirror image too, with the turns swapped",
    )

    @property
    def symmetric(self) -> bool:
        return self.matching == "symmetric"


def mask_size(game: Walls, options: Options) -> int:
    """Return how many rows and columns a player sees."""
    if options.mask is not None:
        return options.mask
    return 3 if game.size < 7 else 5


def rule_language(game: Walls, options: Options) -> RuleLanguage:
    """Return what rules can say: one condition for every square of the mask; the centre has the player's own heading.

    Raises:
        UsageError: the mask is larger than the board.
    """
    size = mask_size(game, options)
    if size > game.size:
        reject("program.mask", size, f"an odd number from 3 to {game.size}, the size of the board")
    around, centre = tuple(range(OWN)), tuple(range(OWN, len(SYMBOLS)))
    mirrored = np.arange(size * size).reshape(size, size)[:, ::-1].ravel()
    symbols = np.arange(len(SYMBOLS))
    for first in (OTHER, OWN):  # north, east, south, west: a mirror swaps east and west
        symbols[[first + 1, first + 3]] = first + 3, first + 1
    return RuleLanguage(
        name=f"walls-{options.matching}",
        shape=(size, size),
        symbols=SYMBOLS,
        accepts=tuple(centre if cell == size * size // 2 else around for cell in range(size * size)),
        actions=ACTIONS,
        symmetries=(Symmetry(tuple(mirrored.tolist()), tuple(symbols.tolist()), (0, 2, 1)),),
        legend=LEGEND,
    )


def view(game: Walls, options: Options, state: State) -> Array:
    """Return int8[mask * mask]: what the player to move sees, as codes of the language."""
    return neighbourhood(game, state, mask_size(game, options), options.symmetric)
