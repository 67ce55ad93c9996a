"""Cells that several tables share: means, effects and p values as text, and families of comparisons."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from jaxgp.report.generated import figure
from jaxgp.statistics.intervals import student, wilson
from jaxgp.statistics.verdicts import holm

if TYPE_CHECKING:
    from jaxgp.statistics.comparison import Comparison, Estimate

Name = TypeVar("Name")
RESAMPLES = 1999
"""Of the bootstraps for intervals of A12."""


def mean_of(values: Sequence[float], digits: int = 1, unit: str = "", sign: str = "") -> str:
    """Return the mean of independent runs with its 95 % interval by Student's t; of a single run the mean alone.

    Args:
        values: one of each run.
        digits: after the point.
        unit: what follows the mean, such as " %".
        sign: "+" for a sign before positive numbers as well.
    """
    mean, low, high = student(values)
    form = f"{sign},.{digits}f"
    return f"{mean:{form}}{unit}" + (
        "" if low is None or high is None else f" ({figure(low, form)} to {figure(high, form)})"
    )


def share(number: int, of: int) -> str:
    """Return a number of cases with the 95 % Wilson interval of their share."""
    low, high = wilson(number, of)
    return f"{number} of {of} ({100 * low:.0f} to {100 * high:.0f} %)"


def effect(one: "Estimate") -> str:
    """Return A12 with its 95 % interval."""
    return f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})"


def p_value(p: float) -> str:
    """Return a p value with three digits."""
    return figure(p, ".3f") if p >= 0.001 else "< 0.001"


def family(
    groups: Mapping[Name, Sequence[float]], pairs: Sequence[tuple[Name, Name]], measure: str
) -> "dict[tuple[Name, Name], tuple[Comparison, float]]":
    """Compare pairs of groups by Mann and Whitney; return each comparison and its p value after Holm's correction.

    Args:
        groups: the values of the runs of each group.
        pairs: the names of the groups that are compared; all of them are one family.
        measure: what the values are.
    """
    from jaxgp.statistics.comparison import compare

    made = [compare(measure, (str(a), groups[a]), (str(b), groups[b]), resamples=RESAMPLES) for a, b in pairs]
    corrected = holm([one.p for one in made])
    return dict(zip(pairs, zip(made, corrected, strict=True), strict=True))
