"""The tables of docs/results/walls.md, made from the tables of docs/data whose names begin with `walls`.

Four of these tables hold figures of older measurements whose single runs and games were not kept: `walls_times.csv`
(medians and ranges of times), `walls_default.csv`, `walls_matching.csv` and `walls_points.csv`. Each function returns
the Markdown of one table.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from jaxgp.report.generated import guarded, table
from jaxgp.statistics.intervals import wilson
from jaxgp.store.table import Cells, Table
from jaxgp.study import curves
from studies import walls_arena, walls_scaling
from studies.growth import report
from studies.growth.scaling import Law, fit
from studies.measure import walls_rules
from tables.shared.cells import mean_of
from tables.shared.learning import by_generation

NONE = "no rows yet"
LEARNED = {"Walls N = 3": "N = 3", "Walls N = 5": "N = 5"}
"""Titles of the runs whose curves are shown, and what they are called."""
AT = (0, 2, 5, 10, 50, 100)
"""Cycles at which curves are shown as numbers."""
TIMES = ("player", "size", "median", "fastest", "slowest")
MATCHING = ("matching", "runs", "mean", "low", "high", "median", "least", "greatest")
RUNS = ("size", "beaten", "runs", "median", "least", "most", "rules_least", "rules_most")
POINTS = ("champion", "opponent", "points", "low", "high")
SIZES = ("3", "5", "7", "9", "11")
DEFAULT, LETTER = "Walls N = ", "to the letter N = "
"""How the titles of runs begin that are shown by size."""
FORMULA = 1.0
"""An exponent whose 95 % interval is wider than this is no formula."""


class Data(NamedTuple):
    """Rows of the files."""

    arena: list[Cells]
    times: list[Cells]
    scaling: list[Cells]
    default: list[Cells]
    matching: list[Cells]
    points: list[Cells]
    curves: list[Cells]
    rules: list[Cells]
    batches: list[Cells]


def load(folder: Path) -> Data:
    """Read the files; a missing one has no rows. Raises UsageError."""
    columns = {
        "arena": walls_arena.COLUMNS,
        "times": TIMES,
        "scaling": report.COLUMNS,
        "default": RUNS,
        "matching": MATCHING,
        "points": POINTS,
        "curves": curves.COLUMNS,
        "rules": walls_rules.COLUMNS,
        "batches": walls_scaling.COLUMNS,
    }
    return Data(*(Table(folder / f"walls_{name}.csv", of).read() for name, of in columns.items()))


def parts(folder: Path) -> Mapping[str, Callable[[], str]]:
    """Return what makes each table, by its name in the document; raises UsageError for damaged data."""
    return guarded(folder, TABLES, load(folder))


def by(rows: Sequence[Cells], *names: str) -> dict[tuple[str, ...], list[Cells]]:
    """Group rows by some of their cells, in the order of the file."""
    found: dict[tuple[str, ...], list[Cells]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


# The fixed strategy


def arena(data: Data) -> str:
    """Return what the fixed strategy won, drew and lost."""
    lines = []
    for (opponent, size), rows in by(data.arena, "opponent", "size").items():
        last = {row["seat"]: " + ".join(str(int(row[name])) for name in ("won", "drawn", "lost")) for row in rows}
        lines.append([opponent, size, *(last.get(seat, "") for seat in walls_arena.SEATS)])
    return table(["opponent", "N", "as first player", "as second player"], lines or [[NONE, "", "", ""]])


# Growth


def times(data: Data) -> str:
    """Return milliseconds for one game by size, median and range."""
    lines = []
    for (player,), rows in by(data.times, "player").items():
        cells = {row["size"]: f"{row['median']} ({row['fastest']} to {row['slowest']})" for row in rows}
        lines.append([player, *(cells.get(size, "") for size in SIZES)])
    return table(["player", *(f"N = {size}" for size in SIZES)], lines or [[NONE, *[""] * len(SIZES)]])


def laws(data: Data) -> str:
    """Return the laws fitted to the times."""
    lines = []
    for (player,), rows in by(data.times, "player").items():
        found = fit([int(row["size"]) for row in rows], [float(row["median"]) / 1000 for row in rows])
        by_form = {law.form: law for law in found}
        if by_form:
            power, other = by_form["power"], by_form["exponential"]
            lines.append([player, law(power), f"{power.r2:.3f}", f"{other.r2:.3f}", formula(power)])
    header = ["player", "exponent of the power law (95 %)", "its R2", "R2 of the exponential", "a formula, s"]
    return table(header, lines or [[NONE, *[""] * 4]])


def law(found: Law) -> str:
    """Return an exponent with its interval."""
    return f"{found.rate:.2f} ({found.low:.2f} to {found.high:.2f})"


def formula(found: Law) -> str:
    """Return a fitted law as a formula, unless its exponent is hardly known."""
    return str(found) if found.high - found.low <= FORMULA else "none: the interval is wider than 1"


def counts(data: Data) -> str:
    """Return own moves and operations in a game by size, with the exponents of their growth."""
    lines = []
    for (player, unit), rows in by(data.scaling, "player", "unit").items():
        sizes = [int(row["size"]) for row in rows]
        for column, name in (("moves", "own moves"), ("operations", unit)):
            values = [float(row[column]) for row in rows]
            if not any(values):
                continue
            cells = {row["size"]: f"{float(row[column]):,.0f}" for row in rows}
            power = next((one for one in fit(sizes, values) if one.form == "power"), None)
            lines.append([player, name, *(cells.get(size, "") for size in SIZES), "" if power is None else law(power)])
    header = ["player", "in a game", *(f"N = {size}" for size in SIZES), "exponent (95 %)"]
    return table(header, lines or [[NONE, *[""] * (len(SIZES) + 2)]])


def own(data: Data) -> str:
    """Return the share of a game's time that the player's own moves take, by size."""
    lines = []
    for (player,), rows in by(data.scaling, "player").items():
        cells = {
            row["size"]: f"{1000 * float(row['own_seconds']):.3g} of {1000 * float(row['seconds']):.3g}" for row in rows
        }
        power = fit([int(row["size"]) for row in rows], [float(row["own_seconds"]) for row in rows])
        exponent = next((law(one) for one in power if one.form == "power"), "")
        lines.append([player, *(cells.get(size, "") for size in SIZES), exponent])
    header = ["player", *(f"N = {size}" for size in SIZES), "exponent of the own moves' time (95 %)"]
    return table(header, lines or [[NONE, *[""] * (len(SIZES) + 1)]])


def batches(data: Data) -> str:
    """Return the time of each of many games at once: the median of the measurements, and their range."""
    found = {int(games): rows for (games,), rows in by(data.batches, "games").items()}
    cells = []
    for games in sorted(found):
        times = [1e6 * float(row["seconds"]) for row in found[games]]
        middle, low, high = (f"{x:,.0f}" if x >= 100 else f"{x:#.3g}" for x in (median(times), min(times), max(times)))
        cells.append(f"{middle} ({low} to {high})")
    lines = [["microseconds for each game: median (range)", *cells]] if cells else [[NONE]]
    return table(["games at once", *(f"{games:,}" for games in sorted(found))], lines)


# Evolution


def default(data: Data) -> str:
    """Return the default runs of each size."""
    lines = []
    for row in data.default:
        low, high = wilson(int(row["beaten"]), int(row["runs"]))
        reached = f"{row['beaten']} of {row['runs']} ({100 * low:.0f} to {100 * high:.0f} %)"
        cycles = f"{row['median']} ({row['least']} to {row['most']})"
        lines.append([row["size"], reached, cycles, f"{row['rules_least']} to {row['rules_most']}"])
    header = ["N", "fixed strategy beaten", "cycles until then: median (range)", "rules of the champion"]
    return table(header, lines or [[NONE, "", "", ""]])


def learned(data: Data) -> str:
    """Return the points of the best so far by cycle, of the runs of both sizes."""
    return by_generation(data.curves, LEARNED, "points", AT) or NONE


def evolved(data: Data, title: str) -> str:
    """Return runs by size: whether a parent beat the fixed strategy, when, and the rules of the best."""
    beaten, sizes = (curves.groups(data.curves, name) for name in ("beaten", "mean_size"))
    lines = []
    for size in SIZES[:3]:
        some = beaten.get(title + size)
        if not some:
            continue
        when = [first(one) for one in some]
        won = [cycle for cycle in when if cycle is not None]
        low, high = wilson(len(won), len(some))
        reached = f"{len(won)} of {len(some)} ({100 * low:.0f} to {100 * high:.0f} %)"
        cycles = f"{median(won):g} ({min(won)} to {max(won)})" if won else ""
        spent = curves.expected(some, 1.0)
        games = "not known" if not won else f"{spent.value:,.0f} ({spent.low:,.0f} to {spent.high:,.0f})"
        last = [float(one.values[-1]) for one in sizes[title + size]]
        made = [int(one.generations[-1]) + 1 for one in some]
        lines.append([size, reached, cycles, games, f"{min(made)} to {max(made)}", mean_of(last)])
    header = ["N", "fixed strategy beaten", "cycles until then: median (range)", "expected games (95 %)", "cycles"]
    return table([*header, "rules of a list at the end, mean (95 %)"], lines or [[NONE, *[""] * 5]])


def first(one: curves.Curve) -> int | None:
    """Return the cycle, counted from 1, in which the target was reached first."""
    there = [int(cycle) + 1 for cycle, value in zip(one.generations, one.values, strict=True) if value >= 1]
    return there[0] if there else None


def matching(data: Data) -> str:
    """Return strict beside symmetric matching."""
    lines = [
        [
            row["matching"],
            f"{row['mean']} % ({row['low']} to {row['high']} %)",
            f"{row['median']} %",
            f"{row['least']} to {row['greatest']} %",
        ]
        for row in data.matching
    ]
    header = ["matching", "mean (95 % bootstrap interval)", "median", "range"]
    return table(header, lines or [[NONE, "", "", ""]])


def points(data: Data) -> str:
    """Return points of a double game of some champions, by opponent."""
    champions = list(dict.fromkeys(row["champion"] for row in data.points))
    lines = []
    for (opponent,), rows in by(data.points, "opponent").items():
        cells = {
            row["champion"]: row["points"] + (f" ({row['low']} to {row['high']})" if row["low"] else "") for row in rows
        }
        lines.append([opponent, *(cells.get(one, "") for one in champions)])
    return table(["opponent", *champions], lines or [[NONE]])


def fired(data: Data) -> str:
    """Return which rules of champions fire, and how many moves are optimal where that is known."""
    lines = []
    for (title, opponent), rows in by(data.rules, "title", "opponent").items():
        fires = [[int(pair.partition(":")[2]) for pair in row["fires"].split()] for row in rows]
        made = [int(row["moves"]) for row in rows]
        shares = [len(one) / int(row["rules"]) for one, row in zip(fires, rows, strict=True)]
        greatest = [max(one, default=0) / moves for one, moves in zip(fires, made, strict=True)]
        nothing = [int(row["default"]) / moves for row, moves in zip(rows, made, strict=True)]
        cells = [mean_of([100 * x for x in values]) for values in (shares, greatest, nothing)]
        known = [row for row in rows if row["choices"]]
        kept = [100 * int(row["optimal_choices"]) / int(row["choices"]) for row in known if int(row["choices"])]
        best = f"{mean_of(kept)}; {min(kept):.0f} to {max(kept):.0f}" if kept else ""
        lines.append([title, str(len(rows)), opponent, *cells, best])
    header = ["champions", "number", "opponent", "rules that fire, %", "moves by the rule that fires most, %"]
    header += ["moves without a rule, %", "optimal moves where it matters, %; range"]
    return table(header, lines or [[NONE, *[""] * 6]])


TABLES: dict[str, Callable[[Data], str]] = {
    "walls_arena": arena,
    "walls_times": times,
    "walls_laws": laws,
    "walls_counts": counts,
    "walls_own": own,
    "walls_batches": batches,
    "walls_default": default,
    "walls_learned": learned,
    "walls_runs": partial(evolved, title=DEFAULT),
    "walls_letter": partial(evolved, title=LETTER),
    "walls_matching": matching,
    "walls_points": points,
    "walls_fired": fired,
}
