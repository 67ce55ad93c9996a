"""Games against engines outside the project: one after the other on the host, from both seats, from random openings.

An engine without chance plays the same game against the same player again and again. So games begin with a few random
moves. All openings differ, and each is played from both seats. So the two games of an opening are one unit of an
interval over both seats: an opening that is good for one player is bad for the other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jaxgp.contracts import Game
from jaxgp.errors import RunError, reject
from jaxgp.games.casting import Cast
from jaxgp.report.waiting import following, waiting
from jaxgp.seats.gtp import EngineError
from jaxgp.seats.moves import Move, Mover, Stepper, game_key, play_on
from jaxgp.seats.options import OpponentOptions

PLIES = 6
"""Random moves at the beginning of a game; Othello has 8,200 such openings."""
TRIES = 1000
"""Random openings in a row that may repeat known ones before the search for new openings ends."""


@dataclass(frozen=True)
class EngineTerms:
    """The terms of games against engines.

    Attributes:
        games: games from each seat.
        plies: random moves at the beginning of each game; with 0, games differ by the engine's own chance alone.
        seed: of the openings, and of all chance in the games.
    """

    games: int
    plies: int = PLIES
    seed: int = 0


@dataclass(frozen=True)
class Start:
    """The start of a game: its rules and chance, and a record with the opening and the random moves."""

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
        plies: float32[2, G], of each game.
    """

    points: np.ndarray
    against: np.ndarray
    returns: np.ndarray
    different: int
    plies: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """int32[2, 3]: games won, drawn and lost, by seat."""
        return (self.returns[..., None] == np.array([1.0, 0.0, -1.0])).sum(1, dtype=np.int32)


def reachable(panel: Mapping[str, OpponentOptions], cast: Cast) -> tuple[dict[str, OpponentOptions], dict[str, str]]:
    """Split a panel into the members that can be met, and the reasons why the others cannot: missing programs.

    Raises:
        UsageError: a command cannot be read.
    """
    missing = {name: why for name, one in panel.items() if (why := one.missing(name, cast))}
    return {name: one for name, one in panel.items() if name not in missing}, missing


def play(cast: Cast, name: str, spec: OpponentOptions, player: Mover, terms: EngineTerms) -> Series:
    """Play a series against an engine, which is started and closed.

    Raises:
        UsageError: there are fewer openings than games, or the engine is not installed.
        RunError: the engine fails, or gives an answer that cannot be read.
    """
    with waiting("Compiling the rules, drawing openings"):
        starts = openings(cast.game, terms)
    engine = spec.agent(name, cast)
    assert engine is not None, "no person is in a panel"
    played = 0

    def count(games: int) -> None:
        nonlocal played
        played = games

    try:
        with following(lambda: f"{name}: {played} of {2 * len(starts)} games are played"):
            return series(player, engine, starts, count)
    except EngineError as error:
        raise RunError(str(error)) from error
    finally:
        engine.close()


def openings(game: Game, terms: EngineTerms) -> list[Start]:
    """Return `terms.games` different openings, each with a key of its own; no game ends in its opening.

    Raises:
        UsageError: the game has too few openings of this length.
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


def series(
    player: Mover, other: Mover, starts: Sequence[Start], tell: Callable[[int], object] = lambda played: None
) -> Series:
    """Play every opening from both seats, with the same chance; `tell` is told how many games are played."""
    figures, seen = np.zeros((4, 2, len(starts)), np.float32), set()
    for number, start in enumerate(starts):
        for seat in (0, 1):
            record = play_on(start.stepper, (player, other) if seat == 0 else (other, player), start.record)
            seen.add((seat, _actions(record)))
            state = record[-1].state
            scores = np.asarray(start.stepper.rules.score(state))
            result = float(state.returns[seat])
            figures[:, seat, number] = scores[seat], scores[1 - seat], result, len(record) - 1
            tell(2 * number + seat + 1)
    return Series(figures[0], figures[1], figures[2], len(seen), figures[3])


def _actions(record: Sequence[Move]) -> tuple[int | None, ...]:
    return tuple(move.action for move in record[1:])
