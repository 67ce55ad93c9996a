"""The tables of weights of searches by proof numbers: rows of `guides.py` in `scripts/studies/mate`."""

from collections.abc import Callable, Sequence
from functools import partial
from math import exp
from statistics import mean

import numpy as np

from jaxgp.report.generated import table
from jaxgp.statistics.bootstrap import resample
from jaxgp.statistics.draws import Draws
from jaxgp.statistics.exact import central, settle
from jaxgp.statistics.intervals import student
from jaxgp.statistics.permutation import signed_rank
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells
from tables.boards.mate import short
from tables.boards.mate_guides import LIMIT, count, of_better
from tables.shared.cells import mean_of
from tables.shared.data import Data, Makers, by


def exponents(data: Data) -> str:
    """Nodes of searches one move at a time beside the better of two searches by hand, problem by problem."""
    own = [row for row in data["mate_lazy"] if row["seed"] in ("", "0")]
    lines, chances = [], []
    for (name, seed, source, length), rows in by(own, "run", "seed", "source", "n").items():
        mine, hand = _nodes(rows)
        ratios = np.log(mine / hand)
        sums = resample([len(rows)], partial(_of_sums, mine, hand), Draws(0))
        middle, low, high = student(ratios)
        chances.append(signed_rank(ratios) if any(ratios) else 1.0)
        cells = [f"{name}, seed {seed}" if seed else name, source, length, str(len(rows))]
        cells += [f"{sum(int(row['proved']) for row in rows)}", short(mean(mine)), short(mean(hand))]
        cells += [_share(mine.sum() / hand.sum(), *central(sums)), _share(exp(middle), exp(low or 0), exp(high or 0))]
        lines.append(cells)
    for line, chance in zip(lines, holm(chances), strict=True):
        line.append(f"{chance:.2g}")
    head = ["weights", "problems", "n", "number", "proved", "mean nodes", "of the better", "sum, of the better"]
    return table([*head, "geometric mean, of the better", "p, Holm"], lines)


SEVERAL = "flights, n = 4"
"""The run of which there are several seeds."""
Figure = Callable[[np.ndarray, np.ndarray], float]
"""Of the nodes of a search, float[N], and of the better one by hand."""


def _by_sum(mine: np.ndarray, hand: np.ndarray) -> float:
    return float(100 * mine.sum() / hand.sum())


def _by_problem(mine: np.ndarray, hand: np.ndarray) -> float:
    return exp(float(np.log(mine / hand).mean())) * 100


def _mean(mine: np.ndarray, hand: np.ndarray) -> float:
    return float(mine.mean())


MEASURED: tuple[tuple[str, str, str, Figure], ...] = (
    ("composed, n = 4: sum, %", "composed", "4", _by_sum),
    ("geometric mean, %", "composed", "4", _by_problem),
    ("mean nodes", "composed", "4", _mean),
    ("composed, n = 5: sum, %", "composed", "5", _by_sum),
    ("geometric mean, %", "composed", "5", _by_problem),
    ("games, n = 4: mean nodes", "games", "4", _mean),
)
"""What the table of seeds has: head, source, n, and figure."""


def seeds(data: Data) -> str:
    """What the weights of each seed need beside the better search by hand, and means over seeds."""
    found = by([row for row in data["mate_lazy"] if row["run"] == SEVERAL], "seed")
    shares = [_figures(rows, MEASURED) for rows in found.values()]
    lines = [[seed, *(f"{x:,.0f}" for x in one)] for (seed,), one in zip(found, shares, strict=True)]
    means = [mean_of(column, 0) for column in zip(*shares, strict=True)]
    return table(["seed", *(head for head, *_ in MEASURED)], [*lines, ["mean (95 %)", *means]])


STEPPED: tuple[tuple[str, str, str, Figure], ...] = tuple(
    (f"{source}, n = {n}: {says}", source, n, figure)
    for source, n in (("composed", "4"), ("composed", "5"), ("games", "4"))
    for says, figure in (("sum, %", _by_sum), ("geometric mean, %", _by_problem))
)


def stepped(data: Data) -> str:
    """What weights need beside the better of two searches by hand that have the step of flights as well."""
    lines = {str(row["line"]): row for row in data["mate_lines"]}
    own = [
        {**row, **{name: str(count(lines[row["line"]][f"{name}_flights"])) for name in ("few", "dfpn_replies")}}
        for row in data["mate_lazy"]
        if row["source"] in ("composed", "games") and row["run"] in ("flights, weights of 0", SEVERAL)
    ]
    rows = [
        [f"{run}, seed {seed}" if seed else run, *(f"{x:,.0f}" for x in _figures(some, STEPPED))]
        for (run, seed), some in by(own, "run", "seed").items()
    ]
    return table(["weights", *(head for head, *_ in STEPPED)], rows)


def _figures(rows: Sequence[Cells], wanted: Sequence[tuple[str, str, str, Figure]]) -> list[float]:
    """Return figures of some source and n each, as `MEASURED` has them."""
    kinds = by(rows, "source", "n")
    return [figure(*_nodes(kinds[source, n])) for _, source, n, figure in wanted]


def _nodes(rows: Sequence[Cells]) -> tuple[np.ndarray, np.ndarray]:
    """Return float[N]: the nodes of a search, and those of the better of two by hand."""
    return np.array([int(row["nodes"]) for row in rows], float), np.array([of_better(row) for row in rows], float)


def _of_sums(mine: np.ndarray, hand: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return float[R]: the sum of one sample by that of the other in resamples, int64[R, N]."""
    return settle(mine[places].sum(1) / hand[places].sum(1))


def _share(part: float, low: float, high: float) -> str:
    return f"{100 * part:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def longer(data: Data) -> str:
    """What guides and searches by hand need for own problems of n = 5 and 6, means over seeds."""
    lines = []
    for (length,), every in by(data["mate_longer"], "n").items():
        runs = by(every, "run")
        first = next(iter(by(next(iter(runs.values())), "seed").values()))
        for name in ("few", "dfpn_replies"):
            own = [{**row, "nodes": row[name], "proved": str(int(int(row[name]) < LIMIT))} for row in first]
            lines.append([f"`{name}`", length, *_longer([own])])
        for (run,), rows in runs.items():
            lines.append([run, length, *_longer(list(by(rows, "seed").values()))])
    head = ["search", "n", "seeds", "proved", "mean nodes", "sum, % of the better"]
    return table([*head, "geometric mean, % of the better"], lines)


def _longer(seeds: Sequence[Sequence[Cells]]) -> list[str]:
    """Return the number of seeds, what they prove at least, mean nodes, and shares of the better search by hand."""
    pairs = [_nodes(rows) for rows in seeds]
    proved = min(sum(int(row["proved"]) for row in rows) for rows in seeds)
    means = [mean_of([figure(*pair) for pair in pairs], 0) for figure in (_mean, _by_sum, _by_problem)]
    return [str(len(seeds)), f"{proved} of {len(seeds[0])}", *means]


TABLES: Makers = {
    "mate_lazy": exponents,
    "mate_lazy_seeds": seeds,
    "mate_lazy_stepped": stepped,
    "mate_longer": longer,
}
