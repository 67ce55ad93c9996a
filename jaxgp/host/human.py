"""A game in the terminal: people, programs and searches at one board. Knows no game and no terminal library."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from jaxgp.contracts import Game, Position
from jaxgp.reading import whole_number
from jaxgp.seats import moves
from jaxgp.seats.agents import Agent, Hint
from jaxgp.seats.moves import Back, Move, Stepper, announcement, verdict
from jaxgp.spec import Spec
from jaxgp.terminal import Stopped

COMMANDS = ("help", "h", "?", "hint", "board", "rules", "undo")
HINT = "  hint    for a good move and what it is worth; Ctrl-C stops it\n"
RULES = "  rules   to read how the game is played\n"
HELP = """\
Type one of the legal moves, or its number where it has one; they are listed in front of the prompt. Or type
  board   to see the position again
  undo    to take back your last move, and the replies to it
  quit    to leave the game
  help    for this list
"""
MANY = 10
"""Moves up to which a person finds one among them by its name."""
LONG = 8
"""Letters from which on a name is longer to type than a number."""


class Quit(Exception):  # noqa: N818 - nothing has gone wrong
    """The person wants to leave, or the input has ended."""


@dataclass(frozen=True)
class Person:
    """A person's seat: a `Mover` that asks the person at the board."""

    board: "TerminalGame"
    seat: int

    def reply(self, record: Sequence[Move], bits: np.uint32) -> int | Back:
        """Return the move that the person types, or that moves are taken back; raises Quit."""
        del record, bits
        return self.board.ask_move(self.seat)


