"""Recorded battles of robots, and the same battles by the rules and the robots here, in double precision."""

import jax
import jax.numpy as jnp
import numpy as np

from envs.robocode.bots.samples import BOTS, NAMES
from envs.robocode.machine import BotDriver
from envs.robocode.physics import turns
from envs.robocode.physics.shared import Lots
from envs.robocode.rules import Robocode
from envs.robocode.state import Commands
from tests.envs.robocode.traces import CHOICES, FIELD, Round, apart, begun

DRIVER = BotDriver(BOTS, precision="float64")


def fought(played: list[Round], names: tuple[str, str], later: bool = False) -> np.ndarray:
    """Return how far rounds are from the recorded ones, [rounds, turns], NaN after their ends, from first lines alone.

    Lots are settled as in `tests.envs.robocode.traces.replayed`. Where several of them lead to the recorded state, they
    may still differ in what robots have seen: the first of them is taken, or the last one (`later`).
    """
    longest = max(len(one.robots) for one in played)
    numbers = jnp.array([NAMES.index(name) for name in names], jnp.int32)

    def padded(x):
        return np.pad(x, [(0, longest - len(x)), *[(0, 0)] * (x.ndim - 1)])

    died = np.array([[one.robots[-1, seat, 8] for seat in (0, 1)] for one in played])
    deaths = np.concatenate([np.zeros((1, 2)), died.cumsum(0)[:-1]])
    with jax.enable_x64(True):
        world = Robocode(precision="float64")
        follow = jax.jit(lambda *given: _follow(world, numbers, CHOICES[:: -1 if later else 1], *given))
        found = []
        for one, fell in zip(played, deaths, strict=True):
            robots, bullets = jnp.array(padded(one.robots)), jnp.array(padded(one.bullets))
            first = robots[0, :, :3]
            places = first
            for _ in range(4):  # the start is the first line, less the first move
                places = places + first - follow(places, robots, bullets, fell, one.number)[1]
            found.append(np.array(follow(places, robots, bullets, fell, one.number)[0]))
    for row, one in zip(found, played, strict=True):
        row[len(one.robots) :] = np.nan
    return np.array(found)


def _follow(world, numbers, choices, places, robots, bullets, deaths, number):
    start = begun(places)
    start = start.replace(round=jnp.int32(number))
    memory = DRIVER.unpacked(DRIVER.start(numbers, 1))
    turned = jnp.mod(deaths, 4) * 90.0
    corner = jnp.where(turned == 270, -90.0, turned)
    registers = (*memory.registers[:3], corner[:, None])
    memory = DRIVER.packed(memory.replace(registers=registers))

    def commanded(now, memory):
        sensed = jax.vmap(world.sense, (None, 0))(now, jnp.arange(2))
        given, memory = DRIVER.control(numbers, memory, sensed[:, None], None, jnp.ones((2, 1), bool))
        both = [Commands(row[0].astype(jnp.int32), *row[1:]) for row in given[:, 0]]
        return both, memory

    def step(carry, given):
        now, memory = carry
        both, memory = commanded(now, memory)

        def tried(lots):
            after = turns.turn(FIELD, now, both, Lots(lots[0], lots[1]), lots[2])
            return after, apart(after, *given)

        afters, gaps = jax.vmap(tried)(jnp.array(choices))
        allowed = (number > 0) | (jnp.array(choices)[:, 2] == (now.idle > FIELD.patience))
        best = jnp.argmin(jnp.where(allowed, gaps, jnp.inf))
        return (jax.tree.map(lambda x: x[best], afters), memory), gaps[best]

    _, gaps = jax.lax.scan(step, (start, memory), (robots, bullets))
    both, _ = commanded(start, memory)
    one = turns.turn(FIELD, start, both, Lots(jnp.bool_(False), jnp.bool_(False)))
    return gaps, jnp.stack([jnp.stack([r.x, r.y, r.body]) for r in one.robots])
