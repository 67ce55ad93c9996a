"""How methods rank over tasks: mean ranks, the test of Friedman, and the critical difference of Nemenyi.

Source: J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7 (2006), section 3.2.2.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jaxgp.statistics.exact import mean, settle
from jaxgp.store.table import Cells

Run = list[tuple[int, float]]
"""What the champion was worth after so many evaluations, in ascending order of these."""


@dataclass(frozen=True)
class Ranking:
    """Methods that all tasks have.

    Attributes:
        tasks: how many.
        ranks: the mean rank of each method over tasks, 1 the best, equal means sharing theirs.
        p: of Friedman's test that all methods are equal.
        difference: two methods differ at 5 % where their mean ranks lie so far apart, or farther.
    """

    tasks: int
    ranks: Mapping[str, float]
    p: float
    difference: float


def by_cell(rows: Sequence[Cells], budget: int) -> dict[tuple[str, str], list[Run]]:
    """Return the runs of each task and method with this budget, by seed; a run that was cut short is left out."""
    found: dict[tuple[str, str], dict[int, Run]] = {}
    for row in rows:
        if int(row["budget"]) == budget:
            run = found.setdefault((row["task"], row["method"]), {}).setdefault(int(row["seed"]), [])
            run.append((int(row["evaluations"]), float(row["score"])))
    cells = {}
    for cell, runs in sorted(found.items()):
        whole = max(map(len, runs.values()))
        cells[cell] = [sorted(run) for _, run in sorted(runs.items()) if len(run) == whole]
    return cells


def last(runs: Sequence[Run]) -> list[float]:
    """Return what the champion of each run was worth at its end."""
    return [run[-1][1] for run in runs]


def rank(cells: Mapping[tuple[str, str], Sequence[Run]]) -> Ranking | None:
    """Rank the methods that all programs' tasks have by their mean over runs; None: fewer than 2 tasks or 3 methods.

    Tasks that only some of these methods can do are left out.
    """
    from scipy import stats

    tasks = list(dict.fromkeys(task for task, _ in cells))
    methods = list(dict.fromkeys(method for _, method in cells))
    counts = {method: sum((task, method) in cells for task in tasks) for method in methods}
    common = [method for method in methods if counts[method] > len(tasks) / 2]
    there = [task for task in tasks if all((task, method) in cells for method in common)]
    if len(there) < 2 or len(common) < 3:
        return None
    scores = settle(np.array([[mean(np.array(last(cells[task, method]))) for method in common] for task in there]))
    ranks = stats.rankdata(-scores, axis=1)
    p = float(stats.friedmanchisquare(*scores.T).pvalue)
    k, n = len(common), len(there)
    q = float(stats.studentized_range.ppf(0.95, k, math.inf)) / math.sqrt(2)
    by_method = dict(zip(common, ranks.mean(0).tolist(), strict=True))
    return Ranking(n, by_method, p, q * math.sqrt(k * (k + 1) / (6 * n)))
