"""Programs that fight: three trees, each evaluated where its line begins, in the machine that runs all robots."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jax import Array

from envs.robocode.bots.samples import haiku
from envs.robocode.language import Options, evaluate_line, primitive_set
from envs.robocode.machine import BotDriver, Memory, Turn
from envs.robocode.physics import relative
from envs.robocode.rules import Robocode
from envs.robocode.signals import relative_degrees, to_degrees
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.plan import Plan, plan

RADIANS = math.pi / 180
_USUAL = Options()
_LANGUAGE = primitive_set(_USUAL)


@dataclass(frozen=True)
class ProgramRobots(BotDriver):
    """Programs of three lines that drive robots.

    Attributes:
        primitives: the set that they are written in.
        options: how they perceive and act.
    """

    primitives: PrimitiveSet = _LANGUAGE
    options: Options = _USUAL

    answers = True

    def prepare(self, programs: Programs, /) -> Plan:  # type: ignore[override]
        """Derive the evaluation order of programs [P, T, L], once for all their battles."""
        value = programs.value.astype(self.precision)
        return plan(self.primitives, programs.replace(value=value))  # type: ignore[attr-defined]

    def numbers(self, plans: Plan, robots: int) -> Array:
        """Return int32[P, robots]: all programs run in the same robot."""
        return jnp.zeros((len(plans.steps), robots), jnp.int32)

    def _answered(self, plans: Any, s: Mapping[str, Array], memory: Memory, now: Turn) -> tuple[Array, Array, Turn]:
        asks, event = now.asks >= 0, now.event
        body, bearing, heading = (to_degrees(x, s["x"]) for x in (s["body"], event["bearing"], event["heading"]))
        heading = relative_degrees(heading - body)
        if self.options.angles == "radians":  # with the roundings of an exported program
            body, bearing = body * RADIANS, event["bearing"]
            heading = relative(event["heading"] - body)
        seen = [
            *(s["energy"], body, s["x"], s["y"], s["width"], s["height"]),
            *(bearing, event["distance"], event["velocity"], heading, event["other_energy"]),
            *(s["seed"], s["round"], s["time"]),
        ]
        line = jnp.maximum(now.asks, 0)
        value, fired = evaluate_line(self.primitives, plans, line, jnp.stack(seen, -1), asks)
        if self.options.angles == "radians":
            value = jnp.where(now.asks > 0, value * (180 / math.pi), value)
        value = jnp.where(asks, value, memory.value)
        shots = jnp.where(asks[..., None], fired.amounts, memory.shots)
        now = dataclasses.replace(
            now,
            left=jnp.where(asks, fired.count, now.left),
            fired=jnp.where(asks, 0, now.fired),
            asks=jnp.full_like(now.asks, -1),
            done=now.done & ~asks,
        )
        return value, shots, now


def fight(game: Robocode, options: Options) -> tuple[PrimitiveSet, ProgramRobots]:
    """Return the set that programs are written in, and how they fight."""
    language = primitive_set(options)
    robots = (haiku(options.bot == "advanced", options.shots),)
    return language, ProgramRobots(robots, options.shots, game.precision, language, options)
