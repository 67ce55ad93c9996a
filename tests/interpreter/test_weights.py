"""Weights of leaves: the source's own examples, and trees walked through as text in plain Python."""

from fractions import Fraction
from functools import cache

import jax
import numpy as np
import pytest

from envs.othello.moves import Options, primitive_set
from envs.othello.rules import Othello
from jaxgp.genotypes.primitives import FLOAT, Primitive, PrimitiveSet
from jaxgp.genotypes.text import parse_tree
from jaxgp.interpreter.evaluate import evaluate, evaluate_where, narrowing
from jaxgp.interpreter.plan import plan
from jaxgp.interpreter.weights import divisors
from tests.envs.replays import FAST

PATH = primitive_set(Othello(), Options(weights="path", noop_bits=2))
NOOPS = primitive_set(Othello(), Options(weights="noops", noop_bits=2))
BARE = primitive_set(Othello(), Options(noop_bits=2))
NAMES = [p.name for p in PATH.terminals]
CAPACITY = 512
EYE = np.eye(len(NAMES) - 1, dtype=np.float32)


def leaves(node, primitives, bits=""):
    """Walk a tree of nested lists; yield (name, weight) of each leaf from left to right."""
    if isinstance(node, str):
        yield node, Fraction(1, int(bits or "0", 2) or 1)
    elif len(node) == 2:
        yield from leaves(node[1], primitives, bits + node[0].removeprefix("B"))
    else:
        for digit, child in zip("01", node[1:], strict=True):
            yield from leaves(child, primitives, bits + (digit if primitives is PATH else ""))


def nested(text):
    """Read an S-expression into lists."""
    stack = [[]]
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    return stack[0][0]


@cache
def compiled(primitives):
    """Return (program [L], features [F, B]) -> its instructions and its values."""

    def run(tree, features):
        plans = plan(primitives, tree)
        return plans.steps, evaluate(primitives, plans, features)

    return jax.jit(run, compiler_options=FAST)


def run(primitives, text, features=EYE):
    """Return how many steps a program takes, and its values; by default where one feature is 1 and all others 0."""
    steps, values = compiled(primitives)(parse_tree(primitives, text, CAPACITY), features)
    return int(steps), np.asarray(values)


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("(+ (* own other) own_edges)", {"own": 8, "other": 9, "own_edges": 5}),
        # The source reads 010010 as 19; it is 18.
        ("(+ (B1 (* own (B1 (B0 other)))) own_edges)", {"own": 18, "other": 78, "own_edges": 5}),
    ],
)
def test_the_examples_of_the_source(inner, expected):
    """They stand at a node of path 010: left, right, left."""
    tree = parse_tree(PATH, f"(+ (+ 10 (+ {inner} 10)) 10)", CAPACITY)
    found = divisors(PATH, tree)
    codes = np.asarray(tree.opcode[: int(tree.length)])
    assert {name: found[list(codes).index(PATH.opcode(name))] for name in expected} == expected


@pytest.mark.parametrize(
    ("primitives", "text", "weight"),
    [
        (PATH, "own", 1),  # the string is empty
        (PATH, "(B0 own)", 1),
        (PATH, "(B11 own)", 1 / 3),
        (PATH, "(B1 (B0 (B01 own)))", 1 / 9),
        (PATH, "(+ own other)", 1),  # 0
        (PATH, "(+ other own)", 1),  # 1
        (PATH, "(+ other (+ other own))", 1 / 3),
        (PATH, "(+ (B10 (+ other own)) other)", 1 / 5),
        (NOOPS, "(+ other (+ other own))", 1),
        (NOOPS, "(+ other (B1 (+ other (B0 own))))", 1 / 2),
        (BARE, "(B11 (B1 own))", 1),
    ],
)
def test_weights_by_hand(primitives, text, weight):
    assert run(primitives, text)[1][0] == np.float32(weight)


