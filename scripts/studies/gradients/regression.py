"""What tuning gives in regression, at equal CPU-seconds: without it, inherited (Lamarck), and not inherited (Baldwin).

python scripts/studies/gradients/regression.py seconds=2 seeds=5 table=docs/data/tuning_regression.csv

Each run has the same CPU-seconds, without compiling, and so as many generations as it can. Its champion, by the points
it was measured on, is reported on others between them. The problems are functions of one variable with constants that
no formula of small whole numbers has:

- nguyen_1c, nguyen_5c, nguyen_7c: B. Petersen et al., "Deep symbolic regression", ICLR 2021, table of constants; after
  N. Q. Uy et al., "Semantically-based crossover in genetic programming", GPEM 12 (2011).
- keijzer_1: M. Keijzer, "Improving symbolic regression with interval arithmetic and linear scaling", EuroGP 2003.
- gauss: I.6.20a of S.-M. Udrescu and M. Tegmark, "AI Feynman", Science Advances 6 (2020).

Errors are mean squared errors, divided by the variance of the values. The quotient is that of J. Ni et al., "The use of
an analytic quotient operator in genetic programming", IEEE TEVC 17 (2013), which has a derivative everywhere.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxgp
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.fitness.taught.regression import Targets
from jaxgp.options import MAX_SECONDS, option
from jaxgp.store.table import CSVTable

COLUMNS = {
    "problem": "the function to be found",
    "tuning": "none, lamarck or baldwin",
    "seed": "of the run",
    "generations": "that the CPU-seconds were enough for",
    "evaluations": "of programs on all points, a step of tuning counting four: forward, and backward by three",
    "seconds": "CPU-seconds of the run, without compiling",
    "train": "normalised error of the champion on the points of the run",
    "test": "the same on the points between them",
    "size": "its nodes",
    "command": "the command",
}
"""The columns and what is in them."""
POINTS = 32
PROBLEMS: dict[str, tuple[float, float, Callable[[np.ndarray], np.ndarray]]] = {
    "nguyen_1c": (-1, 1, lambda x: 3.39 * x**3 + 2.12 * x**2 + 1.78 * x),
    "nguyen_5c": (-1, 1, lambda x: np.sin(x**2) * np.cos(x) - 0.75),
    "nguyen_7c": (0, 2, lambda x: np.log(x + 1.4) + np.log(x**2 + 1.3)),
    "keijzer_1": (-1, 1, lambda x: 0.3 * x * np.sin(2 * np.pi * x)),
    "gauss": (1, 3, lambda x: np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)),
}
"""The least and the greatest x, and the function."""
TUNINGS = ("none", "lamarck", "baldwin")


@dataclass
class Options:
    """How long each run takes, and where it is noted."""

    seconds: float = option(2.0, "CPU-seconds of a run, without compiling", low=0, high=MAX_SECONDS, above=True)
    seeds: int = option(5, "runs of each problem and tuning", low=1, high=1000)
    steps: int = option(8, "steps of tuning in a generation", low=1, high=1000)
    population: int = option(128, "programs of a generation", low=8, high=100_000)
    table: str | None = option(None, "a CSV file that gets rows; null: none", path=True)


def words() -> jaxgp.PrimitiveSet:
    """Return the set: sums, differences, products, analytic quotients, sines; x and constants."""
    two = (jaxgp.FLOAT, jaxgp.FLOAT)
    calls: dict[str, Callable[..., Any]] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "aq": lambda a, b: a / jnp.sqrt(1 + b * b),
    }
    functions = [jaxgp.Primitive(name, args=two, call=call, gradient="own") for name, call in calls.items()]
    return jaxgp.PrimitiveSet(
        "regression",
        (jaxgp.Primitive("x", feature=0), jaxgp.Primitive("c", domain=jaxgp.Floats(-5.0, 5.0))),
        (*functions, jaxgp.Primitive("sin", args=(jaxgp.FLOAT,), call=jnp.sin, gradient="own")),
    )


def points(problem: str) -> tuple[Targets, Targets, float]:
    """Return the points of the run, those between them, and the variance of the values."""
    low, high, function = PROBLEMS[problem]
    x = np.linspace(low, high, 2 * POINTS - 1)
    both = [
        Targets(jnp.asarray(some[None], jnp.float32), jnp.asarray(function(some), jnp.float32))
        for some in (x[::2], x[1::2])
    ]
    return both[0], both[1], float(np.var(function(x)))


def rings(options: Options) -> dict[str, jaxgp.Ring]:
    """Return a ring for each tuning; all points are in the memory, so that one compiled step serves all problems."""
    language, known = words(), points("gauss")[0]
    none = jaxgp.GPOptions(
        population=options.population,
        capacity=48,
        creation=jaxgp.CreationOptions(max_depth=4),
        selection=jaxgp.SelectionOptions(method="tournament", tournament_size=5),
        crossover=jaxgp.CrossoverOptions(probability=0.7),
        mutation=jaxgp.MutationOptions(probability=0.5, subtree=1.0, point=1.0, numeric=2.0, max_depth=3),
    )
    fitness = jaxgp.RegressionFitness(language, known.inputs, known.outputs)

    def ring(tuning: str) -> jaxgp.Ring:
        steps = 0 if tuning == "none" else options.steps
        asked = jaxgp.TuneOptions(steps=steps, rate=0.2, decay=0.2, inherit="lamarck" if tuning == "none" else tuning)
        return jaxgp.Ring(fitness, jaxgp.Generational(language, replace(none, tune=asked)))

    return {tuning: ring(tuning) for tuning in TUNINGS}


def task(options: Options) -> int:
    """Run, print and note."""
    table = None if options.table is None else CSVTable(files.user_path("table", options.table), COLUMNS)
    command = arguments.command("scripts/studies/gradients/regression.py", options)
    made = rings(options)
    init = {tuning: jax.jit(ring.init) for tuning, ring in made.items()}
    step = {tuning: jax.jit(ring.step) for tuning, ring in made.items()}
    judge = jax.jit(made["none"].fitness.evaluate)
    for tuning in TUNINGS:  # compile
        jax.block_until_ready(step[tuning](init[tuning](jax.random.key(0))))
    for problem in PROBLEMS:
        known, unseen, variance = points(problem)
        for seed in range(options.seeds):
            for tuning in TUNINGS:
                state = init[tuning](jax.random.key(seed)).replace(memory=known)
                begun = time.process_time()
                while time.process_time() < begun + options.seconds:
                    state, _ = jax.block_until_ready(step[tuning](state))
                spent, best = time.process_time() - begun, state.champion.genome
                some = jax.tree.map(lambda x: jnp.broadcast_to(x, (8, *x.shape)), best)
                error = judge(state.key, some, unseen)[0].fitness[0]
                each = 1 if tuning == "none" else 2 + 4 * options.steps
                row = {
                    "problem": problem,
                    "tuning": tuning,
                    "seed": seed,
                    "generations": int(state.generation),
                    "evaluations": each * int(state.generation) * options.population,
                    "seconds": spent,
                    "train": -float(state.champion.fitness) / variance,
                    "test": -float(error) / variance,
                    "size": int(best.length.sum()),
                    "command": command,
                }
                print(
                    *(f"{value:.3g}" if isinstance(value, float) else value for value in list(row.values())[:-1]),
                    flush=True,
                )
                if table is not None:
                    table.keep([row], arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
