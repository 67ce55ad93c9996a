"""Cars among cars: wakes and collisions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.rars import traffic

draughts, collisions = jax.jit(traffic.draughts), jax.jit(traffic.collisions)


def floats(*values):
    return jnp.array(values, jnp.float32)


def test_a_car_behind_another_one_has_less_drag():
    # The second car is 40 ft behind the first, which drives 160 ft in a second; the third one is too far aside.
    found = draughts(floats(100, 60, 60), floats(0, 2.5, 30), floats(160, 150, 150), floats(0, 0, 0), jnp.ones(3, bool))
    np.testing.assert_allclose(found, [1, 1 - (1 - 40 / 160) * (1 - 0.25), 1], rtol=1e-6)
    alone = draughts(floats(100, 60), floats(0, 0), floats(160, 150), floats(0, 0), jnp.array([False, True]))
    assert alone.tolist() == [1, 1]  # a car that is out has no wake


@pytest.mark.parametrize(("distance", "hit"), [(19.9, True), (20.1, False)])
def test_cars_that_touch_push_each_other_and_the_faster_one_is_damaged(distance, hit):
    straight = floats(1, 1), floats(0, 0)
    given = (
        floats(0, distance),
        floats(0, 0),
        floats(150, 130),
        floats(0, 0),
        straight,
        floats(78, 75),
        jnp.ones(2, bool),
    )
    found = collisions(*given)
    assert bool(found.vx.any()) == hit
    if hit:
        apart = (130 + found.vx[1]) - (150 + found.vx[0])
        assert float(apart) == pytest.approx(20 * np.exp(-20 / 200), rel=1e-5)
        assert float(78 * found.vx[0] + 75 * found.vx[1]) == pytest.approx(0, abs=1e-3)
        assert found.damage[0] > 0 == found.damage[1]
    parting = collisions(*given[:2], floats(130, 150), *given[3:])
    assert not parting.vx.any()


def test_cars_side_by_side_do_not_touch():
    straight = floats(1, 1), floats(0, 0)
    for aside, hit in ((9.9, True), (10.1, False)):
        found = collisions(
            floats(0, 0), floats(0, aside), floats(150, 150), floats(1, -1), straight, floats(78, 78), jnp.ones(2, bool)
        )
        assert bool(found.vy.any()) == hit


@pytest.mark.thorough
def test_a_car_that_runs_into_a_slower_one_slows_down_and_the_other_speeds_up():
    world = envs.make("rars", friction="fixed", cars=2, laps=None, rows=1)
    state = jax.jit(world.init)(jax.random.key(0))
    assert float(state.car.x[0] - state.car.x[1]) == pytest.approx(60, abs=0.01)
    car = state.car.replace(
        x=floats(1000, 982),
        vx=floats(100, 140),
        wx=floats(100, 140),
        y=floats(30, 30),
        vy=floats(0, 0),
        wy=floats(0, 0),
    )
    after = jax.jit(world.step)(state.replace(car=car), floats([0, 100], [0, 140]), None)
    assert float(after.car.vx[0]) > 120 > float(after.car.vx[1])
    assert after.car.damage[1] > 0 == after.car.damage[0]
    assert world.measures(after).shape == (2, len(world.quantities))
