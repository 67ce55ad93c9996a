"""Kalah for searches: the rules of `rules.py` on four machine words instead of an array of cells.

A cell is one byte, and an addition to a word is an addition to its four cells. A step consists of elementwise
operations on single words alone, so that a compiler makes one vectorised loop over positions of it. The work of a
search is all steps: it is several times faster than on the board of `rules.State`.
"""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from envs.mancala.rules import Mancala
from envs.mancala.rules import State as PlainState
from jaxgp.search.lookahead import Twin

_EACH = np.uint32(0x01010101)  # 1 in each byte; the highest byte of a product with it is the sum of all bytes
_PITS = np.uint32(0x00FFFFFF)  # the pits of a second word, without the store
_BYTES = np.arange(0, 32, 8, dtype=np.uint32)


@struct.dataclass
class State:
    """One position of one game: of each side, pits 0 to 3 in one word and pits 4 to 6 and the store in another.

    The first cell of a word is its lowest byte, the store is the highest.
    """

    own: Array  # uint32[]: pits 0 to 3 of the side to move
    own_store: Array  # uint32[]: pits 4 to 6 of the side to move, and its store
    other: Array  # uint32[]: the opponent's side, likewise
    other_store: Array  # uint32[]
    to_move: Array  # int32[]: seat that moves next, 0 or 1

    @property
    def terminated(self) -> Array:
        """bool[]: the mover has no stone. It always has one until the end, where all pits are swept."""
        return (self.own | (self.own_store & _PITS)) == 0

    @property
    def returns(self) -> Array:
        """float32[2]: by seat, zero until the end."""
        sign = jnp.where(self.terminated, jnp.sign(_lead(self)), 0.0)
        return jnp.where(np.arange(2) == self.to_move[..., None], sign[..., None], -sign[..., None])


