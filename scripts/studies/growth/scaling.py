"""How the time of a whole game grows with the size of the board, for any game and any player.

Each player plays games from both seats, one after another in one device program, against a given opponent or against
uniformly random legal moves, which cost next to nothing. What the opponent and the rules cost is in the time of a game;
the player's own moves are also timed apart, in the same positions, without either. Compilation is not timed, results
are waited for, and repeats take turns between all players and sizes, so that all of them meet the same load.
"""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array, lax
from scipy import stats

from jaxgp.bits import pick
from jaxgp.search.chance import unused_key

State = Any
Genome = Any
_LEAST_SECONDS = 0.05
"""The least time of a measurement; quicker calls are repeated within it."""

Act = Callable[[Genome, State], tuple[Array, Array]]
Rival = Callable[[State], Array]


@dataclass(frozen=True)
class Mover:
    """A player to be timed.

    Attributes:
        name: what it is called.
        act: (genome, state) -> int32[], its move, and int32[], the operations that it took; None plays at random, which
            shows what is left for rules and opponent. Players with one `act`, and genomes of one shape, are compiled
            once.
        genomes: arrays with a leading axis [K]; game g is played by genome g modulo K.
        unit: what the operations are.
        order: how its time for a game grows, derived from operations; text.
    """

    name: str
    act: Act | None
    genomes: Genome
    unit: str
    order: str


@struct.dataclass
class Played:
    """What happened in one game."""

    plies: Array  # int32[]: moves of both sides
    moves: Array  # int32[]: of the player that is measured
    operations: Array  # int32[]: that these moves took


@dataclass(frozen=True)
class Case:
    """One player on one board.

    Attributes:
        game: the board.
        size: its side.
        mover: who is measured.
        rival: its opponent, state -> int32[], a move; None moves at random. Cases with one `rival` share programs.
    """

    game: Any
    size: int
    mover: Mover
    rival: Rival | None = None


@dataclass(frozen=True)
class Measured:
    """One player on one board, measured.

    Attributes:
        case: which.
        plies: mean for a game, as `moves` and `operations` are: of `Played`.
        seconds: for one game on average, of each repeat.
        own: the part of it that the player's own moves take, of each repeat.
    """

    case: Case
    plies: float
    moves: float
    operations: float
    seconds: tuple[float, ...]
    own: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def median_own(self) -> float:
        return statistics.median(self.own)


class Law(NamedTuple):
    """A fitted formula: `factor * N ** rate` (power) or `factor * exp(rate * N)` (exponential).

    Attributes:
        form: `power` or `exponential`.
        factor: in the unit of what was fitted.
        rate: exponent.
        low: 95 % interval of the rate, from the scatter about the line.
        high: its other end.
        r2: share of the variance of the logarithms that the formula explains.
    """

    form: str
    factor: float
    rate: float
    low: float
    high: float
    r2: float

    def at(self, size: Any) -> Any:
        """Value at a size, or at an array of sizes."""
        grown = np.power(size, self.rate) if self.form == "power" else np.exp(self.rate * np.asarray(size))
        return self.factor * grown

    def __str__(self) -> str:
        if self.form == "power":
            return f"{self.factor:.3g} N^{self.rate:.2f}"
        return f"{self.factor:.3g} exp({self.rate:.3f} N)"


def play(game: Any, act: Act | None, rival: Rival | None, genome: Genome, seat: Array, key: Array) -> Played:
    """Play one game of a player in `seat` (int32[]); None for the player or its rival are random moves."""
    turn, start = _turns(game, act, rival, genome, seat, key)
    return lax.while_loop(lambda carry: ~carry[0].terminated, turn, start)[1]


