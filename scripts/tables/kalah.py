"""The tables of docs/results/mancala.md on players of more than one opponent.

They are made from mancala_games.csv and mancala_panel.csv; the second file has older measurements of programs that name
a pit: shares of games won in percent, with 95 % Wilson intervals.
"""

from collections.abc import Sequence
from functools import partial
from math import sqrt

import numpy as np

from jaxgp.report.generated import table
from jaxgp.statistics.verdicts import Score, pool_rows
from jaxgp.store.table import Cells
from tables.mancala import LEAVES, PROGRAMS, SEARCH, SEATS
from tables.shared.data import Data, by

DIRECT = "program"
"""The role of the study's programs, whose value names a pit."""
TRIES = {
    "_coplay.jsonl#10": "each other, guides of 6 and 7 plies; 7 plies choose; 17 generations",
    ".jsonl#10": "panel of 5, 6 and 7 plies, selection of the default run; 60 generations",
    ".jsonl#11": "panel of 6, 9 and 10 plies, tournaments; 19 generations",
    ".jsonl#12": "panel of 6 and 10 plies, selection of the default run; 45 generations",
    ".jsonl#13": "each other in 10 games a seat, a guide of 6 plies; 6, 7, 9 and 10 plies choose; 16 generations",
    ".jsonl#14": "panel of 5 and 6 plies after four random moves, selection of the default run; 40 generations",
}
"""How the programs of `mancala_tries` were trained, by what follows this; they value leaves at four plies."""
BENCHMARK = "search depth=8 evaluator=material ties=random"
TRY = "mancala_tries"
DEPTHS = (4, 6)
"""Plies at which the tries are measured."""


def panel(data: Data, player: str) -> str:
    """Return what a player won against each opponent, by seat; the search met the same random programs."""
    lines = []
    search = "search of eight plies"
    asked = [row for row in data["mancala_panel"] if row["player"] in (player, search)]
    for (who, opponent), rows in by(asked, "player", "opponent").items():
        cells = {row["seat"]: of_seat(row) for row in rows}
        name = opponent if who == player else f"{who} against {opponent}"
        lines.append([name, *(cells.get(seat, "") for seat in SEATS)])
    return table(["opponent", "first seat: won (95 %), points", "second seat"], lines)


def of_seat(row: Cells) -> str:
    """Return the share of games won with its interval, and mean points; of a single game, its points."""
    if row["games"] == "1":
        word = "won" if int(row["points"]) > int(row["against"]) else "lost"
        return f"{word}, {row['points']} : {row['against']}"
    return f"{float(row['won']):g} % ({float(row['low']):g} to {float(row['high']):g}), {float(row['points']):.1f}"


def general(data: Data) -> str:
    """Return champions that value the leaves of a search, by opponent, and the search of eight plies beside them."""
    found: dict[tuple[str, ...], list[Cells]] = {}
    for row in data["mancala_games"]:
        if row["title"] == LEAVES and TRY not in row["run"]:
            found.setdefault((row["opponent"], row["run_seed"], row["player"]), []).append(row)
        elif (row["player"], row["opponent"]) == (SEARCH, PROGRAMS):
            found.setdefault((f"{PROGRAMS} role={DIRECT}", "", SEARCH), []).append(row)
    lines = []
    for (opponent, seed, player), rows in sorted(found.items()):
        name = f"seed {seed}, {depth_of(player)} plies" if seed else "search of eight plies"
        lines.append([label(opponent), name, *of_pooled(rows), *(points_of(rows, seat) for seat in SEATS)])
    header = ["opponent", "player", "games", "score (95 %)", *(f"points moving {seat} (95 %)" for seat in SEATS)]
    return table(header, lines)


def tries(data: Data) -> str:
    """Return what other ways of training take from the search of eight plies, at two depths."""
    met: dict[tuple[str, int], list[Cells]] = {}
    for row in data["mancala_games"]:
        if TRY in row["run"] and row["opponent"] == BENCHMARK:
            met.setdefault((row["run"].partition(TRY)[2], depth_of(row["player"])), []).append(row)
    lines = [
        [words, *(cell for depth in DEPTHS for cell in of_pooled(met.get((name, depth), [])))]
        for name, words in TRIES.items()
    ]
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
        return f"random programs {'that name a pit' if opponent.endswith(f'role={DIRECT}') else 'at leaves'}"
    ties = "random ties" if "ties=random" in opponent else "first move"
    return f"{opponent.split('depth=')[1].split()[0]} plies, {ties}"


def of_pooled(rows: Sequence[Cells]) -> list[str]:
    """Return how many games one player had with one opponent, and the score with its interval."""
    if not rows:
        return ["", ""]
    (score,) = pool_rows(rows, ("player", "opponent")).values()
    return [f"{score.games:,}", of_score(score)]


def of_score(score: Score) -> str:
    """Return a score with its interval."""
    ends = "" if score.interval is None else " ({:.1f} to {:.1f})".format(*(100 * x for x in score.interval))
    return f"{100 * score.share:.1f} %{ends}"


TABLES = {
    "mancala_panel": partial(panel, player="default, seed 5"),
    "mancala_direct": partial(panel, player="mancala_general, seed 0"),
    "mancala_general": general,
    "mancala_tries": tries,
}
