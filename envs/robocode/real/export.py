"""A program that fights as a robot in Java, which the real Robocode plays, or as a module in Python.

The Java class has one line in `run` and three in `onScannedRobot`: four semicolons, as the HaikuBot league allows,
beside those of package and imports. A line reads the own state once, into an array `s`, when it begins. Java computes
in double precision; constants have the values that single precision gave them.
"""

import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from envs.robocode.language import INDICATORS, LINES, MIXED, POWER, Options
from jaxgp.errors import reject
from jaxgp.genotypes.primitives import Primitive
from jaxgp.printable import docstring

if TYPE_CHECKING:
    from jaxgp.export.export import Written

TITLE = "A robot of four lines."
NAME = "haiku.Champion"
"""Package and class of a program that gets no other name."""
WIDTH = 119
"""Characters of a line of an expression; a brace may follow."""
MOST_LETTERS = 32
"""Characters of the names of package and class that the engine accepts."""
ACCEPTED = f"PACKAGE.CLASS, Java identifiers of at most {MOST_LETTERS} characters for each, such as {NAME}"

KEYWORDS = (
    "_ abstract assert boolean break byte case catch char class const continue default do double else enum extends "
    "false final finally float for goto if implements import instanceof int interface long native new null package "
    "private protected public return short static strictfp super switch synchronized this throw throws transient true "
    "try void volatile while permits record sealed var yield"
)
USED = (
    "Robot AdvancedRobot ScannedRobotEvent Math Double Utils ToDoubleBiFunction DoubleBinaryOperator "
    "IntToDoubleFunction Override Object String"
)
"""Names of classes that the text uses, or that every class knows."""
RESERVED = ("java", "javax", "robocode", "sample", "sampleex")
"""Beginnings of packages that the virtual machine or the engine keeps for itself."""

JAVA = """\
package {package};

import java.util.function.*;
import robocode.*;
import robocode.util.Utils;

/** {title} */
public class {name} extends {bot} {{
  public void run() {{
    while (true) turnGunRight(Double.POSITIVE_INFINITY);
  }}

  public void onScannedRobot(ScannedRobotEvent e) {{
{lines}
  }}
}}
"""
LINE = """\
    {actuator}({turned}(((ToDoubleBiFunction<double[], DoubleBinaryOperator[]>) (s, o) -> o[3].applyAsDouble(
{value},
        0)).applyAsDouble(new double[] {{
{state}}},
        new DoubleBinaryOperator[] {{
        (a, b) -> b != 0 ? a / b : 0,
        (a, b) -> a > 0 ? {fire}(a) == null ? 1 : 1 : 0,
        (a, b) -> ((IntToDoubleFunction) h -> (((h = ((h = (h ^ h >>> 16) * 0x7FEB352D) ^ h >>> 15) * 0x846CA68B)
          ^ h >>> 16) >>> 8) * 0x1p-23 - 1).applyAsDouble((int) b ^ (int) a * {node}),
        (a, b) -> a == a ? a : b}})));"""
"""One line of a robot. `o` holds what an expression has no operator for: division, fire, Random, and the rule that a
value that is no number is 0. The second argument of Random is what the seed, the round and the turn make."""
SHOT = f"(o[1].applyAsDouble({POWER}, 0) > 0 ? {{value}} : 0)"
"""The value of the first line, where it begins with a shot."""
ACTUATORS = dict(zip(LINES, ("ahead", "turnRight", "turnGunRight"), strict=True))
DEGREES = (
    "getEnergy()",
    "getHeading()",
    "getX()",
    "getY()",
    "getBattleFieldWidth()",
    "getBattleFieldHeight()",
    "e.getBearing()",
    "e.getDistance()",
    "e.getVelocity()",
    "Utils.normalRelativeAngleDegrees(e.getHeading() - getHeading())",
    "e.getEnergy()",
)
RADIANS = {
    "Heading": "Math.toRadians(getHeading())",
    "EnemyBearing": "e.getBearingRadians()",
    "EnemyHeading": "Utils.normalRelativeAngle(e.getHeadingRadians() - Math.toRadians(getHeading()))",
}
FORMS = {
    "Add": "({0} + {1})",
    "Sub": "({0} - {1})",
    "Mul": "({0} * {1})",
    "Div": "o[0].applyAsDouble({0}, {1})",
    "Abs": "Math.abs({0})",
    "Neg": "(- {0})",
    "Sin": "Math.sin({0})",
    "Cos": "Math.cos({0})",
    "ArcSin": "Math.asin(Math.max(-1, Math.min(1, {0})))",
    "ArcCos": "Math.acos(Math.max(-1, Math.min(1, {0})))",
    "IfGreater": "({0} > {1} ? {2} : {3})",
    "IfPositive": "({0} > 0 ? {1} : {2})",
    "Fire": "o[1].applyAsDouble({0}, 0)",
    "Constant": "{value}",
    "Random": f"o[2].applyAsDouble({{value}}, s[{len(INDICATORS)}])",
    "Zero": "0.0",
} | {name: f"s[{place}]" for place, name in enumerate(INDICATORS)}
"""The Java of each primitive; all are of type double."""

