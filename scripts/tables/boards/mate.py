"""The tables of docs/mate.md, from the rows of `scripts/studies/mate/problems.py` and the shipped problems."""

from collections.abc import Callable, Sequence
from functools import partial
from math import exp
from statistics import mean, median

import numpy as np

from envs.mate import suites
from jaxgp.report.generated import table
from jaxgp.statistics.bootstrap import resample
from jaxgp.statistics.draws import Draws
from jaxgp.statistics.exact import central, settle
from jaxgp.statistics.intervals import student
from jaxgp.statistics.permutation import signed_rank
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells
from tables.boards.mate_guides import GUIDES, count, false_claims, of_better
from tables.shared.cells import mean_of
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
LONGEST = 90
"""Characters of a program that is shown."""


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
    words = f"{_short(mean(counts))} ({_short(median(counts))})"
    if len(known) < len(rows):
        words += f", {len(known)} of them"
    return words + (f", {len(cut)} cut" if cut else "")


def _short(number: float) -> str:
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


def programs(data: Data) -> str:
    """What champions of short runs need on the problems that no evolution sees, beside searches by hand."""
    rows, lines = data["mate_runs"], []
    lengths = list(dict.fromkeys(str(row["n"]) for row in rows))
    for name in dict.fromkeys(str(row["run"]) for row in rows):
        own = {str(row["n"]): row for row in rows if row["run"] == name}
        cells = [f"{float(own[n]['nodes']) / float(own[n]['problems']):,.1f}" for n in lengths]
        totals = [sum(int(row[what]) for row in own.values()) for what in ("solved", "proved", "claimed")]
        text = _program(str(next(iter(own.values()))["text"]))
        lines.append([name, *cells, f"{totals[0]}", f"{totals[1]}", f"{totals[2] - totals[1]}", text])
    head = ["mean nodes", *(f"n = {n}" for n in lengths), "solved", "proved", "false claims", "champion"]
    return table(head, lines)


def _program(text: str) -> str:
    """Return a program as it is shown: its text, or its size where that is long."""
    return f"`{text}`" if 0 < len(text) <= LONGEST else f"{len(text.split())} nodes" if text else ""


def own(data: Data) -> str:
    """How many problems come with the game."""
    del data
    rows, known = [], suites.shipped()
    for length in sorted({own for _, own, _, _ in known}):
        some = [(nodes, chosen) for _, own, nodes, chosen in known if own == length]
        sets = [str(sum(chosen == name for _, chosen in some)) for name in suites.SETS]
        counts = [nodes for nodes, _ in some]
        rows.append([str(length), *sets, _short(median(counts)), _short(max(counts))])
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


def exponents(data: Data) -> str:
    """Nodes of searches one move at a time beside the better of two searches by hand, problem by problem."""
    own = [row for row in data["mate_lazy"] if row["seed"] in ("", "0")]
    lines, chances = [], []
    for (name, seed, source, length), rows in by(own, "run", "seed", "source", "n").items():
        mine, hand = _nodes(rows)
        ratios = np.log(mine / hand)
        sums = resample([len(rows)], partial(_of_sums, mine, hand), Draws(0))
        middle, low, high = student(ratios)
        chances.append(signed_rank(ratios) if any(ratios) else 1.0)
        cells = [f"{name}, seed {seed}" if seed else name, source, length, str(len(rows))]
        cells += [f"{sum(int(row['proved']) for row in rows)}", _short(mean(mine)), _short(mean(hand))]
        cells += [_share(mine.sum() / hand.sum(), *central(sums)), _share(exp(middle), exp(low or 0), exp(high or 0))]
        lines.append(cells)
    for line, chance in zip(lines, holm(chances), strict=True):
        line.append(f"{chance:.2g}")
    head = ["weights", "problems", "n", "number", "proved", "mean nodes", "of the better", "sum, of the better"]
    return table([*head, "geometric mean, of the better", "p, Holm"], lines)


SEVERAL = "flights, n = 4"
"""The run of which there are several seeds."""
Figure = Callable[[np.ndarray, np.ndarray], float]
"""Of the nodes of a search, float[N], and of the better one by hand."""


def _by_sum(mine: np.ndarray, hand: np.ndarray) -> float:
    return float(100 * mine.sum() / hand.sum())


def _by_problem(mine: np.ndarray, hand: np.ndarray) -> float:
    return exp(float(np.log(mine / hand).mean())) * 100


def _mean(mine: np.ndarray, hand: np.ndarray) -> float:
    return float(mine.mean())


MEASURED: tuple[tuple[str, str, str, Figure], ...] = (
    ("composed, n = 4: sum, %", "composed", "4", _by_sum),
    ("geometric mean, %", "composed", "4", _by_problem),
    ("mean nodes", "composed", "4", _mean),
    ("composed, n = 5: sum, %", "composed", "5", _by_sum),
    ("geometric mean, %", "composed", "5", _by_problem),
    ("games, n = 4: mean nodes", "games", "4", _mean),
)
"""What the table of seeds has: head, source, n, and figure."""


