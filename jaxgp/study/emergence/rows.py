"""The rows of an emergence study, and the measures that follow from them. Needs no JAX."""

from collections.abc import Sequence
from statistics import NormalDist, fmean

import numpy as np

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


def synergies(rows: Sequence[Cells]) -> list[Row]:
    """Return a line for each pair: its mean score, that of its better half, the difference, and p corrected by Holm.

    The intervals of runs of a kind, from their spread, are what p rests on; few runs give none.
    """
    from jaxgp.statistics.verdicts import holm

    found: dict[tuple[str, str], list[Cells]] = {}
    for row in rows:
        if row["part"] == "pairs":
            found.setdefault((row["terminals"], row["against"]), []).append(row)
    lines: list[Row] = []
    p = []
    for (pair, against), mine in found.items():
        scores, base = np.array([float(row["score"]) for row in mine]), float(mine[0]["base"] or "nan")
        error = scores.std(ddof=1) / len(scores) ** 0.5 if len(scores) > 1 else 0.0
        if error > 0:
            p.append(2 * (1 - NormalDist().cdf(abs(scores.mean() - base) / error)))
        line = {"pair": pair, "against": against, "runs": len(mine), "score": scores.mean(), "best": scores.max()}
        lines.append({**line, "better half": base, "synergy": scores.mean() - base, "tested": error > 0})
    corrected = iter(holm(p))
    return [
        {**{k: v for k, v in line.items() if k != "tested"}, "p": next(corrected) if line["tested"] else None}
        for line in lines
    ]


def curve(rows: Sequence[Cells]) -> list[Row]:
    """Return a line for each size of groups: mean score of the runs, and the ends of them, by choice of terminals."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["part"] == "groups":
            found.setdefault((row["terminals"], row["against"]), []).append(float(row["score"]))
    return [
        {
            "chosen": kind.split(" ")[0],
            "terminals": int(kind.split(" ")[1]),
            "against": against,
            "runs": len(scores),
            "score": fmean(scores),
            "least": min(scores),
            "most": max(scores),
        }
        for (kind, against), scores in found.items()
    ]
