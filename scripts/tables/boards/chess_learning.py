"""The tables of the page on what programs of chess learn from, from the rows of `scripts/studies/chess`."""

import re

import numpy as np

from jaxgp.report.generated import table
from jaxgp.statistics.comparison import dominance
from jaxgp.statistics.intervals import wilson
from jaxgp.statistics.permutation import rank_sum
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells
from tables.boards.chess import FIXED, named
from tables.shared.data import Data, Makers

MATTERED = re.compile(r"outputs/chess/mattered(?P<how>_coplay|_whole)?/(?P<row>\w+)/\d+")
REFERENCE = "reference"
ROWS = {
    REFERENCE: "reference",
    "simple_terminals": "the 21 terminals of Table 4.2 alone",
    "three_trees": "three trees, chosen by the position after the move",
    "first_language": "the first language of Figure 12.1",
    "later_language": "the second language of Figure 12.1",
    "erc_table": "constants of chapter 4",
    "erc_inverses": "constants of chapter 4 and their inverses",
    "held_starts": "held starts",
    "reproduction_0": "no reproduction",
    "draws_alone": "draws alone, no 3/4 rule",
    "peers_10": "10 games from each seat, 4 generations",
    "peers_2": "2 games from each seat, 20 generations",
    "one_tree": "one tree",
    "ties_first": "the first of equal moves",
    "truth": "decisions of the tables in place of games",
}
"""What short runs differ in, by their directories."""
GROWN = re.compile(r"outputs/chess/(?P<who>co|co_five)/(?P<seed>\d+)")
NAMED = {
    "co": "champion, by games against a random mover",
    "co_five": "champion after 20 generations, by games against `five_terms`",
}
"""Who named the champions of runs, by their directories."""


def seen(data: Data) -> str:
    """Return a line for each way to value what programs see of positions: how often it mates."""
    said = {"depth": "the mean of the plies to mate", "play": "what its own play comes to, after {} rounds"}
    lines = [
        [
            f"{row['endgame']}, {row['sees']}",
            f"{int(row['combinations']):,}",
            said[row["by"]].format(row["rounds"]),
            f"{100 * float(row['mated']):.1f}",
        ]
        for row in data["chess_seen"]
        if row["by"] in said
    ]
    return table(["endgame, terminals", "combinations of terminals", "worth of each", "mated, percent"], lines)


def exact(data: Data) -> str:
    """Return a line for each program: from what share of won starts it mates, as exact computation says."""

    def cells(row: Cells, count: str, share: str) -> list[str]:
        return [f"{int(str(row[count])):,}", f"{100 * float(str(row[share])):.2f}"] if row[count] else ["", ""]

    lines = [
        [str(row["endgame"]), who, *cells(row, "positions", "mated"), *cells(row, "unmet", "unmet_mated")]
        for row in data["chess_seen"]
        if (who := named(str(row["by"]))) is not None and not row["least"]
    ]
    head = ["endgame", "program", "won starts, all", "mated, percent", "starts kept from training", "mated, percent"]
    return table(head, lines)


def by_depth(data: Data) -> str:
    """Return a line for each program: its shares by how many moves the mate of a start takes."""
    found: dict[str, dict[tuple[int, int], Cells]] = {}
    for row in data["chess_seen"]:
        if row["least"]:
            found.setdefault(str(named(str(row["by"]))), {})[int(row["least"]), int(row["most"])] = row
    bands = sorted({band for of in found.values() for band in of})
    first = next(iter(found.values()))
    share = [
        f"{100 * int(first[band]['positions']) / sum(int(x['positions']) for x in first.values()):.1f}"
        for band in bands
    ]
    lines = [["all won starts, percent", *share]]
    lines += [[who, *(f"{100 * float(of[band]['mated']):.1f}" for band in bands)] for who, of in found.items()]
    return table(["KQKR, moves to the mate", *(f"{least} to {most}" for least, most in bands)], lines)


def mates(data: Data) -> str:
    """Return a line for each champion that is to mate: how many won starts it mates from, and how fast."""
    lines = [
        [str(row["endgame"]), str(named(row["player"])), f"{int(row['games']):,}", *_mated(row)]
        for row in data["chess_mates"]
    ]
    return table(["endgame", "program", "starts", "mated, percent", "longest mate, moves"], lines)


