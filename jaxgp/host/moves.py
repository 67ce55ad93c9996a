"""The moves of a game one by one on the host: what they lead to, and what is said of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

State = Any

YOU = "You"
"""What a person is called to its face."""


def players(rules: Any) -> int:
    """Return how many play a game."""
    return int(rules.seats)


@dataclass(frozen=True)
class Move:
    """One move of a recorded game.

    Attributes:
        state: the position after it.
        action: what was played; None for the opening position, and where the game was forfeited.
        seat: who played it.
    """

    state: Any
    action: int | None
    seat: int


@dataclass(frozen=True)
class Stepper:
    """The rules, compiled for one position at a time."""

    rules: Any

    @cached_property
    def _step(self) -> Any:
        return jax.jit(self.rules.step)

    @cached_property
    def _legal(self) -> Any:
        return jax.jit(self.rules.legal_actions)

    def opening(self) -> Move:
        """Return what a record begins with; games of chance would all begin alike."""
        state = jax.jit(self.rules.init)(jax.random.key(0))
        return Move(state, None, int(state.to_move))

    def play(self, state: State, action: int | Array | None) -> Move:
        """Play a legal action for the side to move; None forfeits the game."""
        seat = int(state.to_move)
        if action is None:
            return Move(self.rules.forfeit(state), None, seat)
        return Move(self._step(state, jnp.int32(action)), int(action), seat)

    def legal(self, state: State) -> list[int]:
        """Return what the side to move may play."""
        return np.flatnonzero(self._legal(state)).tolist()

    def retrace(self, actions: Sequence[int | None]) -> Iterator[Move]:
        """Yield the opening, then every move of a record.

        Raises:
            ValueError: a move cannot be played in the position that it is in, or comes after the end of the game.
        """
        move = self.opening()
        yield move
        for number, action in enumerate(actions, 1):
            if bool(move.state.terminated):
                raise ValueError(f"move {number}: the game has ended with move {number - 1}")
            if action is not None and action not in self.legal(move.state):
                raise ValueError(f"move {number}: cannot be played there")
            move = self.play(move.state, action)
            yield move


def announcement(rules: Any, drawing: Any, move: Move, name: str) -> str:
    """Say who has played what; `drawing` is the game's module `render`."""
    if move.action is None and players(rules) == 1:
        return f"{name} names no further move, and the game ends as it stands."
    if move.action is None:
        return f"{name} names no legal move and forfeits the game."
    again = players(rules) > 1 and not bool(move.state.terminated) and int(move.state.to_move) == move.seat
    you = name == YOU
    then = f" and {'move' if you else 'moves'} again" if again else ""
    return f"{name} {'play' if you else 'plays'} {drawing.action_name(rules, move.action)}{then}."


def verdict(rules: Any, state: State, names: Sequence[str]) -> str:
    """Say in one line how a game has ended; `names` is by seat."""
    if players(rules) == 1:
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