def seeds(data: Data) -> str:
    """What the weights of each seed need beside the better search by hand, and means over seeds."""
    found = by([row for row in data["mate_lazy"] if row["run"] == SEVERAL], "seed")
    shares = [_figures(rows, MEASURED) for rows in found.values()]
    lines = [[seed, *(f"{x:,.0f}" for x in one)] for (seed,), one in zip(found, shares, strict=True)]
    means = [mean_of(column, 0) for column in zip(*shares, strict=True)]
    return table(["seed", *(head for head, *_ in MEASURED)], [*lines, ["mean (95 %)", *means]])


STEPPED: tuple[tuple[str, str, str, Figure], ...] = tuple(
    (f"{source}, n = {n}: {says}", source, n, figure)
    for source, n in (("composed", "4"), ("composed", "5"), ("games", "4"))
    for says, figure in (("sum, %", _by_sum), ("geometric mean, %", _by_problem))
)


def stepped(data: Data) -> str:
    """What weights need beside the better of two searches by hand that have the step of flights as well."""
    lines = {str(row["line"]): row for row in data["mate_lines"]}
    own = [
        {**row, **{name: str(count(lines[row["line"]][f"{name}_flights"])) for name in ("few", "dfpn_replies")}}
        for row in data["mate_lazy"]
        if row["source"] in ("composed", "games") and row["run"] in ("flights, weights of 0", SEVERAL)
    ]
    rows = [
        [f"{run}, seed {seed}" if seed else run, *(f"{x:,.0f}" for x in _figures(some, STEPPED))]
        for (run, seed), some in by(own, "run", "seed").items()
    ]
    return table(["weights", *(head for head, *_ in STEPPED)], rows)


def _figures(rows: Sequence[Cells], wanted: Sequence[tuple[str, str, str, Figure]]) -> list[float]:
    """Return figures of some source and n each, as `MEASURED` has them."""
    kinds = by(rows, "source", "n")
    return [figure(*_nodes(kinds[source, n])) for _, source, n, figure in wanted]


def _nodes(rows: Sequence[Cells]) -> tuple[np.ndarray, np.ndarray]:
    """Return float[N]: the nodes of a search, and those of the better of two by hand."""
    return np.array([int(row["nodes"]) for row in rows], float), np.array([of_better(row) for row in rows], float)


def _of_sums(mine: np.ndarray, hand: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return float[R]: the sum of one sample by that of the other in resamples, int64[R, N]."""
    return settle(mine[places].sum(1) / hand[places].sum(1))


def _share(part: float, low: float, high: float) -> str:
    return f"{100 * part:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def formulas(data: Data) -> str:
    """What wins by two readings of the fitness, seed by seed, on the problems that no evolution sees."""
    lines = []
    for (name, seed), rows in by(data["mate_formulas"], "run", "seed").items():
        problems, nodes, solved, proved = (
            sum(int(row[what]) for row in rows) for what in ("problems", "nodes", "solved", "proved")
        )
        share = f"{solved} of {problems} ({100 * solved / problems:.0f} %)"
        first = rows[0]
        cells = [str(first["generation"]), f"{nodes / problems:,.1f}", share, str(proved), _program(str(first["text"]))]
        lines.append([f"`{name}`", seed, *cells])
    return table(["boards", "seed", "generation", "moves a problem", "solved", "proved", "champion"], lines)


def searching(data: Data) -> str:
    """What champions of programs that make moves do on the problems that no evolution sees, seed by seed."""
    lines = []
    for (name, seed), rows in by(data["mate_searching"], "run", "seed").items():
        cells = [
            f"{row['solved']} / {row['proved']}, {_short(int(row['nodes']) / int(row['problems']))}" for row in rows
        ]
        size = len(str(rows[0]["text"]).split())
        cells.append(str(false_claims(rows)))
        lines.append([name, seed, str(rows[0]["generation"]), *cells, str(size) if seed else ""])
    lengths = {str(row["n"]): str(row["problems"]) for row in data["mate_searching"]}
    head = [f"n = {n} ({number})" for n, number in lengths.items()]
    return table(["run", "seed", "generation", *head, "false claims", "nodes of the program"], lines)


def composed(data: Data) -> str:
    """What champions of programs that make moves prove of composed problems, seed by seed, and how `few` compares."""
    own = [row for row in data["mate_claimed"] if row["source"] == "composed"]
    lines = []
    for (run, seed), of_seed in by(own, "run", "seed").items():
        cells = []
        for rows in by(of_seed, "n").values():
            proved = [row for row in rows if row["proved"] == "1"]
            means = [_short(mean(int(row[what]) for row in proved)) if proved else "" for what in ("nodes", "few")]
            cells += [f"{len(proved)} of {len(rows)}", *means]
        lines.append([run, seed, *cells])
    head = [x for (n,) in by(own, "n") for x in (f"composed, n = {n}: proved", "mean nodes of these", "of `few`")]
    return table(["run", "seed", *head], lines)


TABLES: Makers = {
    "mate_searches": searches,
    "mate_settled": settled,
    "mate_own": own,
    "mate_guided": guided,
}
PROGRAMS: Makers = {
    "mate_runs": programs,
    "mate_searching": searching,
    "mate_claimed": composed,
    "mate_formulas": formulas,
    **GUIDES,
    "mate_lazy": exponents,
    "mate_lazy_seeds": seeds,
    "mate_lazy_stepped": stepped,
}
