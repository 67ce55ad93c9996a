"""The tables of docs/othello.md, made from docs/data/othello_runs.csv, othello_games.csv and the champions of the runs.

Each function returns the Markdown of one table.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from jaxgp.errors import UsageError
from jaxgp.measure import games
from jaxgp.report.generated import guarded, table
from jaxgp.statistics.intervals import student
from jaxgp.statistics.verdicts import LEVEL, Score, holm, pooled
from jaxgp.store import champion, runs
from jaxgp.store.champion import ChampionError
from jaxgp.store.table import Cells, Table
from studies.measure import othello_leaves

SOURCE = {
    "original": "1.00 to 2.40",
    "original_weights": "2.02 to 7.26",
    "regions": "3.83 to 7.60",
    "regions_weights": "5.45 to 6.98",
    "noops": "7.41 to 9.25, one of 69.20",
}
"""The fitness of the source's runs, by experiment: T. Bellin and G. Gasperin; less is better there."""
UNMET = {
    "search depth=1 evaluator=material|corner_4 ties=random": "one ply",
    "search depth=2 evaluator=material|corner_4 ties=random": "two plies",
}
"""Opponents that no run has met."""
BENCHMARKS = {
    "search depth=5 evaluator=material|corner_4 ties=random": "5 plies",
    "search depth=7 evaluator=material|corner_4 ties=random": "7 plies",
}
"""The searches that measure players of Reversi."""
BOOK = {"5 plies": (875, 961), "7 plies": (640.5, 826)}
"""Least and greatest points of 1,000 of the eight best runs of M. Sipper, "Evolved to Win" (2011), table 3.12."""
WEIGHTED = {"original_weights": "original", "regions_weights": "regions"}
"""Experiments with weights by path, and those that have the same features without."""
NO_OPS = ("B0", "B1", "B00", "B01", "B10", "B11")
RESAMPLES = 1999
NONE = "No rows yet."
MEASURE = "points"


class Data(NamedTuple):
    """Rows of the tables, and the texts of champions by experiment."""

    runs: list[Cells]
    games: list[Cells]
    texts: dict[str, list[str]]
    leaves: list[Cells]


def load(folder: Path) -> Data:
    """Read the files; a missing one has no rows. Raises UsageError."""
    texts: dict[str, list[str]] = {name: [] for name in SOURCE}
    for path in sorted((folder / "champions").glob("othello_*.json")):
        name = experiment(str(path))
        if name in texts:
            try:
                texts[name].append(champion.read(path).text)
            except ChampionError as error:
                raise UsageError(f"{path}: {error}") from error
    made = Table(folder / "othello_runs.csv", runs.COLUMNS).read()
    leaves = Table(folder / "othello_leaves.csv", othello_leaves.COLUMNS).read()
    return Data(made, games.table(folder / "othello_games.csv").read(), texts, leaves)


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    return guarded(folder, TABLES, load(folder))


def experiment(path: str) -> str:
    """Return the experiment of a champion's file or a run's directory, without `othello_`; empty for another one."""
    found = re.search(r"othello[_/](\w+?)[_/]\d+(?:\.json)?$", path)
    return found[1] if found else ""


# The five experiments


def points(data: Data, opponents: Sequence[str] = tuple(UNMET)) -> dict[str, list[float]]:
    """Return the mean share of points of each champion against some opponents, by experiment.

    A champion counts if it has met all of them.
    """
    scores: dict[str, dict[str, Score]] = {}
    for (run, opponent, _), score in pooled(data.games, ("run", "opponent", "game")).items():
        scores.setdefault(run, {})[opponent] = score
    found: dict[str, list[float]] = {name: [] for name in SOURCE}
    for run, met in sorted(scores.items()):
        if (name := experiment(run)) in found and set(opponents) <= set(met):
            found[name].append(mean(met[one].share for one in opponents))
    return {name: values for name, values in found.items() if values}


def experiments(data: Data) -> str:
    """Return a line for each experiment: its runs, and what their champions take from opponents that no run met."""
    both, single = points(data), {one: points(data, [one]) for one in UNMET}
    if not both:
        return NONE
    lines = []
    for name, source in SOURCE.items():
        if name not in both:
            lines.append([f"`othello_{name}`", "no rows yet", "", "", "", "", source])
            continue
        made = [row for row in data.runs if experiment(row["run"]) == name]
        fitness = [float(row["fitness"]) for row in made]
        within = f"{min(fitness):.1f} to {max(fitness):.1f}" if fitness else ""
        cells = [percent(values.get(name, [])) for values in (*single.values(), both)]
        lines.append([f"`othello_{name}`", str(len(both[name])), *cells, within, source])
    head = ["experiment", "champions", *(f"against {one}" for one in UNMET.values()), "mean of both"]
    return table([*head, "fitness in the runs", "in the source"], lines)


