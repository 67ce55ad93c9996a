"""The tables of docs/mancala.md, made from the tables of docs/data whose names begin with `mancala`.

Figures of the study are those of its text: points of its two printed programs and of the search against 1,000 random
programs. Each function returns the Markdown of one table.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

import numpy as np

from jaxgp.measure import games
from jaxgp.report.generated import guarded, table
from jaxgp.statistics.intervals import wilson
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells, Table
from jaxgp.study import curves
from studies.measure import mancala_printed
from tables.shared.cells import effect, mean_of
from tables.shared.learning import cells_at, running_time

SEEDS = (
    *("run", "seed", "generations", "first", "second", "both_won_from", "nodes", "mean_nodes_14", "mean_nodes_end"),
    *("last_improvement", "program"),
)
"""Columns of `mancala_seeds.csv`: the champion of each run as text, and what its record said."""
NONE = "no rows yet"
RUNS = {"run1": "run 1", "run2": "run 2", "default": "default"}
"""Groups of `mancala_seeds.csv`, and what they are called."""
STALL, LATE = 14, 100
"""Generations of the study: run 1 stalls by the one, run 2 improves past the other."""
SEARCH = "search depth=8 evaluator=material ties=first"
PROGRAMS = "program"
"""The opponent: random programs that play as the champions do, unless a role follows."""
DIRECT = "program"
"""The role of the study's programs, whose value names a pit."""
HALF = 24
"""Points of a drawn game."""
ABLATION, BASE = "ablation ", "ablation default"
GAMES = 1024
"""Games of a generation: two for each of 512 individuals."""
AT = (0, 14, 50, 100, 149)
"""Generations at which curves are shown as numbers."""
WITHOUT = "run 2 without IF"
LEAVES = "Kalah by programs at the leaves of a search"
"""Title of runs whose programs look ahead: they are no specialists of the study."""


class Data(NamedTuple):
    """Rows of the files."""

    seeds: list[Cells]
    games: list[Cells]
    curves: list[Cells]
    printed: list[Cells]


def load(folder: Path) -> Data:
    """Read the files; a missing one has no rows. Raises UsageError."""
    return Data(
        Table(folder / "mancala_seeds.csv", SEEDS).read(),
        games.table(folder / "mancala_games.csv").read(),
        curves.table(folder / "mancala_curves.csv").read(),
        Table(folder / "mancala_printed.csv", mancala_printed.COLUMNS).read(),
    )


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    return guarded(folder, TABLES, load(folder))


# Runs of the study and default runs


def of_run(data: Data, run: str) -> list[Cells]:
    """Return the rows of a group of ten runs, by seed."""
    return sorted((row for row in data.seeds if row["run"] == run), key=lambda row: int(row["seed"]))


def uses_if(row: Cells) -> bool:
    """Whether the champion of a run has an IF in it."""
    return "IF_<_DO_ELSE_" in row["program"]


def of_study(data: Data, run: str) -> str:
    """Return the ten runs of one fitness of the study."""
    lines = [
        [
            row["seed"],
            f"{row['first']} + {row['second']}",
            row["nodes"],
            f"{float(row['mean_nodes_14']):.0f} / {float(row['mean_nodes_end']):.0f}",
            row["last_improvement"],
            "yes" if uses_if(row) else "no",
        ]
        for row in of_run(data, run)
    ]
    header = ["seed", "Score1 + Score2", "nodes of the best", "mean nodes at generation 14 / at the end"]
    return table([*header, "last improvement in generation", "IF in the best"], lines or [[NONE, *[""] * 5]])


def of_default(data: Data) -> str:
    """Return the ten default runs."""
    lines = [
        [
            row["seed"],
            f"{row['first']} + {row['second']}",
            row["both_won_from"],
            row["nodes"],
            f"{float(row['mean_nodes_end']):.0f}",
            row["last_improvement"],
        ]
        for row in of_run(data, "default")
    ]
    header = ["seed", "Score1 + Score2", "both seats won from generation", "nodes of the best"]
    return table([*header, "mean nodes at the end", "last improvement"], lines or [[NONE, *[""] * 5]])


