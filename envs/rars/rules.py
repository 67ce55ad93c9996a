"""The Robot Auto Racing Simulator: cars on tracks, driven by an angle and a wheel speed 18 times a second.

Source: RARS 0.91.2 (1995 to 2006), whose recorded runs this world follows. M. Sipper, "Evolved to Win" (2011), chapter
9, evolves its drivers. In each step all drivers perceive and act, then all cars move. How a car moves is in
`envs.rars.physics`, where it is on the track in `envs.rars.places`.

Laps are counted as RARS does: at the finish line, on a straight segment 0 alone, once until the car has left it. The
number of the segment only ever grows. Half of the tracks do not close: segment 0 begins at the place that the file
names, and the car comes there with the place and the velocity that it has.

Left out: the pits, so a race is driven on one load of fuel; and what RARS does with a car that has finished, since a
rollout ends there.
"""

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from flax import struct
from jax import Array

from envs.rars import physics, places, ray, strategies, tracks, traffic
from envs.rars.physics import BROKEN, DT, Forces, Motion
from envs.rars.places import SENSED, at
from envs.rars.tracks import Tables, Track
from jaxgp import arrays
from jaxgp.contracts import Instanced, Measure, Simulation, Starts
from jaxgp.errors import reject
from jaxgp.options import check, option

Friction = Literal["random", "fixed"]
Recovery = Literal["none", "common"]
Heading = Literal["velocity", "nose"]

ROLLING = 20.0
"""Ft/s at the start."""
LOST = 100
"""Steps in a row against the track after which a car is damaged to the limit."""
NEVER = 1000.0
"""Seconds that stand for a race that was not finished, as in figure 9.3 of the source."""
EIGHTHS = 8
"""Parts of a foot that distances are counted in, where they rank: sums of them are exact below 2**21 feet."""


@struct.dataclass
class State:
    """One moment of one race. Arrays are [cars]."""

    car: Motion
    row: Array  # int32: the segment, as a row of the tables
    rounds: Array  # int32: how often it has come to segment 0
    on_line: Array  # bool: it has crossed the finish line and not left segment 0 since
    laps: Array  # int32: crossings of the finish line, minus 1
    crossed: Array  # int32: the step of the last crossing
    lag: Array  # seconds that the last crossing lies before that step
    finished: Array  # seconds from the start, at the finish; 0 before
    last_lap: Array  # seconds; 0 before the first one is complete
    best_lap: Array  # seconds; infinity before the first one is complete
    top_speed: Array  # ft/s
    off_road: Array  # int32: steps off the road
    backward: Array  # int32: steps against the track, without a break
    out: Array  # bool: it has finished, or it is out of the race
    steps: Array  # int32[]
    terminated: Array  # bool[]: all cars are out


