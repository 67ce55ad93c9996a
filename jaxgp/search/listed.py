"""Games for one with their legal actions in a list, for searches that play very many games.

A game may have thousands of actions, a few dozen of them legal at once. A search that draws by a table of weights
would spend its time on illegal actions. A `ListedGame` lists the legal ones. `Listed` turns any game for one into a
`ListedGame`; rules that maintain the list themselves can be much faster.
"""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.contracts import Game, State
from jaxgp.search.chance import refuse_chance, unused_key

ListedNode = TypeVar("ListedNode")

LANES = 8
"""Short lists are laid out in rows of this many numbers, which a CPU adds side by side."""


class ListedGame(Protocol[ListedNode]):
    """A game for one without chance that lists its legal actions. It has A actions and lists of M slots.

    Methods take no keys: a search begins the same game again and again, so there is one opening.
    """

    @property
    def num_actions(self) -> int: ...

    @property
    def slots(self) -> int: ...

    def init(self) -> ListedNode:
        """Return the opening, always the same."""

    def options(self, state: ListedNode) -> Array:
        """Return int32[M]: each legal action once, in any order and any slots, and A in all other slots."""

    def step(self, state: ListedNode, action: Array) -> ListedNode:
        """Play an action (int32[]); the action A changes nothing."""

    def score(self, state: ListedNode) -> Array:
        """Return float32[seats], as of any game."""

    def overflow(self, state: ListedNode) -> Array:
        """Return bool[]: whether this position or one before it had more legal actions than slots."""


@struct.dataclass
class Listing(Generic[State]):
    """A position of any game, and whether the list has overflowed in it or before it."""

    state: State
    overflow: Array  # bool[]


@dataclass(frozen=True)
class Listed(Generic[State]):
    """Any game for one as a `ListedGame`: every position computes the list from `legal_actions`.

    Attributes:
        game: the rules.
        slots: M; if more actions are legal, only the first M can be played.

    Raises:
        ValueError: a game with chance.
    """

    game: Game[State]
    slots: int

    def __post_init__(self) -> None:
        refuse_chance(self.game)

    @property
    def num_actions(self) -> int:
        """A, as of the game."""
        return self.game.num_actions

    def init(self) -> Listing[State]:
        """Return the opening."""
        return self._listing(self.game.init(unused_key()), jnp.bool_(False))

    def options(self, position: Listing[State]) -> Array:
        """Return int32[M]: the legal actions in ascending order, then A."""
        legal = self.game.legal_actions(position.state)
        return jnp.nonzero(legal, size=self.slots, fill_value=self.num_actions)[0].astype(jnp.int32)

    def step(self, position: Listing[State], action: Array) -> Listing[State]:
        """Play an action (int32[]); the action A changes nothing."""
        return self._listing(self.game.step(position.state, action, unused_key()), position.overflow)

    def score(self, position: Listing[State]) -> Array:
        """Return float32[seats]."""
        return self.game.score(position.state)

    def overflow(self, position: Listing[State]) -> Array:
        """Return bool[]: whether there were ever more than M legal actions."""
        return position.overflow

    def _listing(self, state: State, overflow: Array) -> Listing[State]:
        return Listing(state, overflow | (self.game.legal_actions(state).sum() > self.slots))


def sums_before(table: Array) -> Array:
    """Return the exclusive prefix sums of numbers [R, 8] in column-major order, in the same shape and type."""
    rows = [jnp.zeros_like(table[0])]
    for row in table[:-1]:
        rows.append(rows[-1] + row)
    columns = table.sum(0, dtype=table.dtype)
    return jnp.stack(rows) + jnp.where(np.triu(np.ones((LANES, LANES), bool), 1), columns[:, None], 0).sum(0)
