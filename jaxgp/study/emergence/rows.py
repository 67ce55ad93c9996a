"""The rows of an emergence study, and the measures that follow from them. Needs no JAX."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from jaxgp.statistics.intervals import NORMAL
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells

GAMES, DECISIONS, SOLVED, NODES = "games", "decisions", "solved", "nodes"
"""What scores are of: games, decisions that the teacher of a game judges, instances that are solved, nodes of searches.

`scale` says it of a row.
"""
COLUMNS = {
    "part": "single, disabled, without, pairs or groups; reference: what the others are compared with",
    "champion": "whose terminal is disabled, its digest; of the other parts the champion whose run is looked at",
    "terminals": "the terminals, with + between them; of groups how they were chosen, and how many they are",
    "way": "single: the sign; disabled: what takes the place of the terminal; evolved players: the number of the run",
    "against": "an opponent; decisions: those that the game's teacher judges; of a puzzle solved or nodes, which "
    "instances are searched, and the most nodes of a search",
    "number": "games, decisions, or instances",
    "score": "what they are worth: 1 won, 1/2 drawn; of a decision the chance of a best move; solved: 1 solved; nodes: "
    "1 - log n / log m of n nodes where m are the most, so that a search that finds nothing counts with m",
    "low": "lower end of the 95 % interval of the score",
    "high": "upper end",
    "base": "what the score is compared with: single: random values; disabled: the champion as it is; else the "
    "reference",
    "fall": "how much lower the score is than the base",
    "fall_low": "lower end of the 95 % interval of the fall, game by game; empty: not known",
    "fall_high": "upper end",
    "seed": "of games and decisions",
}
KEY = ("part", "champion", "terminals", "way", "against", "number", "seed")
RANDOM = "random values"
REFERENCE = "reference"
GROUPS = ("strongest", "drawn")
"""How the terminals of groups are chosen."""
Row = dict[str, object]


def scale(against: str) -> str:
    """Return what scores of rows are of."""
    name = against.partition(":")[0]
    return name if name in (DECISIONS, SOLVED, NODES) else GAMES


def mean_nodes(row: Cells) -> float:
    """Return the geometric mean of the nodes of searches, of a row that is of them."""
    most = int(row["against"].rpartition(", ")[2].split(" ")[0])
    return float(most ** (1 - float(row["score"])))


def single_score(rows: Sequence[Cells], name: str, against: str) -> float | None:
    """Return the greatest score of a terminal alone, as it is; None where it was not measured."""
    found = [
        float(row["score"])
        for row in rows
        if row["part"] == "single"
        and row["way"] == "+1"
        and row["against"] == against
        and (row["terminals"] == name or row["terminals"].startswith(f"{name} "))
    ]
    return max(found, default=None)


def strengths(rows: Sequence[Cells], by: str = GAMES) -> list[Row]:
    """Return a line for each terminal: its measures and their mean, the strongest first.

    Args:
        rows: of the table.
        by: what scores are of; those of games are averaged over opponents.
    """
    mine = [row for row in rows if scale(row["against"]) == by]
    names = dict.fromkeys(
        row["terminals"].split(" ")[0] for row in mine if row["part"] in ("single", "disabled", "without")
    )
    names.pop("nothing", None)
    lines: list[Row] = []
    for name in names:
        own = [row for row in mine if row["terminals"].split(" ")[0] == name]

        def mean(part: str, column: str, ways: Sequence[str] | None = None, own: list[Cells] = own) -> float | None:
            some = [row for row in own if row["part"] == part and (ways is None or row["way"] in ways) and row[column]]
            return fmean(float(row[column]) for row in some) if some else None

        less = mean("single", "fall", ("+1",))
        more = None if less is None else 0 - less
        line: Row = {
            "terminal": name,
            "single": mean("single", "score", ("+1",)),
            "sign turned": mean("single", "score", ("-1",)),
            "single minus random": more,
        }
        line |= {f"disabled, {way}": mean("disabled", "fall", (way,)) for way in ("zero", "random", "elsewhere")}
        disabled, gone = mean("disabled", "fall"), mean("without", "fall")
        line |= {"disabled": disabled, "without": gone}
        parts = [x for x in (more, disabled, gone) if x is not None]
        line["strength"] = fmean(parts) if parts else None
        lines.append(line)
    return sorted(lines, key=lambda line: -float(line["strength"] or 0))  # type: ignore[arg-type]


def needed(rows: Sequence[Cells], against: str) -> list[Row]:
    """Return a line for each terminal that was left out: by how much less its players score, and p corrected by Holm.

    All kinds of runs are taken to differ by chance alike, so that the spread of few runs of each is known from all.
    """
    from scipy import stats

    found: dict[str, list[float]] = {}
    for row in rows:
        if row["part"] == "without" and row["against"] == against:
            found.setdefault(row["terminals"], []).append(float(row["score"]))
    full = found.pop("nothing", [])
    kinds = [np.array(x) for x in (full, *found.values())]
    free = sum(map(len, kinds)) - len(kinds)
    if not full or free < 1:
        return []
    spread = (sum(float(((x - x.mean()) ** 2).sum()) for x in kinds) / free) ** 0.5
    lines: list[Row] = []
    for name, scores in found.items():
        fall, error = fmean(full) - fmean(scores), spread * (1 / len(full) + 1 / len(scores)) ** 0.5
        half = float(stats.t.ppf(0.975, free)) * error
        p = 2 * float(stats.t.sf(abs(fall) / error, free)) if error else 1.0
        line: Row = {"terminal": name, "runs": len(scores), "score": fmean(scores), "fall": fall}
        lines.append({**line, "fall_low": fall - half, "fall_high": fall + half, "p": p})
    corrected = holm([float(str(line["p"])) for line in lines])
    tested: list[Row] = [{**line, "p": p} for line, p in zip(lines, corrected, strict=True)]
    return sorted(tested, key=lambda line: -float(str(line["fall"])))


def synergies(rows: Sequence[Cells]) -> list[Row]:
    """Return a line for each pair: its mean score, that of its better half, the difference, and p corrected by Holm.

    p knows two errors: that of the mean of runs, and that of the games or decisions that measure each score. The second
    one counts twice, as the better half is measured too; so runs that end with one program give a p as well.
    """
    from scipy import stats

    found: dict[tuple[str, str], list[Cells]] = {}
    for row in rows:
        if row["part"] == "pairs":
            found.setdefault((row["terminals"], row["against"]), []).append(row)
    lines: list[Row] = []
    p = []
    for (pair, against), mine in found.items():
        scores, base = np.array([float(row["score"]) for row in mine]), float(mine[0]["base"] or "nan")
        spread = scores.std(ddof=1) / len(scores) ** 0.5 if len(scores) > 1 else 0.0
        measured = np.mean([float(row["high"]) - float(row["low"]) for row in mine]) / (2 * NORMAL)
        error = math.hypot(spread, 2**0.5 * measured)
        p.append(2 * float(stats.norm.sf(abs(scores.mean() - base) / error)) if error else 1.0)
        line = {"pair": pair, "against": against, "runs": len(mine), "score": scores.mean(), "best": scores.max()}
        lines.append({**line, "better half": base, "synergy": scores.mean() - base})
    return [{**line, "p": one} for line, one in zip(lines, holm(p), strict=True)]


def sized(rows: Sequence[Cells], chosen: str, against: str) -> dict[int, list[float]]:
    """Return the scores of runs by the size of their groups of terminals, for a way to choose these."""
    found: dict[int, list[float]] = {}
    for row in rows:
        if row["part"] == "groups" and row["against"] == against and row["terminals"].split(" ")[0] == chosen:
            found.setdefault(int(row["terminals"].split(" ")[1]), []).append(float(row["score"]))
    return dict(sorted(found.items()))


class Straightness(NamedTuple):
    """Whether means lie on a straight line: the test of lack of fit, N runs at K sizes.

    Attributes:
        ratio: F, how much more the means lie off the line than the spread of runs explains.
        between: its degrees of freedom, K - 2.
        within: those of the spread, N - K.
        p: chance of such a ratio if the means lie on a line.
    """

    ratio: float
    between: int
    within: int
    p: float


def straight(found: Mapping[int, Sequence[float]]) -> Straightness | None:
    """Return the test of a straight line through scores by size; None: too few sizes or runs, or runs do not differ.

    Source: R. A. Fisher, "Statistical methods for research workers" (1925), section 44.
    """
    from scipy import stats

    count = {size: len(scores) for size, scores in found.items()}
    between, within = len(found) - 2, sum(count.values()) - len(found)
    if between < 1 or within < 1:
        return None
    sizes = np.repeat([*found], [*count.values()]).astype(float)
    scores = np.concatenate([np.asarray(x, float) for x in found.values()])
    means = np.repeat([fmean(x) for x in found.values()], [*count.values()])
    off = float(((means - np.polyval(np.polyfit(sizes, scores, 1), sizes)) ** 2).sum()) / between
    spread = float(((scores - means) ** 2).sum()) / within
    if not spread:
        return None
    return Straightness(off / spread, between, within, float(stats.f.sf(off / spread, between, within)))


def curve(rows: Sequence[Cells]) -> list[Row]:
    """Return a line for each size of groups: mean score of the runs, and the ends of them, by choice of terminals."""
    groups = [row for row in rows if row["part"] == "groups"]
    kinds = dict.fromkeys((row["terminals"].split(" ")[0], row["against"]) for row in groups)
    return [
        {
            "chosen": chosen,
            "terminals": size,
            "against": against,
            "runs": len(scores),
            "score": fmean(scores),
            "least": min(scores),
            "most": max(scores),
        }
        for chosen, against in kinds
        for size, scores in sized(rows, chosen, against).items()
    ]
