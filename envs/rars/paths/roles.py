"""How genomes plan: a vector of numbers that is a path, and a program of two trees that follows a path.

Source: M. Sipper, "Evolved to Win" (2011), section 12.2, proposes both and has made neither. A driver that plans knows
its track before the race, so its times are no times of a reactive one. It knows one track: on others its path means
nothing.
"""

import math
import zlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.rars.language import LENGTH, SPEED, Options, Racer, decide, primitive_set
from envs.rars.language import view as reactive
from envs.rars.paths import follower
from envs.rars.paths.follower import GAINS, Place, Plan, looked_up
from envs.rars.paths.line import MASS, Road, line, road, splines
from envs.rars.places import SENSED
from envs.rars.rules import Rars
from envs.rars.tracks import Track
from jaxgp import files, reading
from jaxgp.contracts import Driver
from jaxgp.errors import reason, reject
from jaxgp.genotypes import language as languages
from jaxgp.genotypes.primitives import Floats, Primitive, PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.options import option
from jaxgp.spec import Role

SPACING = 15.0
"""Feet between the stations of a path."""
LEVELS = (480.0, 240.0, 120.0)
"""Feet between the knots of splines. A path is the sum of one of each: long bends are found as fast as short ones."""
REACHES = (2.0, 1.0, 0.5)
"""How far a knot of each spline may lead, in rooms: half the width of the road, less the margin."""
GRID = 3
"""Splines that reach the grid, where the car stands at the beginning; they are left out."""
MARGIN = 0.5
"""Feet that a path keeps from the walls."""
TUNED = np.array([0.5, 0.5, 0.5, 0.5, 0.02], np.float32)
"""How far the last five numbers of a path lead the gains of the controller from `GAINS`, as shares of them."""
SOON = 0.5
"""Seconds that a program looks ahead along its path."""
INDICATORS = ("PO", "PA", "PC", "PV", "PN", "PW")
"""How far the path lies to the left of the car, in widths of the road; its angle to the left of the velocity, radians;
its curvature, above 0 to the left, times 400 ft; the speed that it allows, in 100 ft/s; both in half a second."""
FOLDER = Path(__file__).parent


class Basis(NamedTuple):
    """What paths of a track are made of."""

    way: Road
    grid: np.ndarray  # int32: see `envs.rars.paths.follower.stations`
    room: float  # feet from the middle that a path may be
    splines: np.ndarray  # float32[N, K]: feet at the stations for each number of a path


@cache
def basis(course: Track) -> Basis:
    """Return what paths of a track are made of."""
    way = road(course, SPACING)
    room = way.half - MARGIN
    levels = [
        reach * room * splines(way, one)[:, GRID:]
        for one, reach in zip(LEVELS, REACHES, strict=True)
        if one < course.length / 6
    ]
    return Basis(way, follower.stations(way), room, np.concatenate(levels, 1))


def plan(course: Track, numbers: Array) -> Plan:
    """Return the path that numbers, float32[K + 5], are on a track, and the gains of the controller."""
    it = basis(course)
    knots, tuned = numbers[: -len(GAINS)], numbers[-len(GAINS) :]
    offsets = jnp.clip(it.way.grid + jnp.dot(it.splines, knots), -it.room - it.way.bent, it.room - it.way.bent)
    return follower.plan(line(it.way, offsets), jnp.asarray(GAINS) * (1 + TUNED * tuned))


def place(course: Track, sensed: Array) -> Place:
    """Return where a car is, from what it perceives, float32[F, ...]."""
    s = dict(zip(SENSED, sensed, strict=True))
    return Place(s["distance"], s["to_rgt"] - course.width / 2, s["v"], s["vn"])


# Paths


@dataclass(frozen=True)
class PathOptions:
    """A path has no options."""


@dataclass(frozen=True)
class Planner(Driver[Plan, tuple[()]]):
    """A controller by hand, on paths that are genomes.

    Attributes:
        course: their track.
    """

    course: Track

    random = False

    def prepare(self, programs: Programs, /) -> Plan:
        """Return the paths of genomes [P, K, 1], with the speeds that they allow."""
        return jax.vmap(lambda numbers: plan(self.course, numbers))(programs.value[:, :, 0])

    def start(self, plans: Plan, rollouts: int, /) -> tuple[()]:
        """Return the memory, which is empty."""
        del plans, rollouts
        return ()

    def control(
        self, plans: Plan, memory: tuple[()], sensed: Array, bits: Array, active: Array, /
    ) -> tuple[Array, tuple[()]]:
        """Return float32[P, M, 2] controls of P paths whose cars perceive float32[P, M, F], and the empty memory."""
        del bits, active
        it = basis(self.course)

        def one(plan: Plan, seen: Array) -> Array:
            return follower.controls(it.way, it.grid, plan, place(self.course, seen), MASS)

        return jax.vmap(jax.vmap(one, (None, 0)))(plans, sensed), memory


