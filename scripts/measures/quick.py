"""Some measurements that end within two minutes: what has a limit, a search, and a whole generation."""

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import envs
from jaxgp.run.assemble import assemble
from measures import kalah
from rivals import othello, trees
from rivals.timing import Bench, Job, measure

LIMIT = 110.0
"""Seconds within which all has to end; starting takes some of the rest of the two minutes."""


class Measurement(NamedTuple):
    """One of them.

    Attributes:
        name: what people read where there is no time for it.
        seconds: that it takes with compiling, on two cores that have nothing else to do.
        run: makes it until a reading of `time.perf_counter`.
    """

    name: str
    seconds: float
    run: Callable[[Bench, float], None]


def _interpreter(in_games: bool, mancala: bool, bench: Bench, until: float) -> None:
    primitives = bench.cast.language if mancala else trees.ARITHMETIC
    kalah.interpret(bench, primitives, bench.options.nodes[0], in_games, until)


def _othello(bench: Bench, until: float) -> None:
    othello.play_random(bench, BATCH, "random legal moves from bits", othello.random_move, until)


def _generations(bench: Bench, until: float) -> None:
    """Time whole generations of Kalah, from the first one on, beside nobody."""
    options, searched = bench.options, list[int]()
    experiment = assemble(kalah.study(options, OPPONENT), envs)
    case, seconds = kalah.generations(experiment, options, searched)
    name, sizes = "generations from an empty reply table", {"population": options.population, "depth": OPPONENT}
    times = measure({name: case}, options.repeats, until)
    bench.report.ours("generation", name, "generations/s", times[name], sizes, seconds, searches=searched)


BATCH = 4096
"""Games side by side."""
DEPTH, OPPONENT = 8, 4
"""Plies of the searches, and of those of the opponent in whole generations."""


MEASUREMENTS = (
    Measurement("interpreter, Kalah set", 8, functools.partial(_interpreter, False, True)),
    Measurement("interpreter in games", 6, functools.partial(_interpreter, True, True)),
    Measurement("interpreter, arithmetic set", 8, functools.partial(_interpreter, False, False)),
    Measurement("Othello from bits", 6, _othello),
    Measurement("Kalah, random moves", 5, lambda bench, until: kalah.step(bench, BATCH, until)),
    Measurement("Kalah, searches", 12, lambda bench, until: kalah.search_roots(bench, DEPTH, 256, 64, until)),
    Measurement("Kalah, generations", 30, _generations),
)
"""In the order in which they are made."""


def jobs(bench: Bench) -> Iterator[Job]:
    """Return all measurements; each is left out, and named, where it would not end in time."""
    short = replace(bench, options=replace(bench.options, repeats=min(bench.options.repeats, 9)))
    begun, planned = time.perf_counter(), 0.0
    for one in MEASUREMENTS:
        yield one.seconds, functools.partial(_in_time, short, one, begun, planned)
        planned += one.seconds


def _in_time(bench: Bench, one: Measurement, begun: float, planned: float, until: float) -> None:
    """Make a measurement if it is likely to end in time, where those before were planned to take `planned` seconds."""
    spent = time.perf_counter() - begun
    needed = one.seconds * max(1.0, spent / planned if planned else 1.0)
    if spent + needed > LIMIT:
        why = f"here it needs some {needed:.0f} s, and {max(0, LIMIT - spent):.0f} s are left"
        bench.report.skip("quick", one.name, "", {}, who="jaxgp", why=why)
        return
    one.run(bench, min(until, begun + LIMIT))
