"""Games against engines outside the project: one after the other on the host, from both seats, from random openings.

An engine without chance plays the same game against the same player again and again. So games begin with a few random
moves, no two openings alike, each of which is played from both seats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxgp.errors import RunError, UsageError, reject
from jaxgp.host import seating
from jaxgp.host.agents import Agent
from jaxgp.host.gtp import TIMEOUT, EngineError, MissingEngineError, find
from jaxgp.host.moves import Move, Stepper
from jaxgp.players.options import Opponent
from jaxgp.spec import Cast, Dialect

KIND = "gtp"
"""What such opponents are called in a panel."""
PLIES = 6
"""Random moves before the players': Othello has 8,200 ways of them."""
TRIES = 1000
"""Random openings in a row that may all be known already, before they are said to be all."""


@dataclass(frozen=True)
class Terms:
    """On what terms games against engines are played.

    Attributes:
        games: from each seat.
        plies: random moves that each game begins with; 0: none, and the games differ by the engine's chance alone.
        seed: of the openings.
        timeout: seconds that an engine may take for a move.
    """

    games: int
    plies: int = PLIES
    seed: int = 0
    timeout: float = TIMEOUT


@dataclass(frozen=True)
class Series:
    """Games of a player against another, from the first seat and from the second.

    Attributes:
        points: float32[2, G], of the player.
        against: float32[2, G], of the other.
        returns: float32[2, G], of the player: 1, 0 or -1.
        different: how many different games there are among them.
    """

    points: np.ndarray
    against: np.ndarray
    returns: np.ndarray
    different: int

    @property
    def counts(self) -> np.ndarray:
        """int32[2, 3]: games won, drawn and lost, by seat."""
        return (self.returns[..., None] == np.array([1.0, 0.0, -1.0])).sum(1, dtype=np.int32)


def reachable(panel: Mapping[str, Opponent], cast: Cast[Any]) -> tuple[dict[str, Opponent], dict[str, str]]:
    """Part a panel into those who can be met, and why the others cannot: their programs are not installed.

    Raises:
        UsageError: a command that is none, or a game that no engine plays.
    """
    here, missing = dict(panel), {}
    speech = None if cast.spec.dialect is None else cast.spec.dialect(cast.game)
    for name, spec in panel.items():
        if spec.kind != KIND:
            continue
        if speech is None:
            raise UsageError(f"{name}: kind {KIND}, but no engine outside plays {cast.game.name}")
        try:
            find(spec.command, speech.packages)
        except MissingEngineError as error:
            missing[name] = str(error)
            del here[name]
        except ValueError as error:
            raise UsageError(f"{name}: {error}") from error
    return here, missing


def play(game: Any, speech: Dialect, command: str, player: Agent, terms: Terms) -> Series:
    """Play a series against an engine, which is started and closed.

    Raises:
        UsageError: there are fewer openings than games.
        ValueError: the engine is not installed.
        RunError: it does not do as it should.
    """
    stepper = Stepper(game)
    starts = openings(stepper, terms)
    engine = seating.engine(game, speech, command, terms.timeout)
    try:
        return series(stepper, player, engine, starts)
    except EngineError as error:
        raise RunError(str(error)) from error
    finally:
        engine.close()


def openings(stepper: Stepper, terms: Terms) -> list[list[Move]]:
    """Return the records that games begin with: different ones, after which the games go on.

    Raises:
        UsageError: there are too few.
    """
    first = stepper.opening()
    if not terms.plies:
        return [[first]] * terms.games
    rng, found = np.random.default_rng(terms.seed), dict[tuple[int | None, ...], list[Move]]()
    tries = 0
    while tries < TRIES and len(found) < terms.games:
        record = [first]
        while len(record) <= terms.plies and not bool(record[-1].state.terminated):
            record.append(stepper.play(record[-1].state, int(rng.choice(stepper.legal(record[-1].state)))))
        known = len(found)
        if not bool(record[-1].state.terminated):
            found[_actions(record)] = record
        tries = tries + 1 if len(found) == known else 0
    if len(found) == terms.games:
        return list(found.values())
    wanted = f"so many that {terms.games} games from each seat begin differently; there are {len(found)} such openings"
    reject("opening_plies", terms.plies, wanted)


def series(stepper: Stepper, player: Agent, other: Agent, starts: Sequence[Sequence[Move]]) -> Series:
    """Play every opening from both seats."""
    figures, seen = np.zeros((3, 2, len(starts)), np.float32), set()
    for number, start in enumerate(starts):
        for seat in (0, 1):
            record = game(stepper, (player, other) if seat == 0 else (other, player), start)
            seen.add((seat, _actions(record)))
            state = record[-1].state
            scores = np.asarray(stepper.rules.score(state))
            figures[:, seat, number] = scores[seat], scores[1 - seat], float(state.returns[seat])
    return Series(figures[0], figures[1], figures[2], len(seen))


def game(stepper: Stepper, agents: tuple[Agent, Agent], start: Sequence[Move]) -> list[Move]:
    """Play a game on from an opening, agents by seat; return its record."""
    record = list(start)
    while not bool(record[-1].state.terminated):
        state = record[-1].state
        record.append(stepper.play(state, agents[int(state.to_move)].reply(record)))
    return record


def _actions(record: Sequence[Move]) -> tuple[int | None, ...]:
    return tuple(move.action for move in record[1:])
