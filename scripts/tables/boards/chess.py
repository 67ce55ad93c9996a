"""The tables of the pages on chess endgames, from the rows of `scripts/studies/chess`."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from jaxgp.report.generated import table
from jaxgp.statistics.comparison import dominance
from jaxgp.statistics.intervals import student, wilson
from jaxgp.statistics.permutation import rank_sum
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
    "games": "table-taught in games",
    "coplay": "co-played",
    "mate": "taught to mate",
    "play": "tree, own play",
    "sum": "sum, own play",
}
"""What taught champions, by the name of their file."""
CHAMPION = re.compile(
    r"docs/data/champions/chess_(?P<kind>\w+?)_(?P<endgame>\w+)\.jsonl#(?P<seed>\d+)(, (?P<plies>\d) plies)?"
)
MANY = "many"
"""What stands in names of files for four endgames together."""
ENGINE = re.compile(r"(?P<name>[a-z0-9]+)( nodes| depth)? (?P<limit>\d+)(?P<plies> plies)?")
ENGINES = {"stockfish": "Stockfish", "toga2": "Toga II"}
FOUR = ("KRKR", "KQKQ", "KQKR", "KQRK")
FIVE = ("KQRKR", "KQRKQ")
SIX = ("KQRKQR", "KRRKRR")
MET = "met, "
MATTERED = re.compile(r"outputs/chess/mattered(_coplay)?/(?P<row>\w+)/\d+")
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
}
"""What short runs differ in, by their directories."""
GROWN = re.compile(r"outputs/chess/(?P<who>co|co_five)/(?P<seed>\d+)")
NAMED = {
    "co": "champion, by games against a random mover",
    "co_five": "champion after 20 generations, by games against `five_terms`",
}
"""Who named the champions of runs, by their directories."""


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
    """Return a line for each player but terminals: shares of critical and held decisions, and how many there were."""
    columns = [(endgame, kind) for endgame in ENDGAMES for kind in ("critical", "held")]
    rows = [row for row in data["chess_kept"] if not row["than"]]
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


def four(data: Data) -> str:
    """Return a line for each player, with its share of critical decisions in the four endgames of four men."""
    rows = [row for row in data["chess_four"] if not row["than"]]
    found = _across(rows, [(endgame, "critical") for endgame in FOUR])
    return table(["player", *FOUR], [[str(named(player)), *cells] for player, cells in found.items()])


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


def seen(data: Data) -> str:
    """Return a line for each way to value what programs see of positions: how often it mates."""
    said = {"depth": "the mean of the plies to mate", "play": "what its own play comes to, after {} rounds"}
    lines = [
        [row["endgame"], row["combinations"], said[row["by"]].format(row["rounds"]), f"{100 * float(row['mated']):.1f}"]
        for row in data["chess_seen"]
        if row["by"] in said
    ]
    return table(["endgame", "combinations of terminals", "worth of each", "mated, percent"], lines)


def exact(data: Data) -> str:
    """Return a line for each program: from what share of won starts it mates, as exact computation says."""

    def cells(row: Cells, count: str, share: str) -> list[str]:
        return [f"{int(str(row[count])):,}", f"{100 * float(str(row[share])):.2f}"] if row[count] else ["", ""]

    lines = [
        [str(row["endgame"]), who, *cells(row, "positions", "mated"), *cells(row, "unmet", "unmet_mated")]
        for row in data["chess_seen"]
        if (who := named(str(row["by"]))) is not None
    ]
    head = ["endgame", "program", "won starts, all", "mated, percent", "starts kept from training", "mated, percent"]
    return table(head, lines)


def by_book(data: Data) -> str:
    """Return a line for each kind of champion, opponent and set of starts: games of all runs where material counts."""
    found: dict[tuple[str, ...], list[Cells]] = {}
    for row in data["chess_book"]:
        kind = str(named(row["player"])).partition(", seed")[0]
        found.setdefault((row["endgame"], kind, str(named(row["opponent"])), row["seed"]), []).append(row)
    lines = []
    for (*place, _), rows in found.items():
        count = sum(int(row["games"]) for row in rows)
        ends = (sum(int(row[name]) for row in rows) for name in ("won", "ahead", "drawn", "behind", "lost"))
        scores = [float(row["score"]) for row in rows]
        mean, low, high = student(scores)
        told = _score(rows[0]) if low is None or high is None else _interval(mean, low, high)
        each = ", ".join(f"{score:.3f}" for score in scores)
        lines.append([*place, f"{count:,}", *(f"{100 * end / count:.0f}" for end in ends), each, told])
    ends = ["won, %", "ahead, %", "level, %", "behind, %", "lost, %"]
    return table(["endgame", "program", "against", "games", *ends, "score of each run", "mean"], lines)


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


def mattered(data: Data) -> str:
    """Return short runs that differ in one option, by what their champions keep of the same decisions."""
    found: dict[str, dict[str, list[float]]] = {"critical": {}, "held": {}}
    for row in data["chess_mattered"]:
        if (run := MATTERED.fullmatch(str(row["player"]))) and not row["than"]:
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


def terminals(data: Data) -> str:
    """Return a line for each terminal as the whole program."""
    rows = [row for row in data["chess_kept"] if not row["than"] and named(row["player"]) is None]
    found = _across(rows, [(endgame, "critical") for endgame in ENDGAMES])
    lines = [[name.replace("*", "\\*"), *cells] for name, cells in found.items()]
    lines.sort(key=lambda line: -float(line[-1].split()[0] or 0))
    return table(["terminal alone", *ENDGAMES], lines)


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
    "chess_terminals": terminals,
    "chess_than": differences,
    "chess_four": four,
    "chess_met": met,
    "chess_games": games,
    "chess_book": by_book,
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
LEARNING: Makers = {
    "chess_seen": seen,
    "chess_exact": exact,
    "chess_mates": mates,
    "chess_mattered": mattered,
    "chess_mattered_coplay": mattered_coplay,
    "chess_grown": grown,
    "chess_points": points,
}
"""Tables of what evolution learns from."""
