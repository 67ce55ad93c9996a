"""Engines outside the project as players: programs that speak the Go Text Protocol, each in a process of its own.

Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2" (2002). Other games than Go use it
with their own names for moves, and `set_game` to choose the game. The `Dialect` of a game's `Spec` holds these names.
"""

import os
import re
import shlex
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from jaxgp.contracts import Game, Position
from jaxgp.errors import remark
from jaxgp.games.notation import Dialect
from jaxgp.processes.child import ChildProcess, ProcessError, quoted
from jaxgp.seats.agents import Agent
from jaxgp.seats.moves import Move, legal

TIMEOUT = 120.0
"""Seconds that an engine may take for an answer, by default."""
PLACES = ("/usr/games",)
"""Folders beside PATH where programs are looked for: Debian puts games where the PATH of most users does not lead."""
BESIDE = 200
"""Lines beside an answer, such as a banner or what a search reports, that are passed over."""
ANSWERS = re.compile(r"([=?])(?![=?])(\d*)\s*(.*)", re.DOTALL)
"""An answer: a mark, the number of the command, and the text."""
RESIGNED = "resign"


class EngineError(RuntimeError):
    """An engine refused a command, gave no answer, has ended, or gave an answer that cannot be read."""


class RefusedError(EngineError):
    """An engine answered a command with `?`."""


class MissingEngineError(ValueError):
    """The program is not installed."""


def find(command: str, packages: Mapping[str, str] | None = None) -> list[str]:
    """Return the words of a command, the first of them the path of an installed program.

    Args:
        command: the program and its options, as one types them.
        packages: see `Dialect`.

    Raises:
        MissingEngineError: there is no such program; the message says where it was looked for, and what installs it.
        ValueError: the command is empty, or its quotes are not closed.
    """
    try:
        program, *options = shlex.split(command)
    except ValueError as error:
        why = str(error) if command.strip() else "it is empty"
        raise ValueError(f"command={command}: accepted: a program and its options ({why})") from error
    path = shutil.which(os.path.expanduser(program)) or shutil.which(program, path=os.pathsep.join(PLACES))
    if path is None:
        source = (packages or {}).get(os.path.basename(program))
        how = f"; it comes with {source}" if source else ""
        where = "" if os.path.dirname(program) else f" on PATH or in {', '.join(PLACES)}"
        raise MissingEngineError(f"command={command}: {program} is not installed{where}{how}")
    return [path, *options]


class Engine:
    """A running engine. Call `close`, or use it in a with statement.

    Args:
        command: the program and its options.
        timeout: seconds that it may take for an answer.
        packages: see `Dialect`.

    Raises:
        MissingEngineError, ValueError: see `find`.
        EngineError: it cannot be started.
    """

    def __init__(self, command: str, timeout: float = TIMEOUT, packages: Mapping[str, str] | None = None) -> None:
        words = find(command, packages)
        self.command, self.timeout = command, timeout
        try:
            self._child = ChildProcess(words, farewell=b"quit\n", called="the engine")
        except OSError as error:
            raise EngineError(f"{command}: cannot be started ({error.strerror})") from error
        self._number = 1
        self._beside = 0
        self._last = ""
        self._numbered: bool | None = None
        self.close = self._child.close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, line: str) -> str:
        """Give a command and return the answer, which may have several lines.

        Raises:
            RefusedError: the engine says that it failed.
            EngineError: no answer, or none that can be read; the engine is closed.
        """
        try:
            mark, text = self._exchange(line)
        except ProcessError as error:
            self.close()
            raise EngineError(f"{self.command}: {line}: {error}") from error
        if mark == "?":
            raise RefusedError(f"{self.command}: {line}: refused: {text or 'without a reason'}")
        return text

    def knows(self, line: str) -> bool:
        """Say whether the engine has the command that a line begins with."""
        return self.ask(f"known_command {line.split()[0]}").lower() == "true"

    def _exchange(self, line: str) -> tuple[str, str]:
        """Send a line; return the mark and the text of the answer.

        Commands have numbers, which answers repeat. So what an engine says too late, or beside its answer, is no answer
        to the next command. An engine that does not repeat the first number gets no others.
        """
        if not self.close.alive:
            raise self._child.ended()
        until, number = time.monotonic() + self.timeout, str(self._number)
        self._number += 1
        beside = self._beside
        try:
            mark, given, text = self._answer(f"{number} {line}" if self._numbered is not False else line, until)
            if self._numbered is None:
                self._numbered = given == number
                if mark == "?" and not self._numbered:  # it took the number for the command
                    mark, given, text = self._answer(line, until)
            while self._numbered and given != number and (given or mark == "="):  # some refuse without the number
                mark, given, text = self._read(until)
        except TimeoutError as error:
            said = f", but {quoted(self._last)}, which is no answer" if self._beside > beside else ""
            raise ProcessError(f"no answer within {self.timeout:g} s{said}") from error
        return mark, text

    def _answer(self, line: str, until: float) -> tuple[str, str, str]:
        """Send a line, and return what `_read` returns."""
        self._child.forget()
        self._child.send(f"{line}\n".encode(), until)
        return self._read(until)

    def _read(self, until: float) -> tuple[str, str, str]:
        """Return the mark, the number and the text of the next answer; lines before it are passed over."""
        answer, beside = list[str](), 0
        while (got := self._child.line(until)) or not answer:
            if answer or ANSWERS.match(got):
                answer += [got] * bool(got)
            elif got:
                beside += 1
                self._pass_over(got)
                if beside > BESIDE:
                    raise ProcessError(f"said more than {BESIDE} lines, the last {quoted(got)}, and no answer")
        found = ANSWERS.match("\n".join(answer))
        assert found is not None
        return found[1], found[2], found[3].strip()

    def _pass_over(self, line: str) -> None:
        """Remark on the first line that is no answer."""
        if not self._beside:
            remark(f"{self.command}: lines that are no answers are passed over, the first {quoted(line)}")
        self._beside += 1
        self._last = line


