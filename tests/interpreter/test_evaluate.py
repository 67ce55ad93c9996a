"""The interpreter against a plain evaluator, on random programs over several sets."""

from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from envs.mancala.primitives import Options, primitive_set
from envs.mancala.rules import Mancala
from jaxgp.genotypes.primitives import BOOL, FLOAT, Integers, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_tree
from jaxgp.interpreter.evaluate import Packed, each_its_own, evaluate, evaluate_programs, evaluate_where, in_segments
from jaxgp.interpreter.plan import plan
from tests.genotypes.generators import ARITHMETIC, MIXED, NUMPY_CALLS, random_programs, tree_at
from tests.reference import evaluator

WAYS = ("zero", "modulo", "clamp")
MANCALA = primitive_set(Mancala(), Options())
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


CASES = {
    **{way: (primitive_set(Mancala(), Options(value_at_out_of_range=way)), 0, 14, 1300) for way in WAYS},
    "arithmetic": (ARITHMETIC, 0, 8, 1600),
    **{f"mixed-{i}": (MIXED, int(root), 4, 1300) for i, root in enumerate(MIXED.root_type)},
    "unary": (UNARY, 0, 2, 300),
    "one function": (ONE_FUNCTION, 0, 1, 300),
    "leaves": (LEAVES, 0, 2, 20),
}


@pytest.mark.parametrize("case", CASES)
def test_equals_the_plain_evaluator(case):
    """More than 10,000 programs in all, bit for bit, every primitive among them."""
    primitives, root, width, count = CASES[case]
    longest = 1 if case == "leaves" else 63
    programs = random_programs(7, primitives, count, longest, root)
    used = np.unique(np.concatenate([programs.opcode[i, :n] for i, n in enumerate(programs.length)]))
    assert len(used) == len(primitives.primitives)
    features = positions(1, (count, width, 3), whole=case != "arithmetic")
    planner, evaluator_ = compiled(primitives)
    values = np.asarray(evaluator_(planner(programs), features))
    assert values.dtype == np.float32
    way = case if case in WAYS else "zero"
    np.testing.assert_array_equal(values, reference(primitives, programs, features, way))


def test_ten_thousand_programs_are_compared():
    assert sum(count for *_, count in CASES.values()) >= 10_000


@pytest.mark.parametrize("cases", [1, 40])
def test_long_programs_of_very_different_lengths(cases):
    programs = random_programs(3, MANCALA, 40, 400, smallest=1)
    features = positions(2, (40, 14, cases))
    planner, run = compiled(MANCALA)
    np.testing.assert_array_equal(run(planner(programs), features), reference(MANCALA, programs, features))


def test_single_program_shared_features_and_trees_equal_the_batch():
    programs = random_programs(11, MIXED, 12, 31, int(MIXED.root_type[2]))
    features = positions(3, (12, 4, 5))
    planner, run = compiled(MIXED)
    plans = planner(programs)
    whole = np.asarray(run(plans, features))
    for i in range(12):
        np.testing.assert_array_equal(run(planner(tree_at(programs, i)), features[i]), whole[i])
    shared = np.asarray(run(plans, features[0]))
    np.testing.assert_array_equal(shared, run(plans, np.broadcast_to(features[0], features.shape)))
    grid = jax.tree.map(lambda field: field.reshape(4, 3, *field.shape[1:]), programs)
    trees = np.asarray(run(planner(grid), features[:4]))
    assert trees.shape == (4, 3, 5)
    np.testing.assert_array_equal(trees.reshape(12, 5), reference(MIXED, programs, np.repeat(features[:4], 3, axis=0)))
    np.testing.assert_array_equal(np.asarray(run(planner(grid), features[0])).reshape(12, 5), shared)
    at_once = jax.jit(partial(evaluate_programs, MIXED))
    np.testing.assert_array_equal(at_once(programs, features), whole)