def _mated(row: Cells) -> tuple[str, str]:
    won, count, longest = (int(str(row[name])) for name in ("won", "games", "longest"))
    low, high = wilson(won, count)
    return f"{100 * won / count:.1f} ({100 * low:.1f} to {100 * high:.1f})", str((longest + 1) // 2)


def mattered(data: Data, how: str | None = None) -> str:
    """Return runs that differ in one option, by what their champions keep of the same decisions.

    Args:
        data: the raw rows.
        how: the runs, by the end of the name of their folder; None: the short ones.
    """
    found: dict[str, dict[str, list[float]]] = {"critical": {}, "held": {}}
    for row in data["chess_mattered"]:
        if (run := MATTERED.fullmatch(str(row["player"]))) and run["how"] == how and not row["than"]:
            found[str(row["decisions"])].setdefault(run["row"], []).append(100 * float(str(row["kept"])))
    of = {name: np.array(shares) for name, shares in found["critical"].items()}
    told = _compared(of)
    lines = [
        [ROWS[name], str(len(shares)), _spread(shares), f"{np.median(found['held'][name]):.1f}", *told[name]]
        for name, shares in of.items()
    ]
    head = ["runs", "number", "critical decisions kept", "held", "A12: better than the reference", "p (exact, Holm)"]
    return table(head, lines)


def mattered_coplay(data: Data) -> str:
    """Return short co-played runs that differ in one option, by what the last generation and the champion keep."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in data["chess_mattered_coplay"]:
        run = MATTERED.fullmatch(str(row["run"]))
        if run and row["generation"] != "0":
            found.setdefault(run["row"], []).append((100 * float(row["median"]), 100 * float(row["champion"])))
    of = {name: np.array(pairs) for name, pairs in found.items()}
    told = _compared({name: pairs[:, 0] for name, pairs in of.items()})
    lines = [[ROWS[name], str(len(x)), *map(_spread, x.T), *told[name]] for name, x in of.items()]
    head = ["runs", "number", "median of the last generation", "champion"]
    return table([*head, "A12 of the medians", "p (exact, Holm)"], lines)


def _spread(shares: np.ndarray) -> str:
    return f"{np.median(shares):.1f} ({shares.min():.1f} to {shares.max():.1f})"


def _compared(of: dict[str, np.ndarray]) -> dict[str, tuple[str, str]]:
    """Return A12 and p beside the reference, by row; p by Holm over all rows."""
    others = [name for name in of if name != REFERENCE]
    found = holm([rank_sum(of[name], of[REFERENCE]) for name in others])
    told = {REFERENCE: ("", "")}
    for name, p in zip(others, found, strict=True):
        told[name] = f"{dominance(of[name], of[REFERENCE]):.2f}", f"{p:.2g}"
    return told


def grown(data: Data) -> str:
    """Return a line for each generation: what individuals of each run keep; and what the champions keep."""
    of: dict[str, dict[str, dict[int, Cells]]] = {}
    for row in data["chess_grown"]:
        if run := GROWN.fullmatch(str(row["run"])):
            of.setdefault(run["who"], {}).setdefault(run["seed"], {})[int(str(row["generation"]))] = row
    lines = []
    for generation in next(iter(of["co"].values())):
        rows = [run[generation] for run in of["co"].values()]
        cells = [(f"{_hundred(row['median'])} ({_hundred(row['most'])})", f"{float(row['nodes']):.0f}") for row in rows]
        lines.append([str(generation), *(x for pair in cells for x in pair)])
    for who, runs in of.items():
        last = [runs[seed][max(runs[seed])] if seed in runs else None for seed in of["co"]]
        kept = [(_hundred(row["champion"]), "") if row else ("", "") for row in last]
        lines.append([NAMED[who], *(x for pair in kept for x in pair)])
    head = [(f"seed {seed}: median (best)", "nodes") for seed in of["co"]]
    return table(["generation", *(x for pair in head for x in pair)], lines)


def _hundred(share: object) -> str:
    return f"{100 * float(str(share)):.1f}"


def points(data: Data) -> str:
    """Return a line for each player: its points, by what games without mate are worth."""
    rows = data["chess_points"]
    worths, names = list(dict.fromkeys(row["adjudicate"] for row in rows)), FIXED | {"random": "random programs"}
    lines = []
    for player in dict.fromkeys(row["player"] for row in rows):
        mine = {row["adjudicate"]: row for row in rows if row["player"] == player}
        shares = {a: [100 * float(row[name]) for name in ("points", "low", "high")] for a, row in mine.items()}
        cells = ["{:.1f} ({:.1f} to {:.1f})".format(*shares[a]) if a in mine else "" for a in worths]
        lines.append([names.get(player, player.replace("*", "\\*")), *cells])
    drawn = {row["adjudicate"]: f"{100 * float(row['drawn']):.0f}" for row in rows}
    lines.append(["games that end level", *(drawn[a] for a in worths)])
    return table(["player", *(f"`game.adjudicate={a}`" for a in worths)], lines)


TABLES: Makers = {
    "chess_seen": seen,
    "chess_exact": exact,
    "chess_exact_depth": by_depth,
    "chess_mates": mates,
    "chess_mattered": mattered,
    "chess_mattered_whole": lambda data: mattered(data, "_whole"),
    "chess_mattered_coplay": mattered_coplay,
    "chess_grown": grown,
    "chess_points": points,
}