@dataclass
class EnginePlayer:
    """An engine as a player. It keeps the engine's board in step with the record of the game.

    Attributes:
        game: the rules.
        dialect: how the engine speaks of the game.
        engine: a running engine.
        played: moves on the engine's board, each with its seat; None before the first game.
    """

    game: Game
    dialect: Dialect
    engine: Engine
    played: list[tuple[int, int | None]] | None = None

    def __post_init__(self) -> None:
        for line in self.dialect.setup:
            if self.engine.knows(line):
                self.engine.ask(line)

    def attend(self, record: Sequence[Move]) -> None:
        """Bring the engine's board to the end of a record: play the new moves, or all again if earlier ones differ."""
        moves = [(move.seat, move.action) for move in record[1:]]
        if self.played is None or moves[: len(self.played)] != self.played:
            self.engine.ask("clear_board")
            self.played = []
        for before, move in zip(record[len(self.played) :], record[len(self.played) + 1 :], strict=False):
            self._tell(before.state, move)
            self.played.append((move.seat, move.action))

    def _tell(self, before: Position, move: Move) -> None:
        assert move.action is not None, "nobody moves after the end of a game"
        colour = self.dialect.colours[move.seat]
        try:
            self.engine.ask(f"play {colour} {self.dialect.vertex(move.action)}")
        except RefusedError:
            # gtp-rhino passes by itself and refuses to be told of a pass. With one legal move, let the engine play it.
            if len(legal(self.game, before)) > 1 or self._asked(colour) != move.action:
                raise

    def choose(self, state: Position, bits: np.uint32) -> int | None:
        """Return the engine's move in the position that it has been told; None if it resigns. The bits are not used.

        Raises:
            EngineError: it names no legal move.
        """
        del bits
        assert self.played is not None, "an engine has to attend to the game first"
        seat = int(state.to_move)
        colour = self.dialect.colours[seat]
        action = self._asked(colour)
        if action is not None and action not in legal(self.game, state):
            vertex = self.dialect.vertex(action)
            raise EngineError(
                f"{self.engine.command}: genmove {colour}: answered {vertex}, which cannot be played there"
            )
        self.played.append((seat, action))
        return action

    def _asked(self, colour: str) -> int | None:
        """Have the engine play; return the move, or None if it resigns."""
        answer = self.engine.ask(f"genmove {colour}")
        try:
            return None if answer.lower() == RESIGNED else self.dialect.action(answer)
        except ValueError as error:
            raise EngineError(f"{self.engine.command}: genmove {colour}: {error}") from error


def gtp_agent(game: Game, dialect: Dialect, command: str, timeout: float = TIMEOUT) -> Agent:
    """Play the moves of an engine outside, which is started at once.

    Raises:
        MissingEngineError, ValueError, EngineError: see `Engine`, or it cannot play the game.
    """
    engine = Engine(command, timeout, dialect.packages)
    try:
        player = EnginePlayer(game, dialect, engine)
    except EngineError:
        engine.close()
        raise
    return Agent(command, player.choose, player.attend, engine.close)
