"""The tables of docs/othello.md on Reversi, made from rows of docs/data.

The rows are in othello_runs.csv, othello_games.csv and reversi_book.csv. The last file has the figures of M. Sipper,
"Evolved to Win" (2011), section 3.3.5 and table 3.12; of the averages in the text it does not give the number of games.
Each function returns the Markdown of one table.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from jaxgp.measure import games
from jaxgp.report.generated import guarded, table
from jaxgp.statistics.verdicts import Score, pooled
from jaxgp.store import runs
from jaxgp.store.table import Cells, Table
from tables.checkers import BOOK
from tables.shared.cells import effect, family, mean_of, p_value

BENCHMARKS = {
    "search depth=5 evaluator=material|corner_4 ties=random": "5 plies",
    "search depth=7 evaluator=material|corner_4 ties=random": "7 plies",
}
"""The searches that measure players of Reversi."""
ENGINES = {"engine protocol=gtp command=gtp-rhino -l 1 -b 0": "gtp-rhino, level 1, % of 40 games"}
COPLAY = {"25co": "`reversi_25co`", "40co": "`reversi_40co`"}
"""Runs by games against each other alone, by what names the files of their champions, and what they are called."""
WITHOUT = {"25co_position": "`reversi_25co`, without corners", "40co_position": "`reversi_40co`, without corners"}
GUIDED = {"other_guides": "`reversi_other_guides`"}
SOURCE = "the source's eight best runs"
NONE = "No rows yet."


class Data(NamedTuple):
    """Rows of the files."""

    runs: list[Cells]
    games: list[Cells]
    book: list[Cells]


class Champion(NamedTuple):
    """A champion, and what it took from each opponent."""

    kind: str
    seed: int
    player: str
    met: Mapping[str, Score]


def load(folder: Path) -> Data:
    """Read the files; a missing one has no rows. Raises UsageError."""
    return Data(
        Table(folder / "othello_runs.csv", runs.COLUMNS).read(),
        games.table(folder / "othello_games.csv").read(),
        Table(folder / "reversi_book.csv", BOOK).read(),
    )


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    return guarded(folder, TABLES, load(folder))


# Champions of runs


def by_player(data: Data) -> dict[tuple[str, str], dict[str, Score]]:
    """Return what each run's player took from each opponent, by run and player."""
    met: dict[tuple[str, str], dict[str, Score]] = {}
    for (run, player, opponent), score in pooled(data.games, ("run", "player", "opponent")).items():
        met.setdefault((run, player), {})[opponent] = score
    return met


def champions(data: Data, kinds: Mapping[str, str]) -> list[Champion]:
    """Return the champions of some kinds of runs that have met a search that measures, by kind and seed."""
    found = []
    for (run, player), scores in by_player(data).items():
        named = re.fullmatch(r".*reversi_(\w+)_(\d+)\.json", run)
        if named and named[1] in kinds and scores.keys() & BENCHMARKS.keys():
            found.append(Champion(named[1], int(named[2]), player, scores))
    return sorted(found, key=lambda one: (list(kinds).index(one.kind), one.seed))


def of_runs(data: Data, kinds: Mapping[str, str]) -> list[list[str]]:
    """Return a line for each champion: its run, and what it took."""
    made = {row["champion"]: row for row in data.runs}
    lines = []
    for one in champions(data, kinds):
        run = made.get(one.player.split()[1], {})
        about = [run.get(name, "") for name in ("generations", "found", "size")]
        lines.append([f"{kinds[one.kind]}, seed {one.seed}", *about, *of_games(one.met)])
    return lines


def of_games(met: Mapping[str, Score]) -> list[str]:
    """Return what a champion took from each search that measures, and from each engine outside."""
    cells = [thousand(met[one]) if one in met else "" for one in BENCHMARKS]
    return cells + [percent(met[one]) if one in met else "" for one in ENGINES]


HEAD = ("run", "generations", "champion of", "nodes", *(f"{one}, points of 1,000" for one in BENCHMARKS.values()))


def coplay(data: Data) -> str:
    """Return runs by games against each other alone, and below them the source's."""
    lines = of_runs(data, COPLAY) + of_runs(data, WITHOUT)
    if not lines:
        return NONE
    for name, points in book(data).items():
        lines.append(
            [f"the source, {name}", "", "", "", *(f"{points[one]:.1f}" for one in BENCHMARKS), *["" for _ in ENGINES]]
        )
    return table([*HEAD, *ENGINES.values()], lines)


def book(data: Data) -> dict[str, dict[str, float]]:
    """Return points of 1,000 of the source's runs against each search that measures."""
    found: dict[str, dict[str, float]] = {}
    for row in data.book:
        if row["table"] == "3.12":
            found.setdefault(row["player"], {})[row["opponent"]] = 1000 * float(row["points"]) / int(row["games"])
    return found


