"""What a generation of Kalah launches on the device: by the compiled program, and as a profiler saw it."""

import gzip
import json
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jax

import envs
from device.parts import configurations
from device.parts.golden import evolve
from device.programs import launches
from device.work import Row, Work
from jaxgp.evolution.state import EvolutionState
from jaxgp.run.assemble import assemble

NAME, SMALL = "Kalah", "morpion_walking"
"""The run whose generation is looked at, and the golden run that stands for it at the smallest size."""
BUDGET = {"launches": 3_000, "bytes": 2**30}
"""What a generation of Kalah may launch, and read and write in what is launched: the aim, not what was reached."""
MOST = 12
"""Kernels that are named of a profile."""


def rows(work: Work) -> Iterator[Row]:
    """Yield what the text of the compiled step says of each loop, and what a profile of one generation counts."""
    run = configurations.golden()[SMALL] if work.small else configurations.generations()[NAME]
    experiment = assemble(run.config, envs)
    state = experiment.init(jax.random.key(work.seed))
    step = experiment.compiled(state)
    head = {"part": "compiled", "what": SMALL if work.small else NAME, "side": work.side, "words": run.words}
    text = step.as_text()
    (work.folder / "parts" / f"step.{work.side}.hlo.txt").write_text(text, encoding="utf-8")
    listed = [
        {"depth": depth, "launches": loop.launches, "bytes": loop.bytes, "trips": loop.trips, "path": loop.path}
        for depth, loop in launches.count(text).walk()
    ]
    yield {**head, "loops": listed, "scatters": Counter(map(" ".join, launches.scatters(text)))}
    state, _ = evolve(run.config, step, state, 2)
    with work.alone():
        yield {**head, **profile(work, step, state), "budget": BUDGET}


def profile(work: Work, step: jax.stages.Compiled, state: EvolutionState) -> Row:
    """Run a generation under the profiler; keep its trace, and count what it has launched."""
    begin = time.perf_counter()
    jax.block_until_ready(step(state))
    seconds = time.perf_counter() - begin
    traced = work.folder / "parts" / f"profile.{work.side}"
    shutil.rmtree(traced, ignore_errors=True)
    with jax.profiler.trace(str(traced)):
        jax.block_until_ready(step(state))
    (file,) = traced.rglob("*.trace.json.gz")
    kept = work.folder / f"trace_{work.side}.json.gz"
    shutil.copyfile(file, kept)
    return {"seconds": seconds, "trace": kept.name, **kernels(file)}


def kernels(file: Path) -> Row:
    """Count what a trace shows on the device: launches and their time, in all and by name, the dearest first.

    On a CPU there are no launches, and nothing is counted.
    """
    events = json.loads(gzip.decompress(file.read_bytes()))["traceEvents"]
    named = {one["pid"]: one["args"]["name"] for one in events if one.get("name") == "process_name"}
    lanes = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one.get("name") == "thread_name"}
    on_device = [
        one
        for one in events
        if one.get("ph") == "X"
        and named.get(one["pid"], "").startswith("/device:GPU")
        and lanes.get((one["pid"], one["tid"]), "").startswith("Stream")
    ]
    count, times = Counter[str](), Counter[str]()
    for one in on_device:
        count[one["name"]] += 1
        times[one["name"]] += one["dur"]
    dearest = [{"name": name, "launches": count[name], "seconds": took / 1e6} for name, took in times.most_common(MOST)]
    return {"launches": len(on_device), "busy_seconds": sum(times.values()) / 1e6, "dearest": dearest}
