"""Measures drivers, champions and fixed ones beside each other, in new rollouts of their simulation."""

import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from jaxgp.contracts import Driver, Simulation, States
from jaxgp.errors import UsageError, reject
from jaxgp.files import Json
from jaxgp.fitness.roller import Ended, Roller
from jaxgp.fitness.rollout import instances
from jaxgp.games.casting import Cast
from jaxgp.games.outside import Games
from jaxgp.genotypes.language import Genome
from jaxgp.measure import champions
from jaxgp.measure.champions import Loaded
from jaxgp.measure.panels import MeasuredPlayer
from jaxgp.players.driver import fixed_driver
from jaxgp.printable import one_line
from jaxgp.report.waiting import waiting
from jaxgp.spec import Hand

Measured: TypeAlias = Loaded | MeasuredPlayer
"""A driver: a champion, or a fixed one."""


@dataclass(frozen=True)
class QuantityFigures:
    """One quantity in N rollouts of one driver, of several seats the mean.

    Attributes:
        driver: who drove; `rival` drove the other seats, empty: nobody else did.
        rival: see `driver`.
        instance: where; empty: where the settings of the simulation say.
        quantity: the name of what is measured, in `unit`.
        unit: see `quantity`.
        rollouts: N; one where neither starts nor chance differ.
        having: in how many of them there is such a value; the others count in none of the figures below.
        mean: None if there is none.
        low: 95 % t interval of the mean, `low` to `high`; None for fewer than two values.
        high: see `low`.
        deviation: standard deviation of the values; None for fewer than two.
        error: standard error of the mean; None for fewer than two values.
        least: the least value, and the greatest one.
        greatest: see `least`.
        steps: mean number of steps of the rollouts.
        seconds: wall-clock time of the rollouts of this driver, compiling included.
    """

    driver: str
    rival: str
    instance: str
    quantity: str
    unit: str
    rollouts: int
    having: int
    mean: float | None
    low: float | None
    high: float | None
    deviation: float | None
    error: float | None
    least: float | None
    greatest: float | None
    steps: float
    seconds: float


def hand(one: Measured) -> Hand:
    """Return a driver with its genome."""
    return Hand(one.player, one.genome)


def take_driver(cast: Cast, name: str, option: str) -> MeasuredPlayer:
    """Return one of a simulation's own drivers; raises UsageError, which names the option."""
    if name not in cast.spec.strategies:
        reject(option, name, ", ".join(cast.spec.strategies) or f"none; {cast.spec.name} has no strategies")
    try:
        found = fixed_driver(cast.spec, cast.game, name)
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(f"{option}={name}: {error}", option, name) from error
    return MeasuredPlayer(name, f"strategy name={name}", cast, found.driver, found.genome)


def drivers(option: str, words: Sequence[str], cast: Cast, games: Games) -> dict[str, Measured]:
    """Return drivers of a simulation, by what they are called: strategies of its own, runs and champion files.

    Champions drive in the simulation as it is set here, wherever they evolved.

    Raises:
        UsageError: there is none of that name, or it drives another simulation; the message names the option.
    """
    found: dict[str, Measured] = {}
    for word in words:
        if word in found:
            reject(option, word, "each driver once")
        if word in cast.spec.strategies:
            found[word] = take_driver(cast, word, option)
            continue
        try:
            found[word] = champions.elsewhere(champions.load(word, games, option), cast, option)
        except UsageError as error:
            if "no such file" not in str(error):
                raise
            names = ", ".join([*cast.spec.strategies, "a run directory", "a champion file"])
            reject(option, word, names)
    return found


def places(option: str, names: Sequence[str], split: str, cast: Cast) -> tuple[tuple[str, ...], States | None]:
    """Return the names of instances, and the instances [I]; without names one without a name, and None.

    Raises:
        UsageError: there are none; the message names the option.
    """
    if not names:
        return ("",), None
    found = instances(option, names, cast, split)
    return found.names, found.states


