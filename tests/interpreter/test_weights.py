"""Weights of leaves: the source's own examples, and trees walked through as text in plain Python."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.genotypes.primitives import FLOAT, Floats, Primitive, PrimitiveSet
from jaxgp.interpreter.evaluate import active_by_pairs, evaluate, uneven_by_halves
from jaxgp.interpreter.plan import argument_roots, plan
from jaxgp.interpreter.weights import divisors, leaf_values
from tests.genotypes.program_cases import parse_tree

NAMES = ["own", "other", "own_edges", "corners"]
TERMINALS = (
    *(Primitive(name, feature=at) for at, name in enumerate(NAMES)),
    Primitive("n", domain=Floats(-99, 99)),
    Primitive("two", fixed=2.0),
)
NOOP_BITS = ("0", "1", "00", "01", "10", "11")
FUNCTIONS = (
    *(
        Primitive(name, args=(FLOAT, FLOAT), call=call)
        for name, call in (("+", jnp.add), ("-", jnp.subtract), ("*", jnp.multiply))
    ),
    *(Primitive(f"B{bits}", args=(FLOAT,), call=lambda a: a, picks=1, bits=bits) for bits in NOOP_BITS),
)
PATH = PrimitiveSet("path", TERMINALS, FUNCTIONS, weighting="path")
NOOPS = PrimitiveSet("noops", TERMINALS, FUNCTIONS, weighting="noops")
BARE = PrimitiveSet("bare", TERMINALS, FUNCTIONS)
CAPACITY = 512
EYE = np.eye(len(NAMES), dtype=np.float32)


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


def run_all(primitives, texts, least=None):
    """Return steps, and values by each evaluator, of programs where one feature is 1 and all others are 0, or all are.

    Values are float32[P, F + 1]. With `least`, evaluators that go on with the unfinished programs are among them.
    """
    seen = np.pad(EYE, ((0, 0), (0, 1)))

    def run(programs):
        plans = plan(primitives, programs)
        values = [evaluate(primitives, plans, seen)]
        if least is not None:
            features = jnp.broadcast_to(seen, (len(texts), *seen.shape))
            several, active = jax.tree.map(lambda x: x[:, None], plans), np.ones((len(texts), len(EYE) + 1), bool)
            values.append(active_by_pairs(primitives, several, features, active, least)[:, 0])
            values.append(uneven_by_halves(primitives, plans, features, least))
        return plans.steps, values

    return jax.tree.map(np.asarray, jax.jit(run)(stacked(primitives, texts)))


def stacked(primitives, texts):
    trees = [parse_tree(primitives, text, CAPACITY) for text in texts]
    return jax.tree.map(lambda *x: np.stack(x), *trees)


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


WEIGHTS = {
    "own": 1,  # the string is empty
    "(B0 own)": 1,
    "(B11 own)": 1 / 3,
    "(B1 (B0 (B01 own)))": 1 / 9,
    "(+ own other)": 1,  # 0
    "(+ other own)": 1,  # 1
    "(+ other (+ other own))": 1 / 3,
    "(+ (B10 (+ other own)) other)": 1 / 5,
    **{"(B1 " * n + "own" + ")" * n: 2.0**-n for n in (60, 125)},
    **{"(B1 " * n + "own" + ")" * n: 0.0 for n in (127, 400)},
    "(B1 " * 24 + "own" + ")" * 24: 1 / (2**24 - 1),
}
NOTHING = len(NAMES)


@pytest.fixture(scope="module")
def path():
    """Random sums, programs with known weights, and others: their texts, steps and values in the set with paths."""
    return measured(PATH, [*WEIGHTS, *STEPS])


def measured(primitives, more, least=None):
    rng = np.random.default_rng(0)
    texts = [grown(rng, 7) for _ in range(32)] + more
    return texts, *run_all(primitives, texts, least)


STEPS = {
    "(B10 10)": (0, 5),  # 10 / 2
    "(B11 two)": (0, 2 / 3),  # a fixed value is a constant
    "(+ own (B1 two))": (1, 2 / 3),
    "(+ own (* 10 (B0 10)))": (1, 50 / 6),  # 10 / 2 times 10 / 6 is known beforehand
    "(B0 (+ (B1 (B0 own)) (B1 (- (B01 other) own))))": (2, 0),
}


@pytest.mark.few(4)
@pytest.mark.parametrize("text", WEIGHTS, ids=lambda text: f"{len(text)}-{text[:20]}")
def test_weights_by_hand(path, text):
    texts, _, values = path
    np.testing.assert_allclose(values[0][texts.index(text), 0], np.float32(WEIGHTS[text]), rtol=1e-6)


@pytest.mark.parametrize("text", STEPS)
def test_constants_have_weights_and_no_ops_take_no_steps(path, text):
    texts, steps, values = path
    at = texts.index(text)
    assert steps[at] == STEPS[text][0]
    np.testing.assert_allclose(values[0][at, NOTHING], STEPS[text][1], rtol=1e-6)


FEW = ["(+ other (+ other own))", "(+ other (B1 (+ other (B0 own))))", "(B11 (B1 own))"]


def test_without_paths_only_no_ops_append_digits():
    @jax.jit
    def found(trees):
        def one(tree):
            arity = jnp.asarray(NOOPS.arity)[tree.opcode.astype(jnp.int32)]
            return leaf_values(NOOPS, tree, argument_roots(tree.size.astype(jnp.int32), arity, 2), CAPACITY)

        return jax.vmap(one)(trees)

    trees = stacked(NOOPS, FEW)
    own = np.argmax((trees.opcode == NOOPS.opcode("own")) & (trees.size == 1), 1)
    assert np.asarray(found(trees))[range(3), own].tolist() == [1, 1 / 2, np.float32(1 / 7)]


@pytest.mark.slow
def test_without_weights_no_ops_append_nothing():
    assert run_all(BARE, FEW)[1][0][:, 0].tolist() == [1, 1, 1]


def grown(rng, depth):
    """Return a random sum of features as text, with no-ops in between."""
    kind = rng.integers(10)
    if depth == 0 or kind == 0:
        return str(rng.choice(NAMES))
    if kind < 4:
        return f"(B{rng.choice(NOOP_BITS)} {grown(rng, depth - 1)})"
    return f"(+ {grown(rng, depth - 1)} {grown(rng, depth - 1)})"


def check_walks(primitives, texts, values):
    """In a sum each feature's value is the sum of the weights of its leaves; all evaluators agree."""
    expected = np.zeros((32, len(NAMES)))
    for text, row in zip(texts, expected, strict=False):
        tree = parse_tree(primitives, text, CAPACITY)
        told = list(leaves(nested(text), primitives))
        for name, weight in told:
            row[NAMES.index(name)] += weight
        terminal = np.asarray(tree.size[: int(tree.length)]) == 1
        assert [Fraction(1, n) for n in np.array(divisors(primitives, tree), object)[terminal]] == [w for _, w in told]
    assert len(np.unique(expected)) > 60
    for found in values:
        np.testing.assert_allclose(found[:32, :NOTHING], expected, rtol=1e-6)


def test_random_trees_weigh_their_leaves_as_a_walk_does(path):
    check_walks(PATH, path[0], path[2])


@pytest.mark.slow
@pytest.mark.parametrize("primitives", [PATH, NOOPS], ids=lambda primitives: primitives.name)
def test_random_trees_weigh_their_leaves_so_by_every_evaluator(primitives):
    texts, _, values = measured(primitives, [], least=4)
    assert len(values) == 3
    check_walks(primitives, texts, values)


def test_what_cannot_have_weights_is_refused():
    leaf = (Primitive("x", feature=0),)
    three = Primitive("f", args=(FLOAT,) * 3, call=lambda a, b, c: a)
    with pytest.raises(ValueError, match="weights need at most two arguments"):
        PrimitiveSet("bad", leaf, (three,), weighting="path")
    with pytest.raises(ValueError, match="f is not a no-op"):
        PrimitiveSet("bad", leaf, (Primitive("f", args=(FLOAT,), call=lambda a: -a, bits="1"),))
