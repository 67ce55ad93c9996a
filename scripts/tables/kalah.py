"""The tables of docs/results/mancala.md on players of more than one opponent.

They are made from mancala_games.csv and mancala_panel.csv; the second file has older measurements of programs that name
a pit. Each function returns the Markdown of one table.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jaxgp.measure import games
from jaxgp.report.generated import guarded, table
from jaxgp.statistics.verdicts import Score, pooled
from jaxgp.store.table import Cells, Table
from tables.mancala import DIRECT, LEAVES, NONE, PROGRAMS, SEARCH, SEATS

PANEL = ("player", "opponent", "seat", "games", "points", "against", "won", "low", "high")
"""Columns of `mancala_panel.csv`, older measurements: shares of games won in percent, with 95 % Wilson intervals."""
TRIES = (
    "each other, guides of 6 and 7 plies; 7 plies choose; 17 generations",
    "panel of 5, 6 and 7 plies, selection of the default run; 60 generations",
    "panel of 6, 9 and 10 plies, tournaments; 19 generations",
    "panel of 6 and 10 plies, selection of the default run; 45 generations",
    "each other in 10 games a seat, a guide of 6 plies; 6, 7, 9 and 10 plies choose; 16 generations",
    "panel of 5 and 6 plies after four random moves, selection of the default run; 40 generations",
)
"""How the programs of `mancala_tries_N.json` were trained, which value leaves at four plies."""
BENCHMARK = "search depth=8 evaluator=material ties=random"


class Data(NamedTuple):
    """Rows of the files."""

    games: list[Cells]
    panel: list[Cells]


def load(folder: Path) -> Data:
    """Read the files; a missing one has no rows. Raises UsageError."""
    return Data(games.table(folder / "mancala_games.csv").read(), Table(folder / "mancala_panel.csv", PANEL).read())


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    return guarded(folder, TABLES, load(folder))


# Older measurements


def panel(data: Data, player: str) -> str:
    """Return what a player won against each opponent, by seat; the search met the same random programs."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in data.panel:
        if row["player"] in (player, "search of eight plies"):
            found.setdefault((row["player"], row["opponent"]), {})[row["seat"]] = of_seat(row)
    lines = [
        [opponent if who == player else f"{who} against {opponent}", *(cells.get(seat, "") for seat in SEATS)]
        for (who, opponent), cells in found.items()
    ]
    return table(["opponent", "first seat: won (95 %), points", "second seat"], lines or [[NONE, "", ""]])


def of_seat(row: Cells) -> str:
    """Return the share of games won with its interval, and mean points; of a single game, its points."""
    if row["games"] == "1":
        word = "won" if int(row["points"]) > int(row["against"]) else "lost"
        return f"{word}, {row['points']} : {row['against']}"
    return f"{float(row['won']):g} % ({float(row['low']):g} to {float(row['high']):g}), {float(row['points']):.1f}"


# A general player


def general(data: Data) -> str:
    """Return champions that value the leaves of a search, by opponent, and the search of eight plies beside them."""
    found: dict[tuple[str, ...], list[Cells]] = {}
    for row in data.games:
        leaves = row["title"] == LEAVES and not TRY.search(row["run"])
        search = row["player"] == SEARCH
        if leaves or (search and row["opponent"] == PROGRAMS):
            opponent = row["opponent"] if leaves else f"{PROGRAMS} role={DIRECT}"
            found.setdefault((opponent, "" if search else row["run_seed"], row["player"]), []).append(row)
    lines = []
    for (opponent, seed, player), rows in sorted(found.items()):
        (score,) = pooled(rows, ("player",)).values()
        name = f"seed {seed}, {depth_of(player)} plies" if seed else "search of eight plies"
        cells = f"{score.games:,}", of_pooled(score), *(points_of(rows, seat) for seat in SEATS)
        lines.append([label(opponent), name, *cells])
    header = ["opponent", "player", "games", "score (95 %)", *(f"points moving {seat} (95 %)" for seat in SEATS)]
    return table(header, lines or [[NONE, *[""] * 5]])


TRY = re.compile(r"mancala_tries_(\d+)\.json$")
DEPTHS = (4, 6)
"""Plies at which the tries are measured."""


def tries(data: Data) -> str:
    """Return what other ways of training take from the search of eight plies, at two depths."""
    met: dict[tuple[int, int], list[Cells]] = {}
    for row in data.games:
        if (named := TRY.search(row["run"])) and row["opponent"] == BENCHMARK:
            met.setdefault((int(named[1]), depth_of(row["player"])), []).append(row)
    if not met:
        return NONE.capitalize() + "."
    lines = []
    for number, words in enumerate(TRIES):
        cells = []
        for depth in DEPTHS:
            rows = met.get((number, depth), [])
            (score,) = pooled(rows, ("run",)).values() if rows else (None,)
            cells += ["", ""] if score is None else [f"{score.games:,}", of_pooled(score)]
        lines.append([words, *cells])
    head = ["trained against", *(cell for depth in DEPTHS for cell in ("games", f"score at {depth} plies (95 %)"))]
    return table(head, lines)


def points_of(rows: Sequence[Cells], seat: str) -> str:
    """Return mean points of games with different seeds, with the 95 % interval of the mean."""
    games_of = [int(row["games"]) / 2 for row in rows]
    means, spreads = ([float(row[f"{name}_{seat}"]) for row in rows] for name in ("points", "spread"))
    mean = float(np.average(means, weights=games_of))
    variance = float(np.average(np.square(spreads) + np.square(np.subtract(means, mean)), weights=games_of))
    half = 1.96 * sqrt(variance / sum(games_of))
    return f"{mean:.1f} ({mean - half:.1f} to {mean + half:.1f})"


def depth_of(player: str) -> int:
    """Return how deep a champion searches."""
    return int(player.rpartition("depth=")[2])


def label(opponent: str) -> str:
    """Return a short name of an opponent."""
    if opponent.startswith(PROGRAMS):
        return (
            "random programs that name a pit" if DIRECT in opponent.split("role=")[1:] else "random programs at leaves"
        )
    depth, ties = opponent.split("depth=")[1].split()[0], "random ties" if "ties=random" in opponent else "first move"
    return f"{depth} plies, {ties}"


def of_pooled(score: Score) -> str:
    """Return a score with its interval."""
    ends = "" if score.interval is None else " ({:.1f} to {:.1f})".format(*(100 * x for x in score.interval))
    return f"{100 * score.share:.1f} %{ends}"


TABLES: dict[str, Callable[[Data], str]] = {
    "mancala_panel": partial(panel, player="default, seed 5"),
    "mancala_direct": partial(panel, player="mancala_general, seed 0"),
    "mancala_general": general,
    "mancala_tries": tries,
}
