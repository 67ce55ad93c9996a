"""Functions in double precision against NumPy's, to the last bit but one; and single precision by XLA's own."""

import jax
import numpy as np
import pytest

from envs.robocode import rounding

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
