"""What comes of the golden runs on one side, figure by figure, and whether a resumed run is the same to the bit."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.stages import Compiled

import envs
from device.parts import configurations
from device.work import Row, Work
from jaxgp.config.schema import Config
from jaxgp.evolution.state import EvolutionState
from jaxgp.run.assemble import Experiment, assemble
from jaxgp.search import cores
from jaxgp.store import checkpoint

SMALL = ("morpion_walking",)
"""Runs that are made at the smallest size."""
FIRST = ("kalah_panel", "walls_groups", "othello_moves", "kalah_niched")
"""Runs that are made before the others, in case that there is no time for all."""
RESUMED = ("morpion_walking", "kalah_panel")
"""Runs that are also stopped, saved, read back and continued."""


def rows(work: Work) -> Iterator[Row]:
    """Yield a row for each golden run; tracing goes on while others are compiled and run."""
    known = configurations.golden()
    names = SMALL if work.small else sorted(known, key=lambda name: (name not in FIRST, name))
    with ThreadPoolExecutor(cores.available()) as pool:
        waiting: list[Future[list[Row]]] = []
        for name in names:
            experiment = assemble(known[name].config, envs)
            state = experiment.init(jax.random.key(known[name].config.seed))
            traced = time.perf_counter()
            lowered = jax.jit(experiment.ring.step).lower(state)
            traced = time.perf_counter() - traced
            waiting.append(pool.submit(_evolve, work, name, experiment, state, lowered, traced))
            for future in [one for one in waiting if one.done()]:
                waiting.remove(future)
                yield from future.result()
        for future in as_completed(waiting):
            yield from future.result()


def _evolve(
    work: Work, name: str, experiment: Experiment, state: EvolutionState, lowered: jax.stages.Lowered, traced: float
) -> list[Row]:
    """Compile the step of a run and make the run; return its row, and that of its resumption."""
    begin = time.perf_counter()
    step = lowered.compile()
    compiled = time.perf_counter()
    last, found = evolve(experiment.config, step, state)
    head = {"part": "golden", "what": name, "side": work.side}
    times = {"trace_seconds": traced, "compile_seconds": compiled - begin, "seconds": time.perf_counter() - compiled}
    made = [
        {
            **head,
            **times,
            "figures": found,
            "champion": {name: array.tolist() for name, array in _arrays(last.champion).items()},
        }
    ]
    if name in RESUMED:
        made.append({**head, "part": "resumed", **_resume(work, experiment, step, state, last)})
    return made


def evolve(
    config: Config, step: Compiled, state: EvolutionState, generations: int | None = None
) -> tuple[EvolutionState, dict[str, list[Any]]]:
    """Make a run, or some generations of it; return the last state, and the metrics by name and generation."""
    found: dict[str, list[Any]] = {}
    for _ in range(config.algorithm.generations if generations is None else generations):
        if bool(state.finished):
            break
        state, metrics = step(state)
        for name, value in jax.device_get(metrics).items():
            found.setdefault(name, []).append(np.asarray(value).tolist())
    return state, dict(sorted(found.items()))


def _resume(work: Work, experiment: Experiment, step: Compiled, state: EvolutionState, last: EvolutionState) -> Row:
    """Make a run again with a checkpoint in its middle; return how many arrays differ from those of the whole run."""
    half = experiment.config.algorithm.generations // 2
    stopped, _ = evolve(experiment.config, step, state, half)
    path = checkpoint.save(work.folder / "parts" / f"{experiment.game.name}.{work.side}", half, stopped, "golden")
    resumed = checkpoint.load(path, stopped, "golden")
    end, _ = evolve(experiment.config, step, cores.everywhere(resumed), experiment.config.algorithm.generations - half)
    whole, again = _arrays(last), _arrays(end)
    differ = [name for name, array in whole.items() if array.tobytes() != again[name].tobytes()]
    return {"arrays": len(whole), "differ": differ, "generation": half}


def _arrays(tree: object) -> dict[str, np.ndarray]:
    """Return the arrays of a tree by their paths; keys as their data."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path): np.asarray(_data(leaf)) for path, leaf in leaves}


def _data(leaf: jax.Array) -> jax.Array:
    return jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf
