"""What games among random programs of chess say of programs that are known to be better than these.

    python scripts/studies/chess/points.py adjudicate=draw

Written programs take the first places of a random population. Each individual plays others as in a run; what a good
program gets more than the others is to be compared with what these differ by, which is chance.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.chess import strategies
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.fitness.among.coevolution import CoevolutionFitness
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.operators import creation
from jaxgp.operators.options import CreationOptions
from jaxgp.options import MAX_COUNT, MAX_GAMES, MAX_SEED, option
from studies.chess.shared import rows

ALONE = ("EvaluateMaterial", "100*IsMaterialIncrease", "MyPieceCannotBeCaptured")
"""Terminals that are whole programs."""
CAPACITY = 256
COLUMNS = ("endgame", "start", "adjudicate", "player", "games", "points", "low", "high", "drawn")


@dataclass
class Options:
    """What is played."""

    endgame: str = option("KQKQ", "the men of both sides")
    start: str = option("quiet", "where games begin", ("quiet", "legal", "held"))
    adjudicate: str = option("draw", "what games are worth that end without mate", ("draw", "material"))
    population: int = option(60, "programs", low=10, high=MAX_COUNT)
    games: int = option(5, "games of each from each seat, in a round", low=1, high=MAX_GAMES)
    rounds: int = option(10, "how often all play", low=2, high=MAX_COUNT)
    seed: int = option(0, "of the random programs and the games", low=0, high=MAX_SEED)
    save: str | None = option(None, "a file to which rows are added; null: they are printed alone", path=True)


def measure(options: Options) -> list[str]:
    """Return the rows: each written program, and the random ones together."""
    game = envs.make("chess", endgame=options.endgame, start=options.start, adjudicate=options.adjudicate)
    made = cast(envs.spec("chess"), game, "move")
    texts = {name: strategies.text(name) for name in strategies.WRITTEN}
    texts |= {name: f"(PROGRAM {name} {name} {name})" for name in ALONE}
    written = [parse_program(made.language, text, CAPACITY) for text in texts.values()]
    ramped = CreationOptions(method="ramped", min_depth=1, max_depth=6)
    create, play = jax.random.split(jax.random.key(options.seed))
    random = creation.create(create, made.language, ramped, options.population - len(written), CAPACITY)
    population = jax.tree.map(lambda some, *one: jnp.concatenate([jnp.stack(one), some]), random, *written)
    fitness = CoevolutionFitness(game, made.actor, options.games)
    evaluate = jax.jit(lambda key: fitness.evaluate(key, population, fitness.init(key))[0])
    found = [jax.device_get(evaluate(jax.random.fold_in(play, n))) for n in range(options.rounds)]
    each = np.array([one.fitness for one in found]) / (2 * options.games)  # [rounds, P]
    drawn = np.mean([one.metrics["drawn"] for one in found])
    groups = {name: each[:, n] for n, name in enumerate(texts)} | {"random": each[:, len(texts) :].reshape(-1)}
    found = []
    for name, points in groups.items():
        half = 1.96 * points.std(ddof=1) / len(points) ** 0.5
        ends = points.mean(), points.mean() - half, points.mean() + half
        numbers = ",".join(f"{x:.4f}" for x in (*ends, drawn))
        games = 2 * options.games * len(points)
        found.append(f"{options.endgame},{options.start},{options.adjudicate},{name},{games},{numbers}")
    return found


def task(options: Options) -> int:
    """Measure, print, save."""
    path = files.user_path("save", options.save) if options.save else None
    head, found = ",".join(COLUMNS), measure(options)
    print("\n".join([head, *found]))
    if path is not None:
        rows.add(path, head + "\n", "".join(f"{row}\n" for row in found))
        print(f"saved: {path}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
