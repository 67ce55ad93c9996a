"""Let many drivers of RARS race on many tracks, side by side; a row for each driver and track.

python scripts/studies/rars/races.py "drivers=[docs/data/champions/rars_*]" title=9.2 tracks=[sepang] races=100
python scripts/studies/rars/races.py "drivers=[outputs/a,tuto3]" title=tracks tracks=[all] friction=fixed
python scripts/studies/rars/races.py drivers=[outputs/b] title=endurance tracks=[sepang] laps=50 races=10

All drivers have the same races: the random friction of race `n` is the same for all. Champions that perceive alike are
one device program.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.options import MAX_GAMES, MAX_SEED, option

if TYPE_CHECKING:
    from jaxgp.games.casting import Cast
    from jaxgp.measure.simulations.rollouts import Measured

COLUMNS = {
    "title": "what the races are for",
    "driver": "a champion by its file and seed, or a strategy",
    "track": "where",
    "laps": "of a race",
    "friction": "random or fixed",
    "races": "how many",
    "finished": "how many of them were finished",
    "mean": "seconds from the start, of the finished ones",
    "deviation": "standard deviation of these",
    "least": "the least of these",
    "greatest": "the greatest of these",
    "best_lap": "seconds from line to line, mean of the fastest laps of the finished races",
    "distance": "feet driven, mean of all races",
    "damage": "at the end, mean of all races",
    "off_road": "seconds off the road, mean of all races",
    "seed": "of the random friction",
}
"""The columns and what is in them."""
TOGETHER = 64
"""Cars that drive at a time."""
SLOWEST = 25.0
"""Ft/s: who drives slower than this on the whole does not finish."""


@dataclass
class Options:
    """Who races, and where."""

    drivers: list[str] = option([], "run directories, folders of such, champion files, patterns of these; strategies")
    title: str = option("races", "what the races are for, the first column of the rows")
    tracks: list[str] = option(["sepang"], "lists of tracks: training, season, book, all, wide; or tracks by name")
    races: int = option(100, "of each driver on each track; one where friction is fixed", low=1, high=MAX_GAMES)
    laps: int = option(1, "of a race", low=1, high=1000)
    friction: str = option("random", "of the road", ("random", "fixed"))
    seed: int = option(1000, "of the random friction", low=0, high=MAX_SEED)
    compilation_cache: str | None = option(
        "~/.cache/jaxgp", "where compiled programs are kept; null: nowhere", path=True
    )
    table: str | None = option(None, "a CSV file that gets a row for each driver and track; null: none", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse a race without drivers; raises UsageError."""
        if not self.drivers:
            raise UsageError(f"{prefix}drivers: who drives? Write drivers=[DIR,tuto3]: champions, strategies")


def drivers(words: Sequence[str], cast: "Cast") -> "dict[str, Measured]":
    """Return drivers by name; raises UsageError."""
    from jaxgp.league.members import champion_files
    from jaxgp.measure import champions
    from jaxgp.measure.simulations import rollouts

    found: dict[str, Measured] = {}
    for word in words:
        if word in cast.spec.strategies:
            found[word] = rollouts.take_driver(cast, word, "drivers")
            continue
        for path in champion_files("drivers", [word]):
            one = champions.load(str(path), envs, "drivers")
            name = path.parent.name if one.in_run else path.name.replace(".jsonl", "").removesuffix(".json")
            found[name] = champions.elsewhere(one, cast, "drivers")
    return found


def teams(found: "Mapping[str, Measured]") -> Iterator[tuple[list[str], Any, Any]]:
    """Yield names, the driver and the genomes [P, ...] of those that one device program can drive."""
    import jax
    import jax.numpy as jnp

    from jaxgp.measure import together
    from jaxgp.measure.champions import Loaded

    loaded: dict[str, Loaded] = {name: one for name, one in found.items() if isinstance(one, Loaded)}
    for name, one in found.items():
        if name not in loaded:
            yield [name], one.player, jax.tree.map(lambda x: jnp.asarray(x)[None], one.genome)
    names = list(loaded)
    for places in together.teams(list(loaded.values())):
        team = [loaded[names[place]] for place in places]
        yield [names[place] for place in places], team[0].player, together.stack_genomes(team)


def task(options: Options) -> int:
    """Drive, add rows, and print a line for each driver and track."""
    import jax
    import numpy as np

    from envs.rars import tracks
    from jaxgp.fitness.roller import Roller
    from jaxgp.fitness.rollout import number_of
    from jaxgp.games.casting import cast as cast_for
    from jaxgp.measure.simulations.rollouts import places
    from jaxgp.run.run import use_compilation_cache
    from jaxgp.store.table import CSVTable

    use_compilation_cache(options.compilation_cache)
    table = CSVTable(files.user_path("table", options.table), COLUMNS) if options.table else None
    if table is not None:
        table.check("table")
    longest = max(course.length for course in tracks.public().values())
    begun = envs.make("rars", seconds=longest / SLOWEST)
    names, numbers = places("tracks", options.tracks, "all", cast_for(envs.spec("rars"), begun))
    seconds = options.laps * max(tracks.public()[name].length for name in names) / SLOWEST + 60
    world = envs.make("rars", laps=options.laps, seconds=seconds, friction=options.friction)
    races = options.races if options.friction == "random" else 1
    keys = jax.numpy.tile(jax.random.split(jax.random.key(options.seed), races), len(names))
    rows: list[dict[str, object]] = []
    for team, driver, genomes in teams(drivers(options.drivers, cast_for(envs.spec("rars"), world))):
        roller = Roller(world, driver, progress=number_of(world, "distance"), patience=182)

        def run(genomes: Any, keys: Any, where: Any, roller: Roller = roller) -> Any:
            lanes = max(1, TOGETHER // len(keys))
            return roller.measure(roller.driver.prepare(genomes), keys, where, lanes).measures

        measures = np.asarray(jax.jit(run)(genomes, keys, np.repeat(np.asarray(numbers), races)))[:, :, 0]
        by_track = measures.reshape(len(team), len(names), races, -1).astype(float)
        for who, of_driver in zip(team, by_track, strict=True):
            for where, values in zip(names, of_driver, strict=True):
                cells = summary(dict(zip([one.name for one in world.quantities], values.T, strict=True)))
                about = {"title": options.title, "driver": who, "track": where, "laps": options.laps}
                row = {**about, "friction": options.friction, "races": races, **cells, "seed": options.seed}
                print(", ".join(f"{name} {row[name]}" for name in ("driver", "track", "finished", "mean", "damage")))
                rows.append(row)
    if table is not None:
        table.keep(rows, arguments.say)
    return 0


def summary(values: Mapping[str, Any]) -> dict[str, object]:
    """Return the cells of a row, from the quantities of the races by name, float[N] each."""
    done = values["finished"] > 0
    times = values["time"][done]
    spread = dict.fromkeys(("mean", "deviation", "least", "greatest", "best_lap"), "")
    if done.any():
        spread |= {
            "mean": f"{times.mean():.4f}",
            "deviation": f"{times.std(ddof=1):.4f}" if len(times) > 1 else "",
            "least": f"{times.min():.4f}",
            "greatest": f"{times.max():.4f}",
            "best_lap": f"{values['best_lap'][done].mean():.4f}",
        }
    whole = {
        "distance": f"{values['distance'].mean():.1f}",
        "damage": f"{values['damage'].mean():.1f}",
        "off_road": f"{values['off_road'].mean():.3f}",
    }
    return {"finished": int(done.sum()), **spread, **whole}


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