def percent(shares: Sequence[float]) -> str:
    """Return the mean of shares with the 95 % interval over runs."""
    if not shares:
        return ""
    middle, low, high = student(shares)
    between = "" if low is None or high is None else f" ({100 * low:.1f} to {100 * high:.1f})"
    return f"{100 * middle:.1f} %{between}"


def brackets(data: Data) -> str:
    """Return the test over the experiments that have been measured, as a sentence."""
    from scipy import stats

    groups = points(data)
    missing = [f"`othello_{name}`" for name in SOURCE if name not in groups]
    if len(groups) < 2:
        return NONE
    h, p = stats.kruskal(*groups.values())
    word = "differ" if p < LEVEL else "are not shown to differ"
    rest = f" Without rows: {', '.join(missing)}." if missing else ""
    return f"The {len(groups)} experiments {word}: Kruskal-Wallis H = {h:.1f}, p = {p:.2g}.{rest}"


def pairs(data: Data) -> str:
    """Return every two experiments compared; the p values are one family."""
    from jaxgp.statistics.comparison import compare

    groups = points(data)
    if len(groups) < 2:
        return NONE
    made = [compare(MEASURE, (a, groups[a]), (b, groups[b]), resamples=RESAMPLES) for a, b in combinations(groups, 2)]
    corrected = holm([one.p for one in made])
    lines = []
    for one, p in zip(made, corrected, strict=True):
        a12 = f"{one.a12.value:.2f} ({one.a12.low:.2f} to {one.a12.high:.2f})"
        word = "no difference shown"
        if p < LEVEL:
            word = "higher" if one.a12.value > 0.5 else "lower"
        lines.append([f"`{one.first.name}`", f"`{one.second.name}`", a12, small(one.p), small(p), word])
    return table(["first", "second", "A12 (95 %)", "p", "p, Holm", "the first is"], lines)


