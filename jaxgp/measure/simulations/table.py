"""The table of rollouts: one row for each quantity of each driver that `scripts/evaluate.py` has measured."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from jaxgp.measure.simulations.rollouts import Measured, QuantityFigures
from jaxgp.store.table import CSVTable

COLUMNS = {
    "driver": "who drove: a champion by the 16 digits that the table of runs has, or a strategy; and in what else",
    "rival": "who drove the other seats, by name; empty: nobody else",
    "instance": "where; empty: where the settings of the simulation say",
    "quantity": "what is measured at the end of a rollout",
    "unit": "of the quantity",
    "rollouts": "how many; one where neither starts nor chance differ",
    "having": "in how many of them there is such a value; the others count in none of the figures",
    "mean": "of the values",
    "low": "lower end of the 95 % t interval of the mean",
    "high": "upper end of the interval",
    "deviation": "standard deviation of the values",
    "error": "standard error of the mean",
    "least": "the least value",
    "greatest": "the greatest value",
    "steps": "mean number of steps of the rollouts",
    "seconds": "wall-clock time of all rollouts of the driver, compiling included",
    "game": "the simulation, and its settings that differ from the defaults",
    "experiment": "of a champion: the experiment of its run",
    "title": "of a champion: the title of its run",
    "run": "of a champion: its run directory or file, relative to where the command ran",
    "run_seed": "of a champion: the seed of its run",
    "command": "the command",
    "seed": "seed of starts and chance; rows of one seed have them in common",
    "jaxgp": "version of jaxgp",
    "jax": "version of JAX",
    "device": "platform and kind of the device",
}
"""The columns and what is in them."""


def table(path: Path) -> CSVTable:
    """Return a table of rollouts."""
    return CSVTable(path, COLUMNS)


def row(one: Measured, figures: QuantityFigures, about: Mapping[str, object]) -> dict[str, object]:
    """Return the row of one quantity; `about` are the columns from `game` on, as `games.circumstances` returns them."""
    where = figures.driver.removeprefix(one.name)  # such as " in" and the program outside in which it drove
    return {**asdict(figures), "driver": one.text + where, **about}
