"""The tables of docs/emergence.md, from the rows of `scripts/analyse.py analysis=emergence`."""

from functools import partial
from statistics import fmean

from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from jaxgp.study.emergence.rows import (
    DECISIONS,
    GAMES,
    GROUPS,
    NODES,
    RANDOM,
    REFERENCE,
    SOLVED,
    Row,
    mean_nodes,
    needed,
    scale,
    sized,
    straight,
    strengths,
    synergies,
)
from tables.shared.cells import p_value
from tables.shared.data import Data, Makers

SHOWN = 12
COLUMNS = ("single", "sign turned", "disabled, zero", "disabled, random", "disabled, elsewhere", "strength")

BOOK = {
    "MyPieceCannotBeCaptured": (0.26, 0.164),
    "-1000*IsMateInOne": (0.16, 0.138),
    "AreMyPiecesUnattacked": (0.32, 0.123),
    "NumMyPiecesNotAttacked": (0.30, 0.123),
    "EvaluateMaterial": (0.18, 0.115),
    "1000*IsMate": (0.16, 0.113),
    "100*IsMaterialIncrease": (0.19, 0.110),
    "IsOppKingStuck": (0.14, 0.103),
    "OppKingProximityToEdges": (0.16, 0.096),
    "IsMyFork": (0.16, 0.078),
    "IsMyKingNotStuck": (0.16, 0.073),
    "IsOppKingInCheck": (0.04, 0.057),
}
"""Table 5.2 of M. Sipper, "Evolved to Win" (2011): scores of single terminals, and strengths."""


PAIRED = (
    "MyPieceCannotBeCaptured",
    "-1000*IsMateInOne",
    "EvaluateMaterial",
    "IsOppKingStuck",
    "OppKingProximityToEdges",
    "IsMyFork",
    "IsOppKingInCheck",
)
PAIRS = (
    (0.23, 0.217, 0.212, 0.232, 0.252, 0.26),
    (0.191, 0.149, 0.151, 0.194, 0.04),
    (0.19, 0.185, 0.178, 0.18),
    (0.169, 0.146, 0.174),
    (0.15, 0.05),
    (0.164,),
)
"""Table 5.3 of the same book: scores of pairs of these terminals, those of the first one in the first row."""


def beside_book(data: Data) -> str:
    """Return a line for each terminal of the book's table beside the decisions of chess, and rank correlations."""
    from scipy import stats

    mine = {str(line["terminal"]): line for line in _chess(data)}
    columns = ("single", "strength")
    lines = []
    for name, printed in BOOK.items():
        own = [_share(mine[name][column]) for column in columns]
        lines.append([_written(name), *(f"{x:.3f}" for x in printed), *own])
    ours = [[float(str(mine[name][column])) for name in BOOK] for column in columns]
    of_book = list(zip(*BOOK.values(), strict=True))
    found = [stats.spearmanr(a, b) for a, b in zip(of_book, ours, strict=True)]
    lines.append(["*rank correlation*", "", "", *(f"{one.statistic:.2f} (p {one.pvalue:.2g})" for one in found)])
    return table(["terminal", "book: single", "book: strength", "single", "strength"], lines)


def strongest(name: str, by: str, data: Data) -> str:
    """Return a line for each of the strongest terminals of a champion, after the ones that they are compared with.

    Args:
        name: of the data.
        by: what scores are of.
        data: all data.
    """
    rows = data[name]
    lines = [
        [f"*{row['champion'] if row['champion'] == 'random values' else 'the champion'}*", _share(row["score"])]
        + [""] * (len(COLUMNS) - 1)
        for row in rows
        if row["part"] == REFERENCE and scale(row["against"]) == by
    ]
    for one in strengths(rows, by)[:SHOWN]:
        name = _written(str(one["terminal"]))
        lines.append([name, *(_share(one[column], "" if column in COLUMNS[:2] else "+") for column in COLUMNS)])
    return table(["terminal", *COLUMNS], lines)


def _chess(data: Data) -> list[Row]:
    """Return the measures of each terminal of chess, by decisions."""
    return strengths([*data["emergence_chess"], *data["emergence_chess_anew"]], DECISIONS)


def measures(data: Data) -> str:
    """Return a line for each terminal of chess: its three measures and their mean, and what its absence tells."""
    gone = {str(line["terminal"]): line for line in needed(data["emergence_chess_anew"], DECISIONS)}
    lines = []
    for one in _chess(data):
        name = str(one["terminal"])
        ends = ""
        if left := gone.get(name):
            low, high = (_share(left[end], "+") for end in ("fall_low", "fall_high"))
            ends = f"{low} to {high} (p {float(str(left['p'])):.2g})"
        cells = [_share(one[column], "+") for column in ("single minus random", "disabled", "without")]
        lines.append([_written(name), *cells, ends, _share(one["strength"], "+")])
    head = ["single minus random", "disabled", "without", "its interval (p, Holm)", "strength"]
    return table(["terminal", *head], lines)


