"""Ranked trees against the interpreter that they have to equal, on random programs of very different lengths."""

from functools import partial

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

LANGUAGES = [primitive_set(Options()), primitive_set(Options(factors=True))]
PROGRAMS = 40


@partial(jax.jit, static_argnums=0)
def drawn(language):
    """Programs of two trees each, from single leaves to fifty functions; factors are from -2 to 2."""
    made = create(jax.random.key(3), language, CreationOptions("ramped", 1, 6), PROGRAMS, 256)
    factors = jax.random.uniform(jax.random.key(5), made.value.shape, minval=-2.0, maxval=2.0)
    return made.replace(value=jnp.where(made.size > 0, factors, 0)) if language.factored else made


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("language", "cases"), [pytest.param(LANGUAGES[0], 1, marks=pytest.mark.slow), (LANGUAGES[0], 3), (LANGUAGES[1], 1)]
)
def test_ranked_trees_have_the_values_that_the_interpreter_gives_them(language, cases):
    seen = jax.random.normal(jax.random.key(4), (PROGRAMS, 11, cases))

    def both(programs, seen):
        plans = plan(language, programs)
        return plans.steps, evaluate(language, plans, seen), evaluate_ranked(language, rank(language, plans), seen)

    steps, plain, ranked = jax.device_get(jax.jit(both)(drawn(language), seen))
    assert steps.max() > 8 * np.median(steps)
    assert (steps == 0).any()
    np.testing.assert_array_equal(ranked, plain)


@pytest.mark.thorough
def test_ranks_hold_for_any_positions():
    ranked = jax.jit(lambda programs: rank(LANGUAGES[0], plan(LANGUAGES[0], programs)))(drawn(LANGUAGES[0]))
    assert (jnp.diff(ranked.steps) <= 0).all()
    assert sorted(ranked.order.tolist()) == list(range(2 * PROGRAMS))
