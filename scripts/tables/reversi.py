"""The tables of docs/results/othello.md on Reversi, made from rows of docs/data.

The rows are in othello_runs.csv, othello_games.csv and reversi_book.csv. The last file has the figures of M. Sipper,
"Evolved to Win" (2011), section 3.3.5 and table 3.12; of the averages in the text it does not give the number of games.
"""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from jaxgp.report.generated import table
from jaxgp.statistics.verdicts import Score, pool_rows
from tables.shared.cells import effect, family, mean_of, p_value
from tables.shared.data import Data

BENCHMARKS = {
    "search depth=5 evaluator=material|corner_4 ties=random": "5 plies",
    "search depth=7 evaluator=material|corner_4 ties=random": "7 plies",
}
"""The searches that measure players of Reversi."""
ENGINES = {"engine protocol=gtp command=gtp-rhino -l 1 -b 0": "gtp-rhino, level 1, % of 40 games"}
COPLAY = {"25co": "`reversi_25co`", "40co": "`reversi_40co`"}
"""Runs by games against each other alone, by what names the files of their champions, and what they are called."""
WITHOUT = {"25co_position": "`reversi_25co`, without corners", "40co_position": "`reversi_40co`, without corners"}
LAST = {f"{kind}_last": name for kind, name in COPLAY.items()}
"""Those whose last generation plays again, which names the champion."""
GUIDED = {"other_guides": "`reversi_other_guides`"}
SOURCE = "the source's eight best runs"
TABLE = "search depth=1 evaluator=edgar_like ties=first"
"""The learned table of squares."""


class Champion(NamedTuple):
    """A champion, and what it took from each opponent."""

    kind: str
    seed: int
    player: str
    met: Mapping[str, Score]


# Champions of runs


def by_player(data: Data) -> dict[tuple[str, str], dict[str, Score]]:
    """Return what each run's player took from each opponent, by run and player."""
    met: dict[tuple[str, str], dict[str, Score]] = {}
    for (run, player, opponent), score in pool_rows(data["othello_games"], ("run", "player", "opponent")).items():
        met.setdefault((run, player), {})[opponent] = score
    return met


def champions(data: Data, kinds: Mapping[str, str]) -> list[Champion]:
    """Return the champions of some kinds of runs that have met a search that measures, by kind and seed."""
    found = []
    for (run, player), scores in by_player(data).items():
        named = re.fullmatch(r".*reversi_(\w+)\.jsonl#(\d+)", run)
        if named and named[1] in kinds and scores.keys() & BENCHMARKS.keys():
            found.append(Champion(named[1], int(named[2]), player, scores))
    return sorted(found, key=lambda one: (list(kinds).index(one.kind), one.seed))


def of_runs(data: Data, kinds: Mapping[str, str], source: bool = False) -> str:
    """Return a line for each champion, its run and what it took; below them the source's runs, if asked."""
    made = {row["champion"]: row for row in data["othello_runs"]}
    lines = []
    for one in champions(data, kinds):
        run = made.get(one.player.split()[1], {})
        about = [run.get(name, "") for name in ("generations", "found", "size")]
        lines.append([f"{kinds[one.kind]}, seed {one.seed}", *about, *of_games(one.met)])
    for name, points in book(data).items() if source else ():
        lines.append([f"the source, {name}", "", "", "", *(f"{points[one]:.1f}" for one in BENCHMARKS), ""])
    return table([*HEAD, *ENGINES.values()], lines)


def of_games(met: Mapping[str, Score]) -> list[str]:
    """Return what a champion took from each search that measures, and from each engine outside."""
    ways = dict.fromkeys(BENCHMARKS, thousand) | dict.fromkeys(ENGINES, percent)
    return [way(met[one]) if one in met else "" for one, way in ways.items()]


HEAD = ("run", "generations", "champion of", "nodes", *(f"{one}, points of 1,000" for one in BENCHMARKS.values()))


def book(data: Data) -> dict[str, dict[str, float]]:
    """Return points of 1,000 of the source's runs against each search that measures."""
    found: dict[str, dict[str, float]] = {}
    for row in data["reversi_book"]:
        if row["table"] == "3.12":
            found.setdefault(row["player"], {})[row["opponent"]] = 1000 * float(row["points"]) / int(row["games"])
    return found