def beside(data: Data) -> str:
    """Return the runs with corners compared with the source's by each search that measures; p is one family."""
    theirs, ours = book(data).values(), champions(data, COPLAY)
    groups: dict[tuple[str, str], list[float]] = {}
    for one in BENCHMARKS:
        groups["here", one] = [1000 * champion.met[one].share for champion in ours if one in champion.met]
        groups["source", one] = [points[one] for points in theirs]
    if any(len(values) < 2 for values in groups.values()):
        return NONE
    tested = family(groups, [(("here", one), ("source", one)) for one in BENCHMARKS], "points")
    lines = []
    for (name, opponent), (comparison, p) in ((pair[0], found) for pair, found in tested.items()):
        here, there = groups[name, opponent], groups["source", opponent]
        cells = [f"{len(some)}: {mean_of(some)}" for some in (here, there)]
        lines.append([BENCHMARKS[opponent], *cells, effect(comparison.a12), p_value(p)])
    head = ["opponent", "runs here: mean points (95 % over runs)", f"{SOURCE}, likewise", "A12 (95 %)", "p, Holm"]
    return table(head, lines)


def guided(data: Data) -> str:
    """Return runs with guides that are none of the searches that measure."""
    lines = of_runs(data, GUIDED)
    return table([*HEAD, *ENGINES.values()], lines) if lines else NONE


def kept(data: Data) -> str:
    """Return the champions in docs, whose guides or choosers are the searches that measure them."""
    scores = {who: met for who, met in by_player(data).items() if re.fullmatch(r"docs/reversi_\w+\.json", who[0])}
    lines = [[f"`{Path(run).stem}`", *of_games(met)] for (run, _), met in sorted(scores.items())]
    ends = [(min(each), max(each)) for each in zip(*(points.values() for points in book(data).values()), strict=True)]
    lines.append([SOURCE, *(f"{low:g} to {high:g}" for low, high in ends), *["" for _ in ENGINES]])
    return table(["champion", *HEAD[4:], *ENGINES.values()], lines) if scores else NONE


def thousand(score: Score) -> str:
    """Return points of 1,000 with their interval."""
    low, high = interval(score)
    return f"{1000 * score.share:.1f} ({1000 * low:.0f} to {1000 * high:.0f})"


def percent(score: Score) -> str:
    """Return points in percent with their interval."""
    low, high = interval(score)
    return f"{100 * score.share:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def interval(score: Score) -> tuple[float, float]:
    """Return the 95 % interval of a score; raises ValueError for games without chance."""
    if score.interval is None:
        raise ValueError("games without chance have no interval")
    return score.interval


# Searches and strategies


def ladder(data: Data) -> str:
    """Return the searches that measure against each other, beside the source's figures."""
    scores = pooled(data.games)
    lines = []
    for row in data.book:
        if row["table"] == "3.3.5":
            score = scores.get((row["game"], row["player"], row["opponent"]))
            cells = ["no rows yet", ""] if score is None else [f"{percent(score)}", f"{score.games:,}"]
            name = f"{plies(row['player'])} against {plies(row['opponent'])}"
            lines.append([name, *cells, f"{100 * float(row['points']) / int(row['games']):.1f}"])
    return table(["match", "points of the deeper, % (95 %)", "games", "in the source"], lines) if lines else NONE


def plies(player: str) -> str:
    """Return what a search or a random player is called in the ladder."""
    found = re.search(r"depth=(\d+)", player)
    return f"{found[1]} plies" if found else "random moves"


TABLE = "search depth=1 evaluator=edgar_like ties=first"
"""The learned table of squares."""


def learned(data: Data) -> str:
    """Return the learned table of squares against random moves and searches."""
    lines = []
    for (_, player, opponent), score in pooled(data.games).items():
        if player == TABLE:
            lines.append([opponent_of(opponent), f"{score.games:,}", percent(score)])
    return table(["opponent", "games", "points, % (95 %)"], lines) if lines else NONE


def opponent_of(opponent: str) -> str:
    """Return an opponent of the learned table in words."""
    if opponent.startswith("engine"):
        return opponent.removeprefix("engine protocol=gtp command=").removesuffix(" -b 0") + ", without its book"
    found = re.search(r"depth=(\d+)", opponent)
    if not found:
        return "random moves"
    return f"search, {found[1]} " + ("ply" if found[1] == "1" else "plies")


TABLES: dict[str, Callable[[Data], str]] = {
    "reversi_coplay": coplay,
    "reversi_beside": beside,
    "reversi_guided": guided,
    "reversi_kept": kept,
    "reversi_ladder": ladder,
    "reversi_learned": learned,
}
