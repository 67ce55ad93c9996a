"""The power cut against bisection, and what the road does to a car."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.rars import physics
from envs.rars.strategies import recovered

CASES = 40_000


def drawn():
    """Weights, speeds along and across the wheels, and how much faster wheels are asked to be: any that can happen."""
    rng = np.random.default_rng(0)
    weight = physics.GRAVITY * (physics.MASS + rng.uniform(0, 150, CASES) / physics.GRAVITY)
    v, alpha = rng.uniform(0, 260, CASES), rng.uniform(0, 1, CASES) ** 2
    return weight, v * np.cos(alpha), v * np.sin(alpha), 10 ** rng.uniform(0, 5, CASES)


def mu(surface, slip):
    if surface == 0:
        return slip / (2 + slip)
    if surface == 1:
        return 1.05 * (1 - np.exp(-slip / 2))
    return 1.8 * (1 - np.exp(-slip / 2)) - 0.2 * (slip > 20)


def power(surface, weight, straight, side, spin):
    slip = np.hypot(spin, side)
    return (spin + straight) * weight * mu(surface, slip) * spin / slip


def bisected(surface, weight, straight, side, most):
    low, high = np.zeros_like(most), most
    for _ in range(60):
        middle = (low + high) / 2
        over = power(surface, weight, straight, side, middle) > 0.9975e5
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return high


@pytest.mark.few(1)
@pytest.mark.parametrize(("precise", "limit"), [(True, 1e-4), (False, 1e-3)])
def test_five_rounds_find_the_power_cut(precise, limit):
    given = drawn()
    cut = power(1, *given) > 1e5
    assert cut.sum() > 20_000
    given = tuple(one[cut] for one in given)
    with jax.enable_x64(precise):
        found = jax.jit(partial(physics.wheel_slip, 1))(
            *(jnp.asarray(one, float if precise else np.float32) for one in given)
        )
    assert np.abs(np.asarray(found) - bisected(1, *given)).max() < limit


@pytest.mark.thorough
@pytest.mark.parametrize("surface", [0, 2])
def test_the_power_cut_of_other_surfaces_is_as_exact_as_that_of_the_original(surface):
    given = drawn()
    cut = power(surface, *given) > 1e5
    given = tuple(one[cut] for one in given)
    with jax.enable_x64(True):
        found = np.asarray(jax.jit(partial(physics.wheel_slip, surface))(*map(jnp.asarray, given)))
    # Where friction falls by a step, the power has no root but falls from above the limit to below it.
    near = [power(surface, *given[:3], found + shift) for shift in (-0.006, 0.006)]
    assert ((near[0] <= 0.9975e5 * 1.000001) & (near[1] >= 0.9975e5 * 0.999999) | at_the_step(given, found)).all()


def at_the_step(given, found):
    return np.abs(np.hypot(found, given[2]) - 20) < 0.01


@pytest.mark.parametrize(
    ("place", "asked"),
    [
        # v, drift to the left, to_lft, to_rgt, backward
        ((50.0, 30.0, -5.0, 75.0, False), (0.0, 0.0)),  # off on the left and away from the road: it backs off
        ((50.0, -30.0, -5.0, 75.0, False), (0.03, 50 * 2 / 3 + 10)),
        ((50.0, 0.0, 75.0, -5.0, False), (0.03, 50 * 2 / 3 + 10)),
        ((5.0, 0.0, 75.0, -5.0, True), (0.0, -15.0)),
        ((50.0, 0.0, 30.0, 40.0, True), (0.0, 0.0)),
        ((50.0, 49.0, 30.0, 40.0, True), (-0.03, 50 * 2 / 3 + 10)),
        ((9.0, 0.0, 30.0, 40.0, False), (0.03, 9 * 2 / 3 + 10)),
        ((9.0, 0.0, 40.0, 30.0, False), (-0.03, 9 * 2 / 3 + 10)),
        ((50.0, 0.0, 40.0, 30.0, False), (0.5, 123.0)),
    ],
)
def test_the_common_routine_brings_a_car_back(place, asked):
    found = jax.jit(recovered)(0.5, 123.0, *map(jnp.asarray, place))
    assert tuple(map(float, found)) == pytest.approx(asked)
