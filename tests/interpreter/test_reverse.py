"""Reverse mode against JAX's own, on a plain evaluator; against finite differences; and against the interpreter."""

from dataclasses import replace
from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxgp.errors import UsageError
from jaxgp.genotypes import surrogates
from jaxgp.genotypes.primitives import BOOL, FLOAT, OWN, Floats, Integers, Primitive, PrimitiveSet
from jaxgp.interpreter.evaluate import evaluate_programs
from jaxgp.interpreter.reverse.gradients import (
    Examples,
    loss_and_slopes,
    losses,
    memory_bytes,
    plan_tapes,
    slopes_by_features,
)
from jaxgp.interpreter.reverse.tape import unfit
from tests.genotypes.generators import ARITHMETIC, FACTORED, MIXED, random_programs

GRADIENTS = dict.fromkeys(("+", "-", "*", "max", "neg", "sub", "mid", "add", "times", "null"), OWN) | {
    "less": surrogates.smaller,
    "and": surrogates.both,
    "not": surrogates.negation,
    "if": surrogates.choose,
}


def graded(primitives):
    """Return a set whose functions say what they pass back; what reads features passes nothing."""
    return replace(
        primitives, functions=tuple(replace(p, gradient=GRADIENTS.get(p.name)) for p in primitives.functions)
    )


SETS = {one.name: graded(replace(one, roots=(FLOAT,))) for one in (ARITHMETIC, MIXED, FACTORED)}
CAPACITY, POINTS = 24, 7
RNG = np.random.default_rng(0)
FEATURES, TARGET = (RNG.normal(size=shape).astype(np.float32) for shape in ((9, POINTS), (POINTS,)))


def squared(values, known):
    return jnp.square(values - known).mean()


def call(p, features, args):
    """Return the value of a function with the gradient that is declared."""
    passed = [arg != 0 if kind == BOOL else arg for arg, kind in zip(args, p.args or [FLOAT], strict=True)]
    hard = jnp.asarray(p.call(*([features] if p.reads_features or not p.args else []), *passed), jnp.float32)
    if p.gradient is None:
        return lax.stop_gradient(hard)
    return hard if p.gradient == OWN else surrogates.straight(p.gradient(*args), hard)


def recursive(primitives, tree, value, features, node=None):
    """Return float32[B]: the value of a node, from those of its arguments; by default of the root."""
    node = int(tree.length) - 1 if node is None else node
    code, number = int(tree.opcode[node]), value[node]
    p, args, at = primitives.primitives[code], [], node - 1
    for _ in p.args:
        args.insert(0, recursive(primitives, tree, value, features, at))
        at -= int(tree.size[at])
    if p.is_constant:
        return jnp.full(POINTS, number)
    fixed = jnp.full(POINTS, number if p.fixed is None else p.fixed)
    found = features[p.feature] if p.feature is not None else fixed
    found = call(p, features, args or [fixed]) if p.call else found
    return found * number if primitives.scaled[code] else found


def in_order(primitives, tree, value, features):
    """Return float32[B]: the value of a program, node by node in one scan, which JAX can differentiate."""
    arity = jnp.asarray(primitives.arity)

    def kind(p):
        def found(number, *args):
            if p.is_constant:
                return jnp.full(POINTS, number)
            fixed = jnp.full(POINTS, number if p.fixed is None else p.fixed)
            value = features[p.feature] if p.feature is not None else fixed
            value = call(p, features, args[: p.arity] or [fixed]) if p.call else value
            return value * number if primitives.scaled[primitives.opcode(p.name)] else value

        return found

    def visit(values, node):
        code, width = tree.opcode[node].astype(jnp.int32), primitives.max_arity
        ends = [node - 1]
        for _ in range(width - 1):
            ends.append(ends[-1] - tree.size[ends[-1]].astype(jnp.int32))
        back = arity[code] - 1 - np.arange(width)
        args = values[jnp.stack(ends)[jnp.maximum(back, 0)]]
        found = lax.switch(code, [kind(p) for p in primitives.primitives], value[node], *args)
        return values.at[node].set(found), None

    values, _ = lax.scan(visit, jnp.zeros((CAPACITY, POINTS)), jnp.arange(CAPACITY))
    return values[tree.length - 1]


@lru_cache
def programs(name, count, seed):
    return jax.tree.map(lambda x: jnp.asarray(x)[:, None], random_programs(seed, SETS[name], count, CAPACITY))


@lru_cache
def slopes(name, count, seed):
    """Return the losses and the gradients of random programs, in one block."""
    primitives, found = SETS[name], programs(name, count, seed)
    examples = Examples(FEATURES[None], np.zeros((1, POINTS), np.int32), TARGET[None])
    return jax.jit(lambda some: loss_and_slopes(primitives, plan_tapes(primitives, some), some, examples, squared))(
        found
    )


def numbers(primitives, tree):
    """Return bool[L]: the nodes whose numbers steps can change."""
    return primitives.tunable[tree.opcode] & (np.arange(CAPACITY) < tree.length)


