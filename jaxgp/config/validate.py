"""Checks a typed configuration before anything is computed or written; JAX is imported only for the last check."""

from typing import TYPE_CHECKING

from jaxgp import options
from jaxgp.config import games
from jaxgp.config.schema import Config
from jaxgp.errors import reject, require
from jaxgp.evolution.options import CMA, Algorithm, Groups, of_island
from jaxgp.seats.options import OpponentOptions

if TYPE_CHECKING:
    from jaxgp.spec import Games


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
    one = of_island(algorithm)
    whose = "algorithm.population" if algorithm.islands.count == 1 else "the population of an island"
    options.bound(config.fitness, "measured", "fitness.", high=one.population, why=whose)
    options.bound(config.fitness.suite, "first", "fitness.suite.", high=one.population, why=whose)
    options.check(config)
    _devices(config)
    if config.logger.mode == "tensorboard":
        require("logger.mode=tensorboard", ("tensorboardX",), "tensorboard")
    if isinstance(algorithm, Algorithm) and algorithm.selection.method == "roulette":
        _roulette(config)
    if isinstance(algorithm, Groups) and config.fitness.candidates:
        reject("fitness.candidates", config.fitness.candidates, "0 with algorithm.kind=groups")
    for option in ("coplay", "elimination"):
        if getattr(config.fitness, option):
            _coevolution(algorithm, config, option)
    if config.fitness.lessons.drawn:
        _lessons(algorithm, config)
    return games.check(config, places)


def _trained(config: Config) -> None:
    """Refuse engines outside the project among the opponents of individuals."""
    for name, one in config.fitness.opponents.items():
        if not one.trains:
            kinds = ", ".join(kind for kind, form in OpponentOptions.kinds().items() if form.trains)
            why = "engines outside the project measure champions, they train none"
            reject(f"fitness.opponents.{name}.kind", one.kind, kinds, why)


def _elimination(algorithm: Algorithm | Groups | CMA) -> None:
    """Refuse a population, or that of an island, that does not halve down to one."""
    islands, size = algorithm.islands.count, of_island(algorithm).population
    if size < 2 or not options.is_power_of_two_or_zero(size):
        below = islands * max(2, 2 ** (size.bit_length() - 1))
        whole = "a power of two" if islands == 1 else f"{islands} islands times a power of two"
        near = f"{whole} with fitness.elimination, such as {below} or {2 * below}; nobody sits out a round"
        reject("algorithm.population", algorithm.population, near)


def _coevolution(algorithm: Algorithm | Groups | CMA, config: Config, option: str) -> None:
    """Refuse options that exclude games among the population."""
    if isinstance(algorithm, Groups):
        accepted = "0 with algorithm.kind=groups, which has tournaments of its own"
        reject(f"fitness.{option}", getattr(config.fitness, option), accepted)
    if option == "elimination":
        _elimination(algorithm)
    islands = algorithm.islands.count
    if of_island(algorithm).population < 2:
        least = f"a whole number from {2 * islands}, with fitness.{option}"
        reject("algorithm.population", algorithm.population, least + (", two on an island" if islands > 1 else ""))
    if algorithm.chunk is not None:
        accepted = f"null with fitness.{option}; individuals that play each other are evaluated together"
        reject("algorithm.chunk", algorithm.chunk, accepted)
    if not isinstance(algorithm, Algorithm):
        return
    for name in ("by_case", "sharing"):
        # No two individuals meet the same opponents.
        if value := getattr(algorithm.selection, name):
            reject(f"algorithm.selection.{name}", value, f"0, with fitness.{option}")


def _lessons(algorithm: Algorithm | Groups | CMA, config: Config) -> None:
    """Refuse options that exclude a fitness by lessons."""
    drawn = config.fitness.lessons.drawn
    if isinstance(algorithm, Groups):
        reject("fitness.lessons.drawn", drawn, "0 with algorithm.kind=groups, which plays tournaments")
    if algorithm.chunk is not None:
        reject("algorithm.chunk", algorithm.chunk, "null with fitness.lessons.drawn above 0")
    if isinstance(algorithm, Algorithm) and algorithm.selection.method == "roulette" and config.fitness.minimum is None:
        why = "algorithm.selection.method=roulette needs it, because lessons give a fitness below 0"
        reject("fitness.minimum", None, f"a number from 0 ({why})")


def _devices(config: Config) -> None:
    """Refuse devices that cannot share the islands equally, and processes that cannot share the devices."""
    asked, islands = config.devices, config.algorithm.islands.count
    if islands % asked.count:
        divisors = ", ".join(map(str, options.divisors(islands)))
        reject("devices.count", asked.count, f"a divisor of algorithm.islands.count={islands}: {divisors}")
    if asked.count % asked.processes:
        divisors = ", ".join(map(str, options.divisors(asked.count)))
        reject("devices.processes", asked.processes, f"a divisor of devices.count={asked.count}: {divisors}")
    options.bound(asked, "process", "devices.", high=asked.processes - 1, why="devices.processes - 1")
    if asked.coordinator is not None:
        host, _, port = asked.coordinator.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
            reject("devices.coordinator", asked.coordinator, "HOST:PORT, as in localhost:1234")


def _roulette(config: Config) -> None:
    """Roulette wheel selection needs fitness that is never negative."""
    fitness = config.fitness
    if fitness.minimum is None and fitness.parsimony > 0:
        why = "algorithm.selection.method=roulette needs it when fitness.parsimony is above 0"
        reject("fitness.minimum", None, f"a number from 0 ({why})")
    if fitness.minimum is not None and fitness.minimum < 0:
        reject("fitness.minimum", fitness.minimum, "a number from 0, with algorithm.selection.method=roulette")
