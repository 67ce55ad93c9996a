"""Othello: placing discs, turning over, passing and the end of the game.

Source of the rules: World Othello Federation, "Official Rules for the Game Othello", with the opening position and the
names of squares given there: a1 is at the top left. On other boards the four discs stand in the middle likewise.

- Black begins. A disc is placed on an empty square so that it and other discs of its colour enclose, in straight lines,
  at least one disc of the opponent; all enclosed discs are turned over.
- A player that cannot turn a disc over passes; one that can may not pass. A pass is a move of its own.
- The game ends when neither side can move: on a full board, without discs of one colour, or earlier. More discs win;
  empty squares count for nobody.

The board is a set of bits for each side. Discs that are enclosed are found by flooding: from all discs of one colour at
once, over those of the other, in each of the eight directions. Every word of these sets is an array of its own, so that
over a batch of positions a step is one long vectorised loop of elementwise operations on whole registers.
"""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from jaxgp.arrays import apart, freeze, lost, win_loss
from jaxgp.bits import WORD, Bits, bits_of, both, count, either, has, nth_square, shift, single, some
from jaxgp.contracts import ListsMoves, Starts
from jaxgp.options import check, option

SIZES = (4, 6, 8, 10)


@struct.dataclass
class State:
    """One position of one game. In a set of squares, bit row * size + column is a square."""

    own: Bits  # discs of the side to move
    other: Bits  # discs of the opponent
    legal: Bits  # squares on which the side to move may place a disc; none: it has to pass
    to_move: Array  # int32[]: seat that moves next; 0 is black
    terminated: Array  # bool[]
    returns: Array  # float32[2]: by seat, zero until the end


