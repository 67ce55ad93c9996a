"""Recorded runs of RARS 0.91.2, and the same runs by the rules here, in double precision."""

import csv
import gzip
import os
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.rars import physics
from envs.rars.places import SENSED, at
from envs.rars.rules import Rars

EXCERPT = Path(__file__).with_name("v01_Vector_nr7.csv")
"""The first 150 steps of the driver Vector on v01 with the random friction of seed 7, recorded from RARS 0.91.2."""
STATE = ("x", "y", "xdot", "ydot", "alpha", "vc", "power_req", "power", "tan_a", "cen_a", "fuel")
EXACT = ("damage", "seg", "off", "laps")


class Trace(NamedTuple):
    """A run that was recorded."""

    track: str
    seed: int | None
    columns: dict[str, np.ndarray]


def shared() -> list[Path]:
    """Return the files of whole runs; skip the test where they are not at hand."""
    folder = Path(os.environ.get("JAXGP_SHARED", "nowhere")) / "data" / "rars" / "traces"
    if not folder.is_dir():
        pytest.skip("whole recorded runs are not at hand: JAXGP_SHARED names the folder that has them")
    return sorted(folder.glob("*.csv.gz"))


def read(path: Path) -> Trace:
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    rows = list(csv.DictReader(text.decode().splitlines()))
    track, _, mode = path.name.split(".")[0].rsplit("_", 2)
    columns = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
    return Trace(track, None if mode == "nR" else int(mode[2:]), columns)


def replayed(traces: list[Trace]) -> list[dict[str, np.ndarray]]:
    """Return what the rules make of the requests of drivers, step by step, in the columns of the traces.

    All traces have random friction, or none has. Of the traces only the requests are used, the load of fuel, which a
    driver chooses in its first step, and the wheel speed where power was cut.
    """
    rough = traces[0].seed is not None
    longest = max(len(trace.columns["t"]) for trace in traces)
    feed = np.zeros((longest, len(traces), 3))
    for n, trace in enumerate(traces):
        asked = np.stack([trace.columns[name] for name in ("req_alpha", "req_vc", "vc")], 1)
        feed[: len(asked), n] = asked
    with jax.enable_x64(True):
        world = Rars(laps=None, seconds=1e5, rows=1, friction="random" if rough else "fixed")
        begun, drive = _drive(world)
        start = jax.jit(jax.vmap(begun))(
            *map(jnp.asarray, zip(*(_start(world, trace) for trace in traces), strict=True))
        )
        _, found = jax.jit(lambda start, feed: jax.lax.scan(jax.vmap(drive), start, feed))(start, feed)
        found = jax.tree.map(np.asarray, found)
    lengths = [len(trace.columns["t"]) for trace in traces]
    return [{name: x[:length, n] for name, x in found.items()} for n, length in enumerate(lengths)]


def _start(world, trace):
    courses = [course.name for course in world.courses]
    place = courses.index(trace.track)
    first = sum(len(course.segments) for course in world.courses[:place])
    number, x, y, angle = world.courses[place].place(0, 1)
    burnt = max(trace.columns["power"][0], 0) * physics.POWER * physics.CONSUMPTION * physics.DT
    load = trace.columns["fuel"][0] + burnt
    return np.int32(first + number), x, y, angle, world.courses[place].length, np.uint32(trace.seed or 0), load


def _drive(world):
    tables = world.tables

    def begun(row, x, y, angle, lap, seed, load):
        state = world.start(row[None], x[None], y[None], angle[None], lap[None], seed)
        return state.replace(car=state.car.replace(fuel=load[None]))

    def drive(state, asked):
        after, forces = world.advance(state, *(one[None] for one in asked))
        car, row = after.car, after.row
        angle = at(tables.angle, row, car.x)
        cos, sin = jnp.cos(angle), jnp.sin(angle)
        columns = {
            "x": at(tables.x, row, car.x) + car.x * cos - car.y * sin,
            "y": at(tables.y, row, car.x) + car.y * cos + car.x * sin,
            "xdot": car.vx * cos - car.vy * sin,
            "ydot": car.vy * cos + car.vx * sin,
            "alpha": car.alpha,
            "vc": forces.speed,
            "computed": forces.computed,
            "power_req": forces.wanted,
            "power": forces.power,
            "tan_a": forces.along,
            "cen_a": forces.across,
            "fuel": car.fuel,
            "damage": car.damage,
            "seg": at(tables.number, state.row, car.x),
            "off": world.off(state),
            "laps": state.laps,
            "distance": world.distance(state) % at(tables.lap, row, car.x),
            "last_lap": after.last_lap,
            "out": state.out,
        }
        columns |= {name: value for name, value in zip(SENSED, world.sensed(state), strict=True) if name not in columns}
        return after, {name: value[0] for name, value in columns.items()}

    return begun, drive


def differences(trace: Trace, found: dict[str, np.ndarray]) -> list[str]:
    """Return what differs from the recorded run, up to the step in which the car is out of the race."""
    racing = ~found["out"]
    wrong = []
    for name in (*STATE, *EXACT, *(set(SENSED) & set(trace.columns) - {"alpha"})):
        apart = np.abs(found[name] - trace.columns[name])[racing]
        limit = 0 if name in EXACT else 1e-5
        if not (apart <= limit).all():
            wrong.append(f"{name}: step {np.argmax(~(apart <= limit))}, up to {apart.max():.3g}")
    if not (np.abs(found["computed"] - trace.columns["vc"])[racing] <= 0.006).all():
        wrong.append("the power cut")
    return wrong
