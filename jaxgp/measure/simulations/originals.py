"""Measures drivers in the original of their simulation; the figures are those of `rollouts`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxgp.errors import UsageError, reject
from jaxgp.games.casting import Cast
from jaxgp.games.originals import Encounter, Original
from jaxgp.measure.simulations.rollouts import QuantityFigures, summarise

if TYPE_CHECKING:
    from jaxgp.export.export import Written


def find(cast: Cast, name: str) -> Original:
    """Return an original of a simulation; raises UsageError: there is none of that name, or it is not installed."""
    known = cast.spec.originals
    if name not in known:
        reject("engine", name, ", ".join(known) or f"null, since no program outside simulates {cast.spec.name}")
    original: Original = known[name]
    if why := original.missing():
        raise UsageError(f"engine={name}: {why}")
    return original


def measure(
    original: Original,
    cast: Cast,
    name: str,
    driver: "tuple[Any, Written] | str",
    rivals: Sequence[str],
    rollouts: int,
    seed: int,
    cache: Path | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> Iterator[list[QuantityFigures]]:
    """Let a driver drive in an original.

    Args:
        original: the program outside.
        cast: the simulation.
        name: what figures call the driver; the name of the original follows it.
        driver: see `Original.drive`.
        rivals: by the original's names.
        rollouts: against each rival.
        seed: of starts and chance.
        cache: see `Original.drive`.
        say: told what is done, and how many rollouts could not be counted.

    Yields:
        The figures against one rival, by quantity.

    Raises:
        RunError: the program outside fails.
    """
    called = f"{name} in {original.called}"
    say(f"{called} drives")
    for met in original.drive(cast.game, driver, rivals, rollouts, seed, cache):
        if met.discarded:
            say(f"{met.rival}: {met.discarded} of {rollouts} rollouts could not be counted")
        yield list(figures(cast, called, met))


def figures(cast: Cast, driver: str, met: Encounter) -> Iterator[QuantityFigures]:
    """Return the figures of an encounter, of the quantities that the simulation measures too."""
    for quantity in cast.game.quantities:
        if quantity.name in met.values and not quantity.score:
            yield replace(
                summarise(met.values[quantity.name]),
                driver=driver,
                rival=met.rival,
                quantity=quantity.name,
                unit=quantity.unit,
                steps=met.steps,
                seconds=met.seconds,
            )
