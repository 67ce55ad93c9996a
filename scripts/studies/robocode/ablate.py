"""Take parts of a robot's program away, one at a time, and see what it is worth without them.

python scripts/studies/robocode/ablate.py champion=docs/data/champions/robocode_haiku.json
python scripts/studies/robocode/ablate.py champion=FILE by=[Zero,MaxX,-1] depth=3 battles=20 table=parts.csv

Each part is put out by each of some expressions: the lines themselves, their arguments, and so on to a depth. All
programs fight the same battles against the twelve samples of the engine, so that differences are paired: of one battle
the mean F over the samples. A part that makes no difference is not used, or does not matter.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

import envs
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import UsageError, rejection
from jaxgp.options import MAX_GAMES, MAX_POPULATION, MAX_SEED, option

Tree = list
"""A name, and the arguments of a function after it."""
COLUMNS = ("line", "part", "nodes", "by", "share", "difference", "low", "high")
LONGEST = 80
"""Characters of a part in the table."""


@dataclass
class Options:
    """Whose parts are taken away, and how closely one looks."""

    champion: str | None = option(None, "a run directory or a champion file", path=True)
    depth: int = option(2, "the deepest part, in edges below the line", low=0, high=20)
    by: list[str] = option(["Zero", "1"], "terminals or expressions that stand in for parts")
    battles: int = option(17, "of each program against each sample", low=2, high=MAX_GAMES)
    rounds: int = option(3, "of a battle", low=1, high=1000)
    seed: int = option(9000, "of the battles", low=0, high=MAX_SEED)
    lanes: int = option(16, "programs that fight at a time", low=1, high=MAX_POPULATION)
    table: str = option("docs/data/robocode_parts.csv", "a CSV file that is written", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse to take parts of nobody; raises UsageError."""
        if not self.champion:
            raise UsageError(f"{prefix}champion: whose parts? Write champion=FILE")


def read(text: str) -> Tree:
    """Return a program as a tree; a terminal is a list of one name."""
    stack: list[Tree] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", text):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append([done[0][0], *done[1:]])
        else:
            stack[-1].append([word])
    return stack[0][0]


def write(tree: Tree) -> str:
    """Return the text of a tree."""
    name, *arguments = tree
    return f"({name} {' '.join(map(write, arguments))})" if arguments else str(name)


def nodes(tree: Tree) -> int:
    """Return how many nodes a tree has."""
    return 1 + sum(map(nodes, tree[1:]))


def parts(tree: Tree, depth: int, way: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Tree]]:
    """Yield the way to each part down to a depth below the lines of a program, and the part."""
    if way:
        yield way, tree
    if len(way) <= depth:
        for n, one in enumerate(tree[1:], 1):
            yield from parts(one, depth, (*way, n))


def without(tree: Tree, way: tuple[int, ...], other: Tree) -> Tree:
    """Return a tree in which another one stands where a way leads."""
    if not way:
        return other
    return [without(one, way[1:], other) if n == way[0] else one for n, one in enumerate(tree)]


def task(options: Options) -> int:
    """Let all variants fight, write a row for each, and print them."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from envs.robocode.bots.samples import SAMPLES
    from envs.robocode.language import LINES
    from envs.robocode.roles import make
    from jaxgp.fitness.roller import Roller
    from jaxgp.genotypes import language as languages
    from jaxgp.measure import champions
    from jaxgp.statistics.intervals import student

    one = champions.load(str(options.champion), envs, "champion", {"rounds": options.rounds})
    whole, language = read(one.content.text), one.cast.language
    variants = [(way, part, by) for way, part in parts(whole, options.depth) for by in options.by if write(part) != by]
    texts = [write(whole), *(write(without(whole, way, read(by))) for way, _, by in variants)]
    room = max(nodes(read(text)) for text in texts)
    try:
        programs = [languages.parse(language, text, room) for text in texts]
    except ValueError as error:
        accepted = "terminals and expressions of the language of the champion"
        raise rejection("by", options.by, accepted, str(error)) from error
    game = one.cast.game
    roller = Roller(game, one.cast.actor, tuple((make(name, game),) for name in SAMPLES))
    # Battles with the same number begin alike against all samples.
    keys = jnp.repeat(jax.random.split(jax.random.key(options.seed), options.battles), len(SAMPLES))
    stacked = jax.tree.map(lambda *x: jnp.stack(x), *programs)
    plans = jax.jit(roller.driver.prepare)(stacked)
    ended = jax.device_get(jax.jit(lambda plans: roller.measure(plans, keys, lanes=options.lanes))(plans))
    points = np.asarray(ended.measures, float)[..., 0].reshape(len(texts), options.battles, len(SAMPLES), 2)
    shares = (points[..., 0] / np.maximum(points.sum(-1), 1e-9)).mean(-1)  # by variant and battle
    print(f"F of the whole {shares[0].mean():.3f}")
    with open(files.user_path("table", options.table), "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        rows.writerow(["", "the whole", nodes(whole) - 1, "", round(float(shares[0].mean()), 4), "", "", ""])
        for (way, part, by), found in zip(variants, shares[1:], strict=True):
            mean, *bounds = student(found - shares[0])
            text = write(part)
            shown = text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."
            figures = [round(float(x), 4) for x in (found.mean(), mean, *bounds) if x is not None]
            rows.writerow([LINES[way[0] - 1], shown, nodes(part), by, *figures])
            print(f"{LINES[way[0] - 1]}: {shown} by {by}: {mean:+.3f}")
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
