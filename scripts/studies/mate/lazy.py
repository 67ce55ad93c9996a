"""Weights of the searches lazy and flights by CMA-ES, whose fitness plain C++ counts.

    python scripts/studies/mate/lazy.py seed=0 generations=40 save=docs/data/champions/mate_lazy_0.json

It makes as many moves as the search in lanes, which takes ten times as long on a CPU. Problems are those of a list
drawn at random, by `mate draw` of `rivals/plain`, and own ones, both of the set `train`. The fitness is minus the
logarithm of nodes, half of it of their mean, half the mean of logarithms. Weights of 0 are the search by hand. From
there weights are changed one at a time as long as it helps, in an order drawn by the seed; where that ends, the
distribution begins. Each fifth mean of it is measured on the set `choose`, and the best one there is the champion.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import envs
from envs.mate import suites
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.games.casting import Cast, cast
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.vectors import Leaves
from jaxgp.options import MAX_COUNT, MAX_POPULATION, MAX_SEED, option
from jaxgp.reading import read_text
from jaxgp.schemes.breeding.cma import SeparableCMA
from jaxgp.schemes.cma import CMAOptions
from jaxgp.search.proofs.lazy import PARTS
from jaxgp.store import champion as champions
from rivals.plain import mate
from studies.chess.shared import rows

DRAWN = Path(__file__).with_name("drawn.txt")
OFTEN = 5
"""Generations from one measurement on the set `choose` to the next."""
LEAST = 0.004
"""By how much a change of one weight has to help."""
Problems = list[tuple[str, int]]


@dataclass
class Options:
    """How long weights evolve, and on what."""

    within: str = option("flights", "the search", ("lazy", "flights"))
    n: list[int] = option([3, 4], "the n of problems", low=1, high=5)
    own: int = option(12, "own problems of each n, the first of the set", low=0, high=MAX_COUNT)
    drawn: int = option(26, "drawn problems of each n, the first of the set", low=1, high=MAX_COUNT)
    limit: int = option(8000, "nodes of a search at most", low=100, high=MAX_COUNT)
    population: int = option(14, "individuals of a generation", low=5, high=MAX_POPULATION)
    generations: int = option(40, "of the run", low=1, high=MAX_COUNT)
    passes: int = option(2, "passes through the weights, one at a time, before", low=0, high=100)
    step: float = option(0.03, "standard deviation of the first individuals, on the logistic scale", low=0.001, high=10)
    seed: int = option(0, "of the run", low=0, high=MAX_SEED)
    save: str | None = option(None, "the file of the champion", path=True)
    record: str | None = option(None, "a file of rows, a generation each, to which these are added", path=True)


def problems(wanted: str, options: Options) -> Problems:
    """Return drawn and own problems of a set."""
    lines = [line.split("; ") for line in read_text(DRAWN).splitlines() if line and not line.startswith("#")]
    found: Problems = []
    for n in options.n:
        drawn = [(text, n) for text, own, name in lines if (int(own), name) == (n, wanted)]
        own = [(text, n) for text, length, _, name in suites.shipped() if (length, name) == (n, wanted)]
        found += drawn[: options.drawn] + own[: options.own]
    return found


def logarithm(nodes: np.ndarray) -> float:
    """Return half the logarithm of the mean, and half the mean of logarithms."""
    return float(np.log(nodes.mean()) + np.log(nodes + 1.0).mean()) / 2


def needed(search: str, posed: Problems, parts: np.ndarray, limit: int) -> np.ndarray:
    """Return the nodes of each problem, with weights in parts."""
    return np.array([one.nodes for one in mate.count(search, posed, limit, weights=parts.tolist())])


def descend(score: Callable[[np.ndarray], float], steps: np.ndarray, passes: int, seed: int) -> np.ndarray:
    """Return weights that score least, changed one at a time, from 0 on; `steps` are halved where none helps."""
    random = np.random.default_rng(seed)
    found, steps = np.zeros(len(steps)), steps.copy()
    least = score(found)
    for number in range(passes):
        for place in random.permutation(len(steps)):
            before = found[place]
            for sign in (1, -1):
                while found[place] == before or sign * (found[place] - before) > 0:
                    tried = found.copy()
                    tried[place] += sign * steps[place]
                    if (now := score(tried)) > least - LEAST:
                        break
                    found, least = tried, now
            if found[place] == before:
                steps[place] /= 2
        print(f"pass {number + 1}: {least:.4f}", flush=True)
    return found


def content(own: Cast, genome: Any, fitness: float, generation: int, options: Options) -> champions.ChampionFile:
    """Return what the file of a champion holds; `genome` [N, 1]."""
    return champions.ChampionFile(
        game={"name": own.spec.name, **asdict(own.game)},
        program=own.program,
        language={"kind": "program", "name": own.language.name, "version": own.language.version},
        text=languages.to_text(own.language, genome),
        size=int(languages.sizes(genome)),
        depth=languages.depth(genome),
        fitness=fitness,
        points={"first": fitness, "second": None},
        generation=generation,
        seed=options.seed,
        title=f"{own.options.within}, n = {' and '.join(map(str, options.n))}",
    )


def evolve(options: Options) -> tuple[champions.ChampionFile, list[Sequence[str]]]:
    """Return the champion, and a row for each generation."""
    own = cast(envs.spec("mate"), None, "weights", None, {"within": options.within, "entries": 2**14})
    scheme = SeparableCMA(own.language, CMAOptions(population=options.population, start=0.5, step=options.step))
    train, choose = (problems(name, options) for name in ("train", "choose"))
    coding = Leaves(own.language, 0.5)
    low, width = coding.bounds

    def score(weights: np.ndarray) -> float:
        return logarithm(needed(options.within, train, np.round(weights * PARTS).astype(int), options.limit))

    # A step is one exponent, of what is seen a quarter of it.
    taught = descend(score, width / 32, options.passes, options.seed)
    about = scheme.init()
    about = replace(about, mean=jnp.asarray(np.log(taught - low) - np.log(low + width - taught), jnp.float32))
    lines: list[Sequence[str]] = []
    best: tuple[float, int, Any] | None = None
    drawn, updated, vectors = jax.jit(scheme._drawn, static_argnums=2), jax.jit(scheme.updated), jax.jit(coding.vectors)
    for generation in range(options.generations + 1):
        key = jax.random.fold_in(jax.random.key(options.seed), generation)
        population = jax.device_get(drawn(key, about, options.population))
        parts = np.asarray(own.actor.prepare(population))
        last = generation == options.generations
        chosen = (
            logarithm(needed(options.within, choose, parts[0], options.limit))
            if generation % OFTEN == 0 or last
            else None
        )
        if chosen is not None and (best is None or chosen < best[0]):
            best = chosen, generation, jax.tree.map(lambda x: x[0], population)
        if last:
            lines.append((str(options.seed), str(generation), "", "", "" if chosen is None else f"{chosen:.4f}"))
            break
        scores = np.array([-logarithm(needed(options.within, train, one, options.limit)) for one in parts])
        least = f"{-scores.max():.4f}"
        lines.append(
            (str(options.seed), str(generation), f"{-scores[0]:.4f}", least, "" if chosen is None else f"{chosen:.4f}")
        )
        print(*lines[-1], flush=True)
        about = updated(about, vectors(population)[1:], jnp.asarray(scores[1:], jnp.float32))
    assert best is not None
    return content(own, best[2], -best[0], best[1], options), lines


def task(options: Options) -> int:
    """Evolve weights, and write the champion."""
    champion, lines = evolve(options)
    print(champion.text)
    if options.record:
        columns = ("seed", "generation", "mean", "best", "choose")
        rows.report(columns, lines, files.user_path("record", options.record))
    if options.save:
        champions.write(files.user_path("save", options.save), champion)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
