"""The tables of docs/results/checkers.md, made from checkers_runs.csv, _games.csv and _book.csv in docs/data.

`checkers_book.csv` has the figures of M. Sipper, "Evolved to Win" (2011), tables 3.5 to 3.11: all matches of table 3.5,
and the best player of each column of the others. Each function returns the Markdown of one table.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from jaxgp.measure import games
from jaxgp.report.generated import guarded, table
from jaxgp.statistics.verdicts import LEVEL, Score, exceeds, holm, p_of_figure, p_of_two, pooled
from jaxgp.store import runs
from jaxgp.store.table import Cells, Table
from tables.shared.cells import p_value

BOOK = ("table", "game", "player", "opponent", "points", "games")
"""Columns of the book's figures: `points` of `games` games, a draw counting half."""
LOSE, LARGE = "checkers lose=true", "checkers size=10"
GUIDE = "search depth=3 evaluator=noise ties=first"
"""The opponent that groups of runs are compared by."""
GROUPS, BASE = "ablation ", "ablation base"
"""How the titles of runs begin that are compared in groups, and the title of the runs that are the base."""
NONE = "no rows yet"
VARIED = ("ab3 - ab2", "ab3 - ab4")
"""The matches that variants of rules and plies are tried on."""

GROUPS_SEARCH = 1
"""Plies that the champions of these runs search."""


class Data(NamedTuple):
    """Rows of the three files."""

    runs: list[Cells]
    games: list[Cells]
    book: list[Cells]


def load(folder: Path) -> Data:
    """Read the files; a missing one has no rows. Raises UsageError."""
    return Data(
        Table(folder / "checkers_runs.csv", runs.COLUMNS).read(),
        games.table(folder / "checkers_games.csv").read(),
        Table(folder / "checkers_book.csv", BOOK).read(),
    )


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    return guarded(folder, TABLES, load(folder))


# Searches against each other


def ladder(data: Data) -> str:
    """Return table 3.5 of the book beside the same matches here."""
    ours, book = pooled(data.games), [row for row in data.book if row["table"] == "3.5"]
    found = [ours.get((row["game"], row["player"], row["opponent"])) for row in book]
    sampled = [score is not None and score.effective is not None for score in found]
    both = zip(book, found, sampled, strict=True)
    tests = iter(holm([p_of_two(score, published(row)) for row, score, there in both if score is not None and there]))
    lines = []
    for row, score, there in zip(book, found, sampled, strict=True):
        match, theirs = f"{label(row['player'])} - {label(row['opponent'])}", published(row)
        if score is None or not there:
            lines.append([match, NONE, "", "", said(theirs, 10_000), ""])
            continue
        differs = next(tests) < LEVEL
        word = ("higher" if score.share > theirs.share else "lower") if differs else "no difference"
        drawn = f"{100 * score.drawn / score.games:.1f} %"
        lines.append([match, said(score, 10_000), f"{score.games:,}", drawn, said(theirs, 10_000), word])
    header = ["match", "points of 10,000 here (95 %)", "games", "drawn", "the book's (95 %)", "here"]
    return table(header, lines)


def published(row: Cells) -> Score:
    """Return a figure of the book as a score; how many games were drawn is not known."""
    number = int(row["games"])
    return Score(number, float(row["points"]), 0, number)


def variants(data: Data) -> str:
    """Return the matches of three plies against two and four, by what differs from the project's rules and plies."""
    found: dict[str, dict[str, Score]] = {}
    for (game, player, opponent), score in pooled(data.games).items():
        match = f"{label(player)} - {label(opponent)}"
        if match in VARIED and (game == LOSE or game.startswith(LOSE + " ")):
            differs = game.removeprefix(LOSE).split() + ["ties=random"] * ("ties=random" in player)
            found.setdefault(", ".join(differs) or "none", {})[match] = score
    lines = [
        [name, *("" if match not in scores else said(scores[match], 10_000) for match in VARIED)]
        for name, scores in sorted(found.items(), key=lambda item: (item[0] != "none", item[0]))
    ]
    lines = lines or [[NONE, *([""] * len(VARIED))]]
    book = {f"{label(row['player'])} - {label(row['opponent'])}": published(row) for row in data.book}
    lines.append(["the book", *(said(book[match], 10_000) for match in VARIED)])
    return table(["what differs", *VARIED], lines)


# Champions


