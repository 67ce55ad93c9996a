"""Games against engines outside the project: one after the other on the host, from both seats, from random openings.

An engine without chance plays the same game against the same player again and again. So games begin with a few random
moves, no two openings alike, each of which is played from both seats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jaxgp.contracts import Game
from jaxgp.errors import RunError, UsageError, reject
from jaxgp.host import seating
from jaxgp.host.gtp import TIMEOUT, EngineError, MissingEngineError, find
from jaxgp.host.moves import Move, Mover, Stepper, game_key, played
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
        seed: of the openings, and of all chance in the games.
        timeout: seconds that an engine may take for a move.
    """

    games: int
    plies: int = PLIES
    seed: int = 0
    timeout: float = TIMEOUT


@dataclass(frozen=True)
class Start:
    """What a game begins with: its rules and chance, and the moves that were made before the players'."""

    stepper: Stepper
    record: Sequence[Move]


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


def reachable(panel: Mapping[str, Opponent], cast: Cast) -> tuple[dict[str, Opponent], dict[str, str]]:
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


def play(game: Game, speech: Dialect, command: str, player: Mover, terms: Terms) -> Series:
    """Play a series against an engine, which is started and closed.

    Raises:
        UsageError: there are fewer openings than games.
        ValueError: the engine is not installed.
        RunError: it does not do as it should.
    """
    starts = openings(game, terms)
    engine = seating.engine(game, speech, command, terms.timeout)
    try:
        return series(player, engine, starts)
    except EngineError as error:
        raise RunError(str(error)) from error
    finally:
        engine.close()


def openings(game: Game, terms: Terms) -> list[Start]:
    """Return what games begin with: different moves, after which the games go on; each has a key of its own.

    Raises:
        UsageError: there are too few.
    """
    steppers = [Stepper(game, game_key(terms.seed, number)) for number in range(terms.games)]
    if not terms.plies:
        return [Start(stepper, [stepper.opening()]) for stepper in steppers]
    rng, found = np.random.default_rng(terms.seed), dict[tuple[int | None, ...], Start]()
    tries = 0
    while tries < TRIES and len(found) < terms.games:
        known = len(found)
        stepper = steppers[known]
        record = [stepper.opening()]
        while len(record) <= terms.plies and not bool(record[-1].state.terminated):
            record.append(stepper.after(record, int(rng.choice(stepper.legal(record[-1].state)))))
        if not bool(record[-1].state.terminated):
            found.setdefault(_actions(record), Start(stepper, record))
        tries = tries + 1 if len(found) == known else 0
    if len(found) == terms.games:
        return list(found.values())
    wanted = f"so many that {terms.games} games from each seat begin differently; there are {len(found)} such openings"
    reject("opening_plies", terms.plies, wanted)


def series(player: Mover, other: Mover, starts: Sequence[Start]) -> Series:
    """Play every opening from both seats, with the same chance."""
    figures, seen = np.zeros((3, 2, len(starts)), np.float32), set()
    for number, start in enumerate(starts):
        for seat in (0, 1):
            record = played(start.stepper, (player, other) if seat == 0 else (other, player), start.record)
            seen.add((seat, _actions(record)))
            state = record[-1].state
            scores = np.asarray(start.stepper.rules.score(state))
            figures[:, seat, number] = scores[seat], scores[1 - seat], float(state.returns[seat])
    return Series(figures[0], figures[1], figures[2], len(seen))


def _actions(record: Sequence[Move]) -> tuple[int | None, ...]:
    return tuple(move.action for move in record[1:])
