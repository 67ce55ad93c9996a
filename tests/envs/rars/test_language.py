"""What programs perceive, what they are made of, and how they are written in Python and C++."""

import importlib.util
import math
import shutil
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import envs
from envs.rars import export
from envs.rars.language import INDICATORS, WIDEST, Options, primitive_set, tangent, view
from envs.rars.places import SENSED
from jaxgp.arrays import divide
from jaxgp.export.export import Written
from jaxgp.games.casting import cast
from jaxgp.genotypes.text import parse_program
from jaxgp.interpreter.evaluate import evaluate_programs

LANGUAGE = primitive_set(Options())
TEXT = """(PROGRAM
(IFP (- TL (* 0.25 TW)) (tan (% NV (+ V AA))) (neg (% -0.5 Zero)))
(IFG AH (abs CR) (% AH (- V (* -0.125 NR))) (+ One (* TE (- NL TR)))))"""


def sensed(**given):
    return jnp.array([given.get(name, 0.0) for name in SENSED], jnp.float32)


def seen(options=Options(), **given):  # noqa: B008 - frozen
    return dict(zip(INDICATORS, np.asarray(view(options, sensed(**given))).tolist(), strict=True))


def test_lengths_speeds_and_angles_have_the_scales_of_the_source():
    found = seen(v=150, vn=-20, to_lft=30, to_rgt=40, width=70, ahead=800, ahead_angle=-0.5, to_end=600, nex_len=200)
    assert found == pytest.approx(
        {"CR": 0, "NR": 0, "TE": 1.5, "NL": 0.5, "V": 1.5, "NV": -0.2}
        | {"TL": 0.075, "TR": 0.1, "TW": 0.175, "AH": 2, "AA": -0.5}
    )


def test_lengths_of_curves_are_those_of_the_inner_wall():
    curve = {"cur_rad": -80, "nex_rad": 120, "to_end": 1.5, "nex_len": 0.5, "ahead": 200}
    found = seen(**curve)
    assert (found["CR"], found["NR"]) == pytest.approx((-0.2, 0.3))
    assert (found["TE"], found["NL"]) == pytest.approx((0.3, 0.15))
    assert seen(Options(te="radians"), **curve)["TE"] == 1.5


def test_off_the_road_nothing_is_ahead_or_the_way_back_is():
    off = {"to_lft": 90, "to_rgt": -20, "width": 70}
    assert seen(**off)["AH"] == 0
    assert seen(Options(off_road="back"), **off)["AH"] == pytest.approx(-0.05)


def test_division_by_zero_is_zero():
    assert divide(jnp.array([3.0, 3.0, 0.0]), jnp.array([0.0, 2.0, 0.0])).tolist() == [0, 1.5, 0]


def test_the_tangent_is_exact_in_single_precision_until_the_angle_is_lost():
    x = np.concatenate([np.linspace(-20, 20, 40_001), np.linspace(-WIDEST, WIDEST, 10_001)]).astype(np.float32)
    exact = np.tan(x.astype(float))
    found = np.asarray(jax.jit(tangent)(jnp.asarray(x)))
    # An angle has an error of its own, which a steep tangent enlarges.
    assert (np.abs(found - exact) <= 3e-7 * (np.abs(exact) + np.maximum(1, np.abs(x)) * (1 + exact**2))).all()
    assert tangent(jnp.float32(2 * WIDEST)) == 0


def test_the_language_is_table_9_1():
    terminals = [one.name for one in LANGUAGE.terminals]
    assert terminals == [*INDICATORS, "ERC", "Zero", "One"]
    functions = [(one.name, one.arity) for one in LANGUAGE.functions]
    assert functions == [
        *(("+", 2), ("-", 2), ("*", 2), ("%", 2), ("abs", 1), ("neg", 1), ("tan", 1), ("IFG", 4), ("IFP", 3)),
    ]
    assert LANGUAGE.num_trees == 2


def test_a_program_without_factors_is_read_where_nodes_have_some(values):
    shown, expected = values
    factored = primitive_set(Options(factors=True))
    program = parse_program(factored, TEXT, 64)
    found = jax.jit(lambda x: evaluate_programs(factored, program, x))(jnp.asarray(shown.T))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.thorough
def test_the_driver_steers_in_radians_and_sets_the_speed_in_hundreds_of_feet():
    driver = cast(envs.spec("rars")).actor
    program = jax.tree.map(lambda x: x[None], parse_program(LANGUAGE, "(PROGRAM (neg NV) (+ V One))", 16))

    @jax.jit
    def drive(program, seen):
        plans = driver.arrange(driver.prepare(program))
        return driver.control(plans, (), seen[None, None], None, jnp.ones((1, 1), bool))[0]

    given = drive(program, sensed(v=150, vn=-20))
    assert given[0, 0].tolist() == pytest.approx([0.2, 250])


@pytest.fixture(scope="module")
def values():
    """Some indicators [50, 11], and the values of both trees for them, [2, 50]."""
    rng = np.random.default_rng(0)
    shown = rng.normal(0, 0.7, (50, 11)).astype(np.float32)
    program = parse_program(LANGUAGE, TEXT, 64)
    return shown, np.asarray(jax.jit(lambda x: evaluate_programs(LANGUAGE, program, x))(jnp.asarray(shown.T)))


def written(to):
    game = envs.make("rars")
    return to(game, Options(), Written(LANGUAGE, parse_program(LANGUAGE, TEXT, 64), "seen"), "A test.")


def test_a_program_in_python_drives_as_the_engine_does(values, tmp_path):
    path = tmp_path / "driver.py"
    path.write_text(written(export.python))
    spec = importlib.util.spec_from_file_location("driver", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [(module.alpha(*row), module.vc(*row)) for row in values[0].astype(float)]
    np.testing.assert_allclose(np.array(found).T, values[1] * [[1], [100]], rtol=1e-4, atol=1e-5)


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler of C++")
def test_a_program_in_cpp_drives_as_the_engine_does(values, tmp_path):
    rows = "\n".join(f'  std::printf("%.9g %.9g\\n", alpha({a}), vc({a}));' for a in map(listed, values[0]))
    text = written(export.cpp) + f"#include <cstdio>\nint main() {{\n{rows}\n}}\n"
    (tmp_path / "driver.cpp").write_text(text)
    subprocess.run(["g++", "-Wall", "-Werror", "-o", "driver", "driver.cpp"], cwd=tmp_path, check=True)
    said = subprocess.run(["./driver"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    found = np.array([list(map(float, line.split())) for line in said.splitlines()])
    np.testing.assert_allclose(found.T, values[1] * [[1], [100]], rtol=1e-4, atol=1e-5)


def listed(row):
    return ", ".join(f"{value:.9g}" for value in row.tolist())


def test_exported_text_says_what_it_was_evolved_with():
    game = envs.make("rars", heading="nose")
    text = export.python(game, Options(off_road="back"), Written(LANGUAGE, parse_program(LANGUAGE, TEXT, 64)))
    assert "along the nose" in text
    assert "minus the distance to the nearer wall" in text
    assert math.isclose(float(text.split("return tan(a) if abs(a) <= ")[1].split()[0]), WIDEST)
