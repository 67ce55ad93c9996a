"""What runs in a process that thinks: it answers questions about positions, by players that it keeps compiled.

A question is JSON: `what` (move, hint, why), `game` and `program` as a configuration has them, `run`, a path that the
server knows, or null, `player`, the kind and options of one, `chance`, the key of the game as saved games have it, and
`actions`, all moves so far, null for a forfeit. An answer is JSON too: `error`, or `action` and what is known of it.
"""

import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import Any

from jaxgp.checks.unions import of_kind
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.errors import UsageError
from jaxgp.games.casting import Cast
from jaxgp.games.outside import Games
from jaxgp.host.savedgame import read_chance
from jaxgp.measure import champions
from jaxgp.options import make_checked
from jaxgp.printable import one_line
from jaxgp.seats.hints import adviser
from jaxgp.seats.moves import Move, Stepper
from jaxgp.seats.options import PlayerOptions


def work(pipe: Connection, games: Games) -> None:
    """Answer questions until the server closes the pipe, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; the server ends this one
    threading.Thread(target=_leave_with_the_server, daemon=True).start()
    mind = Mind(games)
    while True:
        try:
            question = json.loads(pipe.recv_bytes())
        except (EOFError, OSError):
            return
        try:
            answer = mind.answer(question)
        except Exception as error:  # nothing that is asked ends the process
            known = isinstance(error, UsageError)
            answer = {"error": one_line(error) if known else f"{type(error).__name__}: {one_line(error)}"[:500]}
        with suppress(OSError):
            pipe.send_bytes(json.dumps(answer).encode())


def _leave_with_the_server() -> None:
    """End this process once the server is gone, also if that was killed while this one computes."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(0)


class Mind:
    """Answers questions, and keeps what it has compiled."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._kept: dict[str, Any] = {}
        self._place: tuple[str, Stepper, list[Move]] | None = None

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a question; raises UsageError, and whatever a player raises."""
        asked = {name: question[name] for name in ("game", "program", "run")}
        cast, genome = self._once(asked, lambda: self._load(**asked))
        stepper, record = self._follow(cast, question)
        state, bits = record[-1].state, stepper.bits(record)
        if question["what"] == "hint":
            make = adviser(cast)
            if make is None:
                raise UsageError("There are no hints in this game.")
            action, why = self._once([asked, "hint"], make)(state, bits)
            return {"action": action, "why": why}
        player = options_of(question["player"])
        if question["what"] == "why":
            return {"why": self._why(asked, cast, player, genome, record)}
        agent = self._once([asked, question["player"]], lambda: player.agent("player", cast, genome))
        agent.attend(record)
        return {"action": agent.choose(state, bits)}

    def _why(self, asked: Mapping[str, Any], cast: Cast, player: PlayerOptions, genome: Any, record: list[Move]) -> Any:
        from jaxgp.anatomy.reasons.drawn import read_introns
        from jaxgp.anatomy.reasons.reasons import explain

        run, actions = asked["run"], [int(move.action) for move in record[1:] if move.action is not None]
        introns = (
            None if run is None else self._once([run, "introns"], lambda: read_introns(run, cast.language, genome))
        )
        return asdict(explain(cast, player, genome, record[-1].state, actions, introns))

    def _once(self, key: object, make: Any) -> Any:
        text = json.dumps(key, sort_keys=True)
        if text not in self._kept:
            self._kept[text] = make()
        return self._kept[text]

    def _load(self, game: dict[str, Any], program: dict[str, Any], run: str | None) -> tuple[Cast, Any]:
        if run is None:
            return cast_of(Config(game=game, program=program), self._games), None
        loaded = champions.load(run, self._games, asked=game)
        return loaded.cast, loaded.genome

    def _follow(self, cast: Cast, question: Mapping[str, Any]) -> tuple[Stepper, list[Move]]:
        """Return the record of a game; only the moves that are new since the question before are played."""
        where, actions = json.dumps([question["game"], question["chance"]], sort_keys=True), question["actions"]
        if self._place is None or self._place[0] != where:
            stepper = Stepper(cast.game, read_chance("game", question["chance"]))
            self._place = where, stepper, [stepper.opening()]
        _, stepper, record = self._place
        common = 0
        while common < min(len(actions), len(record) - 1) and record[common + 1].action == actions[common]:
            common += 1
        del record[common + 1 :]
        for action in actions[common:]:
            record.append(stepper.after(record, action))
        return stepper, record


def options_of(given: Mapping[str, Any]) -> PlayerOptions:
    """Return a player from its kind and options; raises UsageError for what is not accepted."""
    values = {name: value for name, value in given.items() if name != "kind"}
    form = of_kind("player", given["kind"], PlayerOptions.kinds.all(), PlayerOptions.former)
    made: PlayerOptions = make_checked(form, values, "player.")
    return made
