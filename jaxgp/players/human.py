"""A game in the terminal: people, programs and searches at one board. Knows no game and no terminal library."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxgp.players.agents import Agent

State = Any

YOU = "You"
COMMANDS = ("help", "h", "?", "hint", "board", "undo")
HELP = """\
Type one of the legal moves; they are listed in front of the prompt. Or type
  hint    for the move that a search finds best
  board   to see the position again
  undo    to take back your last move, and the replies to it
  quit    to leave the game
  help    for this list
"""


class Quit(Exception):  # noqa: N818 - nothing has gone wrong
    """The person wants to leave, or the input has ended."""


@dataclass
class Game:
    """One game between two players, either of whom may be a person.

    Attributes:
        rules: the game.
        drawing: the game's `render` module: text, status, action_name, parse_action.
        players: by seat; None is a person.
        names: by seat.
        ask: shows a prompt and returns a line; raises EOFError when there are no more.
        say: prints.
        adviser: makes the agent that answers `hint`, when it is first asked.
        history: every position from the opening on.
    """

    rules: Any
    drawing: Any
    players: tuple[Agent | None, Agent | None]
    names: tuple[str, str]
    ask: Callable[[str], str]
    say: Callable[[str], None]
    adviser: Callable[[], Agent]
    history: list[State] = field(default_factory=list)

    @cached_property
    def _step(self) -> Callable[[State, Any], State]:
        return jax.jit(self.rules.step)

    @cached_property
    def _helper(self) -> Agent:
        return self.adviser()

    @property
    def state(self) -> State:
        return self.history[-1]

    @property
    def bottom(self) -> int:
        """The seat whose side of the board is nearest: the only person's, else the first player's."""
        return 1 if self.players[0] is not None and self.players[1] is None else 0

    def play(self) -> bool:
        """Play to the end; return False if a person left before."""
        self.history = [jax.jit(self.rules.init)(jax.random.key(0))]
        self._show()
        try:
            while not bool(self.state.terminated):
                self._turn()
        except Quit:
            self.say("The game was left unfinished.")
            return False
        if self.players.count(None):
            self._show()
        self.say(self._verdict())
        return True

    def _turn(self) -> None:
        """Let the side to move play, or take moves back."""
        mover = int(self.state.to_move)
        agent = self.players[mover]
        action = self._ask(mover) if agent is None else agent.choose(self.state)
        if action is not None:
            self.history.append(self._step(self.state, jnp.int32(action)))
            self._announce(mover, action)
        elif agent is not None:
            self.say(f"{self.names[mover]} names no legal move and forfeits the game.")
            self.history.append(self.rules.forfeit(self.state))
        if self.players[int(self.state.to_move)] is None or None not in self.players:
            self._show()

    def _announce(self, mover: int, action: int) -> None:
        again = not bool(self.state.terminated) and int(self.state.to_move) == mover
        name, you = self.names[mover], self.names[mover] == YOU
        then = f" and {'move' if you else 'moves'} again" if again else ""
        self.say(f"{name} {'play' if you else 'plays'} {self.drawing.action_name(self.rules, action)}{then}.")

    def _ask(self, mover: int) -> int | None:
        """Ask a person until a legal move is typed; None once moves were taken back."""
        legal = np.flatnonzero(self.rules.legal_actions(self.state)).tolist()
        choices = ", ".join(self.drawing.action_name(self.rules, action) for action in legal)
        while True:
            try:
                typed = self.ask(f"{self.names[mover]} ({choices}): ").strip()
            except EOFError:
                raise Quit from None
            word = typed.lower()
            if word in ("quit", "q", "exit"):
                raise Quit
            if word == "undo" and self._undo(mover):
                return None
            if word in COMMANDS:
                self._command(word)
                continue
            try:
                action: int = self.drawing.parse_action(self.rules, typed)
            except ValueError as error:
                self.say(f"{error}, or help.")
                continue
            if action in legal:
                return action
            self.say(f"{self.drawing.action_name(self.rules, action)} cannot be played here; legal: {choices}.")

    def _command(self, word: str) -> None:
        if word == "hint":
            action = self._helper.choose(self.state)
            if action is not None:
                self.say(f"Hint: {self.drawing.action_name(self.rules, action)} ({self._helper.name}).")
        elif word == "board":
            self._show()
        elif word == "undo":
            self.say("There is no move of yours to take back.")
        else:
            self.say(HELP)

    def _undo(self, mover: int) -> bool:
        """Go back to the last position in which a person was to move; the same person if the other is none."""
        for n in range(len(self.history) - 2, -1, -1):
            before = int(self.history[n].to_move)
            if self.players[before] is None:
                del self.history[n + 1 :]
                self.say(f"Taken back; {self.names[before]} to move." if before != mover else "Taken back.")
                return True
        return False

    def _show(self) -> None:
        self.say("\n" + self.drawing.text(self.rules, self.state, bottom=self.bottom) + "\n")

    def _verdict(self) -> str:
        result = float(self.state.returns[0])
        if YOU not in self.names:
            winner = "Draw" if result == 0 else f"{self.names[0 if result > 0 else 1]} wins"
        else:
            mine = result if self.names[0] == YOU else -result
            winner = "Draw" if mine == 0 else "You win" if mine > 0 else "You lose"
        scores = [f"{score:g}" for score in np.asarray(self.rules.score(self.state)).tolist()]
        first, second = scores if result >= 0 else scores[::-1]
        return f"{winner}, {first} to {second}."
