"""One game on the page: people at a browser, and players that think in processes of their own, at one board.

The loop is that of all games at the table, `jaxgp.seats.moves.play`, in a thread. A person's seat waits for what the
browser sends; the seat of a player waits for the process that thinks. What a browser sends says how many moves it saw:
a second click, or one on an old page, plays nothing.
"""

import json
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from jaxgp.errors import RunError, UsageError
from jaxgp.host import savedgame
from jaxgp.host.savedgame import PlayedGame
from jaxgp.printable import one_line, plies
from jaxgp.seats import moves
from jaxgp.seats.moves import YOU, Back, Move, Stepper, announcement, verdict
from jaxgp.spec import Spec
from jaxgp.terminal import Stopped
from jaxgp.web.play.thinkers import Thinkers

PLACES = ("First player", "Second player")
PATIENCE = 20.0
"""Seconds that an answer waits for what was sent to be done."""
BETWEEN = ("over", "failed", "paused")
"""States of a game that has no thread."""
JUDGED = 4
"""Plies of the search that values positions where only people play."""
PACE = 0.6
"""Seconds that a move of two players takes at least, so that one who watches can follow."""


@dataclass(frozen=True)
class Chair:
    """Who has a seat.

    Attributes:
        player: the kind and the options of a player, or None: a person.
        name: what it is called.
        run: the path of the run or the file whose champion plays; None: none does.
    """

    player: dict[str, Any] | None
    name: str
    run: str | None = None


class Left(Exception):  # noqa: N818 - nothing has gone wrong
    """The game is put away."""


@dataclass(frozen=True)
class _Again:
    """What a person says to a player that was stopped: think again."""


Order = int | Back | _Again | Left | None
"""What reaches a seat: a move, moves taken back, think again, the end of the game; None: the side to move resigns."""


