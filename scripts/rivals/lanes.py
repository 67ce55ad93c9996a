"""The lanes of plain XLA, beside searches that a CPU makes in C++."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import numpy as np

from jaxgp.search.alphabeta import RootResult
from jaxgp.search.puzzles.solutions import Solutions
from rivals.timing import PLAIN, Bench, Case, Times, in_plain_xla


def plain_lanes(
    bench: Bench, search: Callable[..., Any], given: tuple[Any, ...], found: Solutions | RootResult, work: int
) -> dict[str, Case]:
    """Return the same search in the lanes of plain XLA, to be timed beside the native one; none without one.

    Args:
        bench: rivals may not be wanted.
        search: that has been compiled.
        given: its arguments.
        found: what it finds, which the lanes have to find as well.
        work: instances.
    """
    if not bench.options.rivals or int(found.iterations):
        return {}
    cases = in_plain_xla(partial(search), given, work)
    lanes = replace(cases[PLAIN].run(), iterations=found.iterations)
    jax.tree.map(np.testing.assert_array_equal, lanes, found)
    return cases


def report_lanes(bench: Bench, part: str, name: str, unit: str, sizes: dict[str, int], times: dict[str, Times]) -> None:
    """Write the measurement of the lanes, if there is one."""
    if PLAIN in times:
        more = {"who": PLAIN, "ours": times[name], "against": name}
        bench.report.rival(part, name, unit, times[PLAIN], sizes, **more)
