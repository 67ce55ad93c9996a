"""The tables of docs/results/mancala.md, made from the tables of docs/data whose names begin with `mancala`.

Figures of the study are those of its text: points of its two printed programs and of the search against 1,000 random
programs. `mancala_seeds.csv` has the champion of each run as text, and what its record said.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from statistics import fmean, median

import numpy as np

from jaxgp.report.generated import table
from jaxgp.statistics.verdicts import holm
from jaxgp.store.table import Cells
from jaxgp.study import curves
from tables.shared.cells import effect, mean_of, share
from tables.shared.data import Data, by, listing
from tables.shared.learning import cells_at, running_time

RUNS = {"run1": "run 1", "run2": "run 2", "default": "default"}
"""Groups of `mancala_seeds.csv`, and what they are called."""
STALL, LATE = 14, 100
"""Generations of the study: run 1 stalls by the one, run 2 improves past the other."""
SEARCH = "search depth=8 evaluator=material ties=first"
PROGRAMS = "program"
"""The opponent: random programs that play as the champions do, unless a role follows."""
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
SEATS = ("first", "second")


# Runs of the study and default runs


def of_run(data: Data, run: str) -> list[Cells]:
    """Return the rows of a group of ten runs, by seed."""
    return sorted((row for row in data["mancala_seeds"] if row["run"] == run), key=lambda row: int(row["seed"]))


SAID: dict[str, Callable[[Cells], bool]] = {
    "won from both seats": lambda row: min(int(row["first"]), int(row["second"])) > HALF,
    f"no improvement after generation {STALL}": lambda row: int(row["last_improvement"]) <= STALL,
    f"an improvement after generation {LATE}": lambda row: int(row["last_improvement"]) > LATE,
    "no IF in the best program": lambda row: "IF_<_DO_ELSE_" not in row["program"],
    "a mean of at most 100 nodes at the end": lambda row: float(row["mean_nodes_end"]) <= 100,
}
"""What the study observed, and whether it is so of a run."""
NO_IF = SAID["no IF in the best program"]


def of_study(data: Data, run: str) -> str:
    """Return the ten runs of one fitness of the study."""

    def nodes(row: Cells) -> str:
        return " / ".join(f"{float(row[f'mean_nodes_{when}']):.0f}" for when in ("14", "end"))

    columns = {
        "seed": "{seed}",
        "Score1 + Score2": "{first} + {second}",
        "nodes of the best": "{nodes}",
        "mean nodes at generation 14 / at the end": nodes,
        "last improvement in generation": "{last_improvement}",
        "IF in the best": lambda row: "no" if NO_IF(row) else "yes",
    }
    return listing(of_run(data, run), columns)


def of_default(data: Data) -> str:
    """Return the ten default runs."""
    columns = {
        "seed": "{seed}",
        "Score1 + Score2": "{first} + {second}",
        "both seats won from generation": "{both_won_from}",
        "nodes of the best": "{nodes}",
        "mean nodes at the end": lambda row: f"{float(row['mean_nodes_end']):.0f}",
        "last improvement": "{last_improvement}",
    }
    return listing(of_run(data, "default"), columns)


def seen(data: Data) -> str:
    """Return how often the study's observations were made here, with Wilson intervals."""
    found = [of_run(data, run) for run in RUNS]
    lines = [[name, *(share(sum(map(test, rows)), len(rows)) for rows in found)] for name, test in SAID.items()]
    return table(["seen", *(f"{name}, 10 runs" for name in RUNS.values())], lines)


# Games against random programs


def points(row: Cells, seat: str) -> str:
    """Return mean points with the 95 % interval of the mean: games are independent and many."""
    mean, spread = float(row[f"points_{seat}"]), float(row[f"spread_{seat}"])
    half = 1.96 * spread / sqrt(int(row["games"]) / 2)
    return f"{mean:.1f} ({mean - half:.1f} to {mean + half:.1f})"


def score(row: Cells) -> str:
    """Return the share of games won, a draw counting half, with its interval."""
    return "{:.1f} % ({:.1f} to {:.1f})".format(*(100 * float(row[name]) for name in ("score", "low", "high")))


def specialists(data: Data) -> str:
    """Return the study's figure 10: the search and the champions of all runs against the same random programs."""
    met = [row for row in data["mancala_games"] if (row["opponent"], row["game"]) == (PROGRAMS, "mancala")]
    last = {(row["title"], row["run_seed"], row["player"]): row for row in met if row["title"] != LEAVES}
    lines = []
    for title, name in {
        "": "search of eight plies",
        "run 1": "run 1",
        "run 2": "run 2",
        "GP Mancala": "default",
    }.items():
        own = [row for row in last.values() if row["player"] != SEARCH and row["title"] == title]
        some = own if title else [next(row for row in last.values() if row["player"] == SEARCH)]
        some.sort(key=lambda row: int(row["run_seed"]))
        for row in some:
            who = f"{name}, seed {row['run_seed']}" if title else name
            lines.append([who, *(points(row, seat) for seat in SEATS), score(row)])
        if title:
            means = [mean_of([float(row[f"points_{seat}"]) for row in some]) for seat in SEATS]
            shares = mean_of([100 * float(row["score"]) for row in some], unit=" %")
            lines.append([f"**{name}, mean of {len(some)} champions**", *means, shares])
    header = ["player", "points moving first (95 %)", "points moving second (95 %)", "score, both seats (95 %)"]
    return table(header, lines)


# Curves


