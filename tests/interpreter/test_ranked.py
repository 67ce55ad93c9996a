"""Ranked trees against the interpreter that they have to equal, on random programs of very different lengths."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.rars.language import Options, primitive_set
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.plan import plan
from jaxgp.interpreter.ranked import evaluate_ranked, rank
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions

LANGUAGE = primitive_set(Options())
PROGRAMS = 40


@pytest.fixture(scope="module")
def programs():
    """Programs of two trees each, from single leaves to fifty functions."""
    return create(jax.random.key(3), LANGUAGE, CreationOptions("ramped", 1, 6), PROGRAMS, 256)


@pytest.mark.parametrize("cases", [1, 3])
def test_ranked_trees_have_the_values_that_the_interpreter_gives_them(programs, cases):
    seen = jax.random.normal(jax.random.key(4), (PROGRAMS, 11, cases))

    def both(programs, seen):
        plans = plan(LANGUAGE, programs)
        return plans.steps, evaluate(LANGUAGE, plans, seen), evaluate_ranked(LANGUAGE, rank(plans), seen)

    steps, plain, ranked = jax.device_get(jax.jit(both)(programs, seen))
    assert steps.max() > 8 * np.median(steps)
    assert (steps == 0).any()
    np.testing.assert_array_equal(ranked, plain)


def test_ranks_hold_for_any_positions(programs):
    ranked = jax.jit(lambda programs: rank(plan(LANGUAGE, programs)))(programs)
    assert (jnp.diff(ranked.steps) <= 0).all()
    assert sorted(ranked.order.tolist()) == list(range(2 * PROGRAMS))
