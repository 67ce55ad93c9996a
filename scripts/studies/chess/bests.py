"""The best individual of each generation that co-played runs have a checkpoint of, as champion files.

    python scripts/train.py experiment=chess_kqrkqr seeds=0-1 checkpoint_every=10 keep_checkpoints=99
    python scripts/studies/chess/bests.py runs=[outputs/DIR/0,outputs/DIR/1] folder=bests
    python scripts/studies/chess/games.py endgame=KQRKQR players=[bests/0_150.json] against=[master] adjudicate=material

Files are named by seed and generation. The best is whom the run itself named in that generation, by its own fitness,
its own games and its own key; that of the last one is the champion of the run, which more games have named.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Iterator
from dataclasses import dataclass

import jax

import envs
from jaxgp import files
from jaxgp.config import arguments, validate
from jaxgp.errors import reject
from jaxgp.evolution.ring import Ring
from jaxgp.measure.champions import load
from jaxgp.options import option
from jaxgp.run.assemble import assemble
from jaxgp.store import champion, checkpoint
from jaxgp.store.directory import RunDirectory, digest


@dataclass
class Options:
    """Whose best individuals are written, and where."""

    runs: tuple[str, ...] = option((), "directories of runs with checkpoints", accepted="a list, as in [a,b]")
    folder: str = option("bests", "where the files are written", path=True)


def bests(run: str) -> Iterator[tuple[int, champion.ChampionFile]]:
    """Yield (generation, the best individual) of each one with a checkpoint, then the last one and the champion.

    Raises:
        UsageError: it is no run of a game of the project, or has no champion.
        UnreadableError: a checkpoint is damaged.
    """
    directory = RunDirectory(files.user_path("runs", run))
    last = load(run, envs, "runs").content
    config = validate.check(directory.read_config(), envs)
    experiment = assemble(config, envs)
    ring = experiment.ring
    if not isinstance(ring, Ring):
        reject("runs", run, "runs of one population of programs")
    begun = experiment.init(jax.random.key(config.seed))
    best = jax.jit(lambda state: ring.cycle(state)[2].challenger)
    done = config.algorithm.generations
    for generation, path in reversed(checkpoint.available(directory.checkpoints)):
        if generation < done:
            state = checkpoint.load(path, begun, digest(config))
            yield generation, champion.describe(best(state), experiment.language, config)
    yield done, last


def task(options: Options) -> int:
    """Write the files."""
    folder = files.user_path("folder", options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for run in options.runs:
        for generation, one in bests(run):
            champion.write(folder / f"{one.seed}_{generation:03}.json", one)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