def champions(data: Data, game: str, depth: int) -> str:
    """Return the champions of a game that search so deep, by opponent, and the book's best figure of each.

    Those of groups of runs have a table of their own.
    """
    book = [row for row in data.book if (row["game"], row["player"]) == (game, f"champion depth={depth}")]
    best = {row["opponent"]: published(row) for row in book}
    rows = [row for row in data.games if row["game"] == game and plies(row["player"]) == depth]
    rows = [row for row in rows if not row["title"].startswith(GROUPS)]
    scores = pooled(rows)
    names = {
        row["player"]: f"{row['title'] or row['experiment'] or row['run']}, seed {row['run_seed']}" for row in rows
    }
    met = {row["opponent"] for row in rows} - set(best)
    opponents = [*best, *sorted(met, key=label)]
    tested = [pair for pair, score in scores.items() if pair[2] in best and score.effective is not None]
    corrected = holm([p_of_figure(scores[pair], best[pair[2]].share) for pair in tested])
    above = {pair for pair, p in zip(tested, corrected, strict=True) if exceeds(scores[pair], best[pair[2]].share, p)}

    def cell(player: str, opponent: str) -> str:
        score = scores.get((game, player, opponent))
        if score is None:
            return ""
        star = " *" if (game, player, opponent) in above else ""
        return f"{said(score, 1000)}{star}; {100 * score.drawn / score.games:.0f} % drawn"

    lines = [[name, *(cell(player, one) for one in opponents)] for player, name in sorted(names.items(), key=by_name)]
    lines = lines or [[NONE, *([""] * len(opponents))]]
    lines.append(["the book's best", *(f"{1000 * best[one].share:.1f}" if one in best else "" for one in opponents)])
    lines.append(["exceeded by", *(verdict(one, best, tested, above) for one in opponents)])
    return table(["champion", *map(label, opponents)], lines)


def verdict(
    opponent: str,
    best: Mapping[str, Score],
    tested: "list[tuple[str, str, str]]",
    above: "set[tuple[str, str, str]]",
) -> str:
    """Say how many champions exceed the book's best figure against an opponent."""
    number = sum(pair[2] == opponent for pair in tested)
    if opponent not in best or not number:
        return ""
    return f"{sum(pair[2] == opponent for pair in above)} of {number}"


def plies(player: str) -> int:
    """Return how deep a champion searches, 1 if it does not search; 0 for another player."""
    found = re.fullmatch(r"champion \w+(?: depth=(\d+))?", player)
    return int(found[1] or 1) if found else 0


def by_name(named: tuple[str, str]) -> list[tuple[int, str]]:
    """Return a sort key by which seed 9 comes before seed 10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", named[1])]


# Groups of runs


def ablation(data: Data) -> str:
    """Return groups of runs, told apart by their titles, compared with the base by their champions' scores."""
    from scipy import stats

    from jaxgp.statistics.comparison import dominance, together

    rows = [row for row in data.games if (row["opponent"], plies(row["player"])) == (GUIDE, GROUPS_SEARCH)]
    rows = [row for row in rows if row["title"].startswith(GROUPS)]
    groups: dict[str, list[float]] = {}
    for (title, _, _), score in sorted(pooled(rows, ("title", "run_seed", "game")).items()):
        groups.setdefault(title, []).append(score.share)
    if BASE not in groups:
        return f"{NONE.capitalize()}: no champion of a run with the title `{BASE}` has met {label(GUIDE)}."
    base = groups.pop(BASE)
    titles = list(groups)
    pairs = [together(np.array(groups[title]), np.array(base)) for title in titles]
    tests = holm([float(stats.mannwhitneyu(*pair).pvalue) for pair in pairs])
    lines = [[*group(data, BASE, base), "", ""]]
    for title, p in zip(titles, tests, strict=True):
        a12 = dominance(np.array(groups[title]), np.array(base))
        lines.append([*group(data, title, groups[title]), f"{a12:.2f}", p_value(p)])
    header = ["group", "runs", f"points of 1,000 against {label(GUIDE)}: median (least to greatest)", "minutes a run"]
    return table([*header, "A12 against the base", "p, Holm"], lines)


def group(data: Data, title: str, shares: list[float]) -> list[str]:
    """Return the first cells of a group's line."""
    low, middle, high = (f"{1000 * share:.1f}" for share in (min(shares), median(shares), max(shares)))
    seconds = [float(row["seconds"]) for row in data.runs if row["title"] == title]
    minutes = f"{median(seconds) / 60:.0f}" if seconds else ""
    return [title.removeprefix(GROUPS), str(len(shares)), f"{middle} ({low} to {high})", minutes]


# Words


def said(score: Score, of: int) -> str:
    """Return a score as points of so many games, with its interval."""
    digits = 1 if of == 1000 else 0
    value = f"{of * score.share:,.1f}" if digits else f"{of * score.share:,.1f}".removesuffix(".0")
    ends = "" if score.interval is None else " ({} to {})".format(*(f"{of * x:,.{digits}f}" for x in score.interval))
    return value + ends


def label(player: str) -> str:
    """Return a short name: `ab3` for a search of three plies that knows only results, `ab3 mobility` for another."""
    found = re.fullmatch(r"search depth=(\d+) evaluator=(\S+) ties=\w+", player)
    if found is None:
        return player
    return f"ab{found[1]}" + ("" if found[2] == "noise" else f" {found[2]}")


TABLES: dict[str, Callable[[Data], str]] = {
    "checkers_ladder": ladder,
    "checkers_variants": variants,
    **{f"checkers_lose_{depth}": partial(champions, game=LOSE, depth=depth) for depth in (1, 3, 4, 5)},
    **{f"checkers_large_{depth}": partial(champions, game=LARGE, depth=depth) for depth in (2, 3)},
    "checkers_ablation": ablation,
}
