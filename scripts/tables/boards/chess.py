"""The tables of the pages on chess endgames, from the rows of `scripts/studies/chess`."""

import re
from collections.abc import Iterable, Sequence
from statistics import mean, median

from jaxgp.report.generated import table
from jaxgp.statistics.intervals import student
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells
from tables.shared.data import Data, Makers

ENDGAMES = ("KRKR", "KQKQ")
FIXED = {
    "random": "random mover",
    "master": "`master`",
    "gpec190": "`gpec190`",
    "five_terms": "`five_terms`",
    "printed": "`gpec190`, its printed tree alone",
    "network": "network of the same terminals",
}
CLASSES = {
    "truth": "table-taught",
    "arithmetic": "table-taught, with arithmetic,",
    "games": "table-taught in games",
    "weighing": "table-taught in games, with arithmetic,",
    "coplay": "co-played",
    "book": "co-played for 100 generations or more",
    "gpu": "co-played on a GPU for 150 generations",
    "together": "co-played for 112 to 150 generations",
    "longer": "co-played for 250 generations",
    "mate": "taught to mate",
    "play": "tree, own play",
    "sum": "sum, own play",
    "further": "sum of further terminals, own play",
}
"""What taught champions, by the name of their file."""
CHAMPION = re.compile(
    r"docs/data/champions/chess_(?P<kind>\w+?)_(?P<endgame>\w+)\.jsonl#(?P<seed>\d+)(, (?P<plies>\d) plies)?"
)
GPU = "/chess_gpu_"
"""What stands in names of files for runs that were made on a GPU."""
MANY = "many"
"""What stands in names of files for four endgames together."""
ENGINE = re.compile(r"(?P<name>[a-z0-9]+)( nodes| depth)? (?P<limit>\d+)(?P<plies> plies)?")
ENGINES = {"stockfish": "Stockfish", "toga2": "Toga II"}
FIRST_STARTS, OTHER_STARTS = "0", "1"
"""The seeds of games where material counts."""
SHOWN = 12
"""Terminals that are shown alone."""
FOUR = ("KRKR", "KQKQ", "KQKR", "KQRK")
FIVE = ("KQRKR", "KQRKQ")
SIX = ("KQRKQR", "KRRKRR")
MET = "met, "


def named(player: str) -> str | None:
    """Return what a player is called; None for a terminal."""
    if found := CHAMPION.fullmatch(player):
        where = "all four" if found["endgame"] == MANY else found["endgame"].upper()
        deep = f", search of {found['plies']} plies" if found["plies"] else ""
        return f"{CLASSES[found['kind']]} on {where}, seed {found['seed']}{deep}"
    if found := ENGINE.fullmatch(player):
        what = "plies" if found["plies"] or "depth" in player else "nodes"
        return f"{ENGINES.get(found['name'], found['name'])}, {int(found['limit']):,} {what}"
    return FIXED.get(player)


def _percent(row: Cells, sign: str = "") -> str:
    share, low, high = (f"{100 * float(row[name]):{sign}.1f}" for name in ("kept", "low", "high"))
    return f"{share} ({low} to {high})"


