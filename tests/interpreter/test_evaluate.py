"""The interpreter against a plain evaluator, on random programs over several sets."""

from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.mancala.primitives import Options, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Integers, Primitive, PrimitiveSet
from jaxgp.interpreter.evaluate import (
    Packed,
    active_by_pairs,
    evaluate,
    evaluate_owned,
    evaluate_programs,
    evaluate_uneven,
    owned_by_pairs,
    owned_in_segments,
)
from jaxgp.interpreter.kernels.blocks import evaluate_in_kernel
from jaxgp.interpreter.plan import plan
from jaxgp.interpreter.ranked import evaluate_ranked, rank
from jaxgp.native.build import SWITCH
from tests.genotypes.generators import (
    ARITHMETIC,
    MIXED,
    NUMPY_CALLS,
    random_programs,
    tree_at,
    unpacked,
)
from tests.genotypes.program_cases import parse_tree
from tests.operators.operator_cases import stacked
from tests.reference import evaluator

WAYS = ("zero", "modulo", "clamp")
UNARY = PrimitiveSet(
    "unary",
    (Primitive("x", feature=1), Primitive("n", domain=Integers(0, 9))),
    (Primitive("neg", args=(FLOAT,), call=lambda a: -a), Primitive("half", args=(FLOAT,), call=lambda a: a / 2)),
)
ONE_FUNCTION = PrimitiveSet("one", (Primitive("x", feature=0),), (ARITHMETIC.functions[1],))
LEAVES = PrimitiveSet("leaves", (Primitive("x", feature=1), Primitive("n", domain=Integers(0, 9))), ())


