"""Learning curves of groups of runs as tables: means over seeds by generation, and evaluations until a target.

Rows are those of `jaxgp.study.curves`. A run that ends before a generation counts there with its last value.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from jaxgp.study import curves
from tables.shared.cells import mean_of


def cells_at(some: Sequence[curves.Curve], at: Sequence[int], digits: int = 1) -> list[str]:
    """Return the mean of some runs in each generation of `at`; empty after the last generation of all of them."""
    last = max(int(one.generations[-1]) for one in some)
    return [mean_of(curves.at(some, generation), digits) if generation <= last else "" for generation in at]


def running_time(one: curves.Expected) -> list[str]:
    """Return how many runs reached a target, the expected evaluations until then, and the evaluations of all runs."""
    reached = f"{one.successes} of {one.runs}"
    if not one.successes:
        return [reached, "not known", f"{one.spent:,}"]
    high = "no upper end" if np.isinf(one.high) else f"{one.high:,.0f}"
    return [reached, f"{one.value:,.0f} ({one.low:,.0f} to {high})", f"{one.spent:,}"]


def by_generation(rows: Sequence[Cells], named: Mapping[str, str], measure: str, at: Sequence[int]) -> str:
    """Return the table of the best so far of some groups.

    Args:
        rows: of all generations.
        named: what the groups are called, by title.
        measure: a column of the rows.
        at: generations that are shown.
    """
    found = curves.groups(rows, measure)
    lines = [[named[title], str(len(found[title])), *cells_at(found[title], at)] for title in named if title in found]
    head = ["mean of runs (95 %)", "runs", *(f"generation {generation}" for generation in at)]
    return table(head, lines)


def until(
    rows: Sequence[Cells], named: Mapping[str, str], measure: str, targets: Mapping[float, str], unit: str = "games"
) -> str:
    """Return the table of the evaluations that some groups need for targets.

    Args:
        rows: of all generations.
        named: what the groups are called, by title.
        measure: a column of the rows.
        targets: values of the measure, and what they are called.
        unit: what an evaluation is.
    """
    found = curves.groups(rows, measure)
    lines = [
        [named[title], words, *running_time(curves.estimate_time(found[title], target))]
        for title in named
        if title in found
        for target, words in targets.items()
    ]
    head = ["runs", "target", "reached", f"expected {unit} (95 %)", f"{unit} of all runs"]
    return table(head, lines)