def _across(rows: Iterable[Cells], columns: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the cells of each player, by (endgame, kind of decisions); the last row of a place counts."""
    found: dict[str, list[str]] = {}
    for row in rows:
        place = row["endgame"], row["decisions"]
        if place in columns:
            found.setdefault(row["player"], [""] * len(columns))[columns.index(place)] = _percent(row)
    return found


def kept(data: Data) -> str:
    """Return a line for each player but terminals: shares of critical and held decisions, and how many there were.

    Runs that were made on a GPU have a table of their own.
    """
    columns = [(endgame, kind) for endgame in ENDGAMES for kind in ("critical", "held")]
    rows = [row for row in data["chess_kept"] if not row["than"] and GPU not in row["player"]]
    number = {(row["player"], row["endgame"]): row["number"] for row in rows if row["decisions"] == "critical"}
    lines = []
    for player, cells in _across(rows, columns).items():
        if (name := named(player)) is not None:
            many = " and ".join(dict.fromkeys(f"{int(number[player, e]):,}" for e in ENDGAMES if (player, e) in number))
            lines.append([name, *cells, many])
    order = ["random", "`gpec", "`five", "`master", "co-played", "table", "network", "Toga", "Stock"]
    lines.sort(key=lambda line: next(n for n, start in enumerate(order) if line[0].startswith(start)))
    head = [f"{endgame}, {kind}" for endgame, kind in columns]
    return table(["player", *head, "decisions"], lines)


def coplayed(data: Data) -> str:
    """Return a line for each endgame: what champions of runs on a GPU keep, and whether those with more points do."""
    from scipy import stats

    lines, tests = [], []
    for endgame in ENDGAMES:
        kept = {
            kind: {row["player"]: float(row["kept"]) for row in data["chess_kept"] if _is(row, endgame, kind)}
            for kind in ("critical", "held")
        }
        points = {
            row["player"]: float(row["score"])
            for row in data["chess_book"]
            if row["player"] in kept["critical"] and row["opponent"] == "master"
        }
        shares = [kept["critical"][player] for player in points]
        tests.append(stats.spearmanr(list(points.values()), shares))
        most = max(points, key=lambda player: points[player])
        middles = (_middle(list(values.values())) for values in kept.values())
        lines.append([endgame, str(len(points)), *middles, f"{100 * kept['critical'][most]:.1f}"])
    for line, one, p in zip(lines, tests, holm([one.pvalue for one in tests]), strict=True):
        line.append(f"{one.statistic:.2f} (p {p:.2g})")
    head = ["critical, median", "held, median", "critical, most points", "rank correlation with points (p, Holm)"]
    return table(["endgame", "runs", *head], lines)


def _is(row: Cells, endgame: str, kind: str) -> bool:
    return (row["endgame"], row["decisions"], row["than"]) == (endgame, kind, "") and GPU in row["player"]


def _middle(shares: Sequence[float]) -> str:
    """Return the median of shares, in percent, with the least and the greatest of them."""
    middle, least, most = (f"{100 * x:.1f}" for x in (median(shares), min(shares), max(shares)))
    return f"{middle} ({least} to {most})"


def four(data: Data) -> str:
    """Return a line for each player, with its share of critical decisions in the four endgames of four men."""
    rows = [row for row in data["chess_four"] if not row["than"]]
    found = _across(rows, [(endgame, "critical") for endgame in FOUR])
    lines = [[str(named(player)), *(cell.partition(" ")[0] for cell in cells)] for player, cells in found.items()]
    return table(["player", *FOUR], lines)


def five(data: Data) -> str:
    """Return a line for each player, with its shares of critical and held decisions in endgames of five men."""
    return _by_kind(data["chess_five"], FIVE)


def six(data: Data) -> str:
    """Return the same of six men."""
    return _by_kind(data["chess_six"], SIX)


def _by_kind(all_rows: Iterable[Cells], endgames: Sequence[str]) -> str:
    rows = [row for row in all_rows if not row["than"]]
    columns = [(endgame, kind) for endgame in endgames for kind in ("critical", "held")]
    lines = [[str(named(player)), *cells] for player, cells in _across(rows, columns).items()]
    return table(["player", *(f"{endgame}, {kind}" for endgame, kind in columns)], lines)


def met(data: Data) -> str:
    """Return a line for each player: shares of decisions that games of champions against an engine went through."""
    columns = [(endgame, MET + kind) for endgame in ENDGAMES for kind in ("critical", "held")]
    rows = [row for row in data["chess_met"] if not row["than"]]
    lines = [[str(named(player)), *cells] for player, cells in _across(rows, columns).items()]
    return table(["player", *(f"{endgame}, {kind.removeprefix(MET)}" for endgame, kind in columns)], lines)


def near(data: Data) -> str:
    """Return a line for each player: what it keeps of endgames without tables, by an engine, and the best moves."""
    columns = [(endgame, kind) for endgame in SIX for kind in ("near", "near, held")]
    columns += [(SIX[0], "best"), (SIX[0], "played")]
    rows = data["chess_near"]
    lines = [[str(named(player)), *cells] for player, cells in _across(rows, columns).items()]
    heads = [f"{endgame}, {'held' if 'held' in kind else 'critical'}" for endgame, kind in columns[:-2]]
    return table(["player", *heads, f"{SIX[0]}, best on top", "best played"], lines)


def by_book(data: Data) -> str:
    """Return a line for each kind of champion, opponent and set of starts: games of all runs where material counts.

    Games from the first starts are left out where all of the runs played more from others.
    """
    found: dict[tuple[str, ...], list[Cells]] = {}
    for row in data["chess_book"]:
        kind = str(named(row["player"])).partition(", seed")[0]
        found.setdefault((row["endgame"], kind, str(named(row["opponent"])), row["seed"]), []).append(row)
    lines = []
    for (*place, seed), rows in found.items():
        if seed == FIRST_STARTS and len(found.get((*place, OTHER_STARTS), ())) == len(rows):
            continue
        count = sum(int(row["games"]) for row in rows)
        ends = (sum(int(row[name]) for row in rows) for name in ("won", "ahead", "drawn", "behind", "lost"))
        scores = [float(row["score"]) for row in rows]
        mean, low, high = student(scores)
        told = _score(rows[0]) if low is None or high is None else _interval(mean, low, high)
        each = ", ".join(f"{score:.3f}" for score in scores)
        lines.append([*place, f"{count:,}", *(f"{100 * end / count:.0f}" for end in ends), each, told])
    shares = ["won, %", "ahead, %", "level, %", "behind, %", "lost, %"]
    return table(["endgame", "program", "against", "games", *shares, "score of each run", "mean"], lines)


def curves(data: Data) -> str:
    """Return a line for each co-played run and opponent: scores of the best of generations, and of the champion.

    Runs that were made on a GPU have a table of their own.
    """
    rows = [row for row in data["chess_curves"] if "/gpu/" not in row["run"]]
    engine = {int(row["generation"]) for row in rows if row["opponent"] != "master"}
    of: dict[tuple[str, str], dict[int, Cells]] = {}
    for row in rows:
        of.setdefault((row["run"], row["opponent"]), {})[int(row["generation"])] = row
    lasts = {run: max(found) for (run, _), found in of.items()}
    shown = sorted(engine - {max(lasts.values())})
    lines = []
    for (run, opponent), found in of.items():
        last = found[lasts[run]]
        place = last["endgame"], run.rpartition("/")[2], str(named(opponent))
        scores = (f"{float(found[at]['score']):.3f}" if at in found and at < lasts[run] else "" for at in shown)
        lines.append([*place, *scores, str(lasts[run]), _score(last)])
    head = ["endgame", "seed", "against", *(f"generation {at}" for at in shown), "generations", "champion"]
    return table(head, lines)


def curves_together(data: Data) -> str:
    """Return a line for each endgame of runs made on a GPU: the mean score against `master`, and the range."""
    found: dict[str, dict[int, list[float]]] = {}
    for row in data["chess_curves"]:
        if "/gpu/" in row["run"] and row["opponent"] == "master":
            found.setdefault(row["endgame"], {}).setdefault(int(row["generation"]), []).append(float(row["score"]))
    shown = sorted({generation for of in found.values() for generation in of})
    lines = []
    for endgame, of in found.items():
        cells = [f"{mean(x):.3f} ({min(x):.3f} to {max(x):.3f})" if (x := of.get(at)) else "" for at in shown]
        lines.append([endgame, str(max(map(len, of.values()))), *cells])
    return table(["endgame", "runs", *(f"generation {at}" for at in shown)], lines)


def games(data: Data) -> str:
    """Return a line for each player and opponent: the games and their score."""
    lines = []
    for row in data["chess_games"]:
        who = (str(named(row[name])) for name in ("player", "opponent"))
        counts = (f"{int(row[x]):,}" for x in ("games", "won", "drawn", "lost"))
        lines.append([row["endgame"], *who, *counts, _score(row), f"{int(row['different']):,}"])
    head = ["endgame", "program", "against", "games", "won", "drawn", "lost", "score", "different"]
    return table(head, lines)


def _score(row: Cells) -> str:
    return _interval(*(float(row[name]) for name in ("score", "low", "high")))


def _interval(score: float, low: float, high: float) -> str:
    """Return a score and its interval; an interval does not leave the scores that there are."""
    return f"{score:.3f} ({max(low, 0):.3f} to {min(high, 1):.3f})"


def terminals(data: Data) -> str:
    """Return a line for each of the terminals that are best in the last endgame, as the whole program."""
    rows = [row for row in data["chess_kept"] if not row["than"] and named(row["player"]) is None]
    found = _across(rows, [(endgame, "critical") for endgame in ENDGAMES])
    lines = [[name.replace("*", "\\*"), *cells] for name, cells in found.items()]
    lines.sort(key=lambda line: -float(line[-1].split()[0] or 0))
    return table(["terminal alone", *ENDGAMES], lines[:SHOWN])


def differences(data: Data) -> str:
    """Return how much more often programs keep the result than engines, decision by decision."""
    rows = [row for row in data["chess_kept"] if row["than"]]
    engines = list(dict.fromkeys(row["than"] for row in rows))
    lines = []
    for place in dict.fromkeys((row["player"], row["endgame"]) for row in rows):
        mine = {row["than"]: row for row in rows if (row["player"], row["endgame"]) == place}
        cells = [_percent(mine[one], "+") if one in mine else "" for one in engines]
        lines.append([str(named(place[0])), place[1], *cells])
    return table(["player", "endgame", *(f"than {named(one)}" for one in engines)], lines)


def speed(data: Data) -> str:
    """Return what is done in a second of CPU, by the number of games side by side."""
    rows = data["chess_speed"]
    batches = list(dict.fromkeys(row["batch"] for row in rows if not row["rival"]))
    lines = []
    for name, rival in dict.fromkeys((row["name"], row["rival"]) for row in rows):
        mine = {row["batch"]: row for row in rows if (row["name"], row["rival"]) == (name, rival)}
        rates = {batch: f"{float(row['work']) / float(row['cpu_seconds']):,.0f}" for batch, row in mine.items()}
        cells = [rates["1"], *[""] * (len(batches) - 1)] if rival else [rates[batch] for batch in batches]
        lines.append([f"{name}, {rival}" if rival else name, *cells])
    return table(["in a second of CPU", *(f"{int(batch):,} games" for batch in batches)], lines)


def larger(data: Data) -> str:
    """Return what tables of five men hold, by the endgame and the side to move, and how they were checked."""
    rows = [row for row in data["chess_larger"] if row["mover"]]
    of = {(str(row["endgame"]), str(row["mover"]), row["measure"]): f"{int(str(row['value'])):,}" for row in rows}
    columns = list(dict.fromkeys(key[:2] for key in of))
    lines = [
        [str(name), *(of[(*at, name)] for at in columns)] for name in dict.fromkeys(row["measure"] for row in rows)
    ]
    return table(["", *(f"{endgame}, {mover} to move" for endgame, mover in columns)], lines)


def results(data: Data) -> str:
    """Return what results of six men hold, by the endgame, and how they were checked."""
    rows = data["chess_results"]
    names = [f"{row['measure']}, {row['mover']} to move" if row["mover"] else str(row["measure"]) for row in rows]
    of = {(str(row["endgame"]), name): f"{int(str(row['value'])):,}" for row, name in zip(rows, names, strict=True)}
    columns = list(dict.fromkeys(endgame for endgame, _ in of))
    lines = [[name, *(of.get((endgame, name), "") for endgame in columns)] for name in dict.fromkeys(names)]
    return table(["", *columns], lines)


TABLES: Makers = {
    "chess_kept": kept,
    "chess_coplayed": coplayed,
    "chess_terminals": terminals,
    "chess_than": differences,
    "chess_four": four,
    "chess_met": met,
    "chess_games": games,
    "chess_book": by_book,
    "chess_curves": curves,
    "chess_curves_gpu": curves_together,
    "chess_speed": speed,
}
LARGER: Makers = {
    "chess_five": five,
    "chess_six": six,
    "chess_near": near,
    "chess_larger": larger,
    "chess_results": results,
}
"""Tables of five and six men."""
