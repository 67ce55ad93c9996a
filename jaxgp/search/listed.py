"""Games with their legal actions in a list: what searches that play very many games go by.

A game may have thousands of actions of which a few dozen are legal at once. A search that draws by a table of weights
then spends its time on what is not legal. A listed game hands out the legal ones:

- `num_actions` and `slots`: A and M;
- `init() -> State`;
- `options(state) -> int32[M]`: the legal actions, each once, in any order, in any slots, and A in the other slots;
  none are legal after the end;
- `step(state, action) -> State`; the action A changes nothing;
- `score(state) -> float32[2]`, as of any game;
- `crowded(state) -> bool[]`: whether there were, at any time, more legal actions than slots.

`Listed` makes one of any game. A game whose rules keep the list themselves can be much faster.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

State = Any

LANES = 8
"""Short lists are taken as rows of so many, which a CPU takes at once; along a last axis it adds up one by one."""


class ListedGame(Protocol):
    """See above."""

    @property
    def num_actions(self) -> int: ...

    @property
    def slots(self) -> int: ...

    def init(self) -> State: ...

    def options(self, state: State) -> Array: ...

    def step(self, state: State, action: Array) -> State: ...

    def score(self, state: State) -> Array: ...

    def crowded(self, state: State) -> Array: ...


@struct.dataclass
class Position:
    """A position of any game."""

    state: State
    crowded: Array  # bool[]


@dataclass(frozen=True)
class Listed:
    """A game by its contract, its legal actions sought out anew in each position.

    Attributes:
        game: the rules.
        slots: M, legal actions that a position can have.
    """

    game: Any
    slots: int

    @property
    def num_actions(self) -> int:
        """As of the game."""
        return int(self.game.num_actions)

    def init(self) -> Position:
        """Return the opening."""
        return self._position(self.game.init(), jnp.bool_(False))

    def options(self, position: Position) -> Array:
        """Return int32[M]: the legal actions in ascending order, then A."""
        legal = self.game.legal_actions(position.state)
        return jnp.nonzero(legal, size=self.slots, fill_value=self.num_actions)[0].astype(jnp.int32)

    def step(self, position: Position, action: Array) -> Position:
        """Play an action."""
        # What the game makes of an action that it does not have is its own affair, so it gets another and is not heard.
        given = action < self.num_actions
        state = self.game.step(position.state, jnp.where(given, action, 0))
        state = jax.tree.map(lambda a, b: jnp.where(given, a, b), state, position.state)
        return self._position(state, position.crowded)

    def score(self, position: Position) -> Array:
        """Return float32[2]."""
        return self.game.score(position.state)

    def crowded(self, position: Position) -> Array:
        """Return bool[]."""
        return position.crowded

    def _position(self, state: State, crowded: Array) -> Position:
        return Position(state, crowded | (self.game.legal_actions(state).sum() > self.slots))


def sums_before(table: Array) -> Array:
    """Return of numbers [R, 8], column by column, the sum of all that come before each; shape and type are the same."""
    rows = [jnp.zeros_like(table[0])]
    for row in table[:-1]:
        rows.append(rows[-1] + row)
    columns = table.sum(0, dtype=table.dtype)
    return jnp.stack(rows) + jnp.where(np.triu(np.ones((LANES, LANES), bool), 1), columns[:, None], 0).sum(0)
