"""The tables of docs/chess.md, from the rows of `scripts/studies/chess/kept.py` and `points.py`."""

import re
from collections.abc import Iterable, Sequence

from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from tables.shared.data import Data, Makers

ENDGAMES = ("KRKR", "KQKQ")
FIXED = {
    "random": "random mover",
    "master": "`master`",
    "gpec190": "`gpec190`",
    "printed": "`gpec190`, its printed tree alone",
    "network": "network of the same terminals",
}
CLASSES = {"truth": "table-taught", "coplay": "co-played"}
"""What taught champions, by the name of their file."""
CHAMPION = re.compile(r"docs/data/champions/chess_(?P<kind>\w+?)_(?P<endgame>\w+)\.jsonl#(?P<seed>\d+)")
ENGINE = re.compile(r"(?P<name>[a-z0-9]+) (?P<nodes>\d+)")


def named(player: str) -> str | None:
    """Return what a player is called; None for a terminal."""
    if found := CHAMPION.fullmatch(player):
        return f"{CLASSES[found['kind']]} on {found['endgame'].upper()}, seed {found['seed']}"
    if found := ENGINE.fullmatch(player):
        return f"{found['name'].capitalize()}, {int(found['nodes']):,} nodes"
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
    order = ["random", "`gpec", "`master", "co-played", "table", "network", "Toga", "Stock"]
    lines.sort(key=lambda line: next(n for n, start in enumerate(order) if line[0].startswith(start)))
    head = [f"{endgame}, {kind}" for endgame, kind in columns]
    return table(["player", *head, "decisions"], lines)


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


TABLES: Makers = {
    "chess_kept": kept,
    "chess_terminals": terminals,
    "chess_than": differences,
    "chess_points": points,
    "chess_speed": speed,
}
