"""Tune the constants of a driver of RARS by CMA-ES, or draw random programs: what evolution has to do better than.

python scripts/studies/rars/tune.py driver=tuto3 table=docs/data/rars_races.csv
python scripts/studies/rars/tune.py driver=docs/data/champions/rars_time.jsonl#1 save=outputs/tuned.json
python scripts/studies/rars/tune.py driver=random population=4096 generations=16

Each individual drives one race in each generation. The best one is what the distribution says in the end; of random
programs that which is best in ten new races, of the 64 that were best in one. It drives 100 new races then.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.rars import strategies
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.contracts import Driver
from jaxgp.errors import reject
from jaxgp.fitness.roller import Roller
from jaxgp.fitness.rollout import number_of
from jaxgp.games.casting import Cast, cast
from jaxgp.genotypes import language as languages
from jaxgp.measure import champions
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_POPULATION, MAX_SEED, option
from jaxgp.store import champion as files_of_champions
from jaxgp.store.table import CSVTable
from studies import tuning
from studies.rars.races import COLUMNS, summary

RANDOM = "random"
WIDE = 0.3
"""How far constants and factors of programs may move from where they are, in either direction."""
SHARE = 0.7
"""The same of Tuto3, as a share of each constant."""
AGAIN = 64
"""Random programs that drive again."""


@dataclass
class Options:
    """Which driver, and how long it is tuned."""

    driver: str = option("tuto3", f"tuto3, {RANDOM}, a run directory or a champion file", path=True)
    track: str = option("sepang", "where it is tuned")
    population: int = option(64, "individuals of a generation", low=5, high=MAX_POPULATION)
    generations: int = option(
        200, "of the search; of random programs: how often so many are drawn", low=1, high=MAX_COUNT
    )
    races: int = option(100, "new ones, of the driver that was found", low=1, high=MAX_GAMES)
    seed: int = option(0, "of the search", low=0, high=MAX_SEED)
    title: str = option("tuned", "the first column of the row")
    save: str | None = option(None, "a champion file for the tuned program; null: none", path=True)
    table: str | None = option(None, "a CSV file that gets a row; see scripts/studies/rars/races.py", path=True)


class Tuned(Driver[Array, Array]):
    """Tuto3 with other constants; its genomes are float32[P, 9]."""

    random = False

    def prepare(self, constants: Array, /) -> Array:
        return constants

    def start(self, plans: Array, rollouts: int, /) -> Array:
        return jnp.full((len(plans), rollouts), -1.0)

    def control(self, plans: Array, memory: Array, sensed: Array, bits: Array, active: Array, /) -> tuple[Array, Array]:
        def one(constants: Array, lane: Array, seen: Array) -> tuple[Array, Array]:
            return strategies.drive(strategies.Tuto3(*constants), lane, seen)

        found: tuple[Array, Array] = jax.vmap(jax.vmap(one, (None, 0, 0)))(plans, memory, sensed)
        return found


class Subject(NamedTuple):
    """A driver with constants."""

    driver: Driver
    constants: np.ndarray  # float[N]
    reach: np.ndarray  # float[N]: how far each may move
    genomes: Callable[[Array], Any]  # float32[P, N] -> genomes [P]


def subject(option: str, word: str, there: Cast) -> Subject:
    """Return what is tuned; raises UsageError."""
    if word == "tuto3":
        constants = np.array(strategies.Tuto3())
        return Subject(Tuned(), constants, SHARE * constants, lambda x: x)
    one = champions.elsewhere(champions.load(word, envs, option), there, option)
    language = one.cast.language
    at = tuning.numbers(language, one.genome)
    if not len(at.constants):
        reject(option, word, "a champion with constants or factors")
    room = np.abs(at.constants) if language.factored else 1 - np.abs(at.constants)
    return Subject(one.player, at.constants, np.minimum(WIDE, np.maximum(room, 0.01)), at.programs)


def tuned(options: Options, it: Subject, drive: Callable[[Driver, Any, Array], Array]) -> np.ndarray:
    """Return the constants that CMA-ES ends with, float32[N]."""

    def fitness(constants: Array, key: Array) -> Array:
        return drive(it.driver, it.genomes(constants), key[None])[:, 0]

    low, high = it.constants - it.reach, it.constants + it.reach
    return tuning.search(fitness, low, high, options.population, options.generations, options.seed)


def drawn(options: Options, there: Cast, drive: Callable[[Driver, Any, Array], Array]) -> Any:
    """Return the best of many random programs."""
    made = CreationOptions("ramped", 1, 5)
    create_some = jax.jit(lambda key: create(key, there.language, made, options.population, 128))
    measure = jax.jit(lambda genomes, keys: drive(there.actor, genomes, keys))
    best: Any = None
    for number, key in enumerate(jax.random.split(jax.random.key(options.seed), options.generations)):
        own, race = jax.random.split(key)
        genomes = create_some(own)
        fitness = np.asarray(measure(genomes, race[None]))[:, 0]
        order = np.argsort(-fitness)[:AGAIN]
        here = jax.tree.map(lambda x, order=order: np.asarray(x)[order], genomes), fitness[order]
        if best is not None:
            both = jax.tree.map(lambda x, y: np.concatenate([x, y]), best, here)
            order = np.argsort(-both[1])[:AGAIN]
            here = jax.tree.map(lambda x, order=order: x[order], both)
        best = here
        if number % 4 == 0:
            arguments.say(f"{(number + 1) * options.population} programs: best {best[1][0]:.1f}")
    again = np.asarray(measure(best[0], jax.random.split(jax.random.key(options.seed + 1), 10))).mean(1)
    return jax.tree.map(lambda x: jnp.asarray(x[np.argmax(again)]), best[0])


def task(options: Options) -> int:
    """Tune, drive, and write what was found."""
    table = CSVTable(files.user_path("table", options.table), COLUMNS) if options.table else None
    if table is not None:
        table.check("table")
    there = cast(envs.spec("rars"), envs.make("rars", track=options.track))
    place = number_of(there.game, "race")

    def roller(driver: Driver) -> Roller:
        return Roller(there.game, driver, progress=number_of(there.game, "distance"), patience=182)

    def drive(driver: Driver, genomes: Any, keys: Array) -> Array:
        measures: Array = roller(driver).measure(driver.prepare(genomes), keys, lanes=128).measures[:, :, 0, place]
        return measures

    if options.driver == RANDOM:
        driver, genome = there.actor, drawn(options, there, drive)
        arguments.say(languages.to_text(there.language, genome))
    else:
        it = subject("driver", options.driver, there)
        constants = tuned(options, it, drive)
        arguments.say(f"constants: {', '.join(f'{c:.4g}' for c in constants)}")
        driver = it.driver
        genome = jax.tree.map(lambda x: x[0], it.genomes(jnp.asarray(constants)[None]))
        if options.save:
            content = champions.load(options.driver, envs, "driver").content
            text = languages.to_text(there.language, genome)
            path = files.user_path("save", options.save)
            files_of_champions.write(path, dataclasses.replace(content, text=text, title=f"{content.title}, tuned"))
    keys = jax.random.split(jax.random.key(10_000 + options.seed), options.races)
    one = jax.tree.map(lambda x: x[None], genome)
    found = np.asarray(jax.jit(lambda g: roller(driver).measure(driver.prepare(g), keys).measures)(one))[0, :, 0]
    cells = summary(dict(zip([q.name for q in there.game.quantities], found.T.astype(float), strict=True)))
    name = Path(options.driver).name.replace(".jsonl", "").removesuffix(".json")
    about = {"title": options.title, "driver": name, "track": options.track, "laps": 1, "friction": "random"}
    row = {**about, "races": options.races, **cells, "seed": options.seed}
    print(", ".join(f"{key} {value}" for key, value in row.items()))
    if table is not None:
        table.keep([row], arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
