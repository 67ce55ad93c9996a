"""Rollouts of simulations in notebooks: who drives, what comes of it, and how it looks."""

from jaxgp.checks.values import whole
from jaxgp.errors import UsageError, reject
from jaxgp.games.casting import Cast
from jaxgp.host.driving import Driven
from jaxgp.host.driving import drive as driven
from jaxgp.library.games import Champion
from jaxgp.measure.simulations.rollouts import hand, take_driver
from jaxgp.options import MAX_SEED
from jaxgp.seats.moves import game_key
from jaxgp.spec import Hand


def drive(cast: Cast, *drivers: str | Champion | Hand, seed: int = 0) -> Driven:
    """Let drivers drive one rollout of a simulation.

    Args:
        cast: the simulation, as `jaxgp.take` returns it.
        drivers: one for all seats, or one for each: names of its strategies, champions, or drivers by hand.
        seed: of the start and of all chance.

    Returns:
        The rollout: `measures`, what came of it by name; `states` [N + 1] and `controls` [N, seats, K], in NumPy
        arrays; printed, it says its measures, and in a notebook it is a picture.

    Raises:
        UsageError: no simulation, a driver that there is not, or drivers for another number of seats.
    """
    if not isinstance(cast, Cast) or not cast.simulated:
        reject("cast", type(cast).__name__, "the Cast of a simulation, which jaxgp.take returns")
    whole("seed", seed, 0, MAX_SEED)
    if len(drivers) not in (1, cast.game.seats):
        seats = cast.game.seats
        reject("drivers", f"{len(drivers)} of them", "1" if seats == 1 else f"1, or one for each of {seats} seats")
    hands = [_named(cast, one) for one in drivers]
    return driven(cast.spec, cast.game, hands, game_key(seed))


def _named(cast: Cast, driver: str | Champion | Hand) -> tuple[str, Hand]:
    """Return what a driver is called, and the driver; raises UsageError."""
    if isinstance(driver, str):
        return driver, hand(take_driver(cast, driver, "driver"))
    if isinstance(driver, Champion):
        if driver.cast.spec.name != cast.spec.name:
            raise UsageError(f"driver: a champion of {driver.cast.spec.name}; accepted: one of {cast.spec.name}")
        return "champion", Hand(driver.cast.actor, driver.genome)
    if not isinstance(driver, Hand):
        reject("driver", type(driver).__name__, "the name of a strategy, a champion, or a jaxgp.Hand")
    return "driver", driver


__all__ = ["Driven", "drive"]
