"""Robocode: two robots fight in an arena, each driven by a program that sees the other one by its radar alone.

Source: Robocode 1.9.3.9, whose recorded battles this world follows. M. Sipper, "Evolved to Win" (2011), chapter 8, has
robots of four lines evolve. A rollout is a battle of some rounds; in each turn both robots command, then all moves
(`envs.robocode.physics`). A round ends with the first death, and the next one begins in the same step: in the engine,
nothing counts that happens later.

All chance of a battle follows from its seed: where rounds begin, and who is first in a turn.
"""

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from envs.robocode.physics import flight, turns
from envs.robocode.physics.angles import relative
from envs.robocode.physics.constants import HALF
from envs.robocode.physics.shared import Field, Lots
from envs.robocode.rounding import arctan2, hypot
from envs.robocode.state import MOST_SLOTS, SLOTS, Commands, State, bullets, points, robot, unseen
from jaxgp import arrays
from jaxgp.bits import lowbias32
from jaxgp.contracts import Measure, Simulation, Starts
from jaxgp.errors import reject
from jaxgp.options import bound, check, option

Precision = Literal["float32", "float64"]
SENSED = (
    *("x", "y", "body", "gun", "radar", "v", "energy", "heat", "ahead", "turn", "gun_turn"),
    *("width", "height", "seed", "round", "time", "fell"),
    *("scanned", "bearing", "distance", "heading", "velocity", "other_energy"),
    *("shot", "shot_heading", "shot_bearing", "wall", "wall_bearing"),
    *("ram", "ram_bearing", "ram_energy", "struck", "struck_bearing", "struck_energy"),
)
"""What a robot perceives: itself and what is left of its commands; the battle; its scan of the other robot; and what
happened to it in the last turn. Truth values are 0 or 1, angles radians; bearings are relative to the body."""
TRIES = 4
"""Of places, until the robots stand apart; in 800 x 600 a 70th of them do not. After the last, see `beside`."""
MARGIN = 36.0
"""Pixels from the walls within which no round begins."""
SLOWEST_COOLING = 0.1
"""Of the gun; larger arenas than this one allows are refused."""
SEEDS = 1 << 24
"""Seeds that robots see lie below."""


