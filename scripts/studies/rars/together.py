"""Let drivers of RARS start together; a row for each driver, track and grid.

python scripts/studies/rars/together.py "drivers=[docs/data/champions/rars_*,tuto3]" table=docs/data/rars_together.csv

Each driver starts from each place of the grid once: from race to race everybody moves one place forward, and the first
one to the end. Places are by finishers first, by time, then by distance; points are those of IndyCar.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, reject
from jaxgp.options import MAX_SEED, option
from studies.rars.races import SLOWEST, drivers
from tables.simulations.rars import POINTS

if TYPE_CHECKING:
    import numpy as np

COLUMNS = {
    "driver": "a champion by its file and seed, or a strategy",
    "track": "where",
    "laps": "of the race",
    "cars": "that start together",
    "grid": "the place at the start, from 1",
    "place": "the place at the end, from 1",
    "points": "of IndyCar, for the place; cars that do not finish have none",
    "finished": "1: all laps were driven",
    "time": "seconds from the start; empty: not finished",
    "distance": "feet driven",
    "damage": "at the end",
    "off_road": "seconds off the road",
    "seed": "of the random friction",
}
"""The columns and what is in them."""


@dataclass
class Options:
    """Who races, and where."""

    drivers: list[str] = option([], "run directories, folders of such, champion files, patterns of these; strategies")
    tracks: list[str] = option(["season"], "lists of tracks: training, season, book, all, wide; or tracks by name")
    laps: int = option(3, "of a race", low=1, high=1000)
    seed: int = option(1000, "of the random friction", low=0, high=MAX_SEED)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    table: str | None = option(None, "a CSV file that gets a row for each driver, track and grid", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse a race without drivers; raises UsageError."""
        if not self.drivers:
            raise UsageError(f"{prefix}drivers: who drives? Write drivers=[DIR,tuto3]: champions, strategies")


def placed(finished: "np.ndarray", time: "np.ndarray", distance: "np.ndarray") -> "np.ndarray":
    """Return the places of cars from 1, int[cars]: who finishes by time, then the others by distance."""
    import numpy as np

    order = np.lexsort((-distance, np.where(finished, time, 0), ~finished))
    places = np.empty(len(order), int)
    places[order] = np.arange(1, len(order) + 1)
    return places


def task(options: Options) -> int:
    """Drive, add rows, and print what each driver came to."""
    import jax
    import numpy as np

    from envs.rars import tracks
    from jaxgp.fitness.roller import Roller
    from jaxgp.games.casting import cast as cast_for
    from jaxgp.measure.simulations import rollouts
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.store.table import CSVTable

    use_compilation_cache(options.compilation_cache)
    table = CSVTable(files.user_path("table", options.table), COLUMNS) if options.table else None
    if table is not None:
        table.check("table")
    spec = envs.spec("rars")
    there = cast_for(spec, envs.make("rars"))
    found = {name: rollouts.hand(one) for name, one in drivers(options.drivers, there).items()}
    if len(found) < 2:
        reject("drivers", f"[{','.join(found)}]", "two or more, who start together")
    names, numbers = rollouts.places("tracks", options.tracks, "all", there)
    seconds = options.laps * max(tracks.public()[name].length for name in names) / SLOWEST + 60
    world = envs.make("rars", laps=options.laps, seconds=seconds, cars=len(found))
    keys = jax.random.split(jax.random.key(options.seed), len(names))
    quantities = [one.name for one in world.quantities]
    rows: list[dict[str, object]] = []
    for first in range(len(found)):
        grid = [*list(found)[first:], *list(found)[:first]]
        head, *others = (found[name] for name in grid)
        roller = Roller(world, head.driver, (tuple(others),))

        def run(genome: object, roller: Roller = roller) -> jax.Array:
            one = jax.tree.map(lambda x: jax.numpy.asarray(x)[None], genome)
            return roller.measure(roller.driver.prepare(one), keys, numbers).measures[0]

        measured = np.asarray(jax.jit(run)(head.genome)).astype(float)  # [tracks, cars, Q]
        for track, cars in zip(names, measured, strict=True):
            rows += _rows(options, track, grid, dict(zip(quantities, cars.T, strict=True)))
    for name in found:
        mine = [row for row in rows if row["driver"] == name]
        points, done = sum(int(str(row["points"])) for row in mine), sum(int(str(row["finished"])) for row in mine)
        arguments.say(f"{name}: {points} points in {len(mine)} races, {done} finished")
    if table is not None:
        table.keep(rows, arguments.say)
    return 0


def _rows(
    options: Options, track: str, grid: Sequence[str], values: "dict[str, np.ndarray]"
) -> list[dict[str, object]]:
    """Return the rows of a race, given the quantities float[cars] by name."""
    finished = values["finished"] > 0
    places = placed(finished, values["time"], values["distance"])
    about = {"track": track, "laps": options.laps, "cars": len(grid), "seed": options.seed}
    return [
        {
            "driver": driver,
            "grid": car + 1,
            "place": int(places[car]),
            "points": POINTS[places[car] - 1] if finished[car] and places[car] <= len(POINTS) else 0,
            "finished": int(finished[car]),
            "time": f"{values['time'][car]:.3f}" if finished[car] else "",
            "distance": f"{values['distance'][car]:.1f}",
            "damage": f"{values['damage'][car]:.0f}",
            "off_road": f"{values['off_road'][car]:.2f}",
            **about,
        }
        for car, driver in enumerate(grid)
    ]


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
