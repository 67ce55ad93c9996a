"""Checks a typed configuration before anything is computed or written; JAX is imported only for the last check."""

from typing import TYPE_CHECKING

from jaxgp import kinds, options
from jaxgp.checks.values import divisors
from jaxgp.config import games
from jaxgp.config.schema import Config
from jaxgp.errors import reject, require
from jaxgp.evolution.options import GPOptions
from jaxgp.reading import whole_number
from jaxgp.seats.options import OpponentOptions

if TYPE_CHECKING:
    from jaxgp.games.outside import Games


def check(config: Config, places: "Games") -> Config:
    """Check every option; return the configuration with every option of the role filled in.

    Args:
        config: the typed configuration.
        places: where games come from.

    Raises:
        UsageError: the first option that is wrong; the message names it, its value and what is accepted.
    """
    _trained(config)
    algorithm = config.algorithm
    options.check(algorithm, "algorithm.")
    config.fitness.suits(algorithm)
    options.check(config)
    _devices(config)
    if config.logger.mode == "tensorboard":
        require("logger.mode=tensorboard", ("tensorboardX",), "tensorboard")
    if isinstance(algorithm, GPOptions) and algorithm.roulette:
        _roulette(config)
    return games.check(config, places)


def _trained(config: Config) -> None:
    """Refuse engines outside the project among the opponents of individuals."""
    for section, name, one in kinds.list_met(config.fitness):
        if not one.trains:
            trained = ", ".join(kind for kind, form in OpponentOptions.kinds.all().items() if form.trains)
            why = "engines outside the project measure champions, they train none"
            reject(f"fitness.{section}.{name}.kind", one.kind, trained, why)


def _devices(config: Config) -> None:
    """Refuse devices that cannot share the islands or individuals equally, and processes that cannot the devices."""
    asked, islands = config.devices, config.algorithm.islands.count
    parts, name = (islands, "islands.count") if islands > 1 else (config.algorithm.population, "population")
    if parts % asked.count:
        fitting = ", ".join(map(str, divisors(parts)))
        reject("devices.count", asked.count, f"a divisor of algorithm.{name}={parts}: {fitting}")
    if asked.count % asked.processes:
        fitting = ", ".join(map(str, divisors(asked.count)))
        reject("devices.processes", asked.processes, f"a divisor of devices.count={asked.count}: {fitting}")
    options.bound(asked, "process", "devices.", high=asked.processes - 1, why="devices.processes - 1")
    if asked.coordinator is not None:
        host, _, port = asked.coordinator.rpartition(":")
        if not host or not 0 < (whole_number(port) or 0) < 2**16:
            reject("devices.coordinator", asked.coordinator, "HOST:PORT, as in localhost:1234")


def _roulette(config: Config) -> None:
    """Roulette wheel selection needs fitness that is never negative."""
    fitness = config.fitness
    if fitness.minimum is None and fitness.parsimony > 0:
        why = "algorithm.selection.method=roulette needs it when fitness.parsimony is above 0"
        reject("fitness.minimum", None, f"a number from 0 ({why})")
    if fitness.minimum is not None and fitness.minimum < 0:
        reject("fitness.minimum", fitness.minimum, "a number from 0, with algorithm.selection.method=roulette")