def measure_drivers(
    who: Mapping[str, Measured],
    rivals: Mapping[str, Measured],
    where: tuple[tuple[str, ...], States | None],
    rollouts: int,
    seed: int,
    say: Callable[[str], object] = lambda _: None,
) -> Iterator[tuple[str, list[QuantityFigures]]]:
    """Let drivers drive new rollouts, side by side: the same starts and chance for each.

    Args:
        who: drivers by name, of one simulation.
        rivals: who drives the other seats, one after the other; none: each driver drives all seats.
        where: the instances, as `places` returns them.
        rollouts: N, in each instance against each rival; one where they would all be alike.
        seed: of starts and chance.
        say: told who drives next.

    Yields:
        A driver, by name, and its figures: by instance, rival and quantity.
    """
    names, states = where
    for number, (name, one) in enumerate(who.items(), 1):
        game, driver = one.cast.game, one.player
        assert isinstance(game, Simulation)
        say(f"{name} drives, {number} of {len(who)}")
        begin = time.perf_counter()
        alike = game.starts != "drawn" and not game.chance
        random = driver.random or any(rival.player.random for rival in rivals.values())
        many = 1 if alike and not random else rollouts
        ended = _drive(game, driver, one.genome, rivals, len(names), states, many, seed)
        seconds = time.perf_counter() - begin
        crews = list(rivals) or [""]
        mine = 1 if rivals else game.seats
        # [I, N, C, Q], and [I, N, C]
        values = np.asarray(ended.measures)[0, :, :mine].astype(float).mean(1)
        values = values.reshape(len(names), many, len(crews), -1)
        steps = np.asarray(ended.steps)[0].reshape(values.shape[:-1])
        yield (
            name,
            [
                replace(
                    summarise(values[i, :, c, q]),
                    driver=name,
                    rival=rival,
                    instance=instance,
                    quantity=quantity.name,
                    unit=quantity.unit,
                    steps=float(steps[i, :, c].mean()),
                    seconds=seconds,
                )
                for i, instance in enumerate(names)
                for c, rival in enumerate(crews)
                for q, quantity in enumerate(game.quantities)
                if not quantity.score
            ],
        )


def _drive(
    game: Simulation,
    driver: Driver,
    genome: Genome,
    rivals: Mapping[str, Measured],
    places: int,
    states: States | None,
    rollouts: int,
    seed: int,
) -> Ended:
    """Drive the rollouts of one driver, [1, M]; M is by instance, then by number, then by rival."""
    crews = tuple((hand(rival),) * (game.seats - 1) for rival in rivals.values())
    each = rollouts * max(1, len(crews))
    keys = jnp.tile(jnp.repeat(jax.random.split(jax.random.key(seed), rollouts), max(1, len(crews))), places)
    there = None if states is None else jax.tree.map(lambda x: np.repeat(np.asarray(x), each, 0), states)

    def run(genome: Genome, keys: Array, there: Any) -> Ended:
        plans = driver.prepare(jax.tree.map(lambda x: jnp.asarray(x)[None], genome))
        return Roller(game, driver, crews).measure(plans, keys, there)

    with waiting("Compiling and driving"):
        found: Ended = jax.device_get(jax.jit(run)(genome, keys, there))
    return found


def summarise(values: np.ndarray) -> QuantityFigures:
    """Return the figures of one quantity in N rollouts, float[N], NaN where there is no such value."""
    from jaxgp.statistics.intervals import student

    there = values[np.isfinite(values)]
    mean, low, high = student(there) if len(there) else (None, None, None)
    spread = float(there.std(ddof=1)) if len(there) > 1 else None
    error = None if spread is None else spread / sqrt(len(there))
    least, greatest = (float(there.min()), float(there.max())) if len(there) else (None, None)
    figures = len(values), len(there), mean, low, high, spread, error, least, greatest
    return QuantityFigures("", "", "", "", "", *figures, steps=0.0, seconds=0.0)


def as_json(rows: Sequence[QuantityFigures]) -> list[Json]:
    """Return figures as a file holds them."""
    return [asdict(row) for row in rows]


def text(rows: Sequence[QuantityFigures]) -> str:
    """Draw figures as a table, 132 columns wide: quantity by quantity, drivers beside each other."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(width=132, record=True, file=io.StringIO())
    for place, quantity in dict.fromkeys((row.instance, row.quantity) for row in rows):
        there = [row for row in rows if (row.instance, row.quantity) == (place, quantity)]
        unit = f", {there[0].unit}" if there[0].unit else ""
        table = Table(title=Text(f"{quantity}{unit}{f' on {one_line(place)}' if place else ''}"), title_justify="left")
        rivals = any(row.rival for row in there)
        for column in ("driver", *(("rival",) if rivals else ())):
            table.add_column(column)
        for column in ("rollouts", "have it", "mean", "95 %", "deviation", "std. error", "least", "greatest"):
            table.add_column(column, justify="right")
        for row in there:
            names = (row.driver, *((row.rival,) if rivals else ()))
            between = "" if row.low is None else f"{_number(row.low)} to {_number(row.high)}"
            figures = (_number(one) for one in (row.deviation, row.error, row.least, row.greatest))
            counts = str(row.rollouts), f"{100 * row.having / row.rollouts:.1f} %"
            table.add_row(*(Text(one_line(name)) for name in names), *counts, _number(row.mean), between, *figures)
        console.print(table)
    return console.export_text().rstrip()


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}" if abs(value) < 1e5 else f"{value:.6g}"
