"""The tables of problems of mate in n and of searches by hand: rows of `scripts/studies/mate/problems.py`."""

from collections.abc import Sequence
from statistics import mean, median

from envs.mate import suites
from jaxgp.report.generated import table
from jaxgp.store.table import Cells
from tables.boards.mate_guides import count
from tables.shared.data import Data, Makers, by

SEARCHES = {
    "plain": "`plain`",
    "captures": "`captures`",
    "checks": "`checks`",
    "last": "`last`",
    "table": "`table`",
    "staged": "`staged`",
    "few": "`few`",
    "few_by_number": "`few`, replies by number",
    "few_deepening": "`few`, not told n",
    "few_moves": "`few`, if it knew the best moves",
    "few_replies": "`few`, if it knew the best replies",
    "few_flights": "`few`, with the step of `flights`",
    "dfpn": "`dfpn`",
    "dfpn_replies": "`dfpn_replies`",
    "dfpn_replies_distinct": "`dfpn_replies`, distinct boards",
    "dfpn_replies_flights": "`dfpn_replies`, with the step of `flights`",
    "lazy": "`lazy`",
    "flights": "`flights`",
    "engine": "Stockfish 15.1, nodes of its own",
    "better": "the better of `few` and `dfpn_replies`",
    "smallest": "smallest proof",
}


def groups(rows: Sequence[Cells]) -> dict[str, list[Cells]]:
    """Return the rows by where problems come from and their n."""
    found: dict[str, list[Cells]] = {}
    for row in rows:
        kind = "composed" if str(row["source"]).startswith("matetrack") else "games"
        found.setdefault(f"{kind}, n = {row['n']}", []).append(row)
    return dict(sorted(found.items(), key=lambda one: (one[0].startswith("composed"), one[0])))


def cell(rows: Sequence[Cells], name: str) -> str:
    """Return mean and median of a search, and how many were cut."""
    known = [row for row in rows if row[name] != ""]
    if not known:
        return ""
    cut = [row for row in known if row[name] == "cut"]
    counts = [count(row[name]) for row in known]
    words = f"{short(mean(counts))} ({short(median(counts))})"
    if len(known) < len(rows):
        words += f", {len(known)} of them"
    return words + (f", {len(cut)} cut" if cut else "")


def short(number: float) -> str:
    """Return a number of nodes in a few characters."""
    return (
        f"{number:,.0f}" if number < 10_000 else f"{number / 1000:,.1f} k" if number < 1e6 else f"{number / 1e6:.2f} M"
    )


def better(row: Cells) -> Cells:
    """Return a row with the nodes of that of two searches which needs fewer of them."""
    known = [row[name] for name in ("few", "dfpn_replies") if row[name] not in ("", "cut")]
    none = "" if row["few"] == "" else "cut"
    return {**row, "better": str(min(map(int, known))) if known and row["few"] != "" else none}


def searches(data: Data) -> str:
    """Mean (median) nodes of every search by hand."""
    found = groups([better(row) for row in data["mate_lines"]])
    found = {name: rows for name, rows in found.items() if any(row["few"] for row in rows)}
    head = ["mean nodes (median)", *(f"{name} ({len(rows)})" for name, rows in found.items())]
    return table(head, [[says, *(cell(rows, name) for rows in found.values())] for name, says in SEARCHES.items()])


def settled(data: Data) -> str:
    """Of how many lines the printed n is proved, and that no mate is shorter."""
    lines = []
    for (length,), rows in by(data["mate_lines"], "n").items():
        shorter = sum(row["shortest"] not in ("", length) for row in rows)
        kept = sum(row["shortest"] == length for row in rows)
        keys = sum(bool(row["keys"]) and row["open"] == "0" for row in rows)
        lines.append([length, *map(str, (len(rows), kept, shorter, len(rows) - kept - shorter, keys))])
    return table(["n", "lines", "shortest is n", "shorter, or none", "not settled", "all keys known"], lines)


def own(data: Data) -> str:
    """How many problems come with the game."""
    del data
    rows, known = [], suites.shipped()
    for length in sorted({own for _, own, _, _ in known}):
        some = [(nodes, chosen) for _, own, nodes, chosen in known if own == length]
        sets = [str(sum(chosen == name for _, chosen in some)) for name in suites.SETS]
        counts = [nodes for nodes, _ in some]
        rows.append([str(length), *sets, short(median(counts)), short(max(counts))])
    return table(["n", *suites.SETS, "`captures`, median", "most"], rows)


def guided(data: Data) -> str:
    """Nodes of a champion and of searches by hand on the problems that no evolution sees."""
    rows = data["mate_guided"]
    lengths = list(dict.fromkeys(row["n"] for row in rows))
    lines = []
    for name in dict.fromkeys(row["search"] for row in rows):
        found = {row["n"]: row for row in rows if row["search"] == name}
        cells = [f"{float(found[n]['nodes']) / float(found[n]['problems']):,.1f}" for n in lengths]
        solved, all_of = (sum(int(row[what]) for row in found.values()) for what in ("solved", "problems"))
        lines.append([name if " " in name else f"`{name}`", *cells, f"{solved} of {all_of}"])
    return table(["mean nodes", *(f"n = {n}" for n in lengths), "solved"], lines)


TABLES: Makers = {"mate_searches": searches, "mate_settled": settled, "mate_guided": guided, "mate_own": own}
