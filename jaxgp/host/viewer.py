"""A recorded game in the terminal, to go through move by move. Knows no game and no terminal library."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jaxgp.contracts import Game
from jaxgp.reading import whole_number
from jaxgp.seats.moves import Move, announcement, verdict
from jaxgp.spec import Spec

HELP = """\
Press Enter for the next move. Or type
  back    for the position before
  5       or another number, for the position after that many moves
  quit    to leave
  help    for this list
"""


@dataclass
class Viewer:
    """One recorded game.

    Attributes:
        rules: the game.
        spec: the game, for its pictures and words.
        names: of the players, by seat.
        moves: the opening, then every move.
        say: prints.
        draw: prints the text of a position; it gets also that of the position before. None: `say`.
    """

    rules: Game
    spec: Spec
    names: tuple[str, ...]
    moves: Sequence[Move]
    say: Callable[[str], None]
    draw: Callable[[str, str], None] | None = None

    @property
    def last(self) -> int:
        """Number of moves."""
        return len(self.moves) - 1

    def run(self) -> None:
        """Print all positions."""
        for number in range(len(self.moves)):
            self._show(number)
        self._close()

    def walk(self, ask: Callable[[str], str], start: int = 0) -> None:
        """Let a person go through the positions; `ask` shows a prompt and returns a line, or raises EOFError."""
        at = start
        self._show(at)
        while True:
            try:
                word = ask(f"Move {at} of {self.last} (Enter, back, a number, quit): ").strip().lower()
            except EOFError:
                return
            if word in ("quit", "q", "exit"):
                return
            if word in ("help", "h", "?"):
                self.say(HELP)
                continue
            to = self._target(word, at)
            if to is None:
                what = f'"{word[:40]}" is none of them'
                self.say(f"{what}; accepted: Enter, back, a number from 0 to {self.last}, quit, or help.")
            elif to > self.last:
                self._close()
                return
            elif to < 0:
                self.say("This is the opening position.")
            else:
                at = to
                self._show(at)

    def _target(self, word: str, at: int) -> int | None:
        """Return the number of the move that a word leads to, or None for any other word."""
        if word in ("", "next", "n"):
            return at + 1
        if word in ("back", "b"):
            return at - 1
        number = whole_number(word)
        return number if number is not None and number <= self.last else None

    def _show(self, number: int) -> None:
        move = self.moves[number]
        if number:
            rolled = self.spec.table.rolled(self.rules, self.moves[number - 1].state)
            said = announcement(self.rules, self.spec.notation, move, self.names[move.seat], rolled)
            self.say(f"{number}. {said}")
        now = self.spec.drawing.text(self.rules, move.state)
        if self.draw is None:
            self.say(f"\n{now}\n")
        else:
            self.draw(now, self.spec.drawing.text(self.rules, self.moves[max(number - 1, 0)].state))

    def _close(self) -> None:
        state = self.moves[-1].state
        over = bool(state.terminated)
        self.say(verdict(self.rules, state, self.names, self.spec.table.ending) if over else "The record ends here.")