def small(p: float) -> str:
    """Return a p value."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


# No-ops


class Noops(NamedTuple):
    """The no-ops of one program.

    Attributes:
        nodes: of the program, no-ops too.
        noops: how many.
        above: of these, those right above a terminal.
        chain: the most that follow each other.
    """

    nodes: int
    noops: int
    above: int
    chain: int


def count(text: str) -> Noops:
    """Count the no-ops in the text of a program."""
    words = re.findall(r"[()]|[^\s()]+", text)
    nodes = noops = above = longest = chain = 0
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word in "()":
            continue
        nodes += 1
        chain = chain + 1 if word in NO_OPS and before == "(" else 0
        if chain:
            noops, above, longest = noops + 1, above + (after != "("), max(longest, chain)
    return Noops(nodes, noops, above, longest)


def noops(data: Data) -> str:
    """Return how many no-ops the champions of each experiment have; in `regions` they do nothing."""
    found = {name: list(map(count, texts)) for name, texts in data.texts.items() if texts}
    found = {name: counts for name, counts in found.items() if any(one.noops for one in counts)}
    if not found:
        return NONE
    lines = []
    for name, counts in found.items():
        users, total = sum(one.noops > 0 for one in counts), sum(one.noops for one in counts)
        shares = percent([one.noops / one.nodes for one in counts])
        above, longest = sum(one.above for one in counts), max(one.chain for one in counts)
        lines.append([f"`othello_{name}`", f"{users} of {len(counts)}", str(total), str(above), str(longest), shares])
    head = ["experiment", "champions with no-ops", "no-ops", "right above a terminal", "longest chain"]
    return table([*head, "share of the nodes, mean (95 %)"], lines)


def used(data: Data) -> str:
    """Compare the share of no-ops where they are weights with that where they do nothing, as a sentence."""
    from jaxgp.statistics.comparison import compare

    found = {name: [one.noops / one.nodes for one in map(count, texts)] for name, texts in data.texts.items()}
    if not found["regions"] or not found["regions_weights"]:
        return NONE
    one = compare("no-ops", ("", found["regions_weights"]), ("", found["regions"]), resamples=RESAMPLES)
    a12 = f"A12 {one.a12.value:.2f} ({one.a12.low:.2f} to {one.a12.high:.2f}), p = {one.p:.2f}"
    word = "is not shown to differ from" if one.p >= LEVEL else "differs from"
    return f"The share of no-ops in `regions_weights` {word} that in `regions`, where they do nothing: {a12}."


# Reversi


# Where influential leaves are


def ranked(row: Cells) -> tuple[float, float] | None:
    """Return Spearman's rho of the influence of a champion's leaves with depth, and with the place from the left.

    None where a leaf is alone, or all are alike.
    """
    from scipy import stats

    pairs = [one.split(":") for one in row["leaves"].split()]
    depths, shares = [int(depth) for depth, _ in pairs], [float(share) for _, share in pairs]
    if min(len(set(depths)), len(set(shares))) < 2:
        return None
    return tuple(float(stats.spearmanr(shares, one).statistic) for one in (depths, range(len(shares))))  # type: ignore[return-value]


def leaves(data: Data) -> str:
    """Return where the leaves are that decide moves, with weights beside without; the p values are one family."""
    from jaxgp.statistics.comparison import compare

    found: dict[str, list[tuple[float, float]]] = {}
    for row in data.leaves:
        if (rho := ranked(row)) is not None:
            found.setdefault(experiment(row["run"]), []).append(rho)
    if not found:
        return NONE
    pairs = [(a, b, of) for a, b in WEIGHTED.items() if {a, b} <= found.keys() for of in (0, 1)]
    values = {(name, of): [rho[of] for rho in some] for name, some in found.items() for of in (0, 1)}
    made = [compare("rho", (a, values[a, of]), (b, values[b, of]), resamples=RESAMPLES) for a, b, of in pairs]
    tested = dict(zip(pairs, zip(made, holm([one.p for one in made]), strict=True), strict=True))
    lines = []
    for name in (one for one in SOURCE if one in found):
        cells = [f"`othello_{name}`", str(len(found[name]))]
        for of in (0, 1):
            middle, low, high = student(values[name, of])
            cells.append(f"{middle:+.2f}" + ("" if low is None else f" ({low:+.2f} to {high:+.2f})"))
            if (pair := (name, WEIGHTED.get(name, ""), of)) in tested:
                one, p = tested[pair]
                cells.append(f"{one.a12.value:.2f} ({one.a12.low:.2f} to {one.a12.high:.2f}), p = {small(p)}")
            else:
                cells.append("")
        lines.append(cells)
    head = ["rho with the depth (95 %)", "A12 over no weights, p", "rho with the place from the left (95 %)"]
    return table(["experiment", "champions", *head, "A12 over no weights, p"], lines)


def reversi(data: Data) -> str:
    """Return the champions of Reversi that search, against the searches of five and seven plies."""
    rows = [row for row in data.games if row["opponent"] in BENCHMARKS and " depth=" in row["player"]]
    if not rows:
        return NONE
    scores = pooled(rows, ("run", "player", "opponent"))
    lines = []
    for run, player in dict.fromkeys((row["run"], row["player"]) for row in rows):
        cells = []
        for opponent in BENCHMARKS:
            score = scores.get((run, player, opponent))
            cells.append("" if score is None or score.interval is None else thousand(score))
            cells.append("" if score is None else f"{score.games:,}")
        plies = player.rpartition("=")[2]
        lines.append([f"`{Path(run).stem}`", plies, *cells])
    ends = [f"{low:g} to {high:g}" for low, high in BOOK.values()]
    lines.append(["eight best runs of the source", "4", ends[0], "1,000", ends[1], "1,000"])
    opponents = [cell for one in BENCHMARKS.values() for cell in (f"{one}, points of 1,000", "games")]
    return table(["champion", "plies", *opponents], lines)


def thousand(score: Score) -> str:
    """Return points of 1,000 with their interval."""
    assert score.interval is not None
    low, high = score.interval
    return f"{1000 * score.share:.1f} ({1000 * low:.0f} to {1000 * high:.0f})"


TABLES: dict[str, Callable[[Data], str]] = {
    "othello_experiments": experiments,
    "othello_brackets": brackets,
    "othello_pairs": pairs,
    "othello_noops": noops,
    "othello_noops_used": used,
    "othello_leaves": leaves,
    "othello_reversi": reversi,
}