def test_positions_that_matter_equal_the_batch():
    programs = random_programs(13, MIXED, 120, 40, int(MIXED.root_type[0]), smallest=1)
    features, active = positions(5, (60, 4, 3)), np.random.default_rng(6).random((60, 3)) < 0.4
    planner, run = compiled(MIXED)
    plans = planner(jax.tree.map(lambda field: field.reshape(60, 2, *field.shape[1:]), programs))
    some = np.asarray(jax.jit(partial(evaluate_where, MIXED))(plans, features, active))
    whole = np.asarray(run(plans, features))
    here = np.broadcast_to(active[:, None], whole.shape)
    np.testing.assert_array_equal(some[here], whole[here])


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
    return packed, np.asarray(packed.unpacked())


@pytest.mark.parametrize("primitives", [MIXED, SQUARES, LEAVES], ids=lambda primitives: primitives.name)
@pytest.mark.parametrize("way", [in_segments, each_its_own])
def test_each_program_is_run_on_its_own_positions(primitives, way):
    """More positions than are taken at a time, one, none; those at the end are nobody's concern."""
    root = int(primitives.root_type[0])
    programs = random_programs(14, primitives, 7, 40 if primitives.functions else 1, root, smallest=1)
    rng = np.random.default_rng(8)
    shown, features = seen_by(primitives, rng, 300)
    whose = np.repeat(np.arange(7, dtype=np.int32), [70, 1, 0, 129, 60, 20, 10])
    needed, anyone = len(whose), np.tile(np.array([5, 6, 0, 3, 4], np.int32), 2)
    whose = np.concatenate([whose, anyone])
    plans = compiled(primitives)[0](programs)
    found = np.asarray(jax.jit(partial(way, primitives))(plans, whose, shown, np.int32(needed)))
    everywhere = np.asarray(compiled(primitives)[1](plans, features))
    np.testing.assert_array_equal(found[:needed], everywhere[whose, np.arange(300)][:needed])
    assert len(set(found[:needed].tolist())) > 5


def test_under_an_outer_vmap():
    programs = random_programs(12, ARITHMETIC, 12, 31)
    features = positions(4, (12, 8, 5))
    planner, run = compiled(ARITHMETIC)
    whole = np.asarray(run(planner(programs), features))
    islands = jax.tree.map(lambda field: field.reshape(3, 4, *field.shape[1:]), programs)
    apart = jax.jit(jax.vmap(partial(evaluate_programs, ARITHMETIC)))(islands, features.reshape(3, 4, 8, 5))
    np.testing.assert_array_equal(np.asarray(apart).reshape(12, 5), whole)


def test_one_trace_per_shape():
    traces = []

    def counted(plans, features):
        traces.append(plans.kind.shape)
        return evaluate(ARITHMETIC, plans, features)

    run = jax.jit(counted)
    for seed in range(4):
        programs = random_programs(seed, ARITHMETIC, 8, 15)
        run(compiled(ARITHMETIC)[0](programs), jnp.asarray(positions(seed, (8, 8, 2)))).block_until_ready()
    assert len(traces) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(SUB 9 4)", 5),
        ("(SUB 1 (SUB 9 (SUB 5 2)))", -5),  # the needier argument is the second, and runs first
        ("(SUB (SUB 9 (SUB 5 2)) 1)", 5),
        ("(SUB (SUB 8 1) (SUB 9 (SUB (SUB 5 2) (SUB 1 1))))", 1),
        ("(IF_<_DO_ELSE_ 1 2 (SUB 9 1) (ADD (SUB 1 2) (SUB 3 4)))", 8),
        ("(IF_<_DO_ELSE_ 2 2 (SUB 9 1) (ADD (SUB 1 2) (SUB 3 4)))", -2),
        ("(VALUE_AT 3)", 33),
        ("(VALUE_AT (ADD 13 1))", 0),
        ("(VALUE_AT (SUB 0 1))", 0),
        ("7", 7),
    ],
)
def test_arguments_arrive_in_declared_order(text, value):
    tree = parse_tree(MANCALA, text, 20)
    board = (np.arange(14, dtype=np.float32) + 30).reshape(14, 1)
    planner, run = compiled(MANCALA)
    assert run(planner(tree), board).tolist() == [value]
