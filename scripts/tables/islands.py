"""The table of docs/islands.md: champions from islands beside champions from one population, in games that were new."""

import re
from statistics import mean

from jaxgp.report.generated import table
from jaxgp.statistics.verdicts import pool_rows
from tables.shared.cells import effect, family, mean_of
from tables.shared.data import Data, Makers

PAIRS = {
    "Othello": ("othello_islands", "othello_original"),
    "backgammon": ("backgammon_lessons_islands", "backgammon_lessons_one"),
}
"""For each game, the names of the files of champions from islands, and of those from one population."""


def shares(data: Data) -> dict[str, list[float]]:
    """Return the share of games of each champion in percent, the mean over its opponents, by the name of its file."""
    met: dict[str, list[float]] = {}
    rows = [*data["islands_games"], *data["othello_games"]]
    for (run, _), score in pool_rows(rows, ("run", "opponent")).items():
        met.setdefault(run, []).append(score.share)
    found: dict[str, list[float]] = {}
    for run, values in sorted(met.items()):
        if name := re.fullmatch(r"docs/data/champions/(\w+)\.jsonl#\d+", run):
            found.setdefault(name[1], []).append(100 * mean(values))
    return found


def islands(data: Data) -> str:
    """Return a line for each game: both arrangements, A12 of islands beside one population, and p after Holm."""
    found = shares(data)
    made = family(found, list(PAIRS.values()), "share of games")
    lines = []
    for game, names in PAIRS.items():
        one, p = made[names]
        runs = " and ".join(str(len(found[name])) for name in names)
        each = [mean_of(found[name], unit=" %") for name in names]
        lines.append([game, runs, *each, effect(one.a12), f"{p:.2g}"])
    head = ["game", "runs", "islands, share of games (95 % over runs)", "one population", "A12 (95 %)", "p, Holm"]
    return table(head, lines)


TABLES: Makers = {"islands": islands}
