"""Every pair of the robots written by hand: the points of both in many battles.

python scripts/studies/robocode/pairs.py battles=20 rounds=50 table=docs/data/robocode_pairs.csv
JAX_ENABLE_X64=1 python scripts/studies/robocode/pairs.py robots=[sample.Walls,sample.SpinBot] precision=float64

A battle of several rounds is one in which Corners remembers its corner, as in the engine.
"""

import csv
import itertools
import sys
import time
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

import envs
from envs.robocode.bots.samples import BOTS, NAMES
from envs.robocode.machine import BotDriver
from jaxgp import files, terminal
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.fitness.roller import Roller
from jaxgp.options import MAX_GAMES, MAX_SEED, option

COLUMNS = ("score", "firsts", "survival", "bullet", "ram", "stopped")


@dataclass(frozen=True)
class Pairs(BotDriver):
    """Robots for both seats; a genome is the numbers of two robots."""

    def numbers(self, plans: Any, robots: int) -> Array:
        """Return int32[P, robots], of which each second one sits in the second seat."""
        return jnp.tile(plans, (1, robots // 2))


@dataclass
class Options:
    """How much is played."""

    robots: list[str] = option([], "who meets each other; none: all")
    precision: str = option("float32", "in which everything is computed", ("float32", "float64"))
    battles: int = option(20, "of each pair", low=2, high=MAX_GAMES)
    rounds: int = option(50, "of a battle", low=1, high=10_000)
    seed: int = option(0, "of all battles", low=0, high=MAX_SEED)
    table: str = option("docs/data/robocode_pairs.csv", "a CSV file that is written", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse unknown robots, and one alone; raises UsageError."""
        for name in self.robots:
            if name not in NAMES:
                reject(prefix + "robots", name, ", ".join(NAMES))
        if len(set(self.robots)) == 1:
            reject(prefix + "robots", self.robots, "two robots or more")


def task(options: Options) -> int:
    """Play all pairs, and write a row for each."""
    battles, rounds = options.battles, options.rounds
    game = envs.make("robocode", rounds=rounds, precision=options.precision)
    who = [NAMES.index(name) for name in dict.fromkeys(options.robots)] or range(len(BOTS))
    pairs = list(itertools.combinations(who, 2))
    roller = Roller(game, Pairs(BOTS, precision=game.precision))
    begun = time.process_time()
    measure = jax.jit(lambda pairs, keys: roller.measure(pairs, keys))
    ended = jax.device_get(
        measure(jnp.array(pairs, jnp.int32), jax.random.split(jax.random.key(options.seed), battles))
    )
    print(
        f"{int(ended.steps.sum())} turns, {time.process_time() - begun:.0f} CPU-seconds with compiling", file=sys.stderr
    )
    at = [[one.name for one in game.quantities].index(name) for name in COLUMNS]
    with open(files.user_path("table", options.table), "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["a", "b", "rounds", *(f"{name}_{seat}" for name in COLUMNS for seat in "ab"), "share_error"])
        for (one, other), found in zip(pairs, np.asarray(ended.measures, float), strict=True):
            shares = found[:, 0, 1]
            error = shares.std(ddof=1) / np.sqrt(len(shares)) if len(shares) > 1 else float("nan")
            sums = [round(float(found[:, seat, n].sum()), 3) for n in at for seat in (0, 1)]
            rows.writerow([NAMES[one], NAMES[other], battles * rounds, *sums, round(float(error), 5)])
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
