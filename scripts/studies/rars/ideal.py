"""Find the fastest first laps that a car can drive, by gradients: a line and speeds, then the laps of the simulator.

python scripts/studies/rars/ideal.py tracks=[sepang,oval2] table=docs/data/rars_ideal.csv
python scripts/studies/rars/ideal.py tracks=[v01] starts=8 seed=1 controls=docs/data/rars_controls.csv

First the line is improved in a model (`envs.rars.paths.line`), from several starts. Then a controller follows it in the
simulator, which is differentiated: the line, the speeds and the controller are improved together. Friction is fixed.
What the controller asked for in the fastest lap is driven again by the simulator alone, without gradients: that lap
counts, if the car was never off the road.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if __name__ == "__main__":
    from jaxgp import terminal

    terminal.quiet()

import csv
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array, lax

from envs.rars import physics, places, tracks
from envs.rars.paths import follower
from envs.rars.paths.follower import GAINS, Place, Plan, plan, stations
from envs.rars.paths.line import Road, line, road, seconds, speeds, splines
from envs.rars.rules import Rars
from envs.rars.tracks import Tables
from jaxgp import files
from jaxgp.config import arguments
from jaxgp.errors import reject
from jaxgp.fitness.roller import simulate
from jaxgp.options import MAX_COUNT, MAX_SEED, option

COLUMNS = (
    *("track", "seconds", "model", "damage", "off_road", "starts", "model_steps", "lap_steps", "cpu_seconds", "seed"),
)
"""The columns of the table: `seconds` of the lap in the simulator, `model` those that the model expected."""
GRIP = 0.994
"""The share of the friction that the model uses: all of it would need wheels that slip without a limit."""
LEVELS = (480.0, 240.0, 120.0, 60.0, 30.0, 15.0)
"""Feet between the knots of splines. A line is the sum of one of each: long bends are found as fast as short ones."""
GRID = 3
"""Splines that reach the grid, where the car stands at the beginning; they are left out."""


@dataclass
class Options:
    """Which tracks, and how long."""

    tracks: list[str] = option(["sepang"], "public tracks by their names")
    spacing: float = option(5.0, "feet between the stations of a line", low=2, high=100)
    margin: float = option(0.4, "feet that a line keeps from the walls", low=0, high=10)
    starts: int = option(2, "lines that the model begins with", low=1, high=64)
    model_steps: int = option(1000, "steps of the optimiser in the model", low=0, high=MAX_COUNT)
    lap_steps: int = option(300, "steps of the optimiser in the simulator", low=0, high=MAX_COUNT)
    seed: int = option(0, "of the lines that the model begins with", low=0, high=MAX_SEED)
    lines: str | None = option(
        None, "a folder that keeps the lines of the model, so that the same command goes on from them", path=True
    )
    table: str | None = option(None, "a CSV file that gets a row for each track", path=True)
    controls: str | None = option(None, "a CSV file that gets what the driver asked for, step by step", path=True)

    def laws(self, prefix: str) -> None:
        """Refuse tracks that are not there, or without laps; raises UsageError."""
        for name in self.tracks:
            course = tracks.track(name, f"{prefix}tracks")
            if not course.counts_laps:
                reject(f"{prefix}tracks", name, "tracks on which laps are counted")


# The line in the model


def model(course: tracks.Track, options: Options) -> tuple[Road, np.ndarray, float]:
    """Return the stations of a track, the offsets of the fastest line found there, float32[N], and its seconds."""
    way = road(course, options.spacing)
    room = way.half - options.margin
    levels = [splines(way, one)[:, GRID:] for one in LEVELS if one < course.length / 6]
    basis, wide = np.concatenate(levels, 1), sum(one.shape[1] for one in levels[:2])

    def offsets(knots: Array) -> Array:
        return _kept(way.grid + basis @ knots, -room - way.bent, room - way.bent)

    def bends(knots: Array) -> Array:
        made = line(way, offsets(knots))
        return 1e4 * (made.bend**2 * made.step)[: way.last + 1].sum()

    def took(knots: Array) -> Array:
        made = line(way, offsets(knots))
        return seconds(way, made, speeds(made, GRIP)[1])

    # The first line bends as little as it can; the others are random.
    straight, _ = _improved(bends, jnp.zeros((1, basis.shape[1])), 400, 1.0)
    drawn = 0.6 * room * jax.random.normal(jax.random.key(options.seed), (options.starts, basis.shape[1]))
    knots = jnp.where(np.arange(basis.shape[1]) < wide, drawn, 0).at[0].set(straight[0])
    knots, times = _improved(took, knots, options.model_steps, 0.15)
    arguments.say(f"{course.name}: lines of {', '.join(f'{one:.2f}' for one in times)} s")
    best = int(np.argmin(times))
    return way, np.asarray(offsets(knots[best])), float(times[best])


@jax.custom_vjp
def _kept(x: Array, low: Array, high: Array) -> Array:
    """Return x within bounds; its gradient is that of x, except where it leads out of the bounds."""
    return jnp.clip(x, low, high)


def _kept_forward(x: Array, low: Array, high: Array) -> tuple[Array, tuple[Array, Array, Array]]:
    return _kept(x, low, high), (x, low, high)


def _kept_backward(given: tuple[Array, Array, Array], slope: Array) -> tuple[Array, Array, Array]:
    x, low, high = given
    out = ((x > high) & (slope < 0)) | ((x < low) & (slope > 0))
    return jnp.where(out, 0, slope), jnp.zeros_like(low), jnp.zeros_like(high)


_kept.defvjp(_kept_forward, _kept_backward)


def modelled(course: tracks.Track, options: Options) -> tuple[Road, np.ndarray, float]:
    """Return what `model` does, from the folder of lines if it is there."""
    if options.lines is None:
        return model(course, options)
    told = f"{course.name}_{options.spacing:g}_{options.margin:g}_{options.starts}_{options.model_steps}_{options.seed}"
    path = files.make_directory(files.user_path("lines", options.lines), "lines") / f"{told}.npy"
    if path.exists():
        kept = np.load(path, allow_pickle=False)
        return road(course, options.spacing), kept[1:].astype(np.float32), float(kept[0])
    way, offsets, expected = model(course, options)
    np.save(path, np.concatenate([[expected], offsets.astype(float)]))
    return way, offsets, expected


def _improved(cost: Any, knots: Array, steps: int, rate: float) -> tuple[Array, np.ndarray]:
    """Return the best knots on the way of an optimiser, [S, K], and their costs, [S]."""
    optimiser = optax.adam(optax.cosine_decay_schedule(rate, steps, 0.02), b2=0.99)
    both = jax.vmap(jax.value_and_grad(cost))

    def step(carry: Any, _: None) -> tuple[Any, None]:
        knots, state, best, least = carry
        value, slope = both(knots)
        better = value < least
        best, least = jnp.where(better[:, None], knots, best), jnp.where(better, value, least)
        change, state = optimiser.update(jnp.nan_to_num(slope), state)
        return (optax.apply_updates(knots, change), state, best, least), None

    def run(knots: Array) -> tuple[Array, Array]:
        begun = knots, optimiser.init(knots), knots, jnp.full(len(knots), jnp.inf)
        (_, _, best, least), _ = lax.scan(step, begun, None, steps)
        return best, least

    best, least = jax.jit(run)(knots)
    return best, np.asarray(least)


# The lap in the simulator


class Wanted(NamedTuple):
    """What is improved in the simulator."""

    aside: Array  # knots of what is added to the line of the model, feet
    faster: Array  # knots of the logarithm of the speeds, over those of the model
    gains: Array  # of the controller, as `GAINS`


class Drive(NamedTuple):
    """A car on its way: what of the state of a race a lap needs."""

    row: Array
    car: physics.Motion
    rounds: Array


NEAR = 0.25
"""Feet from the walls; whoever comes nearer pays."""


def planned(way: Road, offsets: np.ndarray, wide: np.ndarray, wanted: Wanted) -> Plan:
    """Return what the controller follows."""
    return plan(line(way, offsets + wide @ wanted.aside), wanted.gains, jnp.dot(wide, wanted.faster))


def controls(world: Rars, way: Road, grid: np.ndarray, plan: Plan, drive: Drive) -> tuple[Array, Array]:
    """Return the angle and the speed of the wheels that follow a line, and the feet from the finish line."""
    t, (row, car, rounds) = world.tables, drive
    v = jnp.sqrt(car.vx * car.vx + car.vy * car.vy)
    tx, ty = places.tangent(t, row, car.x, car.y)
    beside = places.to_right(t, row, car.x, car.y) - way.half
    distance = places.driven(t, row, rounds, car.x, car.y)
    here = Place(distance, beside, v, tx * car.vy - ty * car.vx)
    return follower.controls(way, grid, plan, here, physics.MASS + car.fuel / physics.GRAVITY), distance


def begin(world: Rars, course: tracks.Track) -> Drive:
    """Return the car on the grid."""
    state = world.init(jax.random.key(0))
    return Drive(state.row[0], jax.tree.map(lambda x: x[0], state.car), state.rounds[0])


def advance(tables: Tables, surface: int, drive: Drive, asked: Array) -> Drive:
    """Move a car on the road by a step, as the simulator does, without a loop that has no gradient."""
    car, _ = physics.move(surface, False, drive.car, asked[0], asked[1], jnp.int32(0))
    row, rounds = drive.row, drive.rounds
    for _ in range(2):  # a car passes no more segments in a step
        row, car, more = places.enter(tables, row, car, jnp.zeros_like(rounds))
        rounds = rounds + more
    return Drive(row, car, rounds)


class Lap(NamedTuple):
    """A lap of the controller."""

    seconds: Array
    outside: Array  # squared feet, summed over the steps: what the car was nearer to the walls than allowed
    asked: Array  # float32[steps, 2]


def lap(world: Rars, course: tracks.Track, way: Road, grid: np.ndarray, steps: int, margin: float, plan: Plan) -> Lap:
    """Drive a lap."""

    def step(drive: Drive, _: None) -> tuple[Drive, tuple[Array, ...]]:
        asked, distance = controls(world, way, grid, plan, drive)
        right = places.to_right(world.tables, drive.row, drive.car.x, drive.car.y)
        near = jnp.maximum(margin - jnp.minimum(right, 2 * way.half - right), 0.0)
        done = distance > course.length
        after = jax.tree.map(lambda new, old: jnp.where(done, old, new), advance(world.tables, 1, drive, asked), drive)
        vx = jnp.maximum(drive.car.vx, 1.0)
        return after, (asked, jnp.where(done, 0, near * near), done, (distance - course.length) / vx, distance)

    _, (asked, near, done, lag, distance) = lax.scan(step, begin(world, course), None, steps)
    first = jnp.argmax(done)
    finished = first * physics.DT - lag[first]
    # Who does not come so far is told to.
    lost = steps * physics.DT + (course.length - distance[-1]) / 50
    return Lap(jnp.where(done.any(), finished, lost), near.sum(), asked)


def polish(
    world: Rars, course: tracks.Track, way: Road, offsets: np.ndarray, expected: float, options: Options
) -> np.ndarray:
    """Return the controls, float32[N, 2], of the fastest lap on the road."""
    wide = splines(way, min(30.0, course.length / 48))
    grid, steps = stations(way), int(1.06 * expected / physics.DT) + 20
    none = jnp.zeros(wide.shape[1])
    begun = Wanted(none, none, jnp.asarray(GAINS))
    rates = Wanted(jnp.float32(0.005), jnp.float32(0.001), jnp.asarray([0.004, 0.01, 0.01, 0.01, 0.0001], jnp.float32))

    def driven(wanted: Wanted) -> Lap:
        return lap(world, course, way, grid, steps, NEAR, planned(way, offsets, wide, wanted))

    def cost(wanted: Wanted) -> tuple[Array, Lap]:
        found = driven(wanted)
        return found.seconds + 0.5 * found.outside, found

    schedule = optax.cosine_decay_schedule(1.0, options.lap_steps, 0.05)
    optimiser = optax.chain(optax.clip_by_global_norm(10.0), optax.scale_by_adam(b1=0.9, b2=0.99))

    @jax.jit
    def step(wanted: Wanted, state: Any, number: Array) -> tuple[Any, ...]:
        (_, found), slope = jax.value_and_grad(cost, has_aux=True)(wanted)
        slope = jax.tree.map(jnp.nan_to_num, slope)
        change, state = optimiser.update(slope, state)
        moved = jax.tree.map(lambda x, by, rate: x - schedule(number) * rate * by, wanted, change, rates)
        gains = jnp.clip(
            moved.gains, jnp.asarray([0.5, 0.5, 0.5, 1.0, 0.9]), jnp.asarray([3.0, 12.0, 12.0, 15.0, 0.997])
        )
        return Wanted(moved.aside, moved.faster, gains), state, found

    wanted, state = begun, optimiser.init(begun)
    best, least = None, float("inf")
    for number in range(options.lap_steps):
        wanted, state, found = step(wanted, state, jnp.float32(number))
        took, outside = float(found.seconds), float(found.outside)
        # Below this it was on the road in every step.
        if outside < NEAR**2 and took < least:
            best, least = np.asarray(found.asked), took
        if number % 50 == 0 or number == options.lap_steps - 1:
            arguments.say(f"{course.name}: step {number}: {took:.3f} s, outside {outside:.3f}, best {least:.3f} s")
    if best is None:
        reject("tracks", course.name, "a track on which the controller stays on the road")
    return best


def replay(world: Rars, asked: np.ndarray) -> dict[str, float]:
    """Return what the simulator measures of a lap with these controls."""
    states = jax.jit(lambda given: simulate(world, jax.random.key(0), given))(jnp.asarray(asked)[:, None])
    last = jax.tree.map(lambda x: x[-1], states)
    names = [one.name for one in world.quantities]
    return dict(zip(names, np.asarray(world.measures(last))[0].tolist(), strict=True))


def task(options: Options) -> int:
    """Find the laps, and write them."""
    for name in options.tracks:
        began = time.process_time()
        world = Rars(track=name, friction="fixed", seconds=1000.0)
        course = world.course
        way, offsets, expected = modelled(course, options)
        asked = polish(world, course, way, offsets, expected, options)
        found = replay(world, asked)
        cells = {
            "track": name,
            "seconds": f"{found['time']:.3f}",
            "model": f"{expected:.3f}",
            "damage": f"{found['damage']:.0f}",
            "off_road": f"{found['off_road']:.3f}",
            "starts": options.starts,
            "model_steps": options.model_steps,
            "lap_steps": options.lap_steps,
            "cpu_seconds": f"{time.process_time() - began:.0f}",
            "seed": options.seed,
        }
        print(", ".join(f"{key} {value}" for key, value in cells.items()), flush=True)
        if options.table:
            _add(files.user_path("table", options.table), COLUMNS, [[cells[key] for key in COLUMNS]])
        if options.controls:
            rows = [[name, number, f"{a:.9g}", f"{b:.9g}"] for number, (a, b) in enumerate(asked.tolist())]
            _add(files.user_path("controls", options.controls), ("track", "step", "alpha", "speed"), rows)
    return 0


def _add(path: Path, columns: tuple[str, ...], rows: list[list[Any]]) -> None:
    """Add rows to a CSV file, which begins with its columns."""
    begun = path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not begun:
            writer.writerow(columns)
        writer.writerows(rows)


if __name__ == "__main__":
    terminal.leave(arguments.main(Options, task, __doc__))
