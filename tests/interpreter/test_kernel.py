"""The kernel for a GPU against the plain interpreter, to the bit; JAX interprets it here, step by step."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from device.programs import ahead
from envs.mancala.primitives import Options, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.config.compose import Composer
from jaxgp.config.games import cast_of
from jaxgp.config.schema import Config
from jaxgp.interpreter.evaluate import evaluate, owned_by_pairs
from jaxgp.interpreter.kernels.blocks import evaluate_in_kernel, evaluate_owned_in_kernel
from jaxgp.interpreter.kernels.choice import can_run
from jaxgp.interpreter.plan import plan
from tests.config.test_compose import CONF
from tests.genotypes.generators import ARITHMETIC, MIXED, random_programs
from tests.interpreter.test_evaluate import LEAVES, ONE_FUNCTION, SQUARES, UNARY, WAYS, positions, seen_by

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
    with ahead.as_if_there():
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


def check_owned(name, owners, needed):
    """Compare the values of positions that own random programs, and of the same seen by four populations."""
    made, root, width = SETS[name]
    primitives = made()
    programs = random_programs(5, primitives, 8, 31 if primitives.functions else 1, root)
    features = jnp.asarray(positions(5, (width, len(owners)), whole=name != "arithmetic"))

    def both(programs, features):
        plans, owner = plan(primitives, programs), jnp.asarray(owners, jnp.int32)
        kernel = partial(evaluate_owned_in_kernel, primitives, block=4, interpret=True)
        several = jax.vmap(kernel, (None, None, 0, None))(plans, owner, jnp.stack([features] * 4), needed)
        return (
            owned_by_pairs(primitives, plans, owner, features, needed),
            kernel(plans, owner, features, needed),
            several,
        )

    expected, values, several = jax.jit(both)(programs, features)
    assert values.shape == (len(owners),)
    np.testing.assert_array_equal(values[:needed], expected[:needed])
    np.testing.assert_array_equal(several, np.stack([values] * 4))


def test_each_position_has_the_value_of_the_program_that_owns_it():
    check_owned("arithmetic", [0, 0, 0, 2, 2, 3, 3, 3, 3, 3, 7, 1, 0], 11)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SETS)
def test_positions_of_every_set_have_the_values_of_their_owners(name):
    check_owned(name, [0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7], 17)


@pytest.mark.thorough
def test_no_position_needs_a_value():
    check_owned("leaves", [3, 2, 1], 0)


@pytest.mark.thorough
def test_packed_features_have_the_values_of_plain_ones():
    programs = random_programs(14, SQUARES, 20, 40, int(SQUARES.root_type[0]))
    packed, features = seen_by(SQUARES, np.random.default_rng(8), 13)

    def ways(programs):
        plans, owner = plan(SQUARES, programs), jnp.arange(13)
        kernel = partial(evaluate_in_kernel, SQUARES, plans, block=4, interpret=True)
        apart = kernel(jax.tree.map(lambda x: jnp.stack([jnp.asarray(x)] * 20), packed))
        owned = evaluate_owned_in_kernel(SQUARES, plans, owner, packed, jnp.int32(13), interpret=True)
        return evaluate(SQUARES, plans, features), kernel(packed), apart, owned

    expected, shared, apart, owned = jax.jit(ways)(programs)
    np.testing.assert_array_equal(shared, expected)
    np.testing.assert_array_equal(apart, expected)
    np.testing.assert_array_equal(owned, np.diag(expected[:13]))


GAMES = {
    "game=mancala": True,
    "game=chess": True,
    "game=othello program.role=leaf": True,
    "game=backgammon": True,
    "game=lose_checkers": True,
    "experiment=freecell_policy": True,
    "game=rush_hour": True,
    "game=morpion": True,
    "game=rars": False,
    "game=robocode": False,
}
"""Whether a kernel can compute the functions of sets: RARS rounds, Robocode looks at features by computed numbers."""


@pytest.mark.thorough
@pytest.mark.parametrize("words", GAMES)
def test_sets_of_games_can_run_in_the_kernel(words):
    with Composer(Config, CONF, "config") as composer:
        language = cast_of(composer.compose(words.split()), envs).language
    with ahead.as_if_there():
        assert can_run.__wrapped__(language) == GAMES[words]
