"""Robocode: turns of battles under random commands, of two robots by hand, and of programs against robots by hand.

Battles are measured after their first turns, in which nobody shoots. The rival is the real engine, where it is
installed: in one virtual machine, with the same two robots.
"""

import functools
import resource
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array, lax

import envs
from envs.robocode.real import engine
from envs.robocode.roles import make
from envs.robocode.state import AHEAD, FIRE, GUN, TURN, Commands
from jaxgp.contracts import Driver
from jaxgp.games import casting
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions
from jaxgp.players.driver import HandDriver
from rivals.timing import Bench, Case, Job, Times, compile_function, measure

STEPS = 64
"""Turns of one call."""
BEFORE = 10
"""Calls before the first one that is measured."""
PROGRAMS = 256
"""The most programs; each fights in as many battles as fill the batch."""
CAPACITY = 512
PAIR = "sample.Walls", "sample.SpinBot"
RIVALS = "haiku.HaikuPoet", "haiku.HaikuWalls", "sample.Walls"
"""Whom programs fight."""
ROUNDS = 30
"""That the real engine fights."""


class Seat(NamedTuple):
    """A driver, and what its P individuals need; each drives in M battles."""

    driver: Driver
    plans: Any


def jobs(bench: Bench) -> Iterator[Job]:
    """All batches; each is a job."""
    for batch in bench.options.battles:
        yield 1.0, functools.partial(turns, bench, batch)


def _random(number: Array, memory: tuple[()], sensed: Array, bits: Array) -> tuple[Array, tuple[()]]:
    """Drive, turn and fire at random."""
    del number
    part = [((bits >> shift) & 255).astype(jnp.float32) / 127.5 - 1 for shift in (0, 8, 16, 24)]
    zero = jnp.zeros_like(sensed[0])
    flags = zero + (AHEAD | TURN | GUN | FIRE)
    return jnp.stack(Commands(flags, 100 * part[0], part[1], part[2], zero, zero + 8, 1 + part[3], zero)), memory


def turns(bench: Bench, batch: int, until: float) -> None:
    """Measure a batch of battles in three ways."""
    options, world = bench.options, envs.make("robocode", rounds=10_000)
    key, count = jax.random.key(options.seed), min(PROGRAMS, batch)
    cast = casting.cast(envs.spec("robocode"), world)
    programs = create(key, cast.language, CreationOptions("ramped", 1, 6), count, CAPACITY)
    hands = {name: make(name, world) for name in (*PAIR, *RIVALS)}

    def hand(*names: str) -> Seat:
        numbers = [hands[names[n % len(names)]].genome for n in range(count)]
        driver = hands[names[0]].driver
        return Seat(driver, driver.prepare(jnp.array(numbers, jnp.int32)))

    random: Driver = HandDriver(_random, random=True)
    drawn = Seat(random, random.prepare(jnp.zeros(count, jnp.int32)))
    evolved = Seat(cast.actor, jax.jit(cast.actor.prepare)(programs))
    kinds = {
        "random commands": (drawn, drawn),
        "two robots": (hand(PAIR[0]), hand(PAIR[1])),
        "programs": (evolved, hand(*RIVALS)),
    }
    cases, took = {}, {}
    for kind, seats in kinds.items():
        start = _begun(world, key, seats, count, batch // count)
        drivers, plans = (seats[0].driver, seats[1].driver), (seats[0].plans, seats[1].plans)
        made, took[kind] = compile_function(functools.partial(_fight, world, drivers), plans, start)
        for _ in range(BEFORE):
            start = made(plans, start)
        cases[kind] = Case(functools.partial(made, plans, start), count * (batch // count) * STEPS)
    times = measure(cases, options.repeats, until)
    theirs = _engine(bench) if batch == max(options.battles) else None
    for kind, found in times.items():
        sizes = {"battles": batch} | ({"programs": count} if kind == "programs" else {})
        bench.report.ours("robocode", kind, "turns/s", found, sizes, took[kind])
        if kind == "two robots" and theirs is not None:
            bench.report.rival("robocode", kind, "turns/s", theirs, {"battles": 1}, who="Robocode", ours=found)


def _begun(world: Any, key: Array, seats: tuple[Seat, Seat], count: int, each: int) -> tuple[Any, tuple, Array]:
    """Return the starts of battles [P, M], what drivers remember, and the number of turns so far."""
    states = jax.vmap(jax.vmap(world.init))(jax.random.split(key, (count, each)))
    return states, tuple(seat.driver.start(seat.plans, each) for seat in seats), jnp.int32(0)


def _fight(
    world: Any, drivers: tuple[Driver, Driver], plans: tuple[Any, Any], start: tuple[Any, tuple, Array]
) -> tuple[Any, tuple, Array]:
    """Return battles after some turns."""
    arranged = [driver.arrange(plan) for driver, plan in zip(drivers, plans, strict=True)]

    def step(_: Array, carry: tuple[Any, tuple, Array]) -> tuple[Any, tuple, Array]:
        states, memories, turn = carry
        shape, key = states.time.shape, jax.random.fold_in(jax.random.key(0), turn)
        bits = jax.random.bits(key, (2, *shape))
        given, after = [], []
        for seat, driver in enumerate(drivers):
            sensed = jax.vmap(jax.vmap(lambda state, seat=seat: world.sense(state, jnp.int32(seat))))(states)
            controls, memory = driver.control(arranged[seat], memories[seat], sensed, bits[seat], jnp.ones(shape, bool))
            given.append(controls)
            after.append(memory)
        advance = jax.vmap(jax.vmap(lambda state, given: world.step(state, given, key)))
        return advance(states, jnp.stack(given, 2)), tuple(after), turn + 1

    return lax.fori_loop(0, STEPS, step, start)


def _engine(bench: Bench) -> Times | None:
    """Return what the real engine takes for rounds of the pair; None where it is not wanted or not installed."""
    sizes = {"battles": 1}
    if not bench.options.rivals:
        return None
    if why := engine.missing():
        bench.report.skip("robocode", "two robots", "turns/s", sizes, who="Robocode", why=why)
        return None
    (_, _, starting), (turns, wall, cpu) = (_fought(rounds) for rounds in (1, ROUNDS))
    return Times(turns, [wall], [cpu - starting])


def _fought(rounds: int) -> tuple[int, float, float]:
    """Return the turns of a battle in the real engine, its seconds, and the CPU-seconds with starting it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with engine.Arena() as arena:
        (fought,) = arena.fight([engine.Battle(PAIR, rounds, 0)])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return int(fought.turns.sum()), fought.seconds, cpu
