"""Tiny games: two without extra turns, and one with extra turns and passes, which plain Python plays as well."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import freeze
from jaxgp.contracts import ListsMoves
from jaxgp.search.lookahead import Twin

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


class Toy:
    """What all of these games are."""

    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 2
    chance: ClassVar[bool] = False

    @property
    def name(self):
        return type(self).__name__


@dataclass(frozen=True)
class TicTacToe(Toy):
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
class Nim(Toy):
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
class PassGame(Toy):
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


@dataclass(frozen=True)
class ListedPassGame(PassGame, ListsMoves):
    """The same, which lists its legal moves."""

    @property
    def most_choices(self) -> int:
        return self.num_actions

    def choices(self, state: Board) -> Array:
        return self.legal_actions(state).sum(dtype=jnp.int32)

    def choice(self, state: Board, place: Array) -> Array:
        return jnp.where(self.legal_actions(state)[2], 2, place).astype(jnp.int32)


@struct.dataclass
class Reversed:
    """A board of `PassGame` whose seat 0 is seat 1."""

    board: Board

    @property
    def to_move(self) -> Array:
        return 1 - self.board.to_move

    @property
    def terminated(self) -> Array:
        return self.board.terminated

    @property
    def returns(self) -> Array:
        return self.board.returns[::-1]


@dataclass(frozen=True)
class ReversedPassGame(Twin):
    """A twin of `PassGame`: the same moves, with states of its own."""

    game: PassGame
    num_actions: int = 3

    def pack(self, state: Board) -> Reversed:
        return Reversed(state)

    def unpack(self, words: Reversed) -> Board:
        return words.board

    def legal_actions(self, state: Reversed) -> Array:
        return self.game.legal_actions(state.board)

    def step(self, state: Reversed, action: Array, key: Array) -> Reversed:
        return Reversed(self.game.step(state.board, action, key))


class Coins:
    """`PassGame` in plain Python. A position is ends and points as in the cells of a board, and the seat to move."""

    def __init__(self, game: PassGame) -> None:
        self.rows = game.rows

    def opening(self):
        return (0, len(self.rows[0]), 0, len(self.rows[1]), 0, 0), 0

    def ended(self, position) -> bool:
        cells, _ = position
        return cells[0] >= cells[1] and cells[2] >= cells[3]

    def moves(self, position) -> list[int]:
        cells, mover = position
        if self.ended(position):
            return []
        return [0, 1] if cells[2 * mover] < cells[2 * mover + 1] else [2]

    def play(self, position, action):
        cells, mover = list(position[0]), position[1]
        if action == 2:
            return tuple(cells), 1 - mover
        at = cells[2 * mover] if action == 0 else cells[2 * mover + 1] - 1
        coin = self.rows[mover][at]
        cells[2 * mover + action] += 1 - 2 * action
        cells[4 + mover] += coin
        return tuple(cells), mover if coin > 2 else 1 - mover

    def met(self, number, seed=0):
        """Positions met in random play, ended games among them."""
        rng, found = np.random.default_rng(seed), []
        while len(found) < number:
            position = self.opening()
            found.append(position)
            while moves := self.moves(position):
                position = self.play(position, int(rng.choice(moves)))
                found.append(position)
        return [found[i] for i in rng.permutation(len(found))[:number]]

    def states(self, positions) -> Board:
        """Positions as a batch of boards."""
        cells = np.array([cells for cells, _ in positions], np.int8)
        ended = np.array([self.ended(position) for position in positions])
        sign = np.sign(cells[:, 4].astype(np.float32) - cells[:, 5]) * ended
        mover = np.array([mover for _, mover in positions], np.int32)
        return Board(cells, mover, ended, np.stack([sign, -sign], 1))

    def values(self, position, depth, value) -> dict[int, float]:
        """What plain minimax finds each move worth to the mover; `value` is of a position, as its mover sees it."""
        mover = position[1]
        return {a: self._worth(self.play(position, a), depth - 1, value, mover) for a in self.moves(position)}

    def _worth(self, position, depth, value, seat) -> float:
        """What a position is worth to a seat."""
        moves, mover = self.moves(position), position[1]
        if depth == 0 or not moves:
            return value(position) if mover == seat else -value(position)
        best = max(self._worth(self.play(position, a), depth - 1, value, mover) for a in moves)
        return best if mover == seat else -best
