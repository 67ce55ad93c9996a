"""Checkers: moving, capturing, crowning and the end of the game, on boards of even size.

Source of the rules: American checkers as in OpenSpiel's `checkers`, and M. Sipper, "Evolved to Win" (2011), chapter 3,
for lose checkers and for the board of 10 x 10 squares.

- The side that begins is black. Its men stand on the dark squares of the rows nearest to it, a1 among them, and move
  one square diagonally forward. A man that reaches the last row is crowned; a king moves one square in any direction.
- A man captures forward, a king in any direction: it jumps over an adjacent piece of the opponent to the empty square
  behind, and that piece leaves the board at once. A side that can capture has to; it chooses freely among captures. The
  piece that has captured goes on as long as it can. A man that is crowned by a jump stops.
- A side without a piece or without a move loses; in lose checkers it wins. A game is drawn after a number of plies in a
  row without a capture, also if the side to move then has no move, as in OpenSpiel.

An action is one step or one single jump, so a turn of several jumps is several actions of the same side, and as many
plies of a search. The piece that has to go on is `held`. So a step is a fixed amount of arithmetic on the whole board;
a list of whole turns would have no bound, and a batch would wait for its longest turn.

The board is a few sets of squares. The dark squares are numbered row by row from a1, `size` / 2 in each row. In one
direction the number of the next square differs by a constant that depends on whether the row is odd; that of the square
behind it differs by a constant. So the pieces that can move or capture in a direction are found by shifts, for the
whole board at once.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from envs.checkers import fen
from jaxgp.arrays import apart, freeze, given_up, lost
from jaxgp.bits import WORD, Bits, bits_of, both, count, either, has, nth_square, shift, single, some
from jaxgp.contracts import ListsMoves, Starts
from jaxgp.errors import UsageError, show
from jaxgp.options import bound, check, option

DIRECTIONS = ((1, -1), (1, 1), (-1, -1), (-1, 1))
"""Rows up and columns to the right of one step, by direction."""
MOST_AHEAD = 3
"""The greatest lead that the points of a draw tell apart."""


class Pieces(NamedTuple):
    """The pieces of a position."""

    own: Bits  # of the side to move
    other: Bits
    kings: Bits  # of both sides


@struct.dataclass
class State:
    """One position of one game."""

    own: Bits  # pieces of the side to move
    other: Bits  # pieces of the opponent
    kings: Bits  # those of both sides that are kings
    held: Bits  # the piece that has to go on capturing; none: any piece may move
    moves: tuple[Bits, ...]  # by direction: pieces that may move that way
    captures: Array  # bool[]: whether these moves are captures
    quiet: Array  # int32[]: plies since the last capture; 0 where they do not count
    to_move: Array  # int32[]: seat that moves next; 0 is black
    terminated: Array  # bool[]
    returns: Array  # float32[2]: by seat, zero until the end


@dataclass(frozen=True)
class Checkers(ListsMoves):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    size: int = option(
        8,
        "squares on each side of the board",
        low=4,
        high=16,
        test=lambda size: size % 2 == 0,
        accepted="an even number from 4 to 16",
    )
    rows: int = option(3, "rows of men on each side at the start", low=1, high=7)
    lose: bool = option(False, "whether the side without a piece or a move wins: lose checkers")
    quiet_plies: int = option(
        40, "plies in a row without a capture after which a game is drawn; 0: there is no such draw", low=0, high=9999
    )
    lead: float = option(
        0.0,
        f"points beyond a half that a draw gives for each man ahead, up to {MOST_AHEAD}; of lose checkers, behind",
        low=0.0,
        high=0.5 / MOST_AHEAD,
    )
    position: str | None = option(
        None, f"the position that games begin with, as in PDN: {fen.ACCEPTED}; null: the men of the start"
    )

    name: ClassVar[str] = "checkers"
    seats: ClassVar[int] = 2
    chance: ClassVar[bool] = False
    starts: ClassVar[Starts] = "fixed"
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        check(self, "game.")

    def laws(self, prefix: str) -> None:
        """Refuse more rows of men than leave two rows empty, and a position that is none."""
        bound(self, "rows", prefix, high=self.size // 2 - 1, why=f"two rows of {prefix}size={self.size} stay empty")
        try:
            _ = self.placed
        except ValueError as error:
            raise UsageError(f"{prefix}position={show(self.position)}: {error}") from error

    @property
    def width(self) -> int:
        """Dark squares of a row."""
        return self.size // 2

    @property
    def area(self) -> int:
        """Dark squares of the board."""
        return self.size * self.width

    @cached_property
    def placed(self) -> fen.Placed:
        """The position that games begin with; raises ValueError."""
        if self.position is not None:
            return fen.parse(self.position, self.size)
        men = self.rows * self.width
        return fen.Placed(True, tuple(range(men)), tuple(range(self.area - men, self.area)), ())

    @property
    def words(self) -> int:
        """Words that hold a bit for each dark square."""
        return -(-self.area // WORD)

    @property
    def num_actions(self) -> int:
        """Steps, then jumps; of each kind by direction, then by the square where the move begins."""
        return 2 * len(DIRECTIONS) * self.area

    def place(self, square: int) -> tuple[int, int]:
        """Return row and column of a dark square, counted from a1."""
        row, place = divmod(square, self.width)
        return row, 2 * place + row % 2

    def square(self, row: int, column: int) -> int | None:
        """Return the number of a dark square; None off the board."""
        inside = 0 <= row < self.size and 0 <= column < self.size
        return row * self.width + column // 2 if inside else None

    def init(self, key: Array) -> State:
        """Return the opening position; no chance is involved, `key` is ignored."""
        del key
        first, black, white, kings = self.placed
        own, other = (black, white) if first else (white, black)
        pieces = Pieces(self.constant(own), self.constant(other), self.constant(kings))
        return self.state(pieces, self.constant([]), jnp.int32(0), jnp.int32(not first))

    def state(self, pieces: Pieces, held: Bits, quiet: Array, to_move: Array) -> State:
        """Return the state with these pieces, ended or not."""
        moves, captures = apart(self.movable, pieces, held, to_move)
        blocked = ~some(reduce(either, moves))
        drawn = quiet >= self.quiet_plies if self.quiet_plies else jnp.bool_(False)
        won = jnp.where(np.arange(2) == to_move, 1.0, -1.0) * (1 if self.lose else -1)
        returns = jnp.where(blocked & ~drawn, won, 0.0).astype(jnp.float32)
        return State(*pieces, held, moves, captures, quiet, to_move, blocked | drawn, returns)

    def legal_actions(self, state: State) -> Array:
        """Return bool[8 * area]: captures if there are any, else steps; none after the end."""
        squares = np.arange(self.area)
        moves = jnp.concatenate([has(bits, squares) for bits in state.moves])
        return jnp.concatenate([moves & ~state.captures, moves & state.captures]) & ~state.terminated

    @property
    def most_choices(self) -> int:
        """The most moves to choose from, if all men of the start were kings that can move anywhere."""
        return len(DIRECTIONS) * max(len(self.placed.black), len(self.placed.white))

    def choices(self, state: State) -> Array:
        """Return int32[]: moves to choose from."""
        return jnp.maximum(moves_of(state.moves), 1)

    def choice(self, state: State, place: Array) -> Array:
        """Return int32[]: the legal action at an index (int32[]) in ascending order, modulo their number."""
        words = tuple(word for bits in state.moves for word in bits)
        found = nth_square(words, place % self.choices(state))
        direction, square = found // (WORD * self.words), found % (WORD * self.words)
        kind = jnp.where(state.captures, len(DIRECTIONS), 0) + direction
        return (kind * self.area + square).astype(jnp.int32)

    def step(self, state: State, action: Array, key: Array) -> State:
        """Move a piece by one step or one jump; what may not be played changes nothing, nor does a step after the end.

        A jump that can be followed by another one of the same piece leaves the same side to move.
        """
        del key
        legal, pieces, held = apart(self._moved, state, action)
        again = some(held)
        pieces = Pieces(_where(again, pieces.own, pieces.other), _where(again, pieces.other, pieces.own), pieces.kings)
        quiet = jnp.where(state.captures, 0, state.quiet + 1) if self.quiet_plies else state.quiet
        after = self.state(pieces, held, quiet, jnp.where(again, state.to_move, 1 - state.to_move))
        return freeze(state, after, legal)

    def score(self, state: State) -> Array:
        """Return float32[2]: a point for a game won, half a point for one that is drawn or goes on.

        With `lead` a draw gives more to the side with more pieces, a king being one like a man.
        """
        points = (state.returns + 1) / 2
        if not self.lead:
            return points
        ahead = jnp.clip(count(state.own) - count(state.other), -MOST_AHEAD, MOST_AHEAD)
        ahead = jnp.where((np.arange(2) == state.to_move) ^ self.lose, ahead, -ahead)
        drawn = state.terminated & (state.returns == 0).all()
        return (points + jnp.where(drawn, self.lead * ahead, 0.0)).astype(jnp.float32)

    def forfeit(self, state: State) -> State:
        """End the game as a loss for the side to move; the pieces stay."""
        return given_up(state, lost(state.to_move))

    def key(self, state: State) -> Array:
        """Return uint32[3 * W + 1]: the pieces; then the seat, the piece that is held, and the plies without a capture.

        These plies decide when the game is drawn, so positions that differ in them alone are different. Where a
        capture is forced they are left out: it sets them to 0.
        """
        quiet = jnp.where(state.captures, 0, state.quiet)
        held = jnp.where(some(state.held), 1 + nth_square(state.held, jnp.int32(0)), 0)
        rest = (quiet * (self.area + 1) + held) * 2 + state.to_move
        return jnp.stack([*state.own, *state.other, *state.kings, rest.astype(jnp.uint32)])

    # Traced once: searches and games call it often, and tracing would take longer than compiling.
    @partial(jax.jit, static_argnums=0)
    def movable(self, pieces: Pieces, held: Bits, to_move: Array) -> tuple[tuple[Bits, ...], Array]:
        """Find the legal moves of the side to move.

        Returns:
            By direction, the pieces that may move that way; bool[], whether these moves are captures.
        """
        free = self._free(pieces)
        may = self._may(_where(some(held), held, pieces.own), pieces.kings, to_move)
        jumps = self._jumps(may, pieces.other, free)
        steps = tuple(both(may[d], self._behind(free, d)) for d in range(len(DIRECTIONS)))
        captures = some(reduce(either, jumps))
        return tuple(_where(captures, a, b) for a, b in zip(jumps, steps, strict=True)), captures

    def constant(self, squares: Iterable[int]) -> Bits:
        """Return the set of some squares."""
        return bits_of(squares, self.words)

    @partial(jax.jit, static_argnums=0)
    def _moved(self, state: State, action: Array) -> tuple[Array, Pieces, Bits]:
        """Move a piece.

        Returns:
            bool[], whether that is legal; the pieces after it, the mover's first; the piece that has to capture again.
        """
        kind, square = action // self.area, action % self.area
        jump, direction = kind >= len(DIRECTIONS), kind % len(DIRECTIONS)
        right, down, odd = direction % 2, direction // 2, square // self.width % 2
        near = square + jnp.where(down, -self.width, self.width) + right - 1 + odd
        far = square + jnp.where(down, -self.size, self.size) + 2 * right - 1
        start = both(single(square, self.words), _select(direction, state.moves))
        legal = some(start) & (jump == state.captures) & (action >= 0) & (action < self.num_actions)
        end = single(jnp.where(jump, far, near), self.words)
        taken = _where(jump, single(near, self.words), self.constant([]))

        was_king = some(both(start, state.kings))
        last = _where(state.to_move == 0, self._row(self.size - 1), self._row(0))
        crowned = ~was_king & some(both(end, last))
        gone = either(start, taken)
        crown = _where(was_king | crowned, end, self.constant([]))
        kings = tuple(k & ~g | c for k, g, c in zip(state.kings, gone, crown, strict=True))
        own = tuple(o & ~s | e for o, s, e in zip(state.own, start, end, strict=True))
        pieces = Pieces(own, tuple(o & ~t for o, t in zip(state.other, taken, strict=True)), kings)
        jumps = self._jumps(self._may(end, kings, state.to_move), pieces.other, self._free(pieces))
        again = jump & ~crowned & some(reduce(either, jumps))
        return legal, pieces, _where(again, end, self.constant([]))

    def _free(self, pieces: Pieces) -> Bits:
        """Return the empty squares; bits beyond the board are set, too."""
        return tuple(~(a | b) for a, b in zip(pieces.own, pieces.other, strict=True))

    def _may(self, movers: Bits, kings: Bits, to_move: Array) -> tuple[Bits, ...]:
        """Return by direction which pieces of the side to move may go that way on an empty board."""
        back = both(movers, kings)
        up, down = _where(to_move == 0, movers, back), _where(to_move == 0, back, movers)
        return up, up, down, down

    def _jumps(self, may: tuple[Bits, ...], other: Bits, free: Bits) -> tuple[Bits, ...]:
        """Return by direction which of the pieces that `may` go there can capture."""
        return tuple(
            both(both(may[d], self._behind(other, d)), self._two_behind(free, d)) for d in range(len(DIRECTIONS))
        )

    def _behind(self, bits: Bits, direction: int) -> Bits:
        """Return the squares from which one step in a direction leads into a set."""
        found = [both(shift(bits, -steps), self.constant(where)) for steps, where in self._near[direction]]
        return reduce(either, found)

    def _two_behind(self, bits: Bits, direction: int) -> Bits:
        """Return the squares from which two steps in a direction lead into a set."""
        found = [both(shift(bits, -steps), self.constant(where)) for steps, where in self._far[direction]]
        return reduce(either, found)

    @cached_property
    def _near(self) -> list[list[tuple[int, list[int]]]]:
        return [self._by_difference(up, right) for up, right in DIRECTIONS]

    @cached_property
    def _far(self) -> list[list[tuple[int, list[int]]]]:
        return [self._by_difference(2 * up, 2 * right) for up, right in DIRECTIONS]

    def _by_difference(self, up: int, right: int) -> list[tuple[int, list[int]]]:
        """Return the squares from which a move stays on the board, by the difference of the numbers of its squares."""
        found: dict[int, list[int]] = {}
        for square in range(self.area):
            row, column = self.place(square)
            there = self.square(row + up, column + right)
            if there is not None:
                found.setdefault(there - square, []).append(square)
        return list(found.items())

    def _row(self, row: int) -> Bits:
        return self.constant(range(row * self.width, (row + 1) * self.width))


def moves_of(moves: tuple[Bits, ...]) -> Array:
    """Return int32[]: how many moves the sets of pieces by direction stand for."""
    return count(tuple(word for bits in moves for word in bits))


def _where(condition: Array, yes: Bits, no: Bits) -> Bits:
    return tuple(jnp.where(condition, a, b) for a, b in zip(yes, no, strict=True))


def _select(number: Array, sets: tuple[Bits, ...]) -> Bits:
    """Return the set at a place (int32[])."""
    return tuple(
        reduce(jnp.bitwise_or, [jnp.where(number == n, word, 0) for n, word in enumerate(words)])
        for words in zip(*sets, strict=True)
    )


GAME = Checkers
