"""Chess endgames without pawns: the state of a game, its steps and its ends.

Source of the task: M. Sipper, "Evolved to Win" (2011), chapter 4. The rules are those of chess. A game ends by mate, by
stalemate, with two bare kings, after 50 moves of each side without a capture, after `plies`, and, with `repetition`,
when a position is there for the third time. The source gives neither a length nor its rules of draws.

White is the first seat. The first row of a state holds the men of the side to move. An action is a man of that side, by
its place in the row, and a square: 64 * place + square.
"""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax

from envs.chess import starts
from envs.chess.geometry import KINDS, OFF, SQUARES, Board, legal_moves
from envs.chess.notation.fen import ACCEPTED, Placed, kinds_of, read_positions
from jaxgp.arrays import freeze, given_up, lost, where
from jaxgp.bits import has, nth_square
from jaxgp.contracts import ListsMoves, Starts
from jaxgp.errors import UsageError, reject, show
from jaxgp.options import check, option

VALUES = np.array([0, 9, 5, 3, 3], np.int8)
"""What men are worth, by kind; not in the source."""
REACH = np.array([8, 27, 14, 13, 8])
"""The most squares that a man of each kind attacks on an empty board."""
QUIET = 100
"""Plies without a capture after which a game is drawn: 50 moves of each side."""
NEVER = np.uint32(2**32 - 1)
"""The code of no position."""


@struct.dataclass
class State:
    """One position of one game; S men on each side, the side to move first."""

    men: Array  # int8[2, S]: squares, `OFF` for a man that was taken
    kinds: Array  # int8[2, S]
    moves: Array  # uint32[S, 2]: by man, the squares where its legal moves end
    clock: Array  # int8[]: plies since the last capture
    plies: Array  # int16[]
    to_move: Array  # int32[]: 0 is white
    terminated: Array  # bool[]
    returns: Array  # float32[2]: by seat, zero until the end
    history: tuple[Array, ...]  # with `repetition` uint32[101, 2]: positions by the clock, since the last capture

    @property
    def board(self) -> Board:
        """The men alone."""
        return Board(self.men, self.kinds)