def pairs(data: Data) -> str:
    """Return a line for each pair of the book's table: players evolved from it beside its better half, and the book."""
    printed = {
        f"{one}+{other}": (score, max(BOOK[one][0], BOOK[other][0]))
        for at, (one, row) in enumerate(zip(PAIRED, PAIRS, strict=False))
        for other, score in zip(PAIRED[at + 1 :], row, strict=True)
    }
    lines = []
    for line in synergies(_decided(data)):
        name, (score, half) = str(line["pair"]), printed[str(line["pair"])]
        cells = [_share(line["score"]), _share(line["better half"]), _share(line["synergy"], "+")]
        book = f"{score:.3f} ({score - half:+.3f})"
        lines.append([_written(name.replace("+", ", ")), *cells, p_value(float(str(line["p"]))), book])
    return table(["pair", "score", "better half", "synergy", "p (Holm)", "book: score (synergy)"], lines)


def groups(data: Data) -> str:
    """Return a line for each size of groups of terminals of chess, and whether means lie on a line."""
    found = {chosen: sized(_decided(data), chosen, DECISIONS) for chosen in GROUPS}
    lines = []
    for size in sorted({size for one in found.values() for size in one}):
        cells = [_spread(one.get(size, [])) for one in found.values()]
        lines.append([str(size), *cells])
    tests = [straight(one) for one in found.values()]
    said = ["" if one is None else f"F {one.ratio:.1f} ({one.between}, {one.within}), p {one.p:.2g}" for one in tests]
    return table(["terminals", *GROUPS], [*lines, ["*a straight line*", *said]])


def _decided(data: Data) -> list[Cells]:
    return [row for row in data["emergence_chess_anew"] if row["against"] == DECISIONS]


def _spread(scores: list[float]) -> str:
    """Return the mean of runs, and the least and the greatest of them."""
    if not scores:
        return ""
    return f"{_share(fmean(scores))} ({_share(min(scores))} to {_share(max(scores))})"


def _written(name: str) -> str:
    return name.replace("*", "\\*")


def searched(name: str, data: Data) -> str:
    """Return a line for each heuristic of a champion of weights: instances solved, and nodes in geometric means."""
    rows = {(row["part"], row["terminals"], row["way"], scale(row["against"])): row for row in data[name]}
    lines = []
    for champion in dict.fromkeys(row["champion"] for row in data[name] if row["part"] == REFERENCE):
        solved, nodes = (
            next(
                row
                for row in data[name]
                if row["part"] == REFERENCE and row["champion"] == champion and scale(row["against"]) == by
            )
            for by in (SOLVED, NODES)
        )
        said = f"*{champion if champion == RANDOM else 'the champion'}*"
        share = f"{_share(solved['score'])} ({_share(solved['low'])} to {_share(solved['high'])})"
        lines.append([said, share, *[""] * 5, f"{mean_nodes(nodes):,.0f}", ""])
    for one in strengths(data[name], SOLVED):
        terminal = str(one["terminal"])
        alone = rows["single", terminal, "+1", NODES]
        solved, nodes = (rows["disabled", terminal, "zero", by] for by in (SOLVED, NODES))
        interval = f"{_share(solved['fall_low'], '+')} to {_share(solved['fall_high'], '+')}"
        lines.append(
            [
                terminal,
                *(_share(one[column]) for column in COLUMNS[:2]),
                f"{_share(solved['fall'], '+')} ({interval})",
                *(_share(one[column], "+") for column in COLUMNS[3:]),
                f"{mean_nodes(alone):,.0f}",
                f"{mean_nodes(nodes):,.0f}",
            ]
        )
    return table(["heuristic", *COLUMNS, "nodes, single", "nodes, disabled, zero"], lines)


def _share(value: object, sign: str = "") -> str:
    return "" if value is None else f"{float(str(value)):{sign}.3f}"


TABLES: Makers = {
    "emergence_chess": partial(strongest, "emergence_chess", DECISIONS),
    "emergence_book": beside_book,
    "emergence_chess_anew": measures,
    "emergence_chess_groups": groups,
    "emergence_chess_pairs": pairs,
    "emergence_othello": partial(strongest, "emergence_othello", GAMES),
    "emergence_checkers": partial(strongest, "emergence_checkers", GAMES),
    "emergence_freecell": partial(searched, "emergence_freecell"),
    "emergence_backgammon": partial(strongest, "emergence_backgammon", GAMES),
}
