"""Opponents without a search: random moves, fixed strategies; and opponents in the place of individuals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Generic, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from jaxgp.checks.values import whole
from jaxgp.contracts import Alone, Driver, Game, Genomes, Memory, Opponent, Player, Prover, States
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.language import Genome
from jaxgp.options import MAX_GAMES
from jaxgp.players import ply
from jaxgp.players.program import ProgramOpponent
from jaxgp.printable import brief
from jaxgp.spec import Choice, ChoosesTurns, Hand, Spec, Strategy, Turns

Create = Callable[[Array, int], Genome]
"""(key, count) -> random genomes."""


class SearchLimits(Protocol):
    """Limits of opponents' searches; the options of the fitness have these fields."""

    @property
    def table_size(self) -> int:
        """Slots for remembered replies of each search, a power of two."""

    @property
    def lanes(self) -> int | None:
        """Searches that run side by side; None: as many as suit the device."""

    @property
    def tail(self) -> int | None:
        """Last plies that are searched full width; None: as many as suit the device."""


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

    __repr__ = brief

    def __post_init__(self) -> None:
        whole("games", self.games, 1, MAX_GAMES)

    def init(self, key: Array) -> tuple[()]:
        del key
        return ()

    def reply(self, memory: tuple[()], states: States, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        del memory, active
        moves = jax.vmap(jax.vmap(partial(ply.random_move, self.game)))(states, bits)
        return moves[..., None], jnp.ones(bits.shape, bool)

    def think(self, memory: tuple[()], states: States, waiting: Array, bits: Array) -> tuple[tuple[()], Array]:
        del states, waiting, bits
        return memory, jnp.int32(0)

    def observe(self, memory: tuple[()], best: Genomes, improved: Array) -> tuple[()]:
        del best, improved
        return memory


@dataclass(frozen=True)
class OpponentPlayer(Generic[Memory]):
    """An opponent in the place of an individual, so that two opponents can play each other.

    Its one genome is a memory of the opponent, [1, ...]. What it remembers in a move is forgotten after it.

    Attributes:
        opponent: who plays.
    """

    opponent: Opponent[Memory]

    __repr__ = brief

    @property
    def random(self) -> bool:
        """Whether its moves depend on chance."""
        return self.opponent.random

    def prepare(self, memories: Memory) -> Memory:
        """Return the memory that every move begins with."""
        return jax.tree.map(lambda x: x[0], memories)

    def count(self, memory: Memory) -> int:
        """Return 1."""
        del memory
        return 1

    def act(self, memory: Memory, states: States, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[1, M, 1] moves and bool[1, M], whether each is legal, for states [1, M].

        Only the moves in `active` (bool[1, M], None: all) states need be right.
        """
        wanted = ~states.terminated if active is None else active & ~states.terminated
        moves, known = self.opponent.reply(memory, states, bits)

        def think(carry: tuple[Memory, Array, Array]) -> tuple[Memory, Array, Array]:
            # Moves that are known are kept: what is found next may take their place in the opponent's memory.
            memory, moves, known = carry
            memory, _ = self.opponent.think(memory, states, wanted & ~known, bits)
            found, now = self.opponent.reply(memory, states, bits)
            return memory, jnp.where(known[..., None], moves, found), known | now

        if self.opponent.thinks:
            start = memory, moves, known
            _, moves, _ = lax.while_loop(lambda carry: (wanted & ~carry[2]).any(), think, start)
        return jnp.maximum(moves[..., :1], 0), moves[..., 0] >= 0


@dataclass(frozen=True)
class FixedPlayer:
    """A strategy that is a function, in the place of an individual; its genomes, int32[P], mean nothing.

    Attributes:
        choose: how it plays.
    """

    choose: Choice

    random: ClassVar[bool] = True
    """A function may draw its moves."""

    __repr__ = brief

    def prepare(self, genomes: Array) -> Array:
        return genomes

    def count(self, plans: Array) -> int:
        return len(plans)

    def act(self, plans: Array, states: States, bits: Array, active: Array | None = None) -> tuple[Array, Array]:
        """Return int32[P, M, K] moves, all that the function knows, and bool[P, M], all True, for states [P, M].

        `bits` is uint32[P, M]. Only the moves in `active` (bool[P, M], None: all) states need be right.
        """
        del plans
        if not isinstance(self.choose, ChoosesTurns):
            return jax.vmap(jax.vmap(self.choose))(states, bits)[..., None], jnp.ones(bits.shape, bool)
        wanted = jnp.ones(bits.size, bool) if active is None else active.reshape(-1)
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
        moves = self.choose.turns(flat, bits.reshape(-1), wanted)
        return moves.reshape(*bits.shape, -1), jnp.ones(bits.shape, bool)


def strategy(spec: Spec[Turns], game: Turns, name: str | None = None, games: int = 1) -> ProgramOpponent:
    """Seat one of the game's own strategies, by default the first; raises ValueError if there is no such strategy."""
    player, genome = strategist(spec, game, name)

    def create(key: Array, count: int) -> Genome:
        # Made here and not earlier: the first array of a process fixes the number of devices.
        del key, count
        one: Genome = jax.tree.map(lambda x: jax.numpy.asarray(x)[None], genome)
        return one

    return ProgramOpponent(game, player, create, count=1, rounds=games)


def strategist(spec: Spec[Turns], game: Turns, name: str | None = None) -> tuple[Player, Genome]:
    """Return the player and the genome of one of the game's own strategies, by default the first.

    Raises:
        ValueError: these rules have no strategy of that name.
    """
    found = spec.strategy_of(name, game)
    assert not isinstance(found, Hand)  # a strategy plays moves
    if not isinstance(found, Strategy):
        return FixedPlayer(found), np.zeros((), np.int32)
    language, player = spec.role(found.role).make(game, found.options)
    assert not isinstance(player, Alone | Driver | Prover)  # a strategy plays moves
    return player, languages.parse(language, found.text)
