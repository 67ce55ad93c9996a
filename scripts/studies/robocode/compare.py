"""Compare ways to evolve robots, by how they fight robots that evolution has never met.

python scripts/studies/robocode/compare.py study=coevolution seeds=5 generations=100 folder=outputs/compare
python scripts/studies/robocode/compare.py study=generalisation only=[one,drawn] more=[algorithm.population=64]

Trains each group of the study with each seed, one run after the other, and adds a row to the table for each: F of its
champion against the robots of `robocode_haiku` and against those that are kept for reporting, how many turns its
training took, and what its last population did in a round. The second phase of two begins in the middle of a run. The
same command goes on where it was cut off.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import csv
import subprocess
from dataclasses import dataclass

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import RunError, UsageError
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_SEED, option

TRAIN = Path(__file__).resolve().parents[2] / "train.py"
BOOK = ("experiment=robocode_haiku",)
GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "generalisation": {
        "one": ("experiment=robocode_single",),
        "three": BOOK,
        "five": ("experiment=robocode_many",),
        "drawn": ("experiment=robocode_many", "game.rounds=3", "fitness.rivals_drawn=3"),
        "drawn by individual": (
            *("experiment=robocode_many", "game.rounds=3", "fitness.rivals_drawn=3"),
            "fitness.drawn_by=individual",
        ),
    },
    "coevolution": {
        "external": BOOK,
        "alone": ("experiment=robocode_coevolution",),
        "two phases": ("experiment=robocode_two_phases",),
        "islands": ("experiment=robocode_coevolution", "algorithm.islands.count=4"),
    },
    "mattered": {
        "the book": BOOK,
        "nothing added": (*BOOK, "fitness.share=0"),
        "radians": (*BOOK, "program.angles=radians"),
        "advanced": (*BOOK, "program.bot=advanced"),
        "no elites": (*BOOK, "algorithm.elites=0"),
        "depth 6": (*BOOK, "algorithm.max_depth=6", "algorithm.creation.max_depth=6"),
        "no Random": (*BOOK, "algorithm.left_out=[Random]"),
        "no Fire": (*BOOK, "program.fire=constant"),
    },
    "own": {"the book": BOOK, "islands": ("experiment=robocode_islands",)},
}
"""The options of each group, by study."""
TRAINED = ("haiku.HaikuPoet", "haiku.HaikuWalls", "sample.Walls")
REPORTING = ("sample.TrackFire", "sample.Tracker", "sample.VelociRobot")
DONE = ("shots", "hits", "driven")
COLUMNS = ("study", "group", "seed", "generations", "turns", "trained", "reporting", *DONE)


@dataclass
class Options:
    """What is compared, and how much is spent on it."""

    study: str = option("coevolution", "which groups", tuple(GROUPS))
    only: list[str] = option([], "some of its groups; none: all")
    seeds: int = option(5, "runs of each group, with seeds from 1 on", low=1, high=100)
    generations: int = option(100, "of each run", low=1, high=MAX_COUNT)
    more: list[str] = option([], "further options of all runs")
    battles: int = option(20, "of a champion with each robot, three rounds each", low=1, high=MAX_GAMES)
    seed: int = option(7000, "of these battles", low=0, high=MAX_SEED)
    folder: str = option("outputs/robocode_compared", "where the runs are", path=True)
    table: str = option("docs/data/robocode_compared.csv", "a CSV file that rows are added to", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse groups that the study does not have; raises UsageError."""
        if unknown := [name for name in self.only if name not in GROUPS[self.study]]:
            raise UsageError(f"{prefix}only={unknown[0]}: accepted: {', '.join(GROUPS[self.study])}")


def words(options: Options, group: str, seed: int, run: Path) -> list[str]:
    """Return the options of `scripts/train.py` for a run."""
    usual = ["logger=disabled", "fitness.population_again=false", "algorithm.stagnation=null", "resume=auto"]
    if group == "two phases":
        usual.append(f"fitness.phase_generations={max(1, options.generations // 2)}")
    last = [f"algorithm.generations={options.generations}", f"seed={seed}", f"hydra.run.dir={run}"]
    return [*GROUPS[options.study][group], *usual, *options.more, *last]


def task(options: Options) -> int:
    """Train, measure, and add rows."""
    table = files.user_path("table", options.table)
    rows = list(csv.DictReader(table.open())) if table.is_file() else []
    done = {(row["study"], row["group"], int(row["seed"])) for row in rows}
    for seed in range(1, options.seeds + 1):
        for group in options.only or GROUPS[options.study]:
            if (options.study, group, seed) in done:
                continue
            run = files.user_path("folder", options.folder) / options.study / group.replace(" ", "_") / str(seed)
            arguments.say(f"{options.study}: {group}, seed {seed}")
            code = subprocess.run([sys.executable, str(TRAIN), *words(options, group, seed, run)]).returncode
            if code:
                raise RunError(f"{run}: training ended with {code}; the same command goes on")
            row = {"study": options.study, "group": group, "seed": seed, **measured(run, options)}
            begins = not table.is_file()
            with table.open("a", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                if begins:
                    writer.writeheader()
                writer.writerow(row)
            print(", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    return 0


def measured(run: Path, options: Options) -> dict[str, object]:
    """Return what the record of a run says, and how its champion fights."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from envs.robocode.roles import make
    from jaxgp.fitness.roller import Roller
    from jaxgp.measure import champions
    from jaxgp.store import record
    from jaxgp.store.directory import RunDirectory

    rows = record.read(RunDirectory(run).record)
    one = champions.load(str(run), envs, "folder", {"rounds": 3, "turns": 2000})
    rivals = (*TRAINED, *REPORTING)
    roller = Roller(one.cast.game, one.cast.actor, tuple((make(name, one.cast.game),) for name in rivals))
    keys = jnp.repeat(jax.random.split(jax.random.key(options.seed), options.battles), len(rivals))
    genome = jax.tree.map(lambda x: jnp.asarray(x)[None], one.genome)
    ended = jax.device_get(jax.jit(lambda genome: roller.measure(roller.driver.prepare(genome), keys))(genome))
    points = np.asarray(ended.measures, float)[0, :, :, 0].reshape(options.battles, len(rivals), 2)
    shares = (points[..., 0] / np.maximum(points.sum(-1), 1e-9)).mean(0)
    last = rows[-1]
    return {
        "generations": len(rows),
        "turns": sum(row["steps"] for row in rows),
        "trained": round(float(shares[: len(TRAINED)].mean()), 4),
        "reporting": round(float(shares[len(TRAINED) :].mean()), 4),
        **{name: round(float(last[f"population_{name}"]), 3) for name in DONE},
    }


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
