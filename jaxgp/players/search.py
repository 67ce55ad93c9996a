"""Searched opponents, whose best moves are remembered by position."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from jaxgp.bits import WORD, lot, pack, pick_bit
from jaxgp.contracts import Game
from jaxgp.genotypes.language import Genome
from jaxgp.players.searches import draws, draws_anew
from jaxgp.printable import brief
from jaxgp.search import cores, table
from jaxgp.search.alphabeta import AlphaBeta, best_moves

State = Any


@dataclass(frozen=True)
class SearchOpponent:
    """Plays a best move of an alpha-beta search, the first one or a uniformly random one.

    The best moves of a position are looked up in a table. Only missing positions are searched, each once, even if
    several games wait for it. If the values of the search are drawn anew every time, a reply is found and stored for
    the draw of one ply of one game.

    Attributes:
        search: with `ties="first"` the first best move is played, with `ties="all"` a random one of the best.
        depth: plies, from `search.tail` to `search.max_depth`.
        table_size: slots of the table, a power of two.
        games: games from each seat.
    """

    search: AlphaBeta
    depth: int
    table_size: int
    games: int = 1
    thinks: bool = True
    forfeits: bool = False

    __repr__ = brief

    @property
    def game(self) -> Game:
        return self.search.game

    @property
    def random(self) -> bool:
        return self.search.ties == "all" or draws_anew(self.search)

    def init(self, key: Array) -> table.HashTable:
        words = jax.eval_shape(lambda: self.search.game.key(self.search.game.init(key))).shape[0] + draws_anew(
            self.search
        )
        return table.create(self.table_size, words, payload=-(-self.search.game.num_actions // WORD))

    def reply(
        self, memory: table.HashTable, states: State, bits: Array, active: Array | None = None
    ) -> tuple[Array, Array]:
        del active
        found, payload = table.lookup(memory, self._keys(states, bits)[1])
        best = payload.reshape(*bits.shape, -1)
        tied = self.search.ties == "all"
        return pick_bit(best, bits if tied else jnp.zeros_like(bits))[..., None], found.reshape(bits.shape)

    def think(
        self, memory: table.HashTable, states: State, waiting: Array, bits: Array
    ) -> tuple[table.HashTable, Array]:
        flat, keys = self._keys(states, bits)
        order, count, _ = table.unique(keys, waiting.reshape(-1))
        depth = jnp.full(order.shape, self.depth, jnp.int32)
        roots = jax.tree.map(lambda x: x[order], flat)
        values = cores.search(self.search, roots, depth, count, *draws(self.search, bits.reshape(-1)[order])).values
        best = pack(best_moves(values))
        searched = jnp.arange(len(order)) < count
        return table.insert(memory, keys[order], best, searched), count

    def _keys(self, states: State, bits: Array) -> tuple[State, Array]:
        """Return states [P, M] as [P * M], and uint32[P * M, W]: by what their replies are found in the table."""
        flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), states)
        keys = jax.vmap(self.search.game.key)(flat)
        return flat, jnp.concatenate([keys, bits.reshape(-1, 1)], 1) if draws_anew(self.search) else keys

    def observe(self, memory: table.HashTable, best: Genome, improved: Array) -> table.HashTable:
        del best, improved
        return memory


@dataclass(frozen=True)
class AlternatingOpponent:
    """Moves as a search that is drawn uniformly from several for every move.

    Source: M. Sipper, "Evolved to Win" (2011), section 3.3.5: "hand-crafted players randomly alternate between two
    different material evaluation functions in order to generate a playing strategy that was not entirely predictable".

    Attributes:
        searches: two or more, which differ only in their evaluators.
    """

    searches: tuple[SearchOpponent, ...]
    random: bool = True
    thinks: bool = True
    forfeits: bool = False

    __repr__ = brief

    @property
    def games(self) -> int:
        """Games from each seat."""
        return self.searches[0].games

    def init(self, key: Array) -> tuple[table.HashTable, ...]:
        return tuple(search.init(key) for search in self.searches)

    def reply(
        self, memory: tuple[table.HashTable, ...], states: State, bits: Array, active: Array | None = None
    ) -> tuple[Array, Array]:
        del active
        who, left = lot(bits, len(self.searches))
        answers = [search.reply(own, states, left) for search, own in zip(self.searches, memory, strict=True)]
        moves, known = (jnp.stack(each) for each in zip(*answers, strict=True))
        who = who[None]
        return jnp.take_along_axis(moves, who[..., None], 0)[0], jnp.take_along_axis(known, who, 0)[0]

    def think(
        self, memory: tuple[table.HashTable, ...], states: State, waiting: Array, bits: Array
    ) -> tuple[tuple[table.HashTable, ...], Array]:
        who, left = lot(bits, len(self.searches))
        thought = [
            search.think(own, states, waiting & (who == number), left)
            for number, (search, own) in enumerate(zip(self.searches, memory, strict=True))
        ]
        return tuple(own for own, _ in thought), sum((count for _, count in thought), jnp.int32(0))

    def observe(
        self, memory: tuple[table.HashTable, ...], best: Genome, improved: Array
    ) -> tuple[table.HashTable, ...]:
        del best, improved
        return memory
