"""What a generation launches on a GPU, without one: compiled for it here, and its loops counted here.

python scripts/studies/growth/launches.py
python scripts/studies/growth/launches.py run=Walls generations=3

This needs the plugin of JAX for CUDA, but no GPU; `scripts/device/programs/ahead.py` says how to install it. Compiling
takes a minute, and counting, which compiles the step once more with a counter beside each loop, two or three.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

from dataclasses import dataclass
from unittest import mock

import jax

import envs
from device.parts import configurations
from device.programs import ahead, generations
from jaxgp.config import arguments
from jaxgp.errors import RunError
from jaxgp.options import MAX_COUNT, MAX_SEED, option
from jaxgp.report.generated import table
from jaxgp.run.assemble import assemble

HEAD = ("loop", "launches an iteration", "iterations", "launches", "seconds at 5 us each")


@dataclass
class Options:
    """Which run, and which of its generations."""

    run: str = option("Kalah", "the run, as `scripts/bench.py part=gpu` has it", tuple(configurations.GENERATIONS))
    generations: int = option(6, "that are made; the last one is shown", low=1, high=MAX_COUNT)
    seed: int = option(0, "of the run", low=0, high=MAX_SEED)


def task(options: Options) -> int:
    """Count, and print the table; raises RunError without the plugin."""
    if not ahead.available():
        raise RunError(
            "JAX's plugin for CUDA is not installed; scripts/device/programs/ahead.py says how to install it"
        )
    run = configurations.generations()[options.run]
    ring = assemble(run.config, envs).ring
    with mock.patch("jax.default_backend", return_value="gpu"):  # what is chosen by the device is chosen as for a GPU
        text = generations.compiled(ring, jax.eval_shape(ring.init, jax.random.key(0)))
        state = jax.jit(ring.init)(jax.random.key(options.seed))
        counts = generations.iterations(ring, state, options.generations)
    found = generations.spent(text, counts[-1])
    rows = [
        [f"{'&ensp;' * one.depth}{one.path or 'outside of loops'}", *_figures(one.each, one.iterations, one.launches)]
        for one in found
    ]
    print(table(HEAD, [*rows, ["all", "", *_figures(sum(one.launches for one in found))]]))
    return 0


def _figures(*numbers: int) -> list[str]:
    return [*(f"{number:,}" for number in numbers), f"{numbers[-1] * generations.LAUNCH:.3f}"]


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__ or ""))