def positions(seed, shape, whole=True):
    """float32[..., F, B] of small numbers, whole ones where comparisons should often tie."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 6, shape) if whole else rng.normal(size=shape)
    return drawn.astype(np.float32)


def value_at(way):
    """The three readings of VALUE_AT, each position on its own."""

    def read(board, index):
        whole = index.astype(np.int64)
        inside = (whole >= 0) & (whole < 14)
        place = whole % 14 if way == "modulo" else np.clip(whole, 0, 13)
        found = board[place, np.arange(len(place))]
        return np.where(inside, found, 0) if way == "zero" else found

    return read


def calls_of(way):
    return NUMPY_CALLS | {
        "ADD": np.add,
        "SUB": np.subtract,
        "VALUE_AT": value_at(way),
        "IF_<_DO_ELSE_": lambda a, b, yes, no: np.where(a < b, yes, no),
    }


def reference(primitives, programs, features, way="zero"):
    calls = calls_of(way)
    return np.stack(
        [
            evaluator.evaluate_program(primitives, calls, tree_at(programs, i), features[i])
            for i in range(len(programs.length))
        ]
    )


@lru_cache
def compiled(primitives):
    return jax.jit(partial(plan, primitives)), jax.jit(partial(evaluate, primitives))


def check(primitives, programs, features, way="zero"):
    """Compare values bit for bit; every primitive has to be among the programs."""
    used = np.unique(np.concatenate([programs.opcode[i, :n] for i, n in enumerate(programs.length)]))
    assert len(used) == len(primitives.primitives)
    planner, run = compiled(primitives)
    values = np.asarray(run(planner(programs), features))
    assert values.dtype == np.float32
    np.testing.assert_array_equal(values, reference(primitives, programs, features, way))


@pytest.mark.thorough
@pytest.mark.parametrize("primitives", [ONE_FUNCTION, LEAVES], ids=lambda primitives: primitives.name)
def test_sets_of_one_function_and_of_none(primitives):
    programs = random_programs(7, primitives, 20, 15 if primitives.functions else 1)
    check(primitives, programs, positions(1, (20, 2, 3)))


CASES = {
    **{way: (partial(Options, value_at_out_of_range=way), 0, 14, 1300) for way in WAYS},
    "arithmetic": (ARITHMETIC, 0, 8, 1600),
    **{f"mixed-{i}": (MIXED, int(root), 4, 1300) for i, root in enumerate(MIXED.root_type)},
    "unary": (UNARY, 0, 2, 300),
    "one function": (ONE_FUNCTION, 0, 1, 300),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_equals_the_plain_evaluator(case):
    """10,000 programs in all, every primitive among them."""
    primitives, root, width, count = CASES[case]
    primitives = primitives if isinstance(primitives, PrimitiveSet) else primitive_set(Mancala(), primitives())
    programs = random_programs(7, primitives, count, 63, root)
    features = positions(1, (count, width, 3), whole=case != "arithmetic")
    check(primitives, programs, features, case if case in WAYS else "zero")


@pytest.mark.slow
@pytest.mark.parametrize("cases", [1, 40])
def test_long_programs_of_very_different_lengths(cases):
    primitives = primitive_set(Mancala(), Options())
    check(primitives, random_programs(3, primitives, 40, 400, smallest=1), positions(2, (40, 14, cases)))


COUNT = 72


@pytest.fixture(scope="module")
def mixed():
    """Programs [72] of all root types in turn, and features [72, 4, 3]; what the entry points say of them, by name."""
    by_root = [random_programs(7 + root, MIXED, COUNT // 3, 40, root, smallest=1) for root in MIXED.root_type.tolist()]
    programs = jax.tree.map(lambda *x: np.stack(x, 1).reshape(COUNT, *x[0].shape[1:]), *by_root)
    features = positions(1, (COUNT, 4, 3))
    active = np.random.default_rng(6).random((COUNT // 3, 3)) < 0.4

    def run(programs, features):
        plans = plan(MIXED, programs)
        grid = jax.tree.map(lambda x: x.reshape(COUNT // 3, 3, *x.shape[1:]), plans)
        return {
            "each": evaluate(MIXED, plans, features),
            "trees": evaluate(MIXED, grid, features[::3]),
            "active": active_by_pairs(MIXED, grid, features[::3], active),
            "uneven": evaluate_uneven(MIXED, plans, features),
            "alone": evaluate(MIXED, tree_at_plan(plans, 5), features[5]),
        }

    values = jax.tree.map(np.asarray, jax.jit(run)(programs, features))
    return programs, features, active, values


def tree_at_plan(plans, index):
    return jax.tree.map(lambda x: x[index], plans)


def test_programs_of_all_types_equal_the_plain_evaluator(mixed):
    programs, features, _, values = mixed
    used = np.unique(np.concatenate([programs.opcode[i, :n] for i, n in enumerate(programs.length)]))
    assert len(used) == len(MIXED.primitives)
    np.testing.assert_array_equal(values["each"], reference(MIXED, programs, features))


def test_trees_and_single_programs_equal_the_batch(mixed):
    programs, features, _, values = mixed
    assert values["trees"].shape == (COUNT // 3, 3, 3)
    first = features[np.arange(COUNT) // 3 * 3]
    np.testing.assert_array_equal(values["trees"].reshape(COUNT, 3), reference(MIXED, programs, first))
    np.testing.assert_array_equal(values["uneven"], values["each"])
    np.testing.assert_array_equal(values["alone"], values["each"][5])


def test_pairs_that_matter_equal_the_batch(mixed):
    _, _, active, values = mixed
    here = np.broadcast_to(active[:, None], values["trees"].shape)
    np.testing.assert_array_equal(values["active"][here], values["trees"][here])


SQUARES = PrimitiveSet(
    "squares",
    (
        *(Primitive(f"s{at}", feature=at, returns=BOOL) for at in (0, 31, 32, 63)),
        Primitive("x", feature=64),
        Primitive("n", domain=Integers(0, 9)),
    ),
    (
        Primitive("+", args=(FLOAT, FLOAT), call=jnp.add),
        Primitive("if", args=(BOOL, FLOAT, FLOAT), call=jnp.where),
        Primitive("not", args=(BOOL,), returns=BOOL, call=jnp.logical_not),
    ),
)
"""Truth values of two words, and a number."""


def seen_by(primitives, rng, number):
    """What a set sees of so many positions, as programs are shown it and as float32[F, B]."""
    if primitives is not SQUARES:
        seen = rng.integers(0, 6, (4, number)).astype(np.float32)
        return seen, seen
    packed = Packed(
        rng.integers(0, 2**32, (2, number), dtype=np.uint32), rng.normal(size=(1, number)).astype(np.float32)
    )
    return packed, unpacked(packed)


@pytest.mark.thorough
@pytest.mark.parametrize("order", ["neighbours", "mixed"])
@pytest.mark.parametrize(
    "primitives",
    [SQUARES, *(pytest.param(some, marks=pytest.mark.slow) for some in (MIXED, LEAVES))],
    ids=lambda primitives: primitives.name,
)
def test_each_program_is_run_on_its_own_positions(primitives, order):
    """More positions than are taken at a time, one, none; those at the end are nobody's concern."""
    root = int(primitives.root_type[0])
    programs = random_programs(14, primitives, 7, 40 if primitives.functions else 1, root, smallest=1)
    rng = np.random.default_rng(8)
    shown, features = seen_by(primitives, rng, 300)
    owner = np.repeat(np.arange(7, dtype=np.int32), [70, 1, 0, 129, 60, 20, 10])
    if order == "mixed":
        owner = rng.permutation(owner)
    needed, anyone = len(owner), np.tile(np.array([5, 6, 0, 3, 4], np.int32), 2)
    owner = np.concatenate([owner, anyone])

    def run(programs, owner, needed):
        plans = plan(primitives, programs)
        several = (evaluate_owned, owned_in_segments, owned_by_pairs)
        ways = [way(primitives, plans, owner, shown, needed) for way in several]
        return ways, evaluate(primitives, plans, features)

    ways, everywhere = jax.tree.map(np.asarray, jax.jit(run)(programs, owner, np.int32(needed)))
    for found in ways:
        np.testing.assert_array_equal(found[:needed], everywhere[owner, np.arange(300)][:needed])
        assert len(set(found[:needed].tolist())) > 5


