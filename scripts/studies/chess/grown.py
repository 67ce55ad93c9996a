"""How often the individuals of a run of chess keep the result, by the generations of its checkpoints.

    python scripts/train.py experiment=chess_kqkq seeds=1-2 checkpoint_every=10 keep_checkpoints=99
    python scripts/studies/chess/grown.py runs=[outputs/DIR/1,outputs/DIR/2] save=docs/data/chess_grown.csv

All individuals decide in the same critical decisions, drawn as those of `kept.py`, with another seed. Row 0 is a first
generation of the same size, created anew.
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
import jax.numpy as jnp
import numpy as np

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.fitness.taught.decisions import look, shares
from jaxgp.genotypes.programs import Programs
from jaxgp.measure.champions import load
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from jaxgp.store import checkpoint
from jaxgp.store.directory import RunDirectory
from studies.chess import rows
from studies.chess.kept import decide

COLUMNS = ("run", "generation", "individuals", "decisions", "mean", "median", "least", "most", "nodes")
POPULATION = ".population."
"""What names of arrays of a checkpoint begin with that are the population."""


@dataclass
class Options:
    """What is measured."""

    runs: tuple[str, ...] = option((), "directories of runs of one endgame", accepted="a list, as in [a,b]")
    decisions: int = option(4000, "critical decisions", low=1, high=MAX_COUNT)
    seed: int = option(1, "of the positions", low=0, high=MAX_SEED)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)


def populations(run: str) -> Iterator[tuple[int, Programs]]:
    """Yield (generation, population [P, ...]) of the checkpoints of a run, the oldest first; raises UnreadableError."""
    for generation, path in reversed(checkpoint.available(RunDirectory(files.user_path("runs", run)).checkpoints)):
        arrays = checkpoint.read(path)
        fields = {name[len(POPULATION) :]: jnp.asarray(x) for name, x in arrays.items() if name.startswith(POPULATION)}
        yield generation, Programs(**fields)


def measure(options: Options) -> Iterator[tuple[str, ...]]:
    """Yield a row for each run and checkpoint."""
    for run in options.runs:
        made = load(run, envs, "runs").cast
        at = decide(made.game, options.decisions, options.seed)
        seen = jax.jit(lambda lessons, made=made: look(made.actor, lessons))(at.lessons)
        judge = jax.jit(lambda some, seen, made=made: shares(made.actor, some, seen).mean(1))
        kept = dict(populations(run))
        count, _, capacity = next(iter(kept.values())).opcode.shape
        key, asked = jax.random.key(options.seed), CreationOptions(method="ramped", min_depth=1, max_depth=6)
        kept[0] = create(key, made.language, asked, count, capacity)
        for generation, some in sorted(kept.items()):
            found, sizes = np.asarray(judge(some, seen)), np.asarray(some.length).sum(1)
            told = (found.mean(), np.median(found), found.min(), found.max())
            counts = map(str, (generation, count, options.decisions))
            yield run, *counts, *(f"{x:.5f}" for x in told), f"{sizes.mean():.1f}"


def task(options: Options) -> int:
    """Measure, print, save."""
    path = files.user_path("save", options.save) if options.save else None
    rows.report(COLUMNS, measure(options), path)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
