"""A game in the terminal: people, programs and searches at one board. Knows no game and no terminal library."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from jaxgp.host.agents import Agent
from jaxgp.host.moves import Move, Stepper, announcement, verdict

State = Any

COMMANDS = ("help", "h", "?", "hint", "board", "undo")
HINT = "  hint    for the move that a search finds best\n"
HELP = """\
Type one of the legal moves; they are listed in front of the prompt. Or type
  board   to see the position again
  undo    to take back your last move, and the replies to it
  quit    to leave the game
  help    for this list
"""


class Quit(Exception):  # noqa: N818 - nothing has gone wrong
    """The person wants to leave, or the input has ended."""


@dataclass
class Game:
    """One game between two players, either of whom may be a person, or of one who plays alone.

    Attributes:
        rules: the game.
        drawing: pictures and words of the game.
        players: by seat; None is a person.
        names: by seat.
        ask: shows a prompt and returns a line; raises EOFError when there are no more.
        say: prints.
        adviser: makes the agent that answers `hint`, when it is first asked; None: there are no hints.
        typed: in how many ways moves can be typed; None: by their names alone.
        history: the opening, and what was played since and not taken back.
    """

    rules: Any
    drawing: Any
    players: tuple[Agent | None, ...]
    names: tuple[str, ...]
    ask: Callable[[str], str]
    say: Callable[[str], None]
    adviser: Callable[[], Agent] | None
    typed: str | None = None
    history: list[Move] = field(default_factory=list)

    @cached_property
    def _stepper(self) -> Stepper:
        return Stepper(self.rules)

    @cached_property
    def _helper(self) -> Agent | None:
        return None if self.adviser is None else self.adviser()

    @property
    def state(self) -> State:
        return self.history[-1].state

    @property
    def bottom(self) -> int:
        """The seat whose side of the board is nearest: the only person's, else the first player's."""
        return self.players.index(None) if None in self.players else 0

    def play(self) -> bool:
        """Play to the end; return False if a person left before."""
        self.history = [self._stepper.opening()]
        self._show()
        try:
            while not bool(self.state.terminated):
                self._turn()
        except Quit:
            self.say("The game was left unfinished.")
            return False
        if self.players.count(None):
            self._show()
        self.say(verdict(self.rules, self.state, self.names))
        return True

    def _turn(self) -> None:
        """Let the side to move play, or take moves back."""
        mover = int(self.state.to_move)
        agent = self.players[mover]
        action = self._ask(mover) if agent is None else agent.reply(self.history)
        if action is not None or agent is not None:
            self.history.append(self._stepper.play(self.state, action))
            self.say(announcement(self.rules, self.drawing, self.history[-1], self.names[mover]))
        if self.players[int(self.state.to_move)] is None or None not in self.players:
            self._show()

    def _ask(self, mover: int) -> int | None:
        """Ask a person until a legal move is typed; None once moves were taken back."""
        legal = np.flatnonzero(self.rules.legal_actions(self.state)).tolist()
        choices = _listed([self.drawing.action_name(self.rules, action) for action in legal])
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
        if word == "hint" and self._helper is None:
            self.say("There are no hints in this game.")
        elif word == "hint" and self._helper is not None:
            action = self._helper.choose(self.state)
            if action is not None:
                self.say(f"Hint: {self.drawing.action_name(self.rules, action)} ({self._helper.name}).")
        elif word == "board":
            self._show()
        elif word == "undo":
            self.say("There is no move of yours to take back.")
        else:
            first, rest = HELP.split("\n", 1)
            words = HELP if self.adviser is None else f"{first}\n{HINT}{rest}"
            self.say(words if self.typed is None else f"Moves are {self.typed}.\n{words}")

    def _undo(self, mover: int) -> bool:
        """Go back to the last position in which a person was to move; the same person if the other is none."""
        for n in range(len(self.history) - 2, -1, -1):
            before = int(self.history[n].state.to_move)
            if self.players[before] is None:
                del self.history[n + 1 :]
                self.say(f"Taken back; {self.names[before]} to move." if before != mover else "Taken back.")
                return True
        return False

    def _show(self) -> None:
        self.say("\n" + self.drawing.text(self.rules, self.state, bottom=self.bottom) + "\n")


def _listed(names: list[str]) -> str:
    """Join the names of moves, so that commas within a name do not end it."""
    return ("; " if any("," in name for name in names) else ", ").join(names)