def beside(data: Data, kinds: Mapping[str, str] = COPLAY) -> str:
    """Return the runs with corners compared with the source's by each search that measures; p is one family."""
    theirs, ours = book(data).values(), champions(data, kinds)
    groups: dict[tuple[str, str], list[float]] = {}
    for one in BENCHMARKS:
        groups["here", one] = [1000 * champion.met[one].share for champion in ours if one in champion.met]
        groups["source", one] = [points[one] for points in theirs]
    tested = family(groups, [(("here", one), ("source", one)) for one in BENCHMARKS], "points")
    lines = []
    for pair, (comparison, p) in tested.items():
        cells = [f"{len(groups[one])}: {mean_of(groups[one])}" for one in pair]
        lines.append([BENCHMARKS[pair[0][1]], *cells, effect(comparison.a12), p_value(p)])
    head = ["opponent", "runs here: mean points (95 % over runs)", f"{SOURCE}, likewise", "A12 (95 %)", "p, Holm"]
    return table(head, lines)


def kept(data: Data) -> str:
    """Return the champions in docs, whose guides or choosers are the searches that measure them."""
    scores = {who: met for who, met in by_player(data).items() if re.fullmatch(r"docs/reversi_\w+\.json", who[0])}
    lines = [[f"`{Path(run).stem}`", *of_games(met)] for (run, _), met in sorted(scores.items())]
    each = zip(*(points.values() for points in book(data).values()), strict=True)
    lines.append([SOURCE, *(f"{min(points):g} to {max(points):g}" for points in each), ""])
    return table(["champion", *HEAD[4:], *ENGINES.values()], lines)


def thousand(score: Score) -> str:
    """Return points of 1,000 with their interval."""
    return points_of(score, 1000, 0)


def percent(score: Score) -> str:
    """Return points in percent with their interval."""
    return points_of(score, 100, 1)


def points_of(score: Score, of: int, digits: int) -> str:
    """Return points of so many with their interval; raises ValueError for games without chance."""
    if score.interval is None:
        raise ValueError("games without chance have no interval")
    low, high = score.interval
    return f"{of * score.share:.1f} ({of * low:.{digits}f} to {of * high:.{digits}f})"


# Searches and strategies


def ladder(data: Data) -> str:
    """Return the searches that measure against each other, beside the source's figures."""
    scores = pool_rows(data["othello_games"])
    lines = []
    for row in data["reversi_book"]:
        if row["table"] == "3.3.5":
            score = scores[row["game"], row["player"], row["opponent"]]
            theirs = f"{100 * float(row['points']) / int(row['games']):.1f}"
            name = f"{plies(row['player'])} against {plies(row['opponent'])}"
            lines.append([name, percent(score), f"{score.games:,}", theirs])
    return table(["match", "points of the deeper, % (95 %)", "games", "in the source"], lines)


def plies(player: str) -> str:
    """Return what a search or a random player is called in the ladder."""
    found = re.search(r"depth=(\d+)", player)
    return f"{found[1]} plies" if found else "random moves"


def learned(data: Data) -> str:
    """Return the learned table of squares against random moves, searches and engines."""
    scores = pool_rows(row for row in data["othello_games"] if row["player"] == TABLE)
    lines = [[opponent_of(opponent), f"{one.games:,}", percent(one)] for (_, _, opponent), one in scores.items()]
    return table(["opponent", "games", "points, % (95 %)"], lines)


def opponent_of(opponent: str) -> str:
    """Return an opponent of the learned table in words."""
    if opponent.startswith("engine"):
        return opponent.removeprefix("engine protocol=gtp command=").removesuffix(" -b 0") + ", without its book"
    name = plies(opponent).replace("1 plies", "1 ply")
    return name if name == "random moves" else f"search, {name}"


TABLES = {
    "reversi_coplay": partial(of_runs, kinds=COPLAY | WITHOUT, source=True),
    "reversi_last": partial(of_runs, kinds=LAST),
    "reversi_last_beside": partial(beside, kinds=LAST),
    "reversi_beside": beside,
    "reversi_guided": partial(of_runs, kinds=GUIDED),
    "reversi_kept": kept,
    "reversi_ladder": ladder,
    "reversi_learned": learned,
}