def seen(data: Data) -> str:
    """Return how often the study's observations were made here, with Wilson intervals."""
    asked: dict[str, Callable[[Cells], bool]] = {
        "won from both seats": lambda row: min(int(row["first"]), int(row["second"])) > HALF,
        f"no improvement after generation {STALL}": lambda row: int(row["last_improvement"]) <= STALL,
        f"an improvement after generation {LATE}": lambda row: int(row["last_improvement"]) > LATE,
        "no IF in the best program": lambda row: not uses_if(row),
        "a mean of at most 100 nodes at the end": lambda row: float(row["mean_nodes_end"]) <= 100,
    }
    lines = []
    for name, test in asked.items():
        line = [name]
        for run in RUNS:
            found = [test(row) for row in of_run(data, run)]
            line.append(share(sum(found), len(found)) if found else NONE)
        lines.append(line)
    return table(["seen", *(f"{name}, 10 runs" for name in RUNS.values())], lines)


def says(data: Data) -> str:
    """Return what the study says of its two runs, beside how often it was seen in the runs of its tableau here."""
    first, second, default = (of_run(data, run) for run in RUNS)
    if not first or not second or not default:
        return NONE.capitalize() + "."
    met = [row for row in data.games if row["opponent"] == PROGRAMS and row["title"] in ("run 1", "run 2")]
    taken = {(row["title"], row["run_seed"], row["player"]): both_points(row) for row in met}
    search = max((points for (*_, player), points in taken.items() if player == SEARCH), default=float("nan"))
    less = [points < search for (*_, player), points in taken.items() if player != SEARCH]

    def won(rows: Sequence[Cells]) -> str:
        return f"{sum(min(int(row['first']), int(row['second'])) > HALF for row in rows)} of {len(rows)}"

    def ends(rows: Sequence[Cells]) -> str:
        sizes = [float(row["mean_nodes_end"]) for row in rows]
        return f"{min(sizes):.0f} to {max(sizes):.0f}"

    last = [int(row["last_improvement"]) for row in first]
    late = sum(int(row["last_improvement"]) > LATE for row in second)
    lines = [
        [
            "both runs end in programs that beat the search from both seats (27 + 25, 41 + 25)",
            f"in {won(first + second)} runs of its tableau, under these rules and readings; in {won(default)} default "
            "runs, which have its function set and another selection",
        ],
        [
            f"run 1 stalls by generation {STALL}",
            f"in {sum(one <= STALL for one in last)} of {len(last)} runs: the last improvement comes in generations "
            f"{min(last)} to {max(last)} (median {median(last):.0f})",
        ],
        [
            "run 1 bloats, run 2 stays near 100 nodes",
            f"run 1 bloats, to means of {ends(first)} nodes; run 2 stays smaller, but not near 100: {ends(second)}",
        ],
        [f"run 2 improves past generation {LATE}", f"in {late} of {len(second)} runs"],
        ["run 2's best program does not use IF", f"in {sum(not uses_if(row) for row in second)} of {len(second)} runs"],
        [
            "programs are specialists: random programs lose to them by less than to the search",
            f"in {sum(less)} of {len(less)} champions, see below",
        ],
    ]
    return table(["the study says", "seen here"], lines)


def share(number: int, of: int) -> str:
    """Return a number of cases with the 95 % Wilson interval of their share."""
    low, high = wilson(number, of)
    return f"{number} of {of} ({100 * low:.0f} to {100 * high:.0f} %)"


# Games against random programs


def points(row: Cells, seat: str) -> str:
    """Return mean points with the 95 % interval of the mean: games are independent and many."""
    mean, spread = float(row[f"points_{seat}"]), float(row[f"spread_{seat}"])
    half = 1.96 * spread / sqrt(int(row["games"]) / 2)
    return f"{mean:.1f} ({mean - half:.1f} to {mean + half:.1f})"


def both_points(row: Cells) -> float:
    """Return mean points of a player from both seats together."""
    return float(row["points_first"]) + float(row["points_second"])