@dataclass(frozen=True)
class Othello(ListsMoves):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    size: int = option(
        8,
        "squares on each side of the board",
        low=SIZES[0],
        high=SIZES[-1],
        test=SIZES.__contains__,
        accepted=", ".join(map(str, SIZES)),
    )

    name: ClassVar[str] = "othello"
    seats: ClassVar[int] = 2
    chance: ClassVar[bool] = False
    starts: ClassVar[Starts] = "fixed"
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        check(self, "game.")

    @property
    def area(self) -> int:
        """Squares of the board."""
        return self.size**2

    @property
    def words(self) -> int:
        """Words that hold a bit for each square."""
        return -(-self.area // WORD)

    @property
    def num_actions(self) -> int:
        """One action for each square, row by row from the top, and the last one to pass."""
        return self.area + 1

    def init(self, key: Array) -> State:
        """Return the opening position; no chance is involved, `key` is ignored."""
        del key
        half = self.size // 2
        middle = [row * self.size + column for row in (half - 1, half) for column in (half - 1, half)]
        own, other = self.constant(middle[1:3]), self.constant([middle[0], middle[3]])
        legal = self.placeable(own, other)
        return State(own, other, legal, jnp.int32(0), jnp.bool_(False), jnp.zeros(2, jnp.float32))

    def legal_actions(self, state: State) -> Array:
        """Return bool[size ** 2 + 1]: the squares where a disc may be placed, or only the pass; none after the end."""
        action = np.arange(self.num_actions)
        may = jnp.where(action == self.area, ~some(state.legal), has(state.legal, action))
        return may & ~state.terminated

    @property
    def most_choices(self) -> int:
        """The most moves to choose from; a pass comes alone."""
        return self.area

    def choices(self, state: State) -> Array:
        """Return int32[]: moves to choose from; where no disc may be placed, the pass is one."""
        return jnp.maximum(count(state.legal), 1)

    def choice(self, state: State, place: Array) -> Array:
        """Return int32[]: the legal move at an index (int32[]) in the order of squares, modulo their number."""
        rank = place % self.choices(state)
        return jnp.where(some(state.legal), nth_square(state.legal, rank), self.area).astype(jnp.int32)

    def step(self, state: State, action: Array, key: Array) -> State:
        """Place a disc, or pass; what may not be played changes nothing, and nothing changes after the end."""
        del key
        placed = self.placed(state, action)
        own, other = self.after(state, placed)
        legal = apart(self.placeable, other, own)
        ended = ~some(legal) & ~apart(lambda *sides: some(self.placeable(*sides)), own, other)
        after = State(other, own, legal, 1 - state.to_move, ended, jnp.zeros(2, jnp.float32))
        after = dataclasses.replace(after, returns=jnp.where(ended, win_loss(self.score(after)), 0.0))
        passed = (action == self.area) & ~some(state.legal)
        return freeze(state, after, some(placed) | passed)

    def placed(self, state: State, action: Array) -> Bits:
        """Return the square of the disc that an action places; none for a pass, and for what may not be played."""
        return both(single(action, self.words), state.legal)

    def after(self, state: State, placed: Bits) -> tuple[Bits, Bits]:
        """Return the discs of the side that places a disc on one square (or none), and those of its opponent."""
        turned = apart(self.turned, state.own, state.other, placed)
        own = tuple(a | b | c for a, b, c in zip(state.own, turned, placed, strict=True))
        return own, tuple(a & ~b for a, b in zip(state.other, turned, strict=True))

    def score(self, state: State) -> Array:
        """Return float32[2]: discs of each seat."""
        own, other = count(state.own), count(state.other)
        first = state.to_move == 0
        return jnp.stack([jnp.where(first, own, other), jnp.where(first, other, own)]).astype(jnp.float32)

    def forfeit(self, state: State) -> State:
        """End the game as a loss of the side to move: every square of the board goes to the opponent."""
        none = tuple(jnp.zeros_like(word) for word in state.own)
        full = self.constant(range(self.area))
        returns = lost(state.to_move)
        ended = State(none, full, none, state.to_move, jnp.bool_(True), returns)
        return freeze(state, ended)

    def key(self, state: State) -> Array:
        """Return uint32[2 * W]: the discs of both sides."""
        return jnp.stack([*state.own, *state.other])

    # Both are traced once: searches and games call them often, and tracing would take longer than compiling.
    @partial(jax.jit, static_argnums=0)
    def placeable(self, own: Bits, other: Bits) -> Bits:
        """Return the empty squares from which `own` would enclose discs of `other`."""
        found = None
        for steps, through in self._lines(other):
            reached = shift(self._flooded(own, through, steps), steps)
            found = reached if found is None else either(found, reached)
        assert found is not None
        full = self.constant(range(self.area))
        return tuple(f & ~(a | b) & all_ for f, a, b, all_ in zip(found, own, other, full, strict=True))

    @partial(jax.jit, static_argnums=0)
    def turned(self, own: Bits, other: Bits, placed: Bits) -> Bits:
        """Return the discs of `other` that `own` encloses with a disc on the one square `placed`."""
        turned = tuple(jnp.zeros_like(word) for word in own)
        for steps, through in self._lines(other):
            line = self._flooded(placed, through, steps)
            closed = some(both(shift(line, steps), own))
            turned = tuple(a | jnp.where(closed, b, 0) for a, b in zip(turned, line, strict=True))
        return turned

    def constant(self, squares: Iterable[int]) -> Bits:
        """Return the set of some squares."""
        return bits_of(squares, self.words)

    def corners(self, bits: Bits) -> Bits:
        """Return the corners that are in a set."""
        last = self.size - 1
        four = self.constant([0, last, self.area - 1 - last, self.area - 1])
        return both(bits, four)

    def squares(self, bits: Bits) -> Array:
        """Return bool[size ** 2]: which squares are in a set."""
        return has(bits, np.arange(self.area))

    def _lines(self, other: Bits) -> list[tuple[int, Bits]]:
        """Return for each of the eight directions its step in bits, and the squares that a line may enclose."""
        # An enclosed square lies in an outer column only if the line runs along it. So no line leaves the board at one
        # side and goes on at the other. Beyond the top and the bottom there are no squares.
        inner = self.constant(i for i in range(self.area) if 0 < i % self.size < self.size - 1)
        within = both(other, inner)
        n = self.size
        return [(sign * steps, other if steps == n else within) for steps in (1, n - 1, n, n + 1) for sign in (1, -1)]

    def _flooded(self, start: Bits, through: Bits, steps: int) -> Bits:
        """Return the squares of `through` that lie in unbroken lines behind squares of `start`, in one direction."""
        reached = both(shift(start, steps), through)
        reached = _spread(reached, through, steps)
        # From here on two squares at a time: a line on this board encloses `size` - 2 discs at most.
        pairs = both(shift(through, steps), through)
        for _ in range((self.size - 4) // 2):
            reached = _spread(reached, pairs, 2 * steps)
        return reached


def _spread(reached: Bits, through: Bits, steps: int) -> Bits:
    """Add to a set what it reaches by one shift within `through`."""
    return tuple(a | (b & c) for a, b, c in zip(reached, shift(reached, steps), through, strict=True))


GAME = Othello
