"""Walls: walking, turning, laying bricks, stalling and the end of the game.

Source of the rules: "Final Project", COEN 352, Fall 2016 (a course assignment). Where its text leaves a choice:

- "horizontally symmetric positions, at equal distances from and as close as possible to the center, without
  overlapping": on a board with an odd side that is the middle row, one column to the left and one to the right of the
  centre square, which stays free between the players. "Facing outward": the left one west, the right one east.
- It does not say where the player who begins stands: a setting (`first`), by default on the left.
- A try-forward that is blocked is a move like any other: the player stays where it is and lays nothing.
- "Anytime a player moves forward from an unmarked square, that square is filled": a square under a player gets its
  brick only when the player leaves it, and one that has a brick already gets no other. So a board is full only once
  both players stand on bricks of their own.
- "9 consecutive moves without laying a new brick" are a player's own moves. Once it is stalled the other one moves
  alone until it is stalled too.
- A player with bricks on more than half of the squares has won. By default the game is still played to its end; with
  `majority_ends` it stops there.

A position is stored from the side of the player to move, whose half comes first. Each half holds its bricks as bits,
row by row from the top left: looking a square up is a shift, laying a brick one `or`.
"""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, Literal

import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from jaxgp.arrays import freeze, lost, where, win_loss
from jaxgp.contracts import Packs, Starts
from jaxgp.options import check, option

First = Literal["left", "right"]

FORWARD, LEFT, RIGHT = 0, 1, 2
"""Actions."""
NORTH, EAST, SOUTH, WEST = 0, 1, 2, 3
"""Headings; a turn to the right adds one."""


@struct.dataclass
class Player:
    """What belongs to one player; W = ceil(size ** 2 / 32)."""

    bricks: Array  # uint32[W]: bit i % 32 of word i // 32 is the brick on square i = row * size + column
    row: Array  # int32[]: 0 at the top, which is north
    column: Array  # int32[]: 0 at the left
    heading: Array  # int32[]: 0 to 3, north, east, south, west
    idle: Array  # int32[]: own moves since the last new brick


@struct.dataclass
class State:
    """One position of one game."""

    own: Player  # the side to move
    other: Player
    to_move: Array  # int32[]: seat that moves next, 0 or 1
    terminated: Array  # bool[]
    returns: Array  # float32[2]: by seat, zero until the end


def ahead(player: Player) -> tuple[Array, Array]:
    """Return int32[], int32[]: row and column of the square in front of a player, which may lie off the board."""
    row = player.row + (player.heading == SOUTH) - (player.heading == NORTH)
    return row, player.column + (player.heading == EAST) - (player.heading == WEST)


