"""Whole generations by the size of the population, and the largest population that fits."""

import time
from collections.abc import Iterator, Mapping
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
SIZES = (512, 4096, 32_768, 262_144)
"""Individuals."""


def rows(work: Work) -> Iterator[Row]:
    """Yield a row for each run and population: seconds of a generation, and bytes that its program needs."""
    runs = {SMALL: configurations.golden()[SMALL]} if work.small else configurations.generations()
    free = (jax.devices()[0].memory_stats() or {}).get("bytes_limit")
    yield {"part": "populations", "what": "memory", "side": work.side, "bytes": free}
    took: dict[str, float] = {}
    needs: dict[str, dict[int, int]] = {}
    for size in (24,) if work.small else SIZES:
        for name, run in runs.items():
            head = {"part": "populations", "what": name, "side": work.side, "population": size}
            if work.left < 1.5 * took.get(name, 0):
                yield {**head, "left_out": "no time"}
                continue
            begin = time.perf_counter()
            try:
                row = _generation(work, run, size, free)
                needs.setdefault(name, {})[row["population"]] = row["needed_bytes"]
                yield {**head, **row}
            except (jax.errors.JaxRuntimeError, MemoryError, ValueError) as error:
                yield {**head, "left_out": " ".join(str(error).split())[:200]}
            took[name] = time.perf_counter() - begin
    for name, known in needs.items():
        if free is not None and len(known) > 1:
            yield {"part": "populations", "what": name, "side": work.side, "largest": fits(known, free)}


def fits(needs: Mapping[int, int], free: int) -> int:
    """Return how many individuals fit into so many bytes, by the line through what the two largest populations need."""
    (small, less), (large, more) = sorted(needs.items())[-2:]
    return int(large + (free - more) * (large - small) / (more - less))


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
    games = int(step(state)[1]["evaluations"])
    return row | timed(partial(step, state), games) | {"unit": "games/s"}
