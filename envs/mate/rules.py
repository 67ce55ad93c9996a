"""Mate in n: the side that moves first has to mate within n of its own moves, whatever the other side does.

Source of the task: M. Sipper, "Evolved to Win" (2011), chapter 6. The rules are those of chess, without draws by
repetition and by 50 moves. Stalemate is no mate, though algorithm 6.1 of the source takes it for one. A problem is
solved by every first move that forces mate within n.

The list of moves is that of `envs.chess.board.moves`: moves that give check are the forcing ones.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from envs.chess.board import fen, position
from envs.chess.board import moves as listing
from envs.chess.board.flights import leaves_flight
from envs.chess.board.moves import MOST, Look, Order
from envs.chess.board.position import Board
from envs.mate import plain
from jaxgp.contracts import Problem, Starts
from jaxgp.errors import UsageError, reject
from jaxgp.options import check, option

SEAT, LEFT = 9, 10
"""Bits of `State.rest`: 9 is the seat that moves, from 10 on moves that the solver may still make."""
REST = (1 << SEAT) - 1
FIRST = "7k/7p/qp2rp2/7P/3Q1p2/2PpP3/P7/R2K2R1 w - - 0 1"
"""One of the problems that come with the game."""


@struct.dataclass
class State:
    """A position of a problem, 36 bytes."""

    planes: Array  # uint32[4, 2]
    rest: Array  # uint32[]: see `envs.chess.board.position.Board`; the seat and the moves left above it

    @property
    def board(self) -> Board:
        """The position alone."""
        return Board(self.planes, self.rest & REST)

    @property
    def to_move(self) -> Array:
        """int32[]: 0, the solver; 1, the other side."""
        return (self.rest >> SEAT & 1).astype(jnp.int32)

    @property
    def left(self) -> Array:
        """int32[]: moves that the solver may still make."""
        return (self.rest >> LEFT).astype(jnp.int32)

    @property
    def terminated(self) -> Array:
        """bool[]: mate, stalemate, or the solver has made all its moves and is to move."""
        return (listing.look(self.board).count == 0) | ((self.left == 0) & (self.to_move == 0))

    @property
    def returns(self) -> Array:
        """float32[2]: the solver has won if it has mated; it has lost at any other end."""
        won = listing.look(self.board).won & (self.to_move == 1)
        return jnp.where(self.terminated, jnp.where(won, 1.0, -1.0), 0.0) * np.array([1, -1], np.float32)


@dataclass(frozen=True)
class Mate(Problem[State]):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    problem: str = option(FIRST, "the position, in FEN; the side to move has to mate")
    moves: int = option(2, "own moves within which it has to mate, n", low=1, high=12)

    name: ClassVar[str] = "mate"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 2
    chance: ClassVar[bool] = False
    starts: ClassVar[Starts] = "instance"
    deepest: ClassVar[int] = 12
    orders: ClassVar[tuple[Order, ...]] = listing.ORDERS
    most_choices: ClassVar[int] = MOST
    num_actions: ClassVar[int] = listing.ACTIONS

    def __post_init__(self) -> None:
        check(self, "game.")

    def laws(self, prefix: str) -> None:
        """Refuse what is no position, or none with a move; raises UsageError."""
        try:
            _ = self.start
            position = plain.start(self.problem)
        except ValueError as error:
            raise UsageError(f"{prefix}problem={self.problem}: {error}") from error
        if not plain.moves(position):
            what = "is mated already" if plain.checked(position) else "has no legal move"
            reject(prefix + "problem", self.problem, "a position with legal moves", f"the side to move {what}")

    @cached_property
    def start(self) -> Board:
        """The position of the problem; raises ValueError."""
        return fen.parse(self.problem)

    def init(self, key: Array) -> State:
        """Return the problem; no chance is involved, `key` is ignored."""
        del key
        return jax.tree.map(jnp.asarray, self.position(self.start, self.moves))

    def position(self, board: Board, left: int) -> State:
        """Return a problem as a state of NumPy arrays."""
        return State(np.asarray(board.planes), np.uint32(int(board.rest) | left << LEFT))  # type: ignore[arg-type]

    def positions(self, problems: list[tuple[str, int]]) -> State:
        """Return problems, FEN and n, as states [N] of NumPy arrays; raises ValueError for what is no position."""
        states = [self.position(fen.parse(text), left) for text, left in problems]
        return jax.tree.map(lambda *x: np.stack(x), *states)

    def look(self, state: State) -> Look:
        """Return what is read off a position without a move."""
        return listing.look(state.board)

    def following(self, look: Look, action: Array, order: Order | None = None) -> Array:
        """Return int32[]: the action after this one (int32[]) in an order; -1 after the last, the first after -1."""
        return listing.following(look, action, order or self.orders[0])

    def choices(self, state: State) -> Array:
        """Return int32[]: how many legal moves there are."""
        return self.look(state).count

    def choice(self, state: State, place: Array) -> Array:
        """Return int32[]: the action at a place (int32[]) of the list; unspecified beyond it."""
        look = self.look(state)
        return lax.fori_loop(0, place + 1, lambda _, action: listing.following(look, action), jnp.int32(-1))

    def advance(self, state: State, action: Array) -> State:
        """Play an action (int32[]) without checking it."""
        board = position.advance(state.board, action)
        solver = state.rest >> SEAT & 1 ^ 1
        return State(board.planes, board.rest | solver << SEAT | ((state.rest >> LEFT) - solver) << LEFT)

    def hopeless(self, state: State, action: Array) -> Array:
        """Return bool[]: an action (int32[]) is surely no mate, since it leaves the king a flight."""
        return leaves_flight(state.board, action)

    def won(self, state: State) -> Array:
        """Return bool[]: the side that has just moved has mated."""
        return self.look(state).won

    def over(self, state: State) -> Array:
        """Return bool[]: there is no legal move."""
        return self.look(state).count == 0

    def left(self, state: State) -> Array:
        """Return int32[]: moves that the solver may still make."""
        return state.left

    def within(self, state: State, left: Array | int) -> State:
        """Return the same position with another number of moves left."""
        number = jnp.asarray(left, jnp.uint32)
        return State(state.planes, (state.rest & np.uint32((1 << LEFT) - 1)) | number << LEFT)

    def key(self, state: State) -> Array:
        """Return uint32[9]: the position, moves left apart."""
        return position.key(state.board)

    def credit(self, action: Array, key: Array) -> Array:
        """Return float32[]: 1 for the key, 0.5^d for its man d king's steps from its square, 0.1 for another man there.

        Of a pawn that promotes, the places of new men and columns stand for squares.
        """
        move, wanted = action & position.MOVE, key & position.MOVE
        same, ends = move >> 6 == wanted >> 6, (move & 63) == (wanted & 63)
        across = jnp.abs((move & 7) - (wanted & 7))
        along = jnp.abs((move >> 3 & 7) - (wanted >> 3 & 7))
        near = 0.5 ** jnp.maximum(across, along).astype(jnp.float32)
        return jnp.where(same, near, jnp.where(ends, 0.1, 0.0)).astype(jnp.float32)

    def score(self, state: State) -> Array:
        """Return float32[2]: 1 for the side that has won, by seat."""
        return (state.returns + 1) / 2
