"""Recorded battles of robots, and the same battles by the rules and the robots here, in double precision."""

from functools import partial

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
TOGETHER = 24
EQUAL = 1e-9


def fought(played: list[Round], names: tuple[str, str]) -> np.ndarray:
    """Return how far rounds are from the recorded ones, [rounds, turns], NaN after their ends, from first lines alone.

    Lots are settled as in `tests.envs.robocode.traces.replayed`. Where several of them lead to the recorded state, they
    may still differ in what robots have seen. So each round is followed `TOGETHER` times, such lots are drawn, and
    whoever no longer equals the record goes on from one who does.
    """
    longest = max(len(one.robots) for one in played)
    numbers = jnp.tile(jnp.array([NAMES.index(name) for name in names], jnp.int32), TOGETHER)

    def padded(x):
        return np.pad(x, [(0, longest - len(x)), *[(0, 0)] * (x.ndim - 1)])

    died = np.array([[one.robots[-1, seat, 8] for seat in (0, 1)] for one in played])
    deaths = np.concatenate([np.zeros((1, 2)), died.cumsum(0)[:-1]])
    with jax.enable_x64(True):
        world = Robocode(precision="float64")
        moved, follow = (jax.jit(partial(one, world, numbers)) for one in (_moved, _follow))
        found = []
        for one, fell in zip(played, deaths, strict=True):
            first = places = jnp.array(one.robots[0, :, :3])
            for _ in range(4):  # the start is the first line, less the first move
                places = places + first - moved(places, fell, one.number)
            found.append(np.array(follow(places, fell, one.number, padded(one.robots), padded(one.bullets))))
    for row, one in zip(found, played, strict=True):
        row[len(one.robots) :] = np.nan
    return np.array(found)


def _start(numbers, places, deaths, number):
    """Return a round that begins, and what robots remember, [TOGETHER, ...]."""
    start = begun(places).replace(round=jnp.int32(number))
    memory = DRIVER.unpacked(DRIVER.start(numbers, 1))
    turned = jnp.mod(deaths, 4) * 90.0
    corner = jnp.where(turned == 270, -90.0, turned)
    registers = (*memory.registers[:3], jnp.tile(corner, TOGETHER)[:, None])
    many = jax.tree.map(lambda x: jnp.broadcast_to(x, (TOGETHER, *jnp.shape(x))), start)
    return many, DRIVER.packed(memory.replace(registers=registers))


def _commanded(world, numbers, nows, memory):
    sensed = jax.vmap(jax.vmap(world.sense, (None, 0)), (0, None))(nows, jnp.arange(2)).reshape(2 * TOGETHER, 1, -1)
    given, memory = DRIVER.control(numbers, memory, sensed, None, jnp.ones((2 * TOGETHER, 1), bool))
    rows = given[:, 0].reshape(TOGETHER, 2, -1)
    return [Commands(rows[:, seat, 0].astype(jnp.int32), *rows[:, seat, 1:].T) for seat in (0, 1)], memory


def _moved(world, numbers, places, deaths, number):
    """Return places after the first turn."""
    start, memory = _start(numbers, places, deaths, number)
    both, _ = _commanded(world, numbers, start, memory)
    first = jax.tree.map(lambda x: x[0], (start, both))
    one = turns.turn(FIELD, *first, Lots(jnp.bool_(False), jnp.bool_(False)))
    return jnp.stack([jnp.stack([r.x, r.y, r.body]) for r in one.robots])


def _follow(world, numbers, places, deaths, number, robots, bullets):
    here = jnp.arange(TOGETHER)

    def step(carry, given):
        nows, memory = carry
        both, memory = _commanded(world, numbers, nows, memory)

        def tried(lots, now, *both):
            after = turns.turn(FIELD, now, both, Lots(lots[0], lots[1]), lots[2])
            return after, apart(after, *given)

        together = jax.vmap(tried, (None, 0, 0, 0))
        afters, gaps = jax.vmap(together, (0, None, None, None))(jnp.array(CHOICES), nows, *both)
        allowed = (number > 0) | (jnp.array(CHOICES)[:, 2, None] == (nows.idle > FIELD.patience))
        gaps = jnp.where(allowed, gaps, jnp.inf)
        key, other = jax.random.split(jax.random.fold_in(jax.random.key(0), nows.time[0]))
        drawn = jax.random.uniform(key, gaps.shape)
        best = jnp.argmin(jnp.where(gaps <= EQUAL, drawn - 1, gaps), 0)
        found = gaps[best, here]
        equal = found <= EQUAL
        others = jnp.where(equal, 1 + jax.random.uniform(other, (TOGETHER, TOGETHER)), 0)
        whose = jnp.where(equal | ~equal.any(), here, jnp.argmax(others, -1))
        memory = memory.reshape(TOGETHER, 2, *memory.shape[1:])[whose].reshape(memory.shape)
        return (jax.tree.map(lambda x: x[best[whose], whose], afters), memory), found[whose].min()

    return jax.lax.scan(step, _start(numbers, places, deaths, number), (robots, bullets))[1]