PYTHON = '''\
"""{title}

move_tank(...), turn_tank_right(...) and turn_gun_right(...) return the arguments of the three lines that a robot runs
when it has scanned the other one: pixels, and {angles} to the right. A value that is no number counts as 0. All take
the indicators of the source's table 8.1, the clock, which is (seed, round, turn), and a function that is called with
the power of each shot, above 0, in order.
"""

from collections.abc import Callable
from math import acos, asin, cos, inf, nan, sin


def divide(a: float, b: float) -> float:
    """Return a / b, 0 where b is 0."""
    return a / b if b else 0.0


def sine(a: float) -> float:
    """Return sin(a)."""
    return sin(a) if abs(a) < inf else nan


def cosine(a: float) -> float:
    """Return cos(a)."""
    return cos(a) if abs(a) < inf else nan


def clip(a: float) -> float:
    """Return the number from -1 to 1 that is nearest to a."""
    return a if a != a else max(-1.0, min(1.0, a))


def draw(clock: tuple[int, int, int], node: int) -> float:
    """Return a random number from -1 to 1, which depends on the seed, the round, the turn and the place of the node."""
    word = 0
    for number, odd in zip((*clock, node), {odd}):
        word ^= number * odd & 0xFFFFFFFF
    word = (word ^ word >> 16) * 0x7FEB352D & 0xFFFFFFFF
    word = (word ^ word >> 15) * 0x846CA68B & 0xFFFFFFFF
    return ((word ^ word >> 16) >> 8) / 2**23 - 1


def number(a: float) -> float:
    """Return a, 0 where it is no number."""
    return a if a == a else 0.0


def shoot(power: float, fire: Callable[[float], object]) -> float:
    """Fire if the power is above 0; return 1 then, else 0."""
    if power > 0:
        fire(power)
        return 1.0
    return 0.0
{functions}'''
FUNCTION = '''

def {name}(
    {arguments},
    clock: tuple[int, int, int],
    fire: Callable[[float], object],
) -> float:
    """Return the argument of {line}."""
{body}
'''


def java(game: Any, options: Options, individual: "Written", title: str = TITLE, seed: int = 0) -> str:
    """Return the text of a class for Robocode.

    Args:
        game: the rules.
        options: how the program perceives and acts.
        individual: the program; its name is PACKAGE.CLASS.
        title: what the comment says.
        seed: what its Random depends on, beside the round, the turn and the place of the node.

    Raises:
        UsageError: the name is not accepted.
    """
    del game
    package, name = check_name(individual.name or NAME)
    degrees = options.angles == "degrees"
    state = dict(zip(INDICATORS, DEGREES, strict=True)) | ({} if degrees else RADIANS)
    clock = f"{_int(seed * MIXED[0])} ^ getRoundNum() * {_int(MIXED[1])} ^ (int) getTime() * {_int(MIXED[2])}"
    robot = options.bot == "robot"
    values = individual.expressions(_form, _double)
    if options.fire == "constant":
        values = [SHOT.format(value=values[0]), *values[1:]]
    lines = [
        LINE.format(
            actuator=ACTUATORS[line],
            turned="" if degrees or line == LINES[0] else "Math.toDegrees",
            value=_wrapped(value),
            state=_wrapped(", ".join([*state.values(), clock])),
            fire="fireBullet" if robot else "setFireBullet",
            node=_int(MIXED[3]),
        )
        for line, value in zip(LINES, values, strict=True)
    ]
    said = re.sub(r"[^\w ,.()+-]", " ", " ".join(title.split()), flags=re.ASCII)
    bot = "Robot" if robot else "AdvancedRobot"
    return JAVA.format(package=package, name=name, title=said, bot=bot, lines="\n".join(lines))


def check_name(name: str) -> tuple[str, str]:
    """Return package and class of a name; raises UsageError where Java or the engine refuses them."""
    package, _, last = name.rpartition(".")
    words, keywords = [*package.split("."), last], KEYWORDS.split()
    sound = all(re.fullmatch(r"[A-Za-z_]\w*", word, re.ASCII) and word not in keywords for word in words)
    taken = words[0] if words[0] in RESERVED else last if last in USED.split() else None
    if not sound or taken or max(len(package), len(last)) > MOST_LETTERS:
        keyword = next((word for word in words if word in keywords), None)
        why = f" ({keyword} is a keyword)" if keyword else f" ({taken} is taken)" if taken else ""
        reject("name", name, ACCEPTED + why)
    return package, last


def python(game: Any, options: Options, individual: "Written", title: str = TITLE) -> str:
    """Return the text of a module with a function for each line; it computes in double precision."""
    del game
    trees = individual.python
    arguments = ",\n    ".join(f"{one}: float" for one in INDICATORS)
    shot = f"    fire({POWER})\n" if options.fire == "constant" else ""
    functions = [
        FUNCTION.format(
            name=re.sub("(?<=[a-z])([A-Z])", r"_\1", line).lower(),
            line=line,
            arguments=arguments,
            body=shot * (tree == 0) + trees.needed(tree).body(f"number({trees.values[tree]})"),
        )
        for tree, line in enumerate(LINES)
    ]
    return PYTHON.format(title=docstring(title), angles=options.angles, odd=MIXED, functions="".join(functions))


def _wrapped(text: str) -> str:
    """Break an expression between its words into lines."""
    indent = " " * 10
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _form(primitive: Primitive) -> str:
    return FORMS[primitive.name]


def _double(value: float) -> str:
    """Write a float32 as a double of the same value."""
    return repr(float(np.float32(value)))


def _int(value: int) -> str:
    """Write the low 32 bits of a whole number as a Java int."""
    return f"0x{value & 0xFFFFFFFF:08X}"
