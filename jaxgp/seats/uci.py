"""Engines outside the project that speak the Universal Chess Interface, each in a process of its own.

Source: R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface" (2006). The `Positions` of a game's
`Spec` say how its positions and moves are written. An engine gets one thread, and a stated size of its table.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import is_not

import numpy as np

from jaxgp.contracts import Game, Position
from jaxgp.games.notation import Positions
from jaxgp.processes.child import ProcessError, quoted
from jaxgp.seats.agents import Agent
from jaxgp.seats.gtp import TIMEOUT, Engine, EngineError
from jaxgp.seats.moves import Move, legal

THREADS = 1
NONE = ("(none)", "0000")
"""What engines answer where they know no move."""


class UciEngine(Engine):
    """A running engine; see `Engine`."""

    def tell(self, line: str) -> None:
        """Give a command that has no answer; raises EngineError."""
        self.expect(line, "")

    def expect(self, line: str, word: str) -> str:
        """Give a command and return the line of the answer that begins with a word; others are passed over.

        Raises:
            EngineError: there is no such line; the engine is closed.
        """
        until = time.monotonic() + self.timeout
        try:
            if not self.close.alive:
                raise self._child.ended()
            self._child.forget()
            self._child.send(f"{line}\n".encode(), until)
            while word:
                said = self._child.line(until)
                if said.split(maxsplit=1)[:1] == [word]:
                    return said
        except (ProcessError, TimeoutError) as error:
            self.close()
            why = str(error) or f"no line with {quoted(word)} within {self.timeout:g} s"
            raise EngineError(f"{self.command}: {line}: {why}; accepted: an engine of protocol=uci") from error
        return ""


@dataclass
class UciPlayer:
    """An engine as a player.

    Attributes:
        game: the rules.
        positions: how positions and moves are written.
        engine: a running engine.
        go: what it is told to do for a move, as in `go nodes 1000`.
        record: of the game that the engine knows.
        told: its position and its moves, as the engine reads them.
    """

    game: Game
    positions: Positions
    engine: UciEngine
    go: str
    record: Sequence[Move] = ()
    told: str = ""

    def attend(self, record: Sequence[Move]) -> None:
        """Remember the record of a game; a record that does not go on from the last one is a new game."""
        known = self.record
        if not known or len(record) < len(known) or any(map(is_not, known, record)):
            self.engine.tell("ucinewgame")
            self.engine.expect("isready", "readyok")
            known, self.told = record[:1], f"position fen {self.positions.text(record[0].state)} moves"
        for before, move in pairwise(record[len(known) - 1 :]):
            if move.action is not None:
                self.told += f" {self.positions.move(before.state, move.action)}"
        self.record = tuple(record)

    def choose(self, state: Position, bits: np.uint32) -> int:
        """Return the engine's move in the position that it was told of. The bits are not used.

        Raises:
            EngineError: it names no legal move.
        """
        del bits
        self.engine.tell(self.told)
        words = self.engine.expect(self.go, "bestmove").split()
        answer = words[1] if len(words) > 1 else ""
        try:
            action = None if answer in NONE else self.positions.action(state, answer)
        except ValueError:
            action = None
        if action is None or action not in legal(self.game, state):
            self.engine.close()
            raise EngineError(
                f"{self.engine.command}: {self.go}: answered {quoted(answer)}, which cannot be played there"
            )
        return action


def uci_agent(
    game: Game, positions: Positions, command: str, limit: str, table_mib: int, timeout: float = TIMEOUT
) -> Agent:
    """Play the moves of an engine outside, which is started at once; a `limit` ends a search, as in `nodes 1000`.

    Raises:
        MissingEngineError, ValueError, EngineError: see `Engine`, or it does not speak the protocol.
    """
    engine = UciEngine(command, timeout, positions.packages)
    engine.expect("uci", "uciok")
    for name, value in (("Threads", THREADS), ("Hash", table_mib)):
        engine.tell(f"setoption name {name} value {value}")
    engine.expect("isready", "readyok")
    player = UciPlayer(game, positions, engine, f"go {limit}")
    return Agent(f"{command}, {limit}", player.choose, player.attend, engine.close)
