"""The language of table 8.1: what each function gives, when it fires, and how Random is drawn."""

import jax
import numpy as np
import pytest

from envs.robocode.language import INDICATORS, LINES, Options, draw, evaluate_line, primitive_set
from jaxgp.genotypes.language import parse
from jaxgp.interpreter.plan import plan

LANGUAGE = primitive_set(Options())
CASES = {
    "(Add Energy X)": 1 + 3,
    "(Sub Energy X)": 1 - 3,
    "(Mul X Y)": 12,
    "(Div X Y)": 3 / 4,
    "(Div X Zero)": 0,
    "(Div Zero Zero)": 0,
    "(Abs (Neg X))": 3,
    "(Sin X)": np.sin(3),
    "(Cos Heading)": np.cos(2),
    "(ArcSin 0.5)": np.arcsin(0.5),
    "(ArcSin X)": np.pi / 2,
    "(ArcSin (Neg X))": -np.pi / 2,
    "(ArcCos 0.5)": np.arccos(0.5),
    "(ArcCos X)": 0,
    "(ArcCos (Neg X))": np.pi,
    "(IfGreater X Y MaxX MaxY)": 6,
    "(IfGreater Y X MaxX MaxY)": 5,
    "(IfGreater X X MaxX MaxY)": 6,
    "(IfPositive X MaxX MaxY)": 5,
    "(IfPositive Zero MaxX MaxY)": 6,
    "(Add EnemyBearing (Add EnemyDistance (Add EnemyVelocity (Add EnemyHeading EnemyEnergy))))": 7 + 8 + 9 + 10 + 11,
    "(Fire X)": 1,
    "(Fire Zero)": 0,
    "(Mul Zero (Fire Y))": 0,
    "(Sub (Mul Y 0.5) (Fire (Neg X)))": 2,
}
SHOTS = {"(Fire X)": [3], "(Mul Zero (Fire Y))": [4]}
HUGE = "(Mul Y Y)"
for _ in range(8):
    HUGE = f"(Mul {HUGE} {HUGE})"
INFINITE, UNKNOWN = HUGE, f"(Sub {HUGE} {HUGE})"


@pytest.fixture(scope="module")
def lines():
    """The value and the shots of each text as the first line, and the values of Random in the third one."""
    texts = [*CASES, INFINITE, UNKNOWN]
    programs = [parse(LANGUAGE, f"(PROGRAM {text} Zero (Sub Random (Neg Random)))", 2048) for text in texts]
    with jax.enable_x64(True):
        batch = jax.tree.map(lambda *x: np.stack(x), *programs)
        batch = batch.replace(value=batch.value.astype(np.float64))
        features = np.tile(np.arange(1.0, 12), (len(texts), 2, 1))
        seen = np.concatenate([features, np.tile([[7.0], [1.0], [30.0]], (len(texts), 2, 1, 1))[..., 0]], -1)
        tree = np.tile(np.array([0, 2], np.int32), (len(texts), 1))

        def run(programs, seen):
            whose, active = np.arange(2 * len(texts)) // 2, np.ones(2 * len(texts), bool)
            flat = tree.reshape(-1), seen.reshape(-1, seen.shape[-1])
            return evaluate_line(LANGUAGE, plan(LANGUAGE, programs), whose, *flat, active)

        values, shots = jax.device_get(jax.jit(run)(batch, seen))
    values, first = values.reshape(-1, 2), jax.tree.map(lambda x: x[::2], shots)
    fired = [row[:count] for row, count in zip(first.amounts, first.count, strict=True)]
    return {text: (*values[n], fired[n].tolist()) for n, text in enumerate(texts)}


def test_the_terminals_and_functions_are_those_of_the_table():
    assert [one.name for one in LANGUAGE.terminals] == [*INDICATORS, "Constant", "Random", "Zero"]
    functions = "Add Sub Mul Div Abs Neg Sin Cos ArcSin ArcCos IfGreater IfPositive Fire"
    assert [one.name for one in LANGUAGE.functions] == functions.split()
    assert LANGUAGE.num_trees == len(LINES) == 3
    assert [one.name for one in primitive_set(Options(fire="constant")).functions] == functions.split()[:-1]


@pytest.mark.few(8)
@pytest.mark.parametrize("text", CASES)
def test_a_line_has_the_value_and_fires_the_shots_that_it_says(lines, text):
    value, _, shots = lines[text]
    assert value == pytest.approx(CASES[text], rel=1e-12, abs=1e-300)
    assert shots == SHOTS.get(text, [])


def test_values_may_be_infinite_and_are_0_where_they_are_no_numbers(lines):
    assert lines[INFINITE][0] == np.inf
    assert lines[UNKNOWN][0] == 0


def test_two_nodes_draw_different_numbers_at_one_time(lines):
    first, second = (draw_in_words(7, 1, 30, node) for node in (0, 1))
    assert first != second
    assert {sums for _, sums, _ in lines.values()} == {first + second}


def draw_in_words(*numbers):
    """Random, in arithmetic of Python: what an exported program has to draw."""
    word, odd = 0, (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F)
    for number, factor in zip(numbers, odd, strict=True):
        word ^= number * factor & 0xFFFFFFFF
    word = (word ^ word >> 16) * 0x7FEB352D & 0xFFFFFFFF
    word = (word ^ word >> 15) * 0x846CA68B & 0xFFFFFFFF
    return ((word ^ word >> 16) >> 8) / 2**23 - 1


def test_random_is_uniform_and_equal_in_both_precisions():
    rng = np.random.default_rng(1)
    clock = rng.integers(0, 2**24, (4, 2000))
    clock[1] %= 10
    features = np.concatenate([np.zeros((len(INDICATORS), 2000)), clock[:3]])
    single = np.asarray(jax.jit(draw)(features.astype(np.float32), clock[3].astype(np.float32)))
    expected = [draw_in_words(*map(int, one)) for one in clock.T]
    assert single.tolist() == expected
    assert -1 <= single.min() < -0.99
    assert 0.99 < single.max() < 1
    assert abs(single.mean()) < 4 / (3 * 2000) ** 0.5


@pytest.mark.parametrize(("name", "value"), [("angles", "turns"), ("bot", "tank"), ("shots", 0), ("shots", 17)])
def test_wrong_options_are_refused(name, value):
    from jaxgp.errors import UsageError
    from jaxgp.options import make_checked

    with pytest.raises(UsageError, match=f"program.{name}={value}: accepted"):
        make_checked(Options, {name: value}, "program.")
