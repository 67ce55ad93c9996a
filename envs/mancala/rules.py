"""Kalah: sowing, extra turns, captures and the end of the game.

Source of the rules: G. Irving, J. Donkers, J. Uiterwijk, "Solving Kalah", ICGA Journal 23(3), 2000, with the standard
capture (only when the opposite pit holds stones), as in OpenSpiel's `mancala`.

The board is drawn from the side of the player to move and sown counter-clockwise, here with six pits:

             12  11  10   9   8   7          opponent's pits
       13                              6     opponent's store, own store
              0   1   2   3   4   5          own pits
"""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Literal

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import freeze, lost, win_loss
from jaxgp.contracts import Starts
from jaxgp.options import check, option

Capture = Literal["opposite", "always", "never"]
Ends = Literal["either", "mover"]
Remaining = Literal["owner", "opponent", "nobody"]


@struct.dataclass
class State:
    """One position of one game; see the module's drawing for the order of the cells."""

    board: Array  # int8[2 * pits + 2] (int16 above 127 stones): stones in each cell, mover's side first
    to_move: Array  # int32[]: seat that moves next, 0 or 1
    terminated: Array  # bool[]
    returns: Array  # float32[2]: by seat, zero until the end


@dataclass(frozen=True)
class Mancala:
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    pits: int = option(6, "pits on each side", low=1, high=15)
    stones: int = option(4, "stones in each pit at the start", low=1, high=15)
    capture: Capture = option(
        "opposite", "when a last stone in an own empty pit captures; opposite: only with stones in the pit opposite"
    )
    extra_turn: bool = option(True, "whether a last stone in the own store gives another turn")
    ends: Ends = option("either", "when the game ends: either side is empty, or the mover cannot move")
    remaining: Remaining = option(
        "owner", "who gets the stones left at the end: the owner of the pit, the other player, or nobody"
    )

    name: ClassVar[str] = "mancala"
    seats: ClassVar[int] = 2
    chance: ClassVar[bool] = False
    starts: ClassVar[Starts] = "fixed"
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        check(self, "game.")

    @property
    def num_actions(self) -> int:
        """One action for each own pit, from the mover's left."""
        return self.pits

    @property
    def total(self) -> int:
        """Stones on the board, in all cells."""
        return 2 * self.pits * self.stones

    @property
    def store(self) -> int:
        """Cell of the mover's store; the opponent's is the last cell."""
        return self.pits

    @property
    def dtype(self) -> type:
        """Type of the numbers of stones."""
        return np.int8 if self.total <= 127 else np.int16

    def init(self, key: Array) -> State:
        """Return the opening position; no chance is involved, `key` is ignored."""
        del key
        side: np.ndarray = np.array([self.stones] * self.pits + [0], self.dtype)
        return State(
            board=jnp.asarray(np.concatenate([side, side])),
            to_move=jnp.int32(0),
            terminated=jnp.bool_(False),
            returns=jnp.zeros(2, jnp.float32),
        )

    def legal_actions(self, state: State) -> Array:
        """Return bool[pits]: the mover's pits that hold stones; none after the end."""
        return (state.board[: self.pits] > 0) & ~state.terminated

    def step(self, state: State, action: Array, key: Array) -> State:
        """Sow pit `action` (int32[]); an empty pit changes nothing, and nothing changes after the end."""
        del key
        legal, board, again = self._sow(state.board, action)
        board = jnp.where(again, board, self._turn(board))
        mover = jnp.where(again, state.to_move, 1 - state.to_move)
        own, other = board[: self.pits], board[self.pits + 1 : -1]
        ended = ~own.any()
        if self.ends == "either":
            ended |= ~other.any()
        after = State(jnp.where(ended, self._sweep(board), board), mover, ended, jnp.zeros(2, jnp.float32))
        after = dataclasses.replace(after, returns=jnp.where(ended, win_loss(self.score(after)), 0.0))
        return freeze(state, after, legal)

    def score(self, state: State) -> Array:
        """Return float32[2]: stones in the store of each seat."""
        stores = jnp.stack([state.board[self.store], state.board[-1]]).astype(jnp.float32)
        return jnp.where(state.to_move == 0, stores, stores[::-1])

    def lead(self, state: State) -> Array:
        """Return float32[]: the mover's store minus the opponent's."""
        return state.board[self.store].astype(jnp.float32) - state.board[-1].astype(jnp.float32)

    def forfeit(self, state: State) -> State:
        """End the game as a loss of the side to move: all stones but those in its store go to the opponent."""
        own = state.board[self.store]
        board = jnp.zeros_like(state.board).at[self.store].set(own).at[-1].set((self.total - own).astype(own.dtype))
        returns = lost(state.to_move)
        return freeze(state, State(board, state.to_move, jnp.bool_(True), returns))

    def key(self, state: State) -> Array:
        """Return uint32[W]: every cell but the opponent's store (it follows from the rest), packed."""
        bits = 8 if self.total <= 255 else 16
        cells = state.board[:-1].astype(jnp.uint32)
        a_word = 32 // bits
        cells = jnp.pad(cells, (0, -len(cells) % a_word)).reshape(-1, a_word)
        return (cells << np.arange(0, 32, bits, dtype=np.uint32)).sum(1, dtype=jnp.uint32)

    def _sow(self, board: Array, pit: Array) -> tuple[Array, Array, Array]:
        """Sow in closed form, and capture; say whether the pit may be sown, and whether the mover goes on.

        The stones run round a ring of every cell but the opponent's store: each ring cell gets one stone for every
        full lap, and those within reach of the remainder one more.
        """
        pits, store, ring = self.pits, self.store, 2 * self.pits + 1
        cell = np.arange(ring)
        here = (cell == pit) & (cell < pits)
        stones = jnp.where(here, board[:-1], 0).sum(dtype=jnp.int32)
        distance = (cell - pit - 1) % ring
        laps, rest = stones // ring, stones % ring
        sown = jnp.where(here, 0, board[:-1].astype(jnp.int32)) + laps + (distance < rest)
        last = (cell == (pit + stones) % ring) & (stones > 0)
        if self.capture != "never":
            own, other = sown[:pits], sown[:pits:-1]  # other[i] lies opposite own[i]
            hit = last[:pits] & (own == 1)
            if self.capture == "opposite":
                hit &= other > 0
            taken = jnp.where(hit, own + other, 0).sum()
            own, other = jnp.where(hit, 0, own), jnp.where(hit, 0, other)
            sown = jnp.concatenate([own, sown[store : store + 1] + taken, other[::-1]])
        again = last[store] if self.extra_turn else jnp.bool_(False)
        return stones > 0, jnp.concatenate([sown.astype(board.dtype), board[-1:]]), again

    def _turn(self, board: Array) -> Array:
        """Draw the board from the other side."""
        return jnp.concatenate([board[self.pits + 1 :], board[: self.pits + 1]])

    def _sweep(self, board: Array) -> Array:
        """Empty the pits at the end of the game and credit what they held."""
        sides = board.astype(jnp.int32).reshape(2, self.pits + 1)
        left = sides[:, :-1].sum(1, dtype=jnp.int32)
        if self.remaining == "opponent":
            left = left[::-1]
        if self.remaining == "nobody":
            left = jnp.zeros_like(left)
        swept = jnp.zeros_like(sides).at[:, -1].set(sides[:, -1] + left)
        return swept.reshape(-1).astype(board.dtype)


GAME = Mancala
