"""What programs that value the leaves of a search in Kalah see, and what they are made of.

The language is that of the other board games whose programs value leaves (`envs.stgp`); the terminals are those of
Kalah. A program sees a position as the side to move does, whose cells are the friendly ones. Pits are counted from 1 at
the left of their owner, so that stones are sown from pit 1 towards pit 6 and the store.
"""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jax import Array

from envs import stgp
from envs.mancala.rules import Mancala, State
from jaxgp.genotypes.primitives import Primitive, PrimitiveSet
from jaxgp.options import option

SIDES = ("Friendly", "Enemy")


@dataclass(frozen=True)
class Options:
    """How deep the search is whose leaves a program values."""

    depth: int = option(2, "plies of the search whose leaves a program values", low=1, high=stgp.DEEPEST)


def view(game: Mancala, state: State) -> Array:
    """Return float32[F]: what the side to move sees of a position, in the order of `numbers`."""
    sides = state.board.astype(jnp.int32).reshape(2, game.pits + 1)
    found = {
        f"{name}{what}": count
        for name, own, other in zip(SIDES, sides, sides[::-1], strict=True)
        for what, count in counts(own, other).items()
    }
    found |= {what: found[f"Friendly{what}"] - found[f"Enemy{what}"] for what in DIFFERENCES}
    return jnp.stack([found[name] for name in numbers(game)]).astype(jnp.float32)


def counts(own: Array, other: Array) -> dict[str, Array]:
    """Return int32[] by name: what is counted of one side, from its cells and the other's, int32[pits + 1] each."""
    pits, opposite = own[:-1], other[-2::-1]
    place = np.arange(len(pits))
    moves, end = pits > 0, place + pits
    # The pit in which a move ends that does not leave its own side is empty before it: [from, to].
    takes = moves[:, None] & (end[:, None] == place) & (pits == 0)
    return {
        "Store": own[-1],
        "Stones": pits.sum(),
        "Mobility": moves.sum(),
        "Extra": (moves & (end == len(pits))).sum(),
        "Capture": jnp.max(takes * opposite),
        **{f"Pit{number + 1}": pits[number] for number in place},
    }


DIFFERENCES = ("Store", "Stones")
"""What a program sees the difference of as well, its own minus the opponent's."""


def numbers(game: Mancala) -> list[str]:
    """Return the names of the numbers that a program sees, in their order.

    Store and Stones: stones in the store, and in all pits. Mobility: pits with stones. Extra: pits whose last stone
    would end in the store, without a lap round the board. Capture: the most stones that such a move within the own side
    would capture. Pit1, Pit2, ...: stones in one pit.
    """
    pits = [f"Pit{number}" for number in range(1, game.pits + 1)]
    return [*DIFFERENCES, *(f"{side}{name}" for side in SIDES for name in (*COUNTED, *pits))]


COUNTED = ("Store", "Stones", "Mobility", "Extra", "Capture")


def primitive_set(game: Mancala) -> PrimitiveSet:
    """Build the set."""
    return stgp.language(
        f"mancala-leaves-{game.pits}",
        [Primitive(name, feature=place, latex=f"\\mathrm{{{{{name}}}}}") for place, name in enumerate(numbers(game))],
        [],
    )