def specialists(data: Data) -> str:
    """Return the study's figure 10: the search and the champions of all runs against the same random programs."""
    met = [row for row in data.games if row["opponent"] == PROGRAMS and row["game"] == "mancala"]
    rows = [row for row in met if row["title"] != LEAVES]
    last = {(row["title"], row["run_seed"], row["player"]): row for row in rows}
    lines = []
    search = next((row for row in last.values() if row["player"] == SEARCH), None)
    if search is not None:
        lines.append(["search of eight plies", points(search, "first"), points(search, "second"), *of_score(search)])
    for title in ("run 1", "run 2", "GP Mancala"):
        some = [row for row in last.values() if row["title"] == title and row["player"] != SEARCH]
        some.sort(key=lambda row: int(row["run_seed"]))
        name = "default" if title == "GP Mancala" else title
        for row in some:
            own = [points(row, "first"), points(row, "second"), *of_score(row)]
            lines.append([f"{name}, seed {row['run_seed']}", *own])
        if len(some) > 1:
            means = [mean_of([float(row[f"points_{seat}"]) for row in some], 1) for seat in ("first", "second")]
            shares = mean_of([100 * float(row["score"]) for row in some], 1, " %")
            lines.append([f"**{name}, mean of {len(some)} champions**", *means, shares])
    header = ["player", "points moving first (95 %)", "points moving second (95 %)", "score, both seats (95 %)"]
    return table(header, lines or [[NONE, "", "", ""]])


def of_score(row: Cells) -> list[str]:
    """Return the share of games won, a draw counting half, with its interval."""
    return [f"{100 * float(row['score']):.1f} % ({100 * float(row['low']):.1f} to {100 * float(row['high']):.1f})"]


# Curves


def groups(data: Data, measure: str) -> dict[str, list[curves.Curve]]:
    """Return the curves of each title."""
    return curves.groups(data.curves, measure)


def curve(data: Data) -> str:
    """Return the study's figures 6 and 7 as numbers: points of the best so far and mean nodes, run 1 beside run 2."""
    best, sizes = groups(data, "points"), groups(data, "mean_size")
    lines = []
    for title in ("run 1", "run 2", WITHOUT):
        for name, found in (("points of the best so far", best), ("mean nodes", sizes)):
            some = found.get(title)
            if not some:
                continue
            cells = cells_at(some, AT, 1 if found is best else 0)
            lines.append([f"{title}, {len(some)} runs: {name}", *cells])
    return table(["mean of runs (95 %)", *(f"generation {at}" for at in AT)], lines or [[NONE, *[""] * len(AT)]])


def expected(data: Data) -> str:
    """Return the games that groups of runs need for targets, with what the successes say."""
    lines = []
    for run, title in RUNS.items():
        if some := beaten(of_run(data, run)):
            found = curves.expected(some, 1.0)
            lines.append([title, "the search beaten from both seats", *running_time(found)])
    best = groups(data, "points")
    for title in ("run 1", "run 2", WITHOUT):
        for name, target in (("50 points, as 27 + 23", 50.0), ("51 points or more", 51.0)):
            if title in best:
                lines.append([title, name, *running_time(curves.expected(best[title], target))])
    header = ["runs", "target", "reached", "expected games (95 %)", "games of all runs"]
    return table(header, lines or [[NONE, *[""] * 4]])


def beaten(rows: Sequence[Cells]) -> list[curves.Curve]:
    """Return curves of ten runs that are 1 from the generation on in which a program won from both seats."""
    found = []
    for row in rows:
        place = np.arange(int(row["generations"]))
        won = place >= int(row["both_won_from"]) if row["both_won_from"] else np.zeros(len(place), bool)
        found.append(curves.Curve(int(row["seed"]), place, GAMES * (place + 1), won.astype(float)))
    return found


def without(data: Data) -> str:
    """Return run 2 beside run 2 without IF, in the last generation that both have."""
    from jaxgp.statistics.comparison import compare

    best = groups(data, "points")
    if not {"run 2", WITHOUT} <= best.keys():
        return NONE.capitalize() + "."
    last = min(int(min(one.generations[-1] for one in best[title])) for title in ("run 2", WITHOUT))
    values = {title: curves.at(best[title], last) for title in ("run 2", WITHOUT)}
    one = compare("points", (WITHOUT, values[WITHOUT]), ("run 2", values["run 2"]))
    lines = [
        [title, str(len(some)), f"{median(some):.0f} ({min(some):.0f} to {max(some):.0f})", mean_of(some, 1)]
        for title, some in values.items()
    ]
    lines[0] += ["", ""]
    lines[1] += [effect(one.a12), f"{one.p:.2g}"]
    header = [
        "runs",
        "number",
        f"points in generation {last}: median (range)",
        "mean (95 %)",
        "A12 over run 2 (95 %)",
        "p",
    ]
    return table(header, lines)