@dataclass(frozen=True)
class Rars(Simulation[State], Instanced):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    track: str = option("sepang", "a public track by its name, or a track as RARS keeps it, NAME.trk")
    laps: int | None = option(1, "laps of a race; null: no end but that of `seconds`", low=1, high=1000)
    seconds: float = option(250.0, "after which a race is stopped", low=1, high=1e5, unit="seconds")
    friction: Friction = option(
        "random", "random: it varies from step to step, as in RARS by default; fixed: it does not"
    )
    seed: int | None = option(
        None, "of the random friction, as RARS takes it; null: drawn for each race", low=0, high=2**31 - 1
    )
    surface: int = option(1, "the kind of road, which sets the friction: 0, 1 or 2 in RARS", low=0, high=2)
    fuel: float = option(physics.FUEL, "at the start; its weight slows a car down", low=0.1, high=150, unit="pounds")
    rows: int | None = option(None, "places side by side on the grid; null: as the track has it", low=1, high=100)
    cars: int = option(1, "that start together", low=1, high=64)
    recovery: Recovery = option(
        "none",
        "common: the common routine of RARS drives cars that are off the road, backward or slow; none: nothing does",
    )
    heading: Heading = option(
        "velocity", "the direction in which the way ahead is measured: of the velocity or of the nose"
    )
    damage_price: float = option(
        0.0, "seconds that the quantity `priced` adds for 1000 units of damage", low=0, high=1e4
    )
    off_price: float = option(
        0.0, "seconds that the quantity `priced` adds for each step off the road", low=0, high=1e4
    )

    name: ClassVar[str] = "rars"
    version: ClassVar[str] = "1"
    controls: ClassVar[int] = 2  # type: ignore[misc]
    chance: ClassVar[bool] = False
    quantities: ClassVar[tuple[Measure, ...]] = (  # type: ignore[misc]
        Measure("race", "", "modified race time: finishers by time, before all others by distance", True),
        Measure("priced", "", "the same, less the prices of damage and of steps off the road", True),
        Measure("pace", "", "the same for 1000 ft of the race, to compare tracks of different lengths", True),
        Measure("distance", "ft", "driven, from the finish line along the middle of the road"),
        Measure("time", "s", "of the race, from the start"),
        Measure("finished", "", "1 if the race was finished, else 0"),
        Measure("best_lap", "s", "the fastest lap, from line to line"),
        Measure("laps", "", "that are complete"),
        Measure("damage", "", "at the end; above 30000 a car is out"),
        Measure("off_road", "s", "off the road"),
        Measure("top_speed", "ft/s", "the highest speed"),
    )

    def __post_init__(self) -> None:
        check(self, "game.")
        self.fits(self.course, "game.track")

    def fits(self, course: Track, option: str) -> None:
        """Refuse a track on which no race as the settings want it can be driven; raises UsageError."""
        if self.laps is not None and not course.counts_laps:
            why = f"segment 0 of {course.name} is a curve, where RARS counts no laps"
            reject("game.laps", self.laps, "null", why) if option == "game.track" else reject(
                option, course.name, "tracks that begin with a straight", why
            )
        least = (self.laps or 0) * course.length / physics.FASTEST
        if self.seconds < least:
            laps = f"{self.laps} laps" if self.laps != 1 else "one lap"
            why = f"no car drives {laps} of {course.name} in less"
            reject("game.seconds", self.seconds, f"a number of seconds from {math.ceil(least)}", why)
        if self.cars > course.most_cars:
            why = f"so many stand on the grid of {course.name}"
            reject("game.cars", self.cars, f"a whole number from 1 to {course.most_cars}", why)

    @cached_property
    def course(self) -> Track:
        """The track of the setting; raises UsageError if there is none."""
        return tracks.track(self.track)

    @property
    def courses(self) -> tuple[Track, ...]:
        """All tracks, by the numbers of instances: the public ones, then that of a file."""
        own = () if self.track in tracks.public() else (self.course,)
        return (*tracks.public().values(), *own)

    @property
    def tables(self) -> Tables:
        """The tables of all tracks."""
        return tracks.tables(self.courses)

    @property
    def seats(self) -> int:
        """The cars."""
        return self.cars

    @property
    def starts(self) -> Starts:
        """Whether starts differ: by the seed of the random friction alone."""
        return "drawn" if self.friction == "random" and self.seed is None else "fixed"

    @property
    def horizon(self) -> int:  # type: ignore[override]
        """Steps after which a race is stopped."""
        return math.ceil(self.seconds / DT)

    def init(self, key: Array) -> State:
        """Return the start on the track of the setting."""
        number = self.courses.index(self.course)
        return self.begin(jnp.int32(number), key)

    def begin(self, instance: Array, key: Array) -> State:
        """Return the start on a track, by its number (int32[])."""
        rows, x, y, angle, length = (jnp.asarray(column)[instance] for column in self._grid)
        seed = jnp.uint32(self.seed or 0)
        if self.starts == "drawn":
            seed = jax.random.bits(key, dtype=jnp.uint32)
        return self.start(rows, x, y, angle, length, seed)

    def start(self, row: Array, x: Array, y: Array, angle: Array, lap: Array, seed: Array) -> State:
        """Return the start of cars at places [cars], in the precision of these."""
        zero, none = jnp.zeros_like(x), jnp.zeros(self.cars, jnp.int32)
        vx, vy = ROLLING * jnp.cos(angle), ROLLING * jnp.sin(angle)
        # One number is drawn before the race; all cars draw from one generator, here each from its own.
        seeds = physics.shaken(seed + jnp.arange(self.cars, dtype=jnp.uint32))
        car = Motion(x, y, vx, vy, zero, zero, zero, zero, zero, zero + self.fuel, none, seeds)
        rounds = none - (places.driven(self.tables, row, none, x, y) > lap / 2)
        off, no = none, jnp.zeros(self.cars, bool)
        state = State(
            *(car, row, rounds, no, none - 1, none, zero, zero, zero, zero + jnp.inf, zero, off, none, no),
            steps=jnp.int32(0),
            terminated=jnp.bool_(False),
        )
        return self._watched(state)

    @cached_property
    def _grid(self) -> tuple[np.ndarray, ...]:
        """Row, x, y and angle of each car at the start, [tracks, cars], and the length of a lap, [tracks, cars]."""
        found, first = [], 0
        for course in self.courses:
            rows = self.rows or course.rows
            stand = [course.place(car % course.most_cars, rows) for car in range(self.cars)]
            found.append([(first + number, x, y, angle, course.length) for number, x, y, angle in stand])
            first += len(course.segments)
        table = np.moveaxis(np.array(found), -1, 0)
        return table[0].astype(np.int32), *table[1:].astype(np.float32)

    def sense(self, state: State, seat: Array) -> Array:
        """Return float32[F]: what a car perceives, in the order of `SENSED`."""
        return self.sensed(state)[:, seat]

    def sensed(self, state: State) -> Array:
        """Return float[F, cars]: what each car perceives."""
        t, row, car = self.tables, state.row, state.car
        v = jnp.sqrt(car.vx * car.vx + car.vy * car.vy)
        tx, ty = places.tangent(t, row, car.x, car.y)
        right, width = places.to_right(t, row, car.x, car.y), at(t.width, row, v)
        following = at(t.following, row, v)
        after = at(t.following, following, v)
        c, s = self.looking(state)
        far, angle = ray.ahead(self.courses, row, car.x, car.y, c, s)
        found = {
            "cur_rad": at(t.inner, row, v),
            "nex_rad": at(t.inner, following, v),
            "to_end": places.to_end(t, row, car.x, car.y),
            "nex_len": at(t.extent, following, v),
            "v": v,
            "vn": tx * car.vy - ty * car.vx,
            "to_lft": width - right,
            "to_rgt": right,
            "width": width,
            "ahead": far,
            "ahead_angle": angle,
            "cur_len": at(t.extent, row, v),
            "after_rad": at(t.inner, after, v),
            "after_len": at(t.extent, after, v),
            "alpha": car.alpha,
            "backward": (tx * car.vx + ty * car.vy < 0).astype(v.dtype),
            "distance": self.distance(state),
        }
        return jnp.stack([found[name] for name in SENSED])

    def looking(self, state: State) -> tuple[Array, Array]:
        """Return the direction in which each car looks ahead, in the frame of its segment: float[cars], twice."""
        car = state.car
        v = jnp.sqrt(car.vx * car.vx + car.vy * car.vy)
        tx, ty = places.tangent(self.tables, state.row, car.x, car.y)
        still = v < 1e-4  # a car that stands looks along the road
        c, s = (jnp.where(still, road, part / jnp.where(still, 1, v)) for road, part in ((tx, car.vx), (ty, car.vy)))
        if self.heading == "nose":
            sin = jnp.sin(car.alpha)
            cos = jnp.sqrt(1 - sin * sin)
            c, s = c * cos - s * sin, s * cos + c * sin
        return c, s

    def off(self, state: State) -> Array:
        """Return int32[cars]: 0 on the road, 1 off the road, 2 farther off than its width."""
        right = places.to_right(self.tables, state.row, state.car.x, state.car.y)
        width = at(self.tables.width, state.row, right)
        out = jnp.maximum(-right, right - width)
        return (out > 0).astype(jnp.int32) + (out > width)

    def step(self, state: State, controls: Array, key: Array) -> State:
        """Move all cars by a step under the angle of the nose and the speed of the wheels that each one asks for."""
        del key
        after, _ = self.advance(state, controls[:, 0], controls[:, 1])
        return arrays.where(state.terminated, state, after)

    def advance(self, state: State, alpha: Array, speed: Array, cut: Array | None = None) -> tuple[State, Forces]:
        """Move all cars that are in the race by a step; also return what their wheels did.

        Args:
            state: before the step.
            alpha: float[cars], the angle of the nose that each car asks for, radians.
            speed: float[cars], the speed of the wheels that it asks for, ft/s.
            cut: see `envs.rars.physics.move`.
        """
        off = self.off(state)
        if self.recovery == "common":
            alpha, speed = self._recovered(state, alpha, speed)
        draught: Array | float = 1.0
        if self.cars > 1:
            draught = traffic.draughts(*self._on_map(state.row, state.car), ~state.out)
        rough = self.friction == "random"
        car, forces = physics.move(self.surface, rough, state.car, alpha, speed, off, draught, cut)
        if self.cars > 1:
            car = self._collided(state.row, car, ~state.out)
        moved = dataclasses.replace(
            state,
            car=arrays.where(state.out, state.car, car),
            off_road=state.off_road + ((off > 0) & ~state.out),
            steps=state.steps + 1,
        )
        return self._watched(moved), forces

    def _on_map(self, row: Array, car: Motion) -> tuple[Array, Array, Array, Array]:
        """Return x, y and the velocities of cars in the coordinates of the track."""
        t = self.tables
        cos, sin = jnp.cos(at(t.angle, row, car.x)), jnp.sin(at(t.angle, row, car.x))
        x, y = at(t.x, row, car.x) + car.x * cos - car.y * sin, at(t.y, row, car.x) + car.y * cos + car.x * sin
        return x, y, car.vx * cos - car.vy * sin, car.vy * cos + car.vx * sin

    def _collided(self, row: Array, car: Motion, racing: Array) -> Motion:
        """Return cars after what they did to each other."""
        x, y, vx, vy = self._on_map(row, car)
        v, sin = jnp.maximum(jnp.hypot(vx, vy), 1e-3), jnp.sin(car.alpha)
        cos = jnp.sqrt(1 - sin * sin)
        nose = (vx * cos - vy * sin) / v, (vy * cos + vx * sin) / v
        mass = physics.MASS + car.fuel / physics.GRAVITY
        hits = traffic.collisions(x, y, vx, vy, nose, mass, racing)
        angle = at(self.tables.angle, row, car.x)
        c, s = jnp.cos(angle), jnp.sin(angle)
        dx, dy = hits.vx * c + hits.vy * s, hits.vy * c - hits.vx * s
        # The integrator goes on from a velocity that has changed at once.
        return dataclasses.replace(
            car,
            vx=car.vx + dx,
            vy=car.vy + dy,
            wx=car.wx + dx,
            wy=car.wy + dy,
            damage=car.damage + hits.damage,
        )

    def _recovered(self, state: State, alpha: Array, speed: Array) -> tuple[Array, Array]:
        car, row = state.car, state.row
        v = jnp.sqrt(car.vx * car.vx + car.vy * car.vy)
        tx, ty = places.tangent(self.tables, row, car.x, car.y)
        right = places.to_right(self.tables, row, car.x, car.y)
        left, backward = at(self.tables.width, row, v) - right, tx * car.vx + ty * car.vy < 0
        return strategies.recovered(alpha, speed, v, tx * car.vy - ty * car.vx, left, right, backward)

    def _watched(self, state: State) -> State:
        """Return the state with what RARS notices of cars before drivers perceive: segments, laps, the direction."""
        t, racing = self.tables, ~state.out
        state = self._timed(state)
        row, car, more = places.follow(t, state.row, state.car)
        state = dataclasses.replace(state, row=row, car=car, rounds=state.rounds + more)
        # A car that leaves segment 0 was watched there before; one that comes to it is watched now.
        state = self._timed(dataclasses.replace(state, on_line=state.on_line & (at(t.number, row, car.x) == 0)))
        tx, ty = places.tangent(t, row, car.x, car.y)
        backward = jnp.where(tx * car.vx + ty * car.vy < 0, state.backward + 1, 0)
        damage = jnp.where(racing & (backward >= LOST), jnp.maximum(car.damage, BROKEN), car.damage)
        speed = jnp.sqrt(car.vx * car.vx + car.vy * car.vy)
        out = state.out | (damage > BROKEN) | (car.fuel <= 0) | (state.finished > 0)
        return dataclasses.replace(
            state,
            car=dataclasses.replace(car, damage=damage),
            top_speed=jnp.maximum(state.top_speed, jnp.where(racing, speed, 0)),
            backward=backward,
            out=out,
            terminated=out.all(),
        )

    def _timed(self, state: State) -> State:
        """Return the state after the crossing of the finish line, where there is one."""
        car = state.car
        over = car.x - at(self.tables.line, state.row, car.x)
        crosses = (over > 0) & ~state.on_line & ~state.out
        lag = over / jnp.where(crosses, car.vx, 1)
        laps = state.laps + crosses
        lap = (state.steps - state.crossed) * jnp.asarray(DT, car.x.dtype) + state.lag - lag
        complete = crosses & (laps > 0)
        done = complete & (laps == self.laps) if self.laps is not None else jnp.zeros_like(complete)
        return dataclasses.replace(
            state,
            on_line=state.on_line | crosses,
            laps=laps,
            crossed=jnp.where(crosses, state.steps, state.crossed),
            lag=jnp.where(crosses, lag, state.lag),
            finished=jnp.where(done, state.steps * jnp.asarray(DT, car.x.dtype) - lag, state.finished),
            last_lap=jnp.where(complete, lap, state.last_lap),
            best_lap=jnp.where(complete, jnp.minimum(lap, state.best_lap), state.best_lap),
        )

    def distance(self, state: State) -> Array:
        """Return float[cars]: feet from the finish line, at first below 0."""
        return places.driven(self.tables, state.row, state.rounds, state.car.x, state.car.y)

    def measures(self, state: State) -> Array:
        """Return float32[cars, Q]: the `quantities`."""
        distance, finished = self.distance(state), state.finished > 0
        lap = at(self.tables.lap, state.row, distance)
        race = self.ranked(distance, state.finished, lap)
        prices = self.damage_price / 1000 * state.car.damage + self.off_price * state.off_road
        found = {
            "race": race,
            "priced": race - prices,
            "pace": race / ((self.laps or 1) * lap / 1000),
            "distance": distance,
            "time": jnp.where(finished, state.finished, jnp.nan),
            "finished": finished,
            "best_lap": jnp.where(jnp.isfinite(state.best_lap), state.best_lap, jnp.nan),
            "laps": jnp.maximum(state.laps, 0),
            "damage": state.car.damage,
            "off_road": DT * state.off_road,
            "top_speed": state.top_speed,
        }
        return jnp.stack([found[one.name].astype(jnp.float32) for one in self.quantities], -1)

    def ranked(self, distance: Array, finished: Array, lap: Array) -> Array:
        """Return the modified race time as a number of which more is better, float32.

        Minus the seconds of those that have finished; of the others minus a greater number and the feet that they lack.
        Distances count in eighths of a foot, so that all sums below 2**21 feet are exact, and no two of them become one
        number. The sums of longer races are rounded as float32 is: from there on to a quarter of a foot, from 2**24
        feet on to 2 feet. Cars no further apart may become equal, but none gets before another one. Races without an
        end are ranked by distance.

        Args:
            distance: feet from the finish line.
            finished: seconds, 0 of those that have not finished.
            lap: feet.
        """
        counted = jnp.floor(distance * EIGHTHS) / EIGHTHS
        if self.laps is None:
            return counted
        whole = jnp.ceil(self.laps * lap * EIGHTHS) / EIGHTHS
        lacks = math.ceil(max(NEVER, self.horizon * DT)) + jnp.maximum(whole - counted, 0)
        return -jnp.where(finished > 0, finished, lacks)

    def score(self, state: State) -> Array:
        """Return float32[cars]: the feet driven."""
        return self.distance(state).astype(jnp.float32)


GAME = Rars