NEAR_ONE = 1 + 2.0**-13
SUMS = PrimitiveSet(
    "sums",
    (Primitive("x", feature=0), Primitive("const", domain=Floats(-5.0, 5.0))),
    (Primitive("add", args=(FLOAT, FLOAT), call=jnp.add),),
    factored=True,
)


@pytest.mark.parametrize("native", ["on", "off"])
def test_products_with_factors_are_rounded_before_they_are_added(native, optimized, monkeypatch):
    """(1 + 2^-13)^2 - (1 + 2^-12) is 2^-26; as float32 the square is 1 + 2^-12."""
    less = -1 - 2.0**-12
    monkeypatch.setenv(SWITCH, native)
    texts = [f"(add x:{NEAR_ONE} {less})", f"(add {less} x:{NEAR_ONE})"]
    programs = stacked([parse_tree(SUMS, text, 16) for text in texts * 10])
    features = jnp.full((20, 9, 16), NEAR_ONE, jnp.float32)

    def run(programs, features):
        plans = plan(SUMS, programs)
        owner, needed = jnp.zeros(16, jnp.int32), jnp.int32(16)
        return {
            "each": evaluate(SUMS, plans, features),
            "alone": evaluate(SUMS, jax.tree.map(lambda x: x[0], plans), features[0]),
            "uneven": evaluate_uneven(SUMS, plans, features),
            "owned": evaluate_owned(SUMS, plans, owner, features[0], needed),
            "by pairs": owned_by_pairs(SUMS, plans, owner, features[0], needed),
            "ranked": evaluate_ranked(SUMS, rank(SUMS, plans), features),
            "kernel": evaluate_in_kernel(SUMS, plans, features, block=4, interpret=True),
        }

    found = jax.jit(run)(programs, features)
    assert [way for way, values in found.items() if values.any()] == []


@pytest.mark.thorough
def test_under_an_outer_vmap_and_with_one_trace_per_shape():
    traces = []

    def islands(programs, features):
        traces.append(features.shape)
        return jax.vmap(partial(evaluate_programs, ARITHMETIC))(programs, features)

    run = jax.jit(islands)
    for seed in range(3):
        programs, features = random_programs(seed, ARITHMETIC, 12, 15), positions(seed, (12, 8, 5))
        fields = jax.tree.map(lambda x: x.reshape(3, 4, *x.shape[1:]), (programs, features))
        np.testing.assert_array_equal(run(*fields).reshape(12, 5), reference(ARITHMETIC, programs, features))
    assert len(traces) == 1