@dataclass
class TerminalGame:
    """One game in the terminal: two players, either of whom may be a person, or one who plays alone.

    Attributes:
        stepper: the rules, and the chance of this game.
        spec: the game, for its pictures and words.
        players: by seat; None is a person.
        names: by seat.
        ask: shows a prompt and returns a line; raises EOFError when there are no more.
        say: prints.
        adviser: makes what answers `hint`, at the first hint; None: there are no hints.
        remark: says what a person's move did: (state before it, action) -> a sentence; None: nothing is said.
        draw: prints the text of a position; it gets also that of the position before the last move. None: `say`.
        width: letters of a line of the terminal.
        record: the opening, and all moves that were played and not taken back.
    """

    stepper: Stepper
    spec: Spec
    players: tuple[Agent | None, ...]
    names: tuple[str, ...]
    ask: Callable[[str], str]
    say: Callable[[str], None]
    adviser: Callable[[], Hint] | None = None
    remark: Callable[[Position, int], str] | None = None
    draw: Callable[[str, str], None] | None = None
    width: int = 80
    record: list[Move] = field(default_factory=list)
    _rest: list[int] = field(default_factory=list)
    """Moves of a turn that was typed at once, which are still to be played."""
    _along: set[int] = field(default_factory=set)
    """Lengths of the record at which such a move was played; nobody was asked there."""

    @property
    def rules(self) -> Game:
        return self.stepper.rules

    @property
    def state(self) -> Position:
        return self.record[-1].state

    @cached_property
    def _helper(self) -> Hint | None:
        return None if self.adviser is None else self.adviser()

    @property
    def bottom(self) -> int:
        """The seat whose side of the board is nearest: the only person's, else the first player's."""
        return self.players.index(None) if None in self.players else 0

    def play(self) -> bool:
        """Play to the end; return False if a person left before."""
        if self.record:
            self._show(self.state)
        movers = [Person(self, seat) if agent is None else agent for seat, agent in enumerate(self.players)]
        try:
            for move in moves.play(self.stepper, movers, self.record):
                self._tell(move)
        except Quit:
            self.say("The game was left unfinished.")
            return False
        if self.players.count(None):
            self._show(self.state)
        self.say(verdict(self.rules, self.state, self.names, self.spec.table.ending))
        return True

    def _tell(self, move: Move) -> None:
        """Say what was played. Show the board if a person is to move, or if no person plays."""
        opening = len(self.record) == 1
        if not opening:
            rolled = self.spec.table.rolled(self.rules, self.record[-2].state)
            self.say(announcement(self.rules, self.spec.notation, move, self.names[move.seat], rolled))
            if self.remark is not None and self.players[move.seat] is None and move.action is not None:
                self.say(self.remark(self.record[-2].state, move.action))
        asked = self.players[int(move.state.to_move)] is None and not self._rest
        if opening or asked or None not in self.players:
            self._show(move.state)

    def ask_move(self, mover: int) -> int | Back:
        """Ask a person until a legal move is typed, or moves are taken back; raises Quit.

        Of a turn that was typed at once, the moves after the first are returned without asking.
        """
        if self._rest:
            self._along.add(len(self.record))
            return self._rest.pop(0)
        legal = self.stepper.legal(self.state)
        names = [self.spec.notation.action_name(self.rules, action) for action in legal]
        many = len(names) > MANY or max(map(len, names), default=0) >= LONG
        numbered = many and all(whole_number(name) is None for name in names)
        listed = [f"{number} {name}" for number, name in enumerate(names, 1)] if numbered else names
        choices = _listed(listed)
        prompt = f"{self.names[mover]} ({choices}): "
        if len(prompt) > self.width:
            prompt = f"{_listed(listed, self.width)}\n{self.names[mover]}: "
        while True:
            try:
                typed = self.ask(prompt).strip()
            except EOFError:
                raise Quit from None
            word = typed.lower()
            if word in ("quit", "q", "exit"):
                raise Quit
            back = self._undo(mover) if word == "undo" else None
            if back is not None:
                return back
            if word in COMMANDS:
                self._command(word)
                continue
            number = whole_number(word) if numbered else None
            if number is not None and 1 <= number <= len(legal):
                return legal[number - 1]
            try:
                if self.spec.table.turn is not None:
                    action, *self._rest = self.spec.table.turn(self.rules, self.state, typed)
                    return action
                action = self.spec.notation.parse_action(self.rules, typed)
            except ValueError as error:
                self.say(f"{error}, or help.")
                continue
            if action in legal:
                return action
            self.say(f"{self.spec.notation.action_name(self.rules, action)} cannot be played here; legal: {choices}.")

    def _command(self, word: str) -> None:
        if word == "hint" and self._helper is None:
            self.say("There are no hints in this game.")
        elif word == "hint" and self._helper is not None:
            try:
                action, why = self._helper(self.state, self.stepper.bits(self.record))
            except Stopped:
                self.say("The hint was stopped.")
                return
            said = "no move" if action is None else self.spec.notation.action_name(self.rules, action)
            self.say(f"Hint: {said} ({why}).")
        elif word == "rules":
            self.say(self.spec.table.rules or "The rules of this game are in its own documents.")
        elif word == "board":
            self._show(self.state)
        elif word == "undo":
            self.say("There is no move of yours to take back.")
        else:
            first, rest = HELP.split("\n", 1)
            more = HINT * (self.adviser is not None) + RULES * bool(self.spec.table.rules)
            words = f"{first}\n{more}{rest}"
            self.say(words if self.spec.table.typed is None else f"Moves are {self.spec.table.typed}.\n{words}")

    def _undo(self, mover: int) -> Back | None:
        """Go back to the last position in which a person, either of them, was asked; None if there is none."""
        for n in range(len(self.record) - 2, -1, -1):
            state = self.record[n].state
            before = int(state.to_move)
            if self.players[before] is None and n + 1 not in self._along:
                self._along = {length for length in self._along if length <= n}
                self.say(f"Taken back; {self.names[before]} to move." if before != mover else "Taken back.")
                self._show(state)
                return Back(n + 1)
        return None

    def _show(self, state: Position) -> None:
        now = self.spec.drawing.text(self.rules, state, bottom=self.bottom)
        if self.draw is None:
            self.say(f"\n{now}\n")
            return
        last = len(self.record) > 1 and self.record[-1].state is state
        before = self.spec.drawing.text(self.rules, self.record[-2].state, bottom=self.bottom) if last else now
        self.draw(now, before)


def _listed(names: Sequence[str], width: int | None = None) -> str:
    """Join the names of moves, so that commas within a name do not end it; no line breaks one, or is wider."""
    comma = ";" if any("," in name for name in names) else ","
    lines = [""]
    for name in (*(f"{name}{comma}" for name in names[:-1]), *names[-1:]):
        if width is not None and lines[-1] and len(lines[-1]) + 1 + len(name) > width:
            lines.append("")
        lines[-1] += f" {name}" if lines[-1] else name
    return "\n".join(lines)
