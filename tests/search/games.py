"""Two tiny games without extra turns, and one with passes: enough to see that the search knows no particular game."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from envs.base import freeze

LINES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])


@struct.dataclass
class Board:
    cells: Array
    to_move: Array
    terminated: Array
    returns: Array


def _state(cells) -> Board:
    return Board(jnp.asarray(cells), jnp.int32(0), jnp.bool_(False), jnp.zeros(2, jnp.float32))


def _won_by(seat: Array) -> Array:
    return jnp.where(jnp.arange(2) == seat, 1.0, -1.0).astype(jnp.float32)


@dataclass(frozen=True)
class TicTacToe:
    """Cells hold 0, or 1 + the seat that marked them."""

    num_actions: int = 9

    def init(self, key=None) -> Board:
        return _state(np.zeros(9, np.int8))

    def legal_actions(self, state: Board) -> Array:
        return (state.cells == 0) & ~state.terminated

    def step(self, state: Board, action: Array, key=None) -> Board:
        mark = (state.to_move + 1).astype(jnp.int8)
        cells = jnp.where(jnp.arange(9) == action, mark, state.cells)
        won = (cells[LINES] == mark).all(1).any()
        returns = jnp.where(won, _won_by(state.to_move), 0.0)
        return freeze(state, Board(cells, 1 - state.to_move, won | (cells != 0).all(), returns))


@dataclass(frozen=True)
class Nim:
    """Take any number of stones from one heap; who takes the last one wins. Action: heap * most + number - 1."""

    heaps: tuple[int, ...] = (1, 2, 3)

    @property
    def most(self) -> int:
        return max(self.heaps)

    @property
    def num_actions(self) -> int:
        return len(self.heaps) * self.most

    def init(self, key=None) -> Board:
        return _state(np.array(self.heaps, np.int8))

    def legal_actions(self, state: Board) -> Array:
        take = np.arange(1, self.most + 1)
        return (state.cells[:, None] >= take).reshape(-1) & ~state.terminated

    def step(self, state: Board, action: Array, key=None) -> Board:
        heap, take = action // self.most, action % self.most + 1
        cells = (state.cells - jnp.where(jnp.arange(len(self.heaps)) == heap, take, 0)).astype(jnp.int8)
        ended = (cells == 0).all()
        returns = jnp.where(ended, _won_by(state.to_move), 0.0)
        return freeze(state, Board(cells, 1 - state.to_move, ended, returns))


@dataclass(frozen=True)
class PassGame:
    """Each seat holds coins of fixed worth in a row and takes either end of its own row, or passes when it has none.

    Actions: take left, take right, pass. A coin worth more than two gives another turn. Ends when both rows are gone.
    """

    rows: tuple[tuple[int, ...], tuple[int, ...]] = ((1, 4, 1, 2, 1), (2, 3))
    num_actions: int = 3

    def init(self, key=None) -> Board:
        # Left and right end of each row, and the points of each seat.
        return _state(np.array([0, len(self.rows[0]), 0, len(self.rows[1]), 0, 0], np.int8))

    def legal_actions(self, state: Board) -> Array:
        ends = state.cells[:4].reshape(2, 2)[state.to_move]
        some = ends[0] < ends[1]
        return jnp.stack([some, some, ~some]) & ~state.terminated

    def step(self, state: Board, action: Array, key=None) -> Board:
        width = max(map(len, self.rows))
        coins = jnp.asarray(np.array([[*row, *[0] * (width - len(row))] for row in self.rows], np.int8))
        seat = state.to_move
        ends, points = state.cells[:4].reshape(2, 2), state.cells[4:]
        left, right = ends[seat, 0], ends[seat, 1]
        coin = jnp.where(action == 2, 0, coins[seat, jnp.clip(jnp.where(action == 0, left, right - 1), 0, width - 1)])
        own = jnp.stack([left + (action == 0), right - (action == 1)]).astype(jnp.int8)
        mine = jnp.arange(2) == seat
        ends = jnp.where(mine[:, None], own, ends)
        points = jnp.where(mine, points + coin, points).astype(jnp.int8)
        ended = (ends[:, 0] >= ends[:, 1]).all()
        sign = jnp.sign(points[0].astype(jnp.float32) - points[1])
        returns = jnp.where(ended, jnp.stack([sign, -sign]), 0.0)
        mover = jnp.where(coin > 2, seat, 1 - seat)
        return freeze(state, Board(jnp.concatenate([ends.reshape(-1), points]), mover, ended, returns))
