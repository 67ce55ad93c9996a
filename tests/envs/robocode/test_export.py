"""Programs written in Java and Python: four semicolons, accepted names, and the same values and shots."""

import re

import jax
import numpy as np
import pytest

from envs.robocode.language import INDICATORS, Options, evaluate_line, primitive_set
from envs.robocode.real import export
from jaxgp.errors import UsageError
from jaxgp.export.export import Written
from jaxgp.genotypes.language import parse
from jaxgp.interpreter.plan import plan
from jaxgp.operators.creation import create
from jaxgp.operators.options import CreationOptions

LANGUAGE = primitive_set(Options())
PROGRAMS, CAPACITY, TIMES = 60, 256, 5
TEXT = "(PROGRAM (Mul Zero (Fire 0.1)) (Sub EnemyBearing (Neg -0.5)) (IfPositive Random (ArcSin X) Heading))"


@pytest.fixture(scope="module")
def programs():
    """Random programs [60, 3]."""
    made = jax.jit(lambda key: create(key, LANGUAGE, CreationOptions("ramped", 1, 6), PROGRAMS, CAPACITY))
    return jax.device_get(made(jax.random.key(5)))


@pytest.fixture(scope="module")
def seen(programs):
    """What programs perceive [60, 5, 14], and the values and shots of all lines, in double precision."""
    rng = np.random.default_rng(2)
    features = rng.uniform(-20, 20, (PROGRAMS, TIMES, len(INDICATORS)))
    clock = rng.integers(0, 1000, (PROGRAMS, TIMES, 3))
    features = np.concatenate([features, clock], -1)
    with jax.enable_x64(True):
        batch = programs.replace(value=programs.value.astype(np.float64))

        def run(batch, features):
            plans, active = plan(LANGUAGE, batch), np.ones(PROGRAMS * TIMES, bool)
            whose, seen = np.arange(PROGRAMS * TIMES) // TIMES, features.reshape(PROGRAMS * TIMES, -1)
            found = [evaluate_line(LANGUAGE, plans, whose, np.full(len(whose), t), seen, active) for t in range(3)]
            return jax.tree.map(lambda x: x.reshape(PROGRAMS, TIMES, *x.shape[1:]), found)

        lines = jax.device_get(jax.jit(run)(batch, features))
    return features, lines


@pytest.mark.thorough
def test_the_module_in_python_has_the_values_and_shots_of_the_program(programs, seen):
    features, lines = seen
    fired = 0
    for one in range(PROGRAMS):
        program = jax.tree.map(lambda x, n=one: x[n], programs)
        module = {}
        exec(export.python(None, Options(), Written(LANGUAGE, program)), module)
        functions = [module[name] for name in ("move_tank", "turn_tank_right", "turn_gun_right")]
        for (values, shots), function in zip(lines, functions, strict=True):
            for time in range(TIMES):
                given, powers = features[one, time].tolist(), []
                value = function(*given[:11], tuple(int(x) for x in given[11:]), powers.append)
                count = shots.count[one, time]
                assert value == pytest.approx(values[one, time], rel=1e-5, abs=1e-6)
                assert powers == pytest.approx(shots.amounts[one, time, :count].tolist(), rel=1e-5)
                fired += count
    assert fired > 100


def java(text=TEXT, name=None, **options):
    made = Options(**options)
    language = primitive_set(made)
    return export.java(None, made, Written(language, parse(language, text), name=name), "A champion; so */ it is.")


def test_the_class_has_four_semicolons_beside_package_and_imports_and_no_for_loop(programs):
    for one in range(PROGRAMS):
        program = jax.tree.map(lambda x, n=one: x[n], programs)
        text = export.java(None, Options(), Written(LANGUAGE, program), "A champion; so it is.")
        lines = [line for line in text.splitlines() if not re.match("(package|import) ", line)]
        assert "\n".join(lines).count(";") == 4
        assert not re.search(r"\bfor\b", text)
        assert max(map(len, lines)) <= export.WIDTH + 1


def test_bot_and_angles_say_what_the_class_extends_and_in_which_unit_it_turns():
    robot, advanced, radians = java(), java(bot="advanced"), java(angles="radians")
    assert "extends Robot " in robot
    assert "fireBullet(a)" in robot
    assert "extends AdvancedRobot " in advanced
    assert "setFireBullet(a)" in advanced
    assert "e.getBearing()" in robot
    assert "Math.toDegrees" not in robot
    assert "e.getBearingRadians()" in radians
    assert radians.count("(Math.toDegrees(") == 2


def test_a_constant_shot_begins_the_first_line_alone():
    robot, advanced = (java("(PROGRAM X Y Zero)", fire="constant", bot=bot) for bot in ("robot", "advanced"))
    assert "(o[1].applyAsDouble(3.0, 0) > 0 ? s[2] : 0)" in robot
    assert robot.count("o[1].") == advanced.count("o[1].") == 1
    assert "setFireBullet(a)" in advanced
    options, module, powers = Options(fire="constant"), {}, []
    language = primitive_set(options)
    program = parse(language, "(PROGRAM X Y Zero)")
    exec(export.python(None, options, Written(language, program)), module)
    for name in ("move_tank", "turn_tank_right", "turn_gun_right"):
        module[name](*range(11), (0, 0, 0), powers.append)
    assert powers == [3.0]


def test_a_comment_cannot_end_before_its_time():
    assert java().count("*/") == 1


def test_constants_keep_their_single_precision_values():
    assert f"o[1].applyAsDouble({float(np.float32(0.1))}, 0)" in java()
    assert "(- -0.5)" in java()


def test_package_and_class_are_those_of_the_name():
    text = java(name="my.team.Bot1")
    assert text.startswith("package my.team;\n")
    assert "public class Bot1 " in text


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Champion", ""),
        ("haiku.", ""),
        (".Champion", ""),
        ("haiku.1st", ""),
        ("haiku.Ch amp", ""),
        ("haiku.Ch;amp", ""),
        ("haiku.Chämpion", ""),
        ("haiku/Champion", ""),
        ("haiku.class", r" \(class is a keyword\)"),
        ("int.Champion", r" \(int is a keyword\)"),
        ("haiku.Robot", r" \(Robot is taken\)"),
        ("java.lang.Champion", r" \(java is taken\)"),
        ("sample.Walls", r" \(sample is taken\)"),
        (f"haiku.{'C' * 33}", ""),
        (f"{'h' * 33}.Champion", ""),
    ],
)
def test_names_that_java_or_the_engine_refuses_are_refused_in_one_line(name, why):
    with pytest.raises(UsageError, match=f"^name={re.escape(name)}: accepted: PACKAGE.CLASS, Java identifiers.*{why}$"):
        java(name=name)
