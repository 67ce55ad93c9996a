"""The tables of trees and weights that guide a search: rows of `scripts/studies/mate/guides.py`."""

from collections.abc import Callable, Sequence
from math import log

import numpy as np

from jaxgp.report.generated import table
from jaxgp.statistics.permutation import rank_sum, signed_rank
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells
from tables.shared.cells import mean_of
from tables.shared.data import Data, Makers, by

EVOLVED = (
    "mate_guide_few, less",
    "mate_guide_few, replies",
    "mate_guide",
    "mate_hard",
    "mate_hard, drawn",
    "mate_weights",
    "mate_weights, drawn",
    "mate_guide_proof",
)
"""Runs of trees and weights of which there are five seeds."""
VARIED = {
    "mate_hard": "",
    "mate_hard, drawn": "mate_hard",
    "mate_weights": "mate_hard",
    "mate_weights, drawn": "mate_weights",
    "mate_guide_few, less": "",
    "mate_guide": "mate_guide_few, less",
    "mate_guide_proof": "mate_guide_few, less",
    "mate_guide_proof, first tree constant": "mate_guide_proof",
    "mate_guide_proof, second tree constant": "mate_guide_proof",
}
"""What differs in one thing from another run, and that run."""
INDIVIDUALS = 300
"""Of each run that are compared."""
KINDS = ("report", "composed", "games")
LIMIT = 2_000_000
"""Nodes after which a search was cut."""
Other = Callable[[Cells], int]
"""The nodes of another search on the same problem."""


def count(nodes: str) -> int:
    """Return the nodes of a search, those of one that was cut as its limit."""
    return LIMIT if nodes == "cut" else int(nodes)


def _few(row: Cells) -> int:
    return int(row["few"])


def _numbers(row: Cells) -> int:
    return int(row["dfpn_replies"])


def of_better(row: Cells) -> int:
    """Return the nodes of the better of two searches by hand."""
    return min(_few(row), _numbers(row))


def _ratios(rows: Sequence[Cells], other: Other = _few) -> np.ndarray:
    """Return float[S, N]: of each seed and problem, the logarithm of nodes divided by those of another search."""
    return np.array([[log(int(row["nodes"]) / other(row)) for row in some] for some in by(rows, "seed").values()])


def _geometric(ratios: np.ndarray) -> str:
    """Return the geometric mean over problems in per cent: the mean over seeds, with its interval."""
    return mean_of((100 * np.exp(ratios.mean(1))).tolist(), 0)


def _sum(rows: Sequence[Cells]) -> str:
    """Return the sum of nodes in per cent of that of `few`: the mean over seeds, with its interval."""
    groups = by(rows, "seed").values()
    return mean_of([100 * sum(int(row["nodes"]) for row in some) / sum(map(_few, some)) for some in groups], 0)


def paired(data: Data) -> str:
    """Nodes of guides beside searches by hand, means over seeds; p by signed ranks of problems, corrected by Holm."""
    flights = {row["line"]: row["few_flights"] for row in data["mate_lines"]}
    found = by([row for row in data["mate_guides"] if str(row["n"]) in "34"], "run", "source", "n")
    lines, chances = [], []
    for name in EVOLVED:
        for (run, source, length), rows in found.items():
            if run != name:
                continue
            few = _ratios(rows)
            seeds, number = few.shape
            chances.append(signed_rank(few.mean(0)))
            proved = f"{sum(int(row['proved']) for row in rows)} of {seeds * number}"
            cells = [name, source, length, proved, _sum(rows), _geometric(few), _geometric(_ratios(rows, _numbers))]
            own = source != "report"
            cells.append(_geometric(_ratios(rows, lambda row: count(flights[row["line"]]))) if own else "")
            lines.append([*cells, _geometric(_ratios(rows, of_better))])
    for line, chance in zip(lines, holm(chances), strict=True):
        line.append(f"{chance:.2g}")
    head = ["guide", "problems", "n", "proved", "sum, % of `few`", "geometric mean, % of `few`"]
    head += ["of `dfpn_replies`", "of `few_flights`", "of the better of the first two", "p beside `few`, Holm"]
    return table(head, lines)


def mattered(data: Data) -> str:
    """What runs that differ in one thing need on problems of n = 4; p by rank sums of seeds, corrected by Holm."""
    found = by([row for row in data["mate_guides"] if row["n"] == "4"], "run", "source")
    every = {name: np.concatenate([_ratios(found[name, kind]) for kind in KINDS], 1).mean(1) for name in VARIED}
    chances = holm([rank_sum(every[name], every[other]) for name, other in VARIED.items() if other])
    corrected, lines = iter(chances), []
    for name, other in VARIED.items():
        cells = [cell for kind in KINDS for cell in (_sum(found[name, kind]), _geometric(_ratios(found[name, kind])))]
        lines.append([name, *cells, *([other, f"{next(corrected):.2g}"] if other else ["", ""])])
    head = [cell for kind in KINDS for cell in (f"{kind}: sum, % of `few`", "geometric mean, %")]
    return table(["run", *head, "beside", "p, Holm"], lines)


def learned(data: Data) -> str:
    """What the best of as many individuals of each run have on all problems for training; p by rank sums of seeds."""
    found = {
        name: [max(float(r["standing"]) for r in some if int(r["individuals"]) <= INDIVIDUALS) for some in groups]
        for name in ("mate_hard, random search", "mate_hard", "mate_weights")
        for groups in [by([row for row in data["mate_learned"] if row["run"] == name], "seed").values()]
    }
    first = np.array(next(iter(found.values())))
    chances = holm([rank_sum(np.array(values), first) for values in list(found.values())[1:]])
    lines = [
        [name, *(f"{value:,.0f}" for value in values), mean_of(values, 0), chance]
        for (name, values), chance in zip(found.items(), ["", *(f"{p:.2g}" for p in chances)], strict=True)
    ]
    head = [f"seed {seed}" for seed in range(len(first))]
    return table(["run", *head, "mean (95 %)", "p beside random search, Holm"], lines)


TABLES: Makers = {"mate_guides": paired, "mate_mattered": mattered, "mate_learned": learned}
