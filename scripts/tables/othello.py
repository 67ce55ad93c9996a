"""The tables of docs/results/othello.md, made from othello_runs.csv, othello_games.csv and the champions of the runs.

Each function returns the Markdown of one table.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np

from jaxgp.errors import UsageError
from jaxgp.measure import games
from jaxgp.report.generated import guarded, table
from jaxgp.statistics.exact import settled, spearman
from jaxgp.statistics.verdicts import LEVEL, Score, pooled
from jaxgp.store import champion, runs
from jaxgp.store.champion import ChampionError
from jaxgp.store.table import Cells, Table
from jaxgp.study import curves
from studies.measure import othello_leaves
from tables.shared.cells import RESAMPLES, effect, family, mean_of, p_value
from tables.shared.learning import by_generation, until

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
WEIGHTED = {"original_weights": "original", "regions_weights": "regions"}
"""Experiments with weights by path, and those that have the same features without."""
HARDER = "_coplay"
"""What follows the name of an experiment whose programs are trained by games against each other."""
FEW = {"few": "few", "few_weights": "few, with weights"}
"""Runs with few features of about equal counts, the source's proposal."""
TRAINED = (*WEIGHTED.values(), *WEIGHTED)
"""Experiments that were run with both ways of training."""
TITLES = {
    "Othello, original features": "`original`",
    "Othello, original features with weights": "`original_weights`",
    "Othello, regions": "`regions`",
    "Othello, regions with weights": "`regions_weights`",
    "Othello, regions weighted by no-ops": "`noops`",
}
"""Titles of the five experiments' runs, and what they are called."""
AT = (0, 5, 10, 25, 50)
"""Generations at which curves are shown as numbers."""
TARGETS = {160.0: "fitness 160", 170.0: "fitness 170"}
NO_OPS = ("B0", "B1", "B00", "B01", "B10", "B11")
NONE = "No rows yet."
MEASURE = "points"


class Data(NamedTuple):
    """Rows of the tables, and the texts of champions by experiment."""

    runs: list[Cells]
    games: list[Cells]
    texts: dict[str, list[str]]
    leaves: list[Cells]
    curves: list[Cells]


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
    learned = curves.table(folder / "othello_curves.csv").read()
    return Data(made, games.table(folder / "othello_games.csv").read(), texts, leaves, learned)


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    return guarded(folder, TABLES, load(folder))


def experiment(path: str) -> str:
    """Return the experiment of a champion's file or a run's directory, without `othello_`; empty for another one."""
    found = re.search(r"othello[_/](\w+?)[_/]\d+(?:\.json)?$", path)
    return found[1] if found else ""


# The five experiments


def points(
    data: Data, opponents: Sequence[str] = tuple(UNMET), names: Sequence[str] = tuple(SOURCE)
) -> dict[str, list[float]]:
    """Return the mean share of points of each champion against some opponents, by experiment, of those named.

    A champion counts if it has met all of them.
    """
    scores: dict[str, dict[str, Score]] = {}
    for (run, opponent, _), score in pooled(data.games, ("run", "opponent", "game")).items():
        scores.setdefault(run, {})[opponent] = score
    found: dict[str, list[float]] = {name: [] for name in names}
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


def learned(data: Data) -> str:
    """Return the fitness of the best so far of the five experiments by generation."""
    return by_generation(data.curves, TITLES, "fitness", AT) or NONE


def reached(data: Data) -> str:
    """Return the games that the five experiments need for two values of their fitness."""
    return until(data.curves, TITLES, "fitness", TARGETS) or NONE


def percent(shares: Sequence[float]) -> str:
    """Return the mean of shares in percent with the 95 % interval over runs; empty without runs."""
    return mean_of([100 * share for share in shares], unit=" %") if shares else ""


def brackets(data: Data) -> str:
    """Return the test over the experiments that have been measured, as a sentence."""
    from scipy import stats

    from jaxgp.statistics.comparison import together

    groups = points(data)
    missing = [f"`othello_{name}`" for name in SOURCE if name not in groups]
    if len(groups) < 2:
        return NONE
    h, p = (settled(float(one)) for one in stats.kruskal(*together(*map(np.array, groups.values()))))
    word = "differ" if p < LEVEL else "are not shown to differ"
    rest = f" Without rows: {', '.join(missing)}." if missing else ""
    return f"The {len(groups)} experiments {word}: Kruskal-Wallis H = {h:.1f}, p = {p:.2g}.{rest}"


def pairs(data: Data) -> str:
    """Return every two experiments compared; the p values are one family."""
    groups = points(data)
    return compared(groups, list(combinations(groups, 2))) if len(groups) > 1 else NONE


