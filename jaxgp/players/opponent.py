"""What the match loop asks of an opponent: replies for many games at once, and a chance to think when it has none."""

from dataclasses import dataclass
from typing import Any, Protocol

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.bits import pick
from jaxgp.genotypes.language import Genome

State = Any
Memory = Any


class Opponent(Protocol):
    """Plays the other side in the games [P, M] of P individuals.

    Attributes:
        games: games that each individual plays against it from each seat; M = 2 * games, first mover's games first.
        random: whether `reply` uses its random bits.
        thinks: whether a reply can be unknown.
        forfeits: whether a reply of -1 can come, which gives the game up.
    """

    @property
    def games(self) -> int: ...

    @property
    def random(self) -> bool: ...

    @property
    def thinks(self) -> bool: ...

    @property
    def forfeits(self) -> bool: ...

    def init(self, key: Array) -> Memory:
        """Return what the opponent carries from generation to generation: arrays only."""
        ...

    def reply(self, memory: Memory, states: State, bits: Array) -> tuple[Array, Array]:
        """Return int32[P, M] moves, and bool[P, M]: whether each is known; `bits` is uint32[P, M]."""
        ...

    def think(self, memory: Memory, states: State, waiting: Array, bits: Array) -> tuple[Memory, Array]:
        """Find replies for at least one of the `waiting` (bool[P, M]) games; return int32[] positions searched.

        The random bits (uint32[P, M]) are those that `reply` will get there next.
        """
        ...

    def observe(self, memory: Memory, best: Genome, improved: Array) -> Memory:
        """See the generation's best individual, and whether it is a new champion (bool[])."""
        ...


@dataclass(frozen=True)
class RandomOpponent:
    """Plays every legal move with equal probability."""

    game: Any
    games: int = 1
    random: bool = True
    thinks: bool = False
    forfeits: bool = False

    def init(self, key: Array) -> Memory:
        del key
        return ()

    def reply(self, memory: Memory, states: State, bits: Array) -> tuple[Array, Array]:
        del memory
        legal = jax.vmap(jax.vmap(self.game.legal_actions))(states)
        return pick(legal, bits), jnp.ones(bits.shape, bool)

    def think(self, memory: Memory, states: State, waiting: Array, bits: Array) -> tuple[Memory, Array]:
        del states, waiting, bits
        return memory, jnp.int32(0)

    def observe(self, memory: Memory, best: Genome, improved: Array) -> Memory:
        del best, improved
        return memory
