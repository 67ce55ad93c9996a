"""The one loop of games on the host, move by move, and the sentences that describe moves.

The loop asks a `Mover` for a move when it is its turn: a person, a program, a search, an engine outside.

A game has a key, and all chance in it follows from the key, so a game can be played again. The opening is drawn from
`fold_in(key, OPENING)`. Ply `n`, counted from 0, gives its mover random bits of `fold_in(key, n)`. Chance after the ply
is drawn from a child of that key, as in the loops on the device (`jaxgp.players.ply`). So a move that was taken back
and is played again meets the same dice.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Game, Position
from jaxgp.games.notation import Notation
from jaxgp.players.ply import after, bits

YOU = "You"
"""How the program addresses a person."""
OPENING = 2**32 - 1
"""Ply number that stands for the opening; no game has that many plies."""


def game_key(seed: int, number: int = 0) -> Array:
    """Return the key of game `number` of a series with this seed."""
    return jax.random.fold_in(jax.random.key(seed), number)


@dataclass(frozen=True)
class Move:
    """One move of a record: the opening, then every move, in a list.

    Attributes:
        state: the position after it.
        action: the action that was played; None for the opening position, and for a forfeit.
        seat: who played it.
    """

    state: Position
    action: int | None
    seat: int


class Back(NamedTuple):
    """Answer of a mover that takes moves back.

    Attributes:
        length: how many entries of the record stay; at least 1, the opening.
    """

    length: int


class Mover(Protocol):
    """Whoever has a seat at the board."""

    def reply(self, record: Sequence[Move], bits: np.uint32) -> int | Back | None:
        """Return a move in the position that a record leads to; None, or an illegal move, forfeits the game.

        `bits` is uniform, and the same each time that this ply of this game is played.
        """


class _Compiled(NamedTuple):
    """The rules of a game as programs for one position."""

    init: Callable[[Array], Position]
    step: Callable[[Position, np.int32, Array, np.int32], Position]
    legal: Callable[[Position], Array]


@lru_cache(maxsize=64)
def _compiled(rules: Game) -> _Compiled:
    def init(key: Array) -> Position:
        state: Position = rules.init(jax.random.fold_in(key, np.uint32(OPENING)))
        return state

    def step(state: Position, action: Array, key: Array, ply: Array) -> Position:
        moved: Position = after(rules, state, action, jnp.bool_(True), key, ply)
        return moved

    return _Compiled(jax.jit(init), jax.jit(step), jax.jit(rules.legal_actions))


_bits = jax.jit(bits)


def legal(rules: Game, state: Position) -> list[int]:
    """Return what the side to move may play, in ascending order."""
    return [int(action) for action in np.flatnonzero(_compiled(rules).legal(state))]


@dataclass(frozen=True, eq=False)
class Stepper:
    """The rules and the chance of one game, a position at a time.

    Attributes:
        rules: the game.
        key: key[] of this game, as `game_key` makes it.
    """

    rules: Game
    key: Array

    def opening(self) -> Move:
        """Return the first entry of a record: the opening position."""
        state = _compiled(self.rules).init(self.key)
        return Move(state, None, int(state.to_move))

    def compile(self) -> None:
        """Compile the rules, so that nobody waits for it in the middle of a game."""
        opening = self.opening()
        self.bits([opening])
        for action in self.legal(opening.state)[:1]:
            self.after([opening], action)

    def after(self, record: Sequence[Move], action: int | None) -> Move:
        """Return the next entry of a record: after a legal action of the side to move, or after a forfeit (None)."""
        state = record[-1].state
        seat = int(state.to_move)
        if action is None:
            return Move(self.rules.forfeit(state), None, seat)
        ply = len(record) - 1
        return Move(_compiled(self.rules).step(state, np.int32(action), self.key, np.int32(ply)), int(action), seat)

    def bits(self, record: Sequence[Move]) -> np.uint32:
        """Return uint32, the random bits of the ply that follows a record."""
        return np.uint32(_bits(self.key, np.int32(len(record) - 1)))

    def legal(self, state: Position) -> list[int]:
        """Return what the side to move may play, in ascending order."""
        return legal(self.rules, state)

    def retrace(self, actions: Sequence[int | None]) -> Iterator[Move]:
        """Yield the opening, then every move of a record.

        Raises:
            ValueError: a move is illegal in its position, or comes after the end of the game.
        """
        record = [self.opening()]
        yield record[0]
        for number, action in enumerate(actions, 1):
            state = record[-1].state
            if bool(state.terminated):
                raise ValueError(f"move {number}: the game has ended with move {number - 1}")
            if action is not None and action not in self.legal(state):
                raise ValueError(f"move {number}: cannot be played there")
            record.append(self.after(record, action))
            yield record[-1]


def play(
    stepper: Stepper, movers: Sequence[Mover], record: list[Move] | None = None, max_plies: int | None = None
) -> Iterator[Move]:
    """Play a game to its end: the one loop of games on the host.

    Args:
        stepper: the rules and the chance of this game.
        movers: by seat.
        record: the moves so far, the opening first. The game appends to this list, and shortens it when moves are taken
            back. None or empty: the game begins with its opening.
        max_plies: the game is stopped here and scored as it stands; None: there is no limit.

    Yields:
        The moves as they are played; first the opening, if the record was empty.
    """
    record = [] if record is None else record
    if not record:
        record.append(stepper.opening())
        yield record[0]
    while not bool(record[-1].state.terminated) and (max_plies is None or len(record) <= max_plies):
        state = record[-1].state
        answer = movers[int(state.to_move)].reply(record, stepper.bits(record))
        if isinstance(answer, Back):
            del record[answer.length :]
            continue
        record.append(stepper.after(record, answer if answer in stepper.legal(state) else None))
        yield record[-1]


def play_on(
    stepper: Stepper, movers: Sequence[Mover], start: Sequence[Move] = (), max_plies: int | None = None
) -> list[Move]:
    """Return the record of a game that goes on from a `start`, or from its opening; see `play`."""
    record = list(start)
    for _ in play(stepper, movers, record, max_plies):
        pass
    return record


def announcement(rules: Game, notation: Notation, move: Move, name: str, rolled: str = "") -> str:
    """Say who has played what; `rolled` says what chance gave for it, such as " with 6-2"."""
    if move.action is None and rules.seats == 1:
        return f"{name} names no further move, and the game ends as it stands."
    if move.action is None:
        return f"{name} names no legal move and forfeits the game."
    again = rules.seats > 1 and not bool(move.state.terminated) and int(move.state.to_move) == move.seat
    you = name == YOU
    then = f" and {'move' if you else 'moves'} again" if again else ""
    return f"{name} {'play' if you else 'plays'} {notation.action_name(rules, move.action)}{rolled}{then}."


def verdict(
    rules: Game, state: Position, names: Sequence[str], ending: Callable[[Game, Position], str] | None = None
) -> str:
    """Say in one line how a game has ended.

    Args:
        rules: the game.
        state: the position that ended it.
        names: of the players, by seat.
        ending: of a game for one, (rules, position) -> how it has ended; None: its score says it.
    """
    if ending is not None:
        return f"{ending(rules, state)}."
    if rules.seats == 1:
        return f"{names[0]} {'end' if names[0] == YOU else 'ends'} with {float(rules.score(state)[0]):g}."
    result = float(state.returns[0])
    if YOU not in names:
        winner = "Draw" if result == 0 else f"{names[0 if result > 0 else 1]} wins"
    else:
        mine = result if names[0] == YOU else -result
        winner = "Draw" if mine == 0 else "You win" if mine > 0 else "You lose"
    scores = [f"{score:g}" for score in np.asarray(rules.score(state)).tolist()]
    first, second = scores if result >= 0 else scores[::-1]
    return f"{winner}, {first} to {second}."
