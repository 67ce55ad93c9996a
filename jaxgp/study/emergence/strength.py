"""How strong programs are: shares of games won against stated opponents, and of decisions with a best move.

All programs play the same games: the same starts, openings and chance, so that differences are those of the programs.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.arrays import take
from jaxgp.fitness.matches import keys_of, play, seats
from jaxgp.fitness.taught.decisions import look, shares
from jaxgp.games.casting import Cast
from jaxgp.genotypes.programs import Programs
from jaxgp.measure import external
from jaxgp.measure.evaluation import MAX_PLIES, seat
from jaxgp.players.taught import Learns
from jaxgp.report.waiting import waiting
from jaxgp.seats.agents import program_agent
from jaxgp.seats.options import OpponentOptions
from jaxgp.statistics.intervals import NORMAL, interval
from jaxgp.study.emergence.altered import padded
from jaxgp.study.emergence.rows import DECISIONS

TOGETHER = 16
"""Programs that are measured together."""
OPENING = 6
"""Random plies at the beginning of games that would all be alike."""

Run = Callable[[Programs], np.ndarray]
"""Programs [P, T, L] -> float[P, N]: what each of N games or decisions is worth to them, 0 to 1."""
Values = dict[str, np.ndarray]
"""By the names of scores float[P, N]: what each of N games, decisions or instances is worth to P programs, 0 to 1."""


@dataclass(frozen=True)
class StrengthMeasure:
    """What programs are measured by.

    Attributes:
        names: of the scores that come of it.
        run: programs [P, T, L] -> what all is worth to them, by these names.
        numbers: of games, decisions or instances that a whole measurement may have.
        told: what progress is told of.
        together: the most programs that it takes, P.
    """

    names: tuple[str, ...]
    run: Callable[[Programs], Values]
    numbers: tuple[int, ...]
    told: str
    together: int = TOGETHER


@dataclass(frozen=True)
class ScoringTerms:
    """How programs are measured.

    Attributes:
        games: from each seat, against each opponent.
        opening: random plies at the beginning of games; None: as many as make games differ.
        decisions: judged by the teacher.
        seed: of all of them.
    """

    games: int
    opening: int | None
    decisions: int
    seed: int


def opening_plies(cast: Cast, asked: int | None) -> int:
    """Return how many random plies games begin with."""
    if asked is not None:
        return asked
    differ = cast.game.chance or cast.game.starts == "drawn" or getattr(cast.actor, "random", False)
    return 0 if differ else OPENING


def measures(
    cast: Cast, actor: Any, panel: Mapping[str, OpponentOptions], terms: ScoringTerms
) -> list[StrengthMeasure]:
    """Return what measures programs: a measure for each opponent, and one by decisions.

    Args:
        cast: the game, and how its programs play it.
        actor: how the programs play that are measured.
        panel: opponents by name.
        terms: see there.
    """
    key, opening = jax.random.key(terms.seed), opening_plies(cast, terms.opening)
    found = []
    for number, (name, spec) in enumerate(panel.items()):
        of = jax.random.fold_in(key, number)
        run = (
            _games(cast, actor, spec, terms.games, opening, of)
            if spec.trains
            else _engine(cast, actor, name, spec, external.EngineTerms(terms.games, opening, terms.seed))
        )
        # Where nothing is random, one game from each seat is all there is.
        found.append(_measure(name, run, (2 * terms.games, 2)))
    if teaches(cast) and terms.decisions:
        run = _decisions(cast, actor, terms.decisions, jax.random.fold_in(key, len(panel)))
        found.append(_measure(DECISIONS, run, (terms.decisions,)))
    return found


def _measure(name: str, run: Run, numbers: tuple[int, ...]) -> StrengthMeasure:
    """Return a measure of one score."""
    return StrengthMeasure((name,), lambda programs: {name: run(programs)}, numbers, name)


def teaches(cast: Cast) -> bool:
    """Return whether the game has a teacher whose decisions its programs can be asked about."""
    try:
        teachers = cast.spec.teachers
        if teachers is None or not isinstance(cast.actor, Learns):
            return False
        teachers.lessons(cast.game, teachers.names[0])
    except ValueError:
        return False
    return True


def _games(cast: Cast, actor: Any, spec: OpponentOptions, games: int, opening: int, key: Array) -> Run:
    """Return the games against an opponent on the device."""
    start, playing = jax.random.split(key)
    other = seat(cast, spec, games, cast.actor.random or opening > 0 or cast.game.starts == "drawn")
    seated = seats((other,))

    @jax.jit
    def run(programs: Programs) -> Array:
        memory, plans = other.init(start), actor.prepare(programs)
        keys = keys_of(playing, 1, (other,))
        keys = jnp.broadcast_to(keys, (len(programs.length), keys.shape[1]))
        played, _ = play(keys, cast.game, actor, plans, (other,), (memory,), MAX_PLIES, opening=opening)
        returns = played.states.returns[:, np.arange(len(seated)), seated]
        return (jnp.sign(returns) + 1) / 2

    return lambda programs: _filled(run, programs)


def _filled(run: Callable[[Programs], Array], programs: Programs) -> np.ndarray:
    """Return what a compiled measure of `TOGETHER` programs says of fewer."""
    count = len(programs.length)
    places = jnp.minimum(jnp.arange(TOGETHER), count - 1)
    return np.asarray(run(take(programs, places)))[:count]


def _engine(cast: Cast, actor: Any, name: str, spec: OpponentOptions, terms: external.EngineTerms) -> Run:
    """Return the games against an engine outside, one program after the other."""

    def run(programs: Programs) -> np.ndarray:
        found = []
        for number in range(len(programs.length)):
            player = program_agent(actor, take(programs, jnp.int32(number)), "program")
            found.append((np.sign(external.play(cast, name, spec, player, terms).returns).ravel() + 1) / 2)
        return np.stack(found)

    return run


def _decisions(cast: Cast, actor: Any, count: int, key: Array) -> Run:
    """Return decisions that the teacher of the game judges."""
    teachers = cast.spec.teachers
    assert teachers is not None
    teach = teachers.lessons(cast.game, teachers.names[0])
    seen: list[Any] = []

    def run(programs: Programs) -> np.ndarray:
        if not seen:
            with waiting("Drawing decisions"):
                seen.append(jax.jit(lambda key: look(actor, teach(key, count)))(key))
        return _filled(lambda some: judged(some, seen[0]), programs)

    judged = jax.jit(lambda programs, seen: shares(actor, programs, seen))
    return run


class Scorer:
    """Measures programs, a few at a time.

    Attributes:
        by: the measures.
        seconds: CPU-seconds of a program by all of them, without compiling; known once `gauge` was called.
    """

    def __init__(self, by: Sequence[StrengthMeasure]) -> None:
        self.by = tuple(by)
        self.seconds = 0.0

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return how many games, decisions or instances a score may be of."""
        return next((one.numbers for one in self.by if name in one.names), ())

    def gauge(self, program: Programs) -> None:
        """Measure how long a program takes."""
        self.seconds = 0.0
        for one in self.by:
            with waiting(f"Compiling {one.told}"):
                one.run(padded([program]))
            begin = time.process_time()
            one.run(padded([program] * one.together))
            self.seconds += (time.process_time() - begin) / one.together


@dataclass(frozen=True)
class MeanScore:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float


def score(values: np.ndarray) -> MeanScore:
    """Return the score of what games or decisions are worth, float[N]."""
    low, high = interval(values[:, None]) if len(values) > 1 else (float(values.mean()),) * 2
    return MeanScore(float(values.mean()), low, high)


def fall(base: np.ndarray, values: np.ndarray) -> MeanScore:
    """Return how much less games or decisions are worth, float[N] each, one by one."""
    differences = base - values
    half = NORMAL * float(differences.std(ddof=1)) / len(differences) ** 0.5 if len(differences) > 1 else 0.0
    mean = float(differences.mean())
    return MeanScore(mean, mean - half, mean + half)
