"""Choose the champion of runs of Robocode: by the mean F against twelve robots, three of which it was trained on.

python scripts/studies/robocode/choose.py runs=[outputs/a,outputs/b] output=champion.json

All individuals of the newest checkpoints fight one battle against each robot; the best of them fight again, in new
battles. A battle has as many rounds as in training. The champion is written as a file that `evaluate.py`, `export.py`
and `play.py` take as a run.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError
from jaxgp.options import MAX_GAMES, MAX_POPULATION, MAX_SEED, option

if TYPE_CHECKING:
    from collections.abc import Callable

    import jax

    from jaxgp.genotypes.programs import Programs
    from jaxgp.measure.champions import Loaded

CHOOSING = (
    *("haiku.HaikuPoet", "haiku.HaikuWalls", "sample.Walls", "haiku.TestHaiku"),
    *("sample.Corners", "sample.Crazy", "sample.Fire", "sample.MyFirstRobot"),
    *("sample.RamFire", "sample.SittingDuck", "sample.SpinBot", "sample.Target"),
)
"""Whom candidates fight."""


@dataclass
class Options:
    """Who is looked at, and how closely."""

    runs: list[str] = option([], "run directories with checkpoints")
    kept: int = option(16, "individuals that fight again", low=1, high=MAX_POPULATION)
    battles: int = option(10, "that each of them fights against each robot then", low=1, high=MAX_GAMES)
    seed: int = option(5000, "of the battles", low=0, high=MAX_SEED)
    lanes: int = option(64, "individuals that fight at a time", low=1, high=MAX_POPULATION)
    output: str = option("champion.json", "file of the champion", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse to choose among nobody; raises UsageError."""
        if not self.runs:
            raise UsageError(f"{prefix}runs: who is looked at? Write runs=[DIR]")


def task(options: Options) -> int:
    """Choose, print a line for each individual that fought again, and write the best one."""
    import jax

    from jaxgp.genotypes import language as languages
    from jaxgp.measure import champions
    from jaxgp.store import champion

    loaded = [champions.load(run, envs, "runs") for run in options.runs]
    if len({str(one.content.program) for one in loaded}) > 1:
        raise UsageError("runs: they drive different robots; accepted: runs of one program.bot and program.angles")
    found = [_newest(Path(one.path).parent) for one in loaded]
    populations = [population for _, population in found]
    everyone = jax.tree.map(lambda *x: np.concatenate(x), *populations)
    whose = np.repeat(np.arange(len(loaded)), [len(one.length) for one in populations])
    measure = jax.jit(battle(loaded[0], options.lanes))
    first = np.asarray(measure(jax.random.key(options.seed), everyone)).mean(1)
    best = np.argsort(-first, kind="stable")[: options.kept]
    # As many as before, so that nothing is compiled again; equal ones fight once.
    some = jax.tree.map(lambda x: x[np.resize(best, len(x))], everyone)
    keys = [jax.random.key(options.seed + 1 + n) for n in range(options.battles)]
    again = np.mean([np.asarray(measure(key, some))[: len(best)] for key in keys], 0)
    order = np.argsort(-again.mean(1), kind="stable")
    for n in order:
        print(f"F {again[n].mean():.3f} (in the first look {first[best[n]]:.3f}) {options.runs[whose[best[n]]]}")
    print(", ".join(f"{name} {share:.2f}" for name, share in zip(CHOOSING, again[order[0]], strict=True)))
    run = whose[best[order[0]]]
    one, genome = loaded[run], jax.tree.map(lambda x: x[order[0]], some)
    content = dataclasses.replace(
        one.content,
        text=languages.to_text(one.cast.language, genome),
        size=int(languages.sizes(genome)),
        depth=languages.depth(genome),
        generation=found[run][0],
        fitness=float(again[order[0]].mean()),
        points={"first": float(again[order[0]].mean()), "second": None},
    )
    champion.write(files.user_path("output", options.output), content)
    return 0


def battle(one: "Loaded", lanes: int) -> "Callable[[jax.Array, Programs], jax.Array]":
    """Return a function of a key and programs [P, ...] that has F of a battle against each robot, float[P, robots]."""
    import jax

    from envs.robocode.roles import make
    from jaxgp.fitness.rollout import RolloutFitness, Shares, number_of

    game = one.cast.game
    value = Shares(number_of(game, "score"), 0.0, len(CHOOSING))
    crews = tuple((make(name, game),) for name in CHOOSING)
    fitness = RolloutFitness(game, one.player, value, crews=crews, lanes=lanes)
    return lambda key, programs: jax.vmap(value)(fitness.drive(key, programs).measures)


def _newest(run: Path) -> "tuple[int, Programs]":
    """Return generation and population, of all islands, of the newest checkpoint of a run; raises UsageError."""
    from jaxgp.genotypes.programs import Programs
    from jaxgp.store import checkpoint

    found = checkpoint.available(run / "checkpoints")
    if not found:
        raise UsageError(f"runs={run}: accepted: directories with a folder checkpoints")
    generation, path = found[0]
    arrays = checkpoint.read(path)
    kept = {one.name: arrays[f".population.{one.name}"] for one in dataclasses.fields(Programs)}
    islands = kept["length"].ndim - 2  # without the axes of individuals and trees
    parts = {name: x.reshape(-1, *x.shape[1 + islands :]) for name, x in kept.items()}
    return generation, Programs(**parts)  # type: ignore[arg-type]


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
