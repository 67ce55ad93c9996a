"""Factors of nodes: bit for bit what a plain walk through the tree finds, and no step for what is known beforehand."""

import jax
import numpy as np
import pytest

from jaxgp.genotypes.primitives import BOOL, FLOAT, Floats, Integers, Points, Primitive, PrimitiveSet
from jaxgp.interpreter.evaluate import active_by_pairs, evaluate, uneven_by_halves
from jaxgp.interpreter.plan import CONSTANT, plan
from tests.genotypes.generators import FACTORED, FACTORED_CALLS, random_programs, tree_at
from tests.genotypes.program_cases import parse_tree
from tests.reference import evaluator

COUNT, CASES = 160, 3
BOARD = np.array([[30], [31], [0], [1], [0], [1], [0], [2.5], [1]], np.float32)
STEPS = [
    ("x:2", 0, 5),
    ("7", 0, 7),  # a constant outside its domain
    ("(times:3 x)", 0, 7.5),
    ("(times:3 x:2)", 1, 15),
    ("(times:3 (times (times x:2)))", 1, 15),
    ("(null:2 x (add x x))", 0, 5),
    ("(null:2 (add x x) (add x (add x x)))", 1, 10),
    ("(null:2 (add:3 x x) (add x (add x x)))", 2, 30),
    ("(if:2 yes (add x x) (add x (add x x)))", 1, 10),
    ("(if:2 (and yes no) (add x (add x x)) (sub:0.5 x 0.5))", 2, 2),
    ("(if (not (square [2,1]) (less x (add x x))) one:3 zero)", 2, 3),
    ("(if (not no (less x (add x x))) one:3 zero)", 0, 3),
    ("(add:2 one:3 one)", 0, 8),
    ("(if (square [3,1]) x:2 x:3)", 1, 5),
    ("(read:2 one:0)", 0, 60),
    ("(read:2 (sub one one))", 0, 60),
    # A parametrised terminal that reads one feature is an operand.
    ("(square [1,1])", 0, 31),
    ("(square [2,1])", 0, 0),
    ("(square [2,2])", 0, 1),
]


def features_of(seed, count):
    """float32[P, 9, B]: what `read` and `square` find, a real number, and a truth value."""
    rng = np.random.default_rng(seed)
    found = rng.normal(size=(count, 9, CASES)).astype(np.float32)
    found[:, 1:7], found[:, 8] = rng.integers(0, 2, (count, 6, CASES)), rng.integers(0, 2, (count, CASES))
    return found


@pytest.fixture(scope="module")
def batch():
    """Random programs and then those of STEPS, with their features, plans, and values by each of the evaluators."""
    kinds = [int(FACTORED.root_type[0]), FACTORED.types.index(BOOL)]
    trees = [parse_tree(FACTORED, text, 63, kinds["(square" in text[:8]]) for text, *_ in STEPS]
    programs = random_programs(5, FACTORED, COUNT, 63)
    programs = jax.tree.map(lambda x, *more: np.concatenate([x, np.stack(more)]), programs, *trees)
    board = np.broadcast_to(BOARD, (len(trees), 9, CASES))
    features = np.concatenate([features_of(1, COUNT), board])

    def run(programs, features):
        plans = plan(FACTORED, programs)
        several = jax.tree.map(lambda x: x[:, None], plans)
        active = active_by_pairs(FACTORED, several, features, np.ones((len(features), CASES), bool))[:, 0]
        return plans, (
            evaluate(FACTORED, plans, features),
            active,
            uneven_by_halves(FACTORED, plans, features, least=80),
        )

    return programs, features, *jax.tree.map(np.asarray, jax.jit(run)(programs, features))


def test_random_programs_have_the_very_values_that_a_walk_finds(batch):
    programs, features, plans, values = batch
    used = np.unique(np.concatenate([programs.opcode[i, :n] for i, n in enumerate(programs.length[:COUNT])]))
    assert len(used) == len(FACTORED.primitives)
    expected = np.stack(
        [
            evaluator.evaluate_program(FACTORED, FACTORED_CALLS, tree_at(programs, i), features[i])
            for i in range(len(features))
        ]
    )
    assert len(np.unique(expected)) > COUNT
    assert (plans.steps[:COUNT] < (programs.size[:COUNT] > 1).sum(-1)).mean() > 0.4
    for found in values:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("case", range(len(STEPS)), ids=[text for text, *_ in STEPS])
def test_only_what_depends_on_the_position_takes_steps(batch, case):
    text, steps, value = STEPS[case]
    _, _, plans, values = batch
    assert (int(plans.steps[COUNT + case]), values[0][COUNT + case].tolist()) == (steps, [value] * CASES)
    assert (plans.root[COUNT + case] != CONSTANT) or not text.startswith("(square")


X, ADD = Primitive("x", feature=0), Primitive("add", args=(FLOAT, FLOAT), call=np.add)
CONST = Primitive("const", domain=Floats(0, 1))


@pytest.mark.parametrize(
    ("terminals", "functions", "options", "says"),
    [
        ((X,), (ADD,), {"weighting": "path"}, "weights and factors exclude each other"),
        ((X, Primitive("p", domain=Floats(0, 1), call=np.add)), (), {}, "parametrised terminal cannot have a factor"),
        ((CONST, Primitive("n", domain=Integers(0, 1))), (), {}, "a single constant of type float"),
        ((Primitive("p", domain=Points(0, 3, 0, 0, 2)),), (), {}, "a single constant of type float, a number"),
        ((Primitive("a:b", feature=0),), (), {}, "no colon"),
        ((X,), (Primitive("f", BOOL, (FLOAT,), np.isnan, domain=Floats(0, 1)),), {}, "f has a domain, but no factor"),
        ((Primitive("t", feature=0, fixed=1.0),), (), {}, "t needs a feature, a domain or a fixed value"),
        ((X,), (Primitive("f", args=(FLOAT,), call=np.abs, ignores=2),), {}, "f cannot ignore 2 arguments"),
    ],
)
def test_what_cannot_have_factors_is_refused(terminals, functions, options, says):
    with pytest.raises(ValueError, match=says):
        PrimitiveSet("bad", terminals, functions, factored=True, **options)


def test_versions_tell_sets_with_factors_and_fixed_values_apart():
    one = [PrimitiveSet("one", (X,), (ADD,), factored=flag).version for flag in (False, True)]
    two = [PrimitiveSet("two", (X, Primitive("t", fixed=value)), ()).version for value in (0.0, 1.0)]
    assert one[0] != one[1]
    assert two[0] != two[1]
    assert one[0] == "81440f3112ff"  # as before there were factors
