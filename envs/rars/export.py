"""A program that drives as a module in Python, or as a header in C++, that needs nothing else.

Both have two functions of the eleven indicators of the source's table 9.1: `alpha`, the angle of the nose in radians,
and `vc`, the speed of the wheels in ft/s.
"""

from typing import TYPE_CHECKING

from envs.rars.language import INDICATORS, LENGTH, SPEED, WIDEST, Options
from envs.rars.rules import Rars
from jaxgp.printable import docstring

if TYPE_CHECKING:
    from jaxgp.export.export import Written

TITLE = "A driver for RARS."
SAYS = (
    (
        "CR",
        "radius of this segment's inner wall / {length:g} ft: above 0 in a left turn, below 0 in a right one, else 0",
    ),
    ("NR", "the same of the next segment"),
    ("TE", "{te}"),
    ("NL", "length of the next segment's inner wall / {length:g} ft"),
    ("V", "speed / {speed:g} ft/s"),
    ("NV", "drift towards the left wall / {speed:g} ft/s"),
    ("TL", "distance to the left wall / {length:g} ft"),
    ("TR", "distance to the right wall / {length:g} ft"),
    ("TW", "width of the road / {length:g} ft"),
    ("AH", "distance to the first wall along the {heading} / {length:g} ft; off the road {off}"),
    ("AA", "angle of that wall against the {heading}, radians: above 0 if it runs to the left"),
)

PYTHON = '''\
"""{title}

alpha(...) returns the angle between the nose and the velocity in radians, vc(...) the speed of the wheels in ft/s.
A value that is no finite number counts as 0. Both take:

{says}
"""

from math import tan


def divide(a: float, b: float) -> float:
    """Return a / b, 0 where b is 0."""
    return a / b if b else 0.0


def tangent(a: float) -> float:
    """Return tan(a), 0 where a is too large an angle."""
    return tan(a) if abs(a) <= {widest:g} else 0.0


def alpha({arguments}) -> float:
    """Return the angle of the nose, radians."""
{alpha}


def vc({arguments}) -> float:
    """Return the speed of the wheels, ft/s."""
{vc}
'''

CPP = """\
// {title}
//
// alpha(...) returns the angle between the nose and the velocity in radians, vc(...) the speed of the wheels in ft/s.
// A value that is no finite number counts as 0. Both take:
//
{says}

#include <cmath>

// a / b, 0 where b is 0
static double divide(double a, double b) {{ return b == 0 ? 0 : a / b; }}

// tan(a), 0 where a is too large an angle
static double tangent(double a) {{ return std::fabs(a) <= {widest:g} ? std::tan(a) : 0; }}

double alpha({arguments}) {{
{alpha}
}}

double vc({arguments}) {{
{vc}
}}
"""

_CPP_FORMS = {
    "abs": "std::fabs({0})",
    "neg": "(-({0}))",
    "IFG": "({0} > {1} ? {2} : {3})",
    "IFP": "({0} > 0 ? {1} : {2})",
}


def python(game: Rars, options: Options, individual: "Written", title: str = TITLE) -> str:
    """Return the text of a module with the functions `alpha` and `vc`; it computes in double precision."""
    both = individual.python
    return PYTHON.format(
        title=docstring(title),
        says="\n".join(f"{name:2}: {said}" for name, said in _says(game, options)),
        widest=WIDEST,
        arguments=", ".join(f"{name}: float" for name in INDICATORS),
        alpha=both.needed(0).body(both.values[0]),
        vc=both.needed(1).body(f"{SPEED:g} * ({both.values[1]})"),
    )


def cpp(game: Rars, options: Options, individual: "Written", title: str = TITLE) -> str:
    """Return the same in C++."""
    both = individual.written(lambda primitive: _CPP_FORMS.get(primitive.name, primitive.python or "{value}"))

    def body(tree: int, result: str) -> str:
        lines = [f"  const double {name} = {text};" for name, text in both.needed(tree).lines]
        return "\n".join([*lines, f"  return {result};"])

    return CPP.format(
        title=" ".join(title.split()),
        says="\n".join(f"// {name:2}: {said}" for name, said in _says(game, options)),
        widest=WIDEST,
        arguments=", ".join(f"double {name}" for name in INDICATORS),
        alpha=body(0, both.values[0]),
        vc=body(1, f"{SPEED:g} * ({both.values[1]})"),
    )


def _says(game: Rars, options: Options) -> list[tuple[str, str]]:
    end = f"distance to the end of this segment / {LENGTH:g} ft"
    te = f"{end}; in a curve " + ("radians to its end" if options.te == "radians" else "along the inner wall")
    off = "0" if options.off_road == "zero" else "minus the distance to the nearer wall"
    words = {"length": LENGTH, "speed": SPEED, "te": te, "heading": game.heading, "off": off}
    return [(name, said.format(**words)) for name, said in SAYS]
