"""Chance as an opponent."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.bits import pick
from jaxgp.contracts import Game, Genomes, States


@dataclass(frozen=True)
class RandomOpponent:
    """Plays every legal move with equal probability.

    Attributes:
        game: for its legal moves.
        games: games from each seat.
    """

    game: Game
    games: int = 1
    random: bool = True
    thinks: bool = False
    forfeits: bool = False

    def init(self, key: Array) -> tuple[()]:
        del key
        return ()

    def reply(self, memory: tuple[()], states: States, bits: Array) -> tuple[Array, Array]:
        del memory
        legal = jax.vmap(jax.vmap(self.game.legal_actions))(states)
        return pick(legal, bits), jnp.ones(bits.shape, bool)

    def think(self, memory: tuple[()], states: States, waiting: Array, bits: Array) -> tuple[tuple[()], Array]:
        del states, waiting, bits
        return memory, jnp.int32(0)

    def observe(self, memory: tuple[()], best: Genomes, improved: Array) -> tuple[()]:
        del best, improved
        return memory