@dataclass(frozen=True)
class Robocode(Simulation[State]):
    """The rules as pure functions of one state; hashable, so that it can be a static argument of `jax.jit`."""

    rounds: int = option(1, "rounds of a battle", low=1, high=10_000)
    width: float = option(800.0, "of the arena", low=150, high=3769, unit="pixels")
    height: float = option(600.0, "of the arena", low=150, high=3769, unit="pixels")
    cooling: float = option(0.1, "heat that a gun loses in a turn", low=SLOWEST_COOLING, high=0.7)
    inactivity: int = option(
        450, "turns without 10 energy lost, after which each turn costs both robots 0.1", low=0, high=10_000
    )
    carried: bool = option(True, "whether the energy that inactivity counts is carried from round to round")
    turns: int = option(5000, "after which a round is stopped, and scored as it stands", low=100, high=100_000)
    places: str | None = option(
        None, "where each round begins, (x,y,degrees),(x,y,degrees) as the engine takes it; null: drawn"
    )
    seed: int | None = option(None, "of all chance in battles; null: drawn for each", low=0, high=SEEDS - 1)
    precision: Precision = option("float32", "of numbers; float64 needs JAX_ENABLE_X64=1")

    name: ClassVar[str] = "robocode"
    version: ClassVar[str] = "1"
    seats: ClassVar[int] = 2
    controls: ClassVar[int] = len(Commands._fields)  # type: ignore[misc]
    chance: ClassVar[bool] = False
    quantities: ClassVar[tuple[Measure, ...]] = (  # type: ignore[misc]
        Measure("score", "", "points of all rounds"),
        Measure("share", "", "of the points of both; 0.5 where there are none"),
        Measure("survival", "", "points for the deaths of others"),
        Measure("last", "", "points of the last survivor"),
        Measure("bullet", "", "points for damage by bullets"),
        Measure("bullet_bonus", "", "points for kills by bullets"),
        Measure("ram", "", "points for damage by rams"),
        Measure("ram_bonus", "", "points for kills by rams"),
        Measure("firsts", "", "rounds in which the other one died"),
        Measure("shots", "", "in a round"),
        Measure("hits", "", "of bullets in a round"),
        Measure("driven", "pixels", "in a round"),
        Measure("rounds", "", "that were fought"),
        Measure("stopped", "", "rounds that took too long"),
    )

    def __post_init__(self) -> None:
        check(self, "game.")
        _ = self._placed
        if self.precision == "float64" and not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
            reject("game.precision", self.precision, "float32; float64 where JAX_ENABLE_X64=1 is set")

    def laws(self, prefix: str) -> None:
        """Refuse large arenas, and guns that cool fast, where more than `MOST_SLOTS` bullets of a robot could fly."""
        why = f"so that no more than {MOST_SLOTS} bullets of a robot fly at once"
        longer, shorter = ("width", "height") if self.width >= self.height else ("height", "width")
        short = getattr(self, shorter)
        most = flight.longest_side(short, SLOWEST_COOLING)
        bound(self, longer, prefix, high=most, why=f"where {prefix}{shorter}={short:g}, {why}")
        arena = f"in an arena of {self.width:g} x {self.height:g}"
        bound(self, "cooling", prefix, high=flight.fastest_cooling(self.width, self.height), why=f"{arena}, {why}")

    @cached_property
    def slots(self) -> int:
        """S, the bullets of a robot that a state has room for: all that can fly at once."""
        return max(SLOTS, flight.most_flying(self.width, self.height, self.cooling))

    @property
    def starts(self) -> Starts:
        """Whether battles differ: by their seeds alone."""
        return "drawn" if self.seed is None else "fixed"

    @property
    def horizon(self) -> int:  # type: ignore[override]
        """Turns of the longest battle."""
        return self.rounds * self.turns

    @property
    def field(self) -> Field:
        """The settings of a turn."""
        return Field(self.width, self.height, self.cooling, self.inactivity)

    @cached_property
    def _placed(self) -> tuple[tuple[float, float, float], ...] | None:
        """x, y and degrees of both robots; raises UsageError."""
        if self.places is None:
            return None
        number = r"\s*(-?\d+(?:\.\d*)?)\s*"
        one = rf"\s*\({number},{number},{number}\)\s*"
        found = re.fullmatch(f"{one},{one}", self.places)
        accepted = "(x,y,degrees),(x,y,degrees)"
        if not found:
            reject("game.places", self.places, accepted)
        x = [float(part) for part in found.groups()]
        both = (x[0], x[1], x[2]), (x[3], x[4], x[5])
        inside = all(HALF <= x <= self.width - HALF and HALF <= y <= self.height - HALF for x, y, _ in both)
        apart = max(abs(x[0] - x[3]), abs(x[1] - x[4])) >= 2 * HALF
        if not inside or not apart:
            reject("game.places", self.places, f"{accepted} inside the arena, {HALF:g} from its walls, and apart")
        return both

    def init(self, key: Array) -> State:
        """Return the start of the first round of a battle."""
        seed = jnp.uint32(self.seed or 0) if self.seed is not None else jax.random.bits(key, dtype=jnp.uint32)
        return self.begin(seed)

    def begin(self, seed: Array) -> State:
        """Return the start of the first round of the battle with a seed, uint32[]."""
        zero, none = jnp.zeros((), self.precision), jnp.int32(0)
        one, other = self.drawn(seed, none, zero)
        return State(
            *((one, other), (bullets(zero, self.slots),) * 2, (points(zero),) * 2, (unseen(zero),) * 2),
            *(none, zero, seed, none, none, none),
            terminated=jnp.bool_(False),
        )

    def drawn(self, seed: Array, number: Array, like: Array) -> tuple:
        """Return both robots at the start of a round with a number (int32[]), in the precision of an array."""
        if self._placed is not None:
            given = [(x, y, math.radians(degrees) % (2 * math.pi)) for x, y, degrees in self._placed]
            return tuple(robot(*(jnp.full_like(like, value) for value in one)) for one in given)
        one, other = arrays.apart(self._places, seed, number, like)
        return robot(*one), robot(*other)

    def _places(self, seed: Array, number: Array, like: Array) -> tuple[list[Array], list[Array]]:
        """Return x, y and heading of both robots, drawn for a round."""
        draws = mixed(seed, number, np.uint32(0x5EED))
        ranges = (self.width - 2 * MARGIN, self.height - 2 * MARGIN, 2 * math.pi)

        def unit(n: int) -> Array:
            return (mixed(draws, np.uint32(n)) >> 8).astype(like.dtype) / 2**24

        def place(first: int) -> list[Array]:
            lows = (MARGIN, MARGIN, 0.0)
            return [low + size * unit(first + n) for n, (size, low) in enumerate(zip(ranges, lows, strict=True))]

        def settle(theirs: list[Array], others: list[Array]) -> list[Array]:
            apart = (jnp.abs(mine[0] - theirs[0]) >= 2 * HALF) | (jnp.abs(mine[1] - theirs[1]) >= 2 * HALF)
            return [jnp.where(apart, x, y) for x, y in zip(theirs, others, strict=True)]

        mine, theirs = place(0), place(3)
        for n in range(1, TRIES):
            theirs = settle(theirs, place(3 + 3 * n))
        which, u, v = (unit(3 + 3 * TRIES + n) for n in range(3))
        x, y = beside(mine[0], mine[1], ranges[0], ranges[1], which, u, v)
        return mine, settle(theirs, [x, y, theirs[2]])

    def sense(self, state: State, seat: Array) -> Array:
        """Return float32[F]: what a robot perceives, in the order of `SENSED`."""
        first = seat == 0
        one, other = state.robots
        me, you = arrays.where(first, (one, other), (other, one))
        seen = arrays.where(first, *state.seen)
        dx, dy = you.x - me.x, you.y - me.y
        # Each robot has a seed of its own.
        own = mixed(state.seed, jnp.asarray(seat).astype(jnp.uint32)) % np.uint32(SEEDS)
        found = {
            **{name: getattr(me, name) for name in SENSED[:11]},
            "width": self.width,
            "height": self.height,
            "seed": own,
            "round": state.round,
            "time": state.time,
            "fell": seen.fell,
            "scanned": seen.scanned,
            "bearing": relative(arctan2(dx, dy) - me.body),
            "distance": hypot(dx, dy),
            "heading": you.body,
            "velocity": you.v,
            "other_energy": you.energy,
            **{name: getattr(seen, name) for name in SENSED[23:]},
        }
        return jnp.stack([jnp.asarray(found[name]).astype(me.x.dtype) for name in SENSED])

    def step(self, state: State, controls: Array, key: Array) -> State:
        """Play a turn under commands, float32[2, K]: the flags, then the amounts, as `Commands` has them."""
        del key
        given = tuple(
            Commands(row[0].astype(jnp.int32), *(row[n] for n in range(1, self.controls))) for row in controls
        )
        return arrays.where(state.terminated, state, self.advance(state, (given[0], given[1])))

    def advance(self, state: State, given: tuple[Commands, Commands]) -> State:
        """Play a turn; a round that ends with it makes room for the next one."""
        lots = mixed(state.seed, state.round, state.time)
        after = turns.turn(self.field, state, given, Lots((lots & 1) != 0, (lots & 2) != 0))
        one, other = after.robots
        decided = one.dead | other.dead
        stopped = ~decided & (after.time >= self.turns)
        over = decided | stopped
        number = state.round + over
        after = after.replace(round=number, stopped=state.stopped + stopped, terminated=number >= self.rounds)  # type: ignore[attr-defined]
        if self.rounds == 1:
            return after
        zero = jnp.zeros_like(one.x)
        fresh = after.replace(
            robots=self.drawn(state.seed, number, zero),
            bullets=(bullets(zero, self.slots),) * 2,
            points=tuple(one.replace(damage=zero) for one in after.points),
            seen=tuple(unseen(zero).replace(fell=robot.dead) for robot in after.robots),  # type: ignore[attr-defined]
            idle=jnp.int32(0),
            loss=after.loss if self.carried else zero,
            time=jnp.int32(0),
        )
        return arrays.where(over & ~after.terminated, fresh, after)

    def score(self, state: State) -> Array:
        """Return float32[2]: the points of all rounds."""
        return jnp.stack([one.total for one in state.points]).astype(jnp.float32)

    def measures(self, state: State) -> Array:
        """Return float32[2, Q]: the quantities, for a battle that ends here."""
        fought = state.round + (~state.terminated & (state.time > 0))
        each = jnp.maximum(fought, 1)
        found = []
        for me, you in ((0, 1), (1, 0)):
            mine, total = state.points[me], state.points[me].total + state.points[you].total
            found.append(
                jnp.stack(
                    [
                        mine.total,
                        jnp.where(total > 0, mine.total / jnp.where(total > 0, total, 1.0), 0.5),
                        *(mine.survival, mine.last, mine.bullet, mine.bullet_bonus, mine.ram, mine.ram_bonus),
                        *(mine.firsts, mine.shots / each, mine.hits / each, mine.driven / each),
                        *(fought.astype(mine.last.dtype), state.stopped.astype(mine.last.dtype)),
                    ]
                )
            )
        return jnp.stack(found).astype(jnp.float32)


