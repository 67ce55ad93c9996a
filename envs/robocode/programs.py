"""Programs that fight: three trees, each evaluated where its line begins, in the machine that runs all robots."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

import jax.numpy as jnp
from jax import Array, lax

from envs.robocode.bots.samples import haiku
from envs.robocode.language import POWER, Options, evaluate_line, primitive_set
from envs.robocode.machine import BotDriver
from envs.robocode.physics.angles import relative
from envs.robocode.rules import Robocode
from envs.robocode.signals import relative_degrees, to_degrees
from envs.robocode.threads import Turn
from jaxgp.genotypes.primitives import PrimitiveSet
from jaxgp.genotypes.programs import Programs
from jaxgp.interpreter.lanes import Effects
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

    def prepare(self, programs: Programs, /) -> Plan:  # type: ignore[override]
        """Derive the evaluation order of programs [P, T, L], once for all their battles."""
        value = programs.value.astype(self.precision)
        return plan(self.primitives, programs.replace(value=value))  # type: ignore[attr-defined]

    def numbers(self, plans: Plan, robots: int) -> Array:
        """Return int32[P, robots]: all programs run in the same robot."""
        return jnp.zeros((len(plans.steps), robots), jnp.int32)

    def _answered(
        self, plans: Plan, whose: Array, s: Mapping[str, Array], now: Turn, value: Array, shots: tuple[Array, ...]
    ) -> tuple[Turn, Array, tuple[Array, ...]]:
        asks = now.asks >= 0

        def evaluate() -> tuple[Array, tuple[Array, ...], Array]:
            found, fired = evaluate_line(self.primitives, plans, whose, now.asks, self._seen(s, now.event), asks)
            if self.options.fire == "constant":
                fired = Effects(jnp.full((len(value), 1), POWER, value.dtype), (now.asks == 0).astype(jnp.int32))
            if self.options.angles == "radians":
                found = jnp.where(now.asks > 0, found * (180 / math.pi), found)
            return (
                jnp.where(asks, found, value),
                tuple(jnp.where(asks, x, y) for x, y in zip(fired.amounts.T, shots, strict=True)),
                jnp.where(asks, fired.count, now.left),
            )

        value, shots, left = lax.cond(asks.any(), evaluate, lambda: (value, shots, now.left))
        now = dataclasses.replace(
            now,
            left=left,
            fired=jnp.where(asks, 0, now.fired),
            asks=jnp.full_like(now.asks, -1),
            done=now.done & ~asks,
        )
        return now, value, shots

    def _seen(self, s: Mapping[str, Array], event: Mapping[str, Array]) -> Array:
        """Return float[N, F], what programs perceive."""
        body, bearing, heading = (to_degrees(x) for x in (s["body"], event["bearing"], event["heading"]))
        heading = relative_degrees(heading - body)
        if self.options.angles == "radians":  # with the roundings of an exported program
            body, bearing = body * RADIANS, event["bearing"]
            heading = relative(event["heading"] - body)
        seen = [
            *(s["energy"], body, s["x"], s["y"], s["width"], s["height"]),
            *(bearing, event["distance"], event["velocity"], heading, event["other_energy"]),
            *(s["seed"], s["round"], s["time"]),
        ]
        return jnp.stack(seen, -1)


def fight(game: Robocode, options: Options) -> tuple[PrimitiveSet, ProgramRobots]:
    """Return the set that programs are written in, and how they fight."""
    language = primitive_set(options)
    shots = language.effects or 1
    robots = (haiku(options.bot == "advanced", shots),)
    return language, ProgramRobots(robots, shots, game.precision, language, options)
