"""Races: laps, ranks, what ends them, and Tuto3, whose laps the original recorded."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.rars import physics, strategies
from envs.rars.places import SENSED, at
from envs.rars.rules import Rars
from envs.rars.tracks import public
from jaxgp.contracts import Driver
from jaxgp.fitness.roller import Roller

LAPS = {
    "sepang": (173.894, 170.294, 170.184),
    "oval2": (31.822, 30.308, 30.306),
    "v01": (38.810, 37.276, 37.277),
    "speed2": (95.988, 92.229, 92.230),
}
"""Laps of Tuto3 with an exact power cut; those of RARS are 0.001 s apart in lap 1, and up to 0.06 s later."""
WORLD = Rars(laps=None, seconds=1000.0, friction="fixed", rows=1)


def tuto3_laps():
    """float32[4, 3]: the first three laps of Tuto3 on the four tracks, in single precision as in runs."""
    numbers = [list(public()).index(name) for name in LAPS]

    def lap(number):
        def step(carry, _):
            state, lane = carry
            controls, lane = strategies.drive(strategies.Tuto3(), lane, WORLD.sensed(state)[:, 0])
            after, _ = WORLD.advance(state, controls[:1], controls[1:])
            return (after, lane), (after.laps[0], after.last_lap[0])

        rows, *places = (jnp.asarray(column)[number] for column in WORLD._grid)
        start = WORLD.start(rows, *places, jnp.uint32(0))
        return jax.lax.scan(step, (start, -jnp.ones_like(start.lag[0])), None, 9400)[1]

    laps, seconds = jax.device_get(jax.jit(jax.vmap(lap))(jnp.array(numbers)))
    return np.array([[s[np.argmax(n == k)] for k in (1, 2, 3)] for n, s in zip(laps, seconds, strict=True)])


@pytest.mark.thorough
def test_tuto3_drives_the_laps_that_it_drove_in_the_original():
    np.testing.assert_allclose(tuto3_laps(), list(LAPS.values()), atol=1e-3)


@pytest.fixture(scope="module")
def race():
    """A lap of v01 by Tuto3, with the random friction of a key."""
    world = envs.make("rars", track="v01", seconds=60.0)
    hand = strategies.make("tuto3", world)
    assert isinstance(hand.driver, Driver)
    roller = Roller(world, hand.driver)
    recorded = jax.jit(lambda key: roller.record(hand.driver.prepare(jnp.zeros(1, jnp.int32)), key))(jax.random.key(0))
    return world, jax.device_get(recorded)


@cache
def compiled(world):
    """The first state of a race by its key, and the step."""
    return jax.jit(world.init), jax.jit(world.step)


def values(world, state):
    found = np.asarray(jax.jit(world.measures)(state))[0]
    return dict(zip([one.name for one in world.quantities], found, strict=True))


@pytest.mark.thorough
def test_a_race_ends_at_the_line_with_the_time_from_the_start(race):
    world, recorded = race
    last = jax.tree.map(lambda x: x[-1], recorded.states)
    found = values(world, last)
    assert found["time"] == pytest.approx(38.8, abs=0.3)  # 0.35 s more than from line to line
    assert found["time"] - found["best_lap"] == pytest.approx(0.35, abs=0.02)
    assert (found["race"], found["finished"], found["laps"]) == (-found["time"], 1, 1)
    assert found["distance"] == pytest.approx(3512.16, abs=10)
    assert (found["damage"], found["off_road"]) == (0, 0)
    ended = np.flatnonzero(recorded.states.terminated)
    assert int(recorded.steps) == ended[0] == int(last.steps)
    assert abs(ended[0] * physics.DT - found["time"]) < physics.DT


def test_finishers_rank_before_others_by_time_and_others_by_distance():
    world, rng = envs.make("rars"), np.random.default_rng(0)
    distance = (rng.integers(-80, 8 * 17_000, 20_000) / 8).astype(np.float32)
    finished = np.where(rng.random(20_000) < 0.3, rng.uniform(140, 250, 20_000), 0).astype(np.float32)
    rank = np.asarray(jax.jit(world.ranked)(jnp.asarray(distance), jnp.asarray(finished), jnp.full(20_000, 17_026.45)))
    assert rank.dtype == np.float32
    wanted = np.where(finished > 0, 1e6 - finished.astype(float), distance)
    for one, other in ((rank, wanted), (wanted, rank)):
        order = np.argsort(one, kind="stable")
        assert (np.diff(other[order]) >= 0).all()
    assert len(np.unique(rank)) == len(np.unique(wanted))


def state_of(world, **car):
    state = compiled(world)[0](jax.random.key(0))
    return state.replace(car=state.car.replace(**{name: jnp.array([value]) for name, value in car.items()}))


def test_a_car_that_is_broken_or_has_no_fuel_is_out():
    world = envs.make("rars", friction="fixed")
    _, step = compiled(world)
    for car in ({"damage": 30001}, {"fuel": 0.0}):
        assert step(state_of(world, **car), jnp.zeros((1, 2)), None).terminated
    assert not step(state_of(world, damage=30000), jnp.zeros((1, 2)), None).terminated


def test_a_step_of_an_ended_race_changes_nothing():
    world = envs.make("rars", friction="fixed")
    _, step = compiled(world)
    ended = step(state_of(world, damage=30001), jnp.zeros((1, 2)), None)
    assert ended.terminated
    jax.tree.map(np.testing.assert_array_equal, step(ended, jnp.ones((1, 2)), None), ended)


def test_a_car_that_drives_backward_for_long_is_damaged_to_the_limit():
    world = envs.make("rars", friction="fixed")
    state = state_of(world, vx=-30.0).replace(backward=jnp.array([98]))
    _, step = compiled(world)
    state = step(state, jnp.zeros((1, 2)), None)
    assert (int(state.backward[0]), int(state.car.damage[0])) == (99, 0)
    state = step(state, jnp.zeros((1, 2)), None)
    assert (int(state.car.damage[0]), bool(state.terminated)) == (30000, False)


@pytest.mark.thorough
def test_random_friction_depends_on_the_key_or_on_the_seed_alone():
    world, seeded = envs.make("rars"), envs.make("rars", seed=7)
    init, _ = compiled(world)
    seeds = [int(init(jax.random.key(key)).car.seed[0]) for key in (0, 0, 1)]
    assert seeds[0] == seeds[1] != seeds[2]
    assert int(compiled(seeded)[0](jax.random.key(5)).car.seed[0]) == 0x015A4E35 * 7 + 1
    assert (world.starts, seeded.starts, envs.make("rars", friction="fixed").starts) == ("drawn", "fixed", "fixed")


@pytest.mark.thorough
def test_a_race_begins_on_any_track():
    world = envs.make("rars", seconds=500.0, laps=None)
    begin, sense = jax.jit(world.begin), jax.jit(lambda state: world.sense(state, jnp.int32(0)))
    for name in ("monaco", "clkwis"):
        state = begin(jnp.int32(list(public()).index(name)), jax.random.key(0))
        course = public()[name]
        assert int(at(world.tables.number, state.row, state.car.x)[0]) == course.place(0, course.rows)[0]
        assert float(world.distance(state)[0]) == pytest.approx(-10, abs=0.01)
        seen = dict(zip(SENSED, np.asarray(sense(state)), strict=True))
        assert seen["v"] == pytest.approx(20)
        assert seen["to_lft"] + seen["to_rgt"] == pytest.approx(course.width)
        assert (seen["vn"], seen["backward"]) == (pytest.approx(0, abs=1e-4), 0)