def _turns(
    game: Any, act: Act | None, rival: Rival | None, genome: Genome, seat: Array, key: Array
) -> tuple[Callable[[tuple[State, Played]], tuple[State, Played]], tuple[State, Played]]:
    """Return what makes one move of a game, and the opening; arguments are those of `play`."""

    def turn(carry: tuple[State, Played]) -> tuple[State, Played]:
        state, played = carry
        mine = state.to_move == seat

        def chance() -> tuple[Array, Array]:
            bits = jax.random.bits(jax.random.fold_in(key, played.plies))
            return pick(game.legal_actions(state), bits), jnp.int32(0)

        own = chance if act is None else lambda: act(genome, state)
        other = chance if rival is None else lambda: (rival(state), jnp.int32(0))
        action, operations = chance() if own is other else lax.cond(mine, own, other)
        counted = Played(played.plies + 1, played.moves + mine, played.operations + operations)
        return game.step(state, action, unused_key()), counted

    return turn, (game.init(key), Played(jnp.int32(0), jnp.int32(0), jnp.int32(0)))


def series(case: Case, games: int, seed: int, batched: bool = False) -> Callable[[], Played]:
    """Compile `games` games, play them once, and return a function that plays them again, with results [games].

    Seats take turns. Games are played one after another, or `batched` all in lock step.
    """
    inputs = _inputs(case, games, seed)
    run = _compiled(case.game, case.mover.act, case.rival, batched)
    jax.block_until_ready(run(inputs))
    return lambda: jax.block_until_ready(run(inputs))


def moments(case: Case, games: int, seed: int, plies: int) -> Callable[[], Array]:
    """Compile the player's own moves in the games of `series`, and return a function that makes them.

    They are made one after another in the positions in which the player had to move, without rules and opponent;
    arguments are those of `asked`.
    """
    whose, states = asked(case, games, seed, plies)
    run = _thinking(case.game, case.mover.act)
    jax.block_until_ready(run(whose, states))
    return lambda: jax.block_until_ready(run(whose, states))


def asked(case: Case, games: int, seed: int, plies: int) -> tuple[Genome, State]:
    """Return the positions [K] in which the player has to move in the games of `series`, each with its genome.

    Args:
        case: the player.
        games: as in `series`.
        seed: as in `series`.
        plies: of the longest of these games.
    """
    inputs = _inputs(case, games, seed)

    def record(genome: Genome, seat: Array, key: Array) -> tuple[State, Array]:
        turn, start = _turns(case.game, case.mover.act, case.rival, genome, seat, key)

        def one(carry: tuple[State, Played], _: None) -> tuple[tuple[State, Played], tuple[State, Array]]:
            state = carry[0]
            mine = ~state.terminated & (state.to_move == seat)
            after = turn(carry)
            kept = jax.tree.map(lambda new, old: jnp.where(state.terminated, old, new), after, carry)
            return kept, (state, mine)

        return lax.scan(one, start, length=plies)[1]

    states, mine = jax.device_get(jax.jit(lambda inputs: lax.map(lambda x: record(*x), inputs))(inputs))
    here = np.nonzero(mine)
    whose = jax.tree.map(lambda x: jnp.asarray(np.asarray(x)[here[0]]), inputs[0])
    return whose, jax.tree.map(lambda x: jnp.asarray(x[here]), states)