@dataclass(frozen=True)
class Chess(ListsMoves):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    endgame: str = option("KQKQ", f"the men of white, then of black: {ACCEPTED}; each game draws one of them")
    start: Literal["quiet", "legal", "won", "held", "fen"] = option(
        "quiet",
        "where games begin, drawn at random, white to move; quiet: no man is attacked by the other side; legal: any "
        "legal position; won: one that white wins; held: one in which at most half of the moves keep the result; fen: "
        "the positions of game.fen",
    )
    fen: str | None = option(None, "with game.start=fen: a position in FEN, or a file of them, one on each line")
    plies: int = option(100, "plies after which a game is ended", low=1, high=9999)
    adjudicate: Literal["draw", "material"] = option(
        "draw",
        "what a game is worth that ends without mate; draw: half a point; material: 3/4 for the side with more "
        "material, 1/4 for the other one, half a point where it is equal",
    )
    repetition: bool = option(False, "whether a position that is there for the third time ends the game as a draw")

    name: ClassVar[str] = "chess"
    seats: ClassVar[int] = 2
    chance: ClassVar[bool] = False
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        check(self, "game.")

    def laws(self, prefix: str) -> None:
        """Refuse endgames and positions that cannot be played; raises UsageError."""
        try:
            _ = self.endgames
        except ValueError as error:
            reject(prefix + "endgame", self.endgame, str(error))
        if (self.start == "fen") != (self.fen is not None):
            accepted = "a position, or a file of them, with" if self.fen is None else "null without"
            reject(prefix + "fen", self.fen, f"{accepted} {prefix}start=fen")
        try:
            _ = self.positions
        except UsageError:
            raise
        except ValueError as error:
            raise UsageError(f"{prefix}fen={show(self.fen)}: {error}") from error
        if self.start in ("won", "held") and self.most_men > 4:
            reject(prefix + "start", self.start, f"quiet, legal or fen; there is no table of {self.most_men} men")

    @cached_property
    def endgames(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """The kinds of the men of white and black, by endgame; raises ValueError."""
        return tuple(kinds_of(name) for name in self.endgame.split(","))

    @cached_property
    def positions(self) -> tuple[Placed, ...]:
        """The positions that games begin with; empty where they are drawn; raises ValueError."""
        return () if self.fen is None else read_positions(self.fen)

    @cached_property
    def armies(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """The kinds of both sides in all positions that games can begin with."""
        if not self.positions:
            return self.endgames
        return tuple((tuple(k for k, _ in one.white), tuple(k for k, _ in one.black)) for one in self.positions)

    @property
    def starts(self) -> Starts:
        """Drawn, unless there is one position alone."""
        return "fixed" if len(self.positions) == 1 else "drawn"

    @property
    def most_men(self) -> int:
        """The most men on the board."""
        return max(len(white) + len(black) for white, black in self.armies)

    @property
    def width(self) -> int:
        """S, men in the row of a side."""
        return max(len(side) for army in self.armies for side in army)

    @property
    def num_actions(self) -> int:
        """A square for each man of a side."""
        return self.width * SQUARES

    def init(self, key: Array) -> State:
        """Return a start, drawn from `key`; one that no draw finds is a game that has ended as a draw."""
        men, kinds, clock, to_move, found = starts.draw(self, key)
        history = (jnp.full((QUIET + 1, 2), NEVER),) if self.repetition else ()
        state = self.state(men, kinds, clock, jnp.int16(0), to_move, history)
        none = dataclasses.replace(state, terminated=jnp.bool_(True), returns=jnp.zeros(2, jnp.float32))
        return where(found, state, none)

    def state(
        self, men: Array, kinds: Array, clock: Array, plies: Array, to_move: Array, history: tuple[Array, ...]
    ) -> State:
        """Return the state with these men, ended or not; `history` holds the positions before it."""
        words, checks = legal_moves(Board(men, kinds))
        stuck = (words == 0).all()
        over = (clock >= QUIET) | (plies >= self.plies) | (men[:, 1:] == OFF).all()
        if self.repetition:
            code = self._code(men, kinds, to_move)
            over |= (history[0] == code).all(-1).sum() >= 2
            history = (history[0].at[clock].set(code, mode="drop"),)
        mated = stuck & (checks > 0)
        side = jnp.where(np.arange(2) == to_move, 1.0, -1.0)
        ahead = jnp.sign(self.material(men, kinds)) * (0.5 if self.adjudicate == "material" else 0.0)
        returns = jnp.where(stuck | over, side * jnp.where(mated, -1.0, ahead), 0.0).astype(jnp.float32)
        return State(men, kinds, words, clock, plies, to_move, stuck | over, returns, history)

    def material(self, men: Array, kinds: Array) -> Array:
        """Return int8[]: how much the side to move is ahead in material."""
        worth = jnp.where(men < OFF, jnp.asarray(VALUES)[kinds], np.int8(0)).sum(-1, dtype=jnp.int8)
        return worth[0] - worth[1]

    def legal_actions(self, state: State) -> Array:
        """Return bool[64 * S]; none after the end."""
        squares = np.arange(SQUARES)
        each = jnp.concatenate([has((state.moves[n, 0], state.moves[n, 1]), squares) for n in range(self.width)])
        return each & ~state.terminated

    @property
    def most_choices(self) -> int:
        """No man attacks more squares than it does on an empty board, from the best square of it."""
        return max(int(REACH[list(side)].sum()) for army in self.armies for side in army)

    def choices(self, state: State) -> Array:
        """Return int32[]: moves to choose from."""
        return jnp.maximum(lax.population_count(state.moves).astype(jnp.int32).sum(), 1)

    def choice(self, state: State, place: Array) -> Array:
        """Return int32[]: the legal action at an index (int32[]) in ascending order, modulo their number."""
        words = tuple(state.moves[n, w] for n in range(self.width) for w in range(2))
        return nth_square(words, place % self.choices(state)).astype(jnp.int32)

    def step(self, state: State, action: Array, key: Array) -> State:
        """Move a man; what may not be played changes nothing, nor does a step after the end."""
        del key
        place, square = action // SQUARES, (action % SQUARES).astype(jnp.int8)
        mover = np.arange(self.width) == place
        word = jnp.where(mover[:, None] & (np.arange(2) == square // 32), state.moves, 0).sum(dtype=jnp.uint32)
        legal = (word >> (square % 32).astype(jnp.uint32)) & 1 != 0
        men, kinds, captured = moved(state.board, place, square)
        clock = jnp.where(captured, np.int8(0), state.clock + np.int8(1))
        history = jax.tree.map(lambda x: jnp.where(captured, NEVER, x), state.history)
        after = self.state(men, kinds, clock, state.plies + np.int16(1), 1 - state.to_move, history)
        return freeze(state, after, legal)

    def score(self, state: State) -> Array:
        """Return float32[2]: a point for a game won, half a point for one that is drawn or goes on."""
        return (state.returns + 1) / 2

    def forfeit(self, state: State) -> State:
        """End the game as a loss for the side to move; the men stay."""
        return given_up(state, lost(state.to_move))

    def key(self, state: State) -> Array:
        """Return uint32[W]: the men, four squares a word; their kinds; the plies, the clock, the seat; the history."""
        men = [_packed(x.reshape(-1)) for x in (state.men, state.kinds)]
        rest = (state.plies.astype(jnp.uint32) * 128 + state.clock.astype(jnp.uint32)) * 2
        rest += state.to_move.astype(jnp.uint32)
        return jnp.concatenate([*men, rest[None], *(x.reshape(-1) for x in state.history)])

    def _code(self, men: Array, kinds: Array, to_move: Array) -> Array:
        """Return uint32[2]: a code of the squares of white and black, which tells positions of the same men apart."""
        order = jnp.sort(jnp.where(men < OFF, kinds.astype(jnp.int32) * SQUARES + men, len(KINDS) * SQUARES), -1)
        shifts = (6 * np.arange(self.width)).astype(np.uint32)
        sides = ((order % SQUARES).astype(jnp.uint32) << shifts).sum(-1, dtype=jnp.uint32)
        seat = to_move.astype(jnp.uint32) << 31
        return jnp.where(to_move == 0, sides, sides[::-1]) | seat


def moved(board: Board, place: Array, square: Array) -> tuple[Array, Array, Array]:
    """Move a man of the side to move and take what stands on its square, for boards [*B].

    Args:
        board: the men, [2, S, *B].
        place: int[*B], of the man in its row.
        square: int8[*B], where it goes.

    Returns:
        int8[2, S, *B] and int8[2, S, *B]: the squares and the kinds of the men, those of the other side first;
        bool[*B]: whether a man was taken.
    """
    own, other = board.men
    mover = np.arange(len(own)).reshape(-1, *[1] * (own.ndim - 1)) == place
    taken = other == square
    men = jnp.stack([jnp.where(taken, np.int8(OFF), other), jnp.where(mover, square, own)])
    return men, board.kinds[::-1], taken.any(0)


def _packed(numbers: Array) -> Array:
    """Return uint32[...]: numbers below 256, int8[N], four to a word."""
    padded = jnp.pad(numbers, (0, -len(numbers) % 4)).astype(jnp.uint32).reshape(-1, 4)
    return (padded << np.arange(0, 32, 8, dtype=np.uint32)).sum(-1, dtype=jnp.uint32)


GAME = Chess
