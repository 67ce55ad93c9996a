"""RARS: steps of cars alone, with what drivers perceive, and with programs that drive.

Cars start all along a lap that Tuto3 drove, and get its controls of that lap, so that they stay on the road, come to
new segments and reach full power as often as in a race, whatever the programs say. Rivals drive Tuto3 itself.
"""

import functools
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

import envs
from envs.rars.places import SENSED
from envs.rars.tracks import public
from jaxgp.fitness.roller import Roller
from jaxgp.games import casting
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.players.driver import fixed_driver
from rivals.plain import rars as plain
from rivals.plain.compiled import build
from rivals.timing import Bench, Case, Job, Times, compile_function, measure

STEPS = 64
"""Steps of one call."""
CAPACITY = 512
SOURCE = Path(__file__).parents[1] / "plain" / "rars.cpp"
LAPS = {1: 173.8937, 2: 170.2945}
"""Laps of Tuto3 on sepang with an exact power cut, which rivals have to drive."""
CARS = 20
"""Cars that the C++ program drives, one after the other, for two laps."""


def jobs(bench: Bench) -> Iterator[Job]:
    """All batches; each is a job."""
    for batch in bench.options.cars:
        yield 1.0, functools.partial(steps, bench, batch)


@functools.cache
def lap() -> tuple[object, np.ndarray, int]:
    """Return the states [N + 1] of a lap, the controls [N, 2] that led from each to the next one, and N."""
    world = envs.make("rars", friction="fixed", laps=None, seconds=170.0)
    hand = fixed_driver(envs.spec("rars"), world, "tuto3")
    roller = Roller(world, hand.driver)
    plans = hand.driver.prepare(jnp.zeros(1, jnp.int32))
    found = jax.device_get(jax.jit(lambda key: roller.record(plans, key))(jax.random.key(0)))
    return found.states, found.controls[:, 0], int(found.steps)


def steps(bench: Bench, batch: int, until: float) -> None:
    """Measure a batch of cars in three ways."""
    options, world = bench.options, envs.make("rars", laps=None, seconds=1e4)
    cast = casting.cast(envs.spec("rars"), world)
    states, controls, count = lap()
    places = np.random.default_rng(options.seed).integers(0, count - STEPS, batch)
    start = jax.tree.map(lambda x: jnp.asarray(np.asarray(x)[places]), states)
    key = jax.random.key(options.seed)
    programs = create(key, cast.language, CreationOptions("ramped", 5, 6), batch, CAPACITY)
    nodes = float(np.asarray(programs.length).mean())
    plans = jax.jit(lambda programs: cast.actor.arrange(cast.actor.prepare(programs)))(programs)
    sense = jax.vmap(lambda state: world.sense(state, jnp.int32(0)))
    advance = jax.vmap(lambda state, given: world.step(state, given[None], key))

    def run(kind: str, start: object, plans: object) -> tuple[Any, Array]:
        def step(n: Array, carry: tuple[object, Array]) -> tuple[object, Array]:
            state, said = carry
            if kind == "with sensors":
                said = sense(state)
            elif kind == "with programs":
                seen, always = sense(state)[:, None], jnp.ones((batch, 1), bool)
                said = cast.actor.control(plans, (), seen, None, always)[0][:, 0]
            return advance(state, jnp.asarray(controls)[places + n]), said

        shape = (batch, 2 if kind == "with programs" else len(SENSED))
        state, said = lax.fori_loop(0, STEPS, step, (start, jnp.zeros(shape)))
        return state.out, said

    cases, took, programs_made = {}, {}, {}
    for kind in ("alone", "with sensors", "with programs"):
        made, took[kind] = compile_function(functools.partial(run, kind), start, plans)
        programs_made[kind] = made
        cases[kind] = Case(functools.partial(made, start, plans), batch * STEPS)
    times = measure(cases, options.repeats, until)

    def lane_bytes(kind: str) -> int:
        """The memory that a call needs for a car beside what it is given."""
        found: Any = programs_made[kind].memory_analysis()
        return round((found.temp_size_in_bytes + found.output_size_in_bytes) / batch)

    plainly = rivals(bench) if batch == max(options.cars) else {}
    for kind, found in times.items():
        sizes = {"cars": batch} | ({"nodes": round(2 * nodes)} if kind == "with programs" else {})
        name = f"steps {kind}"
        bench.report.ours("rars", name, "steps/s", found, sizes, took[kind], lane_bytes=lane_bytes(kind))
        for who, theirs in plainly.get(kind, {}).items():
            bench.report.rival("rars", name, "steps/s", theirs, {"cars": 1}, who=who, ours=found)


def rivals(bench: Bench) -> dict[str, dict[str, Times]]:
    """Return what plain C++ and plain Python take, by the kind of steps and by name; their laps are checked first."""
    found: dict[str, dict[str, Times]] = {"alone": {}, "with sensors": {}}
    if not bench.options.rivals:
        return found
    course = public()["sepang"]
    for kind, rays in (("alone", "0"), ("with sensors", "1")):
        if (program := build(SOURCE)) is None:
            bench.report.skip("rars", f"steps {kind}", "steps/s", {"cars": 1}, who="plain C++", why="there is no g++")
            continue
        start = (course.width, *course.start, course.finish, 1, len(course.segments))
        text = "\n".join(" ".join(map(repr, row)) for row in (start, *course.arcs))
        runs = []
        for _ in range(bench.options.repeats):
            words = [program, "2", str(CARS), rays]
            said = subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout.splitlines()
            _check("plain C++", [float(one) for one in said[:2]])
            runs.append([float(one) for one in said[2].split()])
        found[kind]["plain C++"] = Times(runs[0][0], [run[1] for run in runs], [run[2] for run in runs])
    wall, cpu = time.perf_counter(), time.process_time()
    laps, count = plain.drive(course, 2)
    seconds = [time.perf_counter() - wall], [time.process_time() - cpu]
    _check("plain Python", laps)
    found["alone"]["plain Python"] = Times(count, *seconds)
    return found


def _check(who: str, laps: list[float]) -> None:
    if not np.allclose(laps, list(LAPS.values()), atol=1e-3):
        raise AssertionError(f"{who} drives other laps: {laps}")