def agree(mine, other, which):
    """Whether gradients agree in float32, relative to the greatest derivative of the program."""
    mine, other = np.where(which, mine, 0), np.where(which, other, 0)
    return np.abs(mine - other).max(-1) <= 1e-4 * (1e-2 + np.abs(other).max(-1))


SOME = ("factored", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("arithmetic", "mixed")))


@pytest.mark.thorough
@pytest.mark.parametrize("name", SOME)
def test_values_are_those_of_the_interpreter_bit_for_bit(name):
    primitives, found = SETS[name], programs(name, 200, 1)
    first = Examples(FEATURES[None], np.zeros((1, POINTS), np.int32), np.arange(POINTS)[None])
    at = lambda place: losses(primitives, plan_tapes(primitives, found), found, first, lambda v, _: v[place])  # noqa: E731
    values = jax.jit(lambda: jnp.stack([at(place) for place in range(POINTS)], 1))()
    one = jax.tree.map(lambda x: x[:, 0], found)
    expected = jax.jit(partial(evaluate_programs, primitives))(one, jnp.asarray(FEATURES))
    assert np.array_equal(values, expected, equal_nan=True)


@pytest.mark.parametrize("name", SOME)
def test_gradients_are_those_of_a_recursive_evaluator(name):
    primitives, found = SETS[name], programs(name, 200, 1)
    lost, mine = slopes(name, 200, 1)
    most = np.argsort(
        [-numbers(primitives, jax.tree.map(lambda x, n=n: np.asarray(x)[n, 0], found)).sum() for n in range(200)]
    )
    for number in most[:2]:
        tree = jax.tree.map(lambda x, n=number: np.asarray(x)[n, 0], found)
        plain = lambda value, tree=tree: squared(recursive(primitives, tree, value, FEATURES), TARGET)  # noqa: E731
        loss, gradient = jax.jit(jax.value_and_grad(plain))(tree.value)
        assert lost[number] == pytest.approx(float(loss), rel=1e-5)
        assert agree(mine[number, 0], gradient, numbers(primitives, tree)).all()


def compare(name, count, seed):
    """Return how many of so many random programs have the gradient of JAX, where it is finite, and how many do not."""
    primitives, found = SETS[name], programs(name, count, seed)
    plain = jax.grad(lambda value, tree: squared(in_order(primitives, tree, value, FEATURES), TARGET))
    one = jax.tree.map(lambda x: x[:, 0], found)
    gradient = np.asarray(jax.jit(jax.vmap(lambda tree: plain(tree.value, tree)))(one))
    which = primitives.tunable[np.asarray(one.opcode)] & (np.arange(CAPACITY) < np.asarray(one.length)[:, None])
    finite = np.isfinite(np.where(which, gradient, 0)).all(-1)
    same = agree(np.asarray(slopes(name, count, seed)[1])[:, 0], gradient, which)
    return int((same & finite).sum()), int((~same & finite).sum())


@pytest.mark.thorough
@pytest.mark.parametrize("name", SETS)
def test_gradients_of_hundreds_of_programs_are_those_of_a_scan(name):
    same, others = compare(name, 400, 2)
    assert (same > 390, others) == (True, 0)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SETS)
def test_derivatives_by_features_are_those_of_a_scan(name):
    primitives, found = SETS[name], programs(name, 200, 1)
    _, mine = jax.jit(lambda some: slopes_by_features(primitives, plan_tapes(primitives, some), some, FEATURES))(found)
    # A terminal that is asked for one of several features passes its derivative on, like one that reads a certain one.
    reading = (replace(p, gradient=OWN) if p.reads_one else p for p in primitives.terminals)
    plain = replace(primitives, terminals=tuple(reading))
    one = jax.tree.map(lambda x: x[:, 0], found)
    slope = jax.grad(lambda features, tree: in_order(plain, tree, tree.value, features).sum())
    expected = np.asarray(jax.jit(jax.vmap(slope, (None, 0)))(jnp.asarray(FEATURES), one))
    flat, known = np.asarray(mine)[:, 0].reshape(200, -1), expected.reshape(200, -1)
    finite = np.isfinite(known).all(-1)
    assert finite.sum() > 190
    assert (np.abs(known[finite]).max(-1) > 0).sum() > 50
    assert agree(flat, known, np.ones(1, bool))[finite].all()


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_gradients_of_ten_thousand_programs_are_those_of_a_scan(name):
    same, others = compare(name, 10_000, 3)
    assert (same > 9_900, others) == (True, 0)


def smooth():
    one, two = (FLOAT,), (FLOAT, FLOAT)
    return PrimitiveSet(
        "smooth",
        (Primitive("x", feature=0), Primitive("c", domain=Floats(-2.0, 2.0))),
        (
            Primitive("+", args=two, call=lambda a, b: a + b, gradient=OWN),
            Primitive("*", args=two, call=lambda a, b: a * b, gradient=OWN),
            Primitive("sin", args=one, call=jnp.sin, gradient=OWN),
        ),
    )