def compared(groups: Mapping[str, Sequence[float]], asked: Sequence[tuple[str, str]]) -> str:
    """Return pairs of groups compared by Mann and Whitney; the p values are one family."""
    lines = []
    for (a, b), (one, p) in family(groups, asked, MEASURE).items():
        word = "no difference shown"
        if p < LEVEL:
            word = "higher" if one.a12.value > 0.5 else "lower"
        lines.append([f"`{a}`", f"`{b}`", effect(one.a12), p_value(one.p), p_value(p), word])
    return table(["first", "second", "A12 (95 %)", "p", "p, Holm", "the first is"], lines)


def harder(data: Data) -> str:
    """Return champions trained by games against each other beside those trained against the panel."""
    names = [name + way for name in TRAINED for way in ("", HARDER)]
    groups = points(data, names=names)
    lines = [
        [
            f"`othello_{name}`",
            str(len(groups.get(name + HARDER, ()))),
            *(percent(groups.get(name + way, [])) for way in ("", HARDER)),
        ]
        for name in TRAINED
        if name + HARDER in groups
    ]
    head = ["experiment", "champions", "trained against the panel", "trained against each other"]
    return table(head, lines) if lines else NONE


def harder_pairs(data: Data) -> str:
    """Return what weights do under harder training, and what harder training does; the p values are one family."""
    asked = [(a + HARDER, b + HARDER) for a, b in WEIGHTED.items()] + [(name + HARDER, name) for name in TRAINED]
    groups = points(data, names=[name + way for name in TRAINED for way in ("", HARDER)])
    there = [pair for pair in asked if groups.keys() >= set(pair)]
    return compared(groups, there) if there else NONE


def few(data: Data) -> str:
    """Return champions with few features, and what weights do there, beside the other features."""
    groups = points(data, names=[*FEW, *SOURCE])
    if not groups.keys() >= set(FEW):
        return NONE
    lines = [[words, str(len(groups[name])), percent(groups[name])] for name, words in FEW.items()]
    return table(["features", "champions", "mean of both opponents"], lines)


def few_pairs(data: Data) -> str:
    """Return few features with weights compared with those without, and with the other features with weights."""
    groups = points(data, names=[*FEW, *SOURCE])
    plain, weighted = FEW
    asked = [(weighted, other) for other in (plain, *WEIGHTED) if groups.keys() >= {weighted, other}]
    return compared(groups, asked) if asked else NONE


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
    a12 = f"A12 {effect(one.a12)}, p = {one.p:.2f}"
    word = "is not shown to differ from" if one.p >= LEVEL else "differs from"
    return f"The share of no-ops in `regions_weights` {word} that in `regions`, where they do nothing: {a12}."


# Where influential leaves are


def ranked(row: Cells) -> tuple[float, float] | None:
    """Return Spearman's rho of the influence of a champion's leaves with depth, and with the place from the left.

    None where a leaf is alone, or all are alike.
    """
    pairs = [one.split(":") for one in row["leaves"].split()]
    depths, shares = [int(depth) for depth, _ in pairs], [float(share) for _, share in pairs]
    if min(len(set(depths)), len(set(shares))) < 2:
        return None
    with_depth, with_place = (
        float(spearman(np.array(shares), np.array(one, float))) for one in (depths, range(len(shares)))
    )
    return with_depth, with_place


def leaves(data: Data) -> str:
    """Return where the leaves are that decide moves, with weights beside without; the p values are one family."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in data.leaves:
        if (rho := ranked(row)) is not None:
            found.setdefault(experiment(row["run"]), []).append(rho)
    if not found:
        return NONE
    values = {(name, of): [rho[of] for rho in some] for name, some in found.items() for of in (0, 1)}
    asked = [((a, of), (b, of)) for a, b in WEIGHTED.items() if {a, b} <= found.keys() for of in (0, 1)]
    tested = family(values, asked, "rho")
    lines = []
    for name in (one for one in SOURCE if one in found):
        cells = [f"`othello_{name}`", str(len(found[name]))]
        for of in (0, 1):
            cells.append(mean_of(values[name, of], 2, sign="+"))
            pair = (name, of), (WEIGHTED.get(name, ""), of)
            cells.append(f"{effect(tested[pair][0].a12)}, p = {p_value(tested[pair][1])}" if pair in tested else "")
        lines.append(cells)
    head = ["rho with the depth (95 %)", "A12 over no weights, p", "rho with the place from the left (95 %)"]
    return table(["experiment", "champions", *head, "A12 over no weights, p"], lines)


TABLES: dict[str, Callable[[Data], str]] = {
    "othello_experiments": experiments,
    "othello_brackets": brackets,
    "othello_pairs": pairs,
    "othello_curves": learned,
    "othello_targets": reached,
    "othello_harder": harder,
    "othello_harder_pairs": harder_pairs,
    "othello_few": few,
    "othello_few_pairs": few_pairs,
    "othello_noops": noops,
    "othello_noops_used": used,
    "othello_leaves": leaves,
}
