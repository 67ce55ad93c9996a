"""How a genome becomes moves: what matches, opponents and agents ask of any kind of evolved player."""

from typing import Any, Protocol

from jax import Array

State = Any


class Player(Protocol):
    """Plays the games of many individuals at once."""

    def prepare(self, genomes: Any, /) -> Any:
        """Derive, once for all their games, what individuals [P, ...] need to act."""
        ...

    def count(self, plans: Any, /) -> int:
        """Return P, how many individuals were prepared."""
        ...

    def act(self, plans: Any, states: State, active: Array | None = None, /) -> tuple[Array, Array]:
        """Return int32[P, M] moves and bool[P, M] whether each is legal, for the states [P, M] of P individuals.

        Only the moves in `active` (bool[P, M], None: all) states need be right.
        """
        ...