class PageGame:
    """A game.

    Args:
        name: its address.
        spec: the game.
        stepper: its rules, and the chance in it.
        chairs: who plays, by seat.
        settings: of the rules, with the name of the game.
        thinkers: the processes.
        keep: called with the text of a saved game after each change; raises RunError.
        record: the moves so far, the opening first; empty: none yet.
        paused: whether players wait until somebody says that they go on.
    """

    def __init__(
        self,
        name: str,
        spec: Spec,
        stepper: Stepper,
        chairs: Sequence[Chair],
        settings: dict[str, Any],
        thinkers: Thinkers,
        keep: Callable[[str], object],
        record: Sequence[Move] = (),
        paused: bool = False,
    ) -> None:
        self.name, self.spec, self.stepper, self.chairs = name, spec, stepper, tuple(chairs)
        self.record: list[Move] = list(record)
        self.lock = threading.Condition()
        self.version = time.monotonic_ns() // 1_000_000  # a game that is opened again has later versions than before
        self.waiting = "paused" if paused else "starting"  # also: person, moving, thinking, stopped, over, failed
        self.doing, self.said = "", ""
        self.hint: tuple[int, int | None] | None = None  # the length of the record, and the move that was advised
        self.touched = time.monotonic()
        self.settings, self._thinkers, self._keep = settings, thinkers, keep
        self._orders: queue.Queue[Order] = queue.Queue()
        self._stop = threading.Event()
        self._back: Back | None = None
        self._asking = threading.Event()
        self._closed = False
        if not paused:
            self._begin()

    # What the browser asks for. Each raises UsageError, which says why nothing was done.

    def move(self, at: int, action: int) -> None:
        """Play a move for the person whose turn it is."""
        with self.lock:
            self._expect(at, ("person",), "it is not your turn")
            if action not in self.stepper.legal(self.record[-1].state):
                raise UsageError("this move cannot be played here")
            self._order(action)

    def resign(self, at: int) -> None:
        """End the game as a loss for the person whose turn it is."""
        with self.lock:
            self._expect(at, ("person",), "it is not your turn")
            self._order(None)

    def undo(self, at: int) -> None:
        """Go back to the last position in which a person was asked; of players alone, one move back."""
        with self.lock:
            kinds = ("person", "thinking", "stopped", "over", "failed", "paused")
            self._expect(at, kinds, "wait for the move that is played")
            persons = [seat for seat, chair in enumerate(self.chairs) if chair.player is None]
            before = [n for n in range(len(self.record) - 1) if int(self.record[n].state.to_move) in persons]
            if not before and (persons or len(self.record) < 2):
                raise UsageError("there is no move of yours to take back")
            back = Back(before[-1] + 1 if before else len(self.record) - 1)
            self.said, self.hint = "Taken back.", None
            if self.waiting == "thinking":
                self._back = back
                self._stop.set()
            elif self.waiting in BETWEEN:
                del self.record[back.length :]
                self._begin()
            else:
                self._order(back)

    def stop(self) -> None:
        """Stop the player that thinks; its process is ended."""
        with self.lock:
            if self.waiting != "thinking":
                raise UsageError("nobody is thinking")
            self._stop.set()

    def go_on(self) -> None:
        """Let the player whose turn it is think again."""
        with self.lock:
            if self.waiting == "stopped":
                self._order(_Again())
            elif self.waiting in ("failed", "paused"):
                self._begin()
            else:
                raise UsageError("nobody was stopped")

    def advise(self, at: int) -> None:
        """Say a hint to the person whose turn it is."""
        with self.lock:
            self._expect(at, ("person",), "it is not your turn")
        answer = self.ask("hint", self.record[:at])
        action = answer["action"]
        said = "no move" if action is None else self.spec.notation.action_name(self.stepper.rules, action)
        with self.lock:
            self.hint = at, action
            self.said = f"Hint: {said} ({answer['why']})."
            self._change(self.waiting)

    def why(self, at: int) -> tuple[Any, list[tuple[str, dict[str, Any]]]]:
        """Return the position, and for each player, by its name, why it would move as it does there.

        Raises:
            UsageError: nobody can say.
            RunError: it took too long, or has failed.
        """
        with self.lock:
            if at != len(self.record) or not self.record or bool(self.record[-1].state.terminated):
                raise UsageError("there is no move to be made in this position")
        chairs = [one for one in self.chairs if one.player is not None] or self._judges
        if not chairs:
            raise UsageError("no player is here that could say why")
        record = list(self.record[:at])
        return record[-1].state, [(one.name, self.ask("why", record, one)["why"]) for one in chairs]

    @property
    def _judges(self) -> list[Chair]:
        """Who values positions where only people play: a search, if one can."""
        if self.spec.searches is None or self.stepper.rules.chance:
            return []
        player = {"kind": "search", "depth": JUDGED, "evaluator": None}
        return [Chair(player, f"search, {plies(JUDGED)}")]

    def ask(self, what: str, record: Sequence[Move], chair: Chair | None = None) -> dict[str, Any]:
        """Return what a process that thinks says of a position; raises RunError."""
        try:
            return self._thinkers.ask(self.question(what, record, chair), self._asking, self._tell)
        except Stopped as error:
            raise RunError("it was stopped") from error
        finally:
            self._tell("")

    def question(self, what: str, record: Sequence[Move], chair: Chair | None) -> dict[str, Any]:
        """Return a question about the position that a record leads to, for whoever has a seat; None: for the game."""
        player, run = (None, None) if chair is None else (chair.player, chair.run)
        chance = savedgame.chance_of(self.stepper.key)
        actions = [move.action for move in record[1:]]
        settings = {"game": self.settings, "program": {}, "run": run}
        return {"what": what, "player": player, "chance": chance, "actions": actions, **settings}

    def close(self) -> None:
        """Put the game away; one without a move has no file yet."""
        with self.lock:
            if len(self.record) == 1:
                self._save()
            self._closed = True
            self._stop.set()
            self._asking.set()
            self._orders.put(Left())

    @property
    def title(self) -> str:
        return " against ".join(chair.name for chair in self.chairs)

    @property
    def played(self) -> PlayedGame:
        """The game as it is saved."""
        places = ("Player",) if len(self.chairs) == 1 else PLACES
        names = tuple(f"{place} ({chair.name})" for place, chair in zip(places, self.chairs, strict=True))
        return PlayedGame(self.stepper, self.spec, names, list(self.record))

    @property
    def bottom(self) -> int:
        """The seat whose side of the board is nearest: that of the only person, else the first."""
        persons = [seat for seat, chair in enumerate(self.chairs) if chair.player is None]
        return persons[0] if len(persons) == 1 else 0

    def labels(self) -> list[str]:
        """Return what players are called in sentences."""
        people = [chair.player is None for chair in self.chairs]
        if people.count(True) == 1:
            return [YOU if person else chair.name for person, chair in zip(people, self.chairs, strict=True)]
        return [f"{place} ({chair.name})" for place, chair in zip(PLACES, self.chairs, strict=False)]

    # What goes on in the thread of the game.

    def _begin(self) -> None:
        with self.lock:
            self._change("starting")
        threading.Thread(target=self._play, daemon=True).start()

    def _play(self) -> None:
        try:
            self._tell("compiling the rules")
            if not self.record:
                self.stepper.compile()
            seats = [_Person(self) if one.player is None else _Player(self, one) for one in self.chairs]
            for move in moves.play(self.stepper, seats, self.record):
                if len(self.record) > 1:
                    label = self.labels()[move.seat]
                    rules = self.stepper.rules
                    rolled = self.spec.table.rolled(rules, self.record[-2].state)
                    self.said = announcement(rules, self.spec.notation, move, label, rolled)
                    self._save()
                self._tell("")
            with self.lock:
                last = self.record[-1].state
                self.said = verdict(self.stepper.rules, last, self.labels(), self.spec.table.ending)
                self._change("over")
        except Left:
            return
        except Exception as error:  # the page says so, and the game can be taken back
            with self.lock:
                self.said = one_line(error)[:500]
                self._change("failed")

    def _save(self) -> None:
        try:
            self._keep(self.text())
        except RunError as error:  # the game goes on
            self.said = f"{self.said} It is not saved: {one_line(error)}"

    def text(self) -> str:
        """Return the saved game, as `play.py` reads it; who has the seats is said besides."""
        content = json.loads(savedgame.record(self.played)) | {"seats": [asdict(one) for one in self.chairs]}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def wait_for_order(self, waiting: str) -> Order:
        """Wait for what the browser sends; raises Left."""
        with self.lock:
            if self._closed:
                raise Left
            self.doing = ""
            self._change(waiting)
        order = self._orders.get()
        if isinstance(order, Left):
            raise order
        return order

    def think(self, chair: Chair, record: Sequence[Move]) -> int | Back | None:
        """Return the move of a player; raises Left."""
        began = time.monotonic()
        while True:
            with self.lock:
                if self._closed:
                    raise Left
                self._stop.clear()
                self._back = None
                self._change("thinking")
            try:
                answer = self._thinkers.ask(self.question("move", record, chair), self._stop, self._tell)
                if not any(chair.player is None for chair in self.chairs):
                    self._stop.wait(max(0.0, began + PACE - time.monotonic()))
                action: int | None = answer["action"]
                return action
            except Stopped:
                if self._back is not None:
                    return self._back
                self.said = "Stopped."
            except RunError as error:
                self.said = one_line(error)[:500]
            order = self.wait_for_order("stopped")
            if isinstance(order, Back):
                return order

    def _tell(self, doing: str) -> None:
        with self.lock:
            if doing != self.doing:
                self.doing = doing
                self._change(self.waiting)

    def _change(self, waiting: str) -> None:
        self.waiting = waiting
        self.version += 1
        self.lock.notify_all()

    def _expect(self, at: int, waiting: Sequence[str], otherwise: str) -> None:
        self.touched = time.monotonic()
        if at != len(self.record):
            raise UsageError("the board has changed since; nothing was done")
        if self.waiting not in waiting:
            raise UsageError(otherwise)

    def _order(self, order: Order) -> None:
        """Send something to the seat that waits, and wait until it is done."""
        self._change("moving")
        self._orders.put(order)
        self.lock.wait_for(lambda: self.waiting != "moving", PATIENCE)


@dataclass(frozen=True)
class _Person:
    """The seat of a person."""

    game: PageGame

    def reply(self, record: Sequence[Move], bits: np.uint32) -> int | Back | None:
        """Return what the browser sends: a move, moves taken back, or None: the person resigns."""
        del record, bits
        order = self.game.wait_for_order("person")
        assert order is None or isinstance(order, int | Back)
        return order


@dataclass(frozen=True)
class _Player:
    """The seat of a player that thinks in a process of its own."""

    game: PageGame
    chair: Chair

    def reply(self, record: Sequence[Move], bits: np.uint32) -> int | Back | None:
        """Return its move, or None where it names no legal one; moves are taken back if a person did so meanwhile."""
        del bits
        return self.game.think(self.chair, record)
