"""Tune the constants of Tuto3 by CMA-ES, or draw random programs: what evolution has to do better than.

python scripts/studies/rars/tune.py driver=tuto3 table=docs/data/rars_races.csv
python scripts/studies/rars/tune.py driver=random population=4096 generations=16

Each individual drives one race in each generation. The best one is what the distribution says in the end; of random
programs that which is best in ten new races, of the 64 that were best in one. It drives 100 new races then. The numbers
of an evolved driver are tuned by `scripts/train.py` with `algorithm=numbers`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.rars import strategies
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.contracts import Driver
from jaxgp.fitness.roller import Roller
from jaxgp.fitness.rollout import number_of
from jaxgp.games.casting import Cast, cast
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.primitives import Floats, Primitive, PrimitiveSet
from jaxgp.library.evolving import AskTell
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_POPULATION, MAX_SEED, option
from jaxgp.schemes.breeding.cma import SeparableCMA
from jaxgp.schemes.cma import CMAOptions
from jaxgp.store.table import CSVTable
from studies.rars.races import COLUMNS, summary

RANDOM = "random"
SHARE = 0.7
"""How far a constant of Tuto3 may move, as a share of it."""
EVERY = 20
"""Generations between two lines that are printed."""
AGAIN = 64
"""Random programs that drive again."""


@dataclass
class Options:
    """Which driver, and how long it is tuned."""

    driver: str = option("tuto3", "whose constants are tuned, or what is drawn", ("tuto3", RANDOM))
    track: str = option("sepang", "where it is tuned")
    population: int = option(64, "individuals of a generation", low=5, high=MAX_POPULATION)
    generations: int = option(
        200, "of the search; of random programs: how often so many are drawn", low=1, high=MAX_COUNT
    )
    races: int = option(100, "new ones, of the driver that was found", low=1, high=MAX_GAMES)
    seed: int = option(0, "of the search", low=0, high=MAX_SEED)
    title: str = option("tuned", "the first column of the row")
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


def tuned(options: Options, drive: Callable[[Driver, Any, Array], Array]) -> np.ndarray:
    """Return the constants of Tuto3 that CMA-ES ends with, the mean of its distribution, float32[9]."""
    given = np.array(strategies.Tuto3())
    low, high = given - SHARE * given, given + SHARE * given
    domains = [
        Primitive(f"c{n}", returns=f"n{n}", domain=Floats(float(a), float(b)))
        for n, (a, b) in enumerate(zip(low, high, strict=True))
    ]
    vectors = PrimitiveSet("constants", tuple(domains), (), roots=tuple(one.returns for one in domains))
    asked = CMAOptions(population=options.population, generations=options.generations, start=0.5)
    walk = AskTell(SeparableCMA(vectors, asked))
    measure = jax.jit(lambda constants, key: drive(Tuned(), constants, key[None])[:, 0])
    for number, key in enumerate(jax.random.split(jax.random.key(options.seed), options.generations)):
        ask, draw, tell = jax.random.split(key, 3)
        people = walk.ask(ask)
        found = measure(people.value[:, :, 0], draw)
        walk.tell(tell, people, found)
        if number % EVERY == 0 or number == options.generations - 1:
            arguments.say(f"generation {number}: best {float(found.max()):.3f}, mean of all {float(found[0]):.3f}")
    mean: np.ndarray = np.asarray(walk.ask(ask).value[0, :, 0])
    return mean


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
        constants = tuned(options, drive)
        arguments.say(f"constants: {', '.join(f'{c:.4g}' for c in constants)}")
        driver, genome = Tuned(), jnp.asarray(constants)
    keys = jax.random.split(jax.random.key(10_000 + options.seed), options.races)
    one = jax.tree.map(lambda x: x[None], genome)
    found = np.asarray(jax.jit(lambda g: roller(driver).measure(driver.prepare(g), keys).measures)(one))[0, :, 0]
    cells = summary(dict(zip([q.name for q in there.game.quantities], found.T.astype(float), strict=True)))
    about = {"title": options.title, "driver": options.driver, "track": options.track, "laps": 1, "friction": "random"}
    row = {**about, "races": options.races, **cells, "seed": options.seed}
    print(", ".join(f"{key} {value}" for key, value in row.items()))
    if table is not None:
        table.keep([row], arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