@dataclass(frozen=True)
class Walls(Packs):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    size: int = option(
        5,
        "squares on each side of the board",
        low=3,
        high=999,
        test=lambda size: size % 2 == 1,
        accepted="an odd number from 3 to 999",
    )
    stall: int = option(9, "own moves without a new brick after which a player is stalled", low=1, high=999)
    first: First = option("left", "side on which the player who begins stands")
    majority_ends: bool = option(False, "whether the game ends as soon as a player has more than half of the squares")

    name: ClassVar[str] = "walls"
    seats: ClassVar[int] = 2
    chance: ClassVar[bool] = False
    starts: ClassVar[Starts] = "fixed"
    version: ClassVar[str] = "1"
    num_actions: ClassVar[int] = 3

    def __post_init__(self) -> None:
        check(self, "game.")

    @property
    def area(self) -> int:
        """Squares of the board."""
        return self.size**2

    @property
    def words(self) -> int:
        """Words that hold a bit for each square."""
        return -(-self.area // 32)

    def init(self, key: Array) -> State:
        """Return the opening position; no chance is involved, `key` is ignored."""
        del key
        left, right = self._start(-1, WEST), self._start(1, EAST)
        own, other = (left, right) if self.first == "left" else (right, left)
        return State(own, other, jnp.int32(0), jnp.bool_(False), jnp.zeros(2, jnp.float32))

    def legal_actions(self, state: State) -> Array:
        """Return bool[3]: every action may be tried until the game ends."""
        return jnp.broadcast_to(~state.terminated, (self.num_actions,))

    def step(self, state: State, action: Array, key: Array) -> State:
        """Try to go forward (0), turn left (1) or turn right (2); a stalled opponent is passed over.

        Another number changes nothing, and nothing changes after the end.
        """
        del key
        own, other = self._move(state.own, state.other, action), state.other
        again = self.stalled(other)
        ended = (again & self.stalled(own)) | ((own.bricks | other.bricks) == self._full).all()
        if self.majority_ends:
            ended |= self.count(own) > self.area // 2
        after = State(
            own=where(again, own, other),
            other=where(again, other, own),
            to_move=jnp.where(again, state.to_move, 1 - state.to_move),
            terminated=ended,
            returns=jnp.zeros(2, jnp.float32),
        )
        after = dataclasses.replace(after, returns=jnp.where(ended, win_loss(self.score(after)), 0.0))
        return freeze(state, after, (action >= 0) & (action < self.num_actions))

    def score(self, state: State) -> Array:
        """Return float32[2]: bricks of each seat."""
        own, other = self.count(state.own), self.count(state.other)
        first = state.to_move == 0
        return jnp.stack([jnp.where(first, own, other), jnp.where(first, other, own)]).astype(jnp.float32)

    def forfeit(self, state: State) -> State:
        """End the game as a loss of the side to move: every square of the board goes to the opponent."""
        own = dataclasses.replace(state.own, bricks=jnp.zeros_like(state.own.bricks))
        other = dataclasses.replace(state.other, bricks=jnp.asarray(self._full))
        returns = lost(state.to_move)
        return freeze(state, State(own, other, state.to_move, jnp.bool_(True), returns))

    def key(self, state: State) -> Array:
        """Return uint32[2 * W + 1], or [2 * W + 2] on boards above 39 x 39: bricks, and both players in mixed radix."""
        codes = [self._code(player) for player in (state.own, state.other)]
        radix = self.area * 4 * (self.stall + 1)
        if radix**2 <= 2**32:
            codes = [codes[0] * np.uint32(radix) + codes[1]]
        return jnp.concatenate([state.own.bricks, state.other.bricks, jnp.stack(codes)])

    def pack(self, state: State) -> tuple[Array, ...]:
        """Return a state as few words, uint32[] each: the bricks, then all else in as many bits as it needs."""
        words = [state.own.bricks[w] for w in range(self.words)] + [state.other.bricks[w] for w in range(self.words)]
        walkers = [x for p in (state.own, state.other) for x in (p.row, p.column, p.heading, p.idle)]
        used = 32
        for field, width in zip((*walkers, state.to_move, state.terminated), self._widths, strict=True):
            if used + width > 32:
                words.append(jnp.uint32(0))
                used = 0
            words[-1] |= field.astype(jnp.uint32) << np.uint32(used)
            used += width
        return tuple(words)

    def unpack(self, words: tuple[Array, ...]) -> State:
        """Undo `pack`."""
        bricks = [jnp.stack(words[at : at + self.words]) for at in (0, self.words)]
        fields, word, used = [], 2 * self.words - 1, 32
        for width in self._widths:
            if used + width > 32:
                word, used = word + 1, 0
            fields.append(((words[word] >> np.uint32(used)) & np.uint32((1 << width) - 1)).astype(jnp.int32))
            used += width
        own, other = Player(bricks[0], *fields[:4]), Player(bricks[1], *fields[4:8])
        state = State(own, other, fields[8], fields[9] != 0, jnp.zeros(2, jnp.float32))
        return dataclasses.replace(state, returns=jnp.where(state.terminated, win_loss(self.score(state)), 0.0))

    def count(self, player: Player) -> Array:
        """Return int32[]: bricks of a player."""
        return lax.population_count(player.bricks).sum(dtype=jnp.int32)

    def stalled(self, player: Player) -> Array:
        """Return bool[]: whether a player may move no more."""
        return player.idle >= self.stall

    def inside(self, row: Array, column: Array) -> Array:
        """Return bool[...]: whether squares lie on the board."""
        return (row >= 0) & (row < self.size) & (column >= 0) & (column < self.size)

    def has_brick(self, player: Player, row: Array, column: Array) -> Array:
        """Return bool[...]: whether squares bear a brick of a player; unspecified off the board."""
        square = row * self.size + column
        word = player.bricks[0]
        if self.words > 1:
            here = square[..., None] >> 5 == np.arange(self.words)
            word = jnp.where(here, player.bricks, 0).sum(-1, dtype=jnp.uint32)
        return (word >> (square & 31).astype(jnp.uint32)) & 1 != 0

    def _move(self, own: Player, other: Player, action: Array) -> Player:
        """Return the player to move after its move."""
        row, column = ahead(own)
        free = self.inside(row, column) & ~self.has_brick(other, row, column)
        free &= (row != other.row) | (column != other.column)
        goes = (action == FORWARD) & free
        # A player never stands on the other's brick: none is laid under a player, and none can be entered.
        bricks = jnp.where(goes, own.bricks | self._bit(own.row, own.column), own.bricks)
        return Player(
            bricks=bricks,
            row=jnp.where(goes, row, own.row),
            column=jnp.where(goes, column, own.column),
            heading=(own.heading + (action == RIGHT) - (action == LEFT)) & 3,
            idle=jnp.where((bricks != own.bricks).any(), 0, own.idle + 1),
        )

    def _bit(self, row: Array, column: Array) -> Array:
        """Return uint32[W]: the bit of one square."""
        square = row * self.size + column
        bit = jnp.uint32(1) << (square & 31).astype(jnp.uint32)
        return jnp.where(np.arange(self.words) == square >> 5, bit, 0)

    @property
    def _widths(self) -> tuple[int, ...]:
        """Bits of the fields that `pack` puts together."""
        walker = ((self.size - 1).bit_length(), (self.size - 1).bit_length(), 2, self.stall.bit_length())
        return (*walker, *walker, 1, 1)

    @property
    def _full(self) -> np.ndarray:
        """Bits of all squares, uint32[W]."""
        bits = np.arange(32 * self.words).reshape(-1, 32) < self.area
        return (bits << np.arange(32, dtype=np.uint64)).sum(1).astype(np.uint32)

    def _start(self, side: int, heading: int) -> Player:
        middle = self.size // 2
        place = (jnp.int32(middle), jnp.int32(middle + side), jnp.int32(heading))
        return Player(jnp.zeros(self.words, jnp.uint32), *place, idle=jnp.int32(0))

    def _code(self, player: Player) -> Array:
        """Return uint32[]: square, heading and idle moves of a player, a number below area * 4 * (stall + 1)."""
        square = player.row * self.size + player.column
        return ((square * 4 + player.heading) * (self.stall + 1) + player.idle).astype(jnp.uint32)


GAME = Walls
