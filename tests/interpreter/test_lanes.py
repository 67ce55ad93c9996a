"""Trees by lanes, and the effects of their evaluation, against a recursive evaluator."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxgp.genotypes.primitives import FLOAT, Floats, Primitive, PrimitiveSet
from jaxgp.interpreter.evaluate import evaluate
from jaxgp.interpreter.lanes import evaluate_lanes
from jaxgp.interpreter.plan import plan
from tests.genotypes.generators import MIXED, random_programs
from tests.genotypes.program_cases import parse_tree

CAPACITY = 60
SHOTS = 8
TWO = (FLOAT, FLOAT)
SHOOTING = PrimitiveSet(
    "shooting",
    (
        Primitive("x", feature=0),
        Primitive("y", feature=1),
        Primitive("const", domain=Floats(-2.0, 2.0)),
        Primitive("place", numbered=True, call=lambda f, n: f[2] + n),
        Primitive("zero", fixed=0.0),
    ),
    (
        Primitive("sub", args=TWO, call=lambda a, b: a - b),
        Primitive("mul", args=TWO, call=lambda a, b: a * b),
        Primitive("neg", args=(FLOAT,), call=lambda a: -a),
        Primitive("if", args=(FLOAT, *TWO), call=lambda a, b, c: jnp.where(a > 0, b, c), picks=2),
        Primitive("less", args=(*TWO, *TWO), call=lambda a, b, c, d: jnp.where(a < b, c, d), picks=2),
        Primitive("mid", args=(*TWO, FLOAT), call=lambda a, b, c: jnp.maximum(a, b) - c),
        Primitive("fire", args=(FLOAT,), call=lambda a: a > 0, effect=lambda a: jnp.where(a > 0, a, 0)),
        Primitive("throw", args=TWO, call=lambda a, b: a * b, effect=lambda a, b: jnp.where(a < b, b - a, 0)),
    ),
    effects=SHOTS,
)


def follow(tree, features):
    """Evaluate one tree as its text says, recursively; return its value and what it did, in order."""
    did = []

    def value(node):
        declared = SHOOTING.primitives[tree.opcode[node]]
        children, child = [], node - 1
        for _ in declared.args:
            children.insert(0, child)
            child -= tree.size[child]
        of = lambda place: value(children[place])  # noqa: E731
        match declared.name:
            case "x" | "y":
                return features[declared.feature]
            case "const" | "zero":
                return tree.value[node]
            case "place":
                return features[2] + np.float32(node)
            case "sub":
                return of(0) - of(1)
            case "mul":
                return of(0) * of(1)
            case "neg":
                return -of(0)
            case "if":
                return of(1) if of(0) > 0 else of(2)
            case "less":
                return of(2) if of(0) < of(1) else of(3)
            case "mid":
                return max(of(0), of(1)) - of(2)
            case "fire":
                power = of(0)
                did.extend([power] * bool(power > 0))
                return np.float32(power > 0)
            case "throw":
                a, b = of(0), of(1)
                did.extend([b - a] * bool(a < b))
                return a * b

    return value(int(tree.length) - 1), did


@partial(jax.jit, static_argnums=0)
def run(primitives, programs, tree, features, active):
    return evaluate_lanes(primitives, plan(primitives, programs), tree, features, active)


def shooting_programs(seed, count):
    """Programs [count, L] with at most as many effects as the set allows."""
    programs = random_programs(seed, SHOOTING, 2 * count, CAPACITY)
    live = np.arange(CAPACITY) < programs.length[:, None]
    few = np.flatnonzero((SHOOTING.acts[programs.opcode] & live).sum(1) <= SHOTS)[:count]
    assert len(few) == count
    return jax.tree.map(lambda x: x[few], programs)


def check_shooting(seed, count):
    """Compare values and effects bit for bit; return how many effects there were in each lane."""
    programs = shooting_programs(seed, count)
    rng = np.random.default_rng(seed)
    whose = rng.permutation(count).astype(np.int32)
    features = rng.integers(-3, 4, (3, count)).astype(np.float32)
    active = rng.random(count) < 0.8
    values, effects = jax.device_get(run(SHOOTING, programs, whose, features, active))
    for lane in np.flatnonzero(active):
        value, did = follow(jax.tree.map(lambda x, n=whose[lane]: x[n], programs), features[:, lane])
        assert values[lane] == value
        assert effects.count[lane] == len(did)
        assert effects.amounts[lane].tolist() == [*did, *[0] * (SHOTS - len(did))]
    return effects.count[active]


def test_values_and_effects_equal_those_of_a_recursive_evaluator():
    counts = check_shooting(1, 500)
    assert set(counts.tolist()) >= set(range(5))


@pytest.mark.slow
def test_effects_of_100_000_programs():
    for seed in range(2, 22):
        check_shooting(seed, 5000)


CASES = {
    "(mul zero (fire 2))": (0, [2]),
    "(sub (fire 1) (mul (sub (fire 2) (mul x y)) (sub x (sub y (throw zero 0.5)))))": (-27, [1, 2, 0.5]),
    "(fire (neg (fire 2)))": (0, [2]),
    "(throw (fire 1) (fire (neg 1)))": (0, [1]),
    "(if 1 x (fire 2))": (3, []),
    "(if (sub 1 2) x (fire 2))": (1, [2]),
    "(if (fire 0.5) (fire 1) (fire 2))": (1, [0.5, 1]),
    "(less (fire 1) (fire 2) (fire 0.25) (mul (fire 0.5) (fire 0.75)))": (1, [1, 2, 0.5, 0.75]),
    "(less x y (fire 1) (fire 2))": (1, [1]),
    "(if x (if y (fire 1) (fire 2)) (fire 0.5))": (1, [1]),
    "(sub (fire 1) (fire 1))": (0, [1, 1]),
    "x": (3, []),
}


@pytest.fixture(scope="module")
def shot():
    """The value and the effects of each text, where x is 3 and y is 5; in a batch of the shapes of the random one."""
    trees = [parse_tree(SHOOTING, text, CAPACITY) for text in CASES]
    programs = jax.tree.map(lambda *x: np.resize(np.stack(x), (500, *x[0].shape)), *trees)
    features = np.tile(np.array([[3], [5], [0]], np.float32), (1, 500))
    values, effects = run(SHOOTING, programs, np.arange(500, dtype=np.int32), features, np.ones(500, bool))
    return {text: (float(values[n]), effects.amounts[n, : effects.count[n]].tolist()) for n, text in enumerate(CASES)}


@pytest.mark.parametrize("text", CASES)
def test_each_shot_is_fired_once_in_the_written_order(shot, text):
    assert shot[text] == CASES[text]


@pytest.mark.slow
def test_lanes_of_a_set_without_effects_have_the_values_that_the_interpreter_gives_them():
    programs = random_programs(3, MIXED, 40, 40)
    rng = np.random.default_rng(4)
    whose = rng.integers(0, 40, 300).astype(np.int32)
    features = rng.integers(0, 6, (4, 300)).astype(np.float32)
    values, effects = run(MIXED, programs, whose, features, np.ones(300, bool))
    every = jax.jit(lambda programs, features: evaluate(MIXED, plan(MIXED, programs), features))(programs, features)
    np.testing.assert_array_equal(values, np.asarray(every)[whose, np.arange(300)])
    assert effects.amounts.shape == (300, 0)
    assert not effects.count.any()


FIRE = SHOOTING.functions[-2]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"effects": 0}, "effects=0: functions with an effect need a limit"),
        ({"effects": 25}, "effects=25: accepted: a whole number from 0 to 24"),
        ({"functions": SHOOTING.functions[:1]}, "functions with an effect need a limit"),
        ({"weighting": "path", "functions": (FIRE,)}, "without weights, factors, ignored arguments"),
        ({"functions": (FIRE, Primitive("k", args=TWO, call=lambda a, b: a, ignores=1))}, "ignored arguments"),
    ],
)
def test_effects_without_a_limit_or_that_could_be_lost_are_refused(changed, message):
    made = {"name": "bad", "terminals": SHOOTING.terminals[:1], "functions": (FIRE,), "effects": 2}
    with pytest.raises(ValueError, match=message):
        PrimitiveSet(**(made | changed))
