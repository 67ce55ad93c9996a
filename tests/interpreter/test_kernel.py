"""The kernel for a GPU against the plain interpreter, to the bit; JAX interprets it here, step by step."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.mancala.primitives import Options, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.errors import UsageError
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.kernels.blocks import evaluate_in_kernel
from jaxgp.interpreter.plan import Plan, plan
from tests.genotypes.generators import ARITHMETIC, MIXED, random_programs
from tests.interpreter.test_evaluate import LEAVES, ONE_FUNCTION, UNARY, WAYS, positions

KALAH = {way: partial(primitive_set, Mancala(), Options(value_at_out_of_range=way)) for way in WAYS}
SETS = {
    **{f"Kalah, {way}": (made, 0, 14) for way, made in KALAH.items()},
    "arithmetic": (lambda: ARITHMETIC, 0, 8),
    **{f"mixed-{i}": (lambda: MIXED, int(root), 4) for i, root in enumerate(MIXED.root_type)},
    "unary": (lambda: UNARY, 0, 2),
    "one function": (lambda: ONE_FUNCTION, 0, 1),
    "leaves": (lambda: LEAVES, 0, 2),
}
"""Name -> the set, the type of roots, how many features there are."""


def check(name, count, cases, nodes=63, seed=7):
    """Compare the values of random programs, each on positions of its own."""
    made, root, width = SETS[name]
    primitives = made()
    programs = random_programs(seed, primitives, count, nodes if primitives.functions else 1, root)
    features = jnp.asarray(positions(seed, (count, width, cases), whole=name != "arithmetic"))

    def both(programs, features):
        plans = plan(primitives, programs)
        kernel = partial(evaluate_in_kernel, primitives, block=4, interpret=True)
        return evaluate(primitives, plans, features), kernel(plans, features)

    expected, values = jax.jit(both)(programs, features)
    assert values.shape == (count, cases)
    np.testing.assert_array_equal(values, expected)


def lowered(primitives, plans, features):
    """Return the text of the kernel as it is lowered for a GPU."""
    run = jax.jit(partial(evaluate_in_kernel, primitives))
    return run.trace(plans, features).lower(lowering_platforms=("cuda",)).as_text()


def shapes(primitives, count, width, cases):
    programs = random_programs(7, primitives, count, 31, 0)
    return jax.eval_shape(partial(plan, primitives), programs), jax.ShapeDtypeStruct((width, cases), jnp.float32)


def test_values_are_those_of_the_plain_interpreter_where_positions_do_not_fill_a_block():
    check("arithmetic", 12, 5, nodes=23)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SETS)
def test_values_of_every_set_are_those_of_the_plain_interpreter(name):
    check(name, 60, 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_values_of_a_thousand_programs_of_every_set(name):
    """Ten thousand in all, with as many positions as a warp has threads and one more."""
    check(name, 1000, 33, seed=1)


@pytest.mark.thorough
def test_trees_of_an_individual_share_features_of_all_programs():
    programs = random_programs(3, ARITHMETIC, 6, 15, 0)
    features = jnp.asarray(positions(3, (8, 7)))

    def both(programs, features):
        plans = plan(ARITHMETIC, programs)
        trees = jax.tree.map(lambda field: field.reshape(3, 2, *field.shape[1:]), plans)
        kernel = partial(evaluate_in_kernel, ARITHMETIC, interpret=True)
        return evaluate(ARITHMETIC, plans, features), kernel(trees, features)

    expected, values = jax.jit(both)(programs, features)
    np.testing.assert_array_equal(values, expected.reshape(3, 2, 7))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["Kalah, zero", pytest.param("arithmetic", marks=pytest.mark.thorough)])
def test_lowers_for_a_gpu_as_one_kernel(name):
    made, _, width = SETS[name]
    text = lowered(made(), *shapes(made(), 64, width, 200))
    assert text.count("__gpu$xla.gpu.triton") == 1
    assert "grid_x = 64" in text
    assert "grid_y = 2" in text, "two blocks of 128 positions"
    assert "stablehlo.while" not in text


def test_packed_features_are_refused():
    with pytest.raises(UsageError, match="features"):
        evaluate_in_kernel(ARITHMETIC, Plan(*[None] * 7), "packed")
