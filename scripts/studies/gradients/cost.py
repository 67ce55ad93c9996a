"""What a gradient costs: forward and backward through all programs, beside the interpreter, which goes forward alone.

python scripts/studies/gradients/cost.py table=docs/data/tuning_cost.csv

Both value the same random programs on the same positions, in turn; CPU-seconds, medians. Plans are made before, as they
are once in a generation. Memory is what XLA says of the compiled program, without arguments and results.
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
from functools import partial
from statistics import median

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

import jaxgp
from envs.backgammon.language import primitive_set
from jaxgp import files
from jaxgp.arrays import longest_first, take
from jaxgp.config import arguments
from jaxgp.evolution.tuning.tuner import TOGETHER
from jaxgp.fitness.taught.regression import Targets, in_blocks
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.interpreter.reverse.gradients import loss_and_slopes, plan_tapes
from jaxgp.operators import creation
from jaxgp.operators.options import CreationOptions
from jaxgp.options import option
from jaxgp.run.memory import parts
from jaxgp.store.table import CSVTable
from studies.gradients.regression import words

COLUMNS = {
    "set": "the primitive set; of backgammon, the contact tree",
    "programs": "random ones, created as `ramped`",
    "capacity": "nodes that a program can hold",
    "nodes": "mean nodes of a program",
    "positions": "that each program values",
    "forward": "CPU-milliseconds of the interpreter",
    "both": "CPU-milliseconds of the losses and gradients of all programs",
    "ratio": "the second of these, divided by the first",
    "forward_bytes": "temporary memory of the first",
    "both_bytes": "temporary memory of the second",
    "command": "the command",
}
"""The columns and what is in them."""
CASES = ((64, 64), (64, 256), (64, 1024), (256, 256))
"""Nodes that a program can hold, and positions."""


@dataclass
class Options:
    """How many programs, and how often."""

    programs: int = option(512, "programs, a multiple of 16", low=16, high=100_000)
    repeats: int = option(7, "times that each is measured", low=1, high=1000)
    table: str | None = option(None, "a CSV file that gets rows; null: none", path=True)


def case(options: Options, primitives: PrimitiveSet, capacity: int, positions: int) -> dict[str, object]:
    """Measure one case."""
    made = CreationOptions(method="ramped", min_depth=2, max_depth=7 if capacity > 64 else 5)
    programs = creation.create(jax.random.key(0), primitives, made, options.programs, capacity)
    rng = np.random.default_rng(0)
    features = 1 + max(p.feature if p.feature is not None else p.reads_one - 1 for p in primitives.terminals)
    seen = jnp.asarray(rng.integers(0, 3, (features, positions)), jnp.float32)
    known = jnp.asarray(rng.normal(size=positions), jnp.float32)
    loss = jaxgp.RegressionFitness(words(), seen, known).loss
    one = jax.tree.map(lambda x: x[:, 0], programs)
    ordered = take(programs, longest_first(programs.length[:, 0])[1])
    chunks = jax.tree.map(lambda x: x.reshape(-1, TOGETHER, *x.shape[1:]), ordered)
    plans = jax.jit(partial(plan, primitives))(one)
    tapes = jax.jit(partial(lax.map, partial(plan_tapes, primitives)))(chunks)

    def gradients(chunks: object, tapes: object, seen: Array) -> object:
        examples = in_blocks(Targets(seen, known))
        return lax.map(lambda both: loss_and_slopes(primitives, both[1], both[0], examples, loss), (chunks, tapes))

    forward = jax.jit(partial(evaluate, primitives)).lower(plans, seen).compile()
    both = jax.jit(gradients).lower(chunks, tapes, seen).compile()
    runs: tuple[Callable[[], object], ...] = (lambda: forward(plans, seen), lambda: both(chunks, tapes, seen))
    spent: list[list[float]] = [[], []]
    for _ in range(options.repeats + 1):
        for run, times in zip(runs, spent, strict=True):
            begun = time.process_time()
            jax.block_until_ready(run())
            times.append(1000 * (time.process_time() - begun))
    first, second = (median(times[1:]) for times in spent)
    room = [found.temporaries if (found := parts(one)) else 0 for one in (forward, both)]
    return {
        "set": primitives.name,
        "programs": options.programs,
        "capacity": capacity,
        "nodes": float(one.length.mean()),
        "positions": positions,
        "forward": first,
        "both": second,
        "ratio": second / first,
        "forward_bytes": room[0],
        "both_bytes": room[1],
        "command": arguments.command("scripts/studies/gradients/cost.py", options),
    }


def task(options: Options) -> int:
    """Measure, print and note."""
    table = None if options.table is None else CSVTable(files.user_path("table", options.table), COLUMNS)
    backgammon = primitive_set()
    contact = replace(backgammon, roots=backgammon.roots[:1])
    for primitives in (words(), contact):
        for capacity, positions in CASES:
            row = case(options, primitives, capacity, positions)
            shown = [f"{one:.4g}" if isinstance(one, float) else one for one in list(row.values())[:-1]]
            print(*shown, flush=True)
            if table is not None:
                table.keep([row], arguments.say)
    return 0


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