# Ablation


def ablation(data: Data) -> str:
    """Return the default run without each of its changes beside the default run, in the last generation of all."""
    from jaxgp.statistics.comparison import compare

    best, won = (
        {title: some for title, some in groups(data, name).items() if title.startswith(ABLATION)} for name in MEASURED
    )
    if BASE not in best:
        return NONE.capitalize() + "."
    last = min(int(one.generations[-1]) for some in best.values() for one in some)
    sums = {title: curves.at(some, last) for title, some in best.items()}
    made = {
        title: compare("points", (title, values), (BASE, sums[BASE])) for title, values in sums.items() if title != BASE
    }
    corrected = dict(zip(made, holm([one.p for one in made.values()]), strict=True))
    lines = []
    for title, values in sums.items():
        both = sum(value >= 1 for value in curves.at(won[title], last))
        cells = [f"{median(values):.1f} ({min(values):.0f} to {max(values):.0f})", mean_of(values, 1)]
        tested = ["", ""]
        if title in made:
            tested = [effect(made[title].a12), f"{corrected[title]:.2g}"]
        cells += [share(both, len(values)), running_time(curves.expected(won[title], 1.0))[1]]
        lines.append([title.removeprefix(ABLATION), str(len(values)), *cells, *tested])
    header = ["runs", "number", f"points in generation {last}: median (range)", "mean (95 %)"]
    header += ["both seats won", "expected games until then (95 %)"]
    return table([*header, "A12 over the default (95 %)", "p, Holm"], lines)


MEASURED = ("points", "beaten")


# The printed programs


def printed(data: Data) -> str:
    """Return where the study's printed programs win, over rules and readings."""
    lines = []
    for program in sorted({row["program"] for row in data.printed}):
        own = [row for row in data.printed if row["program"] == program]
        sums = [int(row["first"]) + int(row["second"]) for row in own if row["forfeits"] == "0"]
        both = [row for row in own if mancala_printed.won(dict(row))]
        seats = [sum(int(row[s]) > int(row[f"{s}_against"]) and row["forfeits"] == "0" for row in own) for s in SEATS]
        best = max(both, key=lambda row: int(row["first"]) + int(row["second"]), default=None)
        where = "" if best is None else ", ".join(f"{name}={best[name]}" for name in mancala_printed.KEY[1:-1])
        best_sum = "" if best is None else f"{best['first']} + {best['second']}: {where}"
        lines.append([program, f"{len(own):,}", *map(str, seats), str(len(both)), best_sum, f"{fmean(sums):.1f}"])
    header = ["program", "combinations", "won moving first", "won moving second", "won from both seats"]
    return table([*header, "best of these", "mean sum without forfeits"], lines or [[NONE, *[""] * 6]])


SEATS = ("first", "second")


def printed_wins(data: Data) -> str:
    """Return every combination of rules and readings under which a printed program wins from both seats."""
    rows = [row for row in data.printed if mancala_printed.won(dict(row))]
    found: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        rules = tuple(row[name] for name in ("program", *mancala_printed.RULES))
        reads = f"{row['view']}, {row['value_at_out_of_range']}, {row['move']}: {row['first']} + {row['second']}"
        found.setdefault(rules, []).append(reads)
    lines = [[*rules, "; ".join(reads)] for rules, reads in sorted(found.items())]
    header = ["program", *(f"`game.{name}`" for name in mancala_printed.RULES), "readings and points"]
    return table(header, lines or [["none" if data.printed else NONE, *[""] * 5]])


TABLES: dict[str, Callable[[Data], str]] = {
    "mancala_run2": partial(of_study, run="run2"),
    "mancala_run1": partial(of_study, run="run1"),
    "mancala_seen": seen,
    "mancala_says": says,
    "mancala_curves": curve,
    "mancala_expected": expected,
    "mancala_without": without,
    "mancala_specialists": specialists,
    "mancala_printed": printed,
    "mancala_printed_wins": printed_wins,
    "mancala_default": of_default,
    "mancala_ablation": ablation,
}