def curve(data: Data) -> str:
    """Return the study's figures 6 and 7 as numbers: points of the best so far and mean nodes, run 1 beside run 2."""
    measures = {"points of the best so far": ("points", 1), "mean nodes": ("mean_size", 0)}
    found = {name: curves.groups(data["mancala_curves"], measure) for name, (measure, _) in measures.items()}
    lines = []
    for title in ("run 1", "run 2", WITHOUT):
        for name, (_, digits) in measures.items():
            some = found[name][title]
            lines.append([f"{title}, {len(some)} runs: {name}", *cells_at(some, AT, digits)])
    return table(["mean of runs (95 %)", *(f"generation {at}" for at in AT)], lines)


def expected(data: Data) -> str:
    """Return the games that groups of runs need for targets, with what the successes say."""
    best = curves.groups(data["mancala_curves"], "points")
    asked = [
        (title, "the search beaten from both seats", 1.0, beaten(of_run(data, run))) for run, title in RUNS.items()
    ]
    for title in ("run 1", "run 2", WITHOUT):
        for name, target in (("50 points, as 27 + 23", 50.0), ("51 points or more", 51.0)):
            asked.append((title, name, target, best[title]))
    lines = [[title, name, *running_time(curves.estimate_time(some, target))] for title, name, target, some in asked]
    return table(["runs", "target", "reached", "expected games (95 %)", "games of all runs"], lines)


def beaten(rows: Sequence[Cells]) -> list[curves.Curve]:
    """Return curves of runs that are 1 from the generation on in which a program won from both seats."""
    found = []
    for row in rows:
        place = np.arange(int(row["generations"]))
        won = place >= int(row["both_won_from"] or len(place))
        found.append(curves.Curve(int(row["seed"]), place, GAMES * (place + 1), won.astype(float)))
    return found


def middle(values: Sequence[float], digits: int = 1) -> list[str]:
    """Return median and range, and the mean with its interval."""
    return [f"{median(values):.{digits}f} ({min(values):.0f} to {max(values):.0f})", mean_of(values)]


def without(data: Data) -> str:
    """Return run 2 beside run 2 without IF, in the last generation that both have."""
    from jaxgp.statistics.comparison import compare

    best = curves.groups(data["mancala_curves"], "points")
    last = min(int(one.generations[-1]) for title in ("run 2", WITHOUT) for one in best[title])
    values = {title: curves.at(best[title], last) for title in ("run 2", WITHOUT)}
    one = compare("points", (WITHOUT, values[WITHOUT]), ("run 2", values["run 2"]))
    lines = [[title, str(len(some)), *middle(some, 0), "", ""] for title, some in values.items()]
    lines[1][4:] = [effect(one.a12), f"{one.p:.2g}"]
    header = ["runs", "number", f"points in generation {last}: median (range)", "mean (95 %)"]
    return table([*header, "A12 over run 2 (95 %)", "p"], lines)


def ablation(data: Data) -> str:
    """Return the default run without each of its changes beside the default run, in the last generation of all."""
    from jaxgp.statistics.comparison import compare

    best, won = (
        {title: some for title, some in curves.groups(data["mancala_curves"], name).items() if ABLATION in title}
        for name in ("points", "beaten")
    )
    last = min(int(one.generations[-1]) for some in best.values() for one in some)
    sums = {title: curves.at(some, last) for title, some in best.items()}
    made = {
        title: compare("points", (title, values), (BASE, sums[BASE])) for title, values in sums.items() if title != BASE
    }
    corrected = dict(zip(made, holm([one.p for one in made.values()]), strict=True))
    lines = []
    for title, values in sums.items():
        both = sum(value >= 1 for value in curves.at(won[title], last))
        cells = [share(both, len(values)), running_time(curves.estimate_time(won[title], 1.0))[1]]
        tested = [effect(made[title].a12), f"{corrected[title]:.2g}"] if title in made else ["", ""]
        lines.append([title.removeprefix(ABLATION), str(len(values)), *middle(values), *cells, *tested])
    header = ["runs", "number", f"points in generation {last}: median (range)", "mean (95 %)"]
    header += ["both seats won", "expected games until then (95 %)"]
    return table([*header, "A12 over the default (95 %)", "p, Holm"], lines)


# The printed programs


def has_won(row: Cells, seat: str) -> bool:
    """Return whether a printed program wins from a seat, in a combination in which it never forfeits."""
    return int(row[seat]) > int(row[f"{seat}_against"]) and row["forfeits"] == "0"


def printed(data: Data) -> str:
    """Return where the study's printed programs win, over rules and readings; none wins from both seats."""
    lines = []
    for (program,), own in sorted(by(data["mancala_printed"], "program").items()):
        sums = [int(row["first"]) + int(row["second"]) for row in own if row["forfeits"] == "0"]
        wins = [[has_won(row, seat) for seat in SEATS] for row in own]
        seats = [str(sum(seat)) for seat in (*zip(*wins, strict=True), map(all, wins))]
        lines.append([program, f"{len(own):,}", *seats, f"{fmean(sums):.1f}"])
    header = ["program", "combinations", "won moving first", "won moving second", "won from both seats"]
    return table([*header, "mean sum without forfeits"], lines)


TABLES = {
    "mancala_run2": partial(of_study, run="run2"),
    "mancala_run1": partial(of_study, run="run1"),
    "mancala_seen": seen,
    "mancala_curves": curve,
    "mancala_expected": expected,
    "mancala_without": without,
    "mancala_specialists": specialists,
    "mancala_printed": printed,
    "mancala_default": of_default,
    "mancala_ablation": ablation,
}