def test_constants_have_weights():
    steps, values = run(PATH, "(B10 10)", 0 * EYE)
    assert (steps, values[0]) == (0, 5)
    steps, values = run(PATH, "(+ own (* 10 (B0 10)))", 0 * EYE)  # 10 / 2 times 10 / 6 is known beforehand
    assert steps == 1
    np.testing.assert_allclose(values, 50 / 6, rtol=1e-6)


def test_fixed_values_have_weights_like_constants():
    fixed = PrimitiveSet(
        "fixed", (Primitive("x", feature=0), Primitive("two", fixed=2.0)), PATH.functions, weighting="path"
    )
    steps, values = run(fixed, "(B11 two)", np.ones((1, 1), np.float32))
    assert (steps, values[0]) == (0, np.float32(2) * np.float32(1 / 3))
    assert run(fixed, "(+ x (B1 two))", np.ones((1, 1), np.float32))[1][0] == 1 + np.float32(2) * np.float32(1 / 3)


def test_no_ops_take_no_steps():
    assert run(PATH, "(B0 (+ (B1 (B0 own)) (B1 (- (B01 other) own))))")[0] == 2


@pytest.mark.parametrize(
    ("ones", "weight"), [(24, 1 / (2**24 - 1)), (60, 2.0**-60), (125, 2.0**-125), (127, 0.0), (400, 0.0)]
)
def test_weights_of_deep_leaves_tend_to_zero(ones, weight):
    np.testing.assert_allclose(run(PATH, "(B1 " * ones + "own" + ")" * ones)[1][0], weight, rtol=1e-6)


def grown(rng, depth):
    """Return a random sum of features as text, with no-ops in between."""
    kind = rng.integers(10)
    if depth == 0 or kind == 0:
        return str(rng.choice(NAMES[:-1]))
    if kind < 4:
        return f"(B{rng.choice(['0', '1', '00', '01', '10', '11'])} {grown(rng, depth - 1)})"
    return f"(+ {grown(rng, depth - 1)} {grown(rng, depth - 1)})"


@pytest.mark.parametrize("primitives", [PATH, NOOPS], ids=["path", "noops"])
def test_random_trees_weigh_their_leaves_as_a_walk_does(primitives):
    """In a sum each feature's value is the sum of the weights of its leaves; all evaluators agree."""
    rng = np.random.default_rng(0)
    texts = [grown(rng, 7) for _ in range(32)]
    trees = [parse_tree(primitives, text, CAPACITY) for text in texts]
    expected = np.zeros((len(texts), len(EYE)))
    for text, tree, row in zip(texts, trees, expected, strict=True):
        told = list(leaves(nested(text), primitives))
        for name, weight in told:
            row[NAMES.index(name)] += weight
        terminal = np.asarray(tree.size[: int(tree.length)]) == 1
        assert [Fraction(1, n) for n in np.array(divisors(primitives, tree), object)[terminal]] == [w for _, w in told]
    assert len(np.unique(expected)) > 60

    def run(programs, features):
        plans = plan(primitives, programs)
        several = jax.tree.map(lambda x: x[:, None], plans)
        where = evaluate_where(primitives, several, features, np.ones((len(texts), 8), bool), least=4)[:, 0]
        return evaluate(primitives, plans, features), where, narrowing(primitives, plans, features, least=4)

    stacked = jax.tree.map(lambda *x: np.stack(x), *trees)
    features = np.broadcast_to(EYE, (len(texts), *EYE.shape))
    for found in jax.jit(run, compiler_options=FAST)(stacked, features):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_what_cannot_have_weights_is_refused():
    leaf = (Primitive("x", feature=0),)
    three = Primitive("f", args=(FLOAT,) * 3, call=lambda a, b, c: a)
    with pytest.raises(ValueError, match="weights need at most two arguments"):
        PrimitiveSet("bad", leaf, (three,), weighting="path")
    with pytest.raises(ValueError, match="f is not a no-op"):
        PrimitiveSet("bad", leaf, (Primitive("f", args=(FLOAT,), call=lambda a: -a, bits="1"),))
