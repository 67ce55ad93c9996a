"""Functions in double precision against NumPy's, to the last bit but one; and single precision by XLA's own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.robocode import rounding
from envs.robocode.physics import flight

X, Y = np.random.default_rng(1).normal(size=(2, 2000)) * 300
X[:4], Y[:4] = [0, 0, 5, -5], [7, -7, 0, 0]
U = np.concatenate([np.random.default_rng(2).uniform(-1, 1, 2000), [-1, -0.98, -0.5, 0, 0.5, 0.98, 1]])
CASES = {
    "arctan2": ((Y, X), np.arctan2),
    "hypot": ((Y, X), np.hypot),
    "arcsin": ((U,), np.arcsin),
    "arccos": ((U,), np.arccos),
}


@pytest.mark.parametrize("name", CASES)
def test_functions_in_double_precision_are_right_to_the_last_bit_but_one(name):
    numbers, known = CASES[name]
    with jax.enable_x64(True):
        found = np.asarray(jax.jit(getattr(rounding, name))(*numbers))
    expected = known(*numbers)
    assert np.abs(found - expected).max() <= 2 * np.spacing(np.abs(expected).max())
    assert (np.abs(found - expected) <= 2 * np.spacing(np.abs(expected)) + 1e-300).all()


def test_single_precision_is_that_of_xla():
    numbers = Y.astype(np.float32), X.astype(np.float32)
    np.testing.assert_allclose(rounding.arctan2(*map(jax.numpy.asarray, numbers)), np.arctan2(*numbers), rtol=1e-6)
    np.testing.assert_allclose(rounding.hypot(*map(jax.numpy.asarray, numbers)), np.hypot(*numbers), rtol=1e-6)


def crossed(one, other):
    """Return whether bullets cross, as `BulletPeer.intersect` of the engine computes it of their steps' ends."""
    (x1, y1, x2, y2), (x3, y3, x4, y4) = other, one
    with np.errstate(divide="ignore", invalid="ignore"):
        area = (y4 - y3) * (x2 - x1) - (x4 - x3) * (y2 - y1)
        a = ((x4 - x3) * (y1 - y3) - (y4 - y3) * (x1 - x3)) / area
        b = ((x2 - x1) * (y1 - y3) - (y2 - y1) * (x1 - x3)) / area
    return (a >= 0) & (a <= 1) & (b >= 0) & (b <= 1)


@pytest.mark.few(1)
@pytest.mark.parametrize("along", [False, True], ids=["any line", "a wall"])
def test_bullets_that_fly_at_each_other_meet_where_the_engine_rounds_so(along):
    draws = np.random.default_rng(3)
    x, y = draws.uniform(18, 782, (2, 2000)), draws.uniform(18, 582, (2, 2000))
    if along:
        y[:] = 582.0
    heading = np.mod(np.arctan2(x[::-1] - x, y[::-1] - y), 2 * np.pi)
    vx, vy = 11 * np.sin(heading), 11 * np.cos(heading)
    here, there = np.stack([x, y]), np.stack([x + vx, y + vy])
    steps, met = [], []
    with jax.enable_x64(True):
        for _ in range(40):
            lines = np.concatenate([here, there])
            given = [flight.Line(*jnp.array([*here[:, n], *(there - here)[:, n]])[..., None]) for n in range(2)]
            steps.append(crossed(lines[:, 0], lines[:, 1]))
            met.append(np.asarray(jax.vmap(flight.cross)(*given))[:, 0, 0])
            here, there = there, there + np.stack([vx, vy])
    np.testing.assert_array_equal(met, steps)
    assert np.sum(steps) == 0 if along else 0 < np.sum(steps) < 200
