"""Backgammon: rolling, moving, hitting, bearing off, and the end of the game. There is no doubling cube.

Source of the rules: U.S. Backgammon Federation, "Rules of Backgammon"; scores as in OpenSpiel's `backgammon` with
`full_scoring`.

- Each side has 15 men and moves them from its point 24 to its point 1; the other side sees point p as 25 - p. Both roll
  one die at the start; the higher one begins and plays both dice. Equal dice are rolled again. Later every turn has a
  roll of its own, and of equal dice, doubles, each is played twice.
- A man moves by one die to a point that has at most one man of the opponent. A single man there, a blot, is hit: it
  goes to the bar. Men on the bar move first, as from point 25.
- When all men of a side are on its points 1 to 6, it may bear them off: from the point of the die, or from the rearmost
  point if that is nearer than the die.
- A side plays as many of its dice as it can. If it can play either of two, but not both, it plays the larger one.
- The side that has borne off all men wins: 1 point; 2, a gammon, if the loser has borne off none; 3, a backgammon, if
  then a man of the loser is on the bar or on the last six points before it.

An action is one man moved by one die, so a turn is one to four actions of the same side, and a pass where no man can
move. Whole turns as actions would need some thousands of numbers whose meaning depends on the position; a man and a
distance have one name everywhere, and saved games are written by these names. An action says how far a man moves, not
which die it takes: bearing off takes the exact die, or the smallest larger one. The choice makes no difference. Where
two dice can bear off one man, its point is the rearmost and no die is smaller, so the die that is left bears off the
rearmost of the others, whichever die it is.

After a first move with one of two dice the other one must be playable where both can be played. So legal moves look
one move ahead. Doubles need no look-ahead. A move that a man can make stays possible until it is made, whatever other
men do: points of the opponent do not close, men do not go back. So all orders of play end after as many moves.

The men of a side are counted by point. The legal moves come from sets of points, bits of one word, found by shifts.
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

from envs.backgammon.notation import ids
from jaxgp.arrays import freeze, lost, where
from jaxgp.bits import lot
from jaxgp.contracts import RollsByTurn, Starts
from jaxgp.errors import UsageError, show
from jaxgp.options import check, option

OFF, BAR = 0, 25
"""Indices of the men borne off and on the bar; between them are the points, as their own side numbers them."""
POINTS = np.arange(26)
BITS = (1 << POINTS).astype(np.uint32)
"""The sets of one point each."""
HOME = 6
DICE = 6
PASS = DICE * BAR
"""The action of a side that cannot move."""
OPENINGS: dict[str, dict[int, int]] = {
    "standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "hypergammon": {24: 1, 23: 1, 22: 1},
}
"""Men of each side at the start, by point."""
Variant = Literal["standard", "hypergammon"]


@struct.dataclass
class State:
    """One position of one game, as the side to move sees it.

    Index 0 of a side counts its men borne off, 1 to 24 those on its points, 25 those on the bar. In a set of points,
    bit p is point p.
    """

    own: Array  # int8[26]: men of the side to move
    other: Array  # int8[26]: men of the opponent, by the opponent's points
    dice: Array  # int32[2]: the roll, the larger die first
    left: Array  # int32[2]: how often each die may still be played; doubles count for the first
    moves: Array  # uint32[2]: for each die the points from which a man may move by it
    racing: Array  # bool[]: whether the sides had passed each other when the turn began
    rolls: Array  # int32[]: turns that were rolled for before this one
    luck: Array  # uint32[]: random bits drawn with the roll, by which players choose among equal turns
    to_move: Array  # int32[]: seat that moves next
    terminated: Array  # bool[]
    returns: Array  # float32[2]: by seat, zero until the end


@dataclass(frozen=True)
class Backgammon(RollsByTurn):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    variant: Variant = option("standard", "standard: 15 men on each side; hypergammon: 3 men, on points 24, 23 and 22")
    gammons: bool = option(True, "whether gammons count 2 points and backgammons 3; false: every win counts 1")

    position: str | None = option(
        None, f"the position that games begin with, {ids.ACCEPTED}; null: the opening, whose first roll says who begins"
    )

    name: ClassVar[str] = "backgammon"
    seats: ClassVar[int] = 2
    chance: ClassVar[bool] = True
    starts: ClassVar[Starts] = "drawn"
    version: ClassVar[str] = "1"
    num_actions: ClassVar[int] = PASS + 1
    """By distance, then by the point where the move begins; the last one is the pass."""

    def __post_init__(self) -> None:
        check(self, "game.")

    def laws(self, prefix: str) -> None:
        """Refuse a position that is none; raises UsageError."""
        try:
            _ = self.placed
        except ValueError as error:
            raise UsageError(f"{prefix}position={show(self.position)}: {error}") from error

    @cached_property
    def placed(self) -> ids.Placed | None:
        """The position that games begin with; None: the opening. Raises ValueError."""
        return None if self.position is None else ids.parse(self.position, self.men)

    @property
    def men(self) -> int:
        """Men of each side."""
        return sum(OPENINGS[self.variant].values())

    def init(self, key: Array) -> State:
        """Return the opening position. Each seat rolls a die, never both the same; the higher one moves first.

        In a position of its own the dice are those that it has, or are rolled.
        """
        if self.placed is not None:
            own, other, seat, given = self.placed
            dice, luck = roll(key)
            dice = dice if given is None else jnp.array(given, jnp.int32)
            men = jnp.array([own, other], jnp.int8)
            return self.turn(men[0], men[1], dice, jnp.int32(seat), luck=luck)
        drawn, luck = lot(jax.random.bits(key), DICE * (DICE - 1))
        first = drawn // (DICE - 1) + 1
        second = drawn % (DICE - 1) + 1
        second += second >= first
        side = np.zeros(26, np.int8)
        for point, number in OPENINGS[self.variant].items():
            side[point] = number
        men = jnp.asarray(side)
        dice = jnp.stack([jnp.maximum(first, second), jnp.minimum(first, second)]).astype(jnp.int32)
        return self.turn(men, men, dice, (first < second).astype(jnp.int32), luck=luck)

    def turn(
        self, own: Array, other: Array, dice: Array, to_move: Array, rolls: Array | int = 0, luck: Array | int = 0
    ) -> State:
        """Return the state at the beginning of a turn.

        Args:
            own: int8[26], men of the side to move, by its points.
            other: int8[26], men of the opponent, by the opponent's points; neither side has borne off all.
            dice: int32[2], the roll, the larger die first.
            to_move: int32[], the seat that moves.
            rolls: int32[], turns before this one.
            luck: uint32[], random bits of the turn.
        """
        left = jnp.where(dice[0] == dice[1], np.array([4, 0]), np.array([1, 1])).astype(jnp.int32)
        moves = legal_sources(own, other, dice, left)
        ended, none = jnp.bool_(False), jnp.zeros(2, jnp.float32)
        counted, drawn = jnp.asarray(rolls, jnp.int32), jnp.asarray(luck, jnp.uint32)
        return State(own, other, dice, left, moves, racing(own, other), counted, drawn, to_move, ended, none)

    def legal_actions(self, state: State) -> Array:
        """Return bool[151]: the moves of one man, or only the pass; none after the end."""
        point, distance = POINTS[1:][None], np.arange(1, DICE + 1)[:, None]
        may = jnp.zeros((DICE, BAR), bool)
        for die, sources in zip(state.dice, state.moves, strict=True):
            fits = (point > distance) & (die == distance) | (point == distance) & (die >= distance)
            may |= fits & has(sources, point)
        stuck = ~(state.moves != 0).any()
        return jnp.append(may.reshape(-1), stuck) & ~state.terminated

    def step(self, state: State, action: Array, key: Array) -> State:
        """Move a man, or pass; what may not be played changes nothing, and nothing changes after the end.

        When the turn is over the dice of the next one are rolled with `key`.
        """
        distance, point = action // BAR + 1, action % BAR + 1
        exact = (state.dice == distance) & (point > distance)
        fits = (exact | (state.dice >= distance) & (point == distance)) & has(state.moves, point) & (action < PASS)
        # The last die that fits is the smallest.
        played = fits & ~jnp.append(fits[1], False)
        passed = (action == PASS) & ~(state.moves != 0).any()
        own, other = move_man(state.own, state.other, point, (state.dice * played).sum())
        own, other = where(passed, (state.own, state.other), (own, other))

        left = state.left - played
        moves = legal_sources(own, other, state.dice, left)
        won = own[OFF] == self.men
        returns = jnp.where(won, jnp.where(np.arange(2) == state.to_move, 1.0, -1.0), 0.0).astype(jnp.float32)
        same = dataclasses.replace(
            state, own=own, other=other, left=left, moves=moves * ~won, terminated=won, returns=returns
        )
        on = won | ((moves != 0).any() & ~passed)
        dice, luck = roll(key)
        after = where(on, same, self.turn(other, own, dice, 1 - state.to_move, state.rolls + 1, luck))
        return freeze(state, where(passed | fits.any(), after, state))

    def score(self, state: State) -> Array:
        """Return float32[2]: the points of the winner, and 0; a game that goes on has none.

        A forfeit gives the winner as many points as there are: nobody loses less by it.
        """
        ahead = state.returns[state.to_move] > 0
        winner, loser = where(ahead, (state.own, state.other), (state.other, state.own))
        behind = loser[BAR - HOME :].sum() > 0
        points = jnp.where(loser[OFF] > 0, 1.0, jnp.where(behind, 3.0, 2.0))
        points = jnp.where(winner[OFF] < self.men, 3.0, points)
        return (jnp.maximum(state.returns, 0) * (points if self.gammons else 1.0)).astype(jnp.float32)

    def forfeit(self, state: State) -> State:
        """End the game as a loss for the side to move; the men stay."""
        returns = lost(state.to_move)
        none = jnp.zeros_like(state.moves)
        return freeze(state, dataclasses.replace(state, moves=none, terminated=jnp.bool_(True), returns=returns))

    def moment(self, state: State) -> Array:
        """Return int32[]: turns that were rolled for before this one; see `jaxgp.contracts.RollsByTurn`."""
        return state.rolls

    def key(self, state: State) -> Array:
        """Return uint32[9]: the men of both sides, four bits for each point, and the dice that are left."""
        shifts = 4 * (np.arange(32) % 8).astype(np.uint32)

        def packed(side: Array) -> Array:
            counts = jnp.pad(side[1:].astype(jnp.uint32), (0, 7))
            return (counts << shifts).reshape(4, 8).sum(1, dtype=jnp.uint32)

        dice = (state.dice * (state.left > 0) * np.array([8, 1])).sum() * 8 + state.left[0]
        return jnp.concatenate([packed(state.own), packed(state.other), dice.astype(jnp.uint32)[None]])


def roll(key: Array) -> tuple[Array, Array]:
    """Return int32[2], a roll of two dice, the larger one first; and uint32[], random bits independent of it."""
    drawn, luck = lot(jax.random.bits(key), DICE * DICE)
    one, two = drawn // DICE + 1, drawn % DICE + 1
    return jnp.stack([jnp.maximum(one, two), jnp.minimum(one, two)]).astype(jnp.int32), luck


def column(values: np.ndarray, like: Array) -> np.ndarray:
    """Return values of the points as an array that fits one with any axes after that of the points, [26, ...]."""
    return values.reshape(-1, *(1,) * (like.ndim - 1))


def rearmost(side: Array) -> Array:
    """Return int32[...]: the highest point that has men (int8[26, ...]), 25 for the bar; 0 if all are borne off."""
    return jnp.where(side > 0, column(POINTS, side), 0).max(0).astype(jnp.int32)


def racing(own: Array, other: Array) -> Array:
    """Return bool[...]: whether the sides, int8[26, ...] by their own points, have passed each other."""
    return rearmost(own) + rearmost(other) < BAR


def move_man(own: Array, other: Array, point: Array, die: Array) -> tuple[Array, Array]:
    """Move a man from a point (int32[]) by a die (int32[]), off beyond point 1, and hit a blot where it lands."""
    to = jnp.maximum(point - die, OFF)
    own = own - (point == POINTS) + (to == POINTS)
    hit = (to > OFF) & (other[BAR - to] == 1)
    other = other + hit * (jnp.where(POINTS == BAR, 1, 0) - (BAR - to == POINTS))
    return own.astype(jnp.int8), other.astype(jnp.int8)


def has(points: Array, point: Array | np.ndarray) -> Array:
    """Return bool[...]: whether sets of points (uint32[...]) have a point (int32[...])."""
    return (points >> jnp.asarray(point).astype(jnp.uint32)) & 1 != 0


def bit(point: Array | np.ndarray) -> Array:
    """Return uint32[...]: the sets of one point each (int32[...])."""
    return jnp.uint32(1) << jnp.asarray(point).astype(jnp.uint32)


def points_of(marks: Array) -> Array:
    """Return uint32[...]: the set of the marked indices of bool[26, ...]."""
    return jnp.where(marks, column(BITS, marks), 0).sum(0, dtype=jnp.uint32)


def facing(other: Array, least: int, most: int) -> Array:
    """Return uint32[...]: the points, as this side numbers them, where the opponent has `least` to `most` men.

    `other` is int8[26, ...], by the opponent's points.
    """
    men, inside = other[::-1], column((POINTS > OFF) & (POINTS < BAR), other)
    return points_of((men >= least) & (men <= most) & inside)


def movable(men: Array, blocked: Array, die: Array) -> Array:
    """Return uint32[...]: the points from which a man may move by one die, whatever becomes of the other dice.

    Args:
        men: uint32[...], the points that have men; bit 25 is the bar.
        blocked: uint32[...], the points where the opponent has two men or more.
        die: int32[...].
    """
    steps = die.astype(jnp.uint32)
    die_point = bit(die)
    far = men & ~(blocked << steps) & ~(2 * die_point - 1)
    at_home = men < 2 ** (HOME + 1)
    highest = bit(31 - lax.clz(men | 1).astype(jnp.int32)) & ~jnp.uint32(1)
    off = men & (die_point | jnp.where(men < die_point, highest, 0))
    moves = far | jnp.where(at_home, off, 0)
    return jnp.where(men >= 2**BAR, far & jnp.uint32(2**BAR), moves)


def move_from_each(own: Array, die: Array) -> Array:
    """Return uint32[26]: the points that have men after a man has moved by a die (int32[]) from each point."""
    men, alone = points_of((own > 0) & (POINTS > OFF)), points_of(own == 1)
    to = jnp.maximum(POINTS - die, OFF)
    return (men & ~(alone & bit(POINTS)) | bit(to)) & ~jnp.uint32(1)


def both_orders(own: Array, other: Array, dice: Array) -> Array:
    """Return uint32[2, 26]: for each die and each point from which it may be played first, the moves of the other one.

    Args:
        own: int8[26].
        other: int8[26], by the opponent's points.
        dice: int32[2].
    """
    men, blocked = points_of((own > 0) & (POINTS > OFF)), facing(other, 2, 15)

    def first(die: Array, then: Array) -> Array:
        second = movable(move_from_each(own, die), blocked, then)
        return jnp.where(has(movable(men, blocked, die), POINTS), second, 0)

    return jnp.stack([first(dice[0], dice[1]), first(dice[1], dice[0])])


def legal_sources(own: Array, other: Array, dice: Array, left: Array) -> Array:
    """Return uint32[2]: for each die the points from which the rules allow a man to move by it.

    Args:
        own: int8[26].
        other: int8[26], by the opponent's points.
        dice: int32[2], the larger one first.
        left: int32[2], how often each may still be played.
    """
    men, blocked = points_of((own > 0) & (POINTS > OFF)), facing(other, 2, 15)
    single = jnp.where(left > 0, movable(men, blocked, dice), 0)
    orders = both_orders(own, other, dice)
    both = jnp.stack([points_of(one != 0) for one in orders])
    larger = jnp.stack([single[0], jnp.where(single[0] != 0, 0, single[1])])
    with_two = jnp.where((both != 0).any(), both, larger)
    return jnp.where((left > 0).all(), with_two, single)


GAME = Backgammon
