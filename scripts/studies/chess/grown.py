"""How often the individuals of a run of chess keep the result, by the generations of its checkpoints.

    python scripts/train.py experiment=chess_kqkq seeds=1-2 checkpoint_every=10 keep_checkpoints=99
    python scripts/studies/chess/grown.py runs=[outputs/DIR/1,outputs/DIR/2] save=docs/data/chess_grown.csv

All individuals, and the champion of each run, decide in the same critical decisions, drawn as those of `kept.py`, with
another seed, whatever starts the run has. Row 0 is a first generation of the same size, created anew.

With `named` a champion of each run is written into that file: of the last generation the one with the most points in
`games` games from each seat against a fixed player, by the rules of the run.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np

import envs
import jaxgp
from envs.chess import strategies
from envs.chess.language import Options as Asked
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.fitness.evaluation import Evaluation
from jaxgp.fitness.taught.decisions import look, shares
from jaxgp.games.casting import cast
from jaxgp.genotypes import language
from jaxgp.genotypes.programs import Programs
from jaxgp.genotypes.text import parse_program
from jaxgp.measure.champions import Loaded, load
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_SEED, option
from jaxgp.store import champion, checkpoint
from jaxgp.store.directory import RunDirectory
from studies.chess.kept import decide
from studies.chess.shared import rows

COLUMNS = ("run", "generation", "individuals", "decisions", "mean", "median", "least", "most", "nodes", "champion")
Judge = Callable[[Programs], np.ndarray]
"""What individuals [P, ...] keep: float32[P]."""
POPULATION = ".population."
"""What names of arrays of a checkpoint begin with that are the population."""


@dataclass
class Options:
    """What is measured."""

    runs: tuple[str, ...] = option((), "directories of runs of one endgame", accepted="a list, as in [a,b]")
    decisions: int = option(4000, "critical decisions", low=1, high=MAX_COUNT)
    seed: int = option(1, "of the positions", low=0, high=MAX_SEED)
    named: str | None = option(None, "a file for champions of the last generations; null: none are named", path=True)
    against: str = option("five_terms", "who names them", strategies.WRITTEN)
    games: int = option(20, "games from each seat that name a champion", low=1, high=MAX_GAMES)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)


def populations(run: str) -> Iterator[tuple[int, Programs]]:
    """Yield (generation, population [P, ...]) of the checkpoints of a run, the oldest first; raises UnreadableError."""
    for generation, path in reversed(checkpoint.available(RunDirectory(files.user_path("runs", run)).checkpoints)):
        arrays = checkpoint.read(path)
        fields = {name[len(POPULATION) :]: jnp.asarray(x) for name, x in arrays.items() if name.startswith(POPULATION)}
        yield generation, Programs(**fields)


def name(options: Options, run: Loaded, generation: int, some: Programs) -> champion.ChampionFile:
    """Return the champion of a population [P, ...] by games against the player that is asked for."""
    made = run.cast
    panel = [jaxgp.opponent(made, "strategy", name=options.against, games=options.games)]
    fitness = jaxgp.PanelFitness(made.game, made.actor, panel, points="result", paired=True)

    @jax.jit
    def play(key: jax.Array, some: Programs) -> Evaluation:
        return fitness.evaluate(key, some, fitness.init(key))[0]

    found = play(jax.random.key(options.seed), some)
    best = int(found.fittest)
    genome = jax.tree.map(lambda x: np.asarray(x[best]), some)
    return replace(
        run.content,
        text=language.to_text(made.language, genome),
        size=int(language.sizes(genome)),
        depth=language.depth(genome),
        fitness=float(found.fitness[best]),
        points=dict(zip(("first", "second"), map(float, found.points[best]), strict=True)),
        generation=generation,
    )


@cache
def judge(endgame: str, asked: Asked, decisions: int, seed: int) -> Judge:
    """Return who tells what programs keep, for programs of these options."""
    game = envs.make("chess", endgame=endgame)
    actor = cast(envs.spec("chess"), game, "move", values=vars(asked)).actor
    seen = jax.jit(partial(look, actor))(decide(game, decisions, seed).lessons)
    found = jax.jit(lambda some, seen: shares(actor, some, seen).mean(1))
    return lambda some: np.asarray(found(some, seen))


def measure(options: Options, champions: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each run and checkpoint; put the champions that are named into a list, as JSON."""
    for run in options.runs:
        loaded = load(run, envs, "runs")
        made, kept = loaded.cast, dict(populations(run))
        judged = judge(made.game.endgame, made.options, options.decisions, options.seed)
        count, _, capacity = next(iter(kept.values())).opcode.shape
        if options.named:
            last = max(kept)
            champions.append(json.dumps(champion.as_json(name(options, loaded, last, kept[last]))))
        asked = CreationOptions(method="ramped", min_depth=1, max_depth=6)
        kept[0] = create(jax.random.key(options.seed), made.language, asked, count, capacity)
        best = parse_program(made.language, loaded.content.text, capacity)
        for generation, some in sorted(kept.items()):
            # The champion takes part as one more individual.
            *found, of_champion = judged(jax.tree.map(lambda x, y: jnp.concatenate([x, y[None]]), some, best))
            told = (np.mean(found), np.median(found), np.min(found), np.max(found))
            counts, nodes = map(str, (generation, count, options.decisions)), np.asarray(some.length).sum(1).mean()
            yield run, *counts, *(f"{x:.5f}" for x in told), f"{nodes:.1f}", f"{of_champion:.5f}"


def task(options: Options) -> int:
    """Measure, print, save."""
    path = files.user_path("save", options.save) if options.save else None
    champions: list[str] = []
    rows.report(COLUMNS, measure(options, champions), path)
    if options.named:
        lines = "".join(f"{line}\n" for line in champions)
        files.save_text("named", files.user_path("named", options.named), lines)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