@pytest.mark.thorough
def test_gradients_are_finite_differences_where_functions_are_smooth():
    primitives = smooth()
    found = random_programs(5, primitives, 64, CAPACITY, smallest=8)
    some = jax.tree.map(lambda x: jnp.asarray(x)[:, None], found)
    examples = Examples(FEATURES[None, :1], np.zeros((1, POINTS), np.int32), TARGET[None])
    _, mine = jax.jit(lambda p: loss_and_slopes(primitives, plan_tapes(primitives, p), p, examples, squared))(some)

    def loss(nodes, value):  # in 64 bits
        stack = []
        for code, number in zip(nodes, value, strict=True):
            name = primitives.primitives[code].name
            if name in ("x", "c"):
                stack.append(FEATURES[0].astype(float) if name == "x" else np.full(POINTS, number))
                continue
            b = stack.pop()
            stack.append(np.sin(b) if name == "sin" else stack.pop() + b if name == "+" else stack.pop() * b)
        return np.square(stack[0] - TARGET).mean()

    checked = 0
    for n, length in enumerate(found.length):
        nodes, value = found.opcode[n, :length], found.value[n, :length].astype(float)
        for node in np.flatnonzero(nodes == primitives.opcode("c")):
            step = 1e-5 * np.eye(length)[node]
            slope = (loss(nodes, value + step) - loss(nodes, value - step)) / 2e-5
            assert mine[n, 0, node] == pytest.approx(slope, rel=2e-3, abs=1e-3)
            checked += 1
    assert checked > 100


@pytest.mark.thorough
def test_each_tree_has_the_gradient_of_its_own_positions_and_blocks_are_averaged():
    two = replace(smooth(), roots=(FLOAT, FLOAT))
    drawn = random_programs(7, smooth(), 16, CAPACITY, smallest=6)
    both = jax.tree.map(lambda x: jnp.asarray(x).reshape(8, 2, *x.shape[1:]), drawn)
    x, y = np.stack([FEATURES[:1], FEATURES[1:2]]), np.stack([TARGET, 2 * TARGET])
    tree = np.array([[0, 1, 0, 2, 0, 0, 1], [0] * 7], np.int32)

    def loss(values, known):  # position 3 is valued by no tree, and its value is 0
        return jnp.square(values - known).sum()

    def alone(programs):
        def one(t, b, which):
            tree_only = jax.tree.map(lambda x: x[:, t : t + 1], programs)
            examples = Examples(x[b : b + 1], np.where(which, 0, 1)[None], np.where(which, y[b], 0)[None])
            return loss_and_slopes(smooth(), plan_tapes(smooth(), tree_only), tree_only, examples, loss)[1][:, 0]

        first = one(0, 0, tree[0] == 0) + one(0, 1, tree[1] == 0)
        return jnp.stack([first, one(1, 0, tree[0] == 1)], 1) / 2

    together = lambda programs: loss_and_slopes(two, plan_tapes(two, programs), programs, Examples(x, tree, y), loss)[1]  # noqa: E731
    mine, expected = jax.jit(lambda programs: (together(programs), alone(programs)))(both)
    assert agree(np.asarray(mine), np.asarray(expected), np.ones(1, bool)).all()
    assert np.abs(expected).max(-1).min(0).tolist() > [0, 0]


def test_surrogates_have_the_values_of_no_function_and_their_stated_derivatives():
    a, b = jnp.array([0.5, -1.0]), jnp.array([0.0, 2.0])
    soft = 1 / (1 + np.exp(-(a - b)))
    slope = jax.grad(lambda a: surrogates.greater(a, b).sum())(a)
    assert slope == pytest.approx(soft * (1 - soft))
    held = jnp.array([3.0, 0.0])
    by_held, by_yes, by_no = jax.grad(lambda *args: surrogates.choose(*args).sum(), (0, 1, 2))(held, a, b)
    assert (by_held.tolist(), by_yes.tolist(), by_no.tolist()) == ((a - b).tolist(), [1, 0], [0, 1])
    assert surrogates.choose(held, a, b).tolist() == [0.5, 2.0]


def test_a_set_without_a_way_for_gradients_says_why():
    whole = PrimitiveSet("whole", (Primitive("n", domain=Integers(0, 9)),), smooth().functions)
    assert unfit(whole) == "its programs have no real numbers"
    assert unfit(replace(ARITHMETIC, name="none")) == "none of its functions has a gradient"
    assert unfit(smooth()) == ""
    with pytest.raises(UsageError, match=r"^gradient=mine: accepted: own, None, or a function"):
        Primitive("f", args=(FLOAT,), call=jnp.sin, gradient="mine")


def test_memory_is_that_of_both_ways():
    assert memory_bytes(smooth(), 16, 64, 256) == 2 * 4 * 16 * (2 * 64 + 2) * 256
