"""Whole generations of one run with one size of the population."""

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import jax

import envs
from device.parts import configurations
from device.parts.rates import timed
from device.work import Row, Work
from jaxgp.config.schema import Config
from jaxgp.evolution.options import GroupsOptions
from jaxgp.run.assemble import assemble
from jaxgp.run.memory import count_bytes

SMALL = "morpion_walking"
"""The golden run that stands for all at the smallest size."""


def rows(work: Work) -> Iterator[Row]:
    """Yield a row for the run and the population that the work names: seconds of a generation, and bytes needed."""
    name, size = work.which.rsplit(" ", 1)
    run = (configurations.golden() if name == SMALL else configurations.generations())[name]
    free = (jax.devices()[0].memory_stats() or {}).get("bytes_limit")
    head = {"part": "populations", "what": name, "side": work.side, "population": int(size), "bytes": free}
    try:
        yield {**head, **_generation(work, run, int(size), free)}
    except (jax.errors.JaxRuntimeError, MemoryError, ValueError) as error:
        yield {**head, "left_out": " ".join(str(error).split())[:200]}


def resized(config: Config, size: int) -> Config:
    """Return a run of another population; of groups of five, the next smaller number of whole groups."""
    algorithm = config.algorithm
    if isinstance(algorithm, GroupsOptions):
        return replace(config, algorithm=replace(algorithm, population=size - size % 5, immigrants=0))
    return replace(config, algorithm=replace(algorithm, population=size))


def _generation(work: Work, run: configurations.Named, size: int, free: int | None) -> Row:
    config = resized(run.config, size)
    begin = time.perf_counter()
    experiment = assemble(config, envs)
    state = experiment.init(jax.random.key(work.seed))
    step = experiment.compiled(state)
    compiled = time.perf_counter() - begin
    need = count_bytes(step) or 0
    row: Row = {"population": config.algorithm.population, "compile_seconds": compiled, "needed_bytes": need}
    if free is not None and need > free:
        return row | {"left_out": "it does not fit into the memory"}
    with work.alone():
        games = int(step(state)[1]["evaluations"])
        return row | timed(partial(step, state), games) | {"unit": "games/s"}