@dataclass(frozen=True)
class PackedMancala(Twin):
    """What a search needs of the rules. Positions come from `pack`. A packed state does not say who won a game that
    ended by forfeit.

    Attributes:
        game: the rules, with at most 7 pits and 255 stones.
    """

    game: Mancala

    def __post_init__(self) -> None:
        if not fits(self.game):
            raise ValueError(f"game.pits={self.game.pits}: accepted: up to 7, with up to 255 stones on the board")

    @property
    def num_actions(self) -> int:
        return self.game.num_actions

    def pack(self, state: PlainState) -> State:
        """Pack one position."""
        pits = self.game.pits
        cells = state.board.astype(jnp.uint32).reshape(2, pits + 1)
        cells = jnp.insert(cells, np.full(7 - pits, pits), 0, axis=1) if pits < 7 else cells
        words = (cells.reshape(2, 2, 4) << _BYTES).sum(-1, dtype=jnp.uint32)
        return State(words[0, 0], words[0, 1], words[1, 0], words[1, 1], state.to_move)

    def unpack(self, words: State) -> PlainState:
        """Undo `pack`, but for the returns of a forfeited game."""
        sides = jnp.stack([words.own, words.own_store, words.other, words.other_store])
        cells = ((sides[:, None] >> _BYTES) & 255).reshape(2, 8)
        board = cells[:, [*range(self.game.pits), 7]].reshape(-1).astype(self.game.dtype)
        return PlainState(board, words.to_move, words.terminated, words.returns)

    def lead(self, state: State) -> Array:
        """Return float32[]: the mover's store minus the opponent's."""
        return _lead(state)

    def legal_actions(self, state: State) -> Array:
        """Return bool[pits]: the mover's pits that hold stones; none after the end."""
        pit = np.arange(self.game.pits)
        word = jnp.where(pit < 4, state.own, state.own_store)
        return (word & (np.uint32(255) << (8 * (pit % 4)).astype(np.uint32))) != 0

    def step(self, state: State, action: Array, key: Array) -> State:
        """Sow pit `action` (int32[], legal), capture, turn, and sweep the pits at the end."""
        del key
        game, ring = self.game, 2 * self.game.pits + 1
        pit = action.astype(jnp.uint32)
        stones = _cell(state.own, state.own_store, pit)
        laps = (stones * np.uint32(-(-(2**16) // ring))) >> 16  # stones // ring: exact for these few stones
        rest = stones - laps * ring
        own, own_store, other, other_store = self._sow(state, action, laps, rest)
        end = pit + rest  # ring cell of the last stone, not yet wrapped
        again = (end == game.pits) | state.terminated if game.extra_turn else state.terminated
        if game.capture != "never":
            last = jnp.where(end >= ring, end - ring, end)
            opposite = game.pits - 1 - last  # garbage, and not used, where the last cell is no own pit
            lies = _cell(other, other_store, opposite)
            hit = (last < game.pits) & (_cell(own, own_store, last) == 1)
            if game.capture == "opposite":
                hit &= lies > 0
            emptied, taken = _clear(own, own_store, last), _clear(other, other_store, opposite)
            own = jnp.where(hit, emptied[0], own)
            own_store = jnp.where(hit, emptied[1] + ((lies + 1) << 24), own_store)
            other, other_store = jnp.where(hit, taken[0], other), jnp.where(hit, taken[1], other_store)
        own, other = jnp.where(again, own, other), jnp.where(again, other, own)
        own_store, other_store = jnp.where(again, own_store, other_store), jnp.where(again, other_store, own_store)
        return self._sweep(
            State(own, own_store, other, other_store, jnp.where(again, state.to_move, 1 - state.to_move))
        )

    def _sow(self, state: State, action: Array, laps: Array, rest: Array) -> list[Array]:
        """Give each cell of the ring a stone for each lap, and one more to the `rest` cells after the pit, which is
        empty.

        The cell next to the pit has distance 0. A cell gets the extra stone if `distance < rest`: then the sum of
        `rest` and 127 - distance carries into the highest bit of its byte. No sum leaves its byte.
        """
        ring, within, keep = _tables(self.game.pits)
        words = (state.own, state.own_store, state.other, state.other_store)
        return [
            (word & _at(keep[:, i], action) if i < 2 else word)
            + laps * ring[i]
            + (((_at(within[:, i], action) + rest * _EACH) >> 7) & ring[i])
            for i, word in enumerate(words)
        ]

    def _sweep(self, state: State) -> State:
        """Empty the pits if the game has ended, and credit what they held."""
        pits, others = state.own_store & _PITS, state.other_store & _PITS
        ended = (state.own | pits) == 0
        if self.game.ends == "either":
            ended |= (state.other | others) == 0
        left, right = (((low + high) * _EACH) & ~_PITS for low, high in ((state.own, pits), (state.other, others)))
        if self.game.remaining == "opponent":
            left, right = right, left
        if self.game.remaining == "nobody":
            left, right = jnp.zeros_like(left), jnp.zeros_like(right)
        return State(
            own=jnp.where(ended, 0, state.own),
            own_store=jnp.where(ended, (state.own_store & ~_PITS) + left, state.own_store),
            other=jnp.where(ended, 0, state.other),
            other_store=jnp.where(ended, (state.other_store & ~_PITS) + right, state.other_store),
            to_move=state.to_move,
        )


def fits(game: Mancala) -> bool:
    """Return whether every cell of the game fits a byte and every side two words."""
    return game.pits <= 7 and game.total <= 255


def _lead(state: State) -> Array:
    own, other = ((word >> 24).astype(jnp.int32) for word in (state.own_store, state.other_store))
    return (own - other).astype(jnp.float32)


def _at(column: np.ndarray, action: Array) -> Array:
    """Look up an action that is known to be legal, without a check of its bounds."""
    return jnp.asarray(column).at[action].get(mode="promise_in_bounds")


def _cell(low: Array, high: Array, pit: Array) -> Array:
    """Return uint32[]: stones in a pit of a side."""
    return (jnp.where(pit < 4, low, high) >> ((pit & 3) << 3)) & 255


def _clear(low: Array, high: Array, pit: Array) -> tuple[Array, Array]:
    """Return the words of a side without the stones of a pit."""
    keep = ~(np.uint32(255) << ((pit & 3) << 3))
    return jnp.where(pit < 4, low & keep, low), jnp.where(pit < 4, high, high & keep)


def _tables(pits: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return constants of a game with this number of pits, as words.

    Returns:
        uint32[4]: one in each cell of the ring, which is all cells but the opponent's store; uint32[pits, 4]: by pit
        sown, 127 - distance of each cell in the ring; uint32[pits, 4]: all bits but those of the pit.
    """
    places = np.array([*range(pits), 7, *range(8, 8 + pits)])  # byte of each ring cell
    ring, distance, keep = np.zeros(16, int), np.full((pits, 16), 127), np.full((pits, 16), 255)
    ring[places] = 1
    pit, cell = np.arange(pits)[:, None], np.arange(2 * pits + 1)
    distance[:, places] = (cell - pit - 1) % (2 * pits + 1)
    keep[np.arange(pits), np.arange(pits)] = 0
    return _words(ring), _words(127 - distance), _words(keep)


def _words(cells: np.ndarray) -> np.ndarray:
    """Pack bytes, int[..., 16], into words, uint32[..., 4]."""
    words: np.ndarray = (cells.astype(np.uint32).reshape(*cells.shape[:-1], 4, 4) << _BYTES).sum(-1, dtype=np.uint32)
    return words