@cache
def path_set(course: Track) -> PrimitiveSet:
    """Return the set of vectors that are paths of a track."""
    numbers = [
        Primitive(f"K{n}", returns=f"k{n}", domain=Floats(-1.0, 1.0), python="{value}", latex="{value}")
        for n in range(basis(course).splines.shape[1] + len(GAINS))
    ]
    name = f"rars-path-{course.name}-{math.floor(course.length)}"
    return PrimitiveSet(name, tuple(numbers), (), roots=tuple(one.returns for one in numbers))


def path(game: Rars, options: PathOptions) -> tuple[PrimitiveSet, Planner]:
    """Return the set that paths are written in, and how they drive."""
    del options
    return path_set(game.course), Planner(game.course)


# Programs that follow a path


@dataclass(frozen=True)
class FollowOptions(Options):
    """How a program perceives the road, and which path it follows."""

    path: str | None = option(
        None,
        "the text of a champion with program.role=path on this track, from export.py; null: one that comes with jaxgp",
        path=True,
    )


@dataclass(frozen=True)
class Follower(Racer):
    """Programs that perceive a path besides.

    Attributes:
        course: the track.
        numbers: the path, as `plan` takes it.
    """

    course: Track = field(kw_only=True)
    numbers: tuple[float, ...] = field(kw_only=True)

    def view(self, sensed: Array) -> Array:
        """Return float32[11 + 6, ...]: the terminals of table 9.1, then `INDICATORS`."""
        it, here = basis(self.course), place(self.course, sensed)
        table = jnp.asarray(_table(self.course, self.numbers))
        now = jnp.moveaxis(looked_up(it.way, it.grid, table, here.distance), -1, 0)
        soon = jnp.moveaxis(looked_up(it.way, it.grid, table, here.distance + SOON * here.v), -1, 0)
        found = {
            "PO": (now[0] - here.beside) / self.course.width,
            "PA": now[1] - here.drift / jnp.maximum(here.v, 1.0),
            "PC": now[2] * LENGTH,
            "PV": now[3] / SPEED,
            "PN": soon[2] * LENGTH,
            "PW": soon[3] / SPEED,
        }
        return jnp.concatenate([reactive(self.options, sensed), jnp.stack([found[name] for name in INDICATORS])])


@cache
def _table(course: Track, numbers: tuple[float, ...]) -> np.ndarray:
    with jax.ensure_compile_time_eval():
        return np.asarray(jax.jit(plan, static_argnums=0)(course, jnp.asarray(numbers, jnp.float32)).table)


def follow(game: Rars, options: FollowOptions) -> tuple[PrimitiveSet, Follower]:
    """Return the set that programs are written in, and how they drive; raises UsageError where there is no path."""
    course = game.course
    numbers = _numbers(course, options.path)
    # Programs that were made for another path are told apart by the name of their language.
    digest = zlib.crc32(np.asarray(numbers, np.float32).tobytes())
    language = primitive_set(options, f"rars-follow-{course.name}-{digest:08x}", INDICATORS)
    return language, Follower(language, decide, options, course=course, numbers=numbers)


def _numbers(course: Track, word: str | None) -> tuple[float, ...]:
    accepted = f"the text of a champion with program.role=path on {course.name}, as export.py writes it"
    if word is None:
        file, known = FOLDER / f"{course.name}.txt", sorted(one.stem for one in FOLDER.glob("*.txt"))
        if not file.is_file():
            reject("program.path", None, accepted, f"paths come with jaxgp for {', '.join(known)} alone")
    else:
        file = files.user_path("program.path", word)
    try:
        lines = reading.read_text(file).splitlines()
        genome = languages.parse(path_set(course), "\n".join(line for line in lines if not line.startswith(";")))
    except OSError as error:
        reject("program.path", word, accepted, reason(error))
    except ValueError as error:
        reject("program.path", word, accepted, str(error))
    return tuple(np.asarray(genome.value)[:, 0].tolist())


PATH = Role(
    "path",
    "numbers are a path around one track, which a controller by hand follows",
    "program",
    PathOptions,
    path,
    features="seen",
)
FOLLOW = Role(
    "follow",
    "two trees give the angle of the nose and the speed of the wheels, and see a path, so they know one track",
    "program",
    FollowOptions,
    follow,
    features="seen",
)