def beside(x: Array, y: Array, width: float, height: float, which: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """Return a place apart from a first robot; all such places are as likely.

    The engine draws until the robots are apart. Here a loop would cost time in every turn of a batch. So a place is
    drawn left or right of the first robot, or else above or below it, as often as these areas are large.

    Args:
        x: where the first robot stands.
        y: likewise.
        width: of the area within which rounds begin, `MARGIN` from the walls.
        height: likewise.
        which: from 0 on, below 1, as are the next two: in which area.
        u: where in it.
        v: likewise.
    """
    left, right = (jnp.maximum(room - 2 * HALF, 0) for room in (x - MARGIN, width + MARGIN - x))
    below, above = (jnp.maximum(room - 2 * HALF, 0) for room in (y - MARGIN, height + MARGIN - y))
    across, up = width - left - right, height - below - above  # the sides of what the first robot leaves no room in
    beyond = (width - across) * height
    sideways = which * (beyond + across * (height - up)) < beyond
    far_x, far_y = u * (left + right), v * (below + above)
    far_x, far_y = jnp.where(far_x < left, far_x, far_x + across), jnp.where(far_y < below, far_y, far_y + up)
    return MARGIN + jnp.where(sideways, far_x, left + u * across), MARGIN + jnp.where(sideways, v * height, far_y)


def mixed(seed: Array, *numbers: Array | np.generic) -> Array:
    """Return uint32[], a hash of whole numbers."""
    x = seed
    for number in numbers:
        x = lowbias32(x ^ (jnp.asarray(number).astype(jnp.uint32) * np.uint32(0x9E3779B9) + np.uint32(0x7F4A7C15)))
    return x