def _inputs(case: Case, games: int, seed: int) -> tuple[Genome, Array, Array]:
    """Return the genome, the seat and the key of each game."""
    number = np.arange(games)
    count = jax.tree.leaves(case.mover.genomes)[0].shape[0]
    genomes = jax.tree.map(lambda x: x[number % count], case.mover.genomes)
    # Games 2k and 2k + 1 are a double game: the same chance, each seat once.
    keys = jax.vmap(jax.random.fold_in, (None, 0))(jax.random.key(seed), jnp.asarray(number // 2))
    return genomes, jnp.asarray(number % 2, jnp.int32), keys


@cache
def _thinking(game: Any, act: Act | None) -> Callable[[Genome, State], Array]:
    """Share one program among players that differ in their genomes only."""

    def one(inputs: tuple[Genome, State]) -> Array:
        genome, state = inputs
        if act is None:
            return pick(game.legal_actions(state), jax.random.bits(jax.random.key(0)))
        return act(genome, state)[0]

    return jax.jit(lambda genomes, states: lax.map(one, (genomes, states)))


@cache
def _compiled(game: Any, act: Act | None, rival: Rival | None, batched: bool) -> Callable[[Any], Played]:
    """Share one program among players that differ in their genomes only."""

    def one(inputs: tuple[Genome, Array, Array]) -> Played:
        return play(game, act, rival, *inputs)

    return jax.jit(jax.vmap(one) if batched else lambda inputs: lax.map(one, inputs))


def measure(
    cases: Sequence[Case], games: int, repeats: int, seed: int, say: Callable[[str], object] = lambda _: None
) -> list[Measured]:
    """Time every case `repeats` times, in turns.

    Args:
        cases: what to time.
        games: that each repeat plays one after another.
        repeats: at least 1.
        seed: of random moves; every case gets the same keys.
        say: told what is compiled.
    """
    runs, counts, moves = [], [], []
    for case in cases:
        say(f"Compiling {case.mover.name}, N = {case.size}")
        runs.append(series(case, games, seed))
        counts.append(runs[-1]())
        moves.append(moments(case, games, seed, int(counts[-1].plies.max())))
    seconds: list[list[float]] = [[] for _ in runs]
    own: list[list[float]] = [[] for _ in runs]
    for repeat in range(repeats):
        say(f"Timing, repeat {repeat + 1} of {repeats}")
        for run, move, times, parts in zip(runs, moves, seconds, own, strict=True):
            times.append(_clock(run) / games)
            parts.append(_clock(move) / games)
    return [
        Measured(
            case,
            plies=float(np.mean(count.plies)),
            moves=float(np.mean(count.moves)),
            operations=float(np.mean(count.operations)),
            seconds=tuple(times),
            own=tuple(parts),
        )
        for case, count, times, parts in zip(cases, counts, seconds, own, strict=True)
    ]


def measure_batches(
    case: Case, batches: Sequence[int], repeats: int, seed: int, say: Callable[[str], object] = lambda _: None
) -> dict[int, tuple[float, ...]]:
    """Return the seconds for each game, of each repeat, when `games` games are played at once."""
    runs = {}
    for batch in batches:
        say(f"Compiling {case.mover.name}, N = {case.size}, {batch} at once")
        runs[batch] = series(case, batch, seed, batched=True)
    seconds: dict[int, list[float]] = {batch: [] for batch in runs}
    for _ in range(repeats):
        for batch, run in runs.items():
            seconds[batch].append(_clock(run) / batch)
    return {batch: tuple(times) for batch, times in seconds.items()}


def fit(sizes: Sequence[int], values: Sequence[float]) -> tuple[Law, ...]:
    """Fit a power law and an exponential to positive values, the better one first; none below three sizes.

    Both are straight lines through the logarithms of the values, so that each size counts by its relative error.
    """
    if len(set(sizes)) < 3 or min(values) <= 0:
        return ()
    found = []
    for form, x in (("power", np.log(sizes)), ("exponential", np.asarray(sizes, float))):
        line = stats.linregress(x, np.log(values))
        reach = float(stats.t.ppf(0.975, len(sizes) - 2)) * line.stderr
        # All values alike: the horizontal line is exact.
        r2 = 1.0 if math.isnan(line.rvalue) else float(line.rvalue**2)
        found.append(Law(form, math.exp(line.intercept), float(line.slope), line.slope - reach, line.slope + reach, r2))
    return tuple(sorted(found, key=lambda law: -law.r2))


def _clock(run: Callable[[], Any]) -> float:
    """Return the seconds of one call, the mean over enough calls to take longer than a slice of the scheduler."""
    calls, start = 0, time.perf_counter()
    while True:
        run()
        calls += 1
        passed = time.perf_counter() - start
        if passed >= _LEAST_SECONDS:
            return passed / calls
