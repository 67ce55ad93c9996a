"""Searches of puzzles as the rows of docs/data have them, for the tables of Rush Hour and FreeCell."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from jaxgp.errors import UsageError
from jaxgp.measure.puzzles import instances
from jaxgp.measure.puzzles.solving import CHAMPION, Figures, figures
from jaxgp.store.table import Cells

NONE = "no rows yet"


class Asked(NamedTuple):
    """Which searches a table shows.

    Attributes:
        search: the setting `program.search`.
        limit: nodes at which each search gives up.
        names: of the instances, in their order.
    """

    search: str
    limit: int
    names: tuple[str, ...]


class Champion(NamedTuple):
    """A run of the table of runs: experiment, seed, digest of its champion, and what named this one champion."""

    experiment: str
    seed: int
    genome: str
    fitness: float


class Searches:
    """The rows of tables of instances, and the champions of a table of runs.

    Args:
        tables: the rows of tables of instances.
        runs: the rows of a table of runs.

    Raises:
        ValueError: a row that no search writes.
    """

    def __init__(self, tables: Iterable[Sequence[Cells]], runs: Sequence[Cells]) -> None:
        self._found: dict[tuple[str, ...], instances.Outcomes] = {}
        for rows in tables:
            for cells, found in instances.outcomes(rows).items():
                self._found.setdefault(cells, {}).update(found)
        self._champions = [
            Champion(row["experiment"], int(row["seed"]), row["champion"], float(row["fitness"])) for row in runs
        ]

    def champions(self, experiment: str) -> list[Champion]:
        """Return the champions of an experiment, by seed."""
        return sorted(one for one in self._champions if one.experiment == experiment)

    def chosen(self, experiment: str) -> Champion | None:
        """Return the champion that is the fittest on the boards that named it in its run; of equals the first seed.

        None of these boards is one that it is tested on. None: the experiment has no runs.
        """
        return max(self.champions(experiment), key=lambda one: (one.fitness, -one.seed), default=None)

    def searched(self, asked: Asked, order: str, genome: str | None = None) -> instances.Searched | None:
        """Return what an order found on the instances; None unless all of them have a row.

        A search that found a solution is the same with every limit that is above its nodes.

        Args:
            asked: which searches.
            order: its name.
            genome: digest of a champion; None: any, for orders that the game brings.

        Raises:
            UsageError: rows of searches with other settings say something else of an instance.
        """
        wanted, known = set(asked.names), dict[str, instances.SearchOutcome]()
        for cells, there in self._found.items():
            about = dict(zip(instances.OF_SEARCHES, cells, strict=True))
            limit = int(about["limit"])
            same = about["order"] == order and genome in (None, about["genome"])
            if not same or f"search={asked.search}" not in about["program"].split():
                continue
            for (name, _), outcome in there.items():
                if name not in wanted or (limit != asked.limit and not (outcome[0] and outcome[1] < asked.limit)):
                    continue
                if known.setdefault(name, outcome)[:3] != outcome[:3]:
                    raise UsageError(f"two searches of {name} by {order} differ, one of them with {about['program']}")
        if known.keys() != wanted:
            return None
        found = instances.Searched.nothing(len(asked.names))
        for at, name in enumerate(asked.names):
            found.put(np.array([at]), *known[name])
        return found

    def figures(self, asked: Asked, order: str, genome: str | None = None, reference: str = "") -> Figures | None:
        """Return the figures of an order on the instances, as `searched` does, beside a reference search."""
        found = self.searched(asked, order, genome)
        beside = self.searched(asked, reference) if reference else None
        return None if found is None else figures(asked.names, found, None if beside is None else beside.nodes)

    def of_champions(self, asked: Asked, experiment: str, reference: str = "") -> dict[int, Figures]:
        """Return the figures of the champions of an experiment that all instances have rows of, by seed."""
        found = {one.seed: self.figures(asked, CHAMPION, one.genome, reference) for one in self.champions(experiment)}
        return {seed: one for seed, one in found.items() if one is not None}


def percent(value: float | None, low: float | None, high: float | None) -> str:
    """Return a share in percent with its interval; empty without one. A mean below 0.1 % has two digits."""
    if value is None:
        return ""
    digits = ".2g" if 0 < 100 * abs(value) < 0.1 else ".1f"
    interval = "" if low is None or high is None else f" ({100 * low:{digits}} to {100 * high:{digits}})"
    return f"{100 * value:{digits}} %{interval}"
