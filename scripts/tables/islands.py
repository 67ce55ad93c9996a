"""The table of docs/islands.md: champions from islands beside champions from one population, in games that were new."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean

from jaxgp.measure import games
from jaxgp.report.generated import guarded, table
from jaxgp.statistics.verdicts import pooled
from jaxgp.store.table import Cells
from tables.shared.cells import effect, family, mean_of

PAIRS = {
    "Othello": ("othello_islands", "othello_original"),
    "backgammon": ("backgammon_lessons_islands", "backgammon_lessons_one"),
}
"""For each game, the names of the files of champions from islands, and of those from one population."""
FILES = ("islands_games.csv", "othello_games.csv")
NONE = "No rows yet."


def shares(rows: Sequence[Cells]) -> dict[str, list[float]]:
    """Return the share of games of each champion in percent, the mean over its opponents, by the name of its file."""
    met: dict[str, list[float]] = {}
    for (run, _), score in pooled(rows, ("run", "opponent")).items():
        met.setdefault(run, []).append(score.share)
    found: dict[str, list[float]] = {}
    for run, values in sorted(met.items()):
        if name := re.fullmatch(r"docs/data/champions/(\w+)_\d+\.json", run):
            found.setdefault(name[1], []).append(100 * mean(values))
    return found


def islands(rows: Sequence[Cells]) -> str:
    """Return a line for each game: both arrangements, A12 of islands beside one population, and p after Holm."""
    found = shares(rows)
    pairs = {game: names for game, names in PAIRS.items() if all(name in found for name in names)}
    if not pairs:
        return NONE
    made = family(found, list(pairs.values()), "share of games")
    lines = []
    for game, names in pairs.items():
        one, p = made[names]
        each = [mean_of(found[name], unit=" %") for name in names]
        runs = " and ".join(str(len(found[name])) for name in names)
        lines.append([game, runs, *each, effect(one.a12), f"{p:.2g}"])
    head = ["game", "runs", "islands, share of games (95 % over runs)", "one population", "A12 (95 %)", "p, Holm"]
    return table(head, lines)


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes the table of the document; raises UsageError for damaged data."""
    rows = [row for name in FILES for row in games.table(folder / name).read()]
    return guarded(folder, {"islands": islands}, rows)
