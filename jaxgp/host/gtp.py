"""Engines outside the project as players: programs that speak the Go Text Protocol, each in a process of its own.

Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2" (2002). Other games than Go use it
with their own names for moves, and `set_game` to choose the game. The `Dialect` of a game's `Spec` holds these names.
"""

import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Self

import numpy as np

from jaxgp.contracts import Game, Position
from jaxgp.host.agents import Agent
from jaxgp.host.moves import Move, legal
from jaxgp.spec import Dialect

TIMEOUT = 120.0
"""Seconds that an engine may take for an answer, by default."""
PLACES = ("/usr/games",)
"""Folders beside PATH where programs are looked for: Debian puts games where the PATH of most users does not lead."""
FAREWELL = 1.0
"""Seconds that an engine has to end after `quit`."""
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
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        try:
            # In a process session of its own, so that Ctrl-C reaches the game alone, which then closes the engine.
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            self._complaints.close()
            raise EngineError(f"{command}: cannot be started ({error.strerror})") from error
        self._lines: queue.Queue[str | None] = queue.Queue()
        assert self._process.stdout is not None
        threading.Thread(target=_pass_on, args=(self._process.stdout, self._lines), daemon=True).start()
        self.close = weakref.finalize(self, _stop, self._process, self._complaints)

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
        except EngineError:
            self.close()
            raise
        if mark == "?":
            raise RefusedError(f"{self.command}: {line}: refused: {text or 'without a reason'}")
        return text

    def knows(self, line: str) -> bool:
        """Say whether the engine has the command that a line begins with."""
        return self.ask(f"known_command {line.split()[0]}").lower() == "true"

    def _exchange(self, line: str) -> tuple[str, str]:
        """Send a line; return the mark and the text of the answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise self._ended(line) from error
        until, answer = time.monotonic() + self.timeout, list[str]()
        while True:
            try:
                got = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise EngineError(f"{self.command}: {line}: no answer within {self.timeout:g} s") from None
            if got is None:
                raise self._ended(line)
            if not answer and got and got[0] not in "=?":
                raise EngineError(f"{self.command}: {line}: answered {_quoted(got)}, not in the Go Text Protocol")
            if got:
                answer.append(got)
            elif answer:
                break
        found = re.match(r"([=?])\d*\s*(.*)", "\n".join(answer), re.DOTALL)
        assert found is not None
        return found[1], found[2].strip()

    def _ended(self, line: str) -> EngineError:
        """Return the error that says how the engine has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        code = self._process.returncode
        said = ""
        if not self._complaints.closed:
            self._complaints.seek(0)
            said = self._complaints.read().decode("utf-8", "replace").strip()
        words = f", saying {_quoted(said.splitlines()[-1])}" if said else ""
        how = "has stopped answering" if code is None else f"has ended with exit code {code}"
        return EngineError(f"{self.command}: {line}: the engine {how}{words}")


def _pass_on(output: IO[str], lines: "queue.Queue[str | None]") -> None:
    """Put an engine's lines into a queue, so that waiting for one can time out; None after the last."""
    with output:
        for line in output:
            lines.put(line.strip())
    lines.put(None)


def _stop(process: "subprocess.Popen[str]", complaints: IO[bytes]) -> None:
    """Ask an engine to end, and end it if it does not."""
    assert process.stdin is not None
    with suppress(OSError, ValueError):
        process.stdin.write("quit\n")
    with suppress(OSError, ValueError):
        process.stdin.close()
    try:
        process.wait(FAREWELL)
    except subprocess.TimeoutExpired:
        # Its process group holds everything that it has started; the group's number is the engine's process number.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    complaints.close()


def _quoted(text: str) -> str:
    return f'"{text[:60]}"'


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
